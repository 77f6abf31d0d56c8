# tests.mk - a part of the Makefile: the tests, how they are built and run and under what, and the
# benchmarks.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: check check-one check-rest check-all test-programs test-command build-tests run-tests
.PHONY: check-sanitize run-sanitized check-mutants check-races run-races check-fuzz run-fuzz
.PHONY: bench run-bench docs-answers golden

TEST_FILES := $(sort $(wildcard tests/*/test_* tests/*/*/test_*))
TESTS := $(patsubst %.c,$(BUILD)/%,$(filter %.c,$(TEST_FILES))) \
    $(patsubst %.cc,$(BUILD)/%,$(filter %.cc,$(TEST_FILES)))
TEST_SCRIPTS := $(filter %.sh,$(TEST_FILES))
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))

TEST_FLAGS = $(shell pkg-config --cflags check jansson gsl gmp)
TEST_LIBS = $(shell pkg-config --libs check jansson gsl gmp) -ldl -lpthread

SEE_TESTS = -I$(BUILD)/see/tests

# Everything that a test can call: the command without its main(). A test links what it needs.
PARTS := $(BUILD)/libparts.a
$(PARTS): $(filter-out %/recallmodel/main.o,$(COMMAND_PARTS)) $(TOPK) $(SINGLE) $(BASE)

# The objects first, because they need the archive.
PARTS_OF_TEST = $(filter %.o,$^) $(filter %.a,$^)
TEST_CC = $(CC) $(BASE_FLAGS) $(CFLAGS) $(POSIX) $(SEE_TESTS) $(TEST_FLAGS) -MMD -MP
define test_program
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(TEST_CC) $(OPENMP) $< $(PARTS_OF_TEST) $(LDFLAGS) $(TEST_LIBS) -lm -o $@
endef
$(BUILD)/tests/%: tests/%.c $(PARTS) | $(BUILD)/see/tests/.made
	$(test_program)

# The tests of top-k on a CPU share rows, watched memory and an oracle; bits.c is for a script.
# They need a small part of the whole, which other compilers and machines build for them.
TOPK_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/topk/test_topk_*.c) tests/topk/bits.c)
TOPK_RACES := $(addprefix $(BUILD)/tests/topk/test_topk_,callers calls choose team)
TOPK_SHARED := $(addprefix $(BUILD)/tests/topk/,run.o cases.o oracle.o)
TOPK_PARTS := $(BUILD)/libtopk-parts.a
$(TOPK_PARTS): $(TOPK) $(MODEL) $(BASE)
$(TOPK_TESTS): $(BUILD)/tests/%: tests/%.c $(TOPK_SHARED) $(TOPK_PARTS) | $(BUILD)/see/tests/.made
	$(test_program)

# Not what is tested, and most of the time of these tests.
$(addprefix $(BUILD)/tests/topk/,oracle.o cases.o): TEST_FLAGS += -O2 $(UNCHECKED)

# A fuzzer is linked by make check-fuzz alone; that it still compiles is known at once.
FUZZ_OBJECTS := $(call objects,tests/fuzz)
MORE_OBJECTS += $(FUZZ_OBJECTS)
test-programs: $(FUZZ_OBJECTS)
-include $(BUILD)/tests/topk/bits.d
MORE_OBJECTS += $(TOPK_SHARED)
$(BUILD)/fuzz/fuzz_topk: $(BUILD)/tests/topk/oracle.o

BENCH_CC = $(CC) $(BASE_FLAGS) $(CFLAGS) $(OPENMP) $(POSIX) $(SEE_TESTS)
$(BUILD)/bench/%: tests/bench/%.c tests/bench/bench.h $(PARTS) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) BENCH $<
	$(Q)$(BENCH_CC) $(TEST_FLAGS) $< $(PARTS_OF_TEST) $(LDFLAGS) $(TEST_LIBS) -lm -o $@

# A test of more than some seconds has a short form, which `make check` runs with CASES=few, or says
# in its head "Slow:", and `make check` leaves it out.
as_tests = $(patsubst %.c,$(BUILD)/%,$(filter %.c,$(1))) \
    $(patsubst %.cc,$(BUILD)/%,$(filter %.cc,$(1))) $(filter %.sh,$(1))
SHORTENED := $(call as_tests,$(shell grep -l 'CASES\|few_cases()\|is_tested' $(TEST_FILES)))
SLOW := $(call as_tests,$(shell grep -l '^\($(HASH)\| \*\) Slow: ' $(TEST_FILES)))
TEST_LIMIT_S ?= 600

check: packages
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs
	@CASES=few $(MAKE) --no-print-directory run-tests \
	    RUN="$(filter-out $(SLOW),$(TESTS) $(TEST_SCRIPTS))"

# TEST=model/test_cost: the tests of this name, in C, shell or Python, below a folder of that name.
ONE = $(shell find tests -path 'tests/*$(subst /,*/,$(basename $(TEST))).*' -name 'test_*')
check-one: $(BUILD)/.can-test
	@[ -n '$(TEST)' ] && [ -n '$(ONE)' ] || \
	    { echo "There is no test $(TEST); tools/list_tests.py lists them" >&2; exit 2; }
	@$(MAKE) --no-print-directory $(PARALLEL) run-tests \
	    RUN="$(call as_tests,$(ONE)) $(filter %.py,$(ONE))"

$(BUILD)/.can-test: $(BUILD)/.can-build
	$(call find_headers,check.h gmp.h gsl/gsl_version.h,$(TEST_FLAGS),make packages)

