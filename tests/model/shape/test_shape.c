/* test_shape.c - buckets of padded rows, and the worst case, by dealing the elements out.
 *
 * Against: elements dealt out one by one, dynamic programming, integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/model/small_shapes.h>

/* The fewest top elements that the buckets keep, by dynamic programming. */
static uint64_t fewest_kept(const uint64_t *sizes, uint64_t b, uint64_t k, uint64_t k_b)
{
    uint64_t best[64], next[64];
    for (uint64_t x = 0; x <= k; x++)
        best[x] = x ? UINT64_MAX : 0;
    for (uint64_t j = 0; j < b; j++) {
        for (uint64_t x = 0; x <= k; x++) {
            next[x] = UINT64_MAX;
            for (uint64_t here = 0; here <= sizes[j] && here <= x; here++)
                if (best[x - here] != UINT64_MAX) {
                    uint64_t kept = best[x - here] + (here < k_b ? here : k_b);
                    next[x] = kept < next[x] ? kept : next[x];
                }
        }
        memcpy(best, next, sizeof best);
    }
    return best[k];
}

START_TEST(buckets_and_worst_case)
{
    uint64_t sizes[32];
    for (uint64_t n = 1; n <= 14; n++)
        for (uint64_t b = 1; b <= n; b++)
            for (uint64_t valid = 1; valid <= n; valid++)
                for (int assignment = RCM_INTERLEAVED; assignment <= RCM_CONTIGUOUS_FLOOR;
                     assignment++) {
                    struct rcm_topk p = {.n = n,
                                         .k = 1,
                                         .b = b,
                                         .k_b = 1,
                                         .valid = valid,
                                         .assignment = (enum rcm_assignment)assignment};
                    struct rcm_buckets buckets = rcm_buckets_of(p);
                    deal(p, sizes);
                    uint64_t total = 0;
                    for (unsigned c = 0; c < buckets.classes; c++) {
                        uint64_t count = 0;
                        for (uint64_t j = 0; j < b; j++)
                            count += sizes[j] == buckets.of[c].size;
                        ck_assert_msg(count == buckets.of[c].count, TOPK_FMT " size %" PRIu64,
                                      TOPK_ARG(p), buckets.of[c].size);
                        total += count;
                    }
                    ck_assert_msg(total == b, TOPK_FMT " %" PRIu64 " buckets", TOPK_ARG(p), total);
                    for (p.k = 1; p.k <= valid; p.k++)
                        for (p.k_b = 1; p.k_b <= p.k; p.k_b++) {
                            double want = (double)fewest_kept(sizes, b, p.k, p.k_b) / (double)p.k,
                                   got = rcm_recall_worst_case(p);
                            ck_assert_msg(got == want, TOPK_FMT " got %.17g want %.17g",
                                          TOPK_ARG(p), got, want);
                            ck_assert_msg(got <= rcm_recall_exact(p) + 1e-15, TOPK_FMT,
                                          TOPK_ARG(p));
                        }
                }
    /* Key et al.'s own example of Eq. (2): n 4, k 1, b 2, k_b 1 keeps everything. */
    ck_assert_double_eq(rcm_recall_worst_case((struct rcm_topk){.n = 4, .k = 1, .b = 2, .k_b = 1}),
                        1.0);
}
END_TEST

START_TEST(padded_rows)
{
    /* Interleaved buckets of L valid elements are those of n = L. The losses of all assignments
     * agree with integers, from buckets that are dealt out. */
    fill_choose();
    uint64_t state = 8, sizes[SMALL];
    for (int i = 0; i < 3000; i++) {
        struct rcm_topk p = {.n = random_between(&state, 1, SMALL)};
        p.valid = random_between(&state, 1, p.n);
        p.k = random_between(&state, 1, p.valid);
        p.b = random_between(&state, 1, p.n);
        p.k_b = random_between(&state, 1, p.k);
        for (int assignment = RCM_INTERLEAVED; assignment <= RCM_CONTIGUOUS_FLOOR; assignment++) {
            p.assignment = (enum rcm_assignment)assignment;
            deal(p, sizes);
            long double want = 0.0L;
            for (uint64_t j = 0; j < p.b; j++)
                want += small_excess(p.valid, p.k, sizes[j], p.k_b) / (long double)p.k;
            double got = rcm_loss_exact(p);
            ck_assert_msg(relative_error(got, (double)want) <= RCM_LOSS_MAX_RELERR,
                          TOPK_FMT " got %.17g want %.17Lg", TOPK_ARG(p), got, want);
            ck_assert_msg(rcm_loss_binomial(p) >= got * (1.0 - 1e-14),
                          TOPK_FMT " binomial below exact", TOPK_ARG(p));
        }
        struct rcm_topk shorter = p;
        p.assignment = RCM_INTERLEAVED;
        shorter.n = p.valid;
        shorter.valid = 0;
        if (shorter.b <= shorter.n)
            ck_assert_msg(rcm_loss_exact(p) == rcm_loss_exact(shorter), TOPK_FMT, TOPK_ARG(p));
    }
}
END_TEST

TEST_MAIN("shape", buckets_and_worst_case, padded_rows)
