/* test_command_distribution.c - `distribution`: its probabilities against exact counting and the
 * moments of the library, and its three outputs against each other.
 *
 * Against: counting in exact integers, 63 shapes; the mean, sd and distribution of the library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gmp.h>
#include <gsl/gsl_randist.h>

#include "command.h"

/* ---- exact counting */

#define K_MOST 24

/* ways[t][e]: the ways to place t top elements that lose e of them. */
static mpz_t ways[K_MOST + 1][K_MOST + 1], next[K_MOST + 1][K_MOST + 1];

static void add_bucket(uint64_t size, uint64_t k, uint64_t k_b)
{
    mpz_t choose;
    mpz_init(choose);
    for (uint64_t t = 0; t <= k; t++)
        for (uint64_t e = 0; e <= k; e++)
            mpz_set_ui(next[t][e], 0);
    for (uint64_t x = 0; x <= size && x <= k; x++) {
        const uint64_t lost = x > k_b ? x - k_b : 0;
        mpz_bin_uiui(choose, size, x);
        for (uint64_t t = 0; t + x <= k; t++)
            for (uint64_t e = 0; e + lost <= k; e++)
                mpz_addmul(next[t + x][e + lost], ways[t][e], choose);
    }
    for (uint64_t t = 0; t <= k; t++)
        for (uint64_t e = 0; e <= k; e++)
            mpz_swap(ways[t][e], next[t][e]);
    mpz_clear(choose);
}

/* P(lost = e) for e <= k. */
static void count_distribution(struct rcm_topk p, double dist[K_MOST + 1])
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    mpq_t share;
    mpz_t all;
    mpq_init(share);
    mpz_init(all);
    for (uint64_t t = 0; t <= p.k; t++)
        for (uint64_t e = 0; e <= p.k; e++)
            mpz_set_ui(ways[t][e], t + e == 0);
    for (unsigned c = 0; c < buckets.classes; c++)
        for (uint64_t i = 0; i < buckets.of[c].count; i++)
            add_bucket(buckets.of[c].size, p.k, p.k_b);
    for (uint64_t e = 0; e <= p.k; e++)
        mpz_add(all, all, ways[p.k][e]);
    for (uint64_t e = 0; e <= p.k; e++) {
        mpq_set_num(share, ways[p.k][e]);
        mpq_set_den(share, all);
        mpq_canonicalize(share);
        dist[e] = mpq_get_d(share);
    }
    mpq_clear(share);
    mpz_clear(all);
}

static json_t *only_distribution(json_t *answer)
{
    json_t *dists = json_object_get(answer, "distributions");
    ck_assert_uint_eq(json_array_size(dists), 1);
    return json_array_get(dists, 0);
}

static void check_small(struct rcm_topk p)
{
    char arguments[200];
    double want[K_MOST + 1], below = 0.0;
    snprintf(arguments, sizeof arguments,
             "distribution --n %" PRIu64 " --k %" PRIu64 " --b %" PRIu64 " --kb %" PRIu64 " --json",
             p.n, p.k, p.b, p.k_b);
    count_distribution(p, want);
    json_t *answer = parse_answer(arguments),
           *dist = json_object_get(only_distribution(answer), "distribution");
    const size_t length = json_array_size(dist);
    size_t seen = 0;
    for (uint64_t e = 0; e <= p.k; e++) {
        json_t *range = seen < length ? json_array_get(dist, seen) : NULL;
        below += want[e];
        if (!range || number(range, "lost") != (double)e) { /* a tail that is left out */
            ck_assert_msg(want[e] <= 2.0 * RCM_LOST_MAX_ERROR, "%s: no %" PRIu64, arguments, e);
            continue;
        }
        seen++;
        ck_assert_double_eq(number(range, "lost_to"), (double)e);
        ck_assert_double_eq(number(range, "recall"), (double)(p.k - e) / (double)p.k);
        ck_assert_double_eq_tol(number(range, "probability"), want[e], 2.0 * RCM_LOST_MAX_ERROR);
        ck_assert_double_eq_tol(number(range, "at_most"), below, RCM_LOST_MAX_ERROR);
    }
    ck_assert_msg(length > 0 && seen == length, "%s: %zu of %zu ranges", arguments, seen, length);
    ck_assert_double_le(
        relative_error(number(only_distribution(answer), "probability_exact"), want[0]),
        want[0] > 0.0 ? RCM_PROBABILITY_MAX_RELERR : 0.0);
    json_decref(answer);
}

