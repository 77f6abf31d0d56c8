/* selection.c - see selection.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "selection.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/progress.h>

/* ---- the question */

/* Its profile answers for every type: what was measured says how far it is off. */
static bool is_this_cpu(const struct device_option *device)
{
    return device->here.rows && !device->here.gpu;
}

struct rcm_profile_answer selection_profile(const struct select_settings *settings)
{
    if (!settings->question.device.given)
        return (struct rcm_profile_answer){0};
    const struct device_option *device = &settings->question.device;
    const struct rcm_kernel *ours = rcm_kernel_by_name("ours");
    struct rcm_profile_answer a = profile_for_question(
        &device->text, settings->kernel || !device->here.gpu ? settings->kernel : ours,
        settings->question.dtype.given && !is_this_cpu(device) ? &settings->question.dtype.type
                                                               : NULL);
    /* With --d the product is a bound, and a stand-in's error would hide in it. */
    a.found = a.found && !(settings->d && a.profile.stands_in_for);
    return a;
}

/* A copy of the profile as one of the kernel that was asked for. If that is another kernel of the
 * same family, no run tells its error. */
static struct rcm_profile *profile_copy(const struct rcm_profile_answer *answer)
{
    struct rcm_profile *copy = require_memory(malloc(sizeof *copy));
    *copy = answer->profile;
    if (answer->other_kernel) {
        copy->kernel = answer->kernel;
        copy->held_out_p05_ratio = copy->held_out_p95_ratio = 0.0;
    }
    return copy;
}

const struct rcm_profile *selection_exact_kernel(const struct select_settings *settings)
{
    return settings->exact_kernel.given ? &settings->exact_kernel.text.profile : NULL;
}

bool selection_stands_in(const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    return profile && profile->stands_in_for && answer->asked.objective->need == RCM_NEEDS_PROFILE;
}

double selection_least(const struct selection_answer *answer, double objective)
{
    return rcm_with_launch(&answer->asked, objective);
}

const struct rcm_contender *selection_rival(const struct selection_answer *answer)
{
    const struct rcm_contender *const first = answer->decided.of, *other = first;
    const bool buckets = first->kind == RCM_CONTENDER_BUCKETS;
    const enum rcm_contender_kind kind = buckets ? RCM_CONTENDER_EXACT : RCM_CONTENDER_BUCKETS;
    while (other < first + answer->decided.count && other->kind != kind)
        other++;
    if (other == first + answer->decided.count || answer->settings->budget > 0.0 ||
        !selection_has_buckets(answer) || isnan(other->objective))
        return NULL;
    const bool open = answer->decided.by_profile
                          ? !buckets && other->callable && !rcm_surely_faster(first, other) &&
                                other->objective < first->objective
                          : buckets && !other->fused && selection_is_bound(answer);
    return open ? other : NULL;
}

const struct call *selection_call(const struct selection_answer *answer, struct call calls[CALLS],
                                  const struct call **rival)
{
    const struct rcm_choice *c = &answer->choice;
    const bool buckets = c->deploy == RCM_DEPLOY_BUCKETED && selection_has_buckets(answer);
    const bool both = selection_rival(answer) != NULL;
    calls_make(calls, &answer->asked, c, answer->settings->budget, selection_exact(answer), both);
    const struct call *shown = calls_shown(calls, &answer->asked, c, buckets);
    *rival = both ? calls_shown(calls, &answer->asked, c, !buckets) : NULL;
    return c->reason == RCM_REASON_NOTHING ? NULL : shown;
}

double selection_floor(const struct selection_answer *answer)
{
    return selection_has_buckets(answer) ? rcm_floor_us(&answer->asked, answer->choice.p) : 0.0;
}

