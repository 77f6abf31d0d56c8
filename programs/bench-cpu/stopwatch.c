/* stopwatch.c - the clock of the CPU for the sampler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/clock.h>
#include <base/threads.h>

#include "device.h"
#include "machine.h"

/* A warm sample takes at least so long: the clock takes about 0.05 us to read. A cold one is one
 * call, because the next would not be cold. */
static const double sample_least_us = 50.0;

static void flush(struct device *device)
{
    const struct machine *m = machine();
    const size_t known = m->l2_bytes * machine_cores(device->cell->threads) + m->l3_bytes;
    const size_t bytes = known ? 2 * known : (size_t)64 << 20;
    const volatile char *other = cpu_reserve(&device->other, bytes);
    unsigned sum = 0;
    if (!other)
        return;
    const int threads = threads_to_be_had((unsigned)device->cell->threads);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (size_t i = 0; i < bytes; i += 64)
        sum += (unsigned char)other[i];
    (void)sum, (void)threads;
}

static int time_call(struct device *device, const void *work, unsigned call, bool cold,
                     double *time_us)
{
    /* The number of repeats is the only thing that changes in it. */
    struct cpu_work *w = work == &device->roof_work ? &device->roof_work : &device->cell_work;
    (void)call;
    const bool once = cold || device->cell->tail;
    if (once || w->repeats == 0)
        w->repeats = 1;
    for (;;) {
        enum rcm_top_k_status status = RCM_TOP_K_OK;
        if (cold)
            flush(device);
        const double begin = clock_seconds();
        for (unsigned i = 0; i < w->repeats && status == RCM_TOP_K_OK; i++)
            status = w->run(device);
        const double sample_us = 1e6 * (clock_seconds() - begin);
        *time_us = sample_us / w->repeats;
        if (status != RCM_TOP_K_OK || once || sample_us >= sample_least_us)
            return (int)status;
        w->repeats *= 2;
    }
}

/* Heat and limits of power are not known of a CPU. */
static struct pace look(struct device *device)
{
    (void)device;
    return (struct pace){.power_capped = -1};
}

const struct stopwatch cpu_stopwatch = {.time_call = time_call, .look = look};
