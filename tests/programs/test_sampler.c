/* test_sampler.c - how the benchmark samples: medians, when it stops, what it drops. The clock and
 * the card are stand-ins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel-bench/sampler.h>
#include <tests/test.h>

/* ---- stand-ins: a call takes what `next_time` says; the card is hot while `hot_looks` lasts */

static double (*next_time)(const void *work);
static unsigned calls, flushes, looks, hot_looks;
static const void *order[64]; /* whose the first samples were */

static double take(rcm_gpu_work *work, void *context, bool flush)
{
    (void)work;
    flushes += flush;
    if (calls < 64)
        order[calls] = context;
    calls++;
    return next_time(context);
}

enum rcm_gpu_status rcm_gpu_time_call(struct rcm_gpu_timer *timer, rcm_gpu_work *work,
                                      void *context, unsigned call, bool flush, double *time_us)
{
    (void)timer;
    (void)call;
    *time_us = take(work, context, flush);
    return *time_us < 0.0 ? RCM_GPU_ERROR : RCM_GPU_OK;
}

struct rcm_gpu_graph {
    void *context;
};
static struct rcm_gpu_graph graphs[2];
static unsigned graph_count, graph_calls, graphs_freed;

enum rcm_gpu_status rcm_gpu_graph_create(struct rcm_gpu_timer *timer, rcm_gpu_work *work,
                                         void *context, unsigned wanted,
                                         struct rcm_gpu_graph **graph)
{
    (void)timer;
    (void)work;
    graph_calls = wanted;
    graphs[graph_count].context = context;
    *graph = &graphs[graph_count++];
    return RCM_GPU_OK;
}
void rcm_gpu_graph_free(struct rcm_gpu_graph *graph)
{
    graphs_freed += graph != NULL;
}
enum rcm_gpu_status rcm_gpu_time_graph(struct rcm_gpu_timer *timer, struct rcm_gpu_graph *graph,
                                       bool flush, double *time_us)
{
    (void)timer;
    *time_us = take(NULL, graph->context, flush);
    return RCM_GPU_OK;
}

bool monitor_throttled(struct monitor *monitor)
{
    (void)monitor;
    return looks++ < hot_looks;
}
bool monitor_power_capped(struct monitor *monitor)
{
    return monitor != NULL && looks == 2;
}
unsigned monitor_sm_clock_mhz(struct monitor *monitor)
{
    return monitor ? 2000 - 10 * (looks % 3) : 0;
}

static void reset(double (*time)(const void *), unsigned hot)
{
    next_time = time;
    calls = flushes = looks = graph_count = graphs_freed = 0;
    hot_looks = hot;
}

static char ours, theirs; /* contexts */

static double steady(const void *work)
{
    return work == &ours ? 10.0 : 20.0;
}
static double jumping(const void *work)
{
    return (work == &ours ? 10.0 : 20.0) * (calls % 2 ? 1.0 : 1.1);
}
static double failing(const void *work)
{
    (void)work;
    return calls < 9 ? 10.0 : -1.0;
}

static const struct timed_work a = {NULL, &ours}, b = {NULL, &theirs};

START_TEST(medians_and_intervals)
{
    struct timing t = {0};
    double seven[] = {7.0, 1.0, 4.0, 3.0, 6.0, 2.0, 5.0}, hundred[100], two[] = {3.0, 1.0};
    summarise(seven, 7, &t);
    ck_assert_double_eq(t.median_us, 4.0);
    ck_assert_double_eq(t.low_us, 1.0); /* the median of 7 is outside with probability 2/2^7 */
    ck_assert_double_eq(t.high_us, 7.0);
    ck_assert_double_eq_tol(t.noise, sqrt(28.0 / 6.0) / 4.0, 1e-15);
    for (int i = 0; i < 100; i++)
        hundred[i] = (double)((37 * i) % 100 + 1);
    summarise(hundred, 100, &t);
    ck_assert_double_eq(t.median_us, 50.5);
    ck_assert_double_eq(t.low_us,
                        40.0); /* a binomial of 100 is from 40 to 60 with probability .965 */
    ck_assert_double_eq(t.high_us, 61.0);
    summarise(two, 2, &t);
    ck_assert_double_eq(t.median_us, 2.0);
    ck_assert_uint_eq(t.samples, 2);
}
END_TEST

