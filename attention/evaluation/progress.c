/* progress.c - how far an evaluation is, and whether it shall stop: see evaluation_state.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "evaluation_state.h"

bool ask_to_stop(void *context, uint64_t done, uint64_t total)
{
    struct evaluation_run *run = context;
    if (total > 0)
        run->part = done < total ? EVALUATION_STEPS * done / total : EVALUATION_STEPS - 1;
    if (!run->stopped)
        run->stopped = watch_step(run->caller, EVALUATION_STEPS * run->done + run->part,
                                  EVALUATION_STEPS * run->total);
    return run->stopped;
}

bool step_done(struct evaluation_run *run)
{
    run->done++;
    run->part = 0;
    return ask_to_stop(run, 0, 0);
}
