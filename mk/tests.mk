# tests/unit/*.c are cmocka programs, tests/command/* scripts; tests/run runs them and counts
# (tests/README.md). Those of the device engine need one; device.c says so where there is none.
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c))
ifeq ($(strip $(DEVICE_SOURCES)),) # without those that call the device engine themselves
UNIT_TESTS := $(filter-out $(patsubst %,$(BUILD)/tests/unit/%,device_% ranks_devices_% arrays field_points hermite integrate ranks_copies),$(UNIT_TESTS))
endif

TEST_OBJECTS := $(addsuffix .o,$(UNIT_TESTS))

# Their own code computes little: gcc takes a third of the time for it with -Og, and the library is what is tested. dual_walk, which
# sums over all pairs itself, would run twice as long with it. TEST_FLAGS: for them alone.
$(TEST_OBJECTS): OPT := $(OPT:-O3=-Og)
$(BUILD)/tests/unit/dual_walk.o: OPT := $(OPT:-Og=-O1)
$(TEST_OBJECTS): $(BUILD)/%.o: %.c $(FLAGS_FILE) $(BUILD)/flags-tests
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(TEST_FLAGS) -Itests/unit -MMD -MP -c $< -o $@

# gold links a program in a third of the time, where the compiler can use it. Asked once, at the first link.
TEST_LINKER = $(eval TEST_LINKER := $(shell printf 'int main(void) { return 0; }' | $(CC) -x c - -fuse-ld=gold $(LDFLAGS) $(BOTH_LIBS) -o $(BUILD)/gold 2>/dev/null && echo -fuse-ld=gold))$(TEST_LINKER)

# Those of the GRAPE calls have these beside the library.
$(filter %/grape5 %/grape6 %/device_grape,$(UNIT_TESTS)): $(GRAPE_OBJECTS)
$(UNIT_TESTS): %: %.o $(BOTH_STATIC)
	$(CC) $(TEST_LINKER) $(OPENMP_LINK) $(LDFLAGS) -o $@ $(filter %.o,$^) $(BOTH_STATIC) $(BOTH_LIBS) -lcmocka

# Programs and the preload library that the scripts use.
HELPERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/helpers/*.c)) $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/faults/*.c))

$(BUILD)/tests/helpers/%: tests/helpers/%.c $(STATIC) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(STATIC) $(LIBS_ALL)

$(BUILD)/tests/faults/%.so: tests/faults/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -fPIC -shared -o $@ $< -ldl

# `check` is for every change. `check-long` takes the tests that tests/times calls long; `check-all` both, with every case, and
# then what can be watched under a hostile allocator and under valgrind.
RUN_TESTS = MAKEFLAGS="$(MAKEOVERRIDES)" BUILD=$(BUILD) tests/run
.PHONY: check check-long check-all tests
tests: $(HELPERS)
tests: $(if $(filter-out no,$(CMOCKA)),$(UNIT_TESTS))
check: all tests
	$(RUN_TESTS)
check-long: all tests
	$(RUN_TESTS) --long
check-all: all tests
	$(RUN_TESTS) --all --hostile --valgrind

-include $(TEST_OBJECTS:.o=.d)
