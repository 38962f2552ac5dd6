# The device engine (src/engine/device): the drivers that this machine can build, and the kernels' sources as
# bytes in the library, which OpenCL compiles at run time.
DEVICE_SOURCES := $(if $(strip $(DRIVERS)),$(wildcard $(call rooms_of,src/engine/device,*.c))) \
                  $(wildcard $(patsubst %,src/engine/device/driver/%/*.c,$(DRIVERS)))
LIBRARY_SOURCES += $(DEVICE_SOURCES)
CUDA_KERNELS    := $(wildcard src/engine/device/driver/cuda/*.cu)
DEVICE_OBJECTS  := $(if $(filter yes,$(CUDA)),$(CUDA_KERNELS:%=$(BUILD)/%.o)) \
                   $(if $(filter host,$(CUDA)),$(patsubst %,$(BUILD)/%.o,$(filter-out %/sort.cu,$(CUDA_KERNELS)) $(wildcard tests/cuda/*.cpp))) \
                   $(if $(filter yes,$(OPENCL)),$(BUILD)/embedded.o)

EMBEDDED := $(sort $(wildcard $(call rooms_of,src/engine/device/kernels,*.k *.h) src/octree/layout.h src/octree/cell_moments.h $(addprefix src/few/,shape.h state.h stages.h system.h pairs.h tree.h slow.h clock.h energy.h finish.h contact.h system_columns.h) src/physics/*.h src/physics/actions/*.h))
$(BUILD)/embedded.c: $(EMBEDDED) mk/device.mk mk/library.mk
	$(call embed,ky_embedded,engine/device/driver/embedded.h,$(EMBEDDED))
$(BUILD)/embedded.o: $(BUILD)/embedded.c $(FLAGS_FILE)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@

ifeq ($(CUDA),host)
# As written, without contraction. With the SLP vectoriser of gcc 12, which -O2 switches on, forces of fmm are wrong where
# bodies are far away.
HOST_CUDA = $(CXX) -std=c++17 -O1 -march=native $(DEBUG) -Wall -Wno-unused-function -Wno-unknown-pragmas -ffp-contract=off -fno-strict-aliasing -fPIC -fvisibility=hidden -Iinclude -Isrc $(CUDA_DEFINES) $(TEST_FLAGS)
$(BUILD)/%.cu.o: %.cu $(wildcard src/engine/device/driver/cuda/*.h tests/cuda/*.h) $(EMBEDDED) $(CUDA_FLAGS_FILE)
	@mkdir -p $(@D)
	$(HOST_CUDA) -x c++ -include tests/cuda/kernels.h -c $< -o $@
$(BUILD)/%.cpp.o: %.cpp $(wildcard src/engine/device/driver/cuda/*.h tests/cuda/*.h) $(CUDA_FLAGS_FILE)
	@mkdir -p $(@D)
	$(HOST_CUDA) -c $< -o $@
else
# -fmad=false: fma is written where it is meant. -ftz: the root's estimate without detours for denormals, which the
# engine's units keep away.
$(BUILD)/%.cu.o: %.cu $(wildcard src/engine/device/driver/cuda/*.h) $(EMBEDDED) $(CUDA_FLAGS_FILE)
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 $(CUDA_CODE) -O3 -fmad=false -ftz=true -Iinclude -Isrc -Xcompiler -fPIC,-fvisibility=hidden,-O2 \
	    $(NVCCFLAGS) -c $< -o $@
endif
