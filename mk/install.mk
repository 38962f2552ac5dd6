# make install DESTDIR= PREFIX=: headers, libraries, kyoho.pc and the like, the command, its man page and completion, documents, examples.
# `make uninstall` with the same variables removes them.
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR     ?= $(PREFIX)/share/man
DOCDIR     ?= $(PREFIX)/share/doc/kyoho
BASHDIR    ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR     ?= $(PREFIX)/share/zsh/site-functions
INSTALL    ?= install

HEADERS   := $(wildcard include/kyoho/*.h)
MAN_PAGES := $(wildcard docs/man/*.1)
# Documents lie as they do here, with all that they link to.
DOCUMENTS := $(wildcard README.md LICENSE NOTICE CHANGELOG.md CONTRIBUTING.md SUPPORT.md CITATION.cff codemeta.json tests/README.md) $(HEADERS) \
             $(shell find docs examples experiments -type f ! -path '*/__pycache__/*' ! -path 'docs/man/*' ! -path 'docs/completion/*' ! -name '*.o')

# A folder that the loader does not search goes into the programs that link with the library.
RPATH := $(if $(filter /lib /lib64 /usr/lib /usr/lib64 /usr/lib/%,$(LIBDIR)),,-Wl,-rpath,$${libdir})

# What a static link needs beside the library; the shared one brings it along. $(1) is the library, $(2) what it is, $(3) what a
# static link needs, $(4) a package that the library needs, and with which programs link too.
define pc_text
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCLUDEDIR)

Name: $(1)
Description: $(2)
Version: $(VERSION)$(if $(4),
Requires: $(4) = $(VERSION))
Libs: -L$${libdir} $(RPATH) -l$(1) -lm
Libs.private: $(strip $(3))
Cflags: -I$${includedir}
endef
PC_OPENMP = $(or $(OPENMP_ARCHIVE),$(OPENMP_LINK))
PC_LIBS = $(FEATURE_LIBS) $(CUDA_LIBS) $(DL_LIBS) $(PC_OPENMP) -lm

# Tells the loader of the library where that is allowed and where the loader looks into the folder at all.
define TELL_LOADER
[ -n '$(DESTDIR)' ] || [ "$$(id -u)" -ne 0 ] || ! ldconfig -NXv 2>/dev/null | grep -q '^$(LIBDIR):' || ldconfig
endef

.PHONY: install uninstall
PACKAGES := kyoho kyoho_draw kyoho_g6 kyoho_g5
install: export PC_kyoho := $(call pc_text,kyoho,gravitational N-body simulation,$(PC_LIBS))
install: export PC_kyoho_draw := $(call pc_text,kyoho_draw,pictures$(comma) plots and a view of gravitational N-body simulations,$(DRAW_LIBS) $(PC_OPENMP),kyoho)
install: export PC_kyoho_g6 := $(call pc_text,kyoho_g6,the GRAPE-6 library on CPUs and GPUs,$(PC_LIBS))
install: export PC_kyoho_g5 := $(call pc_text,kyoho_g5,the GRAPE-5 library on CPUs and GPUs,$(PC_LIBS))
install: all
	$(INSTALL) -d $(addprefix '$(DESTDIR),$(addsuffix ',$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR)/kyoho $(MANDIR)/man1 $(BASHDIR) $(ZSHDIR)))
	$(INSTALL) -m 755 $(COMMAND) '$(DESTDIR)$(BINDIR)'
	$(INSTALL) -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)/kyoho'
	$(INSTALL) -m 644 $(STATIC) $(DRAW_STATIC) $(GRAPE_STATIC) '$(DESTDIR)$(LIBDIR)'
	$(INSTALL) -m 755 $(SHARED) $(DRAW_SHARED) $(GRAPE_SHARED) '$(DESTDIR)$(LIBDIR)'
	for name in $(PACKAGES); do \
	    ln -sf $(call shared,$$name,$(VERSION)) "$(DESTDIR)$(LIBDIR)/$(call shared,$$name,$(SOVERSION))" && \
	    ln -sf $(call shared,$$name,$(SOVERSION)) "$(DESTDIR)$(LIBDIR)/$(call shared,$$name)" && \
	    printenv PC_$$name > "$(DESTDIR)$(LIBDIR)/pkgconfig/$$name.pc" && \
	    chmod 644 "$(DESTDIR)$(LIBDIR)/pkgconfig/$$name.pc" || exit 1; done
	$(if $(MAN_PAGES),$(INSTALL) -m 644 $(MAN_PAGES) '$(DESTDIR)$(MANDIR)/man1')
	$(INSTALL) -m 644 docs/completion/kyoho.bash '$(DESTDIR)$(BASHDIR)/kyoho'
	$(INSTALL) -m 644 docs/completion/_kyoho '$(DESTDIR)$(ZSHDIR)'
	@for file in $(DOCUMENTS); do mode=644; [ ! -x "$$file" ] || mode=755; \
	    $(INSTALL) -D -m $$mode "$$file" '$(DESTDIR)$(DOCDIR)'/"$$file" || exit 1; done
	@$(TELL_LOADER)

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/kyoho' $(foreach name,$(PACKAGES),'$(DESTDIR)$(LIBDIR)/pkgconfig/$(name).pc' '$(DESTDIR)$(LIBDIR)'/lib$(name).a '$(DESTDIR)$(LIBDIR)'/lib$(name).so* '$(DESTDIR)$(LIBDIR)'/lib$(name).*dylib)
	rm -f $(addprefix '$(DESTDIR)$(MANDIR)/man1'/,$(notdir $(MAN_PAGES))) '$(DESTDIR)$(BASHDIR)/kyoho' '$(DESTDIR)$(ZSHDIR)/_kyoho'
	rm -rf '$(DESTDIR)$(INCLUDEDIR)/kyoho' '$(DESTDIR)$(DOCDIR)'

# Pages that the program writes; a test compares them with what it would write now.
.PHONY: docs
docs: $(COMMAND)
	mk/write-docs $(COMMAND) man > docs/man/kyoho.1
	mk/write-docs $(COMMAND) options > docs/options.md
	mk/write-docs $(COMMAND) bash > docs/completion/kyoho.bash
	mk/write-docs $(COMMAND) zsh > docs/completion/_kyoho

# The documents as a site with search.
.PHONY: site
site:
	mk/site.py '$(BUILD)/site'
	@echo 'the site: $(BUILD)/site/index.html'
