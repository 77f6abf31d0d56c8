/* test_timing.c - the step that is timed, against attention in double, and the plumbing of the
 * timing: no time is compared with a limit.
 *
 * Against: attention in double, for lists with runs of 1 to 40 keys; a choice of 2 ms for two
 * heads, divided. No other time is compared with a limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/evaluation/step.h>
#include <attention/evaluation/timing.h>
#include <base/clock.h>

#include "made_head.h"

enum { N = 700, D = 20, D_V = 12, QUERIES = 4 };

static float keys[N * D], values[N * D_V], queries[QUERIES * D];

static struct key_head small(void)
{
    made_floats(keys, N * D, 1);
    made_floats(values, N * D_V, 2);
    made_floats(queries, QUERIES * D, 3);
    return (struct key_head){
        .keys = keys, .values = values, .n = N, .d = D, .d_v = D_V, .first = 3, .built = N - 10};
}

/* Attention over the keys with chosen[j] > 0, whose weights it multiplies. */
static void plain(const float *q, double scale, const double chosen[N], double out[D_V])
{
    double sum = 0;
    for (int c = 0; c < D_V; c++)
        out[c] = 0;
    for (int j = 0; j < N; j++) {
        double logit = 0;
        for (int c = 0; c < D; c++)
            logit += (double)q[c] * (double)keys[j * D + c];
        const double weight = chosen[j] * exp(scale * logit);
        sum += weight;
        for (int c = 0; c < D_V; c++)
            out[c] += weight * (double)values[j * D_V + c];
    }
    for (int c = 0; c < D_V; c++)
        out[c] /= sum;
}

static void compare(const float *got, const double *want)
{
    for (int c = 0; c < D_V; c++)
        ck_assert_msg(fabs((double)got[c] - want[c]) <= 2e-6, "component %d: %.9g, not %.9g", c,
                      (double)got[c], want[c]);
}

/* Visits keys by a pattern: runs of every length up to 40 with gaps between them, so that lists are
 * gathered, run by run, and both. */
static void pattern(struct visit *visit, struct key_range range, uint32_t longest, bool weighted,
                    double chosen[N])
{
    uint32_t j = range.first;
    visit_reserve(visit, N, weighted);
    visit->length = 0;
    for (uint32_t run = 1; j < range.last; run = run % longest + 1, j++)
        for (uint32_t i = 0; i < run && j < range.last; i++, j++) {
            if (weighted)
                visit->weights[visit->length] = 1 + (float)(j % 5);
            chosen[j] = weighted ? 1.0 + j % 5 : 1;
            visit->keys[visit->length++] = j;
        }
}

START_TEST(sparse_step)
{
    const struct key_head head = small();
    struct step step;
    step_start(&step, &head);
    for (uint32_t longest = 1; longest <= 40; longest++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const uint32_t position = N - 1 - longest;
            const uint32_t window = longest % 2 ? 30 : 5; /* a run that goes on by itself, or not */
            const struct attention_query query = {
                .q = queries,
                .scale = 2,
                .position = position,
                .range = open_keys((struct dense_part){3, window}, position)};
            double chosen[N] = {0}, want[D_V];
            size_t count = 0;
            pattern(&step.visit, query.range, longest, weighted, chosen);
            for (uint32_t j = 0; j <= position; j++) {
                if (j < 3 || j > position - window)
                    chosen[j] = 1;
                count += chosen[j] > 0;
            }
            ck_assert_uint_eq(step_sparse(&step, &head, &query), count);
            plain(queries, 2, chosen, want);
            compare(step.out, want);
            visit_reserve_correction(&step.visit, D_V);
            step.visit.correction_weight = 0.25;
            for (int c = 0; c < D_V; c++) {
                step.visit.correction[c] = values[c];
                want[c] = 0.75 * want[c] + 0.25 * (double)values[c];
            }
            step_sparse(&step, &head, &query);
            compare(step.out, want);
        }
    step_free(&step);
}
END_TEST

START_TEST(full_step)
{
    const struct key_head head = small();
    struct step step;
    step_start(&step, &head);
    for (uint32_t position = 0; position < N; position += 31) {
        const struct attention_query query = {
            .q = queries + D, .scale = 1.5f, .position = position};
        double chosen[N] = {0}, want[D_V];
        for (uint32_t j = 0; j <= position; j++)
            chosen[j] = 1;
        plain(queries + D, 1.5, chosen, want);
        step_full(&step, &head, &query);
        compare(step.out, want);
    }
    step_free(&step);
}
END_TEST

