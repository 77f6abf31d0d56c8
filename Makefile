# make          builds ./recallmodel and the library; it installs no packages
# make demo     installs the few missing packages, builds the command, runs the main example
# make check    installs missing packages, builds, runs the tests to run before a commit (2 minutes)
# make help     lists the other targets
#
# V=1 shows every command.
#
# long: what is built from what stands in one place; its parts share their variables.

VERSION := $(shell sed -n 's/^\#define RCM_VERSION "\(.*\)"/\1/p' model/recallmodel.h)
MAJOR := $(firstword $(subst ., ,$(VERSION)))

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
CC ?= gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wconversion -Werror=implicit-function-declaration
BUILD ?= build
SANITIZE :=

Q := $(if $(V),,@)
say = @$(if $(V),true,printf '  %-8s %s\n')

# -ffp-contract=off: double-double arithmetic needs every operation to be rounded on its own.
BASE_FLAGS := -std=c11 -ffp-contract=off $(WARNINGS) $(SANITIZE)

# A folder is a layer. Its files may include their own folder and what SEES_LAYER lists. The include
# path of a layer is build/see/LAYER, which has links to these and to nothing else, so that any
# other include does not compile (tests/house/test_layers.sh).
# $(call public,FOLDER): its headers, but those whose first line says that they are internal.
public = $(filter-out $(shell grep -l '^/\* .* - internal to ' $(1)/*.h),$(wildcard $(1)/*.h))
BASE_PUBLIC := $(call public,base)
CALIBRATE_PUBLIC := $(call public,calibrate) calibrate/runs
MODEL_PUBLIC := model/recallmodel.h model/recallmodel
SIM_PUBLIC := $(addprefix sim/,simulate.h assignment.h rope.h row.h row_file.h row_groups.h \
    operations.h team.h)
GPU_PUBLIC := gpu/topk_gpu.h $(wildcard gpu/host/*.h)
SEES_base :=
SEES_model := $(BASE_PUBLIC)
SEES_sim := $(BASE_PUBLIC)
SEES_calibrate := $(BASE_PUBLIC) $(MODEL_PUBLIC)
ATTENTION_PUBLIC := $(call public,attention)
SEES_attention := $(BASE_PUBLIC) $(addprefix sim/,row_file.h assignment.h bucketed.h quickselect.h \
    key.h random.h)
SEES_gpu :=
SEES_topk := $(MODEL_PUBLIC) base/threads.h
SEES_programs/common := $(BASE_PUBLIC) $(MODEL_PUBLIC)
SEES_programs/recallmodel := programs/common programs/bench programs/bench-cpu/cpu.h \
    $(BASE_PUBLIC) $(MODEL_PUBLIC) $(SIM_PUBLIC) $(CALIBRATE_PUBLIC) $(ATTENTION_PUBLIC)
SEES_programs/bench := programs/common $(BASE_PUBLIC) $(MODEL_PUBLIC)
# The generators of the inputs are those of the GPU.
SEES_programs/bench-cpu := programs/common programs/bench $(BASE_PUBLIC) $(MODEL_PUBLIC) \
    topk/topk.h gpu/topk_gpu.h gpu/host/inputs.h gpu/host/element.h
SEES_programs/recallmodel-bench := programs/common programs/bench $(BASE_PUBLIC) $(MODEL_PUBLIC) \
    $(GPU_PUBLIC)
SEES_tests := base model sim calibrate attention gpu topk programs
# It reads the tables of options of the command.
SEES_programs/describe := programs/common $(addprefix programs/recallmodel/,command.h commands.h) \
    $(BASE_PUBLIC) $(MODEL_PUBLIC)
LAYERS := base model sim calibrate attention gpu topk programs/common programs/bench \
    programs/bench-cpu programs/recallmodel programs/recallmodel-bench programs/describe tests

# Sources are found by wildcard: a new file needs no change here.
objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
BASE := $(call objects,base)
MODEL := $(call objects,model/*)
SIM := $(call objects,sim)
# calibrate fits with GSL; only reading measured runs goes without it.
HAS_GSL := $(shell echo '\#include <gsl/gsl_multifit_nlinear.h>' | \
    $(CC) $(CPPFLAGS) -E -o /dev/null - 2>/dev/null && echo yes)
GSL_LIBS := $(if $(HAS_GSL),-lgsl -lgslcblas)
CALIBRATE := $(call objects,calibrate/runs $(if $(HAS_GSL),calibrate))
ATTENTION := $(call objects,attention attention/methods)
TOPK := $(call objects,topk)
COMMON := $(call objects,programs/common)
COMMAND := $(filter-out $(BUILD)/programs/recallmodel/$(if $(HAS_GSL),without_gsl,calibrate)/%, \
    $(call objects,programs/recallmodel programs/recallmodel/*))
BENCH := $(call objects,programs/bench)
CPU_BENCH := $(call objects,programs/bench-cpu)
CUDA_BENCH := $(call objects,programs/recallmodel-bench)
DESCRIBE := $(call objects,programs/describe)
SINGLE := $(BUILD)/sim/team/single.o
MPI := $(BUILD)/sim/team/mpi.o
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/test_*.c)) \
    $(patsubst %.cc,$(BUILD)/%,$(wildcard tests/*/test_*.cc))