struct rcm_prediction selection_prediction(const struct selection_answer *answer, struct rcm_topk p)
{
    struct rcm_prediction r = rcm_predict_here(&answer->asked, p);
    if (selection_stands_in(answer) && !isnan(r.low_us))
        r.low_us = fmax(r.low_us, fmin(r.time_us, rcm_floor_us(&answer->asked, p)));
    return r;
}

const struct rcm_contender *selection_exact(const struct selection_answer *answer)
{
    const struct rcm_contender *best = NULL;
    for (size_t i = 0; i < answer->decided.count && answer->decided.by_profile; i++) {
        const struct rcm_contender *c = &answer->decided.of[i];
        if (c->kind == RCM_CONTENDER_EXACT && c->callable && (!best || c->time_us < best->time_us))
            best = c;
    }
    return best;
}

struct rcm_selection selection_asked(const struct select_settings *settings,
                                     struct rcm_profile_answer *profile)
{
    const struct question *question = &settings->question;
    *profile = selection_profile(settings);
    struct rcm_selection s = {
        .p = {.assignment = question->assignments.items[0]},
        .kernel = settings->kernel ? settings->kernel : rcm_kernel(0),
        .k_b_max = settings->k_b_max,
        .objective = settings->objective,
        .machine = {.profile = profile->found ? &profile->profile : NULL,
                    .device = question->device.given ? &question->device.text.device : NULL,
                    .dtype =
                        profile->found && !(question->dtype.given && is_this_cpu(&question->device))
                            ? profile->dtype
                            : question->dtype.type,
                    .d = settings->d,
                    .beyond_runs = settings->beyond_runs},
        .exact_us = settings->exact_us,
        .ties = settings->ties,
        .have = settings->have,
        .rope = rope_to_avoid(&settings->rope),
    };
    if (!s.objective)
        s.objective = rcm_usual_objective(&s.machine);
    return s;
}

static struct rcm_selection model_question(const struct query *query,
                                           const struct select_settings *settings,
                                           struct rcm_profile **own)
{
    struct rcm_profile_answer profile;
    struct rcm_selection s = selection_asked(settings, &profile);
    struct rcm_profile *copy = profile.found ? profile_copy(&profile) : NULL;
    const struct wisdom *here = &settings->question.device.here;
    s.p = query->base;
    s.target = query->target;
    s.measured = here->rows;
    s.measured_count = here->count;
    *own = copy;
    s.machine.profile = copy;
    if (settings->confidence.given) {
        s.confidence = decimal_value(settings->confidence.value);
        s.most_lost = decimal_most_lost(query->recall_target, query->base.k);
    }
    /* Fused, stage 1 is not that of the kernel of the profile. */
    if (s.objective->need == RCM_NEEDS_PROFILE && !settings->d) {
        if (!settings->question.device.text.has_profile && !here->gpu)
            *copy = rcm_faster_profile(&s, settings->budget);
        s.kernel = copy->kernel;
        rcm_fit_here(copy, &s);
        if (settings->threads)
            copy->threads = (double)settings->threads;
    }
    return s;
}

const struct rcm_quirk *selection_quirk(const struct selection_answer *answer)
{
    const struct rcm_device *device = answer->asked.machine.device;
    return device && selection_has_buckets(answer) ? rcm_quirk_of(device, answer->choice.p) : NULL;
}

/* ---- the answer */

/* What a tick of the search needs. */
struct tick_context {
    struct selection_answer *answer;
    struct progress progress;
};

static bool tick(void *context, uint64_t done, uint64_t total)
{
    struct tick_context *search = context;
    search->answer->interrupted = progress_tick(&search->progress, done, total);
    return search->answer->interrupted;
}

