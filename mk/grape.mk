# libkyoho_g6 and libkyoho_g5, static and shared: the calls of the GRAPE-6 and GRAPE-5 libraries, and all of libkyoho with
# them, so that one file takes the place of -lg6 or -lpg5. The shared ones export these calls alone.
GRAPE_SOURCES := $(wildcard src/grape/*.c)
GRAPE_OBJECTS := $(GRAPE_SOURCES:%.c=$(BUILD)/%.o)
GRAPE_COMMON  := $(filter-out %/grape6.o %/grape5.o,$(GRAPE_OBJECTS))
GRAPES        := g6 g5
GRAPE_STATIC  := $(GRAPES:%=$(BUILD)/libkyoho_%.a)
GRAPE_SHARED  := $(GRAPES:%=$(BUILD)/$(call shared,kyoho_%,$(VERSION)))
LIBRARIES     += $(GRAPE_STATIC) $(GRAPE_SHARED)

$(GRAPE_STATIC): $(BUILD)/libkyoho_g%.a: $(BUILD)/src/grape/grape%.o $(GRAPE_COMMON) $(LIBRARY_OBJECTS)
	$(archive)

$(GRAPE_SHARED): $(BUILD)/$(call shared,kyoho_g%,$(VERSION)): $(BUILD)/src/grape/grape%.o $(GRAPE_COMMON) $(STATIC)
	$(CC) $(call shared_flags,$(call shared,kyoho_g$*,$(SOVERSION))) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho_g$*,$(SOVERSION))
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho_g$*)

-include $(GRAPE_OBJECTS:.o=.d)