TEST_SCRIPTS := $(wildcard tests/*/test_*.sh)
GPU_TESTS := $(patsubst tests/gpu/%.c,$(BUILD)/gpu/tests/%,$(wildcard tests/gpu/test_*.c))
EMULATED_TESTS := $(GPU_TESTS:$(BUILD)/gpu/tests/%=$(BUILD)/tests/gpu/%)
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
CUDA := $(wildcard gpu/kernels/*.cu gpu/host/*.cu)
EMULATED := $(patsubst gpu/%.cu,$(BUILD)/gpu/emulated/%.o,$(CUDA))
COMPILED := $(patsubst gpu/%.cu,$(BUILD)/gpu/%.o,$(CUDA))

# Without OpenMP a simulation runs on one thread.
OPENMP := $(shell echo 'int main(void) { return 0; }' | \
    $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)
MPICC ?= mpicc
# mpicc (of Open MPI or MPICH) calls the same compiler as the other rules, so that all objects use
# one OpenMP.
USE_CC = OMPI_CC="$(CC)" MPICH_CC="$(CC)"
HAS_MPI := $(shell command -v $(MPICC) 2>/dev/null)

# Machine code for sm_80 and sm_90, and PTX for later GPUs. The CUDA runtime is linked statically,
# so that a program starts on a machine without a GPU.
NVCC ?= nvcc
HAS_NVCC := $(shell command -v $(NVCC) 2>/dev/null)
NVCC_FLAGS ?= -O3 -lineinfo --threads 2 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90,code=[sm_90,compute_90]
CXX ?= g++

TEST_FLAGS = $(shell pkg-config --cflags check jansson gsl gmp)
TEST_LIBS = $(shell pkg-config --libs check jansson gsl gmp) -ldl -lpthread

STATIC := $(BUILD)/librecallmodel.a
SHARED := $(BUILD)/librecallmodel.so.$(VERSION)
STATIC_TOPK := $(BUILD)/librecallmodel-topk.a
SHARED_TOPK := $(BUILD)/librecallmodel-topk.so.$(VERSION)
SHARED_SIM := $(BUILD)/librecallmodel-sim.so.$(VERSION)
SHARED_ATTENTION := $(BUILD)/librecallmodel-attention.so.$(VERSION)
PROGRAM := $(BUILD)/recallmodel
PROGRAM_MPI := $(BUILD)/recallmodel-mpi
GPU_LIBRARY := $(BUILD)/librecallmodel-gpu.a
SHARED_GPU := $(BUILD)/librecallmodel-gpu.so.$(VERSION)
SHARED_EMULATED := $(BUILD)/gpu/librecallmodel-gpu-emulated.so
BASE_LIBRARY := $(BUILD)/libbase.a
# An archive: a program takes only the objects that it needs.
COMMON_LIBRARY := $(BUILD)/libcommon.a

.PHONY: all gpu gpu-programs tools packages demo check run-tests check-sanitize check-races
.PHONY: check-gpu gpu-run check-fuzz run-fuzz bench run-bench install uninstall clean help FORCE
.DELETE_ON_ERROR:

CAN_BUILD := $(BUILD)/.can-build
all: tools $(CAN_BUILD) recallmodel $(if $(HAS_MPI),recallmodel-mpi) $(STATIC) $(SHARED) \
    $(SHARED_SIM) $(SHARED_ATTENTION) $(STATIC_TOPK) $(SHARED_TOPK) manual

# Before anything is compiled: is there what compiling needs?
$(CAN_BUILD):
	@mkdir -p $(@D)
	@echo '#include <Random123/philox.h>' | $(CC) $(CPPFLAGS) -E -o $@ - 2>/dev/null || { \
	    echo "There is no $(CC), or no Random123 (Debian: librandom123-dev)." \
	        "This installs them: tools/install_packages.sh --build" >&2; exit 2; }
	@touch $@

recallmodel recallmodel-mpi: %: $(CAN_BUILD) $(BUILD)/%
	@cp -f $(BUILD)/$@ $@

# For tools/layers.py: a line "LAYER: what it may include" for each.
.PHONY: print-layers
print-layers:
	@$(foreach layer,$(LAYERS),echo '$(layer): $(SEES_$(layer))';)

# ---- compile

# $(call layer,LAYER,FLAGS): the include path of a layer, and the rule that compiles its C files.
define layer
$(BUILD)/see/$(1)/.made: Makefile $$(filter %.h,$$(SEES_$(1)))
	@rm -rf $$(@D)
	@for seen in $(1) $(SEES_$(1)); do mkdir -p $$(@D)/$$$$(dirname $$$$seen); \
	    ln -s "$(CURDIR)/$$$$seen" $$(@D)/$$$$seen; done
	@touch $$@

$(BUILD)/$(1)/%.o: $(1)/%.c | $(BUILD)/see/$(1)/.made
	@mkdir -p $$(@D)
	$$(say) CC $$<
	$$(Q)$$(CC) $$(BASE_FLAGS) $$(CPPFLAGS) $$(CFLAGS) $(2) -I$(BUILD)/see/$(1) -MMD -MP -c $$< -o $$@
endef

POSIX := -D_POSIX_C_SOURCE=200809L
LIBRARY := -fPIC -fvisibility=hidden
$(eval $(call layer,base,$(LIBRARY) $(POSIX)))
$(eval $(call layer,model,$(LIBRARY) -I$(BUILD)/generated))
$(eval $(call layer,sim,$(OPENMP) -fPIC -fno-semantic-interposition $(POSIX)))
$(eval $(call layer,calibrate,$(POSIX)))
$(eval $(call layer,attention,$(OPENMP) -fPIC $(POSIX)))
$(eval $(call layer,gpu))
$(eval $(call layer,topk,$(OPENMP) $(LIBRARY) $$(ISA)))
$(eval $(call layer,programs/common,$(POSIX)))
$(eval $(call layer,programs/recallmodel,$(POSIX) $$(GIT)))
$(eval $(call layer,programs/bench,$(POSIX)))
$(eval $(call layer,programs/describe,$(POSIX)))
$(eval $(call layer,programs/bench-cpu,$(OPENMP) $(POSIX)))
$(eval $(call layer,programs/recallmodel-bench,$(POSIX) $$(GIT)))
$(eval $(call layer,tests,$(POSIX) $$(TEST_FLAGS)))

# The instruction sets of an x86-64 for which kernels are compiled; which runs is found out at run
# time.
X86_64 := $(filter x86_64%,$(shell $(CC) -dumpmachine))
# With sanitizers the kernels would take a minute each at -O1, but 9 seconds at -O0 and without the
# checks of pointers that AddressSanitizer makes too. KERNELS_AT=-O1 pays for hours of fuzzing.
KERNELS_AT := -O0
LESS_CHECKED := $(KERNELS_AT) -fno-sanitize=alignment,null,object-size,pointer-overflow
CHECKED := $(if $(SANITIZE),$(LESS_CHECKED))
UNCHECKED := $(if $(SANITIZE),-fno-sanitize=all)
$(BUILD)/topk/isa_generic.o: ISA := $(CHECKED)
$(BUILD)/topk/isa_avx2.o: ISA := $(if $(X86_64),-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt) $(CHECKED)
$(BUILD)/topk/isa_avx512.o: ISA := $(if $(X86_64),-mavx512bw -mavx512vl -mavx512dq \
    -mavx512vbmi2 -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt) $(CHECKED)

SEE_TESTS = -I$(BUILD)/see/tests

$(MPI): sim/team/mpi.c | $(BUILD)/see/sim/.made
	@mkdir -p $(@D)
	$(say) MPICC $<
	$(Q)$(USE_CC) $(MPICC) $(BASE_FLAGS) $(CFLAGS) $(POSIX) -I$(BUILD)/see/sim -MMD -MP -c $< -o $@

# The profiles that come with the library, as C. The library's own reader reads them, so what it
# needs is built first.
WITHOUT_PROFILES := $(filter-out %/profiles.o %/stand_in.o,$(filter $(BUILD)/model/time/% \
    $(BUILD)/model/cost/% $(BUILD)/model/shape/%,$(MODEL)))
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

# The kernels are compiled twice: by nvcc for a GPU, and by the C++ compiler for the emulation,
# which the tests run.
$(BUILD)/gpu/%.o: gpu/%.cu | $(BUILD)/see/gpu/.made
	@mkdir -p $(@D)
	$(say) NVCC $<
	$(Q)$(NVCC) -std=c++17 $(NVCC_FLAGS) -Xcompiler -fPIC -I$(BUILD)/see/gpu \
	    -MD -MF $(@:.o=.d) -c $< -o $@

EMULATE_FLAGS := -std=c++17 -fPIC -Wall -Wextra -Wno-unknown-pragmas
$(BUILD)/gpu/emulated/%.o: gpu/%.cu | $(BUILD)/see/gpu/.made
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) -x c++ $(EMULATE_FLAGS) $(SANITIZE) $(or $(EMULATED_FLAGS),$(CFLAGS)) \
	    -I$(BUILD)/see/gpu -MMD -MP -c $< -o $@

$(BASE_LIBRARY): $(BASE)
$(COMMON_LIBRARY): $(COMMON)
$(GPU_LIBRARY): $(COMPILED)
$(BASE_LIBRARY) $(COMMON_LIBRARY) $(GPU_LIBRARY):
	$(say) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# ---- link

# All objects of the command except the team that runs a simulation: one process (SINGLE) or several
# (MPI). It loads the kernels of topk/ only where bench asks for them.
COMMAND_PARTS := $(COMMAND) $(BENCH) $(CPU_BENCH) $(COMMON) $(MODEL) $(CALIBRATE) $(ATTENTION) \
    $(SIM)
COMMAND_LIBS = $(GSL_LIBS) -lm -ldl -lpthread

$(PROGRAM): $(COMMAND_PARTS) $(SINGLE) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

$(PROGRAM_MPI): $(COMMAND_PARTS) $(MPI) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(USE_CC) $(MPICC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

# One object file whose hidden symbols are local, so that the internal names of the library cannot
# clash with those of a user.
$(STATIC): $(MODEL) $(BASE_LIBRARY)
$(STATIC_TOPK): $(TOPK)
$(STATIC) $(STATIC_TOPK): $(BUILD)/lib%.a:
	$(say) AR $@
	$(Q)$(LD) -r $^ -o $(BUILD)/$*.o
	$(Q)$(or $(OBJCOPY),objcopy) --localize-hidden $(BUILD)/$*.o
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(BUILD)/$*.o

SONAME = -Wl,-soname,$(@F:.$(VERSION)=.$(MAJOR))
$(SHARED): $(MODEL) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -shared $(SONAME) $^ -lm -o $@

# Top-k on a CPU. It needs the library of the model.
$(SHARED_TOPK): $(TOPK) $(SHARED)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) -shared $(SONAME) $^ -lm -o $@

# The simulation for the Python module. make install does not install it.
$(SHARED_SIM): $(SIM) $(SINGLE) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) -shared $^ -lm -o $@

# Sparse attention for the Python module; not installed either. It loads OpenBLAS when it is used.
$(SHARED_ATTENTION): $(ATTENTION) $(SIM) $(SINGLE) $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) -shared $^ -lm -ldl -lpthread -o $@

# The kernels for the Python module: those of a GPU, and for its tests the emulated ones. make
# install does not install them.
$(SHARED_GPU): $(COMPILED)
	$(say) LINK $@
	$(Q)$(NVCC) -shared $^ -o $@

$(SHARED_EMULATED): $(EMULATED)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) -shared $^ -lpthread -o $@

# Everything that a test can call: the command without its main().
PARTS := $(filter-out %/recallmodel/main.o,$(COMMAND_PARTS)) $(TOPK) $(SINGLE) $(BASE_LIBRARY)

TEST_CC = $(CC) $(BASE_FLAGS) $(CFLAGS) $(POSIX) $(SEE_TESTS) $(TEST_FLAGS) -MMD -MP
$(BUILD)/tests/%: tests/%.c $(PARTS) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(TEST_CC) $(OPENMP) $< $(filter %.o %.a,$^) $(LDFLAGS) $(TEST_LIBS) -lm -o $@

# The tests of top-k on a CPU share rows, watched memory and an oracle; bits.c is for a script. They
# link what they need alone. team.c takes the place of OpenMP for ThreadSanitizer.
TOPK_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/topk/test_topk_*.c) tests/topk/bits.c)
TOPK_RACES := $(addprefix $(BUILD)/tests/topk/test_topk_,callers calls choose)
TOPK_SHARED := $(addprefix $(BUILD)/tests/topk/,run.o cases.o oracle.o \
    $(if $(findstring thread,$(SANITIZE)),team.o))
$(TOPK_TESTS): $(BUILD)/tests/%: tests/%.c $(TOPK_SHARED) $(TOPK) $(MODEL) $(BASE_LIBRARY) \
    | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(TEST_CC) $(OPENMP) $< $(filter %.o %.a,$^) $(LDFLAGS) $(TEST_LIBS) -lm -o $@

# Not what is tested, and most of the time of these tests.
$(addprefix $(BUILD)/tests/topk/,oracle.o cases.o): TEST_FLAGS += -O2 $(UNCHECKED)

test-programs: $(BUILD)/tests/topk/bits
# A fuzzer is linked by make check-fuzz alone; that it still compiles is known at once.
test-programs: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c))
-include $(TOPK_SHARED:.o=.d)
$(BUILD)/fuzz/fuzz_topk: $(BUILD)/tests/topk/oracle.o

# The tests of the kernels, linked with the emulated kernels and, by `make gpu`, with the real ones.
$(EMULATED_TESTS): $(BUILD)/tests/gpu/%: $(BUILD)/tests/gpu/%.o $(EMULATED)
	$(say) TEST tests/gpu/$*.c
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) $^ $(TEST_LIBS) -lm -lpthread -o $@

$(GPU_TESTS): $(BUILD)/gpu/tests/%: $(BUILD)/tests/gpu/%.o $(GPU_LIBRARY)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(NVCC) $^ $(TEST_LIBS) -lm -o $@

# Only the sampling of the benchmark; the test has its own clock and its own GPU.
SAMPLER := tests/programs/test_sampler.c $(BUILD)/programs/bench/sampler.o
$(BUILD)/tests/programs/test_sampler: $(SAMPLER) $(BASE_LIBRARY) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(TEST_CC) $< $(filter %.o %.a,$^) $(LDFLAGS) $(TEST_LIBS) -lm -o $@

$(BUILD)/tests/%: tests/%.cc $(EMULATED) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(CXX) $(EMULATE_FLAGS) -Wno-missing-field-initializers $(SANITIZE) $(CFLAGS) $(SEE_TESTS) \
	    $(TEST_FLAGS) -MMD -MP $< $(filter %.o,$^) $(LDFLAGS) $(TEST_LIBS) -lm -lpthread -o $@

# The benchmark of the kernels is built twice, too: emulated for its tests, and for a GPU. Programs
# that measure print the state of the sources with their results: git describe, or the commit that
# the tarball of `make dist` was made of.
WITH_GIT := $(patsubst %,$(BUILD)/programs/%/main.o,recallmodel recallmodel-bench)
$(WITH_GIT): GIT = -DRCM_GIT='"$(shell cat $(BUILD)/git)"'
$(WITH_GIT): $(BUILD)/git
$(BUILD)/git: FORCE
	@mkdir -p $(@D)
	@state=$$(sed -n '/^[0-9a-f]\{40\}$$/s/^\(.......\).*/\1/p' packaging/commit 2>/dev/null); \
	[ "$$state" ] || state=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	[ "$$(cat $@ 2>/dev/null)" = "$$state" ] || echo "$$state" > $@

BENCH_PARTS := $(CUDA_BENCH) $(BENCH) $(MODEL) $(COMMON_LIBRARY) $(BASE_LIBRARY)
$(BUILD)/gpu/recallmodel-bench-emulated: $(EMULATED) $(BENCH_PARTS)
	$(say) LINK $@
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) $^ -lm -ldl -lpthread -o $@