struct selection_answer selection_find(const struct query *query,
                                       const struct select_settings *settings)
{
    struct selection_answer answer = {.query = query, .settings = settings, .least = INFINITY};
    answer.asked = model_question(query, settings, &answer.profile);
    if (selection_exact_kernel(settings))
        rcm_compare_exact(&answer.asked, selection_exact_kernel(settings));
    answer.k_b_max = settings->k_b_max ? settings->k_b_max : RCM_K_B_MAX_DEFAULT;
    if (answer.k_b_max > query->base.k)
        answer.k_b_max = query->base.k;
    answer.each = require_memory(malloc(answer.k_b_max * sizeof *answer.each));
    answer.shapes = require_memory(calloc(1, sizeof *answer.shapes));
    struct tick_context search = {.answer = &answer};
    answer.asked.tick = tick;
    answer.asked.tick_context = &search;
    progress_start(&search.progress, "kb");
    answer.choice = settings->budget > 0.0
                        ? rcm_best_recall(&answer.asked, settings->budget, answer.each)
                        : rcm_select_each(&answer.asked, answer.each);
    progress_end(&search.progress);
    answer.asked.tick = NULL;
    answer.asked.tick_context = NULL;
    rcm_answer(&answer.asked, &answer.choice, &answer.decided);
    const enum rcm_reason reason = answer.choice.reason;
    if (!answer.interrupted && (reason == RCM_REASON_OPTIONS || reason == RCM_REASON_KERNEL))
        answer.padded_n = rcm_padded_n(&answer.asked);
    if (selection_has_rope(&answer) && !answer.interrupted)
        answer.without_rope = selection_without_rope(&answer);
    for (uint64_t i = 0; i < answer.k_b_max; i++)
        answer.least = fmin(answer.least, answer.each[i].objective);
    return answer;
}

struct mass_distribution selection_lost_mass(const struct selection_answer *answer)
{
    static const struct query_weights none;
    return mass_distribution(selection_has_buckets(answer) ? &answer->query->weights : &none,
                             answer->choice.p);
}

struct token_change selection_token_change(const struct selection_answer *answer)
{
    return token_change(&answer->query->weights, answer->choice.p,
                        selection_quantile_rest(answer->settings), 1);
}

void selection_free(struct selection_answer *answer)
{
    for (struct selection_shape *shape; (shape = answer->shapes->first);) {
        answer->shapes->first = shape->next;
        free(shape);
    }
    free(answer->shapes);
    free(answer->each);
    free(answer->profile);
    answer->each = NULL;
}

bool selection_is_cpu(const struct selection_answer *answer)
{
    return answer->asked.kernel && answer->asked.kernel->model == RCM_TIME_CPU;
}

bool selection_is_time(const struct selection_answer *answer)
{
    return answer->asked.objective->measure & RCM_IN_US;
}

bool selection_is_bound(const struct selection_answer *answer)
{
    return (answer->asked.objective->measure & RCM_IS_BOUND) || answer->settings->d;
}

struct rcm_product selection_product(const struct selection_answer *answer, struct rcm_topk p)
{
    return rcm_product(answer->asked.machine.device, answer->asked.machine.dtype, p,
                       answer->settings->d);
}

double selection_quantile(const struct select_settings *settings)
{
    return settings->quantile.given     ? decimal_complement(settings->quantile.value)
           : settings->confidence.given ? decimal_value(settings->confidence.value)
                                        : 0.95;
}

double selection_quantile_rest(const struct select_settings *settings)
{
    return settings->quantile.given     ? decimal_value(settings->quantile.value)
           : settings->confidence.given ? decimal_complement(settings->confidence.value)
                                        : 0.05;
}

void selection_format_beyond(char text[RCM_BEYOND_TEXT], const struct selection_answer *answer,
                             struct rcm_topk p)
{
    *text = '\0';
    if (answer->asked.objective->need == RCM_NEEDS_PROFILE && !answer->settings->d)
        rcm_beyond_text(rcm_predict(answer->asked.machine.profile, p).beyond, text);
}

void selection_format_shape(char *text, size_t size, struct rcm_topk p)
{
    snprintf(text, size, "b = %" PRIu64 ", k_b = %" PRIu64, p.b, p.k_b);
}
