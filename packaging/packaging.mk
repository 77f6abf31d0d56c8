# packaging.mk - a part of the Makefile: what is given to others. docs/packages.md says which
# package is for whom.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: check-packages
# Each block adds its tests, in a line check-packages: check-NAME.

# ---- wheel

# The source distribution, which pip builds with a C compiler alone, and the wheel that is built
# from it. Their tools are in a virtual environment, in the versions of requirements.txt.
WHEEL := $(BUILD)/wheel
WHEEL_ENV := $(BUILD)/wheel-env
SDIST := $(WHEEL)/recallmodel-$(VERSION).tar.gz
EPOCH = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}

.PHONY: sdist wheel check-wheel
sdist: $(WHEEL_ENV)/.made
	@tools/install_packages.sh librandom123-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) $(WHEEL_ENV)/bin/python packaging/sdist.py $(WHEEL)

wheel: sdist
	@tools/install_packages.sh gcc libc6-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) packaging/wheel.sh $(WHEEL_ENV)/bin/python $(SDIST) $(WHEEL)

# The wheel in a bare virtual environment for each Python at hand, the sdist with a C compiler
# alone, and the types of the module.
check-packages: check-wheel
check-wheel: wheel $(PROGRAM)
	@tools/install_packages.sh mmdebstrap
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) packaging/test_wheel.sh

$(WHEEL_ENV)/.made: packaging/requirements.txt
	@tools/install_packages.sh python3-minimal python3-venv
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv $(@D)
	$(Q)$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@
