# Kyoho: `make`, `make check`, `make install DESTDIR= PREFIX=`, `make info`, `make help`.
# What the machine offers is found by mk/detect.mk; lists of sources are the folders themselves.

BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
OPT    ?= -O3
# Names and lines for traces of the stack; DEBUG=-g adds variables, and a sixth to the time of gcc. valgrind 3.19 does not read
# the DWARF 5 of clang 14.
DEBUG  ?= -g1$(if $(CLANG), -gdwarf-4)

# One name for a folder below this one, however it is written: names of targets stand in the files of dependences.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))

.DEFAULT_GOAL := all

include mk/detect.mk
include mk/isa.mk
include mk/flags.mk
include mk/library.mk
include mk/draw.mk
include mk/grape.mk
include mk/command.mk
include mk/tests.mk
include mk/bench.mk
include mk/fuzz.mk
include mk/checks.mk
include mk/install.mk
include mk/python.mk

.PHONY: all here isas clean help
all: $(LIBRARIES) $(COMMAND)

# The command with the instructions of this machine alone, in half the time. `isas` names them.
here:
	$(MAKE) ISAS='$(sort plain $(BEST_ISA))' $(COMMAND)
isas:
	@echo '$(sort plain $(BEST_ISA))'

clean:
	rm -rf $(BUILD)

help:
	@echo 'make                     the library and the command in $(BUILD)/'
	@echo 'make check               every test but the long ones, each with a part of its cases: 630 to 1,560 s of processor time'
	@echo 'make check-long          the tests that tests/times calls long: sanitizers, oclgrind, large systems, equilibria'
	@echo 'make check-all           both with every case; then tests under a hostile allocator and under valgrind: hours; resumes after an interruption'
	@echo 'make install [DESTDIR= PREFIX=]'
	@echo 'make info                compiler, features and how to get those that are missing'
	@echo 'make docs                the man page and docs/options.md, from the program'
	@echo 'make site                the documents as a site with search in $(BUILD)/site, by mkdocs'
	@echo 'make wheel               the Python package for all systems whose C library is not older than the one here, in $(BUILD)/wheel'
	@echo 'make licences            the libraries that the build links, with the licences of NOTICE'
	@echo 'make bench               the programs behind docs/results.md and docs/lab'
	@echo 'make format              lay out the sources with clang-format; make layout names those that are not'
	@echo 'make clean'
	@echo 'Variables: CC OPT DEBUG BUILD PREFIX; HDF5=no PNG=no CAIRO=no OPENMP=no OPENCL=no CUDA=no build without a library.'
	@echo '           CUDA=host compiles the kernels for this processor, for tests (tests/README.md).'
	@echo 'PARTS=static makes HDF5, libpng and zlib parts of the libraries.'
