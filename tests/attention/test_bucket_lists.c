/* test_bucket_lists.c - lists of keys and visits of whole buckets, against going through all keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/partition/bucket_lists.h>

#include <tests/test.h>

static uint64_t state = 1;

START_TEST(visits_of_whole_buckets)
{
    for (uint32_t trial = 0; trial < 200; trial++) {
        const uint32_t n = 1 + (uint32_t)(next_random(&state) % 300),
                       clusters = 1 + (uint32_t)(next_random(&state) % 9);
        uint32_t bucket[300], chosen[9], count = 0, at = 0, size[9] = {0}, largest = 0;
        double squares = 0.0;
        bool taken[9];
        for (uint32_t j = 0; j < n; j++)
            bucket[j] = (uint32_t)(next_random(&state) % clusters);
        for (uint32_t c = 0; c < clusters; c++)
            if ((taken[c] = next_random(&state) % 2))
                chosen[count++] = c;
        const uint32_t first = (uint32_t)(next_random(&state) % (n + 1)),
                       last = first + (uint32_t)(next_random(&state) % (n + 1 - first));
        struct bucket_lists lists = bucket_lists_make(bucket, n, clusters);
        struct visit visit = {0};
        visit_buckets(&visit, &lists, chosen, count, (struct key_range){first, last});
        for (uint32_t j = first; j < last; j++)
            if (taken[bucket[j]]) {
                ck_assert(at < visit.length && visit.keys[at] == j);
                at++;
                if (++size[bucket[j]] > largest)
                    largest = size[bucket[j]];
            }
        ck_assert_uint_eq(visit.length, at);
        ck_assert_uint_eq(visit.largest_bucket, largest);
        ck_assert_double_eq(visit.index_bytes, 4.0 * at);
        for (uint32_t c = 0; c < clusters; c++) {
            double keys = 0.0;
            for (uint32_t j = first; j < n; j++)
                keys += bucket[j] == c;
            squares += keys * keys;
        }
        if (first < n)
            ck_assert(relative_error(bucket_lists_imbalance(&lists, first),
                                     clusters * squares / ((n - first) * (double)(n - first))) <
                      1e-12);
        else
            ck_assert(isnan(bucket_lists_imbalance(&lists, first)));
        visit_free(&visit);
        bucket_lists_free(&lists);
    }
}
END_TEST

START_TEST(best_buckets_of_ties)
{
    const double scores[] = {1, 5, 5, -2, 5};
    uint32_t chosen[5] = {9, 9, 9, 9, 9};
    best_buckets(scores, 5, 0, chosen);
    ck_assert_uint_eq(chosen[0], 9);
    best_buckets(scores, 5, 2, chosen);
    ck_assert(chosen[0] + chosen[1] == 3 && chosen[0] * chosen[1] == 2);
    best_buckets(scores, 5, 5, chosen);
    uint32_t seen = 0;
    for (int i = 0; i < 5; i++)
        seen |= 1u << chosen[i];
    ck_assert_uint_eq(seen, 31);
}
END_TEST

TEST_MAIN("bucket lists", visits_of_whole_buckets, best_buckets_of_ties)
