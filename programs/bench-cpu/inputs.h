/* inputs.h - rows to measure on: those of the GPU, and the same values in the other types.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_INPUTS_H
#define CPU_INPUTS_H

#include <stdint.h>

#include "cpu.h"

/* NULL past the last. INPUT_FILE has the name of the source. */
const char *cpu_input_name(unsigned input);

/* What cpu_use_rows() said; NULL: nothing. */
const struct row_source *cpu_row_source(void);

/* Fills m rows with those of the source, from `first` on. `buffer` has room for a row of doubles.
 * float32, float16, bfloat16 or float64, rounded; NaN stays NaN. Returns as the source does. */
int cpu_read_rows(unsigned dtype, uint64_t first, uint64_t m, double *buffer, void *x);

/* Fills m rows of n elements, one after the other, with all threads. float32, float16 and bfloat16
 * have the bits that the GPU's generator gives; float64 the float32 values; int32 and int8 these
 * times 2^24 and 32, rounded and cut at the ends of the type. leading-bits: float64 differs in its
 * lowest 8 bits, int32 is below 256, int8 below 16. */
void cpu_fill(unsigned dtype, unsigned input, uint64_t m, uint64_t n, uint64_t seed, void *x);

#endif
