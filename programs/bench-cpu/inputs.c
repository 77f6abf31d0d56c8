/* inputs.c - see inputs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <gpu/host/element.h>
#include <base/threads.h>
#include <programs/bench/cells/cell.h>

/* ---- rows of a file */

static const struct row_source *source;

void cpu_use_rows(const struct row_source *rows)
{
    source = rows;
}

const struct row_source *cpu_row_source(void)
{
    return source;
}

static uint16_t half_of(unsigned dtype, double value)
{
    if (isnan(value))
        return dtype == DTYPE_F16 ? 0x7e00 : 0x7fc0;
    return (uint16_t)rcm_gpu_rounded((float)value, (enum rcm_gpu_dtype)dtype);
}

static void put_row(unsigned dtype, const double *from, uint64_t n, void *row)
{
    for (uint64_t i = 0; i < n; i++)
        if (dtype == DTYPE_F64)
            ((double *)row)[i] = from[i];
        else if (dtype == DTYPE_F32)
            ((float *)row)[i] = (float)from[i];
        else
            ((uint16_t *)row)[i] = half_of(dtype, from[i]);
}

int cpu_read_rows(unsigned dtype, uint64_t first, uint64_t m, double *buffer, void *x)
{
    int status = 0;
    for (uint64_t row = 0; row < m && status == 0; row++) {
        status = source->read(source->from, first + row, buffer);
        if (status == 0)
            put_row(dtype, buffer, source->n, (char *)x + row * source->n * dtype_bytes(dtype));
    }
    return status;
}

/* ---- rows that are made */

const char *cpu_input_name(unsigned input)
{
    if (input == INPUT_FILE)
        return source ? source->name : NULL;
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
#pragma omp parallel for schedule(static) num_threads(threads_to_be_had(0))
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
