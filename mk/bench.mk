# bench/*.c: programs that print the figures of docs/results.md and docs/lab; `make bench` builds them in $(BUILD)/bench.
BENCHES := $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))

$(BUILD)/bench/grape $(BUILD)/bench/clients: $(GRAPE_OBJECTS)
$(BUILD)/bench/%: bench/%.c bench/common.h $(STATIC) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(STATIC) $(LIBS_ALL)

.PHONY: bench
bench: $(BENCHES)
