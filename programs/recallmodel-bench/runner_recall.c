/* runner_recall.c - the recall of a result, and what the models say about a cell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/statistics.h>

#include "runner_parts.h"

static struct rcm_topk shape_of(const struct cell *c)
{
    return (struct rcm_topk){.n = c->n,
                             .k = c->k,
                             .b = c->b,
                             .k_b = c->k_b,
                             .m = c->m,
                             .assignment = c->assignment == RCM_GPU_INTERLEAVED ? RCM_INTERLEAVED
                                                                                : RCM_CONTIGUOUS};
}

enum outcome measure_recall(struct runner *r, const struct cell *c, struct measurement *to)
{
    enum rcm_gpu_status status;
    struct rcm_gpu_rows rows = rows_of(c, result_rows(r, c, 0, &status));
    if (status != RCM_GPU_OK)
        return refuse(r, status, "products");
    /* Products have another true top k for each type that they are stored in. */
    if (r->true_k != c->k || c->d) {
        r->true_k = 0;
        enum outcome outcome = select_proved_topk(r, &rows, c->k, &r->true_values);
        if (outcome != MEASURED)
            return outcome;
        r->true_k = c->d ? 0 : c->k;
    }
    double hits;
    uint32_t fewest;
    status =
        count_hits(r, c, r->true_values.at, c->k, r->values.at, cell_results(c), &hits, &fewest);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "recall");
    struct rcm_topk p = shape_of(c);
    double m = (double)c->m;
    to->recall = hits / (m * (double)c->k);
    to->recall_model = rcm_recall_exact(p);
    if (c->dtype == RCM_GPU_F32 && (c->d || c->input == RCM_GPU_INPUT_NORMAL))
        to->z = z_score(to->recall, to->recall_model, rcm_recall_sd(p), m);
    return MEASURED;
}

void ask_models(const struct runner *r, const struct cell *c, struct measurement *to)
{
    static const enum rcm_dtype types[] = {RCM_F32, RCM_F16, RCM_BF16};
    struct rcm_topk p = shape_of(c);
    const struct rcm_cost_model *model;
    for (size_t i = 0; i < 3 && (model = rcm_cost_model(i)); i++) {
        struct rcm_cost cost = rcm_cost(model, p);
        to->cost[i] = c->kernel->task == TASK_EXACT ? cost.exact : cost.approximate;
    }
    if (r->device && c->kernel->task == TASK_STAGE1)
        to->predicted_us = rcm_roofline(r->device, types[c->dtype], p).time_us;
}