START_TEST(small_shapes)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < (K_MOST + 1) * (K_MOST + 1); i++) {
        mpz_init(ways[i / (K_MOST + 1)][i % (K_MOST + 1)]);
        mpz_init(next[i / (K_MOST + 1)][i % (K_MOST + 1)]);
    }
    check_small((struct rcm_topk){.n = 60, .k = 20, .b = 7, .k_b = 3, .m = 1});
    check_small((struct rcm_topk){.n = 100, .k = 24, .b = 24, .k_b = 1, .m = 1});
    check_small((struct rcm_topk){.n = 30, .k = 12, .b = 2, .k_b = 6, .m = 1});
    for (unsigned i = 0; i < 60;) {
        const struct rcm_topk p = random_shape(&state, 300);
        if (p.k > K_MOST || p.b > 60)
            continue;
        check_small(p);
        i++;
    }
}
END_TEST

/* ---- sums over the ranges */

/* The sums of a distribution in JSON: of p, p lost and p lost^2, at the low and at the high end of
 * ranges.
 */
struct sums {
    double p, low, high, low2, high2;
};

/* The ranges meet, have one width but for the last, and are what the library says. */
static struct sums add_up(const json_t *dist, const struct rcm_lost *want, double k)
{
    struct sums sums = {0.0, 0.0, 0.0, 0.0, 0.0};
    const size_t length = json_array_size(dist);
    const json_t *first = json_array_get(dist, 0);
    const double width = number(first, "lost_to") - number(first, "lost");
    double last = number(first, "lost") - 1.0;
    for (size_t i = 0; i < length; i++) {
        const json_t *range = json_array_get(dist, i);
        const double from = number(range, "lost"), to = number(range, "lost_to"),
                     p = number(range, "probability");
        ck_assert_double_eq(from, last + 1.0);
        ck_assert(to - from == width || (i + 1 == length && to - from < width));
        ck_assert_double_eq(number(range, "recall"), (k - to) / k);
        ck_assert_double_eq_tol(number(range, "at_most"), rcm_lost_at_most(want, to), 1e-15);
        last = to;
        sums.p += p;
        sums.low += p * from;
        sums.high += p * to;
        sums.low2 += p * from * from;
        sums.high2 += p * to * to;
    }
    return sums;
}

/* Each quantile is the smallest number that all but its share of the rows lose at most. */
static void check_quantiles(const json_t *quantiles, const struct rcm_lost *dist, uint64_t k)
{
    ck_assert_uint_eq(json_array_size(quantiles), 6);
    double before = 1.0;
    for (size_t i = 0; i < 6; i++) {
        const json_t *q = json_array_get(quantiles, i);
        const double share = number(q, "share"), lost = number(q, "lost");
        ck_assert_double_lt(share, before);
        ck_assert_double_ge(rcm_lost_at_most(dist, lost), 1.0 - share - RCM_LOST_MAX_ERROR);
        ck_assert_double_lt(rcm_lost_at_most(dist, lost - 1.0), 1.0 - share + RCM_LOST_MAX_ERROR);
        ck_assert_double_eq(number(q, "recall"), ((double)k - lost) / (double)k);
        before = share;
    }
}

