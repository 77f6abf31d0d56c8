/* test_filter_best.c - the block of a filter for a buffer of a given room.
 *
 * Against: every block. All are tried of short rows; a search is within 1 %, and takes little time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* Beside every block. */
static void best_of_all(uint64_t n, uint64_t k, uint64_t room, double excess)
{
    const struct rcm_filter best = rcm_best_filter(n, k, room);
    double least = INFINITY;
    for (uint64_t block = 8 * n / RCM_FILTER_BLOCKS + 1; k + block <= room && block <= n; block++)
        least = fmin(least,
                     rcm_filter((struct rcm_filter){n, k, block, room - k - block + 1}).selected);
    ck_assert_uint_eq(best.k + best.more + best.block - 1, room);
    ck_assert_msg(rcm_filter(best).selected <= least * (1.0 + excess),
                  "n %d k %d room %d: block %d, %.6f for %.6f", (int)n, (int)k, (int)room,
                  (int)best.block, rcm_filter(best).selected, least);
}

START_TEST(the_best)
{
    ck_assert_uint_eq(rcm_best_filter(1000, 4, 32).block, 20);
    for (uint64_t n = 20; n <= (few_cases() ? 200 : 800); n = n * 2 + 11)
        for (uint64_t k = 1; k < n; k = 3 * k + 1)
            for (uint64_t room = k + 1; room < k + 150 && room < n + 30; room += room / 6 + 5)
                best_of_all(n, k, room, 1e-9);
    for (uint64_t n = 4100; n < (few_cases() ? 5000 : 9000); n *= 2) /* by a search */
        for (uint64_t k = 2; k < 700; k *= 7)
            for (uint64_t room = k + 21; room < k + 1200; room = k + (room - k) * 5)
                best_of_all(n, k, room, 0.01);
    ck_assert_uint_eq(rcm_best_filter(1 << 20, 512, 1024).block, 512);           /* the only one */
    ck_assert(few_cases() || rcm_best_filter(1 << 20, 4096, 5000).block == 512); /* the smallest */
    const double start = cpu_seconds();
    const struct rcm_filter many = rcm_best_filter(1 << 17, 2048, few_cases() ? 2200 : 4096);
    ck_assert_double_lt(cpu_seconds() - start, few_cases() ? 60.0 : 4.0);
    ck_assert(few_cases() || rcm_filter(many).selected < 26010.0); /* all blocks: 26004.67 */
    const uint64_t n = few_cases() ? 16384 : 65536;
    const struct rcm_filter best = rcm_best_filter(n, 512, 2560);
    ck_assert_uint_le(best.k + best.more + best.block - 1, 2560);
    const struct rcm_filter theirs = {n, 512, 1024, 1025};
    ck_assert_double_le(rcm_filter(best).selected, rcm_filter(theirs).selected);
    ck_assert_uint_eq(rcm_best_filter(65536, 512, 512).block, 0);
}
END_TEST

TEST_MAIN("filter_best", the_best)
