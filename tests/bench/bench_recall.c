/* bench_recall.c - how long one exact recall takes, and how many times longer the papers' ways
 * take, in one run.
 *
 * (a) One recall: exact, against the Monte Carlo estimate of Samaga et al. at its own stopping
 * rule, and against Eq. (1) of Key et al. summed as printed with GSL's binomial CDF.
 *
 * (b) The parameter sweep of listing A.10: exact, and as rcm_best_buckets() selects, against Monte
 * Carlo in C with GSL's sampler, and in NumPy where it is available (tests/bench/sweep.py, which
 * this program runs). As CSV; `bench_recall sweep` prints it alone.
 *
 * Times are CPU time of the one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel.h>

#define BENCH_CLOCK clock_thread_seconds
#include "bench.h"

static gsl_rng *rng;

/* expected_recall_mc of listing A.10: the mean of 1 - b (X - k_b)+ / k over draws of X, doubled
 * until 3 standard errors are below 0.005. */
static double monte_carlo(struct rcm_topk p, uint64_t *samples)
{
    for (uint64_t trials = 4096;; trials *= 2) {
        double mean = 0.0, square = 0.0;
        for (uint64_t i = 0; i < trials; i++) {
            unsigned x = gsl_ran_hypergeometric(rng, (unsigned)p.k, (unsigned)(p.n - p.k),
                                                (unsigned)(p.n / p.b));
            double recall =
                       1.0 - (double)p.b / (double)p.k * (x > p.k_b ? (double)(x - p.k_b) : 0.0),
                   old = mean;
            mean += (recall - mean) / (double)(i + 1);
            square += (recall - mean) * (recall - old);
        }
        *samples += trials;
        if (3.0 * sqrt(square / (double)(trials - 1) / (double)trials) <= 0.005)
            return mean;
    }
}

static double equation_one(struct rcm_topk p)
{
    double sum = (double)p.k_b;
    for (uint64_t i = p.k_b; i < p.k; i++)
        sum += gsl_cdf_binomial_P((unsigned)p.k_b - 1, 1.0 / (double)p.b, (unsigned)i);
    return sum / (double)p.k;
}

/* select_parameters of listing A.10, with all divisors: k_b rising, b falling over the multiples of
 * 128 that divide n, until b is too small for k or for the target; the fewest candidates win. */
static struct rcm_topk sweep(uint64_t n, uint64_t k, double target,
                             double (*recall)(struct rcm_topk))
{
    struct rcm_topk best = {0};
    struct rcm_factors factors = rcm_factorise(n);
    uint64_t divisors[1000], length = 0;
    for (uint64_t b = n; length < 1000 && b > 0 && (b = rcm_previous_b(n, b, 128, &factors)) != 0;
         b--)
        divisors[length++] = b;
    for (uint64_t k_b = 1; k_b <= 4; k_b++)
        for (uint64_t i = 0; i < length && divisors[i] * k_b >= k; i++) {
            struct rcm_topk p = {.n = n, .k = k, .b = divisors[i], .k_b = k_b};
            if (k_b > n / p.b)
                continue;
            if (recall(p) < target)
                break;
            if (best.n == 0 || p.b * k_b < best.b * best.k_b)
                best = p;
        }
    return best;
}

static uint64_t samples, configurations;

static double monte_carlo_recall(struct rcm_topk p)
{
    configurations++;
    return monte_carlo(p, &samples);
}

static double sweep_exact(uint64_t n, uint64_t k)
{
    return (double)sweep(n, k, 0.95, rcm_recall_exact).b;
}

static double chosen(uint64_t n, uint64_t k)
{
    struct rcm_selection s = {.p = {.n = n, .k = k, .m = 1},
                              .target = {.loss = 0.05, .align = 128, .divisors = true},
                              .k_b_max = 4};
    return (double)rcm_best_buckets(&s).p.b;
}

static struct rcm_selection asked_by(const struct rcm_objective *objective, double confidence)
{
    return (struct rcm_selection){
        .p = {.n = 131072, .k = 2048, .m = 64},
        .target = {.loss = 0.01},
        .confidence = confidence,
        .most_lost = 20,
        .objective = objective,
        .machine = {.profile = rcm_profile(0)},
        .kernel = objective->need == RCM_NEEDS_PROFILE ? rcm_profile(0)->kernel : NULL};
}

