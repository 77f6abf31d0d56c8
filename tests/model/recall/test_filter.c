/* test_filter.c - exact top-k by a running threshold, and by that of a sample.
 *
 * Against: every order of up to 8 elements, the algorithm run on random rows, a plain chain of
 * hypergeometric probabilities, and the bound that its authors prove.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_rng.h>

#include <tests/test.h>

/* What the algorithm does with one row. */
struct run {
    uint64_t appended, compactions, held; /* held: the most that the buffer does */
};

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* At the end the k largest of the buffer are those of the row: their sum is returned. */
static double filter_row(const double *row, struct rcm_filter f, double *buffer, struct run *run)
{
    double threshold = -INFINITY, sum = 0.0;
    uint64_t length = 0;
    *run = (struct run){0, 0, 0};
    for (uint64_t block = 0; block < f.n; block += f.block) {
        for (uint64_t i = block; i < f.n && i < block + f.block; i++)
            if (row[i] > threshold) {
                buffer[length++] = row[i];
                run->appended++;
            }
        ck_assert_uint_le(length, f.k + f.more + f.block - 1);
        run->held = length > run->held ? length : run->held;
        if (length < f.k + f.more)
            continue;
        qsort(buffer, length, sizeof *buffer, larger_first);
        length = f.k;
        threshold = buffer[f.k - 1];
        run->compactions++;
    }
    qsort(buffer, length, sizeof *buffer, larger_first);
    for (uint64_t i = 0; i < f.k; i++)
        sum += buffer[i];
    return sum;
}

/* ---- all orders */

#define SMALL 8
static double orders[40320][SMALL];
static unsigned order_count;

static void all_orders(double *row, unsigned length, unsigned n)
{
    if (length == n) {
        memcpy(orders[order_count++], row, n * sizeof *row);
        return;
    }
    for (unsigned value = 1; value <= n; value++) {
        bool used = false;
        for (unsigned i = 0; i < length; i++)
            used = used || row[i] == value;
        row[length] = value;
        if (!used)
            all_orders(row, length + 1, n);
    }
}

START_TEST(filters_by_counting)
{
    double worst = 0.0, row[SMALL], buffer[2 * SMALL];
    for (unsigned n = 1; n <= SMALL; n++) {
        order_count = 0;
        all_orders(row, 0, n);
        for (unsigned k = 1; k <= n; k++)
            for (unsigned block = 1; block <= 4; block++)
                for (unsigned more = 1; more <= 4; more++) {
                    const struct rcm_filter f = {n, k, block, more};
                    double appended = 0.0, square = 0.0, count = 0.0, count_square = 0.0;
                    double at_most[SMALL + 1] = {0.0}, appends[SMALL + 1] = {0.0},
                                           holds[SMALL + 1] = {0.0};
                    if (n == SMALL && (k + block + more) % 3)
                        continue; /* a third of the largest */
                    for (unsigned i = 0; i < order_count; i++) {
                        struct run run;
                        const double sum = filter_row(orders[i], f, buffer, &run);
                        ck_assert_double_eq(sum, 0.5 * k * (2.0 * n - k + 1.0));
                        appended += (double)run.appended;
                        square += (double)(run.appended * run.appended);
                        count += (double)run.compactions;
                        count_square += (double)(run.compactions * run.compactions);
                        for (uint64_t r = run.compactions; r <= SMALL; r++)
                            at_most[r] += 1.0;
                        for (uint64_t r = run.appended; r <= SMALL; r++)
                            appends[r] += 1.0;
                        for (uint64_t r = run.held; r <= SMALL; r++)
                            holds[r] += 1.0;
                    }
                    const double all = order_count;
                    const struct rcm_filter_work w = rcm_filter(f);
                    const double variance = square / all - pow(appended / all, 2.0),
                                 count_variance = count_square / all - pow(count / all, 2.0);
                    double error =
                        fmax(fabs(w.appended - appended / all), fabs(w.compactions - count / all));
                    error = fmax(error, fabs(w.appended_sd * w.appended_sd - variance));
                    error = fmax(error, fabs(w.compactions_sd * w.compactions_sd - count_variance));
                    for (uint64_t r = 0; r <= SMALL; r++) {
                        const double of[] = {rcm_filter_compactions_at_most(f, r) -
                                                 at_most[r] / all,
                                             rcm_filter_appended_at_most(f, r) - appends[r] / all,
                                             rcm_filter_buffer_at_most(f, r) - holds[r] / all};
                        error = fmax(error, fmax(fabs(of[0]), fmax(fabs(of[1]), fabs(of[2]))));
                    }
                    for (double share = 0.01; share < 1.0; share *= 1.7) {
                        const struct rcm_filter_quantiles q = rcm_filter_quantiles(f, share);
                        ck_assert(1.0 - appends[q.appended] / all <= share + 1e-9 &&
                                  1.0 - holds[q.buffer] / all <= share + 1e-9);
                        ck_assert(1.0 - appends[q.appended - 1] / all > share - 1e-9 &&
                                  1.0 - holds[q.buffer - 1] / all > share - 1e-9);
                    }
                    worst = fmax(worst, error);
                    ck_assert_msg(error < 1e-9, "n %u k %u block %u more %u: %g", n, k, block, more,
                                  error);
                    ck_assert_double_le(w.selected, w.bound);
                }
    }
    printf("measured: filters by counting %.1e\n", worst);
}
END_TEST

