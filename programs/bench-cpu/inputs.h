/* inputs.h - rows to measure on: those of the GPU, and the same values in the other types.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_INPUTS_H
#define CPU_INPUTS_H

#include <stdint.h>

/* NULL past the last. */
const char *cpu_input_name(unsigned input);

/* Fills m rows of n elements, one after the other, with all threads. float32, float16 and bfloat16
 * have the bits that the GPU's generator gives; float64 the float32 values; int32 and int8 these
 * times 2^24 and 32, rounded and cut at the ends of the type. leading-bits: float64 differs in its
 * lowest 8 bits, int32 is below 256, int8 below 16. */
void cpu_fill(unsigned dtype, unsigned input, uint64_t m, uint64_t n, uint64_t seed, void *x);

#endif
