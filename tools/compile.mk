# compile.mk - a part of the Makefile: how a layer is compiled, and how programs and libraries are
# linked.
#
# SPDX-License-Identifier: Apache-2.0

# $(call layer,LAYER,FLAGS): a layer, its include path, and the rule that compiles its C files.
define layer
LAYERS += $(1)

$(BUILD)/see/$(1)/.made: Makefile $$(filter %.h,$$(SEES_$(1)))
	@rm -rf $$(@D)
	@for seen in $(1) $(SEES_$(1)); do mkdir -p $$(@D)/$$$$(dirname $$$$seen); \
	    ln -s "$(CURDIR)/$$$$seen" $$(@D)/$$$$seen; done
	@touch $$@

$(BUILD)/$(1)/%.o: $(1)/%.c | $(BUILD)/see/$(1)/.made
	@mkdir -p $$(@D)
	$$(say) CC $$<
	$$(Q)$$(CC) $$(BASE_FLAGS) $$(CPPFLAGS) $$(CFLAGS) $(2) -I$(BUILD)/see/$(1) -MMD -MP -c $$< -o $$@
endef

POSIX := -D_POSIX_C_SOURCE=200809L
LIBRARY := -fPIC -fvisibility=hidden
$(eval $(call layer,base,$(LIBRARY) $(POSIX)))
$(eval $(call layer,model,$(LIBRARY) -I$(BUILD)/generated))
$(eval $(call layer,sim,$(OPENMP) -fPIC -fno-semantic-interposition $(POSIX)))
$(eval $(call layer,calibrate,$(POSIX)))
$(eval $(call layer,attention,$(OPENMP) -fPIC $(POSIX)))
$(eval $(call layer,gpu))
$(eval $(call layer,topk,$(LIBRARY) $(POSIX) $$(ISA)))
$(eval $(call layer,programs/common,-fPIC $(POSIX)))
$(eval $(call layer,programs/recallmodel,$(POSIX) $$(GIT)))
$(eval $(call layer,programs/bench,-fPIC $(POSIX)))
$(eval $(call layer,programs/describe,$(POSIX)))
$(eval $(call layer,programs/bench-cpu,$(OPENMP) -fPIC $(POSIX) $$(GIT)))
$(eval $(call layer,programs/recallmodel-bench,-fPIC $(POSIX) $$(GIT)))
$(eval $(call layer,tests,$(POSIX) $$(TEST_FLAGS)))

$(MPI): sim/team/mpi.c | $(BUILD)/see/sim/.made
	@mkdir -p $(@D)
	$(say) MPICC $<
	$(Q)$(USE_CC) $(MPICC) $(BASE_FLAGS) $(CFLAGS) $(POSIX) -I$(BUILD)/see/sim -MMD -MP -c $< -o $@

# ---- link

# An archive: a program takes only the objects that it needs.
$(BASE_LIBRARY): $(BASE)
$(BUILD)/lib%.a:
	$(say) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(PROGRAM): $(COMMAND_PARTS) $(SINGLE) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

$(PROGRAM_MPI): $(COMMAND_PARTS) $(MPI) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(USE_CC) $(MPICC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

# One object file whose hidden symbols are local, so that the internal names of the library cannot
# clash with those of a user.
$(STATIC): $(MODEL) $(BASE_LIBRARY)
$(STATIC_TOPK): $(TOPK)
$(STATIC) $(STATIC_TOPK): $(BUILD)/lib%.a:
	$(say) AR $@
	$(Q)$(LD) -r $^ -o $(BUILD)/$*.o
	$(Q)$(or $(OBJCOPY),objcopy) --localize-hidden $(BUILD)/$*.o
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(BUILD)/$*.o

# The shared libraries. make install leaves out those of the simulation, of sparse attention and of
# the benchmark, which are for the Python module; the second loads OpenBLAS when it is used.
SONAME = -Wl,-soname,$(@F:.$(VERSION)=.$(MAJOR))
$(SHARED): $(MODEL) $(BASE_LIBRARY)
$(SHARED_TOPK): $(TOPK) $(SHARED)
$(SHARED_SIM): $(SIM) $(SINGLE) $(BASE_LIBRARY)
$(SHARED_ATTENTION): $(ATTENTION) $(SIM) $(SINGLE) $(BASE_LIBRARY)
# Of what is not its own, only what it calls.
$(BUILD)/libcommon.a: $(COMMON)
$(BUILD)/libsim.a: $(SIM) $(SINGLE)
$(SHARED_BENCH): $(CPU_BENCH) $(BENCH) $(BUILD)/libcommon.a $(BUILD)/libsim.a $(MODEL) \
    $(BASE_LIBRARY)
$(SHARED_BENCH): LDLIBS := -ldl -lpthread -Wl,--version-script=programs/bench-cpu/exports.map
$(SHARED) $(SHARED_TOPK): OPENMP :=
$(SHARED_TOPK): LDLIBS := -lpthread
$(SHARED_ATTENTION): LDLIBS := -ldl -lpthread
# Threads sleep in these between calls: nobody may unload them.
$(SHARED_TOPK) $(SHARED_SIM) $(SHARED_ATTENTION) $(SHARED_BENCH): LDLIBS += -Wl,-z,nodelete
$(SHARED) $(SHARED_TOPK) $(SHARED_SIM) $(SHARED_ATTENTION) $(SHARED_BENCH):
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) -shared $(SONAME) $^ -lm $(LDLIBS) -o $@
