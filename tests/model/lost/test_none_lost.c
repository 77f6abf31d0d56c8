/* test_none_lost.c - the probability that a row loses nothing, against 60-digit arithmetic.
 *
 * Against: `probability_reference.csv`, 60-digit arithmetic.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/clock.h>
#include <tests/test.h>

static double seconds_of(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                         double *probability)
{
    const double start = clock_seconds();
    *probability = rcm_buckets_probability_exact(buckets, k, k_b);
    return clock_seconds() - start;
}

/* probability_reference.csv, made by make_probability_reference.py. */
START_TEST(reference_table)
{
    FILE *file = fopen("tests/model/probability_reference.csv", "r");
    ck_assert_ptr_nonnull(file);
    char line[512], *field[9];
    double worst_relative = 0.0, worst_absolute = 0.0, longest = 0.0;
    unsigned lines = 0;
    csv_fields(file, line, sizeof line, field, 9); /* the heading */
    while (csv_fields(file, line, sizeof line, field, 9) == 9) {
        struct rcm_buckets buckets = {0};
        for (unsigned c = 0; c < 3 && to_count(field[2 * c + 1]) > 0; c++) {
            buckets.of[c].size = to_count(field[2 * c]);
            buckets.of[c].count = to_count(field[2 * c + 1]);
            buckets.classes++;
        }
        const uint64_t k = to_count(field[6]), k_b = to_count(field[7]);
        const double want = strtod(field[8], NULL);
        double got;
        longest = fmax(longest, seconds_of(&buckets, k, k_b, &got));
        const double off = fabs(got - want), relative = relative_error(got, want);
        ck_assert_msg(off <= RCM_PROBABILITY_MAX_ERROR &&
                          (want <= 1e-290 || relative <= RCM_PROBABILITY_MAX_RELERR),
                      "%s of %s,%s of %s,%s of %s, k %s k_b %s: got %.17g want %s", field[1],
                      field[0], field[3], field[2], field[5], field[4], field[6], field[7], got,
                      field[8]);
        worst_absolute = fmax(worst_absolute, off);
        if (want > 1e-290)
            worst_relative = fmax(worst_relative, relative);
        lines++;
    }
    fclose(file);
    printf("%u shapes against 60-digit arithmetic: relative %.2g, absolute %.2g; the longest %.1f "
           "ms\n",
           lines, worst_relative, worst_absolute, 1e3 * longest);
    ck_assert_uint_ge(lines, 400);
}
END_TEST

TEST_MAIN("probability", reference_table)
