# Plug-ins for MPI, one for each mpicc of MPICC: `make plugs MPICC='/one/mpicc /other/mpicc'`. Without MPICC the one of PATH is
# taken, if it compiles for the same processors as CC. They come into $(BUILD)/mpi and leave those there that MPICC does not
# name, so that `sudo make install`, whose PATH may have no mpicc, installs what was built. MPICC=no builds and installs none.
MPICC_HERE  := $(if $(DARWIN),,$(shell command -v mpicc))
first_word   = $(firstword $(subst -, ,$(1)))
MPICC      ?= $(if $(MPICC_HERE),$(if $(filter $(call first_word,$(MACHINE)),$(call first_word,$(shell $(MPICC_HERE) -dumpmachine 2>/dev/null))),$(MPICC_HERE)))
PLUGS       := $(if $(filter-out no,$(MPICC)),$(BUILD)/mpi/made)
MPI_FLAGS_TEXT := $(strip $(MPICC))

$(eval $(call flags_rule,$(BUILD)/flags-mpi,MPI_FLAGS_TEXT))
ifneq ($(PLUGS),)
$(PLUGS): src/domain/mpi/plug.c src/domain/plug.h src/domain/plugs.h mk/make-plugs $(BUILD)/flags-mpi
	mk/make-plugs $(@D) $(MPICC)
	@touch $@
endif

.PHONY: plugs
plugs: $(PLUGS)
	$(if $(PLUGS),,@echo "no plug-in for MPI is built: $(if $(DARWIN),there are none for macOS,$(if $(MPICC),MPICC=$(MPICC),no mpicc is in PATH; name one by MPICC=/folder/mpicc))")
