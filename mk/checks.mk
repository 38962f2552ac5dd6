# What looks at the sources and at special builds: layout, another compiler's warnings, sanitizers.
C_FILES := $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c src/*/*/*/*/*.c tests/unit/*.c examples/*.c examples/*/*.c bench/*.c bench/unroll/*.c amuse/*.c)
H_FILES := $(wildcard include/kyoho/*.h src/*/*.h src/*/*/*.h src/*/*/*/*.h src/*/*/*/*/*.h tests/unit/*.h bench/unroll/*.h amuse/*.h)

CU_FILES := $(wildcard src/engine/device/driver/cuda/*.cu bench/unroll/*.cu tests/cuda/*.h tests/cuda/*.cpp)
K_FILES := $(wildcard src/engine/device/kernels/*/*.k bench/unroll/*.k)

# A kernel's file is laid out as C, which its name does not tell. `make layout` names the files that `make format` would
# change, of all or of those in LAYOUT_OF; other releases of clang-format than 14 lay out a few lines in another way.
LAYOUT_OF ?= %
FORMAT_KERNEL := clang-format --assume-filename=kernel.c
.PHONY: format layout syntax
format:
	clang-format -i $(C_FILES) $(H_FILES) $(CU_FILES)
	@mkdir -p $(BUILD)
	@for file in $(K_FILES); do $(FORMAT_KERNEL) < $$file > $(BUILD)/format.k && \
	    { cmp -s $(BUILD)/format.k $$file || cp $(BUILD)/format.k $$file; }; done
layout:
	@bad=0; clang-format --dry-run -Werror $(filter $(LAYOUT_OF),$(C_FILES) $(H_FILES) $(CU_FILES)) </dev/null || bad=1; \
	for file in $(filter $(LAYOUT_OF),$(K_FILES)); do $(FORMAT_KERNEL) < $$file | cmp -s - $$file || { echo "$$file: not as make format lays it out"; bad=1; }; \
	done; exit $$bad

# `make CC=clang syntax` reads every source with the usual warnings as errors and makes no code. In tests and benchmarks, NAN and
# INFINITY, which are floats to clang, may stand where a double is wanted.
SYNTAX_SOURCES := $(LIBRARY_SOURCES) $(DRAW_SOURCES) $(GRAPE_SOURCES) $(wildcard src/command/*.c examples/*.c examples/*/*.c bench/*.c) \
                  $(if $(filter-out no,$(CMOCKA)),$(wildcard tests/unit/*.c))
syntax: $(SYNTAX_SOURCES:%=$(BUILD)/%.read) $(foreach isa,$(ISAS),$(LANE_SOURCES:%=$(BUILD)/%.$(isa).read))

$(BUILD)/%.c.read: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Itests/unit -Werror $(if $(filter tests/% bench/%,$<),-Wno-double-promotion) -fsyntax-only $<
	@touch $@

define lane_syntax_rule
$$(BUILD)/%.c.$(1).read: %.c $$(FLAGS_FILE)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_ALL) $$(ISA_FLAGS_$(1)) -Werror -fsyntax-only $$<
	@touch $$@
endef
$(foreach isa,$(ISAS),$(eval $(call lane_syntax_rule,$(isa))))

# Builds that find stray accesses and undefined behaviour (address: unit tests, fuzzers and the command), or data races
# (thread: unit tests, over our own threads, src/base/team.c), with the unit tests that SANITIZED names. Each in a folder of
# its own; -w: warnings are looked for elsewhere, and the sanitizers bring false ones. The lanes of several instruction sets are
# one source, whose compilation takes most of the time: the sanitizers look at plain C and at the widest vectors, whose reads reach
# farthest (memcheck, which does not know AVX-512, at AVX2). `check-long` looks at the widest ones for stray accesses alone, and
# compiles plain C beside them without a sanitizer; in the tests' own code it does not look for undefined behaviour. Threads meet
# outside of lanes: for data races `check-long` leaves them out, and OpenCL.
IN_LONG          := $(if $(KYOHO_TEST_ALL),,yes)
LANES_IN_LONG     = $(if $(filter plain,$(BEST_ISA)),,ISA_FLAGS_plain='$(ISA_FLAGS_plain) -fno-sanitize=all' \
                    ISA_FLAGS_$(BEST_ISA)='$(ISA_FLAGS_$(BEST_ISA)) -fno-sanitize=undefined')
SANITIZE_address  = CUDA=no ISAS='$(sort plain $(BEST_ISA))' $(if $(IN_LONG),$(LANES_IN_LONG) TEST_FLAGS=-fno-sanitize=undefined) CC='$(CC)' \
                    CFLAGS='-w -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' LDFLAGS='-fsanitize=address,undefined'
SANITIZE_thread   = CUDA=no $(if $(IN_LONG),OPENCL=no ISA_FLAGS_plain='$(ISA_FLAGS_plain) -fno-sanitize=all') ISAS=plain CC='$(CC)' TEAM=yes \
                    CFLAGS='-w -fsanitize=thread' LDFLAGS=-fsanitize=thread
GOALS_address    := sanitized fuzzers $(BUILD)/address/kyoho
GOALS_thread     := sanitized
SANITIZED        := $(notdir $(UNIT_TESTS))

.PHONY: sanitize-address sanitize-thread sanitized
sanitized: $(if $(filter-out no,$(CMOCKA)),$(filter $(SANITIZED:%=$(BUILD)/tests/unit/%),$(UNIT_TESTS)))
sanitize-address sanitize-thread: sanitize-%:
	$(MAKE) BUILD='$(BUILD)/$*' OPT=-O1 $(SANITIZE_$*) $(GOALS_$*)

# Every library that this build links is in NOTICE, with its licence.
.PHONY: licences
licences: all
	mk/licences $(filter -l%,$(subst $(comma), ,$(BOTH_LIBS))) $(SHARED) $(DRAW_SHARED) $(GRAPE_SHARED) $(COMMAND)
