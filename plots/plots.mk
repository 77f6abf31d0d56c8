# plots.mk - a part of the Makefile: the figures.
#
# SPDX-License-Identifier: Apache-2.0

# Before minutes of work: what it lacks, and the line that installs it.
.PHONY: need-gnuplot
need-gnuplot:
	@command -v gnuplot >/dev/null || { echo "make figures needs gnuplot:" \
	    "tools/install_packages.sh gnuplot-nox; plots/make.py --csv makes the numbers alone" >&2; \
	    exit 2; }

# What changes a figure: not for those of paper_figures.
VARIED = $(filter-out FIGURE=% PNG=% BUILD=% CC=% CFLAGS=% JOBS=% V=%,$(MAKEOVERRIDES))
.PHONY: not-varied
not-varied:
	$(if $(filter $(addsuffix =%,n N k K kb KB b B rho RHO),$(VARIED)),$(error \
	    figures/NAME stays as it is; make figure FIGURE=NAME $(VARIED) varies one))

# The figures of the papers, into paper_figures/: all, or one with make figures/key-06.
.PHONY: figures
figures: not-varied need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py

figures/%: not-varied need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py $*

# make figure FIGURE=key-06 N=8192 RHO=0:0.1:0.9: the same with other numbers, into build/figures.
.PHONY: figure
figure: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py --vary $(FIGURE) $(VARIED)
