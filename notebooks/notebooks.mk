# notebooks.mk - a part of the Makefile: the notebooks.
#
# SPDX-License-Identifier: Apache-2.0

# The notebooks, each executed from its first cell, as HTML in build/notebooks. An error in a cell
# is an error, and so is a text that differs from the committed one. make notebook-outputs commits
# what they print and draw.
.PHONY: notebooks notebook-outputs need-jupyter run-notebooks
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
EXECUTED := $(NOTEBOOKS:%=$(BUILD)/%)

notebooks: need-jupyter
	@$(MAKE) --no-print-directory run-notebooks
	@tools/notebook_outputs.py $(EXECUTED)
	@echo "$(words $(EXECUTED)) notebooks in $(BUILD)/notebooks, with the committed outputs"

notebook-outputs: need-jupyter
	@$(MAKE) --no-print-directory run-notebooks
	@tools/notebook_outputs.py --write $(EXECUTED)

need-jupyter: packages
	@tools/install_packages.sh python3-nbconvert jupyter-nbconvert python3-ipykernel \
	    python3-matplotlib
	@$(MAKE) --no-print-directory all

run-notebooks: $(EXECUTED)

# OpenBLAS rounds as the processor does that it takes this one for: one for all, where it is there.
$(BUILD)/notebooks/%.ipynb: notebooks/%.ipynb FORCE
	@mkdir -p $(@D)
	@OPENBLAS_CORETYPE=Haswell PYTHON=$(PYTHON) tools/run_notebook.sh $< $(@D)
