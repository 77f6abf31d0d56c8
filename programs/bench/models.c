/* models.c - what the models say about a cell, beside what was measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/statistics.h>

#include "runner.h"

static struct rcm_topk shape_of(const struct cell *c)
{
    return (struct rcm_topk){
        .n = c->n, .k = c->k, .b = c->b, .k_b = c->k_b, .m = c->m, .assignment = c->assignment};
}

void measure_recall(const struct cell *c, double hits, struct measurement *to)
{
    const struct rcm_topk p = shape_of(c);
    const double m = (double)c->m;
    to->recall = hits / (m * (double)c->k);
    if (c->kernel->task == TASK_EXACT) /* no buckets, and no model */
        return;
    to->recall_model = rcm_recall_exact(p);
    if (c->dtype == DTYPE_F32 && (c->d || c->input == INPUT_NORMAL || c->input == INPUT_FILE))
        to->z = z_score(to->recall, to->recall_model, rcm_recall_sd(p), m);
}

void ask_models(const struct rcm_device *device, const struct cell *c, struct measurement *to)
{
    static const enum rcm_dtype types[DTYPES] = {RCM_F32, RCM_F16, RCM_BF16};
    const struct rcm_topk p = shape_of(c);
    for (size_t i = 0; i < sizeof to->cost / sizeof *to->cost; i++) {
        const struct rcm_cost cost = rcm_cost(rcm_cost_model(i), p);
        to->cost[i] = c->kernel->task == TASK_EXACT ? cost.exact : cost.approximate;
    }
    if (device && c->kernel->task == TASK_STAGE1 && c->dtype <= DTYPE_BF16)
        to->predicted_us = rcm_roofline(device, types[c->dtype], p).time_us;
}
