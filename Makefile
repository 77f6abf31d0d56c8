# make          builds ./recallmodel and the library; it installs no packages
# make demo     installs the few missing packages, builds the command, runs the main example
# make check    installs missing packages, builds, runs the tests to run before a commit
# make help     lists the other targets
#
# V=1 shows every command. This file says what the project is made of; what else is built stands
# with its sources, in the files that PARTS_OF_MAKEFILE names.

VERSION := $(shell sed -n 's/^\#define RCM_VERSION "\(.*\)"/\1/p' model/recallmodel.h)
MAJOR := $(firstword $(subst ., ,$(VERSION)))

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
CC ?= gcc
CXX ?= g++
CFLAGS ?= -O2 -g1
WARNINGS := -Wall -Wextra -Wconversion -Werror=implicit-function-declaration \
    -Werror=missing-field-initializers -Werror=unused
BUILD ?= build
SANITIZE :=
PYTHON ?= /usr/bin/python3
JOBS ?= 2
# A -j on the command line takes precedence over JOBS.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

HASH := \#
Q := $(if $(V),,@)
say = @$(if $(V),true,printf '  %-8s %s\n')

# -ffp-contract=off: double-double arithmetic needs every operation to be rounded on its own.
BASE_FLAGS := -std=c11 -ffp-contract=off $(WARNINGS) $(SANITIZE)

# ---- what it is made of

# A folder is a layer. Its files may include their own folder and what SEES_LAYER lists. The include
# path of a layer is build/see/LAYER, which has links to these and to nothing else, so that any
# other include does not compile (tests/house/test_layers.sh).
# $(call public,FOLDER): its headers, but those whose first line says that they are internal.
public = $(filter-out $(shell grep -l '^/\* .* - internal to ' $(1)/*.h $(1)/*/*.h 2>/dev/null), \
    $(wildcard $(1)/*.h $(1)/*/*.h))
BASE_PUBLIC := $(call public,base)
MODEL_PUBLIC := model/recallmodel.h model/recallmodel
SIM_PUBLIC := $(addprefix sim/,parts.h rounding.h routing.h simulate.h sampler/chain.h \
    sampler/rank_weights.h team.h selection/assignment.h selection/operations.h rows/rope.h \
    rows/row.h rows/row_file.h rows/row_counts.h rows/row_groups.h rows/row_look.h)
