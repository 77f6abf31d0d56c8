/* max.c - the best value of each row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <base/threads.h>

#include "isa.h"
#include "plan.h"

enum { PARTS_MOST = 64 }; /* of one row */

static uint64_t largest_key(const struct rcm_top_k_rows *rows, const struct kernels *kernels,
                            const char *x, uint64_t n)
{
    return rows->stride == 0 || rows->stride == 1
               ? kernels->largest_key(x, n, rows->smallest)
               : kernels->best(x, rows->stride, n, rows->smallest);
}

/* The best of the row, by `threads` threads. */
static void best_of_row(const struct rcm_top_k_rows *rows, const struct kernels *kernels,
                        const char *x, unsigned threads, char *value)
{
    unsigned parts = threads < PARTS_MOST ? threads : PARTS_MOST;
    int64_t stride = rows->stride ? rows->stride : 1;
    uint64_t best[PARTS_MOST];
    if (parts == 1) {
        best[0] = largest_key(rows, kernels, x, rows->n);
    } else {
#pragma omp parallel for num_threads(threads_to_be_had((unsigned)parts)) schedule(static)
        for (unsigned i = 0; i < parts; i++) {
            uint64_t from = rows->n / parts * i + (i < rows->n % parts ? i : rows->n % parts);
            const char *at = x + (int64_t)from * stride * (int64_t)kernels->bytes;
            best[i] = largest_key(rows, kernels, at, rows->n / parts + (i < rows->n % parts));
        }
    }
    uint64_t key = best[0];
    for (unsigned i = 1; i < parts; i++)
        key = best[i] > key ? best[i] : key;
    if (key == 0 && kernels->is_vague(key)) /* nothing but NaN */
        memcpy(value, x, kernels->bytes);
    else
        kernels->value_of(key, rows->smallest, value);
}

enum rcm_top_k_status rcm_top_k_max(const struct rcm_top_k_rows *rows, unsigned threads,
                                    void *values)
{
    if (!rows || !values)
        return RCM_TOP_K_BAD_POINTER;
    enum rcm_top_k_status status = topk_check_rows(rows);
    if (status != RCM_TOP_K_OK)
        return status;
    const struct kernels *kernels = topk_kernels(rows->type);
    if ((uintptr_t)values % kernels->bytes != 0)
        return RCM_TOP_K_BAD_POINTER;
    struct share share = topk_share(rows, threads);
    char *out = values;
    if (share.rows == 1) {
        for (uint64_t r = 0; r < rows->m; r++)
            best_of_row(rows, kernels, topk_row(rows, kernels->bytes, r), share.threads,
                        out + r * kernels->bytes);
        return RCM_TOP_K_OK;
    }
#pragma omp parallel for num_threads(threads_to_be_had(share.rows)) schedule(static)
    for (uint64_t r = 0; r < rows->m; r++)
        best_of_row(rows, kernels, topk_row(rows, kernels->bytes, r), 1, out + r * kernels->bytes);
    return RCM_TOP_K_OK;
}