static double chosen_by(const struct rcm_objective *objective, double confidence)
{
    const struct rcm_selection s = asked_by(objective, confidence);
    return rcm_best_buckets(&s).objective;
}

static double whole_choice(const struct rcm_objective *objective)
{
    const struct rcm_selection s = asked_by(objective, 0.0);
    return rcm_select(&s).objective;
}

static double distribution_of(struct rcm_topk p)
{
    struct rcm_lost dist;
    double nothing = rcm_lost(p, &dist) == 0 ? rcm_lost_at_most(&dist, 0.0) : NAN;
    rcm_lost_free(&dist);
    return nothing;
}

static const struct rcm_topk shapes[] = {
    {.n = 262144, .k = 1024, .b = 512, .k_b = 4},
    {.n = 262144, .k = 1024, .b = 8192, .k_b = 1},
    {.n = 128256, .k = 256, .b = 500, .k_b = 2},
    {.n = 1 << 20, .k = 131072, .b = 32768, .k_b = 8},
    {.n = UINT64_C(1) << 30, .k = 1 << 20, .b = 1 << 14, .k_b = 100},
    {.n = UINT64_C(1) << 40, .k = 1 << 30, .b = 1 << 18, .k_b = 4300},
    {.n = UINT64_C(1) << 50, .k = UINT64_C(1) << 40, .b = UINT64_C(1) << 38, .k_b = 8},
    {.n = UINT64_C(1) << 50,
     .k = UINT64_C(1) << 40,
     .b = 1023,
     .k_b = (1 << 30) + (1 << 20) + (1 << 18)},
};

static void print_calls(void)
{
    puts("ns a call");
    printf("%20s %16s %12s %11s  %8s %9s %8s %9s\n", "n", "k", "b", "k_b", "exact", "binomial",
           "sd", "smallest b");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rcm_topk p = shapes[i];
        struct rcm_target target = {.loss = 0.05};
        printf("%20" PRIu64 " %16" PRIu64 " %12" PRIu64 " %11" PRIu64 "  %8.0f %9.0f %8.0f %9.0f\n",
               p.n, p.k, p.b, p.k_b, BENCH_NS(rcm_recall_exact(p)),
               BENCH_NS(rcm_recall_binomial(p)), BENCH_NS(rcm_recall_sd(p)),
               BENCH_NS((double)rcm_smallest_b(p, target)));
    }
}

static void print_one_recall(void)
{
    struct rcm_topk title = shapes[0];
    double exact = BENCH_NS(rcm_recall_exact(title));
    double estimate = BENCH_NS(monte_carlo_recall(title)), printed = BENCH_NS(equation_one(title));
    puts("\n(a) one recall at n 262144, k 1024, b 512, k_b 4");
    printf("  exact                                             %12.0f ns\n", exact);
    printf("  Monte Carlo to 3 standard errors < 0.005 (C, GSL) %12.0f ns  %10.0f times longer\n",
           estimate, estimate / exact);
    printf("  Eq. (1) as printed, with GSL's binomial CDF       %12.0f ns  %10.0f times longer\n",
           printed, printed / exact);
}

/* n from 16 thousand to 917 thousand and k from 128 to 3360, as in A.10.3, which does not print its
 * eight. */
static const struct rcm_topk cases[] = {{.n = 16384, .k = 128},   {.n = 24576, .k = 512},
                                        {.n = 65536, .k = 256},   {.n = 131072, .k = 1024},
                                        {.n = 262144, .k = 1024}, {.n = 430080, .k = 3360},
                                        {.n = 524288, .k = 2048}, {.n = 917504, .k = 3360}};

static void print_case(struct rcm_topk p, double numpy_us)
{
    const double exact = 1e-3 * BENCH_NS(sweep_exact(p.n, p.k)),
                 select = 1e-3 * BENCH_NS(chosen(p.n, p.k));
    samples = configurations = 0;
    const double start = clock_thread_seconds();
    const struct rcm_topk theirs = sweep(p.n, p.k, 0.95, monte_carlo_recall);
    const double monte_carlo_us = 1e6 * (clock_thread_seconds() - start);
    const struct rcm_topk ours = sweep(p.n, p.k, 0.95, rcm_recall_exact);
    printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4g,%.4g,%.4g,%.4g", p.n, p.k,
           configurations, samples, monte_carlo_us, numpy_us, exact, select);
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", theirs.k_b, theirs.b, ours.k_b,
           ours.b);
}

