/* inputs.c - see inputs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <gpu/host/element.h>
#include <programs/bench/cell.h>

const char *cpu_input_name(unsigned input)
{
    return rcm_gpu_element_name(input);
}

/* An element of the types that a GPU does not have. */
static void put_other(unsigned dtype, unsigned input, uint64_t seed, uint64_t at, uint64_t n,
                      void *x)
{
    const bool leading = input == RCM_GPU_INPUT_LEADING_BITS;
    const uint64_t low = leading ? rcm_gpu_random_at(seed, at) % (dtype == DTYPE_I8 ? 16 : 256) : 0;
    const double value =
        leading ? 0.0 : rcm_gpu_element_value((enum rcm_gpu_input)input, seed, at, n);
    if (dtype == DTYPE_F64) {
        ((double *)x)[at] = leading ? 1.0 + (double)low * 0x1p-52 : value;
    } else if (dtype == DTYPE_I32) {
        const double scaled = rint(value * 0x1p24);
        ((int32_t *)x)[at] = leading                      ? (int32_t)low
                             : scaled < (double)INT32_MIN ? INT32_MIN
                             : scaled > (double)INT32_MAX ? INT32_MAX
                                                          : (int32_t)scaled;
    } else {
        const double scaled = rint(value * 32.0);
        ((int8_t *)x)[at] = leading                     ? (int8_t)low
                            : scaled < (double)INT8_MIN ? INT8_MIN
                            : scaled > (double)INT8_MAX ? INT8_MAX
                                                        : (int8_t)scaled;
    }
}

void cpu_fill(unsigned dtype, unsigned input, uint64_t m, uint64_t n, uint64_t seed, void *x)
{
    const uint64_t count = m * n;
#pragma omp parallel for schedule(static)
    for (uint64_t at = 0; at < count; at++) {
        if (dtype > DTYPE_BF16) {
            put_other(dtype, input, seed, at, n, x);
            continue;
        }
        const uint32_t bits =
            rcm_gpu_element_bits((enum rcm_gpu_dtype)dtype, (enum rcm_gpu_input)input, seed, at, n);
        if (dtype == DTYPE_F32)
            ((uint32_t *)x)[at] = bits;
        else
            ((uint16_t *)x)[at] = (uint16_t)bits;
    }
}