START_TEST(samples_by_counting)
{
    double worst = 0.0, row[SMALL];
    for (unsigned n = 2; n <= 7; n++) {
        order_count = 0;
        all_orders(row, 0, n);
        for (unsigned sample = 1; sample <= n; sample++)
            for (unsigned rank = 1; rank <= sample; rank++)
                for (unsigned k = 1; k <= n; k++) {
                    double mean = 0.0, square = 0.0, few = 0.0, many = 0.0;
                    const unsigned room = k + 1;
                    for (unsigned i = 0; i < order_count; i++) {
                        double first[SMALL];
                        memcpy(first, orders[i], sizeof first);
                        qsort(first, sample, sizeof *first, larger_first);
                        const double survivors = n + 1.0 - first[rank - 1];
                        mean += survivors;
                        square += survivors * survivors;
                        few += survivors < k;
                        many += survivors > room;
                    }
                    mean /= order_count;
                    const double sd = sqrt(fmax(square / order_count - mean * mean, 0.0));
                    const struct rcm_survivors s =
                        rcm_sampled((struct rcm_sample){n, k, sample, rank}, room);
                    double error = fmax(fabs(s.mean - mean), fabs(s.sd - sd));
                    error = fmax(error, fabs(s.too_few - few / order_count));
                    error = fmax(error, fabs(s.too_many - many / order_count));
                    worst = fmax(worst, error);
                    ck_assert_msg(error < 1e-7, "n %u sample %u rank %u k %u: %g", n, sample, rank,
                                  k, error);
                }
    }
    printf("measured: samples by counting %.1e\n", worst);
}
END_TEST

/* The distribution of what is appended has the mean and the standard deviation that are computed
 * without it. */
START_TEST(distributions_have_their_moments)
{
    const struct rcm_filter filters[] = {
        {500, 24, 10, 14}, {1000, 7, 64, 30}, {3000, 1, 300, 11}, {400, 300, 7, 9}};
    double worst = 0.0;
    for (unsigned c = 0; c < 4; c++) {
        const struct rcm_filter f = filters[c];
        const struct rcm_filter_work w = rcm_filter(f);
        double mean = 0.0, square = 0.0, before = 0.0;
        for (uint64_t v = 1; v <= f.n && before < 1.0 - 1e-12; v++) {
            const double here = rcm_filter_appended_at_most(f, v), off = (double)v - w.appended;
            mean += (here - before) * off;
            square += (here - before) * off * off;
            before = here;
        }
        const double sd = sqrt(square - mean * mean);
        worst = fmax(worst, fmax(fabs(mean), fabs(sd - w.appended_sd)) / w.appended_sd);
        ck_assert_double_eq_tol(before, 1.0, 1e-8);
        ck_assert_msg(fabs(mean) < 1e-6 * w.appended_sd &&
                          fabs(sd - w.appended_sd) < 1e-6 * w.appended_sd,
                      "%u: mean off by %g, sd %g for %g", c, mean, sd, w.appended_sd);
    }
    printf("measured: distributions have their moments %.1e\n", worst);
}
END_TEST

