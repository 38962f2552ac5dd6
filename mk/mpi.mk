# Plug-ins for MPI (src/domain/plug.h), one for each mpicc of MPICC. Its name follows from the library that it needs.
MPICC   ?= $(shell command -v mpicc)
PLUGS   := $(if $(filter no,$(MPICC)),,$(foreach mpicc,$(MPICC),$(BUILD)/mpi/of$(subst /,_,$(mpicc))))

# $(call plug_rule,MPICC): the wrapper of an MPI in a folder of its own writes that folder into the plug-in, which has to be found
# where the program runs: the plug-in is linked with it, since the launcher need not set LD_LIBRARY_PATH.
define plug_rule
$(BUILD)/mpi/of$(subst /,_,$(1)): src/domain/mpi/plug.c src/domain/plug.h src/domain/plugs.h mk/mpi.mk
	@mkdir -p $$(@D)
	$(1) -std=c11 -O2 -Isrc -fPIC -shared -o $$@.so src/domain/mpi/plug.c
	@needed=$$$$(readelf -d $$@.so | sed -n 's/.*NEEDED.*\[\(libmpi[^]]*\)\].*/\1/p' | head -n 1); \
	name=$$$$(sed -n "s/.*P(\"\([^\"]*\)\", \"$$$$needed\".*/\1/p" src/domain/plugs.h); \
	if [ -n "$$$$name" ]; then mv $$@.so $$(@D)/$$$$name; else echo "mpi.mk: $(1) links $$$$needed, for which there is no plug-in" >&2; rm $$@.so; fi
	@touch $$@
endef
$(foreach mpicc,$(filter-out no,$(MPICC)),$(eval $(call plug_rule,$(mpicc))))

.PHONY: plugs
plugs: $(PLUGS)
