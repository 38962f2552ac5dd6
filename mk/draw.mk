# libkyoho_draw, static and shared: pictures, films, plots (src/draw) and the view in a browser (src/view), with the page of
# the view as bytes.
DRAW_SOURCES := $(wildcard src/draw/*.c src/view/*.c)
PAGE := src/view/page.css src/view/page.html src/view/page.js
$(BUILD)/page.c: $(PAGE) mk/library.mk mk/draw.mk
	$(call embed,ky_page,view/page.h,$(PAGE))
$(BUILD)/page.o: $(BUILD)/page.c $(FLAGS_FILE)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@

DRAW_OBJECTS := $(BUILD)/page.o $(DRAW_SOURCES:%.c=$(BUILD)/%.o)
DRAW_STATIC  := $(BUILD)/libkyoho_draw.a
DRAW_SHARED  := $(BUILD)/$(call shared,kyoho_draw,$(VERSION))
LIBRARIES    += $(DRAW_STATIC) $(DRAW_SHARED)

$(DRAW_STATIC): $(DRAW_OBJECTS)
	$(archive)

# The loader finds the other library beside this one. `make BESIDE=` leaves that to the system.
BESIDE ?= -Wl,-rpath,$(if $(DARWIN),@loader_path,'$$ORIGIN')
# The shared libkyoho has its public calls and the threads of loops; functions of src/base without a state come from the
# static one.
$(DRAW_SHARED): $(DRAW_OBJECTS) $(SHARED) $(STATIC)
	$(CC) $(call shared_flags,$(call shared,kyoho_draw,$(SOVERSION))) $(BESIDE) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(DRAW_LIBS) -lm
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho_draw,$(SOVERSION))
	ln -sf $(@F) $(BUILD)/$(call shared,kyoho_draw)

# What a program needs that is linked with both static libraries.
BOTH_STATIC = $(DRAW_STATIC) $(STATIC)
BOTH_LIBS   = $(DRAW_LIBS) $(LIBS_ALL)

-include $(DRAW_OBJECTS:.o=.d)
