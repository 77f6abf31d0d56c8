/* watch.h - how a caller follows a long computation, and stops it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* report() is called after each step, on the thread of the caller, with the steps done, the steps
 * there will be at most, and what the steps make smaller. If it returns false, the computation ends
 * there. stop() is asked often, also within a step, on the thread of the caller. Once it returns
 * true, it does so for ever; the computation then ends as soon as it can, and what it returns may
 * be freed, and is of no other use. A watch that is NULL, or a function that is NULL, never stops
 * anything. */
struct watch {
    bool (*report)(void *context, uint64_t done, uint64_t total, double objective);
    void *context;
    bool (*stop)(void *context);
};

static inline bool watch_continues(const struct watch *watch, uint64_t done, uint64_t total,
                                   double objective)
{
    return !watch || !watch->report || watch->report(watch->context, done, total, objective);
}

static inline bool watch_stops(const struct watch *watch)
{
    return watch && watch->stop && watch->stop(watch->context);
}

#endif
