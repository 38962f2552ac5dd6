# tests/fuzz/NAME.c: one reader each, in libFuzzer's form. `make check` runs each over its corpus and a fixed
# number of mutations, under the address and undefined-behaviour sanitizers, with a driver of our own;
# `make fuzz-NAME` goes on with libFuzzer (clang) until it is stopped.
FUZZ_NAMES   := $(if $(filter-out no,$(HDF5)),hdf5) csv tipsy gadget1 gadget2 content restart ini
FUZZ_SOURCES := $(wildcard src/base/*.c src/snapshot/*.c)
FUZZ_FLAGS   := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.c=$(BUILD)/fuzz/%.o) $(BUILD)/fuzz/tests/fuzz/driver.o
FUZZERS      := $(FUZZ_NAMES:%=$(BUILD)/fuzz/run-%)

$(BUILD)/fuzz/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/fuzz/run-%: $(BUILD)/fuzz/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(CC) $(FUZZ_FLAGS) $(OPENMP_FLAG) -o $@ $^ $(LIBS_ALL)

.PRECIOUS: $(BUILD)/fuzz/tests/fuzz/%.o
.PHONY: fuzzers
fuzzers: $(FUZZERS)

fuzz-%: tests/fuzz/%.c
	@mkdir -p $(BUILD)/fuzz/found-$*
	clang -std=c11 -D_POSIX_C_SOURCE=200809L -g $(FUZZ_FLAGS) -fsanitize=fuzzer -Iinclude -Isrc $(FEATURE_DEFINES) $(FEATURE_CFLAGS) \
	    -o $(BUILD)/fuzz/libfuzzer-$* $< $(FUZZ_SOURCES) $(LIBS_ALL)
	$(BUILD)/fuzz/libfuzzer-$* -rss_limit_mb=4096 $(BUILD)/fuzz/found-$* tests/fuzz/corpus/$(*:content=csv)

-include $(FUZZ_OBJECTS:.o=.d) $(FUZZ_NAMES:%=$(BUILD)/fuzz/tests/fuzz/%.d)
