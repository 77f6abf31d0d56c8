/* contenders.c - see contenders.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "contenders.h"

#include <math.h>

#include <model/recall/reaching.h>
#include <model/shape/divisors.h>

#include "answer.h"
#include "search.h"

const char *rcm_deployed(const struct rcm_choice *choice)
{
    static const char *const names[] = {"bucketed", "exact", "threshold"};
    return choice->reason == RCM_REASON_NOTHING ? "none" : names[choice->deploy];
}

/* ---- exact top-k */

static double exact_objective(const struct rcm_selection *s)
{
    struct rcm_contender of[RCM_CONTENDERS_MOST];
    return answer_exact(s, of) > 0 && of[0].callable ? of[0].objective : NAN;
}

/* ---- exact top-k by threshold */

static double threshold_value(const struct rcm_selection *s, struct rcm_topk p, double reaching)
{
    const struct rcm_objective *objective = search_objective(s);
    const double value = objective->threshold(objective, &s->machine, p, reaching);
    return isnan(value) ? INFINITY : value;
}

/* With the estimate of E[R], for the search. */
static double threshold_estimate(const struct rcm_selection *s, struct rcm_topk p)
{
    return threshold_value(s, p, reaching_estimate(p));
}

/* At least: if no element were collected in vain. */
static double threshold_bound(const struct rcm_selection *s, struct rcm_topk p)
{
    return threshold_value(s, p, (double)p.k);
}

/* The error that the estimate of E[R] may have: a share of it, and elements. */
#define ESTIMATE_SHARE 1e-3
#define ESTIMATE_ELEMENTS 2.0

/* The least and the most that the value can be, by the error of the estimate. */
static double threshold_low(const struct rcm_selection *s, struct rcm_topk p)
{
    const double reaching = (1.0 - ESTIMATE_SHARE) * reaching_estimate(p) - ESTIMATE_ELEMENTS;
    return threshold_value(s, p, fmax(reaching, (double)p.k));
}
static double threshold_high(const struct rcm_selection *s, struct rcm_topk p)
{
    return threshold_value(s, p, (1.0 + ESTIMATE_SHARE) * reaching_estimate(p) + ESTIMATE_ELEMENTS);
}

/* larger k_b are not tried: R is hardly above k there, and each E[R] takes long */
#define K_B_MOST 64
/* up to so many b get the exact E[R], all of them */
#define FEW_B 64
/* of more, so many steps of 1 % in b on either side of the least of the estimates */
#define AROUND 3
/* and from the best of those at most so many steps from one b to the next */
#define CLIMB_MOST 64

struct threshold {
    struct rcm_point point;
    double reaching;
};

/* Evaluates a shape with the exact E[R]. Returns whether it is the best so far. */
static bool evaluate_exactly(const struct rcm_selection *s, struct rcm_topk p,
                             struct threshold *best)
{
    const double reaching = rcm_reaching(p).mean, value = threshold_value(s, p, reaching);
    const struct rcm_topk *q = &best->point.p;
    const bool tie =
        value == best->point.objective && (p.k_b < q->k_b || (p.k_b == q->k_b && p.b < q->b));
    if (!(value < best->point.objective || tie))
        return false;
    *best = (struct threshold){{p, value}, reaching};
    return true;
}

/* Climbs from the best b to the next one above, and then below, as long as that is better. */
static void climb(const struct rcm_selection *s, const struct search *f, struct threshold *best)
{
    struct rcm_topk p = best->point.p;
    unsigned tries = 0;
    do
        p.b = search_next(f, p.b + 1);
    while (p.b != 0 && ++tries < CLIMB_MOST && evaluate_exactly(s, p, best));
    p.b = best->point.p.b;
    do
        p.b = rcm_previous_b(p.n, p.b - 1, f->restriction.align, f->restriction.divisors_of);
    while (p.b >= f->low && search_next(f, p.b) == p.b && ++tries < CLIMB_MOST &&
           evaluate_exactly(s, p, best));
}

/* The search at one k_b. */
static struct search search_of(const struct rcm_selection *s, uint64_t k_b,
                               const struct rcm_factors *divisors_of)
{
    struct search f = search_begin(s, k_b, divisors_of);
    f.value = threshold_estimate;
    f.bound = threshold_bound;
    f.motion = RCM_BENDS_WITH_B;
    f.all_up_to = FEW_B;
    return f;
}

/* The least at this k_b, from the exact values at and around `centre`, where the estimates are
 * least. */