/* The distribution of what is appended, element by element: each exceeds with probability (k +
 * a)/(read + 1), where a were appended since the last compaction. at[a][s]: s before it. */
#define AT_A 256
#define AT_S 1500
static void plain_distribution(struct rcm_filter f, double (*at)[AT_S], double dist[2 * AT_S])
{
    const uint64_t first = (f.k + f.more + f.block - 1) / f.block * f.block;
    memset(at, 0, AT_A * sizeof *at);
    at[0][first] = 1.0;
    for (uint64_t read = first; read < f.n; read++) {
        for (uint64_t a = f.more + f.block; a-- > 0;)
            for (uint64_t s = first; s < AT_S; s++) {
                const double exceeds = (double)(f.k + a) / ((double)read + 1.0) * at[a][s];
                at[a][s] -= exceeds;
                at[a + 1][s] += exceeds;
            }
        for (uint64_t a = f.more; (read + 1) % f.block == 0 && a < f.more + f.block; a++)
            for (uint64_t s = first; s + a < AT_S; s++) {
                at[0][s + a] += at[a][s];
                at[a][s] = 0.0;
            }
    }
    memset(dist, 0, 2 * AT_S * sizeof *dist);
    for (uint64_t a = 0; a < f.more + f.block; a++)
        for (uint64_t s = first; s < AT_S; s++)
            dist[s + a] += at[a][s];
}

START_TEST(distributions_by_elements)
{
    const struct rcm_filter filters[] = {
        {3000, 5, 5, 200}, {2500, 40, 12, 150}, {2000, 100, 2, 240}};
    static double at[AT_A][AT_S], dist[2 * AT_S];
    double worst = 0.0;
    for (unsigned c = few_cases() ? 2 : 0; c < 3; c++) {
        double below = 0.0;
        plain_distribution(filters[c], at, dist);
        uint64_t v = 0;
        for (double share = 0.02; share < 1.0; share += 0.4) {
            while (below < share)
                below += dist[v++];
            const double error = fabs(rcm_filter_appended_at_most(filters[c], v - 1) - below);
            worst = fmax(worst, error);
            ck_assert_msg(error < RCM_FILTER_DISTRIBUTION_MAX_ERR, "%u at %" PRIu64 ": %.3g", c, v,
                          error);
            ck_assert_uint_eq(rcm_filter_quantiles(filters[c], 1.0 - below + 1e-4).appended, v - 1);
        }
    }
    printf("measured: distributions by elements %.1e\n", worst);
}
END_TEST

