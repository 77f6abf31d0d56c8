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

struct rcm_profile_answer selection_profile(const struct select_settings *settings)
{
    if (!settings->question.device.given)
        return (struct rcm_profile_answer){0};
    struct rcm_profile_answer a = profile_for_question(
        &settings->question.device.text, settings->kernel,
        settings->question.dtype.given ? &settings->question.dtype.type : NULL);
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
    return profile && profile->stands_in_for && strcmp(answer->asked.objective->name, "time") == 0;
}

static double floor_of(const struct selection_answer *answer, struct rcm_topk p)
{
    const struct rcm_device *device = answer->asked.machine.device;
    return device && device->bandwidth_bytes_per_s > 0.0
               ? rcm_roofline(device, answer->asked.machine.dtype, p).time_us +
                     device->shortest_kernel_us
               : 0.0;
}

double selection_floor(const struct selection_answer *answer)
{
    return selection_has_buckets(answer) ? floor_of(answer, answer->choice.p) : 0.0;
}

struct rcm_prediction selection_prediction(const struct selection_answer *answer, struct rcm_topk p)
{
    struct rcm_prediction r = rcm_predict(answer->asked.machine.profile, p);
    if (selection_stands_in(answer) && !isnan(r.low_us))
        r.low_us = fmax(r.low_us, floor_of(answer, p));
    return r;
}

bool selection_exact_elsewhere(const struct selection_answer *answer)
{
    const struct rcm_profile *kernel = answer->exact_kernel;
    const struct rcm_device *device = answer->asked.machine.device;
    return kernel && *kernel->card && device && strcmp(kernel->card, device->name) != 0;
}

void selection_format_exact(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_profile *kernel = answer->exact_kernel;
    if (!kernel)
        snprintf(text, size, "exact top-k");
    else if (selection_exact_elsewhere(answer))
        snprintf(text, size, "exact top-k by %s, which was measured on %s, not on %s", kernel->name,
                 kernel->card, answer->asked.machine.device->name);
    else
        snprintf(text, size, "exact top-k by %s", kernel->name);
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
                    .dtype = profile->found ? profile->dtype : question->dtype.type,
                    .d = settings->d,
                    .beyond_runs = settings->beyond_runs},
        .exact_us = settings->exact_us,
        .ties = settings->ties,
        .rope = rope_to_avoid(&settings->rope),
    };
    if (!s.objective)
        s.objective = rcm_usual_objective(&s.machine);
    return s;
}

static struct rcm_selection model_question(const struct query *query,
                                           const struct select_settings *settings)
{
    struct rcm_profile_answer profile;
    struct rcm_selection s = selection_asked(settings, &profile);
    s.p = query->base;
    s.target = query->target;
    if (profile.found)
        s.machine.profile = profile_copy(&profile);
    /* Fused, stage 1 is not that of the kernel of the profile. */
    if (s.objective->need == RCM_NEEDS_PROFILE && !settings->d)
        s.kernel = s.machine.profile->kernel;
    if (settings->confidence.given) {
        s.confidence = decimal_value(settings->confidence.value);
        s.most_lost = decimal_most_lost(query->recall_target, query->base.k);
    }
    return s;
}

const struct rcm_quirk *selection_quirk(const struct selection_answer *answer)
{
    const struct rcm_device *device = answer->asked.machine.device;
    return device && selection_has_buckets(answer) ? rcm_quirk_of(device, answer->choice.p) : NULL;
}

/* ---- the answer */

/* See exact_kernel in struct selection_answer. */
static void set_exact_kernel(struct selection_answer *answer)
{
    struct rcm_profile *used = require_memory(malloc(sizeof *used));
    answer->exact_kernel = used;
    if (rcm_compare_exact(&answer->asked, selection_exact_kernel(answer->settings), used))
        return;
    free(used);
    answer->exact_kernel = NULL;
}

/* See faster_exact in struct selection_answer. */
static void set_faster_exact(struct selection_answer *answer)
{
    const struct rcm_selection *s = &answer->asked;
    if (!s->machine.device || s->exact_us > 0.0 || !selection_is_time(answer) || s->machine.d)
        return;
    struct rcm_profile *found = require_memory(malloc(sizeof *found));
    answer->faster_exact = found;
    if (rcm_fastest_exact(s->machine.device, NULL, s->ties, s->p, found) &&
        rcm_predict_exact(found, s->p) < answer->choice.exact_objective)
        return;
    free(found);
    answer->faster_exact = NULL;
}

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

/* What the prediction may be: where a stand-in answers, the upper end of its band keeps to the
 * budget. */
static double budget_of(const struct selection_answer *answer)
{
    const double high =
        answer->asked.machine.profile ? answer->asked.machine.profile->held_out_p95_ratio : 0.0;
    return answer->settings->budget / (selection_stands_in(answer) && high > 1.0 ? high : 1.0);
}

struct selection_answer selection_find(const struct query *query,
                                       const struct select_settings *settings)
{
    struct selection_answer answer = {.query = query,
                                      .settings = settings,
                                      .asked = model_question(query, settings),
                                      .least = INFINITY};
    set_exact_kernel(&answer);
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
                        ? rcm_best_recall(&answer.asked, budget_of(&answer), answer.each)
                        : rcm_select_each(&answer.asked, answer.each);
    progress_end(&search.progress);
    answer.asked.tick = NULL;
    answer.asked.tick_context = NULL;
    set_faster_exact(&answer);
    const enum rcm_reason reason = answer.choice.reason;
    if (!answer.interrupted && (reason == RCM_REASON_OPTIONS || reason == RCM_REASON_KERNEL))
        answer.padded_n = rcm_padded_n(&answer.asked);
    if (selection_has_rope(&answer) && !answer.interrupted)
        answer.without_rope = selection_without_rope(&answer);
    for (uint64_t i = 0; i < answer.k_b_max; i++)
        answer.least = fmin(answer.least, answer.each[i].objective);
    return answer;
}

struct mass_law selection_lost_mass(const struct selection_answer *answer)
{
    static const struct query_weights none;
    return mass_law(selection_has_buckets(answer) ? &answer->query->weights : &none,
                    answer->choice.p);
}

void selection_free(struct selection_answer *answer)
{
    for (struct selection_shape *shape; (shape = answer->shapes->first);) {
        answer->shapes->first = shape->next;
        free(shape);
    }
    free(answer->shapes);
    free(answer->each);
    free((void *)answer->asked.machine.profile);
    free((void *)answer->faster_exact);
    free((void *)answer->exact_kernel);
    answer->each = NULL;
}

bool selection_is_cpu(const struct selection_answer *answer)
{
    return answer->asked.kernel && answer->asked.kernel->cpu;
}

bool selection_is_time(const struct selection_answer *answer)
{
    return strcmp(answer->asked.objective->unit, "us") == 0;
}

bool selection_is_bound(const struct selection_answer *answer)
{
    return strcmp(answer->asked.objective->name, "roofline") == 0 || answer->settings->d;
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

void selection_format_shape(char *text, size_t size, struct rcm_topk p)
{
    snprintf(text, size, "b = %" PRIu64 ", k_b = %" PRIu64, p.b, p.k_b);
}
