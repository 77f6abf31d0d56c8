# peers.mk - a part of the Makefile: a CPU is measured, beside the top-k of others.
#
# SPDX-License-Identifier: Apache-2.0

# Top-k of others on a CPU, from PyPI, into environments below build/peers: NumPy, JAX and faiss; an
# old NumPy; and with TORCH=1 torch, several GB.
PEERS := $(BUILD)/peers
PEER_ENVS := requirements numpy-1 $(if $(TORCH),torch)
.PHONY: peers bench-cpu
peers: $(PEER_ENVS:%=$(PEERS)/%/.made)

$(PEERS)/%/.made: tools/peers/%.txt
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --without-pip $(@D)
	$(Q)$(PYTHON) -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check -r $<
	@touch $@

$(BUILD)/bench/peers: tests/bench/peers.cc $(TOPK) $(MODEL) $(BASE_LIBRARY) \
    | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) BENCH $<
	$(Q)$(CXX) -std=c++17 -Wall -Wextra $(SANITIZE) $(CFLAGS) $(OPENMP) $(SEE_TESTS) -MMD -MP $< \
	    $(filter %.o %.a,$^) $(LDFLAGS) -lm -o $@

-include $(BUILD)/bench/peers.d

# Measures this CPU, and the peers that are installed, into runs/NAME (default: named by the CPU).
bench-cpu: packages
	@$(MAKE) --no-print-directory all $(BUILD)/bench/peers
	@PROGRAM=$(PROGRAM) WORKER=$(BUILD)/bench/peers PEERS=$(PEERS) tools/peers/bench_cpu.sh $(NAME)

# The profiles of CPUs that come with the library, from the runs in runs/cpu-*.
.PHONY: cpu-profile
cpu-profile: all
	@PROGRAM=$(PROGRAM) tools/cpu_profile.sh
