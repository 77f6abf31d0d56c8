/* select_headline.c - select: the decision in one line, and what to do next.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

#include "selection.h"

void selection_format_number(char *text, size_t size, const struct selection_answer *answer,
                             double value)
{
    const unsigned measure = answer->asked.objective->measure;
    const bool billions = value >= 999.5e6;
    const double shown = value / (billions ? 1e9 : 1e6);
    if (measure & RCM_IN_US)
        format_us(text, size, value);
    else if (value < 1e6 || measure & RCM_COUNTS_CANDIDATES)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size,
                 shown < 99.95 ? "%.3g %s"
                 : shown < 1e5 ? "%.0f %s"
                               : "%.2e %s",
                 shown, billions ? "billion" : "million");
}

void selection_format_value(char *text, size_t size, const struct selection_answer *answer,
                            double value)
{
    char number[64];
    selection_format_number(number, sizeof number, answer, value);
    snprintf(text, size, "%s%s%s", number, selection_is_time(answer) ? "" : " ",
             selection_is_time(answer) ? "" : answer->asked.objective->unit);
}

static const struct rcm_contender *of_kind(const struct selection_answer *answer,
                                           enum rcm_contender_kind kind)
{
    for (size_t i = 0; i < answer->decided.count; i++)
        if (answer->decided.of[i].kind == kind)
            return &answer->decided.of[i];
    return NULL;
}

/* ---- what is said of the others; with the rest of the headline at most LINE_WIDTH columns */

/* Why there are no buckets; selection_next() says what would change that. */
static const char *no_buckets(const struct selection_answer *answer)
{
    switch (answer->choice.reason) {
    case RCM_REASON_RUNS:
        return "No timed buckets keep the recall";
    case RCM_REASON_OPTIONS:
        return "No allowed b keeps the recall";
    case RCM_REASON_KERNEL:
        return "The kernel's buckets miss the recall";
    case RCM_REASON_TIES:
        return "The kernel takes other equal elements";
    default:
        return "No buckets keep the recall";
    }
}

static const char *beside_exact(const struct selection_answer *answer,
                                const struct rcm_contender *buckets)
{
    const struct rcm_contender *first = &answer->decided.of[0];
    return !buckets->callable
               ? buckets->left_out ? "Buckets are not in --have" : "No known buckets run on it"
           : rcm_surely_faster(first, buckets)    ? "Buckets take longer"
           : first->measured && buckets->measured ? buckets->time_us < first->time_us
                                                        ? "Buckets are not surely faster"
                                                        : "Buckets take no less"
           : selection_rival(answer)              ? "Buckets may take less: time both"
                                                  : "Buckets may take as long";
}

static void format_others(char *text, size_t size, const struct selection_answer *answer)
{
    char value[64], budget[64];
    const struct rcm_contender *first = &answer->decided.of[0];
    const bool buckets = first->kind == RCM_CONTENDER_BUCKETS;
    const struct rcm_contender *other =
        of_kind(answer, buckets ? RCM_CONTENDER_EXACT : RCM_CONTENDER_BUCKETS);
    selection_format_number(budget, sizeof budget, answer, answer->settings->budget);
    selection_format_number(value, sizeof value, answer, other ? other->objective : NAN);
    if (answer->settings->budget > 0.0 && first->carried && first->high_us > first->objective) {
        format_us(value, sizeof value, first->high_us);
        snprintf(text, size, "Upper end %s, within %s", value, budget);
    } else if (answer->settings->budget > 0.0)
        snprintf(text, size, buckets ? "The most recall within %s" : "Within %s", budget);
    else if (!buckets && !selection_has_buckets(answer))
        snprintf(text, size, "%s", no_buckets(answer));
    else if (answer->decided.by_profile)
        snprintf(text, size, "%s",
                 buckets ? "Exact top-k takes longer" : beside_exact(answer, other));
    else if (selection_is_bound(answer))
        snprintf(text, size,
                 selection_rival(answer) ? "Exact takes %s: time both"
                 : buckets               ? "Fused exact takes at least %s"
                                         : "Buckets take at least %s",
                 value);
    else
        snprintf(text, size, "%s %s", buckets ? "Exact has" : "Buckets have", value);
}

/* ---- the headline */

/* What exact top-k, where it is not known, must exceed. */
static void format_only_if(char *text, size_t size, const struct selection_answer *answer)
{
    const double high =
        selection_stands_in(answer) ? answer->asked.machine.profile->held_out_p95_ratio : 1.0;
    selection_format_value(text, size, answer,
                           selection_least(answer, high * answer->choice.objective));
}

/* Of what can be called, that with the least value: it comes nearest to the budget. */
static const struct rcm_contender *nearest(const struct selection_answer *answer)
{
    const struct rcm_contender *least = NULL;
    for (size_t i = 0; i < answer->decided.count; i++) {
        const struct rcm_contender *c = &answer->decided.of[i];
        if (c->callable && isfinite(c->objective) && (!least || c->objective < least->objective))
            least = c;
    }
    return least;
}

