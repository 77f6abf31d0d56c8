# packaging.mk - what users install without the sources. Nothing here is published.

DIST := $(BUILD)/dist
PACKAGING_ENV := $(BUILD)/packaging-env
EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)

.PHONY: check-packages
check-packages:

# ---- wheel

# The wheel, and the source distribution that pip builds with a C compiler alone, both in
# build/dist. Their tools are in a virtual environment, with the versions of requirements.txt.
.PHONY: wheel sdist check-wheel
sdist: $(PACKAGING_ENV)/.made
	@tools/install_packages.sh librandom123-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) $(PACKAGING_ENV)/bin/python packaging/sdist.py $(DIST)

wheel: sdist
	@tools/install_packages.sh gcc libc6-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) packaging/wheel.sh $(PACKAGING_ENV)/bin/python \
	    $(DIST)/recallmodel-$(VERSION).tar.gz $(DIST)

check-packages: check-wheel
check-wheel: wheel $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) packaging/test_wheel.sh

$(PACKAGING_ENV)/.made: packaging/requirements.txt
	@tools/install_packages.sh python3-minimal python3-venv
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv $(@D)
	$(Q)$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@
