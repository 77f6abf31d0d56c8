# jansson.mk - a part of the Makefile: the sources of jansson, for what is not linked with Debian's
# library: the page, and the source distribution with the wheel that is built from it.
#
# SPDX-License-Identifier: Apache-2.0

# The release that Debian has, whose sources stay at this address. JANSSON_TARBALL=FILE: without the
# network.
JANSSON_TARBALL ?= $(BUILD)/jansson.tar.gz
JANSSON_URL := http://deb.debian.org/debian/pool/main/j/jansson/jansson_2.14.orig.tar.gz
JANSSON_SHA256 := c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
JANSSON := $(BUILD)/jansson
# Of its sources those that write.
JANSSON_SOURCES := $(patsubst %,$(JANSSON)/%.c,dump error hashtable hashtable_seed memory \
    strbuffer strconv utf value version)

$(BUILD)/jansson.tar.gz:
	@mkdir -p $(@D)
	$(say) FETCH $(JANSSON_URL)
	$(Q)if [ -x /usr/lib/apt/apt-helper ]; \
	    then /usr/lib/apt/apt-helper -qq download-file $(JANSSON_URL) $@; \
	    else curl -fsSL -o $@ $(JANSSON_URL); fi

.SECONDARY: $(JANSSON_SOURCES)
$(JANSSON_SOURCES): $(JANSSON)/.made
$(JANSSON)/.made: $(JANSSON_TARBALL) $(wildcard deliver/packaging/jansson/*.h)
	@echo "$(JANSSON_SHA256)  $<" | sha256sum --check --quiet
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)tar -xzf $< -C $(@D) --strip-components 2 --wildcards '*/src/*.[ch]'
	@cp deliver/packaging/jansson/*.h $(@D)/
	@cd $(@D) && rm -f $$(ls *.c | grep -vxF "$$(printf '%s\n' $(notdir $(JANSSON_SOURCES)))")
	@touch $@
