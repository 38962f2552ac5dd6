# A change of flags or features rebuilds: objects depend on a file that holds their flags. It is made anew only where it
# differs, and by a rule, so that `make -n` and `make clean` write nothing. What has to do with CUDA, pictures or ISAS, each
# instruction set and the tests have files of their own: CUDA=no, CAIRO=no, or `make` after `make here` leave the rest as it is.
FLAGS_FILE := $(BUILD)/flags
CUDA_FLAGS_FILE := $(BUILD)/flags-cuda
DRAW_FLAGS_FILE := $(BUILD)/flags-draw
ISA_FLAGS_FILE := $(BUILD)/flags-isa

quote = '$(subst ','\'',$(1))'
differs = $(shell [ "$$(cat $(call quote,$(1)) 2>&1)" = $(call quote,$(2)) ] || echo yes)
define flags_rule
$(1): $(if $(call differs,$(1),$($(2))),changed)
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$$($(2))) > $$@
endef

FLAGS_TEXT := $(strip $(CC) $(CFLAGS_ALL) $(FEATURE_LIBS))
ISA_FLAGS_TEXT := $(strip $(ISAS))
CUDA_FLAGS_TEXT := $(strip $(NVCC) $(CUDA_CODE) $(NVCCFLAGS) $(CUDA_DEFINES) $(CUDA_LIBS))
DRAW_FLAGS_TEXT := $(strip $(DRAW_DEFINES) $(DRAW_LIBS))
.PHONY: changed
$(eval $(call flags_rule,$(FLAGS_FILE),FLAGS_TEXT))
$(eval $(call flags_rule,$(CUDA_FLAGS_FILE),CUDA_FLAGS_TEXT))
$(eval $(call flags_rule,$(DRAW_FLAGS_FILE),DRAW_FLAGS_TEXT))
$(eval $(call flags_rule,$(ISA_FLAGS_FILE),ISA_FLAGS_TEXT))
$(foreach isa,$(ISAS),$(eval $(call flags_rule,$(BUILD)/flags-$(isa),ISA_FLAGS_$(isa))))
$(eval $(call flags_rule,$(BUILD)/flags-tests,TEST_FLAGS))

# The one source that knows which instruction sets there are.
$(BUILD)/src/engine/cpu/state/isa.o: $(ISA_FLAGS_FILE)

# The sources that know of CUDA.
CUDA_SOURCES := $(wildcard src/engine/device/driver/cuda/*.c) $(shell grep -ls drivers.h src/*/*.c src/*/*/*.c src/*/*/*/*.c tests/unit/*.c)
CUDA_OBJECTS := $(CUDA_SOURCES:%.c=$(BUILD)/%.o) $(CUDA_SOURCES:%=$(BUILD)/%.read)
$(CUDA_OBJECTS): CFLAGS_ALL += $(CUDA_DEFINES)
$(CUDA_OBJECTS): $(CUDA_FLAGS_FILE)

# The sources that know of libpng and cairo.
DRAW_USERS := src/draw/library.c src/draw/png.c src/draw/cairo.c tests/unit/draw.c
DRAW_USER_OBJECTS := $(DRAW_USERS:%.c=$(BUILD)/%.o) $(DRAW_USERS:%=$(BUILD)/%.read)
$(DRAW_USER_OBJECTS): CFLAGS_ALL += $(DRAW_DEFINES)
$(DRAW_USER_OBJECTS): $(DRAW_FLAGS_FILE)
