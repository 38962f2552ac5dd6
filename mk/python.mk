# What the Python package takes from here (python/hatch_build.py): the libraries, without FFTW, whose licence is the GPL, the command
# linked with them, the worker for AMUSE (docs/amuse.md), plug-ins for MPI, and the declarations of the headers. They are stripped, and
# `pip install .` copies them.
PYTHON_LIBRARY := $(BUILD)/python/libkyoho.so.$(SOVERSION)
PYTHON_DRAW    := $(BUILD)/python/libkyoho_draw.so.$(SOVERSION)
PYTHON_COMMAND := $(BUILD)/python/bin/kyoho
PYTHON_WORKER  := $(BUILD)/python/amuse/kyoho_sockets_worker
PYTHON_HEADER  := $(BUILD)/python/kyoho.i

# The sources that know of FFTW are compiled once more.
FREE_SOURCES := src/base/features.c src/models/fourier.c
FREE_OBJECTS := $(FREE_SOURCES:%.c=$(BUILD)/python/%.o)
FREE_LIBS     = $(filter-out -lfftw3,$(LIBS_ALL))
$(FREE_OBJECTS): CFLAGS_ALL := $(filter-out -DKY_HAVE_FFTW,$(CFLAGS_ALL)) -DKY_OFF_FFTW $(CUDA_DEFINES)
$(FREE_OBJECTS): $(CUDA_FLAGS_FILE)
$(FREE_OBJECTS): $(BUILD)/python/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -MMD -MP -c $< -o $@

$(PYTHON_LIBRARY): $(filter-out $(FREE_SOURCES:%.c=$(BUILD)/%.o),$(LIBRARY_OBJECTS)) $(FREE_OBJECTS)
	$(CC) -shared -s -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,nodelete $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(FREE_LIBS)

$(PYTHON_DRAW): $(DRAW_OBJECTS) $(PYTHON_LIBRARY) $(STATIC)
	$(CC) -shared -s -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN' $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(DRAW_LIBS) -lm

# The shared libraries have what the headers declare; the static one gives the rest, functions of src/base.
$(PYTHON_COMMAND): $(COMMAND_OBJECTS) $(PYTHON_DRAW) $(PYTHON_LIBRARY) $(STATIC)
	@mkdir -p $(@D)
	$(CC) -s $(OPENMP_LINK) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $^ $(FREE_LIBS)

# Whatever the library needs, the worker finds through it.
WORKER_SOURCES := $(wildcard amuse/*.c)
WORKER_OBJECTS := $(WORKER_SOURCES:%.c=$(BUILD)/python/%.o)
$(WORKER_OBJECTS): $(BUILD)/python/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(PYTHON_WORKER): $(WORKER_OBJECTS) $(PYTHON_LIBRARY)
	$(CC) -s -pthread $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $^ -lm

$(PYTHON_HEADER): $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -E -P '-D__attribute__(x)=' -Iinclude -o $@ -x c include/kyoho/draw.h

.PHONY: python-parts
python-parts: $(PLUGS) $(PYTHON_LIBRARY) $(PYTHON_DRAW) $(PYTHON_COMMAND) $(PYTHON_WORKER) $(PYTHON_HEADER)

-include $(FREE_OBJECTS:.o=.d) $(WORKER_OBJECTS:.o=.d)
