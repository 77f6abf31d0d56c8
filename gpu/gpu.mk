# gpu.mk - a part of the Makefile: the kernels, for a GPU and emulated, their tests and their
# benchmark.
#
# SPDX-License-Identifier: Apache-2.0

# Machine code for sm_80 and sm_90a, and PTX for later GPUs. The CUDA runtime is linked statically,
# so that a program starts on a machine without a GPU. .ci/run has none, and takes sm_90 alone.
NVCC ?= nvcc
HAS_NVCC := $(shell command -v $(NVCC) 2>/dev/null)
NVCC_OPTIMIZE ?= -O3
NVCC_FLAGS ?= $(NVCC_OPTIMIZE) -lineinfo --threads 2 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90,code=compute_90

.PHONY: gpu gpu-programs gpu-tests gpu-run gpu-bundle check-gpu

GPU_LIBRARY := $(BUILD)/librecallmodel-gpu.a
SHARED_GPU := $(BUILD)/librecallmodel-gpu.so.$(VERSION)
SHARED_EMULATED := $(BUILD)/gpu/librecallmodel-gpu-emulated.so
CUDA := $(wildcard gpu/kernels/*.cu gpu/products/*.cu gpu/host/*.cu)
EMULATED := $(patsubst gpu/%.cu,$(BUILD)/gpu/emulated/%.o,$(CUDA))
COMPILED := $(patsubst gpu/%.cu,$(BUILD)/gpu/%.o,$(CUDA))
GPU_TESTS := $(patsubst tests/gpu/%.c,$(BUILD)/gpu/tests/%,$(wildcard tests/gpu/test_*.c))
EMULATED_TESTS := $(GPU_TESTS:$(BUILD)/gpu/tests/%=$(BUILD)/tests/gpu/%)
CUDA_BENCH := $(call objects,programs/recallmodel-bench)
MORE_OBJECTS += $(EMULATED) $(COMPILED) $(EMULATED_TESTS:=.o) $(CUDA_BENCH)

# The kernels are compiled twice: by nvcc for a GPU, and by the C++ compiler for the emulation,
# which the tests run.
$(BUILD)/gpu/%.o: gpu/%.cu $(BUILD)/gpu/.flags | $(BUILD)/see/gpu/.made
	@mkdir -p $(@D)
	$(say) NVCC $<
	$(Q)$(NVCC) -std=c++17 $(NVCC_FLAGS) -Xcompiler -fPIC -I$(BUILD)/see/gpu \
	    -MD -MF $(@:.o=.d) -c $< -o $@

# With other flags they are compiled anew.
$(BUILD)/gpu/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(NVCC_FLAGS)' | cmp -s - $@ || echo '$(NVCC_FLAGS)' >$@

EMULATE_FLAGS := -std=c++17 -fPIC -Wall -Wextra -Wno-unknown-pragmas
$(BUILD)/gpu/emulated/%.o: gpu/%.cu | $(BUILD)/see/gpu/.made
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) -x c++ $(EMULATE_FLAGS) $(SANITIZE) $(or $(EMULATED_FLAGS),$(CFLAGS)) \
	    -I$(BUILD)/see/gpu -MMD -MP -c $< -o $@

$(GPU_LIBRARY): $(COMPILED)

# The kernels for the Python module: those of a GPU, and for its tests the emulated ones. make
# install does not install them.
$(SHARED_GPU): $(COMPILED)
	$(say) LINK $@
	$(Q)$(NVCC) -shared -nodlink -Xlinker -soname=$(@F) $^ -o $@

# What runs on a GPU finds that library in the build folder, from the top of the tree too, and in a
# bundle.
empty :=
PLACES := $(addprefix $$ORIGIN/,.. ../.. build recallmodel ../recallmodel)
FIND_GPU := -Xlinker $(SHARED_GPU) -Xlinker -rpath='$(subst $(empty) ,:,$(PLACES))'

$(SHARED_EMULATED): $(EMULATED)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) -shared $^ -lpthread -o $@

# The tests of the kernels, linked with the emulated kernels and, by `make gpu`, with the real ones.
$(EMULATED_TESTS): $(BUILD)/tests/gpu/%: $(BUILD)/tests/gpu/%.o $(EMULATED)
	$(say) TEST tests/gpu/$*.c
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) $^ $(TEST_LIBS) -lm -lpthread -o $@

# libcheck alone, and that statically: they also run where it is not installed.
GPU_TEST_LIBS = $(patsubst -lsubunit,-l:libsubunit.a,$(shell pkg-config --libs check)) -lpthread
$(GPU_TESTS): $(BUILD)/gpu/tests/%: $(BUILD)/tests/gpu/%.o $(SHARED_GPU)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(NVCC) $(filter %.o,$^) $(FIND_GPU) $(GPU_TEST_LIBS) -lm -o $@

$(BUILD)/tests/%: tests/%.cc $(EMULATED) $(MODEL) $(BASE_LIBRARY) | $(BUILD)/see/tests/.made
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(CXX) $(EMULATE_FLAGS) -Wno-missing-field-initializers $(SANITIZE) $(CFLAGS) $(SEE_TESTS) \
	    $(TEST_FLAGS) -MMD -MP $< $(filter %.o %.a,$^) $(LDFLAGS) $(TEST_LIBS) -lm -lpthread -o $@

# The benchmark of the kernels is built twice, too: emulated for its tests, and for a GPU.
BENCH_PARTS := $(CUDA_BENCH) $(BENCH) $(MODEL) $(BUILD)/libcommon.a $(BASE_LIBRARY)
$(BUILD)/gpu/recallmodel-bench-emulated: $(EMULATED) $(BENCH_PARTS)
	$(say) LINK $@
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) $^ -lm -ldl -lpthread -o $@

# The same as a library, for recallmodel/_bench.py, whose peers are written in Python.
BENCH_EMULATED := $(BUILD)/gpu/librecallmodel-bench-emulated.so
$(BENCH_EMULATED): $(EMULATED) $(BENCH_PARTS)
	$(say) LINK $@
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) -shared $^ -lm -ldl -lpthread -o $@

$(BUILD)/gpu/librecallmodel-bench.so: $(BENCH_PARTS) $(SHARED_GPU)
	$(say) LINK $@
	$(Q)$(NVCC) -shared $(BENCH_PARTS) $(FIND_GPU) -lm -ldl -o $@

# For a bundle, in which the tests share that library; the program that is installed has its own.
$(BUILD)/gpu/bundle/recallmodel-bench: $(BENCH_PARTS) $(SHARED_GPU)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(NVCC) $(BENCH_PARTS) $(FIND_GPU) -lm -ldl -o $@

$(BUILD)/gpu/recallmodel-bench: $(BENCH_PARTS) $(GPU_LIBRARY)
	$(say) LINK $@
	$(Q)$(NVCC) $(BENCH_PARTS) $(GPU_LIBRARY) -lm -ldl -o $@

NO_NVCC = echo "There is no nvcc here, so the GPU programs are not built." \
    "(make check runs the kernels in the emulation.)"
gpu:
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory -j2 gpu-programs,$(NO_NVCC))

gpu-programs: $(GPU_LIBRARY) $(SHARED_GPU) recallmodel-bench

# The tests of the real kernels, which need libcheck.
gpu-tests: gpu
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory $(PARALLEL) $(GPU_TESTS),$(NO_NVCC))

recallmodel-bench: $(BUILD)/gpu/recallmodel-bench
	@cp -f $< $@

# Measures on the GPU of this machine by gpu/plan.ini, into gpu/runs/NAME, by default CARD-DATE. The
# same command again goes on where it stopped. PARTS="roof targets": only these rows.
NAME ?= $(shell $(BUILD)/gpu/recallmodel-bench device | tr A-Z a-z | \
    sed 's/^nvidia //; s/[^a-z0-9]/-/g')-$(shell date -u +%Y-%m-%d)
SECONDS_IN_ALL ?= 1200
gpu-run: gpu $(BUILD)/gpu/librecallmodel-bench.so
	@gpu/run_plan.py --out gpu/runs/$(NAME) --seconds $(SECONDS_IN_ALL) \
	    --only "$$(echo $(PARTS) | tr ' ' ,)"

# A folder for a machine with a GPU and nothing else, for the GPUs ARCHS (docs/gpu.md, section 7).
ARCHS ?= 90a
GENCODE = $(foreach arch,$(ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch))
BUNDLE_FLAGS = $(NVCC_OPTIMIZE) -lineinfo --threads 2 $(GENCODE)
gpu-bundle: packages
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory all gpu-tests gpu-peers \
	    $(BUILD)/gpu/librecallmodel-bench.so $(BUILD)/gpu/bundle/recallmodel-bench \
	    PEER_ARCHS="$(ARCHS)" NVCC_FLAGS="$(BUNDLE_FLAGS)",$(NO_NVCC))
	@$(if $(HAS_NVCC),gpu/bundle.sh $(BUILD) $(BUILD)/gpu-bundle)

# On a machine with a GPU: the same tests on the real kernels, and under the memory checkers of
# CUDA.
check-gpu: packages
	@$(MAKE) --no-print-directory gpu-tests
	@for test in $(GPU_TESTS); do CK_FORK=no $$test || exit 1; done
	@for tool in memcheck racecheck initcheck synccheck; do for test in $(GPU_TESTS); do \
	    echo "== $$tool, $$test"; \
	    CASES=few CK_FORK=no compute-sanitizer --tool $$tool --error-exitcode 9 $$test || exit 1; \
	done; done
