# topk.mk - a part of the Makefile: top-k on a CPU.
#
# SPDX-License-Identifier: Apache-2.0

# The instruction sets of an x86-64 for which kernels are compiled; which runs is found out at run
# time.
X86_64 := $(filter x86_64%,$(shell $(CC) -dumpmachine))
# With sanitizers the kernels would take a minute each at -O1, but 9 seconds at -O0 and without the
# checks of pointers that AddressSanitizer makes too. KERNELS_AT=-O1 pays for hours of fuzzing.
KERNELS_AT := -O0
LESS_CHECKED := $(KERNELS_AT) -fno-sanitize=alignment,null,object-size,pointer-overflow
CHECKED := $(if $(SANITIZE),$(LESS_CHECKED))
UNCHECKED := $(if $(SANITIZE),-fno-sanitize=all)
# Where the processor has others, those of no instruction set are seldom used, and compile faster.
$(BUILD)/topk/isa_generic.o: ISA := $(if $(X86_64),-O1) $(CHECKED)
$(BUILD)/topk/isa_avx2.o: ISA := $(if $(X86_64),-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt) $(CHECKED)
$(BUILD)/topk/isa_avx512.o: ISA := $(if $(X86_64),-mavx512bw -mavx512vl -mavx512dq \
    -mavx512vbmi2 -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt) $(CHECKED)
