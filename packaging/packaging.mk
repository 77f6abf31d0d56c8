# packaging.mk - a part of the Makefile: what is given to others. docs/packages.md says which
# package is for whom.
#
# SPDX-License-Identifier: Apache-2.0

# ---- portability

# model/ and its tests with other compilers, C libraries and machines (docs/portability.md).
# PORTABLE="musl refused": only these.
PORTABLE ?= gcc clang musl aarch64 wasm32 refused
.PHONY: check-portable
check-portable: packages
	@tools/install_packages.sh clang musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	    qemu-user lld wasi-libc libclang-rt-14-dev-wasm32 llvm-14 gcc-i686-linux-gnu \
	    libc6-dev-i386-cross
	@$(MAKE) --no-print-directory $(PROFILE_LIST) \
	    $(patsubst %,$(BUILD)/see/%/.made,base model calibrate topk programs/common tests)
	@BUILD=$(BUILD) JOBS=$(JOBS) packaging/portable.sh $(PORTABLE)
