/* select_reason.c - select: what to deploy, and why, in one sentence.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

#include "selection.h"

/* What was asked for: "recall 0.95", "all but 0.01 of the mass in 99 % of rows". */
static void format_asked(char *text, size_t size, const struct selection_answer *answer)
{
    char target[TARGET_TEXT], rows[40];
    query_target(target, answer->query);
    format_rows(rows, sizeof rows, decimal_complement(answer->settings->confidence.value));
    if (answer->settings->confidence.given)
        snprintf(text, size, "%s in %s", target, rows);
    else
        snprintf(text, size, "%s", target);
}

/* "92 operations", "950384 operations", "19.9 million operations". */
static void format_many(char *text, size_t size, double value, const char *unit)
{
    if (value < 1e6)
        snprintf(text, size, "%.0f %s", value, unit);
    else if (value < 999.5e6)
        snprintf(text, size, value < 99.95e6 ? "%.3g million %s" : "%.0f million %s", value / 1e6,
                 unit);
    else
        snprintf(text, size, value < 1e14 ? "%.3g billion %s" : "%.2e billion %s", value / 1e9,
                 unit);
}

void selection_format_value(char *text, size_t size, const struct selection_answer *answer,
                            double value)
{
    const struct rcm_objective *objective = answer->asked.objective;
    if (selection_is_time(answer))
        format_us(text, size, value);
    else if (strcmp(objective->unit, "candidates") == 0)
        snprintf(text, size, "%.0f candidates", value);
    else
        format_many(text, size, value, objective->unit);
}

/* "62 us to 130 us" */
static void format_range(char *text, size_t size, double low_us, double high_us)
{
    char low[40], high[40];
    format_us(low, sizeof low, low_us);
    format_us(high, sizeof high, high_us);
    snprintf(text, size, "%s to %s", low, high);
}

void selection_format_buckets(char *text, size_t size, const struct selection_answer *answer,
                              double value)
{
    const struct rcm_profile *q = answer->asked.machine.profile;
    if (selection_stands_in(answer))
        format_range(text, size, fmax(selection_floor(answer), q->held_out_p05_ratio * value),
                     q->held_out_p95_ratio * value);
    else
        selection_format_value(text, size, answer, value);
}

void selection_format_exact_value(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_contender *exact = selection_exact(answer);
    if (exact && exact->carried && !isnan(exact->low_us))
        format_range(text, size, exact->low_us, exact->high_us);
    else
        selection_format_value(text, size, answer, answer->choice.exact_objective);
}

/* "2.6 times faster than exact top-k (74 us)", by what the objective is. */
static void format_gain(char *text, size_t size, const struct selection_answer *answer)
{
    char exact[RANGE_TEXT], by[EXACT_TEXT];
    const double gain =
        answer->choice.exact_objective / selection_least(answer, answer->choice.objective);
    selection_format_exact(by, sizeof by, answer);
    selection_format_exact_value(exact, sizeof exact, answer);
    snprintf(text, size, "%s%.*f times %s than %s (%s)",
             selection_is_bound(answer)    ? "at most "
             : selection_stands_in(answer) ? "about "
                                           : "",
             gain < 2.0     ? 2
             : gain < 100.0 ? 1
                            : 0,
             gain,
             selection_is_time(answer)                                  ? "faster"
             : strcmp(answer->asked.objective->unit, "candidates") == 0 ? "fewer"
                                                                        : "cheaper",
             by, exact);
}

static bool is_roofline(const struct selection_answer *answer)
{
    return answer->asked.objective->need == RCM_NEEDS_DEVICE;
}

double selection_least(const struct selection_answer *answer, double objective)
{
    return rcm_with_launch(&answer->asked, objective);
}

/* What the least time of a bound consists of. */
static const char *bound_of(const struct selection_answer *answer)
{
    return selection_least(answer, 0.0) > 0.0 ? "bound and a launch, not calibrated"
                                              : "bound, not calibrated";
}

/* Where exact top-k is not known: what it must exceed. */
static void format_only_if(char *text, size_t size, const struct selection_answer *answer)
{
    const double high =
        selection_stands_in(answer) ? answer->asked.machine.profile->held_out_p95_ratio : 1.0;
    selection_format_value(text, size, answer,
                           selection_least(answer, high * answer->choice.objective));
}

static void only_if_reason(char *reason, size_t size, const struct selection_answer *answer,
                           const char *shape, const char *value)
{
    char least[64];
    const bool bound = selection_is_bound(answer), stands_in = selection_stands_in(answer);
    format_only_if(least, sizeof least, answer);
    snprintf(reason, size,
             "%s: %s%s%s%s%s; this %s if your exact top-k of this shape takes longer than %s",
             shape, bound ? "at least " : "", value, stands_in ? "" : " (",
             stands_in ? ""
             : bound   ? bound_of(answer)
                       : "predicted",
             stands_in ? "" : ")", bound ? "can only pay" : "pays", least);
}