START_TEST(sums_and_moments)
{
    static const struct rcm_topk shapes[] = {
        {.n = 262144, .k = 1024, .b = 512, .k_b = 4, .m = 1},
        {.n = 1000, .k = 100, .b = 100, .k_b = 1, .m = 1},
        {.n = 4096, .k = 64, .b = 4096, .k_b = 1, .m = 1},
        {.n = 1 << 20, .k = 1 << 14, .b = 2, .k_b = 1 << 13, .m = 1},
        {.n = 1 << 30, .k = 1 << 24, .b = 7473588, .k_b = 4, .m = 1},
        {.n = UINT64_C(1) << 40, .k = UINT64_C(1) << 32, .b = 1467832294, .k_b = 4, .m = 1},
    };
    size_t thinned = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct rcm_topk p = shapes[i];
        const double k = (double)p.k;
        char arguments[200];
        struct rcm_lost want;
        snprintf(arguments, sizeof arguments,
                 "distribution --n %" PRIu64 " --k %" PRIu64 " --b %" PRIu64 " --kb %" PRIu64
                 " --quantile 0.02 --json",
                 p.n, p.k, p.b, p.k_b);
        json_t *answer = parse_answer(arguments), *shape = only_distribution(answer),
               *dist = json_object_get(shape, "distribution");
        const double mean = number(shape, "lost_mean"), sd = number(shape, "lost_sd");
        ck_assert_int_eq(rcm_lost(p, &want), 0);
        ck_assert_double_eq(mean, k * rcm_loss_exact(p));
        ck_assert_double_eq(sd, k * rcm_recall_sd(p));
        ck_assert_uint_le(json_array_size(dist), 2000);
        thinned += want.length > 2000 && json_array_size(dist) > 1000;
        const struct sums sums = add_up(dist, &want, k);
        check_quantiles(json_object_get(shape, "quantiles"), &want, p.k);
        /* Each P(lost <= e) is off by at most the error, and so is each tail that is left out. */
        const double off = 3.0 * RCM_LOST_MAX_ERROR, width = (double)want.length,
                     most = (double)want.first + width;
        ck_assert_double_eq_tol(sums.p, 1.0, off);
        ck_assert_double_ge(sums.high - mean, -off * most);
        ck_assert_double_le(sums.low - mean, off * most);
        if (number(json_array_get(dist, 0), "lost_to") == number(json_array_get(dist, 0), "lost")) {
            ck_assert_double_eq_tol(sums.low, mean, off * most);
            ck_assert_double_eq_tol(sums.low2 - mean * mean, sd * sd, 3.0 * off * most * most);
        }
        rcm_lost_free(&want);
        json_decref(answer);
    }
    ck_assert_uint_eq(thinned, 2);
}
END_TEST

/* ---- CSV and text beside JSON */

#define SHAPES " --n 65536 --k 300 --b 100,200 --kb 3,4"
#define QUESTION "distribution" SHAPES

START_TEST(csv)
{
    static char out[sizeof result.out];
    json_t *answer = parse_answer(QUESTION " --json"),
           *dists = json_object_get(answer, "distributions");
    size_t shape = 0, at = 0, rows = 0;
    run(QUESTION " --csv");
    memcpy(out, result.out, sizeof out);
    char *line = strtok(out, "\n");
    ck_assert_str_eq(line, "n,k,m,valid,assignment,b,k_b,lost,lost_to,recall,probability,at_most");
    for (; (line = strtok(NULL, "\n")); at++, rows++) {
        json_t *dist = json_object_get(json_array_get(dists, shape), "distribution");
        if (at == json_array_size(dist)) {
            dist = json_object_get(json_array_get(dists, ++shape), "distribution");
            at = 0;
        }
        const json_t *range = json_array_get(dist, at);
        double got[7];
        ck_assert_int_eq(sscanf(line, "65536,300,1,65536,interleaved,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                                got, got + 1, got + 2, got + 3, got + 4, got + 5, got + 6),
                         7);
        ck_assert_double_eq(got[0], number(json_array_get(dists, shape), "b"));
        ck_assert_double_eq(got[1], number(json_array_get(dists, shape), "k_b"));
        static const char *const keys[] = {"lost", "lost_to", "recall", "probability", "at_most"};
        for (size_t i = 0; i < 5; i++)
            ck_assert_double_eq(got[i + 2], number(range, keys[i]));
    }
    ck_assert_uint_eq(shape, 3);
    ck_assert_uint_eq(at,
                      json_array_size(json_object_get(json_array_get(dists, 3), "distribution")));
    ck_assert_uint_gt(rows, 100);
    json_decref(answer);
}
END_TEST

/* P(from <= lost <= to) of a distribution in JSON with single elements. */
static double sum_of(const json_t *dist, double from, double to)
{
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(dist); i++) {
        const json_t *range = json_array_get(dist, i);
        if (number(range, "lost") >= from && number(range, "lost") <= to)
            sum += number(range, "probability");
    }
    return sum;
}