static void nothing_within(char *text, size_t size, const struct selection_answer *answer)
{
    char budget[64], value[64], high[64];
    const struct rcm_contender *c = nearest(answer);
    selection_format_value(budget, sizeof budget, answer, answer->settings->budget);
    if (!c) {
        snprintf(text, size, "Nothing stays within %s.", budget);
        return;
    }
    const char *name = c->kind == RCM_CONTENDER_BUCKETS     ? "the nearest, buckets,"
                       : c->kind == RCM_CONTENDER_THRESHOLD ? "the threshold"
                       : c->profile                         ? c->name
                                                            : "exact top-k";
    const bool bound = selection_is_bound(answer) && (c->fused || c->kind != RCM_CONTENDER_EXACT);
    selection_format_number(value, sizeof value, answer, c->objective);
    format_us(high, sizeof high, c->high_us);
    if (c->objective <= answer->settings->budget)
        snprintf(text, size,
                 "Nothing stays within %s: %s takes %s, but its upper end, %s, is above %s.",
                 budget, name, value, high, budget);
    else
        snprintf(text, size, "Nothing stays within %s: %s %s %s%s.", budget, name,
                 selection_is_time(answer) ? "takes" : "has", bound ? "at least " : "", value);
}

void selection_headline(char *text, size_t size, const struct selection_answer *answer)
{
    char shape[64], value[64], others[200], exact[100];
    const struct rcm_choice *c = &answer->choice;
    const struct rcm_contender *first = &answer->decided.of[0];
    const bool buckets = first->kind == RCM_CONTENDER_BUCKETS;
    selection_format_shape(shape, sizeof shape, first->p);
    if (c->reason == RCM_REASON_NOTHING) {
        nothing_within(text, size, answer);
    } else if (c->reason == RCM_REASON_NO_EXACT && c->deploy == RCM_DEPLOY_BUCKETED) {
        format_only_if(value, sizeof value, answer);
        snprintf(text, size,
                 "Use buckets, %s, %s your exact top-k takes longer than %s: %.2g %% lost.", shape,
                 selection_is_bound(answer) ? "only if" : "if", value, 100.0 * first->loss);
    } else if (answer->decided.verdict == RCM_VERDICT_NONE || isnan(first->objective)) {
        snprintf(text, size, "Use exact top-k: nothing lost, its time is not known. %s.",
                 no_buckets(answer));
    } else {
        selection_format_value(value, sizeof value, answer, first->objective);
        format_others(others, sizeof others, answer);
        snprintf(exact, sizeof exact, "%sexact top-k%s%s",
                 first->fused && !first->name ? "fused " : "", first->name ? ", " : "",
                 first->name ? first->name : "");
        const char *here = first->measured ? " measured" : "";
        const char *about = !selection_is_time(answer) ? ""
                            : first->measured          ? ""
                            : first->at_most           ? "at most about "
                            : selection_is_bound(answer) && (first->fused || buckets) ? "at least "
                                                                                      : "about ";
        if (buckets)
            snprintf(text, size, "Use buckets, %s: %s%s%s, %.2g %% lost. %s.", shape, about, value,
                     here, 100.0 * first->loss, others);
        else
            snprintf(text, size, "Use %s: %s%s%s, nothing lost. %s.", exact, about, value, here,
                     others);
    }
}

void selection_verdict(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_choice *c = &answer->choice;
    char least[64];
    snprintf(text, size, "%s",
             c->reason == RCM_REASON_NOTHING ? "nothing"
             : c->reason == RCM_REASON_RUNS  ? "time some"
                                             : rcm_deployed(c));
    if (c->deploy == RCM_DEPLOY_BUCKETED && c->reason == RCM_REASON_NO_EXACT) {
        format_only_if(least, sizeof least, answer);
        snprintf(text, size, "if exact > %s", least);
    }
}

/* ---- what to do next */

/* May tune run there? A file may be of any device. */
static bool is_cuda(const struct rcm_device *device)
{
    return strncmp(device->name, "TPU", 3) != 0 && strncmp(device->name, "Arc", 3) != 0;
}

/* The command that times what can be called there. */
static void format_settle(char *text, size_t size, const struct selection_answer *answer)
{
    char target[32], confidence[60] = "", number[32];
    const struct rcm_topk p = answer->query->base;
    const struct select_settings *settings = answer->settings;
    const struct device_option *device = &settings->question.device;
    const bool here = selection_is_cpu(answer) || device->here.rows;
    format_decimal(target, sizeof target, answer->query->recall_target);
    format_decimal(number, sizeof number, settings->confidence.value);
    if (settings->confidence.given)
        snprintf(confidence, sizeof confidence, " --confidence %s", number);
    if (!here && !is_cuda(&device->text.device))
        snprintf(text, size, "time your exact top-k there, and give it as --exact-us T");
    else if (!here && (settings->kernel || device->text.has_profile) &&
             strcmp(answer->asked.kernel->family, "ours") != 0)
        snprintf(text, size,
                 "time its shapes there: recallmodel calibrate --plan, then gpu/time_calls.py");
    else
        snprintf(text, size,
                 "%s: recallmodel tune --n %" PRIu64 " --k %" PRIu64 " --m %" PRIu64
                 " --recall %s%s%s%s",
                 here ? "time them here" : "time them on that card", p.n, p.k, p.m ? p.m : 1,
                 target, confidence, selection_is_cpu(answer) ? "" : " --dtype ",
                 selection_is_cpu(answer) ? "" : rcm_dtype_name(answer->asked.machine.dtype));
}

