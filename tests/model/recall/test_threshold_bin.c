/* test_threshold_bin.c - the threshold bin of exact top-k by a histogram: edges of bins, how full
 * it is, how often it overflows; and what the note on such a kernel prints.
 *
 * Against: every outcome of small rows, 4000 drawn rows a case (false alarm 6e-7 each), edges by
 * hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

static struct rcm_values values_of(const char *dist, double shift, double scale)
{
    return (struct rcm_values){rcm_values_distribution_by_name(dist), shift, scale};
}

START_TEST(distributions_of_values)
{
    const struct {
        const char *name;
        double x, above;
    } known[] = {{"normal", 0.0, 0.5},
                 {"normal", 1.959963984540054, 0.025},
                 {"lognormal", 1.0, 0.5},
                 {"lognormal", -1.0, 1.0},
                 {"uniform", 0.25, 0.75},
                 {"uniform", 2.0, 0.0},
                 {"exponential", 2.0, 0.1353352832366127}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq_tol(rcm_values_distribution_by_name(known[i].name)->above(known[i].x),
                                known[i].above, 1e-15);
    for (size_t i = 0; rcm_values_distribution(i); i++) {
        ck_assert_double_eq(rcm_values_distribution(i)->above(-INFINITY), 1.0);
        ck_assert_double_eq(rcm_values_distribution(i)->above(INFINITY), 0.0);
    }
    ck_assert(!rcm_values_distribution_by_name("cauchy") && !rcm_values_distribution_by_name(NULL));
}
END_TEST

/* By hand. float16 has 10 bits after the point: below 1 a step is 2^-11, so that from
 * 1 - 2^-12 on a value rounds to 1. */
START_TEST(edges_by_hand)
{
    const struct rcm_bins nine = {RCM_BINS_FLOAT16, 9};
    const struct {
        unsigned j;
        double edge;
    } known[] = {
        {0, -INFINITY},
        {8, -65520.0},                 /* bin 7 is -infinity, to which less is rounded */
        {256, 0.0},                    /* zero, the end of the negative numbers */
        {257, 127.5 * 0x1p-24},        /* subnormal numbers: 128 times 2^-24 */
        {264, 1023.5 * 0x1p-24},       /* the first normal number */
        {255, -127.5 * 0x1p-24},       /* and below zero, the same bin mirrored */
        {376, 1.0 - 0x1p-12},          /* 1 */
        {375, 1.0 - 0.0625 - 0x1p-12}, /* the sixteenth below 1 */
        {377, 1.125 - 0x1p-11},        /* an eighth above */
        {136, -(1.0 - 0x1p-12)},       /* -1 and what is larger by less than a step */
        {504, 65520.0},                /* infinity */
        {505, INFINITY},               /* no numbers */
        {512, INFINITY},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(rcm_bin_edge(nine, known[i].j) == known[i].edge, "bin %u begins at %.17g",
                      known[i].j, rcm_bin_edge(nine, known[i].j));
    ck_assert_double_eq(rcm_bin_edge((struct rcm_bins){RCM_BINS_FLOAT32, 9}, 256 + 127), 1.0);
    ck_assert_double_eq(rcm_bin_edge((struct rcm_bins){RCM_BINS_EQUAL, 3}, 3), 0.375);
    for (unsigned bits = 1; bits <= 16; bits++)
        for (int kind = RCM_BINS_FLOAT16; kind <= RCM_BINS_EQUAL; kind++)
            for (uint64_t j = 0; j < UINT64_C(1) << bits; j++) {
                struct rcm_bins bins = {(enum rcm_bins_kind)kind, bits};
                ck_assert(rcm_bin_edge(bins, j) <= rcm_bin_edge(bins, j + 1));
            }
    ck_assert(isnan(rcm_bin_edge((struct rcm_bins){RCM_BINS_FLOAT16, 17}, 0)));
    ck_assert(isnan(rcm_bin_edge(nine, 513)));
}
END_TEST

/* E[T] and P(T > places) from every way to put n elements into 2^bits bins. */
static struct rcm_threshold_bin enumerated(uint64_t n, uint64_t k, struct rcm_bins bins,
                                           struct rcm_values values, uint64_t places)
{
    const uint64_t count = UINT64_C(1) << bins.bits;
    double share[16];
    struct rcm_threshold_bin sum = {0.0, 0.0};
    uint64_t ways = 1;
    for (uint64_t j = 0; j < count; j++) {
        double low = (rcm_bin_edge(bins, j) - values.shift) / values.scale,
               high = (rcm_bin_edge(bins, j + 1) - values.shift) / values.scale;
        share[j] = fabs(values.dist->above(low) - values.dist->above(high));
    }
    for (uint64_t i = 0; i < n; i++)
        ways *= count;
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t in[16] = {0}, rest = way, above = 0;
        double probability = 1.0;
        for (uint64_t i = 0; i < n; i++, rest /= count) {
            in[rest % count]++;
            probability *= share[rest % count];
        }
        uint64_t j = count - 1;
        while (above + in[j] < k)
            above += in[j--];
        sum.mean += probability * (double)in[j];
        sum.overflow += in[j] > places ? probability : 0.0;
    }
    return sum;
}

