/* test_wide_parts.c - rows in parts, with many top elements in each.
 *
 * Against: the functions for equal buckets, and sums over the distributions of three parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

/* ---- equal buckets, which have functions of their own */

START_TEST(rows_as_equal_buckets)
{
    uint64_t state = 41;
    double worst_lost = 0.0, worst_loss = 0.0, worst_sd = 0.0;
    unsigned rows = 0, unknown = 0;
    for (unsigned i = 0; i < (few_cases() ? 300 : 3000); i++) {
        const uint64_t b = random_scale(&state, 2, 1 << 12);
        const uint64_t size = random_scale(&state, 2, UINT64_C(1) << 36), n = b * size;
        const uint64_t k = random_scale(&state, 1, least_of(n, 1 << 22));
        const double mean = (double)k / (double)b,
                     far = 0.1 * (double)random_between(&state, 0, 80);
        uint64_t send = least_of((uint64_t)(mean + far * sqrt(mean)), size);
        send += send == 0;
        const struct row row = {.k = k, .length = 1, .of = {{size, send, b}}};
        const struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = send};
        const struct rcm_parts parts = parts_of(&row);
        const double got_lost = rcm_parts_probability_lost(parts), got_sd = rcm_parts_sd(parts);
        const double none = rcm_probability_exact(p), loss = rcm_loss_exact(p);
        worst_loss =
            fmax(worst_loss, loss > 1e-290 ? relative_error(rcm_parts_loss(parts), loss) : 0.0);
        unknown += isnan(got_lost) ? 1 : 0;
        if (!isnan(none) && !isnan(got_lost)) {
            worst_lost = fmax(worst_lost, fabs(1.0 - got_lost - none));
            rows++;
        }
        const double sd = rcm_recall_sd(p);
        if (sd > 1e-15 && !isnan(got_sd)) {
            ck_assert_msg(relative_error(got_sd, sd) < 2.0 * RCM_PARTS_SD_MAX_RELERR,
                          "%s: sd %.17g %.17g", text_of(&row), got_sd, sd);
            worst_sd = fmax(worst_sd, relative_error(got_sd, sd));
        }
    }
    printf("%u rows as equal buckets: loss %.2g, 1 - lost %.2g (absolute), sd %.2g; %u not "
           "computed\n",
           rows, worst_loss, worst_lost, worst_sd, unknown);
    ck_assert_double_lt(worst_loss, 1e-12);
    ck_assert_double_lt(worst_lost, 1e-11);
}
END_TEST

/* ---- three wide parts, by sums */

/* P(X = first + i), i < length, by ratios, around the mean; the caller frees it. */
struct window {
    int64_t first;
    size_t length;
    long double *p;
};

static struct window window_of(double n, double k, double s)
{
    const double mean = k * s / n, sd = sqrt(mean * (1.0 - s / n) * (1.0 - k / n));
    const double low = fmax(floor(mean - 11.0 * sd - 20.0), fmax(0.0, k + s - n)),
                 high = fmin(ceil(mean + 11.0 * sd + 20.0), fmin(k, s));
    struct window w = {(int64_t)low, (size_t)(high - low) + 1, NULL};
    long double log = 0.0L, most = 0.0L, total = 0.0L;
    w.p = malloc(w.length * sizeof *w.p);
    for (size_t i = 0; i < w.length; i++) {
        const long double x = (long double)low + (long double)i;
        w.p[i] = log;
        most = log > most ? log : most;
        log += logl((k - x) * (s - x) / ((x + 1.0L) * (n - k - s + x + 1.0L)));
    }
    for (size_t i = 0; i < w.length; i++)
        total += w.p[i] = expl(w.p[i] - most);
    for (size_t i = 0; i < w.length; i++)
        w.p[i] /= total;
    return w;
}

/* P(some X_i > k_i) of three parts: over X_1, then X_2, which leave X_3. */
static double lost_of_three(uint64_t k, const struct rcm_part of[3])
{
    const double n = (double)(of[0].size + of[1].size + of[2].size);
    const struct window w = window_of(n, (double)k, (double)of[0].size);
    long double lost = 0.0L;
    for (size_t i = 0; i < w.length; i++) {
        const int64_t x = w.first + (int64_t)i;
        if (x > (int64_t)of[0].send) {
            lost += w.p[i];
            continue;
        }
        if (w.p[i] < 1e-25L)
            continue;
        const struct window v =
            window_of(n - (double)of[0].size, (double)k - (double)x, (double)of[1].size);
        for (size_t j = 0; j < v.length; j++) {
            const int64_t y = v.first + (int64_t)j;
            if (y > (int64_t)of[1].send || (int64_t)k - x - y > (int64_t)of[2].send)
                lost += w.p[i] * v.p[j];
        }
        free(v.p);
    }
    free(w.p);
    return (double)lost;
}

START_TEST(three_wide_parts_by_sums)
{
    static const uint64_t sizes[][3] = {{50000000, 40000000, 10000000},
                                        {99000000, 900000, 100000}}; /* narrow, given the sum */
    double worst_lost = 0.0;
    for (unsigned round = 0; round < (few_cases() ? 2 : 6); round++) {
        const uint64_t *size = sizes[round % 2];
        const double far = 1.0 + 2.0 * (round / 2);
        struct rcm_part of[3] = {{size[0], 0, 1}, {size[1], 0, 1}, {size[2], 0, 1}};
        const uint64_t k = 400000;
        for (size_t i = 0; i < 3; i++) {
            const double share = (double)size[i] / 1e8, mean = (double)k * share;
            of[i].send = (uint64_t)(mean + far * sqrt(mean * (1.0 - share)));
        }
        const double want = lost_of_three(k, of),
                     got = rcm_parts_probability_lost((struct rcm_parts){k, of, 3});
        ck_assert_msg(relative_error(got, want) < RCM_PARTS_MAX_RELERR, "%g: %.17g want %.17g", far,
                      got, want);
        worst_lost = fmax(worst_lost, relative_error(got, want));
    }
    printf("three wide parts: lost %.2g\n", worst_lost);
}
END_TEST

/* Wide distributions that mostly lose. */
START_TEST(wide_rows)
{
    const struct rcm_part equal = {UINT64_C(1) << 38, 1250000, 8};
    const double all = rcm_parts_probability_lost((struct rcm_parts){10000000, &equal, 1});
    ck_assert_msg(all > 0.99 && all <= 1.0, "%.17g", all);
}
END_TEST

TEST_MAIN("wide parts", rows_as_equal_buckets, three_wide_parts_by_sums, wide_rows)