$(BUILD)/gpu/recallmodel-bench: $(BENCH_PARTS) $(GPU_LIBRARY)
	$(say) LINK $@
	$(Q)$(NVCC) $(BENCH_PARTS) $(GPU_LIBRARY) -lm -ldl -o $@

BENCH_CC = $(CC) $(BASE_FLAGS) $(CFLAGS) $(OPENMP) $(POSIX) $(SEE_TESTS)
$(BUILD)/bench/%: tests/bench/%.c tests/bench/bench.h $(PARTS) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) BENCH $<
	$(Q)$(BENCH_CC) $(TEST_FLAGS) $< $(filter %.o %.a,$^) $(LDFLAGS) $(TEST_LIBS) -lm -o $@

ALL_OBJECTS := $(COMMAND_PARTS) $(TOPK) $(DESCRIBE) $(BASE) $(SINGLE) $(MPI) $(CUDA_BENCH) \
    $(EMULATED) \
    $(COMPILED) $(EMULATED_TESTS:=.o) $(TOPK_SHARED)
-include $(ALL_OBJECTS:.o=.d) $(TESTS:=.d)

NO_NVCC = echo "There is no nvcc here, so the GPU programs are not built." \
    "(make check runs the kernels in the emulation.)"
gpu:
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory -j2 gpu-programs,$(NO_NVCC))