START_TEST(quiet_work_stops_by_noise_after_seven)
{
    struct timing t[2];
    reset(steady, 0);
    ck_assert_int_eq(
        take_samples(NULL, NULL,
                     &(struct sampling){.noise = 0.005, .seconds = 5.0, .least = 7, .flush = true},
                     &a, &b, t),
        RCM_GPU_OK);
    ck_assert_uint_eq(t[0].samples, 7);
    ck_assert_uint_eq(t[1].samples, 7);
    ck_assert_str_eq(t[0].stop, "noise");
    ck_assert_double_eq(t[0].median_us, 10.0);
    ck_assert_double_eq(t[1].median_us, 20.0);
    ck_assert_uint_eq(calls, 2 * (4 + 7)); /* four of each to warm up */
    ck_assert_uint_eq(flushes, calls);
    for (unsigned i = 8; i < 22; i++) /* by turns */
        ck_assert_ptr_eq(order[i], i % 2 ? &theirs : &ours);
    ck_assert_uint_eq(t[0].sm_clock_mhz, 0);
    ck_assert_int_eq(t[0].power_capped, -1); /* unknown */
}
END_TEST

START_TEST(noisy_work_stops_by_time)
{
    struct timing t[2];
    reset(jumping, 0);
    ck_assert_int_eq(take_samples(NULL, NULL,
                                  &(struct sampling){.noise = 0.005, .seconds = 0.03, .least = 7},
                                  &a, NULL, t),
                     RCM_GPU_OK);
    ck_assert_str_eq(t[0].stop, "time");
    ck_assert_uint_gt(t[0].samples, 50);
    ck_assert_uint_eq(flushes, 0);
    ck_assert_double_eq_tol(t[0].noise, 0.05 / 1.05, 0.003);
}
END_TEST

START_TEST(hot_samples_are_dropped)
{
    struct timing t[2];
    reset(jumping, 2);
    ck_assert_int_eq(take_samples(NULL, (struct monitor *)&ours,
                                  &(struct sampling){.noise = 0.0, .seconds = 0.05, .least = 7}, &a,
                                  &b, t),
                     RCM_GPU_OK);
    ck_assert_uint_gt(t[0].dropped, 0);
    ck_assert_uint_eq(t[0].samples, t[1].samples);
    ck_assert_uint_eq(calls, 2 * (4 + t[0].samples + t[0].dropped));
    ck_assert_int_eq(t[0].power_capped, 1); /* it was, once */
    ck_assert_uint_eq(t[0].sm_clock_mhz, 1980);
    ck_assert_str_eq(t[0].stop, "time");
}
END_TEST

START_TEST(graphs_of_sixteen)
{
    struct timing t[2];
    reset(steady, 0);
    ck_assert_int_eq(
        take_samples(NULL, NULL,
                     &(struct sampling){
                         .noise = 0.005, .seconds = 5.0, .least = 7, .graph = true, .flush = true},
                     &a, &b, t),
        RCM_GPU_OK);
    ck_assert_uint_eq(graph_calls, 16);
    ck_assert_uint_eq(graph_count, 2);
    ck_assert_uint_eq(graphs_freed, 2);
    ck_assert_uint_eq(t[0].samples, 7);
    ck_assert_double_eq(t[1].median_us, 20.0);
}
END_TEST

START_TEST(a_failure_ends_it)
{
    struct timing t[2];
    reset(failing, 0);
    ck_assert_int_eq(take_samples(NULL, NULL,
                                  &(struct sampling){.noise = 0.0, .seconds = 5.0, .least = 7}, &a,
                                  NULL, t),
                     RCM_GPU_ERROR);
}
END_TEST

TEST_MAIN("sampler", medians_and_intervals, quiet_work_stops_by_noise_after_seven,
          noisy_work_stops_by_time, hot_samples_are_dropped, graphs_of_sixteen, a_failure_ends_it)
