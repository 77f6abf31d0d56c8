/* max.c - the best value of each row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "isa.h"
#include "plan.h"

enum { PARTS_MOST = 64 }; /* of one row */

struct best {
    const struct rcm_top_k_rows *rows;
    const struct kernels *kernels;
    char *values;
    uint64_t parts; /* of all rows, or of one */
    /* one row by several threads */
    const char *x;
    uint64_t keys[PARTS_MOST];
};

static uint64_t largest_key(const struct best *best, const char *x, uint64_t n)
{
    const struct rcm_top_k_rows *rows = best->rows;
    return rows->stride == 0 || rows->stride == 1
               ? best->kernels->largest_key(x, n, rows->smallest)
               : best->kernels->best(x, rows->stride, n, rows->smallest);
}

static void put_value(const struct best *best, uint64_t key, uint64_t r)
{
    const struct kernels *kernels = best->kernels;
    char *value = best->values + r * kernels->bytes;
    if (key == 0 && kernels->is_vague(key)) /* nothing but NaN */
        memcpy(value, topk_row(best->rows, kernels->bytes, r), kernels->bytes);
    else
        kernels->value_of(key, best->rows->smallest, value);
}

static void best_of_part(void *context, uint64_t i, unsigned member)
{
    (void)member;
    struct best *best = context;
    const uint64_t n = best->rows->n, from = topk_cut(n, best->parts, i);
    const int64_t stride = best->rows->stride ? best->rows->stride : 1;
    best->keys[i] =
        largest_key(best, best->x + (int64_t)from * stride * (int64_t)best->kernels->bytes,
                    topk_cut(n, best->parts, i + 1) - from);
}

static void best_of_rows(void *context, uint64_t i, unsigned member)
{
    (void)member;
    const struct best *best = context;
    const uint64_t m = best->rows->m, n = best->rows->n, end = topk_cut(m, best->parts, i + 1);
    for (uint64_t r = topk_cut(m, best->parts, i); r < end; r++)
        put_value(best, largest_key(best, topk_row(best->rows, best->kernels->bytes, r), n), r);
}

enum rcm_top_k_status rcm_top_k_max(const struct rcm_top_k_rows *rows, unsigned threads,
                                    void *values)
{
    if (!rows || !values)
        return RCM_TOP_K_BAD_POINTER;
    enum rcm_top_k_status status = topk_check_rows(rows);
    if (status != RCM_TOP_K_OK)
        return status;
    struct best best = {.rows = rows, .kernels = topk_kernels(rows->type), .values = values};
    if ((uintptr_t)values % best.kernels->bytes != 0)
        return RCM_TOP_K_BAD_POINTER;
    const struct share share = topk_share(rows, threads);
    if (share.threads == 1) {
        best.parts = topk_pieces(rows->m, rows->n * best.kernels->bytes, share.rows);
        topk_team(share.rows, best.parts, best_of_rows, &best);
        return RCM_TOP_K_OK;
    }
    best.parts = topk_pieces(rows->n, best.kernels->bytes, share.threads);
    best.parts = best.parts < PARTS_MOST ? best.parts : PARTS_MOST;
    for (uint64_t r = 0; r < rows->m; r++) {
        best.x = topk_row(rows, best.kernels->bytes, r);
        topk_team(share.threads, best.parts, best_of_part, &best);
        uint64_t key = 0;
        for (uint64_t i = 0; i < best.parts; i++)
            key = best.keys[i] > key ? best.keys[i] : key;
        put_value(&best, key, r);
    }
    return RCM_TOP_K_OK;
}
