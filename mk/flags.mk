# A change of flags or features rebuilds: objects depend on a file that holds their flags. It is made anew only where it
# differs, and by a rule, so that `make -n` and `make clean` write nothing. Flags of nvcc have a file of their own:
# other CUDA_ARCHS leave the rest as it is.
FLAGS_FILE := $(BUILD)/flags
CUDA_FLAGS_FILE := $(BUILD)/flags-cuda

quote = '$(subst ','\'',$(1))'
differs = $(shell [ "$$(cat $(call quote,$(1)) 2>&1)" = $(call quote,$(2)) ] || echo yes)
define flags_rule
$(1): $(if $(call differs,$(1),$($(2))),changed)
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$$($(2))) > $$@
endef

FLAGS_TEXT := $(strip $(CC) $(CFLAGS_ALL) $(LIBS_ALL) $(ISAS))
CUDA_FLAGS_TEXT := $(strip $(NVCC) $(CUDA_CODE) $(NVCCFLAGS))
.PHONY: changed
$(eval $(call flags_rule,$(FLAGS_FILE),FLAGS_TEXT))
$(eval $(call flags_rule,$(CUDA_FLAGS_FILE),CUDA_FLAGS_TEXT))
