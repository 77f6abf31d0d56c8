/* Recall: against integers, rationals and the committed table; identities; edges.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <gmp.h>
#include <gsl/gsl_cdf.h>

#define SMALL 40

__extension__ typedef unsigned __int128 uint128;

static uint64_t choose[SMALL + 1][SMALL + 1];

static void fill_choose(void)
{
    for (int n = 0; n <= SMALL; n++)
        for (int k = 0; k <= n; k++)
            choose[n][k] = k == 0 || k == n ? 1 : choose[n - 1][k - 1] + choose[n - 1][k];
}

/* Sum of (x - k_b)+ C(k, x) C(n-k, s-x), an integer, over C(n, s). */
static long double small_excess(uint64_t n, uint64_t k, uint64_t s, uint64_t k_b)
{
    uint128 sum = 0;
    for (uint64_t x = k_b + 1; x <= s && x <= k; x++)
        if (s - x <= n - k)
            sum += (uint128)(x - k_b) * choose[k][x] * choose[n - k][s - x];
    return (long double)sum / (long double)choose[n][s];
}

static double small_loss(struct rcm_topk p)
{
    uint64_t q = p.n / p.b, r = p.n % p.b;
    long double sum = 0.0L;
    if (r)
        sum += (long double)r * small_excess(p.n, p.k, q + 1, p.k_b);
    sum += (long double)(p.b - r) * small_excess(p.n, p.k, q, p.k_b);
    return (double)(sum / (long double)p.k);
}

START_TEST(every_small_shape)
{
    fill_choose();
    uint64_t shapes = 0;
    double worst = 0.0;
    for (uint64_t n = 1; n <= SMALL; n++)
        for (uint64_t k = 1; k <= n; k++)
            for (uint64_t b = 1; b <= n; b++)
                for (uint64_t k_b = 1; k_b <= k && k_b <= ceil_divide(n, b);
                     k_b++) { /* b k_b < k included */
                    struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b};
                    double want = small_loss(p), got = rcm_loss_exact(p),
                           recall = rcm_recall_exact(p);
                    double error = relative_error(got, want);
                    worst = fmax(worst, error);
                    shapes++;
                    ck_assert_msg(error <= RCM_LOSS_MAX_RELERR, TOPK_FMT " got %.17g want %.17g",
                                  TOPK_ARG(p), got, want);
                    ck_assert_msg(recall >= 0.0 && recall <= 1.0, TOPK_FMT " recall %.17g",
                                  TOPK_ARG(p), recall);
                    if (rcm_check_deployable(p) == RCM_OK)
                        ck_assert_msg(recall >= 1.0 - exp(-1.0), TOPK_FMT " recall %.17g",
                                      TOPK_ARG(p), recall);
                    if (k_b >= k || k_b >= ceil_divide(n, b))
                        ck_assert_msg(recall == 1.0 && got == 0.0, TOPK_FMT " recall %.17g",
                                      TOPK_ARG(p), recall);
                }
    printf("measured: loss %.1e over %" PRIu64 " shapes with n <= %d\n", worst, shapes, SMALL);
}
END_TEST

/* (b/k) sum over x > k_b of (x - k_b) C(k, x) (b-1)^(k-x) / b^k, in integers. */
static double exact_binomial_loss(uint64_t k, uint64_t b, uint64_t k_b)
{
    mpz_t sum, term, power;
    mpz_inits(sum, term, power, NULL);
    for (uint64_t x = k_b + 1; x <= k; x++) {
        mpz_bin_uiui(term, k, x);
        mpz_ui_pow_ui(power, b - 1, k - x);
        mpz_mul(term, term, power);
        mpz_mul_ui(term, term, x - k_b);
        mpz_add(sum, sum, term);
    }
    mpz_mul_ui(sum, sum, b);
    mpz_ui_pow_ui(power, b, k);
    mpz_mul_ui(power, power, k);
    mpq_t ratio;
    mpq_init(ratio);
    mpq_set_num(ratio, sum);
    mpq_set_den(ratio, power);
    mpq_canonicalize(ratio);
    double loss = mpq_get_d(ratio); /* truncated: relative error below 2.3e-16 */
    mpz_clears(sum, term, power, NULL);
    mpq_clear(ratio);
    return loss;
}

START_TEST(binomial_of_small_shapes)
{
    int shapes = 0;
    double worst = 0.0;
    for (uint64_t k = 1; k <= SMALL; k++)
        for (uint64_t b = 1; b <= SMALL; b++)
            for (uint64_t k_b = 1; k_b <= k; k_b++) {
                struct rcm_topk p = {.n = 8 * SMALL, .k = k, .b = b, .k_b = k_b};
                double want = exact_binomial_loss(k, b, k_b), got = rcm_loss_binomial(p);
                double error = relative_error(got, want);
                worst = fmax(worst, error);
                shapes++;
                ck_assert_msg(error <= RCM_LOSS_MAX_RELERR, TOPK_FMT " got %.17g want %.17g",
                              TOPK_ARG(p), got, want);
            }
    printf("measured: binomial loss %.1e over %d shapes with k, b <= %d\n", worst, shapes, SMALL);
}
END_TEST

