/* test_drawn_parts.c - a row in parts: what a merge loses and cannot prove.
 *
 * Against: urns that are drawn from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

/* |z| > 5 by chance: 6e-7 for each of 40 numbers; the seed is fixed. */
START_TEST(drawn_rows)
{
    uint64_t state = 42;
    const unsigned draws = few_cases() ? 20000 : 200000;
    for (unsigned shape = 0; shape < 10; shape++) {
        struct row row = {.length = 5};
        uint64_t owner[2000], n = 0;
        for (size_t i = 0; i < row.length; i++) {
            row.of[i] = (struct rcm_part){.size = random_between(&state, 10, 400), .count = 1};
            for (uint64_t j = 0; j < row.of[i].size; j++)
                owner[n++] = i;
        }
        row.k = random_between(&state, 10, 60);
        for (size_t i = 0; i < row.length; i++)
            row.of[i].send =
                least_of(row.of[i].size, row.k * row.of[i].size / n + random_between(&state, 2, 6));
        double lost = 0.0, losing = 0.0, unproved = 0.0;
        for (unsigned d = 0; d < draws; d++) {
            uint64_t x[PARTS_MOST] = {0}, row_lost = 0;
            bool proved = true;
            for (uint64_t j = 0; j < row.k; j++) { /* the first k of a random order */
                const uint64_t other = random_between(&state, j, n - 1), swapped = owner[j];
                owner[j] = owner[other];
                owner[other] = swapped;
                x[owner[j]]++;
            }
            for (size_t i = 0; i < row.length; i++) {
                row_lost += x[i] > row.of[i].send ? x[i] - row.of[i].send : 0;
                proved = proved && (row.of[i].send == row.of[i].size || x[i] < row.of[i].send);
            }
            lost += (double)row_lost;
            losing += row_lost > 0;
            unproved += !proved;
        }
        const struct answers want = computed(&row);
        const double count = draws;
        const double z[3] = {(lost / count / (double)row.k - want.loss) / (want.sd / sqrt(count)),
                             (losing / count - want.lost) /
                                 sqrt(want.lost * (1.0 - want.lost) / count),
                             (unproved / count - want.unproved) /
                                 sqrt(want.unproved * (1.0 - want.unproved) / count)};
        for (int i = 0; i < 3; i++)
            ck_assert_msg(fabs(z[i]) < 5.0, "%s: number %d is %.2f standard errors off",
                          text_of(&row), i, z[i]);
    }
}
END_TEST

TEST_MAIN("drawn parts", drawn_rows)