gpu-programs: $(GPU_LIBRARY) $(SHARED_GPU) recallmodel-bench

# The tests of the real kernels, which need libcheck.
.PHONY: gpu-tests
gpu-tests: gpu
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory $(PARALLEL) $(GPU_TESTS),$(NO_NVCC))

recallmodel-bench: $(BUILD)/gpu/recallmodel-bench
	@cp -f $< $@

# ---- manual pages, completions, the reference of the commands, from the tables of options

# With another compiler's machine, what was built does not run here: then there are none, unless
# EMULATOR runs it ("qemu-aarch64 -L /usr/aarch64-linux-gnu").
EMULATOR ?=
THIS_MACHINE := $(filter $(shell uname -m)-%,$(shell $(CC) -dumpmachine))
MAN_BUILT := $(BUILD)/man/recallmodel.1
COMPLETIONS := $(addprefix $(BUILD)/completions/,recallmodel.bash _recallmodel recallmodel.fish)
MANUAL := $(if $(THIS_MACHINE)$(EMULATOR),$(MAN_BUILT) $(COMPLETIONS))
# The date of the pages, in seconds: that of the sources; today's where nobody knows it.
MAN_DATE = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}

$(BUILD)/describe: $(DESCRIBE) $(filter-out %/recallmodel/main.o,$(COMMAND_PARTS)) $(SINGLE) \
    $(BASE_LIBRARY)
	$(say) LINK $@
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(OPENMP) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