static void measure(const char *name, uint32_t knob, bool cold, struct step_times *times)
{
    const struct key_head head = small();
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    options.dense = (struct dense_part){3, 30};
    const struct timing_spec spec = {.method = method_by_name(name),
                                     .options = &options,
                                     .head = &head,
                                     .queries = queries,
                                     .count = QUERIES,
                                     .heads = 1,
                                     .scale = 1,
                                     .repetitions = 3,
                                     .cold = cold};
    double index_us;
    struct timing *timing = timing_new(&spec, &index_us);
    ck_assert(isnan(index_us)); /* these methods have no index */
    *times = timing_measure(timing, knob);
    timing_free(timing);
}

START_TEST(times)
{
    for (int cold = 0; cold < 2; cold++) {
        struct step_times t;
        measure("topk", 50, cold, &t);
        double share = 0;
        for (int i = 0; i < QUERIES; i++)
            share += 83.0 / (N - QUERIES + i + 1) / QUERIES;
        ck_assert(fabs(t.selectivity - share) < 1e-12);
        ck_assert(t.assign.median > 0 && t.attend.median > 0 && t.full.median > 0);
        ck_assert(t.time.low <= t.time.median && t.time.median <= t.time.high);
        ck_assert(t.time.low >= fmax(t.assign.low, t.attend.low));
        ck_assert(fabs(t.ratio - t.full.median / t.time.median) < 1e-12);
        ck_assert(fabs(t.left - t.ratio * t.selectivity) < 1e-12);
        ck_assert(t.pays_below >= 0 && t.pays_below <= 1);
    }
    struct step_times t;
    measure("full", 0, false, &t);
    ck_assert(fabs(t.selectivity - 1) < 1e-12);
    measure("topk", 0, false, &t); /* nothing but the dense part */
    ck_assert(t.selectivity < 33.0 / (N - QUERIES) && t.selectivity > 33.0 / (N + 1));
}
END_TEST

/* A method that takes 2 ms for all queries that choose at once. */
static void visit_slowly(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *group, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self, (void)options, (void)head, (void)index, (void)knob;
    const double end = clock_thread_seconds() + 2e-3;
    ck_assert_uint_eq(count, 2);
    ck_assert(group[0].head == 0 && group[1].head == 1);
    ck_assert(group[0].position == group[1].position && group[1].q == group[0].q + 2 * D);
    visit_reserve(visit, 0, false);
    visit->length = 0;
    while (clock_thread_seconds() < end)
        ;
}

static uint32_t one_knob(const struct method_options *options, const struct key_head *head)
{
    (void)options, (void)head;
    return 1;
}

/* Two query heads choose at once: a call for both, whose time is divided. */
START_TEST(shared_choice)
{
    const struct key_head head = small();
    const struct method slow = {.name = "slow", .knob_max = one_knob, .visit = visit_slowly};
    const struct method_options options = METHOD_OPTIONS_DEFAULT;
    const struct timing_spec spec = {.method = &slow,
                                     .options = &options,
                                     .head = &head,
                                     .queries = queries,
                                     .stride = 2 * D,
                                     .count = 2,
                                     .heads = 2,
                                     .scale = 1,
                                     .repetitions = 3};
    double index_us;
    struct timing *timing = timing_new(&spec, &index_us);
    const struct step_times t = timing_measure(timing, 1);
    timing_free(timing);
    ck_assert_msg(t.assign.median >= 1000 && t.assign.median < 1900, "%g", t.assign.median);
    ck_assert(t.time.median >= t.assign.median && t.full.median > 0);
}
END_TEST

START_TEST(median_and_interval)
{
    double samples[100];
    for (int n = 1; n <= 100; n++) {
        for (int i = 0; i < n; i++)
            samples[i] = (i * 37) % n; /* a permutation where 37 does not divide n */
        if (n % 37 == 0)
            continue;
        const struct timed t = timed_of(samples, (size_t)n);
        ck_assert(t.median == (n - 1) / 2.0);
        ck_assert(t.low >= 0 && t.low <= t.median && t.high >= t.median && t.high <= n - 1);
    }
    for (int i = 0; i < 100; i++)
        samples[i] = 99 - i;
    const struct timed t = timed_of(samples, 100);
    ck_assert(t.low == 40 && t.high == 60); /* 50 -+ 9.8, outwards */
}
END_TEST

TEST_MAIN("timing", sparse_step, full_step, times, shared_choice, median_and_interval)
