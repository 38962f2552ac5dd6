# Which libraries and compilers are there. Each feature can be switched off: `make HDF5=no`.
# A feature adds -DKY_HAVE_… and its flags; src/base/features.c tells the user.

MACHINE := $(shell $(CC) -dumpmachine)
# macOS: other names of libraries, another linker.
DARWIN  := $(findstring darwin,$(subst macos,darwin,$(MACHINE)))

PKG_CONFIG ?= pkg-config
have_package = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes)
comma := ,
links        = $(shell printf '%s\n' '$(subst ','\'',$(1))' | $(CC) -x c - -o /dev/null $(2) 2>/dev/null && echo yes)

# HDF5: the serial build first, since `hdf5` is the MPI one when both are installed.
HDF5 ?= $(if $(call have_package,hdf5-serial),hdf5-serial,$(if $(call have_package,hdf5),hdf5,no))
PNG  ?= $(if $(call have_package,libpng),libpng,no)
CAIRO ?= $(if $(call have_package,cairo),cairo,no)
CMOCKA ?= $(if $(call have_package,cmocka),cmocka,no)
OPENMP ?= $(if $(call links,int main(void){return 0;},-include omp.h -fopenmp),yes,no)
# `?=` would ask the compiler and pkg-config anew at each use, which took two thirds of the time in which make reads its files.
# The origin of what the user has given stays (switched_off).
ask_once = $(foreach name,$(1),$(if $(filter file,$(origin $(name))),$(eval $(name) := $($(name)))))
$(call ask_once,HDF5 PNG CAIRO CMOCKA OPENMP)

# PARTS=static: HDF5, libpng, zlib and the C++ library of CUDA's kernels become parts of the libraries, for a package that runs on
# systems without them (`make wheel`). Their archives have to be compiled with -fPIC, as packaging/static-parts does.
PARTS            ?= shared
of_parts          = $(if $(filter static,$(PARTS)),-Wl$(comma)-Bstatic $(1) -Wl$(comma)-Bdynamic,$(2))
libs_of           = $(shell $(PKG_CONFIG) --libs $(1))

# OpenCL: headers; the loader is opened by the program (src/base/opened.h). CUDA: nvcc, wherever its installer puts it.
OPENCL ?= $(if $(call links,int main(void){return 0;},-DCL_TARGET_OPENCL_VERSION=120 -include CL/cl.h),yes,no)
NVCC   ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA   ?= $(if $(NVCC),yes,no)
$(call ask_once,OPENCL NVCC CUDA)
# The folders of drivers that are compiled; src/base/drivers.h has a row for each.
# CUDA=host compiles its kernels for this machine's processor (tests/cuda), for tests without a GPU.
DRIVERS := $(if $(filter yes,$(OPENCL)),opencl) $(if $(filter yes host,$(CUDA)),cuda)
CUDA_HEADERS = $(if $(filter host,$(CUDA)),-DKY_CUDA_ON_HOST -Itests/cuda,-isystem $(CUDA_HOME)/include)
ifeq ($(CUDA),host)
CUDA_LIBS  := -lstdc++
endif
ifeq ($(CUDA),yes)
# Machine code for these, as far as this nvcc knows them, and PTX of the last for later ones; `ptx`: PTX of the first
# alone, from which a driver makes the code of its card when it first runs. CUDA_ARCHS=90 is quicker while one develops.
CUDA_ALL   := 75 80 86 89 90
CUDA_ARCHS ?= $(CUDA_ALL)
CUDA_KNOWN := $(shell $(NVCC) --list-gpu-code 2>/dev/null)
CUDA_USED  := $(foreach arch,$(CUDA_ARCHS),$(if $(filter sm_$(arch),$(CUDA_KNOWN)),$(arch)))
CUDA_FIRST := $(firstword $(foreach arch,$(CUDA_ALL),$(if $(filter sm_$(arch),$(CUDA_KNOWN)),$(arch))))
CUDA_PTX   := $(if $(filter ptx,$(CUDA_ARCHS)),$(CUDA_FIRST),$(lastword $(CUDA_USED)))
CUDA_CODE  := $(foreach arch,$(CUDA_USED),-gencode arch=compute_$(arch),code=sm_$(arch)) \
              -gencode arch=compute_$(CUDA_PTX),code=compute_$(CUDA_PTX)
CUDA_HOME  := $(abspath $(dir $(shell readlink -f $(NVCC)))..)
CUDA_LIBS  := $(addprefix -L,$(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/lib)) -lcudart_static $(call of_parts,-lstdc++,-lstdc++) -lrt -lpthread -ldl
endif

FEATURE_PACKAGES := $(filter-out no,$(HDF5))
FEATURE_DEFINES  := $(if $(filter-out no,$(HDF5)),-DKY_HAVE_HDF5) \
                    $(if $(filter yes,$(OPENMP)),-DKY_HAVE_OPENMP) \
                    $(if $(filter yes,$(OPENCL)),-DKY_HAVE_OPENCL)
