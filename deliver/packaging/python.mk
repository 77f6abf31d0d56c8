# python.mk - a part of the Makefile: what pip builds.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: for-pip for-pip-calibrate

# setup.py calls make for one of these.
for-pip: $(CAN_BUILD) $(PROGRAM) $(SHARED) $(SHARED_TOPK) $(SHARED_SIM) $(SHARED_ATTENTION)
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
