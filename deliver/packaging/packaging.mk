# packaging.mk - a part of the Makefile: what is given to others. docs/packages.md says which
# package is for whom.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: dist deb check-packages
# Each block adds its tests, in a line check-packages: check-NAME.

# ---- dist

# The source tarball of the commit that is checked out, the list of components in SPDX (SBOM), and
# the sums of both.
dist:
	@deliver/packaging/dist.sh $(VERSION) $(BUILD)/dist

.PHONY: check-dist
check-packages: check-dist
check-dist: dist
	@JOBS=$(JOBS) deliver/packaging/test_dist.sh $(BUILD)/dist/recallmodel-$(VERSION).tar.gz

# Whether others' tools read the SBOM: those of SPDX, from PyPI.
SBOM_ENV := $(BUILD)/sbom-env
.PHONY: check-sbom
check-packages: check-sbom
check-sbom: dist $(SBOM_ENV)/.made
	@$(SBOM_ENV)/bin/python $(SBOM_ENV)/bin/pyspdxtools \
	    -i $(BUILD)/dist/recallmodel-$(VERSION).spdx.json --version SPDX-2.3
	@echo "the tools of SPDX accept the SBOM"

$(SBOM_ENV)/.made: deliver/packaging/sbom_requirements.txt
	@tools/install_packages.sh python3-venv python3-pip
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --without-pip $(@D)
	$(Q)$(PYTHON) -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check -r $<
	@touch $@

# ---- debian

# The Debian packages, from the tarball.
BUILD_DEPENDS = $(shell sed -n '/^Build-Depends:/,/^Stand/s/^.* \([a-z][a-z0-9-]*\).*/\1/p' \
    deliver/packaging/debian/control | sed 's/debhelper-compat/debhelper/')
deb: dist
	@tools/install_packages.sh dpkg-dev lintian $(BUILD_DEPENDS)
	@JOBS=$(JOBS) deliver/packaging/deb.sh $(BUILD)/dist/recallmodel-$(VERSION).tar.gz $(VERSION) \
	    $(BUILD)/deb

# They are installed, used and purged in a bare Debian root.
.PHONY: check-deb
check-packages: check-deb
check-deb: deb
	@tools/install_packages.sh mmdebstrap
	@deliver/packaging/test_deb.sh $(BUILD)/deb $(BUILD)/debian-root

# ---- wheel

# The source distribution, which pip builds with make and a C compiler alone, and the wheel that is
# built from it. Their tools are in a virtual environment, in the versions of requirements.txt.
WHEEL := $(BUILD)/wheel
WHEEL_ENV := $(BUILD)/wheel-env
SDIST := $(WHEEL)/recallmodel-$(VERSION).tar.gz
EPOCH = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}

.PHONY: sdist wheel check-wheel
sdist: $(WHEEL_ENV)/.made $(JANSSON)/.made
	@tools/install_packages.sh librandom123-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) $(WHEEL_ENV)/bin/python deliver/packaging/sdist.py $(WHEEL) $(JANSSON)

wheel: sdist
	@tools/install_packages.sh gcc libc6-dev libgsl-dev
	@SOURCE_DATE_EPOCH=$(EPOCH) deliver/packaging/wheel.sh $(WHEEL_ENV)/bin/python $(SDIST) $(WHEEL)

# The wheel for ARM of 64 bits, by a cross compiler; without GSL's.
.PHONY: wheel-aarch64
wheel-aarch64: sdist
	@tools/install_packages.sh gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	@SOURCE_DATE_EPOCH=$(EPOCH) CC=aarch64-linux-gnu-gcc BUILD_CC=gcc GSL= \
	    AR=aarch64-linux-gnu-ar _PYTHON_HOST_PLATFORM=linux-aarch64 \
	    LIBRARIES=/usr/aarch64-linux-gnu/lib \
	    deliver/packaging/wheel.sh $(WHEEL_ENV)/bin/python $(SDIST) $(WHEEL)/aarch64

