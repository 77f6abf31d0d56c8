/* kernels.c - see kernels.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/threads.h>

#include "inputs.h"
#include "kernels.h"

#define HOW(...) (&(const struct how){__VA_ARGS__})

const struct kernel cpu_kernels[] = {
    {.task = TASK_STAGE1, .name = "auto", .how = HOW(.plain = false)},
    {.task = TASK_EXACT, .name = "threshold", .how = HOW(.plain = false)},
    {.task = TASK_EXACT, .name = "threshold-sorted", .how = HOW(.sorted = true)},
    {.task = TASK_EXACT, .name = "quickselect", .how = HOW(.plain = true)},
    {.task = TASK_TWO_STAGE, .name = "auto", .how = HOW(.plain = false)},
    {.task = TASK_TWO_STAGE, .name = "auto-sorted", .how = HOW(.sorted = true)},
    {.name = NULL},
};

const char *cpu_refusal(const struct cell *c)
{
    const uint64_t n_max = INT32_MAX, elements_max = UINT64_C(1) << 40;
    if (c->n > n_max || c->m > elements_max / c->n)
        return "n must be below 2^31, and m n at most 2^40";
    if (c->k > c->n)
        return "k must be at most n";
    if (c->input == INPUT_FILE && (c->n != cpu_row_source()->n || c->m > cpu_row_source()->rows))
        return "n must be the length of a row of --rows, and m at most its rows";
    if (c->input == INPUT_FILE && c->dtype > DTYPE_F64)
        return "--rows has real numbers";
    if (c->threads > 1024)
        return "threads must be at most 1024";
#ifndef _OPENMP
    if (c->threads > 1)
        return "this program was built without OpenMP, so it has one thread only";
#endif
    if (threads_to_be_had((unsigned)c->threads) < (int)c->threads)
        return "this machine cannot start so many threads";
    if (c->kernel->peer)
        return peer_refusal(c);
    if (how_of(c).plain && c->threads > 1)
        return "quickselect runs on one thread only";
    if (c->kernel->task == TASK_EXACT)
        return NULL;
    if (c->b > c->n || c->k_b > (c->n - 1) / c->b + 1)
        return "b must be at most n, and kb at most the size of a bucket";
    if (cell_candidates(c) < c->k)
        return "b kb must be at least k";
    if (c->k_b > c->k && c->kernel->task == TASK_TWO_STAGE)
        return "kb must be at most k";
    return NULL;
}

enum rcm_top_k_type cpu_type(unsigned dtype)
{
    static const enum rcm_top_k_type types[DTYPES] = {
        [DTYPE_F32] = RCM_TOP_K_F32, [DTYPE_F16] = RCM_TOP_K_F16, [DTYPE_BF16] = RCM_TOP_K_BF16,
        [DTYPE_F64] = RCM_TOP_K_F64, [DTYPE_I8] = RCM_TOP_K_I8,   [DTYPE_I32] = RCM_TOP_K_I32};
    return types[dtype];
}
