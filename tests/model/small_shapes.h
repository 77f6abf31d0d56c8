/* small_shapes.h - shapes with n up to 40, in integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SMALL_SHAPES_H
#define SMALL_SHAPES_H

#include <tests/test.h>

#define SMALL 40

__extension__ typedef unsigned __int128 uint128;

static uint64_t choose[SMALL + 1][SMALL + 1];

static inline void fill_choose(void)
{
    for (int n = 0; n <= SMALL; n++)
        for (int k = 0; k <= n; k++)
            choose[n][k] = k == 0 || k == n ? 1 : choose[n - 1][k - 1] + choose[n - 1][k];
}

/* Sum of (x - k_b)+ C(k, x) C(n-k, s-x), an integer, over C(n, s). */
static inline long double small_excess(uint64_t n, uint64_t k, uint64_t s, uint64_t k_b)
{
    uint128 sum = 0;
    for (uint64_t x = k_b + 1; x <= s && x <= k; x++)
        if (s - x <= n - k)
            sum += (uint128)(x - k_b) * choose[k][x] * choose[n - k][s - x];
    return (long double)sum / (long double)choose[n][s];
}

/* Sizes of the buckets of the first `valid` elements, found by dealing the elements out. */
static inline void deal(struct rcm_topk p, uint64_t *sizes)
{
    uint64_t longer = p.n % p.b, size = p.n / p.b;
    memset(sizes, 0, p.b * sizeof *sizes);
    for (uint64_t i = 0; i < (p.valid ? p.valid : p.n); i++) {
        uint64_t bucket = i % p.b;
        if (p.assignment == RCM_CONTIGUOUS)
            bucket = i < longer * (size + 1) ? i / (size + 1)
                                             : longer + (i - longer * (size + 1)) / size;
        if (p.assignment == RCM_CONTIGUOUS_FLOOR)
            bucket = p.b * i / p.n;
        sizes[bucket]++;
    }
}

#endif