/* Theorem 1 of Samaga et al. for uneven buckets, as a GMP rational. */
static double exact_loss(struct rcm_topk p)
{
    mpq_t sum, term;
    mpz_t a, b, total;
    mpq_inits(sum, term, NULL);
    mpz_inits(a, b, total, NULL);
    uint64_t q = p.n / p.b, r = p.n % p.b;
    for (int class = 0; class < 2; class ++) {
        uint64_t s = class ? q : q + 1, count = class ? p.b - r : r;
        if (count == 0)
            continue;
        mpz_set_ui(total, 0);
        for (uint64_t x = p.k_b + 1; x <= s && x <= p.k; x++) {
            if (s - x > p.n - p.k)
                continue;
            mpz_bin_uiui(a, p.k, x);
            mpz_bin_uiui(b, p.n - p.k, s - x);
            mpz_mul(a, a, b);
            mpz_mul_ui(a, a, x - p.k_b);
            mpz_add(total, total, a);
        }
        mpz_mul_ui(total, total, count);
        mpz_bin_uiui(b, p.n, s);
        mpz_mul_ui(b, b, p.k);
        mpq_set_num(term, total);
        mpq_set_den(term, b);
        mpq_canonicalize(term);
        mpq_add(sum, sum, term);
    }
    double loss = mpq_get_d(sum);
    mpq_clears(sum, term, NULL);
    mpz_clears(a, b, total, NULL);
    return loss;
}

START_TEST(random_shapes_in_rationals)
{
    uint64_t state = 1;
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        struct rcm_topk p = random_shape(&state, 3000);
        double want = exact_loss(p), got = rcm_loss_exact(p);
        if (want < 1e-290)
            continue;
        double error = relative_error(got, want);
        worst = fmax(worst, error);
        ck_assert_msg(error <= RCM_LOSS_MAX_RELERR, TOPK_FMT " got %.17g want %.17g", TOPK_ARG(p),
                      got, want);
    }
    printf("loss: worst relative error %.1e against rationals\n", worst);
}
END_TEST

START_TEST(reference_table)
{
    FILE *file = fopen("tests/reference.csv", "r");
    ck_assert_ptr_nonnull(file);
    char line[1000], *fields[8];
    int rows = 0, deviations = 0;
    double worst[4] = {0}, smallest = 1.0, largest = 0.0;
    csv_fields(file, line, sizeof line, fields, 8);
    while (csv_fields(file, line, sizeof line, fields, 8) >= 7) {
        struct rcm_topk p = {.n = to_count(fields[0]),
                             .k = to_count(fields[1]),
                             .b = to_count(fields[2]),
                             .k_b = to_count(fields[3])};
        const double want[4] = {strtod(fields[4], NULL), strtod(fields[5], NULL),
                                strtod(fields[6], NULL),
                                *fields[7] ? strtod(fields[7], NULL) : NAN};
        const double got[4] = {rcm_loss_exact(p), rcm_loss_binomial(p), rcm_survival(p, p.k),
                               rcm_recall_sd(p)};
        const double promised[4] = {RCM_LOSS_MAX_RELERR, RCM_LOSS_MAX_RELERR,
                                    RCM_SURVIVAL_MAX_RELERR, RCM_SD_MAX_RELERR};
        for (int i = 0; i < 4; i++) {
            if (isnan(want[i]))
                continue;
            double error = relative_error(got[i], want[i]);
            worst[i] = fmax(worst[i], error);
            ck_assert_msg(error <= promised[i], TOPK_FMT " column %d got %.17g want %.17g",
                          TOPK_ARG(p), 4 + i, got[i], want[i]);
        }
        smallest = fmin(smallest, want[0]);
        largest = fmax(largest, want[0]);
        deviations += !isnan(want[3]);
        rows++;
    }
    fclose(file);
    static const char *const names[4] = {"loss", "binomial loss", "survival", "standard deviation"};
    for (int i = 0; i < 4; i++)
        printf("measured: %s %.1e over %d shapes of reference.csv\n", names[i], worst[i],
               i == 3 ? deviations : rows);
    printf("reference.csv has losses from %.2g to %.1e\n", largest, smallest);
    ck_assert_int_eq(rows, 107);
    ck_assert_int_eq(deviations, 92);
    ck_assert(largest > 0.36 && smallest < 1e-240);
}
END_TEST

