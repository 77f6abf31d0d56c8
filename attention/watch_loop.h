/* watch_loop.h - internal to attention/: how a parallel loop is stopped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_LOOP_H
#define WATCH_LOOP_H

#ifdef _OPENMP
#include <omp.h>
#endif

#include <base/watch.h>

/* As watch_stops(), within a parallel loop whose threads share *stopped, false at first: is the
 * rest of the loop to be passed over? The watch is asked on the thread of the caller alone. */
static inline bool watch_skips(const struct watch *watch, bool *stopped)
{
    bool now;
    if (!watch || !watch->stop)
        return false;
#pragma omp atomic read
    now = *stopped;
#ifdef _OPENMP
    if (omp_get_thread_num() != 0)
        return now;
#endif
    if (!now && watch_stops(watch)) {
        now = true;
#pragma omp atomic write
        *stopped = true;
    }
    return now;
}

#endif
