# tests/unit/*.c are cmocka programs, tests/command/* scripts; tests/run runs them and counts.
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c))

$(BUILD)/tests/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(STATIC) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Itests/unit $(LDFLAGS) -o $@ $< $(STATIC) $(LIBS_ALL) -lcmocka

.PHONY: check tests
tests: $(if $(filter-out no,$(CMOCKA)),$(UNIT_TESTS))
check: all tests
	MAKEFLAGS="$(MAKEOVERRIDES)" BUILD=$(BUILD) tests/run