START_TEST(printed_equation_one)
{
    /* Key et al., Eq. (1): (1/k) (k_b + sum_{i=k_b}^{k-1} F(k_b - 1; i, 1/b)). GSL's CDF is good to
     * about 1e-13. */
    uint64_t state = 2;
    for (int i = 0; i < 300; i++) {
        struct rcm_topk p = random_shape(&state, 4000);
        double sum = (double)p.k_b;
        for (uint64_t j = p.k_b; j < p.k; j++)
            sum += gsl_cdf_binomial_P((unsigned)p.k_b - 1, 1.0 / (double)p.b, (unsigned)j);
        double printed = sum / (double)p.k, got = rcm_recall_binomial(p);
        ck_assert_msg(fabs(printed - got) <= 1e-12, TOPK_FMT " got %.17g printed %.17g",
                      TOPK_ARG(p), got, printed);
    }
}
END_TEST

START_TEST(survival_averages_to_recall)
{
    uint64_t state = 3;
    for (int i = 0; i < 300; i++) {
        struct rcm_topk p = random_shape(&state, 2000);
        if (i % 3 == 0)
            p.valid = random_between(&state, p.k, p.n);
        p.assignment = i % 2 ? RCM_CONTIGUOUS : RCM_INTERLEAVED;
        double sum = 0.0, previous = 1.0;
        for (uint64_t rank = 1; rank <= p.k; rank++) {
            double survival = rcm_survival(p, rank);
            ck_assert_msg(survival <= previous + 1e-15,
                          TOPK_FMT " rank %" PRIu64 ": %.17g after %.17g", TOPK_ARG(p), rank,
                          survival, previous);
            ck_assert_msg(rank > p.k_b || survival == 1.0, TOPK_FMT " rank %" PRIu64 ": %.17g",
                          TOPK_ARG(p), rank, survival);
            sum += survival;
            previous = survival;
        }
        double mean = sum / (double)p.k, recall = rcm_recall_exact(p);
        ck_assert_msg(fabs(mean - recall) <= 1e-13, TOPK_FMT " mean survival %.17g recall %.17g",
                      TOPK_ARG(p), mean, recall);
    }
    struct rcm_topk p = {.n = 262144, .k = 1024, .b = 512, .k_b = 4};
    ck_assert_double_eq(rcm_survival(p, 1), 1.0);
    ck_assert_double_eq_tol(rcm_survival(p, 256), 0.998, 0.0005);
    ck_assert_double_eq_tol(rcm_survival(p, 1024), 0.859, 0.0005);
}
END_TEST

START_TEST(binomial_bounds_the_loss)
{
    /* The loss grows with n at fixed k, b, k_b, and the binomial is its limit: every n up to 60,
     * uneven buckets included. */
    for (uint64_t k = 1; k <= 30; k++)
        for (uint64_t b = 1; b <= 30; b++)
            for (uint64_t k_b = 1; k_b < k; k_b++) {
                double previous = 0.0;
                for (uint64_t n = k > b ? k : b; n <= 60; n++) {
                    struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b};
                    double loss = rcm_loss_exact(p);
                    ck_assert_msg(loss >= previous * (1.0 - 1e-14),
                                  TOPK_FMT " loss %.17g, for n - 1 %.17g", TOPK_ARG(p), loss,
                                  previous);
                    previous = loss;
                }
                struct rcm_topk p = {.n = 60, .k = k, .b = b, .k_b = k_b};
                ck_assert_msg(rcm_loss_binomial(p) >= previous * (1.0 - 1e-14), TOPK_FMT,
                              TOPK_ARG(p));
            }
    uint64_t state = 4;
    for (int i = 0; i < 3000; i++) {
        struct rcm_topk p = random_shape(&state, RCM_N_MAX);
        ck_assert_msg(rcm_loss_binomial(p) >= rcm_loss_exact(p) * (1.0 - 2.0 * RCM_LOSS_MAX_RELERR),
                      TOPK_FMT, TOPK_ARG(p));
    }
}
END_TEST

START_TEST(floor_of_recall)
{
    /* 1 - 1/e holds for every deployable shape, but for padded contiguous rows, where the top-k may
     * share one bucket. */
    uint64_t state = 7;
    for (int i = 0; i < 5000; i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 200 : RCM_N_MAX);
        if (i % 3 == 0)
            p.valid = random_between(&state, p.k, p.n);
        ck_assert_msg(rcm_loss_exact(p) < exp(-1.0), TOPK_FMT " loss %g", TOPK_ARG(p),
                      rcm_loss_exact(p));
    }
    struct rcm_topk p = {
        .n = 100, .k = 10, .b = 10, .k_b = 1, .valid = 10, .assignment = RCM_CONTIGUOUS};
    ck_assert_double_eq_tol(rcm_loss_exact(p), 0.9, 1e-15);
}
END_TEST

