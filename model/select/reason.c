/* reason.c - why a choice is what it is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "answer.h"
#include "reason.h"

static const struct row {
    const char *name, *text;
} ROWS[] = {
    [RCM_REASON_LEAST] = {"least", "what is deployed has the least objective"},
    [RCM_REASON_TOO_CLOSE] = {"too_close", "buckets and exact top-k may take equally long, and "
                                           "exact top-k loses nothing"},
    [RCM_REASON_NO_EXACT] = {"no_exact", "what exact top-k takes is not known: buckets pay if it "
                                         "takes longer"},
    [RCM_REASON_RECALL] = {"recall", "no buckets with k_b up to k_b_max that drop any element keep "
                                     "the recall"},
    [RCM_REASON_RUNS] = {"runs", "no buckets within the runs of the profile keep the recall: time "
                                 "some first"},
    [RCM_REASON_OPTIONS] = {"options", "no b that align and divisors allow keeps the recall"},
    [RCM_REASON_KERNEL] = {"kernel", "the kernel runs no buckets that keep the recall"},
    [RCM_REASON_BUDGET] = {"budget", "nothing within the budget keeps more recall"},
    [RCM_REASON_NOTHING] = {"nothing", "nothing stays within the budget"},
    [RCM_REASON_TIES] = {"ties", "the kernel takes others of equal elements than were asked for"},
};

#define ROW_COUNT (sizeof ROWS / sizeof *ROWS)

const char *rcm_reason_name(enum rcm_reason reason)
{
    return (size_t)reason < ROW_COUNT ? ROWS[reason].name : NULL;
}

const char *rcm_reason_text(enum rcm_reason reason)
{
    return (size_t)reason < ROW_COUNT ? ROWS[reason].text : NULL;
}

static bool any_buckets(struct rcm_selection s)
{
    s.tick = NULL;
    return rcm_best_buckets(&s).objective < INFINITY;
}

static enum rcm_reason what_forbids(const struct rcm_selection *s, const struct rcm_choice *c)
{
    struct rcm_selection any = *s, unaligned = *s;
    if (s->kernel && rcm_kernel_ties(s->kernel) < s->ties)
        return RCM_REASON_TIES;
    unaligned.target.align = any.target.align = 1;
    unaligned.target.divisors = any.target.divisors = false;
    any.kernel = NULL;
    any.objective = rcm_objective_by_name("candidates");
    if (!any_buckets(any))
        return RCM_REASON_RECALL;
    if (c->beyond.objective < INFINITY)
        return RCM_REASON_RUNS;
    return any_buckets(unaligned) ? RCM_REASON_OPTIONS : RCM_REASON_KERNEL;
}

enum rcm_reason reason_of(const struct rcm_selection *s, const struct rcm_choice *c, bool stopped)
{
    if (!stopped && !(c->objective < INFINITY) && c->deploy == RCM_DEPLOY_EXACT)
        return what_forbids(s, c);
    const bool bound = !answer_is_timed(s) && c->deploy == RCM_DEPLOY_EXACT;
    if (c->too_close || (bound && c->objective < c->exact_objective))
        return RCM_REASON_TOO_CLOSE;
    return isnan(c->exact_objective) ? RCM_REASON_NO_EXACT : RCM_REASON_LEAST;
}

uint64_t rcm_padded_n(const struct rcm_selection *asked)
{
    struct rcm_selection s = *asked;
    const uint64_t n = s.p.n;
    s.p.valid = s.p.valid || s.p.lengths ? s.p.valid : n;
    for (uint64_t step = 2; step <= n / 4 && n <= RCM_N_MAX - step; step *= 2) {
        s.p.n = (n + step - 1) / step * step;
        if (s.p.n != n && any_buckets(s))
            return s.p.n;
    }
    return 0;
}
