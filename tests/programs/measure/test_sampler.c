/* test_sampler.c - how the benchmark samples: medians, when it stops, what it drops. The clock and
 * the device are stand-ins.
 *
 * Against: a clock and a device that the test simulates.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/bench/sampler.h>
#include <tests/test.h>

/* ---- stand-ins: a call takes what `next_time` says; the device is hot while `hot_looks` lasts */

#define FAULT 5 /* a status of the stand-in */

static double (*next_time)(const void *work);
static unsigned calls, flushes, looks, hot_looks;
static const void *order[64]; /* whose the first samples were */

static int time_call(struct device *device, const void *work, unsigned call, bool flush,
                     double *time_us)
{
    (void)device;
    (void)call;
    flushes += flush;
    if (calls < 64)
        order[calls] = work;
    calls++;
    *time_us = next_time(work);
    return *time_us < 0.0 ? FAULT : 0;
}

struct graph {
    const void *work;
};
static struct graph graphs[2];
static unsigned graph_count, graph_calls, graphs_freed;

static int create_graph(struct device *device, const void *work, unsigned wanted, void **graph)
{
    (void)device;
    graph_calls = wanted;
    graphs[graph_count].work = work;
    *graph = &graphs[graph_count++];
    return 0;
}
static void free_graph(void *graph)
{
    graphs_freed += graph != NULL;
}
static int time_graph(struct device *device, void *graph, bool flush, double *time_us)
{
    return time_call(device, ((struct graph *)graph)->work, 0, flush, time_us);
}

static struct pace look(struct device *device)
{
    looks++;
    return (struct pace){.throttled = looks <= hot_looks,
                         .clock_mhz = device ? 2000 - 10 * (looks % 3) : 0,
                         .power_capped = device ? looks == 2 : -1};
}

static const struct stopwatch watch = {time_call, create_graph, time_graph, free_graph, look};

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
        take_samples(&watch, NULL,
                     &(struct sampling){.noise = 0.005, .seconds = 5.0, .least = 7, .flush = true},
                     &ours, &theirs, t),
        0);
    ck_assert_uint_eq(t[0].samples, 7);
    ck_assert_uint_eq(t[1].samples, 7);
    ck_assert_str_eq(t[0].stop, "noise");
    ck_assert_double_eq(t[0].median_us, 10.0);
    ck_assert_double_eq(t[1].median_us, 20.0);
    ck_assert_uint_eq(calls, 2 * (4 + 7)); /* four of each to warm up */
    ck_assert_uint_eq(flushes, calls);
    for (unsigned i = 8; i < 22; i++) /* by turns */
        ck_assert_ptr_eq(order[i], i % 2 ? &theirs : &ours);
    ck_assert_uint_eq(t[0].clock_mhz, 0);
    ck_assert_int_eq(t[0].power_capped, -1); /* unknown */
}
END_TEST

START_TEST(noisy_work_stops_by_time)
{
    struct timing t[2];
    reset(jumping, 0);
    ck_assert_int_eq(take_samples(&watch, NULL,
                                  &(struct sampling){.noise = 0.005, .seconds = 0.03, .least = 7},
                                  &ours, NULL, t),
                     0);
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
    ck_assert_int_eq(take_samples(&watch, (struct device *)&ours,
                                  &(struct sampling){.noise = 0.0, .seconds = 0.05, .least = 7},
                                  &ours, &theirs, t),
                     0);
    ck_assert_uint_gt(t[0].dropped, 0);
    ck_assert_uint_eq(t[0].samples, t[1].samples);
    ck_assert_uint_eq(calls, 2 * (4 + t[0].samples + t[0].dropped));
    ck_assert_int_eq(t[0].power_capped, 1); /* it was, once */
    ck_assert_uint_eq(t[0].clock_mhz, 1980);
    ck_assert_str_eq(t[0].stop, "time");
}
END_TEST

START_TEST(graphs_of_sixteen)
{
    struct timing t[2];
    reset(steady, 0);
    ck_assert_int_eq(
        take_samples(&watch, NULL,
                     &(struct sampling){
                         .noise = 0.005, .seconds = 5.0, .least = 7, .graph = true, .flush = true},
                     &ours, &theirs, t),
        0);
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
    ck_assert_int_eq(take_samples(&watch, NULL,
                                  &(struct sampling){.noise = 0.0, .seconds = 5.0, .least = 7},
                                  &ours, NULL, t),
                     FAULT);
}
END_TEST

TEST_MAIN("sampler", medians_and_intervals, quiet_work_stops_by_noise_after_seven,
          noisy_work_stops_by_time, hot_samples_are_dropped, graphs_of_sixteen, a_failure_ends_it)