START_TEST(monotone)
{
    uint64_t state = 6;
    const double slack = 1.0 + 2.0 * RCM_LOSS_MAX_RELERR; /* both losses may be off */
    for (int i = 0; i < 5000; i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 3000 : RCM_N_MAX), q = p;
        double loss = rcm_loss_exact(p);
        ck_assert_msg(loss >= 0.0 && loss < 1.0, TOPK_FMT " loss %.17g", TOPK_ARG(p), loss);
        q.b++;
        if (q.b <= q.n)
            ck_assert_msg(rcm_loss_exact(q) <= loss * slack, TOPK_FMT " b + 1 loses more",
                          TOPK_ARG(p));
        q = p;
        q.k_b++;
        ck_assert_msg(rcm_loss_exact(q) <= loss * slack, TOPK_FMT " k_b + 1 loses more",
                      TOPK_ARG(p));
        q = p;
        q.n++;
        if (q.n <= RCM_N_MAX)
            ck_assert_msg(loss <= rcm_loss_exact(q) * slack, TOPK_FMT " n + 1 loses less",
                          TOPK_ARG(p));
        q = p;
        q.k++;
        if (q.k <= q.n)
            ck_assert_msg(loss <= rcm_loss_exact(q) * slack, TOPK_FMT " k + 1 loses less",
                          TOPK_ARG(p));
    }
}
END_TEST

/* Sizes of the buckets of the first `valid` elements, by dealing them out. */
static void deal(struct rcm_topk p, uint64_t *sizes)
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

/* Fewest kept, by dynamic programming over the buckets. */
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
    /* Interleaved buckets of L valid elements are those of n = L; contiguous: by dealing out,
     * against integers. */
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

START_TEST(outside_the_domain)
{
    const struct rcm_topk bad[] = {
        {.n = 0, .k = 1, .b = 1, .k_b = 1},
        {.n = RCM_N_MAX + 1, .k = 1, .b = 1, .k_b = 1},
        {.n = 4, .k = 0, .b = 1, .k_b = 1},
        {.n = 4, .k = 5, .b = 1, .k_b = 1},
        {.n = 4, .k = 1, .b = 0, .k_b = 1},
        {.n = 4, .k = 1, .b = 5, .k_b = 1},
        {.n = 4, .k = 1, .b = 1, .k_b = 0},
        {.n = 4, .k = 2, .b = 1, .k_b = 1, .valid = 1},
        {.n = 4, .k = 2, .b = 1, .k_b = 1, .valid = 5},
        {.n = 4, .k = 2, .b = 1, .k_b = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rcm_topk p = bad[i];
        ck_assert_msg(
            rcm_check(p) != RCM_OK && isnan(rcm_loss_exact(p)) && isnan(rcm_recall_exact(p)) &&
                isnan(rcm_loss_binomial(p)) && isnan(rcm_recall_binomial(p)) &&
                isnan(rcm_recall_sd(p)) && isnan(rcm_survival(p, 1)) &&
                isnan(rcm_recall_worst_case(p)) && isnan(rcm_loss_bound(p)) &&
                isnan(rcm_loss_series(p, 2)) && isnan(rcm_cost(rcm_cost_model(0), p).approximate) &&
                isnan(rcm_roofline(rcm_device(0), RCM_F32, p).time_us) && rcm_candidates(p) == 0 &&
                rcm_buckets_of(p).classes == 0 && !rcm_reaches(p, (struct rcm_target){.loss = 0.5}),
            TOPK_FMT, TOPK_ARG(p));
    }
    struct rcm_topk p = {.n = 10, .k = 4, .b = 3, .k_b = 2};
    ck_assert(isnan(rcm_survival(p, 0)) && isnan(rcm_survival(p, 5)) &&
              isnan(rcm_loss_series(p, 0)));
    const struct rcm_buckets empty_class = {2, {{5, 0}, {4, 2}}};
    ck_assert(isnan(rcm_buckets_sd(&empty_class, 4, 1)) &&
              isnan(rcm_buckets_loss(&empty_class, 4, 1)));
    const struct rcm_buckets rising = {2, {{2, 1}, {3, 1}}}, none = {0},
                             huge = {1, {{UINT64_C(1) << 40, UINT64_C(1) << 40}}};
    ck_assert(isnan(rcm_buckets_loss(&rising, 1, 1)) && isnan(rcm_buckets_sd(&none, 1, 1)) &&
              isnan(rcm_buckets_worst_case(&huge, 1, 1)));
}
END_TEST

TEST_MAIN("recall", every_small_shape, binomial_of_small_shapes, random_shapes_in_rationals,
          reference_table, printed_equation_one, survival_averages_to_recall,
          binomial_bounds_the_loss, floor_of_recall, monotone, buckets_and_worst_case, padded_rows,
          outside_the_domain)
