/* progress.c - progress.h in a browser: the numbers go to the page, which draws the bar. There are
 * no signals; the page stops long work by ending the worker that does it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/common/progress.h>

#include <base/clock.h>

/* The page's; a double counts to 2^53. */
__attribute__((import_module("page"), import_name("progress"))) void page_progress(double done,
                                                                                   double total);

void progress_start(struct progress *progress, const char *unit)
{
    const double now = clock_seconds();
    *progress = (struct progress){.unit = unit, .start = now, .drawn = now, .first = UINT64_MAX};
}

void progress_holds_nothing(void)
{
}

void progress_watch(struct progress *progress)
{
    (void)progress;
}

bool progress_tick(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    const double now = clock_seconds();
    if (now - progress->drawn < 0.1)
        return false;
    progress->drawn = now;
    page_progress((double)done, (double)total);
    return false;
}

void progress_end(struct progress *progress)
{
    (void)progress;
}