static void threshold_of_k_b(const struct rcm_selection *s, const struct search *f,
                             const struct rcm_point *centre, struct threshold *best)
{
    struct threshold own = {.point = {.objective = INFINITY}, .reaching = NAN};
    struct rcm_topk p = centre->p;
    const uint64_t step = p.b / 100 + 1;
    if (f->high - f->low < FEW_B) {
        for (p.b = search_next(f, 0); p.b != 0; p.b = search_next(f, p.b + 1))
            if (threshold_low(s, p) <= 1.2 * centre->objective)
                evaluate_exactly(s, p, &own);
    } else {
        for (uint64_t i = 0, last = 0; i <= 2 * AROUND; i++) {
            const uint64_t b = centre->p.b + i * step;
            p.b = b > AROUND * step ? search_next(f, b - AROUND * step) : 0;
            if (p.b > last)
                evaluate_exactly(s, p, &own);
            last = p.b > last ? p.b : last;
        }
        if (own.point.objective < INFINITY)
            climb(s, f, &own);
    }
    if (own.point.objective < best->point.objective)
        *best = own;
}

static bool stops(const struct rcm_selection *s, uint64_t done, uint64_t total)
{
    return s->tick && s->tick(s->tick_context, done, total);
}

/* The threshold takes part where a library has it: on a CPU. By time it is that library's exact
 * top-k already, and another one only beside a measured time of the user's own. */
static bool takes_part(const struct rcm_selection *s)
{
    return answer_has_threshold(s) &&
           (s->exact_us > 0.0 || search_objective(s)->need != RCM_NEEDS_PROFILE);
}

/* First the estimates of all k_b, then the exact values of those k_b whose least is near the
 * least of all. */
static struct threshold best_threshold(const struct rcm_selection *s)
{
    const struct threshold none = {.point = {.objective = INFINITY}, .reaching = NAN};
    struct threshold best = none;
    struct rcm_point estimate[K_B_MOST];
    struct rcm_factors factors;
    const struct rcm_factors *divisors_of = factors_if(search_divides(s), s->p.n, &factors);
    double least = INFINITY;
    const uint64_t most = select_k_b_max(s) < K_B_MOST ? select_k_b_max(s) : K_B_MOST;
    for (uint64_t k_b = 1; k_b <= most; k_b++) {
        struct search f = search_of(s, k_b, divisors_of);
        if (stops(s, k_b, 2 * most))
            return none;
        f.known = least;
        search_least(&f, 0);
        estimate[k_b - 1] = f.best;
        if (f.best.objective < INFINITY)
            least = fmin(least, threshold_high(s, f.best.p));
    }
    for (uint64_t k_b = 1; k_b <= most; k_b++) {
        if (stops(s, most + k_b, 2 * most))
            return none;
        if (!(estimate[k_b - 1].objective < INFINITY) ||
            threshold_low(s, estimate[k_b - 1].p) > least)
            continue;
        const struct search f = search_of(s, k_b, divisors_of);
        threshold_of_k_b(s, &f, &estimate[k_b - 1], &best);
    }
    return best;
}

struct rcm_point rcm_best_threshold(const struct rcm_selection *s, double *reaching)
{
    const struct threshold best = best_threshold(s);
    *reaching = best.reaching;
    return best.point;
}

/* ---- the choice */

static struct rcm_choice with_contenders(const struct rcm_selection *s, struct rcm_point bucketed)
{
    struct threshold threshold = {.point = {.objective = INFINITY}, .reaching = NAN};
    if (takes_part(s))
        threshold = best_threshold(s);
    const double exact = exact_objective(s);
    return (struct rcm_choice){.p = bucketed.p,
                               .objective = bucketed.objective,
                               .beyond = {.objective = INFINITY},
                               .exact_objective = exact,
                               .over_exact =
                                   bucketed.objective < INFINITY ? bucketed.objective / exact : NAN,
                               .threshold = threshold.point,
                               .reaching = threshold.reaching};
}

static bool is_bound(const struct rcm_selection *s)
{
    return search_objective(s)->need == RCM_NEEDS_DEVICE && s->machine.device;
}

double rcm_with_launch(const struct rcm_selection *s, double objective)
{
    return is_bound(s) ? objective + s->machine.device->shortest_kernel_us : objective;
}

/* What exact top-k must take longer than for this objective to be deployed: the objective, unless
 * that is a bound. */
static double least_exact(const struct rcm_selection *s, double objective)
{
    const bool bound = is_bound(s) || s->machine.d;
    return bound ? RCM_BOUND_MARGIN * rcm_with_launch(s, objective) : objective;
}