CALIBRATE_PUBLIC := $(call public,calibrate)
ATTENTION_PUBLIC := $(call public,attention)
GPU_PUBLIC := gpu/topk_gpu.h gpu/kernels/sample.h gpu/peers/peer.h $(wildcard gpu/host/*.h)
BASIC := $(BASE_PUBLIC) $(MODEL_PUBLIC)

SEES_base :=
SEES_model := $(BASE_PUBLIC)
SEES_sim := $(BASE_PUBLIC)
SEES_calibrate := $(BASIC)
SEES_attention := $(BASE_PUBLIC) $(addprefix sim/,rows/row_file.h rows/random.h \
    $(addprefix selection/,assignment.h quickselect.h key.h))
SEES_gpu :=
SEES_topk := $(MODEL_PUBLIC)
SEES_programs/common := $(BASIC)
SEES_programs/recallmodel := programs/common programs/bench $(BASIC) topk/topk.h \
    $(addprefix programs/bench-cpu/,cpu.h cpu_command.h library.h) $(SIM_PUBLIC) \
    $(CALIBRATE_PUBLIC) $(ATTENTION_PUBLIC)
SEES_programs/bench := programs/common $(BASIC) gpu/peers/peer.h gpu/topk_gpu.h
# The generators of the inputs are those of the GPU.
SEES_programs/bench-cpu := programs/common programs/bench $(BASIC) topk/topk.h gpu/topk_gpu.h \
    gpu/host/inputs.h gpu/host/element.h gpu/kernels/sample.h gpu/peers/peer.h \
    sim/rows/row_file.h
SEES_programs/recallmodel-bench := programs/common programs/bench $(BASIC) $(GPU_PUBLIC)
# It reads the tables of options of the command.
SEES_programs/describe := programs/common $(addprefix programs/recallmodel/,command.h commands.h) \
    $(BASIC)
SEES_tests := base model sim calibrate attention gpu topk programs

# Sources are found by wildcard: a new file needs no change here.
objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
SINGLE := $(BUILD)/sim/team/single.o
MPI := $(BUILD)/sim/team/mpi.o
BASE := $(call objects,base base/*)
MODEL := $(call objects,model/*)
SIM := $(filter-out $(BUILD)/sim/team/%,$(call objects,sim sim/*))
CALIBRATE := $(call objects,calibrate calibrate/*)
ATTENTION := $(call objects,attention attention/*)
TOPK := $(call objects,topk)
COMMON := $(call objects,programs/common)
COMMAND := $(call objects,programs/recallmodel programs/recallmodel/*)
BENCH := $(call objects,programs/bench programs/bench/cells)
CPU_BENCH := $(call objects,programs/bench-cpu)

# Only calibrate needs GSL. Without it one file takes the place of the command.
HAS_GSL := $(shell printf '%s\n' '$(HASH)include <gsl/gsl_multifit_nlinear.h>' \
    'int main(void) { return gsl_multifit_nlinear_trust == 0; }' | \
    $(CC) $(CPPFLAGS) -x c - $(LDFLAGS) -lgsl -lgslcblas -lm -o /dev/null 2>/dev/null && echo yes)
GSL_LIBS := $(if $(HAS_GSL),-lgsl -lgslcblas)
CALIBRATE := $(if $(HAS_GSL),$(CALIBRATE),$(call objects,calibrate/runs))
COMMAND := $(filter-out $(BUILD)/programs/recallmodel/$(if $(HAS_GSL),without_gsl,calibrate)/%, \
    $(COMMAND))

# Without OpenMP a simulation runs on one thread.
OPENMP := $(shell echo 'int main(void) { return 0; }' | \
    $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)

# mpicc (of Open MPI or MPICH) calls the same compiler as the other rules, so that all objects use
# one OpenMP.
MPICC ?= mpicc
USE_CC = OMPI_CC="$(CC)" MPICH_CC="$(CC)"
HAS_MPI := $(shell command -v $(MPICC) 2>/dev/null)

STATIC := $(BUILD)/librecallmodel.a
SHARED := $(BUILD)/librecallmodel.so.$(VERSION)
STATIC_TOPK := $(BUILD)/librecallmodel-topk.a
SHARED_TOPK := $(BUILD)/librecallmodel-topk.so.$(VERSION)
SHARED_SIM := $(BUILD)/librecallmodel-sim.so.$(VERSION)
SHARED_ATTENTION := $(BUILD)/librecallmodel-attention.so.$(VERSION)
SHARED_BENCH := $(BUILD)/librecallmodel-bench-cpu.so.$(VERSION)
PROGRAM := $(BUILD)/recallmodel
PROGRAM_MPI := $(BUILD)/recallmodel-mpi
BASE_LIBRARY := $(BUILD)/libbase.a

# All objects of the command except the team that runs a simulation: one process (SINGLE) or several
# (MPI). It loads the kernels of topk/ only where bench asks for them.
COMMAND_PARTS := $(COMMAND) $(BENCH) $(CPU_BENCH) $(COMMON) $(MODEL) $(CALIBRATE) $(ATTENTION) \
    $(SIM)
COMMAND_LIBS = $(GSL_LIBS) -ljansson -lm -ldl -lpthread

# ---- targets

.PHONY: all tools packages demo format clean help print-layers FORCE
.DELETE_ON_ERROR:

CAN_BUILD := $(BUILD)/.can-build
all: tools $(CAN_BUILD) recallmodel $(if $(HAS_MPI),recallmodel-mpi) $(STATIC) $(SHARED) \
    $(SHARED_SIM) $(SHARED_ATTENTION) $(SHARED_BENCH) $(STATIC_TOPK) $(SHARED_TOPK) manual

# Before anything is compiled: is there what compiling needs?
# $(call find_headers,HEADERS,FLAGS,the command that installs them)
find_headers = @mkdir -p $(@D); printf '$(HASH)include <%s>\n' $(1) | \
    $(CC) $(CPPFLAGS) $(2) -E -o $@ - 2>/dev/null || { \
    echo "No $(CC), or not all of the headers $(1). This installs them: $(3)" >&2; exit 2; }
$(CAN_BUILD):
	$(call find_headers,Random123/philox.h jansson.h,,tools/install_packages.sh --build)

recallmodel recallmodel-mpi: %: $(CAN_BUILD) $(BUILD)/%
	@cp -f $(BUILD)/$@ $@

# $(call tool,NAME,what it is for)
tool = @if command -v $(1) >/dev/null 2>&1; \
    then printf '  %-8s found      %s\n' $(1) "$(2)"; \
    else printf '  %-8s not found  without it: no %s\n' $(1) "$(2)"; fi

tools:
	@echo "optional tools:"
	@printf '  %-8s %s\n' GSL "$(if $(HAS_GSL),found      ,not found  without it: no )calibrate"
	$(call tool,nvcc,GPU kernels and their benchmark: make gpu)
	$(call tool,mpicc,recallmodel-mpi)
	$(call tool,gnuplot,pictures (make figures))
	$(call tool,jupyter,executed notebooks (make notebooks installs it))

# PACKAGES="NAME ..": these packages; without it those of packages.txt.
packages:
	@tools/install_packages.sh $(PACKAGES)

# The command alone: it needs the few packages that packages.txt names first.
demo:
	@tools/install_packages.sh --build
	@$(MAKE) --no-print-directory $(PARALLEL) recallmodel
	./recallmodel select --n 131072 --k 2048 --m 64 --recall 0.95 --device h100-pcie

# clang-format, version 14, over every C and CUDA file.
format:
	@tools/style.py --format

clean:
	rm -rf build recallmodel recallmodel-mpi recallmodel-bench python/recallmodel.egg-info $(FFI)

help:
	@cat tools/make_help.txt

# For tools/layers.py: a line "LAYER: what it may include" for each.
print-layers:
	@$(foreach layer,$(LAYERS),echo '$(layer): $(SEES_$(layer))';)

# ---- the rules

include tools/compile.mk

# Each says what it builds in its first line. A copy of some of the folders has not all of them.
PARTS_OF_MAKEFILE := $(addsuffix .mk,model/model topk/topk gpu/gpu gpu/peers/peers \
    programs/programs tests/tests plots/plots notebooks/notebooks tools/real_tensors/real_tensors \
    tools/peers/peers deliver/packaging/install deliver/packaging/jansson/jansson \
    deliver/packaging/packaging deliver/packaging/python deliver/page/page deliver/site/site)
include $(wildcard $(PARTS_OF_MAKEFILE))

-include $(patsubst %.o,%.d,$(COMMAND_PARTS) $(TOPK) $(BASE) $(SINGLE) $(MPI) $(MORE_OBJECTS)) \
    $(TESTS:=.d)
