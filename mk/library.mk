# libkyoho: every source below src/ but src/command, src/grape, src/draw and src/view, static and shared. Files in a folder named `lanes` are
# compiled once for each instruction set.
VERSION := $(shell sed -n 's/^.define KY_VERSION_[A-Z]* \([0-9]*\)$$/\1/p' include/kyoho/kyoho.h | paste -sd .)
SOVERSION := $(word 1,$(subst ., ,$(VERSION)))

# $(call shared,NAME,VERSION): the file name of a shared library; without VERSION the one that a linker looks for.
shared = lib$(1)$(if $(DARWIN),$(if $(2),.$(2)).dylib,.so$(if $(2),.$(2)))
# The name by which programs then load it, and no symbol of the static libraries in it. It is never unloaded: threads may be in it.
shared_flags = -shared $(if $(DARWIN),-Wl$(comma)-install_name$(comma)@rpath/$(1),-Wl$(comma)-soname$(comma)$(1) -Wl$(comma)--exclude-libs$(comma)ALL -Wl$(comma)-z$(comma)nodelete)

# A folder, and its rooms, with the patterns of files.
ROOMS := driver state tree ranks forces steps board
rooms_of = $(foreach pattern,$(2),$(1)/$(pattern) $(ROOMS:%=$(1)/%/$(pattern)))

LANE_SOURCES    := $(wildcard src/engine/cpu/lanes/*.c)
LIBRARY_SOURCES := $(filter-out src/command/% src/grape/% src/draw/% src/view/% $(if $(DARWIN),src/base/team.c),$(wildcard src/*/*.c src/engine/common/*.c $(call rooms_of,src/engine/cpu,*.c)))

# $(call embed,TABLE,HEADER,FILES): writes the C source of a table of struct ky_embedded, which HEADER declares, with the
# bytes of the files. As text they would have trigraphs, and be longer than compilers promise to take.
define embed
@mkdir -p $(@D)
@{ echo '/* Made by mk/library.mk. */'; echo '#include "$(2)"'; k=0; \
for file in $(3); do echo "static const unsigned char text_$$k[] = {"; \
    od -An -v -tu1 $$file | sed 's/\([0-9][0-9]*\)/\1,/g'; echo '};'; k=$$((k + 1)); done; \
echo 'const struct ky_embedded $(1)[] = {'; k=0; \
for file in $(3); do echo "{\"$${file#src/}\", text_$$k, sizeof text_$$k},"; k=$$((k + 1)); done; \
echo '};'; echo 'const size_t $(1)_count = sizeof $(1) / sizeof *$(1);'; } > $@
endef

include mk/device.mk

LIBRARY_OBJECTS := $(DEVICE_OBJECTS) $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o) \
                   $(foreach isa,$(ISAS),$(LANE_SOURCES:%.c=$(BUILD)/%.$(isa).o))
STATIC := $(BUILD)/libkyoho.a
SHARED := $(BUILD)/$(call shared,kyoho,$(VERSION))
LIBRARIES := $(STATIC) $(SHARED)

# These have no loops for threads. With -O3 gcc takes twice as long for them, and they are no faster than when their short loops
# alone are unrolled (docs/decisions/cpu-engine.md). clang has no such flag.
LANE_OPT := $(if $(CLANG),$(OPT),$(OPT:-O3=-O2 -fpeel-loops))
define lane_rule
$$(BUILD)/%.$(1).o: TEAM_FLAG :=
$$(BUILD)/%.$(1).o: OPT := $$(LANE_OPT)
$$(BUILD)/%.$(1).o: %.c $$(FLAGS_FILE) $$(BUILD)/flags-$(1)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_ALL) -fPIC -MMD -MP $$(ISA_FLAGS_$(1)) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call lane_rule,$(isa))))

$(BUILD)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -MMD -MP -c $< -o $@

# It asks for OpenMP's own functions, which in the others are those of this file.
$(BUILD)/src/base/team.o: TEAM_FLAG :=

# Members have their paths for names: no two are alike, and `ar x` loses none.
define archive
rm -rf $@ $@.members && mkdir $@.members
@$(foreach o,$^,ln -s $(abspath $(o)) $@.members/$(subst /,_,$(o:$(BUILD)/%=%)) &&) true
$(AR) rcs $@ $@.members/*.o
rm -rf $@.members
endef

$(STATIC): $(LIBRARY_OBJECTS)
	$(archive)

$(SHARED): $(LIBRARY_OBJECTS)
	$(CC) $(call shared_flags,$(call shared,kyoho,$(SOVERSION))) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho,$(SOVERSION))
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho)

-include $(LIBRARY_OBJECTS:.o=.d)
