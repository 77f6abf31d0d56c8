/* test_recall.c - recall against integers, rationals, the committed table and the printed
 * equation.
 *
 * Against: integers (every shape with n <= 40, b k_b < k included), GMP rationals (n <= 3000),
 * `reference.csv`, Eq. (1) summed as printed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gmp.h>
#include <gsl/gsl_cdf.h>

#include <tests/model/small_shapes.h>

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
    for (int small = 0; small < 2; small++) {
        uint64_t s = small ? q : q + 1, count = small ? p.b - r : r;
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
    FILE *file = fopen("tests/model/reference.csv", "r");
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

TEST_MAIN("recall", every_small_shape, binomial_of_small_shapes, random_shapes_in_rationals,
          reference_table, printed_equation_one)