START_TEST(against_every_outcome)
{
    const struct {
        struct rcm_bins bins;
        const char *dist;
        double shift, scale;
    } cases[] = {
        {{RCM_BINS_EQUAL, 2}, "uniform", 0.0, 1.0},
        {{RCM_BINS_EQUAL, 2}, "exponential", 0.0, 0.4},
        {{RCM_BINS_FLOAT16, 3}, "normal", 0.0, 1.0},
        {{RCM_BINS_FLOAT16, 3}, "lognormal", 0.0, -3.0}, /* the smallest */
        {{RCM_BINS_FLOAT32, 3}, "normal", 0.5, 2.0},
        {{RCM_BINS_FLOAT16, 1}, "normal", 0.3, 1.0},
    };
    int compared = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t n = 1; n <= (cases[i].bins.bits < 3 ? 7 : 5); n++)
            for (uint64_t k = 1; k <= n; k++)
                for (uint64_t places = 0; places <= n; places++) {
                    struct rcm_values values =
                        values_of(cases[i].dist, cases[i].shift, cases[i].scale);
                    struct rcm_threshold_bin want = enumerated(n, k, cases[i].bins, values, places),
                                             got = rcm_threshold_bin(n, k, cases[i].bins, values,
                                                                     places);
                    ck_assert_msg(fabs(got.mean - want.mean) <= 1e-9 * want.mean &&
                                      fabs(got.overflow - want.overflow) <= 1e-9,
                                  "%s n %" PRIu64 " k %" PRIu64 " places %" PRIu64
                                  ": %.12g, want %.12g; over %.12g, want %.12g",
                                  cases[i].dist, n, k, places, got.mean, want.mean, got.overflow,
                                  want.overflow);
                    compared++;
                }
    ck_assert_int_gt(compared, 500);
}
END_TEST

/* Large rows, by drawing how many fall into each bin: 4000 rows a case, within 5 standard errors
 * (false alarm 6e-7 each). */
START_TEST(against_drawn_rows)
{
    const struct {
        const char *dist;
        double shift;
        uint64_t n, k, places;
    } cases[] = {{"normal", 0.0, 2000, 100, 26},
                 {"normal", 8.0, 2000, 300, 350},
                 {"exponential", 0.0, 3000, 50, 20},
                 {"uniform", 0.0, 1000, 70, 62}};
    const struct rcm_bins bins = {RCM_BINS_FLOAT16, 9};
    enum { ROWS = 4000 };
    uint64_t state = 5;
    static double x[3000];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t n = cases[c].n, k = cases[c].k, over = 0;
        struct rcm_values values = values_of(cases[c].dist, cases[c].shift, 1.0);
        double sum = 0.0, square = 0.0;
        static double upper[513];
        for (uint64_t j = 0; j <= 512; j++)
            upper[j] = values.dist->above(rcm_bin_edge(bins, j) - cases[c].shift);
        for (int row = 0; row < ROWS; row++) {
            uint64_t in[512] = {0}, above = 0;
            for (uint64_t i = 0; i < n; i++) {
                uint64_t low = 0, high = 512; /* upper[low] > u >= upper[high] */
                x[i] = (double)(next_random(&state) >> 11) * 0x1p-53;
                while (high - low > 1)
                    *(upper[(low + high) / 2] > x[i] ? &low : &high) = (low + high) / 2;
                in[low]++;
            }
            uint64_t j = 511;
            while (above + in[j] < k)
                above += in[j--];
            sum += (double)in[j];
            square += (double)in[j] * (double)in[j];
            over += in[j] > cases[c].places;
        }
        double mean = sum / ROWS, error = sqrt((square / ROWS - mean * mean) / ROWS),
               share = (double)over / ROWS;
        struct rcm_threshold_bin model = rcm_threshold_bin(n, k, bins, values, cases[c].places);
        ck_assert_msg(fabs(mean - model.mean) < 5.0 * error, "%s: %.3f +- %.3f, model %.3f",
                      cases[c].dist, mean, error, model.mean);
        ck_assert_msg(model.overflow > 0.02 && model.overflow < 0.98,
                      "%s: a case that says nothing: "
                      "%g",
                      cases[c].dist, model.overflow);
        ck_assert_msg(fabs(share - model.overflow) <
                          5.0 * sqrt(model.overflow * (1.0 - model.overflow) / ROWS),
                      "%s: over in %.4f, model %.4f", cases[c].dist, share, model.overflow);
    }
}
END_TEST

