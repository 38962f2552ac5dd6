# bench/*.c: programs that print the figures of docs/results.md and docs/lab; `make bench` builds them in $(BUILD)/bench.
BENCHES := $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))

$(BUILD)/bench/grape $(BUILD)/bench/clients: $(GRAPE_OBJECTS)
$(BUILD)/bench/%: bench/%.c bench/common.h $(BOTH_STATIC) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(BOTH_STATIC) $(BOTH_LIBS)

.PHONY: bench
bench: $(BENCHES)
