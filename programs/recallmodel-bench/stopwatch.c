/* stopwatch.c - the clock of the GPU for the sampler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

static int time_call(struct device *r, const void *work, unsigned call, bool flush, double *time_us)
{
    const struct timed_work *w = work;
    return rcm_gpu_time_call(r->timer, w->work, w->context, call, flush, time_us);
}

static int create_graph(struct device *r, const void *work, unsigned calls, void **graph)
{
    const struct timed_work *w = work;
    struct rcm_gpu_graph *created = NULL;
    const enum rcm_gpu_status status =
        rcm_gpu_graph_create(r->timer, w->work, w->context, calls, &created);
    *graph = created;
    return status;
}

static int time_graph(struct device *r, void *graph, bool flush, double *time_us)
{
    return rcm_gpu_time_graph(r->timer, graph, flush, time_us);
}

static void free_graph(void *graph)
{
    rcm_gpu_graph_free(graph);
}

static struct pace look(struct device *r)
{
    const bool throttled = monitor_throttled(r->monitor);
    return (struct pace){.throttled = throttled,
                         .clock_mhz = monitor_sm_clock_mhz(r->monitor),
                         .power_capped = r->monitor ? monitor_power_capped(r->monitor) : -1};
}

const struct stopwatch cuda_stopwatch = {.time_call = time_call,
                                         .create_graph = create_graph,
                                         .time_graph = time_graph,
                                         .free_graph = free_graph,
                                         .look = look};