START_TEST(text)
{
    json_t *answer = parse_answer(QUESTION " --json"),
           *dists = json_object_get(answer, "distributions");
    run(QUESTION);
    const char *at = result.out;
    for (size_t shape = 0; shape < 4; shape++) {
        const json_t *dist = json_object_get(json_array_get(dists, shape), "distribution");
        double total = 0.0, highest = 0.0, p[40];
        uint64_t last = 0;
        int bars[40], lines = 0;
        at = strstr(at, "at most\n");
        ck_assert(at != NULL);
        for (at = strchr(at, '\n') + 1; *at && *at != '\n'; at = strchr(at, '\n') + 1, lines++) {
            uint64_t from, to;
            int used = 0;
            ck_assert_int_lt(lines, 18);
            if (sscanf(at, " %" SCNu64 "..%" SCNu64 " %*f %lf %*f%n", &from, &to, &p[lines],
                       &used) != 3) {
                ck_assert_int_eq(sscanf(at, " %" SCNu64 " %*f %lf %*f%n", &from, &p[lines], &used),
                                 2);
                to = from;
            }
            ck_assert(lines == 0 || from == last + 1);
            ck_assert_double_le(relative_error(p[lines], sum_of(dist, (double)from, (double)to)),
                                6e-4);
            used += (int)strspn(at + used, " ");
            bars[lines] = (int)strspn(at + used, "#");
            ck_assert(at[used + bars[lines]] == '\n');
            last = to;
            total += p[lines];
            highest = fmax(highest, p[lines]);
        }
        for (int i = 0; i < lines; i++)
            ck_assert_double_eq_tol(bars[i], 50.0 * p[i] / highest, 0.6);
        ck_assert_int_ge(lines, 6);
        ck_assert_double_le(sum_of(dist, (double)last + 1.0, INFINITY), 1e-9);
        ck_assert_double_eq_tol(total, 1.0, 1e-3);
    }
    json_decref(answer);
}
END_TEST

/* What is not computed is null or "-", with a line that says why. */
START_TEST(not_computed)
{
    json_t *answer = parse_answer("distribution --n 2^50 --k 2^40 --b 4 --kb 2^38 --json"),
           *shape = only_distribution(answer), *quantiles = json_object_get(shape, "quantiles");
    ck_assert(json_is_null(json_object_get(shape, "distribution")));
    for (size_t i = 0; i < json_array_size(quantiles); i++)
        ck_assert(json_is_null(json_object_get(json_array_get(quantiles, i), "lost")) &&
                  json_is_null(json_object_get(json_array_get(quantiles, i), "recall")));
    json_decref(answer);
    run("distribution --n 2^50 --k 2^40 --b 4 --kb 2^38");
    ck_assert(strstr(result.out, "is too wide") && !strstr(result.out, "at most\n"));
    run("distribution --n 2^50 --k 2^40 --b 4 --kb 2^38 --csv");
    ck_assert(strstr(result.out, ",interleaved,4,274877906944,,,,,\n"));
    answer = parse_answer("distribution --n 1000 --k 100 --b 50 --kb 2 --quantile 1e-15 --json");
    quantiles = json_object_get(only_distribution(answer), "quantiles");
    ck_assert_uint_eq(json_array_size(quantiles), 6);
    ck_assert(json_is_null(json_object_get(json_array_get(quantiles, 5), "lost")) &&
              !json_is_null(json_object_get(json_array_get(quantiles, 4), "lost")));
    json_decref(answer);
    run("distribution --n 1000 --k 100 --b 50 --kb 2 --quantile 1e-15");
    ck_assert(strstr(result.out, "accurate to 1e-12") && !strstr(result.out, "is too wide"));
}
END_TEST

/* ---- lost mass */

#define MASS_ROWS 200
#define MASS_N 512

/* A .npy file of normal scores. */
static void write_scores(const char *path, double sd)
{
    char head[128];
    const size_t length = sizeof head - 1;
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    const int text = snprintf(head + 10, sizeof head - 10,
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                              MASS_ROWS, MASS_N);
    head[10 + text] = ' ';
    head[length] = '\n';
    FILE *file = fopen(path, "wb");
    ck_assert(file && fwrite(head, sizeof head, 1, file) == 1);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (int i = 0; i < MASS_ROWS * MASS_N; i++) {
        const double x = gsl_ran_gaussian(rng, sd);
        ck_assert_uint_eq(fwrite(&x, sizeof x, 1, file), 1);
    }
    gsl_rng_free(rng);
    ck_assert_int_eq(fclose(file), 0);
}