/* What would let buckets take part. */
static void format_allow(char *text, size_t size, const struct selection_answer *answer)
{
    char padded[60] = "";
    const struct rcm_kernel *kernel = answer->asked.kernel;
    if (answer->padded_n)
        snprintf(padded, sizeof padded, "pad the rows to n = %" PRIu64 ", or ", answer->padded_n);
    if (answer->choice.reason == RCM_REASON_OPTIONS)
        snprintf(text, size, "%sleave --align and --divisors out", padded);
    else if (answer->choice.reason == RCM_REASON_KERNEL)
        snprintf(text, size, "%stake another kernel; %s runs %s", padded, kernel->name,
                 kernel->limits);
    else if (answer->choice.reason == RCM_REASON_TIES)
        snprintf(text, size, "leave --ties or --kernel %s out, if buckets are wanted",
                 kernel->name);
    else
        snprintf(text, size,
                 "call it; only a larger --kb-max than %" PRIu64 " or less recall has buckets",
                 answer->k_b_max);
}

/* What a budget must be for something to stay within. */
static void format_budget(char *text, size_t size, const struct selection_answer *answer)
{
    char value[64];
    const struct rcm_contender *c = nearest(answer);
    if (!c) {
        snprintf(text, size, "give a larger --budget");
        return;
    }
    const double least = c->carried && isfinite(c->high_us) ? c->high_us : c->objective;
    const double digit = pow(10.0, floor(log10(least)) - 2.0); /* three are printed */
    selection_format_number(value, sizeof value, answer, digit * ceil(least / digit));
    snprintf(text, size, "give a --budget of %s", value);
}

void selection_next(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_choice *c = &answer->choice;
    const bool device = answer->settings->question.device.given;
    const bool found = selection_has_buckets(answer), beyond = c->beyond.objective < INFINITY;
    const bool deployed = found && c->deploy == RCM_DEPLOY_BUCKETED;
    const bool bound =
        deployed && answer->asked.objective->measure & RCM_IS_BOUND && c->exact_objective > 0.0;
    const bool open =
        !answer->decided.of[0].measured &&
        (beyond || bound || (found && (c->too_close || (deployed && selection_stands_in(answer)))));
    const struct rcm_quirk *quirk = deployed ? selection_quirk(answer) : NULL;
    if (c->reason == RCM_REASON_NOTHING)
        format_budget(text, size, answer);
    else if (answer->decided.of[0].padded_n)
        snprintf(text, size,
                 "pad the rows to n = %" PRIu64 ": the kernel takes longer of shorter ones",
                 answer->decided.of[0].padded_n);
    else if (quirk)
        snprintf(text, size, "%s: %s take %.2g times as long where %s", quirk->mend, quirk->kernels,
                 quirk->median_ratio, quirk->when);
    else if (deployed && c->p.assignment != RCM_INTERLEAVED)
        snprintf(text, size,
                 "measure your rows (recallmodel simulate --file): contiguous buckets lose "
                 "more of real ones");
    else if (open && !answer->query->target.weights && !(answer->settings->budget > 0.0))
        format_settle(text, size, answer);
    else if (!found && !beyond && !(answer->settings->budget > 0.0))
        format_allow(text, size, answer);
    else if (!device && selection_is_cpu(answer) && !answer->query->target.weights)
        format_settle(text, size, answer);
    else if (!device)
        snprintf(text, size, "give --device NAME (recallmodel devices) for times");
    else if (deployed && c->reason == RCM_REASON_NO_EXACT)
        snprintf(text, size, "time your exact top-k, and give it as --exact-us T");
    else if (deployed)
        snprintf(text, size,
                 "on your rows: recallmodel simulate --file ROWS.npy --k %" PRIu64 " --b %" PRIu64
                 " --kb %" PRIu64,
                 c->p.k, c->p.b, c->p.k_b);
    else if (answer->decided.of[0].fused && !answer->decided.of[0].call)
        snprintf(text, size, "%s; the bounds say what a kernel can gain",
                 rcm_runs_cuda(&answer->settings->question.device.text.device)
                     ? "rcm_gpu_fused of topk_gpu.h with b = 0 does it for bf16 and d of 64 or "
                       "128, and no card has timed it"
                     : "no library fuses it");
    else
        snprintf(text, size, "call it; --verbose has what else is known");
}