# The wheel of the CUDA kernels and their benchmark, for these GPUs and by PTX for later ones. With
# NVCC_FLAGS on the command line: with these, so that .ci/run compiles nothing twice.
WHEEL_ARCHS := 80 86 89 90a 100 120
WHEEL_PTX := compute_$(lastword $(WHEEL_ARCHS))
WHEEL_NVCC_FLAGS = $(if $(filter command,$(origin NVCC_FLAGS)),$(NVCC_FLAGS),$(NVCC_OPTIMIZE) \
    --threads 2 --compress-mode=size $(foreach arch,$(WHEEL_ARCHS),-gencode \
    arch=compute_$(arch),code=sm_$(arch)) -gencode arch=$(WHEEL_PTX),code=$(WHEEL_PTX))

.PHONY: wheel-cuda wheel-cuda-built check-wheel-cuda
wheel-cuda: $(if $(HAS_NVCC),sdist)
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory $(PARALLEL) wheel-cuda-built \
	    NVCC_FLAGS="$(WHEEL_NVCC_FLAGS)",$(NO_NVCC))

# The benchmark beside the kernels; and hypot of glibc before 2.35, as glibc_2_34.h says.
CUDA_LIBRARIES := $(BUILD)/cuda-wheel
WHEEL_GPU := $(CUDA_LIBRARIES)/$(notdir $(SHARED_GPU))
WHEEL_BENCH := $(CUDA_LIBRARIES)/librecallmodel-bench.so
$(WHEEL_GPU): $(SHARED_GPU)
	@mkdir -p $(@D)
	$(Q)strip -o $@ $<
$(WHEEL_BENCH): $(BENCH_PARTS) $(WHEEL_GPU)
	$(say) LINK $@
	$(Q)$(LD) -r $(BENCH_PARTS) -o $(@:.so=.o)
	$(Q)objcopy --redefine-sym hypot=hypot@GLIBC_2.2.5 $(@:.so=.o)
	$(Q)$(NVCC) -shared -nodlink $(@:.so=.o) -Xlinker $(WHEEL_GPU) -Xlinker -rpath='$$ORIGIN' \
	    -Xlinker -s -lm -ldl -o $@

wheel-cuda-built: $(WHEEL_GPU) $(WHEEL_BENCH)
	@SOURCE_DATE_EPOCH=$(EPOCH) KERNELS=$(CUDA_LIBRARIES) \
	    deliver/packaging/wheel.sh $(WHEEL_ENV)/bin/python $(SDIST) $(WHEEL)

# Whether it is what it says, where there is no GPU.
check-packages: check-wheel-cuda
check-wheel-cuda: $(if $(HAS_NVCC),wheel wheel-cuda)
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) NVCC_FLAGS="$(WHEEL_NVCC_FLAGS)" \
	    deliver/packaging/test_wheel_cuda.sh

# The wheel in a bare virtual environment for each Python at hand, the sdist with make and a C
# compiler alone, and the types of the module.
check-packages: check-wheel
check-wheel: wheel $(PROGRAM)
	@tools/install_packages.sh mmdebstrap
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) deliver/packaging/test_wheel.sh

$(WHEEL_ENV)/.made: deliver/packaging/requirements.txt
	@tools/install_packages.sh python3-minimal python3-venv
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv $(@D)
	$(Q)$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# ---- portability

# model/ and its tests with other compilers, C libraries and machines (CONTRIBUTING.md).
# PORTABLE="musl refused": only these.
PORTABLE ?= gcc clang musl aarch64 wasm32 refused
.PHONY: check-portable
check-portable: packages
	@tools/install_packages.sh clang musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	    qemu-user lld wasi-libc libclang-rt-14-dev-wasm32 llvm-14 gcc-i686-linux-gnu \
	    libc6-dev-i386-cross
	@$(MAKE) --no-print-directory $(PROFILE_LIST) \
	    $(patsubst %,$(BUILD)/see/%/.made,base model calibrate topk programs/common tests)
	@BUILD=$(BUILD) JOBS=$(JOBS) deliver/packaging/portable.sh $(PORTABLE)

# ---- transcripts

# From nothing to an answer, timed, into docs/quick-start.md, and the picture of the page. The page
# is compiled a second time, for its seconds.
.PHONY: transcripts
transcripts: wheel page $(PROGRAM)
	@tools/install_packages.sh mmdebstrap $(PAGE_CHECK_PACKAGES)
	@RECALLMODEL=$(PROGRAM) deliver/packaging/transcripts.sh $(WHEEL)/recallmodel-$(VERSION)-*.whl \
	    $(BUILD)/debian-root