# A page a subcommand; the first is there when all are.
$(MAN_BUILT): $(BUILD)/describe
	@rm -rf $(@D) && mkdir -p $(@D)
	$(say) MAN $(@D)
	$(Q)$(EMULATOR) $< man $(@D) $(MAN_DATE)

$(BUILD)/completions/%: $(PROGRAM)
	@mkdir -p $(@D)
	$(Q)$(EMULATOR) $< completion $(or $(filter-out _%,$(subst .,,$(suffix $*))),zsh) > $@

.PHONY: manual reference
manual: $(MANUAL)

# The reference in Markdown: build/reference/commands/index.md, select.md and so on.
reference: $(BUILD)/reference/commands/index.md
$(BUILD)/reference/commands/index.md: $(BUILD)/describe
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)$(EMULATOR) $< markdown $(@D)

# ---- optional tools

# $(call tool,NAME,what it is for)
tool = @if command -v $(1) >/dev/null 2>&1; \
    then printf '  %-8s found      %s\n' $(1) "$(2)"; \
    else printf '  %-8s not found  without it: no %s\n' $(1) "$(2)"; fi

tools:
	@echo "optional tools:"
	@printf '  %-8s %s\n' GSL $(if $(HAS_GSL),found,"not found  without it: no calibrate")
	$(call tool,nvcc,GPU kernels and their benchmark: make gpu)
	$(call tool,mpicc,recallmodel-mpi)
	$(call tool,gnuplot,pictures (make figures))
	$(call tool,jupyter,executed notebooks (make notebooks installs it))