START_TEST(domain)
{
    const struct rcm_bins nine = {RCM_BINS_FLOAT16, 9};
    const struct rcm_values normal = values_of("normal", 0.0, 1.0);
    const struct rcm_threshold_bin wrong[] = {
        rcm_threshold_bin(10, 0, nine, normal, 5),
        rcm_threshold_bin(10, 11, nine, normal, 5),
        rcm_threshold_bin(UINT64_C(1) << 31, 1, nine, normal, 5),
        rcm_threshold_bin(10, 1, (struct rcm_bins){RCM_BINS_FLOAT16, 0}, normal, 5),
        rcm_threshold_bin(10, 1, (struct rcm_bins){RCM_BINS_FLOAT16, 17}, normal, 5),
        rcm_threshold_bin(10, 1, nine, values_of("normal", 0.0, 0.0), 5),
        rcm_threshold_bin(10, 1, nine, values_of("normal", NAN, 1.0), 5),
        rcm_threshold_bin(10, 1, nine, values_of("none", 0.0, 1.0), 5),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(isnan(wrong[i].mean) && isnan(wrong[i].overflow), "case %zu", i);
    /* Everything in one bin. */
    ck_assert_double_eq(
        rcm_threshold_bin(1000, 7, nine, values_of("uniform", 65000.0, 0.1), 999).mean, 1000.0);
}
END_TEST

/* The note's kernel has 512 bins and room for 3072 elements of the threshold bin, and is measured
 * at n = 50,000, k = 2048. It does not say what happens beyond. */
START_TEST(places_of_the_note)
{
    const struct rcm_bins nine = {RCM_BINS_FLOAT16, 9}, eleven = {RCM_BINS_FLOAT16, 11};
    struct rcm_threshold_bin normal = rcm_threshold_bin(50000, 2048, nine,
                                                        values_of("normal", 0, 1), 3072),
                             uniform = rcm_threshold_bin(50000, 2048, nine,
                                                         values_of("uniform", 0, 1), 3072);
    ck_assert_double_eq_tol(normal.mean, 584.7, 0.05);
    ck_assert_double_lt(normal.overflow, 1e-15);
    /* The top-k lie in the last sixteenth below 1, with n/16 elements: one in six such rows fits.
     */
    ck_assert_double_eq_tol(uniform.mean, 3125.0, 0.5);
    ck_assert_double_eq_tol(uniform.overflow, 0.834, 5e-4);
    /* From n = 16 places on the mean does not fit. */
    ck_assert_double_eq_tol(
        rcm_threshold_bin(49152, 2048, nine, values_of("uniform", 0, 1), 3072).mean, 3072.0, 0.5);
    /* Lognormal. */
    struct rcm_threshold_bin lognormal =
        rcm_threshold_bin(50000, 2048, nine, values_of("lognormal", 0, 1), 3072);
    ck_assert_double_eq_tol(lognormal.mean, 377.1, 0.05);
    ck_assert_double_lt(lognormal.overflow, 1e-15);
    /* Bins are relative: an offset makes them coarse. Mean 10, standard deviation 1. */
    struct rcm_threshold_bin offset =
        rcm_threshold_bin(50000, 2048, nine, values_of("normal", 10.0, 1.0), 3072);
    ck_assert_double_eq_tol(offset.mean, 6832.0, 0.5);
    ck_assert_double_gt(offset.overflow, 0.999999);
    /* And small spread: all logits within an eighth of an octave. */
    ck_assert_double_eq_tol(
        rcm_threshold_bin(50000, 2048, nine, values_of("normal", 8.5, 0.05), 3072).mean, 50000.0,
        1e-3);
    /* Four times as many bins leave a quarter. */
    ck_assert_double_eq_tol(
        rcm_threshold_bin(50000, 2048, eleven, values_of("uniform", 0, 1), 3072).mean, 781.25, 0.5);
}
END_TEST

/* The note divides the traffic of one row by the time of 1024 rows. */
START_TEST(bandwidth_of_the_note)
{
    const double n = 50000.0, k = 2048.0, m = 1024.0, seconds = 0.112e-3;
    double row = 2.0 * 4.0 * n + 4.0 * k; /* read twice, indices written */
    ck_assert_double_eq_tol(row / 1e3, 408.0, 0.5);
    ck_assert_double_eq_tol(row / seconds / 1e9, 3.64, 0.005);          /* as printed, in GB/s */
    ck_assert_double_eq_tol(m * row / seconds / 1e12, 3.73, 0.005);     /* all rows, in TB/s */
    ck_assert_double_eq_tol(m * 4.0 * n / seconds / 1e12, 1.83, 0.005); /* each value once */
    /* Of the memory of an H100, 3.35 TB/s: the second pass must come from the cache. */
    const struct rcm_device *h100 = rcm_device_by_name("H100 SXM");
    ck_assert_ptr_nonnull(h100);
    ck_assert_double_gt(m * row / seconds, h100->bandwidth_bytes_per_s);
    ck_assert_double_eq_tol(m * 4.0 * n / seconds / h100->bandwidth_bytes_per_s, 0.546, 0.001);
}
END_TEST

TEST_MAIN("threshold_bin", distributions_of_values, edges_by_hand, against_every_outcome,
          against_drawn_rows, domain, places_of_the_note, bandwidth_of_the_note)
