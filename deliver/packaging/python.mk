# python.mk - a part of the Makefile: what the Python module needs, and what pip builds.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: for-pip for-pip-calibrate

# What the headers declare, for cffi.
FFI := python/recallmodel/_ffi.py
DECLARED := $(wildcard $(addsuffix /*.h,base base/* model model/recallmodel topk sim sim/* \
    attention attention/* gpu))
all test-command: $(FFI)
$(FFI): deliver/packaging/declarations.py $(DECLARED)
	@mkdir -p $(@D)
	$(say) CFFI $@
	$(Q)if "$(PYTHON)" -c 'import cffi' 2>/dev/null; then CC="$(CC)" "$(PYTHON)" $< $@; \
	    else echo "  there is no cffi (Debian: python3-cffi): no Python module"; fi

# setup.py calls make for one of these.
for-pip: $(CAN_BUILD) $(FFI) $(PROGRAM) $(SHARED) $(SHARED_TOPK) $(SHARED_SIM) $(SHARED_ATTENTION) \
    $(SHARED_BENCH)
for-pip-calibrate: $(CAN_BUILD) $(PROGRAM)

# The source distribution has jansson's sources and the headers of Random123.
ifneq ($(wildcard jansson/dump.c),)
CPPFLAGS += -Ijansson -Iinclude
LDFLAGS += -L$(BUILD)
$(PROGRAM): | $(BUILD)/libjansson.a
$(BUILD)/libjansson.a: $(patsubst %.c,$(BUILD)/%.o,$(wildcard jansson/*.c))
$(BUILD)/jansson/%.o: jansson/%.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CFLAGS) -DHAVE_CONFIG_H -Ijansson -c $< -o $@
endif
