# tests/fuzz/NAME.c: one reader each, in libFuzzer's form. `make check` runs each over its corpus and a fixed
# number of mutations with a driver of our own, from the build with the address and undefined-behaviour sanitizers
# (checks.mk); `make fuzz-NAME` goes on with libFuzzer (clang) until it is stopped.
FUZZ_NAMES   := $(if $(filter-out no,$(HDF5)),hdf5) csv tipsy gadget1 gadget2 content restart
FUZZERS      := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/run-%)
FUZZ_SOURCES := $(wildcard src/base/*.c src/snapshot/*.c)
FUZZ_FLAGS   := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

$(BUILD)/tests/fuzz/run-%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/driver.o $(FUZZ_SOURCES:%.c=$(BUILD)/%.o)
	$(CC) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

.PRECIOUS: $(BUILD)/tests/fuzz/%.o
.PHONY: fuzzers
fuzzers: $(FUZZERS)

fuzz-%: tests/fuzz/%.c
	@mkdir -p $(BUILD)/fuzz/found-$*
	clang -std=c11 -D_POSIX_C_SOURCE=200809L -g $(FUZZ_FLAGS) -fsanitize=fuzzer -Iinclude -Isrc $(FEATURE_DEFINES) $(FEATURE_CFLAGS) \
	    -o $(BUILD)/fuzz/libfuzzer-$* $< $(FUZZ_SOURCES) $(LIBS_ALL)
	$(BUILD)/fuzz/libfuzzer-$* -rss_limit_mb=4096 $(BUILD)/fuzz/found-$* tests/fuzz/corpus/$(*:content=csv)

-include $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%.d) $(BUILD)/tests/fuzz/driver.d