/* The one with the least objective among those that take part; among equal ones exact top-k, then
 * the threshold. Where the exact objective is not known, the threshold takes part if there are
 * buckets that it beats. */
static enum rcm_deploy least_of(double bucketed, double exact, double threshold)
{
    if (isnan(exact) && !(bucketed < INFINITY))
        return RCM_DEPLOY_EXACT;
    if (bucketed < INFINITY && bucketed < threshold && !(exact <= bucketed))
        return RCM_DEPLOY_BUCKETED;
    return threshold < INFINITY && !(exact <= threshold) ? RCM_DEPLOY_THRESHOLD : RCM_DEPLOY_EXACT;
}

/* Where the objective is a time: the verdict, as what to deploy; and whether the buckets may take
 * as long as the fastest exact top-k that can be called. Where no time of that is known, the
 * buckets, if there are any: they pay if it takes longer. */
static void decide_by_time(const struct rcm_selection *s, struct rcm_choice *c)
{
    struct rcm_contender of[RCM_CONTENDERS_MOST];
    size_t first = 0, count = answer_exact(s, of);
    const bool known = count > 0 && of[0].callable;
    const struct rcm_contender buckets = answer_buckets(s, c), threshold = answer_threshold(s, c);
    if (buckets.time_us < INFINITY)
        of[count++] = buckets;
    if (threshold.time_us < INFINITY)
        of[count++] = threshold;
    static const enum rcm_deploy deploys[] = {[RCM_VERDICT_EXACT] = RCM_DEPLOY_EXACT,
                                              [RCM_VERDICT_THRESHOLD] = RCM_DEPLOY_THRESHOLD,
                                              [RCM_VERDICT_BUCKETS] = RCM_DEPLOY_BUCKETED,
                                              [RCM_VERDICT_NONE] = RCM_DEPLOY_EXACT};
    c->deploy = deploys[rcm_verdict(of, count, &first)];
    c->too_close = known && buckets.callable && buckets.time_us < INFINITY &&
                   c->deploy != RCM_DEPLOY_BUCKETED && !rcm_surely_faster(&of[first], &buckets);
}

struct rcm_choice contenders_choice(const struct rcm_selection *s, struct rcm_point bucketed)
{
    struct rcm_choice c = with_contenders(s, bucketed);
    c.deploy = least_of(least_exact(s, c.objective), c.exact_objective,
                        least_exact(s, c.threshold.objective));
    if (answer_is_timed(s))
        decide_by_time(s, &c);
    return c;
}

double contenders_budget(const struct rcm_selection *s, double budget)
{
    const struct rcm_profile *q = s->machine.profile;
    const bool carried = answer_is_timed(s) && q->stands_in_for && q->held_out_p95_ratio > 1.0;
    return carried ? budget / q->held_out_p95_ratio : budget;
}

/* The upper end of a carried time counts, and of others the time. */
static bool exact_is_within(const struct rcm_selection *s, double objective, double budget)
{
    struct rcm_contender of[RCM_CONTENDERS_MOST];
    if (answer_is_timed(s) && answer_exact(s, of) > 0 && of[0].carried && !isnan(of[0].high_us))
        return of[0].callable && of[0].high_us <= budget;
    return objective <= budget;
}

struct rcm_choice contenders_within(const struct rcm_selection *s, struct rcm_point bucketed,
                                    double budget)
{
    struct rcm_choice c = with_contenders(s, bucketed);
    const bool found =
        bucketed.objective < INFINITY && (!answer_is_timed(s) || answer_buckets(s, &c).callable);
    const bool keeps_all = found && rcm_loss_exact(bucketed.p) == 0.0;
    const double exact =
        exact_is_within(s, c.exact_objective, budget) ? c.exact_objective : INFINITY;
    const double threshold =
        rcm_with_launch(s, c.threshold.objective) <= contenders_budget(s, budget)
            ? c.threshold.objective
            : INFINITY;
    if (exact == INFINITY && threshold == INFINITY)
        c.deploy = found ? RCM_DEPLOY_BUCKETED : RCM_DEPLOY_EXACT;
    else if (keeps_all && bucketed.objective < exact && bucketed.objective < threshold)
        c.deploy = RCM_DEPLOY_BUCKETED;
    else
        c.deploy = exact <= threshold ? RCM_DEPLOY_EXACT : RCM_DEPLOY_THRESHOLD;
    c.reason =
        c.deploy == RCM_DEPLOY_EXACT && exact == INFINITY ? RCM_REASON_NOTHING : RCM_REASON_BUDGET;
    return c;
}