# What the user, not the machine, has switched off: its origin is not a file.
switched_off = $(if $(filter no,$($(1))),$(if $(filter file default,$(origin $(1))),,-DKY_OFF_$(1)))
FEATURE_DEFINES  += $(foreach feature,HDF5 OPENMP OPENCL,$(call switched_off,$(feature)))
FEATURE_CFLAGS   := $(if $(FEATURE_PACKAGES),$(shell $(PKG_CONFIG) --cflags $(FEATURE_PACKAGES)))
FEATURE_LIBS     := $(if $(FEATURE_PACKAGES),$(call of_parts,$(filter -L% -lhdf5 -lz,$(call libs_of,$(FEATURE_PACKAGES))),$(call libs_of,$(FEATURE_PACKAGES))))
# Of the few sources that know of CUDA (flags.mk): with it or without, the others stay as they are.
CUDA_DEFINES     := $(if $(filter yes host,$(CUDA)),-DKY_HAVE_CUDA $(CUDA_HEADERS)) $(call switched_off,CUDA)
# Of libkyoho_draw alone.
DRAW_PACKAGES    := $(filter-out no,$(PNG) $(CAIRO))
DRAW_DEFINES     := $(if $(filter-out no,$(PNG)),-DKY_HAVE_PNG) $(if $(filter-out no,$(CAIRO)),-DKY_HAVE_CAIRO) \
                    $(if $(DRAW_PACKAGES),$(shell $(PKG_CONFIG) --cflags $(DRAW_PACKAGES))) $(foreach feature,PNG CAIRO,$(call switched_off,$(feature)))
# cairo is opened by the program (src/base/opened.h).
DRAW_LIBS        := $(if $(filter-out no,$(PNG)),$(call of_parts,$(filter -L% -lpng%,$(call libs_of,$(PNG))) -lz,$(call libs_of,$(PNG))))
# Without threads the loops keep their lanes, and the other pragmas are passed over in silence.
OPENMP_FLAG      := $(if $(filter yes,$(OPENMP)),-fopenmp,$(if $(call links,int main(void){return 0;},-fopenmp-simd),-fopenmp-simd) -Wno-unknown-pragmas)
CLANG            := $(shell $(CC) -dM -E -x c /dev/null | grep __clang__)
# With gcc the library's own threads do the loops (src/base/team.h); clang has other names for what its loops call, and
# -flto loses the names that the assembler is told. macOS has no semaphores without a name.
TEAM             ?= $(if $(filter yes,$(OPENMP)),$(if $(DARWIN)$(filter -flto%,$(CC) $(OPT) $(CFLAGS))$(CLANG),no,yes),no)
TEAM_FLAG        := $(if $(filter yes,$(TEAM)),-include src/base/team.h -DKY_HAVE_TEAM)
OPENMP_LINK      := $(if $(filter yes,$(TEAM)),-pthread,$(OPENMP_FLAG) -pthread)
# For programs that link an archive of clang: gcc and gfortran find LLVM's OpenMP by the name of its library alone.
OPENMP_ARCHIVE   := $(if $(DARWIN),,$(if $(and $(CLANG),$(filter yes,$(OPENMP))),$(shell made=$$(mktemp) && \
                    printf 'int main(void) { return omp_get_max_threads(); }' | $(CC) -x c -include omp.h -fopenmp -o $$made - && \
                    readelf -d $$made | sed -n 's/.*(NEEDED).*\[\(libomp[^]]*\)\].*/-l:\1 -pthread/p'; rm -f $$made)))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes -Wno-enum-float-conversion
# -ffp-contract=off: the same bits from every compiler; fma is written where it is meant.
# -fno-math-errno: without it sqrt does not vectorise.
CFLAGS_ALL = -std=c11 -D_POSIX_C_SOURCE=200809L $(if $(DARWIN),-D_DARWIN_C_SOURCE) $(OPT) $(DEBUG) $(WARNINGS) -ffp-contract=off -fno-math-errno -fvisibility=hidden \
             $(OPENMP_FLAG) $(TEAM_FLAG) -Iinclude -Isrc $(FEATURE_DEFINES) $(FEATURE_CFLAGS) $(CFLAGS)
# Libraries are opened by functions that glibc before 2.34 has in a library of their own.
DL_LIBS   := $(if $(call links,int main(void){return !dlsym(dlopen(0$(comma)RTLD_NOW)$(comma)"main");},-include dlfcn.h),,-ldl)
LIBS_ALL   = $(FEATURE_LIBS) $(CUDA_LIBS) $(DL_LIBS) -lm

.PHONY: info
info:
	@echo 'compiler  $(CC) ($(shell $(CC) --version | head -n 1))'
	@echo 'flags     $(OPT) $(DEBUG) $(OPENMP_FLAG)'
	@echo 'isa       $(ISAS)'
	@echo 'HDF5      $(HDF5)$(if $(filter no,$(HDF5)), - snapshots are TIPSY; install libhdf5-dev)'
	@echo 'PNG       $(PNG)$(if $(filter no,$(PNG)), - no pictures; install libpng-dev)'
	@echo 'cairo     $(CAIRO)$(if $(filter no,$(CAIRO)), - letters in pictures are coarse and there is no PDF or SVG; install libcairo2-dev)'
	@echo 'OpenMP    $(OPENMP)$(if $(filter no,$(OPENMP)), - one thread)'
	@echo 'OpenCL    $(OPENCL)$(if $(filter no,$(OPENCL)), - no OpenCL devices; install opencl-headers)'
	@echo 'CUDA      $(CUDA)$(if $(filter yes,$(CUDA)), ($(NVCC); $(filter ptx,$(CUDA_ARCHS)) $(CUDA_USED)),$(if $(filter host,$(CUDA)), - kernels for this processor$(comma) for tests, - no CUDA devices; install the CUDA toolkit))'
	@echo 'cmocka    $(CMOCKA)$(if $(filter no,$(CMOCKA)), - no unit tests; install libcmocka-dev)'