/* |z| > 5 by chance: 6e-7 a number, of 20. The seed is fixed. */
START_TEST(filters_of_random_rows)
{
    const struct rcm_filter filters[] = {
        {5000, 64, 100, 64}, {20000, 200, 512, 300}, {3000, 5, 16, 2}, {10007, 100, 1000, 50}};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double *row = malloc(20000 * sizeof *row), *buffer = malloc(20000 * sizeof *buffer), most = 0.0;
    for (unsigned c = 0; c < 4; c++) {
        const struct rcm_filter f = filters[c];
        const struct rcm_filter_work w = rcm_filter(f);
        const unsigned drawn = few_cases() ? 200 : 600;
        const double rows = drawn;
        double appended = 0.0, count = 0.0, over[3] = {0.0};
        const double shares[3] = {0.9, 0.5, 0.1};
        struct rcm_filter_quantiles quantiles[3];
        const uint64_t held = rcm_filter_quantiles(f, 1e-7).buffer;
        for (unsigned s = 0; s < 3; s++)
            quantiles[s] = rcm_filter_quantiles(f, shares[s]);
        for (unsigned r = 0; r < drawn; r++) {
            struct run run;
            for (uint64_t i = 0; i < f.n; i++)
                row[i] = gsl_rng_uniform(rng);
            filter_row(row, f, buffer, &run);
            appended += (double)run.appended / rows;
            count += (double)run.compactions / rows;
            for (unsigned s = 0; s < 3; s++)
                over[s] += run.appended > quantiles[s].appended;
            ck_assert_uint_le(run.held, held);
        }
        for (unsigned s = 0; s < 3; s++) {
            const double share = 1.0 - rcm_filter_appended_at_most(f, quantiles[s].appended);
            const double z = (over[s] - share * rows) / sqrt(rows * share * (1.0 - share));
            most = fmax(most, fabs(z));
            ck_assert_msg(fabs(z) < 5.0, "%u, a share of %g: z %.2f", c, share, z);
        }
        const double z = (appended - w.appended) / (w.appended_sd / sqrt(rows)),
                     z_count = (count - w.compactions) / (w.compactions_sd / sqrt(rows) + 1e-3);
        most = fmax(most, fmax(fabs(z), fabs(z_count)));
        ck_assert_msg(fabs(z) < 5.0 && fabs(z_count) < 5.0, "%u: z %.2f %.2f", c, z, z_count);
        ck_assert_double_le(w.selected, w.bound);
    }
    gsl_rng_free(rng);
    free(row);
    free(buffer);
    printf("measured: filters of random rows |z| up to %.1f\n", most);
}
END_TEST

/* ---- the chain from block to block, by one hypergeometric probability for each term
 *
 * Of the next x elements at least j exceed the k-th largest of those seen: the sample is what was
 * seen, and its k-th largest is not among the k + j - 1 largest of all. */

static double exceeded(double seen, double k, double x, double j)
{
    const struct rcm_sample sample = {(uint64_t)(seen + x), 1, (uint64_t)seen, (uint64_t)k};
    return j > x ? 0.0 : rcm_sampled(sample, (uint64_t)(k + j - 1.0)).too_many;
}

/* The means of 1, a and a^2 over the rows with a >= j. */
static void moments(double seen, double k, double x, double j, double m[3])
{
    const double one = k * (seen + x + 1.0) / (seen + 1.0),
                 two = one * (k + 1.0) * (seen + x + 2.0) / (seen + 2.0);
    m[0] = exceeded(seen, k, x, j);
    m[1] = one * exceeded(seen + 1.0, k + 1.0, x, j);
    m[2] = two * exceeded(seen + 2.0, k + 2.0, x, j);
}

/* Adds the rows that go on from `from`: probability, sums of appended and of its square. */
static void go_on(double to[3], const double from[3], const double m[3], double k)
{
    const double a = m[1] - k * m[0], square = m[2] - (2.0 * k + 1.0) * a - k * (k + 1.0) * m[0];
    to[0] += m[0] * from[0];
    to[1] += m[0] * from[1] + a * from[0];
    to[2] += m[0] * from[2] + 2.0 * a * from[1] + square * from[0];
}

#define CHAIN 400
static void plain_chain(struct rcm_filter f, double *appended, double *sd, double *compactions)
{
    static double at[CHAIN + 1][3], end[3];
    const uint64_t blocks = (f.n + f.block - 1) / f.block,
                   first = (f.k + f.more + f.block - 1) / f.block;
    const double n = (double)f.n, k = (double)f.k, j = (double)f.more,
                 read = (double)(first * f.block);
    memset(at, 0, sizeof at);
    memset(end, 0, sizeof end);
    at[first][0] = 1.0;
    at[first][1] = read;
    at[first][2] = read * read;
    *compactions = 0.0;
    for (uint64_t from = first; from <= blocks; from++) {
        const double s = fmin(n, (double)(from * f.block));
        double before[3] = {0.0, 0.0, 0.0}, m[3], difference[3];
        *compactions += at[from][0];
        for (uint64_t to = from + 1; to <= blocks && at[from][0] > 1e-14; to++) {
            const double last = s + (double)((to - 1 - from) * f.block),
                         all = fmin(n, last + (double)f.block);
            const double one = (all + 1.0) / (last + 1.0), two = one * (all + 2.0) / (last + 2.0);
            moments(s, k, all - s, j, m);
            const double gone[3] = {before[0], one * before[1], two * before[2]};
            for (unsigned i = 0; i < 3; i++) {
                difference[i] = m[i] - gone[i];
                before[i] = m[i];
            }
            go_on(at[to], at[from], difference, k);
        }
        const double one = k * (n + 1.0) / (s + 1.0), two = one * (k + 1.0) * (n + 2.0) / (s + 2.0);
        const double rest[3] = {1.0 - before[0], one - before[1], two - before[2]};
        go_on(end, at[from], rest, k);
    }
    *appended = end[1] / end[0];
    *sd = sqrt(end[2] / end[0] - *appended * *appended);
}