static void bucketed_reason(char *reason, size_t size, const struct selection_answer *answer)
{
    char shape[64], value[RANGE_TEXT], gain[EXACT_TEXT + 200], bound[64] = "";
    const struct rcm_choice *c = &answer->choice;
    selection_format_shape(shape, sizeof shape, c->p);
    selection_format_buckets(value, sizeof value, answer, selection_least(answer, c->objective));
    if (isnan(c->exact_objective)) {
        only_if_reason(reason, size, answer, shape, value);
        return;
    }
    format_gain(gain, sizeof gain, answer);
    if (selection_is_bound(answer))
        snprintf(bound, sizeof bound, " at least (%s)", bound_of(answer));
    snprintf(reason, size, "%s: %s%s, %s", shape, value, bound, gain);
}

/* Where a bound says that exact top-k is the answer. */
static void exact_by_bound(char *reason, size_t size, const struct selection_answer *answer,
                           const char *asked)
{
    char exact[64], value[64], by[EXACT_TEXT], most[64] = "";
    const struct rcm_choice *c = &answer->choice;
    selection_format_exact(by, sizeof by, answer);
    const double least = selection_least(answer, c->objective);
    selection_format_value(exact, sizeof exact, answer, c->exact_objective);
    selection_format_value(value, sizeof value, answer, least);
    if (least < c->exact_objective)
        snprintf(most, sizeof most, ", at most %.2f times faster", c->exact_objective / least);
    snprintf(reason, size,
             "%s: %s; buckets that keep %s take at least %s (%s)%s: do not approximate", by, exact,
             asked, value, bound_of(answer), most);
}

/* Why no buckets are left: "no buckets with k_b up to 4 that drop any element keep recall 0.95",
 * "the kernel xla runs no buckets that keep .. (its rule)". */
static void format_none(char *text, size_t size, const struct selection_answer *answer,
                        const char *asked)
{
    char padded[60] = "";
    const struct rcm_target *t = &answer->asked.target;
    if (answer->padded_n)
        snprintf(padded, sizeof padded, ", or pad the rows to n = %" PRIu64, answer->padded_n);
    char beyond[RCM_BEYOND_TEXT];
    selection_format_beyond(beyond, answer, answer->choice.beyond.p);
    if (answer->choice.reason == RCM_REASON_RUNS)
        snprintf(text, size,
                 "no buckets within the runs of the profile keep %s (those that do lie beyond them "
                 "in %s): time some first",
                 asked, beyond);
    else if (answer->choice.reason == RCM_REASON_TIES)
        snprintf(text, size, "the kernel %s does not take equal elements by %s: do not approximate",
                 answer->asked.kernel->name,
                 answer->settings->ties == RCM_TIES_BY_POSITION ? "position" : "a fixed rule");
    else if (answer->choice.reason == RCM_REASON_KERNEL)
        snprintf(text, size,
                 "the kernel %s runs no buckets that keep %s (%s): do not approximate%s",
                 answer->asked.kernel->name, asked, answer->asked.kernel->limits, padded);
    else if (answer->choice.reason == RCM_REASON_OPTIONS)
        snprintf(text, size, "no b that %s%s%.0" PRIu64 " keeps %s: do not approximate%s",
                 t->divisors ? "divides n" : "",
                 t->align > 1 ? t->divisors ? " and is a multiple of " : "is a multiple of " : "",
                 t->align > 1 ? t->align : 0, asked, padded);
    else
        snprintf(text, size,
                 "no buckets with k_b up to %" PRIu64
                 " that drop any element keep %s: do not approximate",
                 answer->k_b_max, asked);
}

static void exact_reason(char *reason, size_t size, const struct selection_answer *answer,
                         const char *asked)
{
    char exact[RANGE_TEXT], value[RANGE_TEXT], by[EXACT_TEXT], none[300];
    const struct rcm_choice *c = &answer->choice;
    format_none(none, sizeof none, answer, asked);
    selection_format_exact(by, sizeof by, answer);
    selection_format_exact_value(exact, sizeof exact, answer);
    selection_format_buckets(value, sizeof value, answer, c->objective);
    const char *const verb = selection_is_time(answer) ? "take" : "have";
    if (selection_has_buckets(answer) && is_roofline(answer))
        exact_by_bound(reason, size, answer, asked);
    else if (selection_has_buckets(answer))
        snprintf(reason, size, "%s: %s; the %s buckets that keep %s %s %s: %s", by, exact,
                 selection_is_time(answer) ? "fastest" : "best", asked, verb, value,
                 answer->choice.too_close ? "they may take as long, and exact top-k loses nothing"
                                          : "do not approximate");
    else if (isnan(c->exact_objective))
        snprintf(reason, size, "%s", none);
    else
        snprintf(reason, size, "%s: %s; %s", by, exact, none);
}