static void print_sweep(void)
{
    char command[500] = "python3 tests/bench/sweep.py";
    const size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        snprintf(command + strlen(command), sizeof command - strlen(command),
                 " %" PRIu64 ",%" PRIu64, cases[i].n, cases[i].k);
    strcat(command, " 2>/dev/null");
    fflush(stdout);
    FILE *numpy = popen(command, "r");
    puts("n,k,configurations,samples,monte_carlo_us,numpy_us,exact_us,select_us,monte_carlo_k_b,"
         "monte_carlo_b,k_b,b");
    for (size_t i = 0; i < count; i++) {
        double theirs = NAN;
        if (!numpy || fscanf(numpy, "%lf", &theirs) != 1)
            theirs = NAN;
        print_case(cases[i], theirs);
    }
    if (numpy && pclose(numpy) != 0)
        fputs("NumPy: not available (python3 -m pip install numpy)\n", stderr);
}

static void print_distributions(void)
{
    puts("\n(c) the distribution of the lost, and choices for n 131072, k 2048, recall 0.99");
    static const struct rcm_topk dists[] = {{.n = 4096, .k = 64, .b = 16, .k_b = 8},
                                            {.n = 262144, .k = 64, .b = 640, .k_b = 1},
                                            {.n = 262144, .k = 1024, .b = 512, .k_b = 4},
                                            {.n = 1 << 20, .k = 131072, .b = 32768, .k_b = 4},
                                            {.n = 1 << 30, .k = 1 << 20, .b = 1 << 20, .k_b = 1},
                                            {.n = 1 << 30, .k = 1 << 20, .b = 1024, .k_b = 1100},
                                            {.n = 1 << 22, .k = 1 << 14, .b = 7, .k_b = 2400}};
    for (size_t i = 0; i < sizeof dists / sizeof *dists; i++)
        printf("  n %10" PRIu64 " k %7" PRIu64 " b %7" PRIu64 " k_b %4" PRIu64
               "  distribution %10.1f us   P(nothing lost) %8.1f us\n",
               dists[i].n, dists[i].k, dists[i].b, dists[i].k_b,
               1e-3 * BENCH_NS(distribution_of(dists[i])),
               1e-3 * BENCH_NS(rcm_probability_exact(dists[i])));
    const struct rcm_objective *objective;
    for (size_t i = 0; (objective = rcm_objective(i)); i++)
        if (objective->need != RCM_NEEDS_DEVICE)
            printf("  least %-10s buckets alone %9.1f us, with exact top-k and the threshold %9.1f "
                   "us\n",
                   objective->name, 1e-3 * BENCH_NS(chosen_by(objective, 0.0)),
                   1e-3 * BENCH_NS(whole_choice(objective)));
    printf("  fewest candidates, in a row with probability 0.99 %10.1f us\n",
           1e-3 * BENCH_NS(chosen_by(rcm_objective(0), 0.99)));
    printf("  one predicted time %36.1f ns\n",
           BENCH_NS(
               rcm_predict(rcm_profile(0),
                           (struct rcm_topk){.n = 131072, .k = 2048, .b = 4096, .k_b = 2, .m = 64})
                   .time_us));
    printf(
        "  one E[R] %46.1f us\n",
        1e-3 *
            BENCH_NS(
                rcm_reaching((struct rcm_topk){.n = 131072, .k = 2048, .b = 1024, .k_b = 4}).mean));
}

int main(int count, char **arguments)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (count == 2 && strcmp(arguments[1], "sweep") == 0) {
        print_sweep();
    } else {
        print_calls();
        print_one_recall();
        puts("\n(b) the sweep of listing A.10, target 0.95, k_b 1 to 4, b multiples of 128 that "
             "divide n");
        print_sweep();
        print_distributions();
    }
    gsl_rng_free(rng);
    return 0;
}
