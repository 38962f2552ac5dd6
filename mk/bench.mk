# bench/*.c: programs that print the figures of docs/results.md and docs/lab; `make bench` builds them in $(BUILD)/bench.
BENCHES := $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))

$(BUILD)/bench/grape $(BUILD)/bench/clients: $(GRAPE_OBJECTS)

# The sums of F09, with kernels of their own.
UNROLL_OBJECTS := $(if $(filter yes,$(OPENCL)),$(BUILD)/bench/unroll/opencl.o) $(if $(filter yes,$(CUDA)),$(BUILD)/bench/unroll/cuda.cu.o)
$(BUILD)/bench/unrolling $(BUILD)/bench/unroll/opencl.o: CFLAGS_ALL += $(CUDA_DEFINES) -Ibench '-DUNROLL_TOP="$(CURDIR)"'
$(BUILD)/bench/unroll/cuda.cu.o: bench/unroll/kernels.k bench/unroll/card.h
$(BUILD)/bench/unroll/opencl.o: bench/unroll/card.h
$(BUILD)/bench/unrolling: $(UNROLL_OBJECTS) bench/unroll/card.h
$(BUILD)/bench/%: bench/%.c bench/common.h $(BOTH_STATIC) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(BOTH_STATIC) $(BOTH_LIBS)

.PHONY: bench
bench: $(BENCHES)