# What `make check` leaves out: the programs that nvcc builds, the slow tests, the shortened ones in
# full, completion in zsh and fish, and what mandoc says of the manual.
check-rest: packages
	@tools/install_packages.sh zsh fish groff-base mandoc
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs $(REAL_ENV)/.readers
	@$(MAKE) --no-print-directory gpu-tests
	@$(MAKE) --no-print-directory run-tests RUN="$(sort $(SLOW) $(SHORTENED))"

check-all: packages
	@$(MAKE) --no-print-directory $(PARALLEL) all test-programs
	@$(MAKE) --no-print-directory gpu-tests
	@$(MAKE) --no-print-directory run-tests

# What tests that are scripts run.
test-command: $(PROGRAM) $(STATIC) $(SHARED) $(SHARED_SIM) $(SHARED_ATTENTION) $(SHARED_BENCH) \
    $(STATIC_TOPK) $(SHARED_TOPK) $(SHARED_EMULATED) $(BUILD)/gpu/recallmodel-bench-emulated \
    $(BENCH_EMULATED) $(BUILD)/describe $(BUILD)/tests/topk/bits

test-programs: test-command $(TESTS)

# $(call needs,TESTS): a test in C itself, and what scripts and the tests of the command run.
needs = $(filter $(BUILD)/%,$(1)) \
    $(if $(filter-out $(BUILD)/%,$(1)),test-command) \
    $(if $(filter $(BUILD)/tests/programs/%,$(1)),$(PROGRAM) $(SHARED))

# Runs every test, also after one that fails, and then names those that failed.
# RUN="tests/programs/test_plot.sh ..": only these.
RUN ?= $(TESTS) $(TEST_SCRIPTS)
build-tests: $(call needs,$(RUN))
run-tests: build-tests
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) CC="$(CC)" SANITIZE="$(SANITIZE)" \
	    JOBS=$(JOBS) LIMIT_S=$(TEST_LIMIT_S) tests/run.sh $(RUN)

# The answers in README.md and docs/, as the commands print them today.
docs-answers: $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) tests/docs/answers.sh --write README.md $(wildcard docs/*.md)

# The golden files, as the commands print them today.
golden: $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) tests/programs/test_golden.sh --write

# Changes lines at random in a copy of the tree and says which test notices. COUNT=5: five lines.
COUNT ?= 20
check-mutants: packages
	@tools/mutants.py --count $(COUNT)

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

SANITIZED = BUILD=build/sanitize CFLAGS="-O1 -g1" SANITIZE="$(SANITIZERS)"
check-sanitize: packages
	@$(MAKE) --no-print-directory $(PARALLEL) $(SANITIZED) test-programs
	@$(MAKE) --no-print-directory $(SANITIZED) TEST_LIMIT_S=1800 run-sanitized

# The sanitizers watch memory, which the short form of a test uses as the long one does; rare
# lengths and types of topk/ are the fuzzer's. Figures and pages are left out: what they run is run
# elsewhere. So are the tests of the house, which run no program of ours.
run-sanitized: test-programs
	@CASES=few $(MAKE) --no-print-directory run-tests \
	    RUN="$(filter-out $(addprefix tests/,docs/% figures/% house/%), $(TESTS) $(TEST_SCRIPTS))"

# The kernels with one thread of the system for each CUDA thread, under ThreadSanitizer: two threads
# that touch the same shared memory need a barrier between them. What fills rows shares none. And
# top-k on a CPU.
check-races: packages
	@$(MAKE) --no-print-directory BUILD=build/races SANITIZE=-fsanitize=thread \
	    EMULATED_FLAGS="-O1 -g1 -DRCM_EMULATE_THREADS" run-races

run-races: $(filter-out %/test_inputs %/test_input_distributions,$(EMULATED_TESTS)) $(TOPK_RACES)
	@CASES=few CK_TIMEOUT_MULTIPLIER=6 JOBS=$(JOBS) LIMIT_S=1800 tests/run.sh $^

# Each fuzzer runs FUZZ_SECONDS (0: without an end) under AddressSanitizer and
# UndefinedBehaviorSanitizer, or FUZZ_RUNS inputs. FUZZERS=build/fuzz/fuzz/fuzz_topk is this one
# alone. With FUZZ_SEED=0 every run draws other inputs; .ci/run fixes the seed, so that an older
# fault does not stop a change.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
FUZZ_RUNS ?=
FUZZ_CC := clang
# fuzzer-no-link: libFuzzer sees which lines of the libraries an input reaches.
FUZZED = BUILD=build/fuzz CC=$(FUZZ_CC) CFLAGS="-O1 -g1" \
    SANITIZE="$(SANITIZERS) -fsanitize=fuzzer-no-link"

check-fuzz: packages
	@tools/install_packages.sh clang libclang-rt-dev
	@$(MAKE) --no-print-directory $(FUZZED) run-fuzz

$(BUILD)/fuzz/%: tests/fuzz/%.c $(PARTS) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) FUZZER $<
	$(Q)$(BENCH_CC) -fsanitize=fuzzer $< $(PARTS_OF_TEST) $(LDFLAGS) $(COMMAND_LIBS) -o $@

run-fuzz: $(FUZZERS)
	@JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) FUZZ_RUNS=$(FUZZ_RUNS) \
	    tools/run_fuzzers.sh $^

bench: packages
	@$(MAKE) --no-print-directory run-bench

run-bench: $(BENCHES)
	@for b in $(BENCHES); do $$b; done