/* Blocks that are summed element by element, as a whole, and by a rule. */
START_TEST(filters_by_a_plain_chain)
{
    const struct rcm_filter filters[] = {
        {30000, 50, 100, 120}, {300000, 40, 1000, 90}, {200000, 40000, 600, 40000},
        {30000, 700, 100, 60}, {300000, 3, 1000, 20},  {2000000, 200000, 6000, 150000},
        {9999, 900, 513, 700}, {100000, 1, 300, 1},    {250000, 30000, 1000, 45000}};
    double worst = 0.0;
    for (unsigned c = 0; c < sizeof filters / sizeof *filters; c += few_cases() ? 3 : 1) {
        double appended, sd, compactions;
        const struct rcm_filter_work w = rcm_filter(filters[c]);
        plain_chain(filters[c], &appended, &sd, &compactions);
        const double error =
            fmax(fabs(w.appended / appended - 1.0), fabs(w.compactions / compactions - 1.0));
        worst = fmax(worst, error);
        ck_assert_msg(error <= RCM_FILTER_MAX_RELERR && fabs(w.appended_sd / sd - 1.0) <= 1e-6,
                      "%u: %.15g for %.15g, sd %.9g for %.9g, %.15g for %.15g compactions", c,
                      w.appended, appended, w.appended_sd, sd, w.compactions, compactions);
    }
    printf("measured: filters by a plain chain %.1e\n", worst);
}
END_TEST

START_TEST(edges)
{
    const uint64_t rank = rcm_sample_rank(1 << 20, 512, 4096, 1e-6);
    ck_assert_double_le(rcm_sampled((struct rcm_sample){1 << 20, 512, 4096, rank}, 0).too_few,
                        1e-6);
    ck_assert_double_gt(rcm_sampled((struct rcm_sample){1 << 20, 512, 4096, rank - 1}, 0).too_few,
                        1e-6);
    ck_assert_uint_eq(rcm_sample_rank(100, 50, 10, 1e-9), 0); /* no rank is low enough */
    ck_assert(isnan(rcm_filter((struct rcm_filter){10, 11, 1, 1}).selected));
    ck_assert(isnan(rcm_filter_appended_at_most((struct rcm_filter){10, 11, 1, 1}, 5)));
    ck_assert(isnan(rcm_filter_buffer_at_most((struct rcm_filter){10, 0, 1, 1}, 5)));
    ck_assert(isnan(rcm_filter_buffer_at_most(
        (struct rcm_filter){1 << 26, 1 << 20, 1 << 20, 1 << 20}, 1 << 22)));
    ck_assert_uint_eq(rcm_filter_quantiles((struct rcm_filter){100, 5, 10, 10}, 1e-8).appended, 0);
    ck_assert_uint_eq(rcm_filter_quantiles((struct rcm_filter){100, 5, 10, 96}, 0.1).buffer, 100);
    ck_assert(isnan(rcm_filter((struct rcm_filter){1 << 20, 5, 1, 1}).selected));
    ck_assert(isnan(rcm_sampled((struct rcm_sample){10, 5, 4, 5}, 7).mean));
}
END_TEST

TEST_MAIN("filter", filters_by_counting, samples_by_counting, distributions_have_their_moments,
          distributions_by_elements, filters_of_random_rows, filters_by_a_plain_chain, edges)
