/* progress.c - how far an evaluation is, and whether it shall stop: see evaluation_state.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "evaluation_state.h"

bool ask_to_stop(void *context)
{
    struct run *run = context;
    if (!run->stopped && run->tick)
        run->stopped = run->tick(run->tick_context, EVALUATION_STEPS * run->done + run->part,
                                 EVALUATION_STEPS * run->total);
    return run->stopped;
}

bool step_done(struct run *run)
{
    run->done++;
    run->part = 0;
    return ask_to_stop(run);
}

bool step_part(struct run *run, uint64_t done, uint64_t total)
{
    run->part = done < total ? EVALUATION_STEPS * done / total : EVALUATION_STEPS - 1;
    return ask_to_stop(run);
}

bool report_part(void *context, uint64_t done, uint64_t total, double objective)
{
    (void)objective;
    return !step_part(context, done, total);
}