/* Mean, standard deviation and what 19 of 20 rows lose, by `distribution`; `recall` says the
 * same. */
static void mass_of(const char *weights, double mass[3])
{
    char arguments[300];
    snprintf(arguments, sizeof arguments, "distribution --n 512 --k 32 --b 20 --kb 2 %s --json",
             weights);
    json_t *answer = parse_answer(arguments), *dist = only_distribution(answer);
    mass[0] = number(dist, "lost_mass");
    mass[1] = number(dist, "lost_mass_sd");
    mass[2] = NAN;
    const json_t *quantiles = json_object_get(dist, "lost_mass_quantiles"), *each;
    size_t at;
    json_array_foreach(quantiles, at, each) if (number(each, "share") == 0.05) mass[2] =
        number(each, "lost_mass");
    json_decref(answer);
    snprintf(arguments, sizeof arguments,
             "recall --n 512 --k 32 --b 20 --kb 2 --quantile 0.05 %s --json", weights);
    answer = parse_answer(arguments);
    const json_t *row = json_array_get(json_object_get(answer, "configurations"), 0);
    const double want[3] = {number(row, "lost_mass"), number(row, "lost_mass_sd"),
                            number(row, "lost_mass_quantile")};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(mass[i], want[i], 1e-12);
    json_decref(answer);
}

/* `select` finds buckets of which 19 of 20 rows lose at most 1 % of the mass, and about as much. */
static void check_confidence(const char *weights, double least)
{
    char arguments[300];
    snprintf(arguments, sizeof arguments,
             "select --n 512 --k 32 --kb-max 2 --lost-mass 0.01 --confidence 0.95 %s --json",
             weights);
    json_t *answer = parse_answer(arguments), *choice = json_object_get(answer, "choice");
    const double most = number(choice, "lost_mass_quantile");
    ck_assert_msg(most >= least && most <= 0.0101, "%s: %g", weights, most);
    json_decref(answer);
}

/* Normal scores, whose distribution is known, against rows of such scores and, for the nucleus,
 * rows that are drawn. The rows of the file are few: 10 %. */
START_TEST(lost_mass_three_ways)
{
    char path[60], arguments[300];
    double known[3], rows[3], nucleus[2][3];
    snprintf(path, sizeof path, "/tmp/distribution_scores_%d.npy", (int)getpid());
    write_scores(path, 2.0);
    mass_of("--score-sd 2", known);
    snprintf(arguments, sizeof arguments, "--weights %s", path);
    mass_of(arguments, rows);
    snprintf(arguments, sizeof arguments, "--weights %s --top-p 0.8", path);
    mass_of(arguments, nucleus[0]);
    mass_of("--score-sd 4 --temperature 2 --top-p 0.8", nucleus[1]);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(rows[i] / known[i], 1.0, 0.1);
        ck_assert_double_eq_tol(nucleus[0][i] / nucleus[1][i], 1.0, 0.1);
    }
    ck_assert(known[1] > 0.0 && known[2] > known[0] && nucleus[1][0] < 0.7 * known[0]);
    /* padding that no top element lies in changes nothing */
    json_t *padded = parse_answer("recall --n 700 --valid 512 --k 32 --b 20 --kb 2 --quantile 0.05 "
                                  "--score-sd 2 --json");
    const json_t *row = json_array_get(json_object_get(padded, "configurations"), 0);
    ck_assert_double_eq_tol(number(row, "lost_mass_quantile"), known[2], 1e-12);
    json_decref(padded);
    check_confidence("--score-sd 2", 0.006);
    check_confidence("--score-sd 2 --top-p 0.9", 0.0); /* nothing, or an element of the nucleus */
    snprintf(arguments, sizeof arguments, "--weights %s", path);
    check_confidence(arguments, 0.006);
    unlink(path);
}
END_TEST

START_TEST(second_name)
{
    run(QUESTION " --csv");
    char *first = strdup(result.out);
    run("law" SHAPES " --csv");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.out, first);
    free(first);
}
END_TEST

TEST_MAIN("command: distribution", small_shapes, sums_and_moments, csv, text, not_computed,
          lost_mass_three_ways, second_name)
