# programs.mk - a part of the Makefile: manual pages, completions and the reference of the commands,
# from the tables of options, and what the programs say of their sources.
#
# SPDX-License-Identifier: Apache-2.0

# Programs that measure print the state of the sources with their results: git describe, or the
# commit that the tarball of `make dist` was made of.
WITH_GIT := $(patsubst %,$(BUILD)/programs/%.o,recallmodel/main recallmodel-bench/main \
    bench-cpu/entry)
$(WITH_GIT): GIT = -DRCM_GIT='"$(shell cat $(BUILD)/git)"'
$(WITH_GIT): $(BUILD)/git
$(BUILD)/git: FORCE
	@mkdir -p $(@D)
	@state=$$(sed -n '/^[0-9a-f]\{40\}$$/s/^\(.......\).*/\1/p' \
	    deliver/packaging/commit 2>/dev/null); \
	[ "$$state" ] || state=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	[ "$$(cat $@ 2>/dev/null)" = "$$state" ] || echo "$$state" > $@

# With another compiler's machine, what was built does not run here: then there are none, unless
# EMULATOR runs it ("qemu-aarch64 -L /usr/aarch64-linux-gnu").
EMULATOR ?=
THIS_MACHINE := $(filter $(shell uname -m)-%,$(shell $(CC) -dumpmachine))
MAN_BUILT := $(BUILD)/man/recallmodel.1
COMPLETIONS := $(addprefix $(BUILD)/completions/,recallmodel.bash _recallmodel recallmodel.fish)
MANUAL := $(if $(THIS_MACHINE)$(EMULATOR),$(MAN_BUILT) $(COMPLETIONS))
# The date of the pages, in seconds: that of the sources; today's where nobody knows it.
MAN_DATE = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}

DESCRIBE := $(call objects,programs/describe)
MORE_OBJECTS += $(DESCRIBE)
$(BUILD)/describe: $(DESCRIBE) $(filter-out %/recallmodel/main.o,$(COMMAND_PARTS)) $(SINGLE) \
    $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

# A page a subcommand; the first is there when all are.
$(MAN_BUILT): $(BUILD)/describe
	@rm -rf $(@D) && mkdir -p $(@D)
	$(say) MAN $(@D)
	$(Q)$(EMULATOR) $< man $(@D) $(MAN_DATE)

$(BUILD)/completions/%: $(PROGRAM)
	@mkdir -p $(@D)
	$(Q)$(EMULATOR) $< completion $(or $(filter-out _%,$(subst .,,$(suffix $*))),zsh) > $@

.PHONY: manual reference
manual: $(MANUAL)

# The reference in Markdown: build/reference/commands/index.md, select.md and so on.
reference: $(BUILD)/reference/commands/index.md
$(BUILD)/reference/commands/index.md: $(BUILD)/describe
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)$(EMULATOR) $< markdown $(@D)
