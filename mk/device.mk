# The device engine (src/engine/device): the drivers that this machine can build, and the kernels' sources as
# bytes in the library, which OpenCL compiles at run time.
DEVICE_SOURCES := $(if $(strip $(DRIVERS)),$(wildcard $(call rooms_of,src/engine/device,*.c))) \
                  $(wildcard $(patsubst %,src/engine/device/driver/%/*.c,$(DRIVERS)))
LIBRARY_SOURCES += $(DEVICE_SOURCES)
DEVICE_OBJECTS  := $(if $(filter yes,$(CUDA)),$(patsubst %.cu,$(BUILD)/%.cu.o,$(wildcard src/engine/device/driver/cuda/*.cu))) \
                   $(if $(filter yes,$(OPENCL)),$(BUILD)/embedded.o)

EMBEDDED := $(sort $(wildcard $(call rooms_of,src/engine/device/kernels,*.k *.h) src/octree/layout.h src/octree/cell_moments.h src/physics/*.h src/physics/actions/*.h))
$(BUILD)/embedded.c: $(EMBEDDED) mk/device.mk mk/library.mk
	$(call embed,ky_embedded,engine/device/driver/embedded.h,$(EMBEDDED))
$(BUILD)/embedded.o: $(BUILD)/embedded.c $(FLAGS_FILE)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@

# -fmad=false: fma is written where it is meant. -ftz: the root's estimate without detours for denormals, which the
# engine's units keep away.
$(BUILD)/%.cu.o: %.cu $(wildcard src/engine/device/driver/cuda/*.h) $(EMBEDDED) $(CUDA_FLAGS_FILE)
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 $(CUDA_CODE) -O3 -fmad=false -ftz=true -Iinclude -Isrc -Xcompiler -fPIC,-fvisibility=hidden,-O2 \
	    $(NVCCFLAGS) -c $< -o $@
