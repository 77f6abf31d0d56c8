# plots.mk - a part of the Makefile: the figures.
#
# SPDX-License-Identifier: Apache-2.0

# Before minutes of work: what it lacks, and the line that installs it.
.PHONY: need-gnuplot
need-gnuplot:
	@command -v gnuplot >/dev/null || { echo "make figures needs gnuplot:" \
	    "tools/install_packages.sh gnuplot-nox; plots/make.py --csv makes the numbers alone" >&2; \
	    exit 2; }

# The figures of the papers, into paper_figures/: all, or one with make figures/key-06.
.PHONY: figures
figures: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py

figures/%: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py $*

# make figure FIGURE=key-06 N=8192 RHO=0:0.1:0.9: the same with other numbers, into build/figures.
.PHONY: figure
figure: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.py --vary $(FIGURE) \
	    $(filter-out FIGURE=% BUILD=% CC=% CFLAGS=% JOBS=% V=%,$(MAKEOVERRIDES))