# ---- install missing packages, then build and run

# PACKAGES="NAME ..": these packages; without it those of packages.txt.
packages:
	@tools/install_packages.sh $(PACKAGES)

# clang-format, version 14, over every C and CUDA file.
.PHONY: format
format:
	@tools/style.py --format

# The command alone: it needs the few packages that packages.txt names first.
demo:
	@tools/install_packages.sh --build
	@$(MAKE) --no-print-directory $(PARALLEL) recallmodel
	./recallmodel --n 262144 --k 1024 --kb 4

# The tests that `make check` runs with CASES=few, in a short form; `make check-all` runs them in
# full. A test belongs here if it takes more than some ten seconds. In full, in CPU seconds on
# 2026-11-22: figures 80, simulate.sh 50, recall_lower 22, contenders 18, gpu_bench 17, threshold
# 16, fit 16, exact 15, python 14, valgrind 13, fused 7, completion 6, stage1 4. manual has packages
# that only check-rest installs.
SHORTENED := $(addprefix $(BUILD)/tests/,$(addprefix calibrate/test_,fit hidden) \
        sim/test_recall_lower \
        $(addprefix gpu/test_,stage1 exact topk_gpu fused) \
        $(addprefix topk/test_,smoke $(addprefix topk_,calls callers choose edges large refusals)) \
        $(addprefix model/test_,contenders reverse select_time threshold)) \
    $(patsubst %,tests/programs/test_%.sh,calls completion gpu_bench manual plot sentences \
        simulate valgrind) \
    tests/topk/test_topk_machines.sh \
    tests/figures/test_figures.sh tests/python/test_python.sh tests/docs/test_pages.sh
JOBS ?= 2
# A -j on the command line takes precedence over JOBS.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
TEST_LIMIT_S ?= 600

check: packages
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs
	@CASES=few $(MAKE) --no-print-directory run-tests

.PHONY: print-shortened
print-shortened:
	@echo $(SHORTENED)

# What `make check` leaves out: the programs that nvcc builds, the shortened tests in full, and
# completion in zsh and fish, and what mandoc says of the manual.
check-rest: packages
	@tools/install_packages.sh zsh fish groff-base mandoc
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs
	@$(MAKE) --no-print-directory gpu-tests
	@$(MAKE) --no-print-directory run-tests RUN="$(SHORTENED)"

check-all: packages
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs
	@$(MAKE) --no-print-directory gpu-tests
	@$(MAKE) --no-print-directory run-tests

.PHONY: check-rest check-all test-programs
test-programs: $(PROGRAM) $(STATIC) $(SHARED) $(SHARED_SIM) $(SHARED_ATTENTION) $(TESTS) \
    $(STATIC_TOPK) $(SHARED_TOPK) $(SHARED_EMULATED) \
    $(BUILD)/gpu/recallmodel-bench-emulated $(BUILD)/describe

# Runs every test, also after one that fails, and then names those that failed.
# RUN="tests/programs/test_plot.sh ..": only these.
RUN ?= $(TESTS) $(TEST_SCRIPTS)
run-tests: test-programs
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) CC="$(CC)" SANITIZE="$(SANITIZE)" \
	    JOBS=$(JOBS) LIMIT_S=$(TEST_LIMIT_S) tests/run.sh $(RUN)