static void threshold_reason(char *reason, size_t size, const struct selection_answer *answer,
                             const char *asked)
{
    char shape[64], value[RANGE_TEXT], exact[RANGE_TEXT] = "not known", by[EXACT_TEXT],
                                       bound[64] = "", buckets[RANGE_TEXT] = "";
    const struct rcm_choice *c = &answer->choice;
    const char *least = is_roofline(answer) ? "at least " : "";
    selection_format_shape(shape, sizeof shape, c->threshold.p);
    selection_format_exact(by, sizeof by, answer);
    if (is_roofline(answer))
        snprintf(bound, sizeof bound, " (%s)", bound_of(answer));
    selection_format_buckets(value, sizeof value, answer,
                             selection_least(answer, c->threshold.objective));
    if (!isnan(c->exact_objective))
        selection_format_exact_value(exact, sizeof exact, answer);
    selection_format_buckets(buckets, sizeof buckets, answer,
                             selection_least(answer, c->objective));
    const bool cpu = selection_is_cpu(answer) && selection_is_time(answer);
    const int length =
        cpu ? snprintf(reason, size,
                       "exact top-k of this project's library: %s, and nothing is lost; your own "
                       "exact top-k: %s",
                       value, exact)
            : snprintf(reason, size,
                       "exact top-k by threshold with %s: %s%s%s, nothing is lost, and the row is "
                       "read twice; %s: %s",
                       shape, least, value, bound, by, exact);
    if (selection_has_buckets(answer) && length > 0 && (size_t)length < size)
        snprintf(reason + length, size - (size_t)length, "; the best buckets that keep %s: %s%s",
                 asked, least, buckets);
}

static void budget_reason(char *reason, size_t size, const struct selection_answer *answer)
{
    char shape[64], value[RANGE_TEXT], budget[64], recall[40];
    const struct rcm_choice *c = &answer->choice;
    const bool threshold = c->deploy == RCM_DEPLOY_THRESHOLD;
    selection_format_value(budget, sizeof budget, answer, answer->settings->budget);
    if (c->deploy == RCM_DEPLOY_EXACT && c->reason != RCM_REASON_NOTHING) {
        selection_format_exact_value(value, sizeof value, answer);
        snprintf(reason, size, "exact top-k: %s, within %s: do not approximate", value, budget);
        return;
    }
    if (c->deploy == RCM_DEPLOY_EXACT && selection_has_buckets(answer)) {
        snprintf(reason, size, "nothing that one can call on this card stays within %s", budget);
        return;
    }
    if (c->deploy == RCM_DEPLOY_EXACT) {
        snprintf(reason, size,
                 isnan(c->exact_objective) ? "no buckets with k_b up to %" PRIu64 " stay within %s"
                                           : "neither buckets with k_b up to %" PRIu64
                                             " nor exact top-k stay within %s",
                 answer->k_b_max, budget);
        return;
    }
    selection_format_shape(shape, sizeof shape, threshold ? c->threshold.p : c->p);
    selection_format_buckets(
        value, sizeof value, answer,
        selection_least(answer, threshold ? c->threshold.objective : c->objective));
    format_recall(recall, sizeof recall, threshold ? 0.0 : rcm_loss_exact(c->p));
    const bool bound = selection_is_bound(answer);
    snprintf(reason, size, "%s%s: recall %s %s %s%s%s%s, the most within %s",
             threshold ? "exact top-k by threshold with " : "", shape, recall,
             !selection_is_time(answer) ? "with"
             : bound                    ? "in at least"
                                        : "in",
             value, bound ? " (" : "", bound ? bound_of(answer) : "", bound ? ")" : "", budget);
}

void selection_verdict(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_choice *c = &answer->choice;
    char least[64];
    snprintf(text, size, "%s", rcm_deploy_name(c->deploy));
    if (c->reason == RCM_REASON_NOTHING)
        snprintf(text, size, "nothing");
    else if (c->reason == RCM_REASON_RUNS)
        snprintf(text, size, "time some");
    else if (c->deploy == RCM_DEPLOY_BUCKETED && c->reason == RCM_REASON_NO_EXACT) {
        format_only_if(least, sizeof least, answer);
        snprintf(text, size, "if exact > %s", least);
    }
}

/* Says so where the shape lies beyond the runs. */
static void append_beyond(char *reason, size_t size, const struct selection_answer *answer)
{
    char beyond[RCM_BEYOND_TEXT];
    const size_t length = strlen(reason);
    selection_format_beyond(beyond, answer, answer->choice.p);
    if (*beyond && length < size)
        snprintf(reason + length, size - length,
                 "; this lies beyond the runs of the profile in %s, and its time is the upper end "
                 "of its band",
                 beyond);
}

void selection_reason(char *reason, size_t size, const struct selection_answer *answer)
{
    char asked[120], by[EXACT_TEXT];
    format_asked(asked, sizeof asked, answer);
    if (answer->settings->budget > 0.0)
        budget_reason(reason, size, answer);
    else if (answer->choice.deploy == RCM_DEPLOY_BUCKETED)
        bucketed_reason(reason, size, answer);
    else if (answer->choice.deploy == RCM_DEPLOY_EXACT)
        exact_reason(reason, size, answer, asked);
    else
        threshold_reason(reason, size, answer, asked);
    if (answer->choice.deploy == RCM_DEPLOY_BUCKETED && answer->settings->beyond_runs)
        append_beyond(reason, size, answer);
    const size_t length = strlen(reason);
    if (!selection_stands_in(answer) || length + 1 >= size)
        return;
    selection_format_stand_in(by, sizeof by, answer);
    snprintf(reason + length, size - length, "; by %s", by);
}
