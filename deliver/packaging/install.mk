# install.mk - a part of the Makefile: make install.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: install uninstall

BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(LIBDIR)
INCLUDE := $(DESTDIR)$(PREFIX)/include
MAN := $(DESTDIR)$(PREFIX)/share/man/man1
SHARE := $(DESTDIR)$(PREFIX)/share/recallmodel
BASH_COMPLETION := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETION := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
MEASURED := $(wildcard runs/index.csv runs/*/*)
PARTS_OF_HEADER := $(wildcard model/recallmodel/*.h)
FILL_IN := -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
    -e 's|@MAJOR@|$(MAJOR)|' \
    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|'
# What `make gpu` builds is installed if it is there.
INSTALL_GPU := $(wildcard $(BUILD)/gpu/recallmodel-bench)

install: all
	install -d $(BIN) $(LIB)/pkgconfig $(LIB)/cmake/recallmodel $(INCLUDE)/recallmodel $(MAN)
	install -m 755 $(PROGRAM) $(if $(HAS_MPI),$(PROGRAM_MPI)) $(BIN)/
	install -m 644 $(STATIC) $(STATIC_TOPK) $(LIB)/
	install -m 755 $(SHARED) $(SHARED_TOPK) $(LIB)/
	for name in librecallmodel librecallmodel-topk; do \
	    ln -sf $$name.so.$(VERSION) $(LIB)/$$name.so.$(MAJOR) && \
	    ln -sf $$name.so.$(MAJOR) $(LIB)/$$name.so || exit 1; done
	install -m 644 model/recallmodel.h $(INCLUDE)/
	sed 's|<model/recallmodel.h>|<recallmodel.h>|' topk/topk.h > $(INCLUDE)/topk.h
	install -m 644 $(PARTS_OF_HEADER) $(INCLUDE)/recallmodel/
	$(if $(INSTALL_GPU),install -m 644 $(GPU_LIBRARY) $(LIB)/)
	$(if $(INSTALL_GPU),install -m 644 gpu/topk_gpu.h $(INCLUDE)/)
	$(if $(INSTALL_GPU),install -m 755 $(INSTALL_GPU) $(BIN)/)
	sed $(FILL_IN) model/recallmodel.pc.in > $(LIB)/pkgconfig/recallmodel.pc
	sed $(FILL_IN) topk/recallmodel-topk.pc.in > $(LIB)/pkgconfig/recallmodel-topk.pc
	for file in config config-version; do sed $(FILL_IN) model/recallmodel-$$file.cmake.in \
	    > $(LIB)/cmake/recallmodel/recallmodel-$$file.cmake || exit 1; done
	$(if $(MANUAL),@$(MAKE) --no-print-directory install-manual)
	for file in $(MEASURED); do install -D -m 644 $$file $(SHARE)/$$file || exit 1; done

# bash and fish look for the completion of a command by its name.
.PHONY: install-manual
install-manual: $(MANUAL)
	install -d $(MAN) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	install -m 644 $(BUILD)/man/*.1 $(MAN)/
	install -m 644 $(BUILD)/completions/recallmodel.bash $(BASH_COMPLETION)/recallmodel
	install -m 644 $(BUILD)/completions/_recallmodel $(ZSH_COMPLETION)/
	install -m 644 $(BUILD)/completions/recallmodel.fish $(FISH_COMPLETION)/
	$(if $(HAS_MPI),ln -sf recallmodel.1 $(MAN)/recallmodel-mpi.1)
	$(if $(HAS_MPI),ln -sf recallmodel $(BASH_COMPLETION)/recallmodel-mpi)
	$(if $(HAS_MPI),ln -sf recallmodel.fish $(FISH_COMPLETION)/recallmodel-mpi.fish)

uninstall:
	rm -f $(addprefix $(BIN)/,recallmodel recallmodel-mpi recallmodel-bench) \
	    $(LIB)/librecallmodel-gpu.a $(LIB)/librecallmodel.a $(LIB)/librecallmodel.so* \
	    $(LIB)/librecallmodel-topk.a $(LIB)/librecallmodel-topk.so* $(INCLUDE)/topk.h \
	    $(INCLUDE)/topk_gpu.h $(INCLUDE)/recallmodel.h \
	    $(patsubst model/%,$(INCLUDE)/%,$(PARTS_OF_HEADER)) \
	    $(LIB)/pkgconfig/recallmodel.pc $(LIB)/pkgconfig/recallmodel-topk.pc $(MAN)/recallmodel.1 \
	    $(MAN)/recallmodel-*.1 $(ZSH_COMPLETION)/_recallmodel \
	    $(addprefix $(BASH_COMPLETION)/,recallmodel recallmodel-mpi) \
	    $(addprefix $(FISH_COMPLETION)/,recallmodel.fish recallmodel-mpi.fish) \
	    $(addprefix $(SHARE)/,$(MEASURED))
	rm -f $(LIB)/cmake/recallmodel/recallmodel-config*.cmake
	-rmdir $(LIB)/cmake/recallmodel $(LIB)/cmake $(INCLUDE)/recallmodel \
	    $(SHARE)/runs/* $(SHARE)/runs $(SHARE) 2>/dev/null