# The answers in README.md and docs/, as the commands print them today.
.PHONY: docs-answers
docs-answers: $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) tests/docs/answers.sh --write README.md $(wildcard docs/*.md)

# The golden files, as the commands print them today.
.PHONY: golden
golden: $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) tests/programs/test_golden.sh --write

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

SANITIZED = BUILD=build/sanitize CFLAGS="-O1 -g" SANITIZE="$(SANITIZERS)"
check-sanitize: packages
	@$(MAKE) --no-print-directory $(PARALLEL) $(SANITIZED) test-programs
	@$(MAKE) --no-print-directory $(SANITIZED) TEST_LIMIT_S=1800 run-sanitized

# The sanitizers watch memory, which the short form of a test uses as the long one does. The kernels
# of topk/ are tried in full: there a fault may hide in a rare length or type.
.PHONY: run-sanitized
IN_FULL = $(filter $(BUILD)/tests/topk/%,$(TESTS))
run-sanitized: test-programs
	@CASES=few $(MAKE) --no-print-directory run-tests \
	    RUN="$(filter-out $(IN_FULL),$(TESTS) $(TEST_SCRIPTS))"
	@$(MAKE) --no-print-directory run-tests RUN="$(IN_FULL)"

# The kernels with one thread of the system for each CUDA thread, under ThreadSanitizer: two threads
# that touch the same shared memory need a barrier between them. And top-k on a CPU.
check-races: packages
	@$(MAKE) --no-print-directory BUILD=build/races SANITIZE=-fsanitize=thread \
	    EMULATED_FLAGS="-O1 -g -DRCM_EMULATE_THREADS" run-races

.PHONY: run-races
run-races: $(EMULATED_TESTS) $(TOPK_RACES)
	@CASES=few JOBS=$(JOBS) LIMIT_S=1800 tests/run.sh $^

# On a machine with a GPU: the same tests on the real kernels, and under the memory checkers of
# CUDA.
check-gpu: packages
	@$(MAKE) --no-print-directory gpu-tests
	@for test in $(GPU_TESTS); do CK_FORK=no $$test || exit 1; done
	@for tool in memcheck racecheck initcheck synccheck; do for test in $(GPU_TESTS); do \
	    echo "== $$tool, $$test"; \
	    CASES=few CK_FORK=no compute-sanitizer --tool $$tool --error-exitcode 9 $$test || exit 1; \
	done; done

# Each fuzzer runs FUZZ_SECONDS (0: without an end) under AddressSanitizer and
# UndefinedBehaviorSanitizer, or FUZZ_RUNS inputs. FUZZERS=build/fuzz/fuzz/fuzz_topk is this one
# alone. With FUZZ_SEED=0 every run draws other inputs; .ci/run fixes the seed, so that an older
# fault does not stop a change.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
FUZZ_RUNS ?=
FUZZ_CC := clang
# fuzzer-no-link: libFuzzer sees which lines of the libraries an input reaches.
FUZZED = BUILD=build/fuzz CC=$(FUZZ_CC) CFLAGS="-O1 -g" \
    SANITIZE="$(SANITIZERS) -fsanitize=fuzzer-no-link"

check-fuzz: packages
	@tools/install_packages.sh clang libclang-rt-dev
	@$(MAKE) --no-print-directory $(FUZZED) run-fuzz

$(BUILD)/fuzz/%: tests/fuzz/%.c $(PARTS) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) FUZZER $<
	$(Q)$(BENCH_CC) -fsanitize=fuzzer $< $(filter %.o %.a,$^) $(LDFLAGS) $(COMMAND_LIBS) -o $@

run-fuzz: $(FUZZERS)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) FUZZ_RUNS=$(FUZZ_RUNS) \
	    tools/run_fuzzers.sh $^

# Measures on the GPU of this machine, each part for at most MINUTES. The same command again
# continues where it stopped. PARTS="roof targets": only these parts.
MINUTES ?= 9
gpu-run: gpu
	@MINUTES=$(MINUTES) gpu/run.sh $(PARTS)

# Before minutes of work: what it lacks, and the line that installs it.
.PHONY: need-gnuplot
need-gnuplot:
	@command -v gnuplot >/dev/null || { echo "make figures needs gnuplot:" \
	    "tools/install_packages.sh gnuplot-nox; plots/make.sh --csv makes the numbers alone" >&2; \
	    exit 2; }

# The figures of the papers, into paper_figures/: all, or one with make figures/key-06.
.PHONY: figures
figures: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.sh

figures/%: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/make.sh $*

# make figure FIGURE=key-06 N=8192 RHO=0:0.1:0.9: the same with other numbers, into build/figures.
.PHONY: figure
figure: need-gnuplot all
	@RECALLMODEL=$(PROGRAM) plots/vary.sh $(FIGURE) \
	    $(filter-out FIGURE=% BUILD=% CC=% CFLAGS=% JOBS=% V=%,$(MAKEOVERRIDES))

# The notebooks, each executed from its first cell, as HTML in build/notebooks. An error in a cell
# is an error.
.PHONY: notebooks run-notebooks
NOTEBOOK_PAGES := $(patsubst notebooks/%.ipynb,$(BUILD)/notebooks/%.html, \
    $(wildcard notebooks/*.ipynb))
PYTHON ?= /usr/bin/python3

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

# Real documents through a real model, into OUT (docs/real-tensors.md). The model, 98 MB, comes from
# PyPI into a virtual environment. ARGS="--documents essay --layers all": options of the program;
# ARGS=--help prints them. WHAT=perplexity, after make: their perplexity with sparse attention, into
# the CSV file OUT.
OUT ?= $(BUILD)/real-tensors
REAL_ENV := $(BUILD)/real-tensors-env
.PHONY: real-tensors
real-tensors: packages
	@$(MAKE) --no-print-directory $(REAL_ENV)/.made
	@PYTHONPATH=tools:python PYTHONDONTWRITEBYTECODE=1 $(REAL_ENV)/bin/python \
	    -m real_tensors$(addprefix .,$(WHAT)) --out "$(OUT)" $(ARGS)

$(REAL_ENV)/.made: tools/real_tensors/requirements.txt
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --without-pip --system-site-packages $(@D)
	$(Q)$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

# Parts of the Makefile that stand with what they make. A copy of some of the folders, as tests make
# it, has not all of them.
#   tools/peers  make bench-cpu, make peers
#   page         make page, make check-page
#   packaging    make dist, wheel, sdist, deb, check-packages, check-portable
#   site         make docs, make check-site
include $(wildcard tools/peers/peers.mk page/page.mk packaging/packaging.mk site/site.mk)

bench: packages
	@$(MAKE) --no-print-directory run-bench

run-bench: $(BENCHES)
	@for b in $(BENCHES); do $$b; done

# ---- install

BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(LIBDIR)
INCLUDE := $(DESTDIR)$(PREFIX)/include
MAN := $(DESTDIR)$(PREFIX)/share/man/man1
SHARE := $(DESTDIR)$(PREFIX)/share/recallmodel
BASH_COMPLETION := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETION := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
MEASURED := $(wildcard runs/index.csv runs/*/*)
PARTS_OF_HEADER := $(wildcard model/recallmodel/*.h)
FILL_IN := -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|'
# What `make gpu` builds is installed if it is there.
INSTALL_GPU := $(wildcard $(BUILD)/gpu/recallmodel-bench)

install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE)/recallmodel $(MAN)
	install -m 755 $(PROGRAM) $(if $(HAS_MPI),$(PROGRAM_MPI)) $(BIN)/
	install -m 644 $(STATIC) $(STATIC_TOPK) $(LIB)/
	install -m 755 $(SHARED) $(SHARED_TOPK) $(LIB)/
	for name in librecallmodel librecallmodel-topk; do \
	    ln -sf $$name.so.$(VERSION) $(LIB)/$$name.so.$(MAJOR) && \
	    ln -sf $$name.so.$(MAJOR) $(LIB)/$$name.so || exit 1; done
	install -m 644 model/recallmodel.h $(INCLUDE)/
	sed 's|<model/recallmodel.h>|<recallmodel.h>|' topk/topk.h > $(INCLUDE)/topk.h
	install -m 644 $(PARTS_OF_HEADER) $(INCLUDE)/recallmodel/
	$(if $(INSTALL_GPU),install -m 644 $(GPU_LIBRARY) $(LIB)/)
	$(if $(INSTALL_GPU),install -m 644 gpu/topk_gpu.h $(INCLUDE)/)
	$(if $(INSTALL_GPU),install -m 755 $(INSTALL_GPU) $(BIN)/)
	sed $(FILL_IN) model/recallmodel.pc.in > $(LIB)/pkgconfig/recallmodel.pc
	sed $(FILL_IN) topk/recallmodel-topk.pc.in > $(LIB)/pkgconfig/recallmodel-topk.pc
	$(if $(MANUAL),@$(MAKE) --no-print-directory install-manual)
	for file in $(MEASURED); do install -D -m 644 $$file $(SHARE)/$$file || exit 1; done

# bash and fish look for the completion of a command by its name.
.PHONY: install-manual
install-manual: $(MANUAL)
	install -d $(MAN) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	install -m 644 $(BUILD)/man/*.1 $(MAN)/
	install -m 644 $(BUILD)/completions/recallmodel.bash $(BASH_COMPLETION)/recallmodel
	install -m 644 $(BUILD)/completions/_recallmodel $(ZSH_COMPLETION)/
	install -m 644 $(BUILD)/completions/recallmodel.fish $(FISH_COMPLETION)/
	$(if $(HAS_MPI),ln -sf recallmodel.1 $(MAN)/recallmodel-mpi.1)
	$(if $(HAS_MPI),ln -sf recallmodel $(BASH_COMPLETION)/recallmodel-mpi)
	$(if $(HAS_MPI),ln -sf recallmodel.fish $(FISH_COMPLETION)/recallmodel-mpi.fish)

uninstall:
	rm -f $(addprefix $(BIN)/,recallmodel recallmodel-mpi recallmodel-bench) \
	    $(LIB)/librecallmodel-gpu.a $(LIB)/librecallmodel.a $(LIB)/librecallmodel.so* \
	    $(LIB)/librecallmodel-topk.a $(LIB)/librecallmodel-topk.so* $(INCLUDE)/topk.h \
	    $(INCLUDE)/topk_gpu.h $(INCLUDE)/recallmodel.h \
	    $(patsubst model/%,$(INCLUDE)/%,$(PARTS_OF_HEADER)) \
	    $(LIB)/pkgconfig/recallmodel.pc $(LIB)/pkgconfig/recallmodel-topk.pc $(MAN)/recallmodel.1 \
	    $(MAN)/recallmodel-*.1 $(ZSH_COMPLETION)/_recallmodel \
	    $(addprefix $(BASH_COMPLETION)/,recallmodel recallmodel-mpi) \
	    $(addprefix $(FISH_COMPLETION)/,recallmodel.fish recallmodel-mpi.fish) \
	    $(addprefix $(SHARE)/,$(MEASURED))
	-rmdir $(INCLUDE)/recallmodel $(SHARE)/runs/* $(SHARE)/runs $(SHARE) 2>/dev/null

clean:
	rm -rf build recallmodel recallmodel-mpi recallmodel-bench python/recallmodel.egg-info

help:
	@cat tools/make_help.txt
