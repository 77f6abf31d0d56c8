/* watch.h - how a caller follows a long computation, and stops it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called after each step, on the thread of the caller, with the steps done and the steps there will
 * be at most; and often within a step, with a total of 0, only to ask. Returns true to stop: the
 * computation then ends as soon as it can, and what it returns may be freed, and is of no other use
 * but where its contract says so. Once it returns true within a step, it does so for ever. */
typedef bool watch_stop(void *context, uint64_t done, uint64_t total);

/* A watch that is NULL, or whose function is NULL, never stops anything. */
struct watch {
    watch_stop *stop;
    void *context;
};

static inline bool watch_step(const struct watch *watch, uint64_t done, uint64_t total)
{
    return watch && watch->stop && watch->stop(watch->context, done, total);
}

static inline bool watch_stops(const struct watch *watch)
{
    return watch_step(watch, 0, 0);
}

#endif
