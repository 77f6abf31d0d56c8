/* choose.c - which method, b and k_b reach a recall in the least time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "plan.h"

static enum rcm_top_k_status check(const struct rcm_top_k_call *call, double recall,
                                   double confidence)
{
    if (!call)
        return RCM_TOP_K_BAD_POINTER;
    const struct rcm_top_k_rows *rows = &call->rows;
    if (rows->n < 1 || rows->n > RCM_N_MAX || rows->m < 1 || call->k < 1 || call->k > rows->n ||
        !(recall > 0.0 && recall <= 1.0) || !(confidence >= 0.0 && confidence < 1.0))
        return RCM_TOP_K_BAD_SHAPE;
    return RCM_TOP_K_OK;
}

static void set_choice(struct rcm_top_k_call *call, const struct rcm_choice *found)
{
    call->method = found->deploy == RCM_DEPLOY_BUCKETED ? RCM_TOP_K_BUCKETED : RCM_TOP_K_EXACT;
    call->b = call->k_b = 0;
    call->assignment = RCM_INTERLEAVED;
    if (call->method == RCM_TOP_K_BUCKETED) {
        call->b = found->p.b;
        call->k_b = found->p.k_b;
    }
}

/* Do m rows keep the recall together with this probability? Unknown counts as no. */
static bool batch_keeps(struct rcm_topk p, double loss, double confidence)
{
    struct rcm_lost dist;
    if (rcm_lost(p, &dist) != 0)
        return false;
    const double lost = loss * (double)p.k * (double)p.m * (1.0 + RCM_TARGET_SLACK);
    const bool keeps = rcm_lost_more_of_rows(&dist, p.m, lost) <= 1.0 - confidence;
    rcm_lost_free(&dist);
    return keeps;
}

/* The largest mean loss whose choice keeps the recall of the batch, to 2 %. Exact top-k keeps it.
 */
static struct rcm_choice choice_for_batch(struct rcm_selection s, double confidence)
{
    const double loss = s.target.loss;
    struct rcm_choice found = rcm_select(&s);
    if (found.deploy != RCM_DEPLOY_BUCKETED || batch_keeps(found.p, loss, confidence))
        return found;
    struct rcm_choice best = found;
    best.deploy = RCM_DEPLOY_EXACT;
    double low = 0.0, high = loss;
    for (unsigned i = 0; i < 40 && high - low > 0.02 * high; i++) {
        s.target.loss = 0.5 * (low + high);
        found = rcm_select(&s);
        if (found.deploy != RCM_DEPLOY_BUCKETED || batch_keeps(found.p, loss, confidence)) {
            best = found;
            low = s.target.loss;
        } else {
            high = s.target.loss;
        }
    }
    return best;
}

enum rcm_top_k_status rcm_top_k_choose(struct rcm_top_k_call *call, double recall,
                                       double confidence, const struct rcm_profile *profile,
                                       struct rcm_choice *choice)
{
    enum rcm_top_k_status status = check(call, recall, confidence);
    if (status != RCM_TOP_K_OK)
        return status;
    struct rcm_goal goal;
    if (rcm_goal_of_number(recall, call->k, &goal) != 0)
        return RCM_TOP_K_BAD_SHAPE;
    struct rcm_profile carried;
    char cpu[RCM_CPU_TEXT];
    if (!profile) {
        rcm_this_cpu(cpu);
        profile = rcm_profile_of_cpu(cpu, &carried);
    }
    if (profile && rcm_profile_lacks(profile) && goal.loss > 0.0)
        return RCM_TOP_K_NO_CHOICE;
    struct rcm_choice found = {
        .objective = INFINITY, .exact_objective = NAN, .deploy = RCM_DEPLOY_EXACT};
    struct rcm_profile threaded;
    if (goal.loss > 0.0) {
        if (profile) {
            threaded = *profile;
            threaded.threads = rcm_top_k_threads(&call->rows, call->threads);
            profile = &threaded;
        }
        const struct rcm_selection selection = {
            .p = {.n = call->rows.n, .k = call->k, .m = call->rows.m},
            .target = {.loss = goal.loss},
            .confidence = call->rows.m == 1 ? confidence : 0.0,
            .most_lost = goal.most_lost,
            .kernel = profile ? profile->kernel : NULL,
            .objective = rcm_objective_by_name(profile ? "time" : "candidates"),
            .machine = {.profile = profile}};
        found = confidence > 0.0 && call->rows.m > 1 ? choice_for_batch(selection, confidence)
                                                     : rcm_select(&selection);
    }
    if (choice)
        *choice = found;
    set_choice(call, &found);
    return RCM_TOP_K_OK;
}
