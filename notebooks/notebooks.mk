# notebooks.mk - a part of the Makefile: the notebooks.
#
# SPDX-License-Identifier: Apache-2.0

# The notebooks, each executed from its first cell, as HTML in build/notebooks. An error in a cell
# is an error.
.PHONY: notebooks run-notebooks
NOTEBOOK_PAGES := $(patsubst notebooks/%.ipynb,$(BUILD)/notebooks/%.html, \
    $(wildcard notebooks/*.ipynb))

notebooks: packages
	@tools/install_packages.sh python3-nbconvert jupyter-nbconvert python3-ipykernel \
	    python3-matplotlib
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory run-notebooks

run-notebooks: $(NOTEBOOK_PAGES)
	@echo "$(words $(NOTEBOOK_PAGES)) notebooks in $(BUILD)/notebooks"

$(BUILD)/notebooks/%.html: notebooks/%.ipynb FORCE
	@mkdir -p $(@D)
	@PYTHON=$(PYTHON) tools/run_notebook.sh $< $(@D)
