# model.mk - a part of the Makefile: the profiles that come with the library.
#
# SPDX-License-Identifier: Apache-2.0

# The profiles that come with the library, as C. The library's own reader reads them, so what it
# needs is built first.
WITHOUT_PROFILES := $(filter-out %/profiles.o %/stand_in.o %/exact_contenders.o,$(filter \
    $(BUILD)/model/time/% $(BUILD)/model/cost/% $(BUILD)/model/shape/%,$(MODEL)))
PROFILE_LIST := $(BUILD)/generated/shipped_profiles.inc
$(BUILD)/model/time/profiles.o: $(PROFILE_LIST)
# Those of CPUs come after the others, and exact top-k alone last: rcm_profile(0) stays what it is.
$(PROFILE_LIST): $(BUILD)/model/to_c $(wildcard model/time/profiles/[!c]*.profile \
    model/time/profiles/c*.profile model/time/profiles/exact/*.profile)
	@mkdir -p $(@D)
	@$^ > $@

$(BUILD)/model/to_c: model/time/profiles/to_c.c $(WITHOUT_PROFILES) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(BASE_FLAGS) $(CPPFLAGS) $(CFLAGS) -I$(BUILD)/see/model $^ $(LDFLAGS) -lm -o $@
