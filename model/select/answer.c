/* answer.c - the contenders, and the rule that decides between them: see recallmodel/answer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measured.h"
#include "search.h"

const char *rcm_contender_kind_name(enum rcm_contender_kind kind)
{
    static const char *const names[] = {"exact", "threshold", "buckets"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *rcm_verdict_name(enum rcm_verdict verdict)
{
    static const char *const names[] = {"exact", "threshold", "buckets", "none"};
    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

/* What the value is, where neither a card nor a profile says it. */
static const char *value_of(const struct rcm_contender *c)
{
    const bool exact = c->kind == RCM_CONTENDER_EXACT;
    return isnan(c->objective)  ? "not known"
           : exact && c->name   ? "as you measured"
           : isnan(c->time_us)  ? "counted"
           : !c->bound          ? "predicted"
           : exact && !c->fused ? "bound of the product, and the profile"
                                : "bound, not calibrated";
}

void rcm_basis(const struct rcm_contender *c, char text[RCM_BASIS_TEXT])
{
    if (c->measured) {
        snprintf(text, RCM_BASIS_TEXT, "measured here");
        return;
    }
    const char *from = c->card && *c->card ? c->card : c->profile ? c->profile : value_of(c);
    char padded[40] = "";
    if (c->padded_n)
        snprintf(padded, sizeof padded, ", padded to %" PRIu64, c->padded_n);
    snprintf(text, RCM_BASIS_TEXT, "%s%s%s%s%s%s", from,
             c->callable   ? ""
             : c->left_out ? ", not in --have"
                           : ", not callable",
             c->callable && c->fitted    ? ", fitted here"
             : c->callable && c->carried ? ", carried"
                                         : "",
             c->at_most  ? ", larger k or n"
             : c->beyond ? ", beyond runs"
                         : "",
             padded, c->other_type ? ", another type" : "");
}

/* ---- the rule */

/* How far the error reaches to one side, in the log. end_us: NaN where it is not known. */
static double reach(double end_us, double time_us, double unknown_ratio)
{
    return fabs(log(isnan(end_us) ? unknown_ratio : end_us / time_us));
}

bool rcm_surely_faster(const struct rcm_contender *faster, const struct rcm_contender *slower)
{
    const struct rcm_exact_carried *unknown = rcm_exact_carried_of(RCM_OTHER_CARDS);
    const double both = hypot(reach(faster->high_us, faster->time_us, unknown->high_ratio),
                              reach(slower->low_us, slower->time_us, unknown->low_ratio));
    return log(slower->time_us / faster->time_us) > both;
}

static bool is_lossless(const struct rcm_contender *c)
{
    return c->loss == 0.0;
}

enum rcm_verdict rcm_verdict(const struct rcm_contender *of, size_t count, size_t *first)
{
    const struct rcm_contender *lossless = NULL, *lossy = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct rcm_contender **best = is_lossless(&of[i]) ? &lossless : &lossy;
        if (of[i].callable && of[i].time_us < INFINITY &&
            (!*best || of[i].time_us < (*best)->time_us))
            *best = &of[i];
    }
    for (size_t i = 0; i < count && lossy; i++)
        if (is_lossless(&of[i]) && of[i].callable && of[i].time_us < INFINITY &&
            !rcm_surely_faster(lossy, &of[i]))
            lossy = NULL;
    const struct rcm_contender *best = lossy ? lossy : lossless;
    if (!best)
        return RCM_VERDICT_NONE;
    *first = (size_t)(best - of);
    return best->kind == RCM_CONTENDER_EXACT       ? RCM_VERDICT_EXACT
           : best->kind == RCM_CONTENDER_THRESHOLD ? RCM_VERDICT_THRESHOLD
                                                   : RCM_VERDICT_BUCKETS;
}

/* ---- the contenders */

bool answer_is_timed(const struct rcm_selection *s)
{
    return s->machine.profile && !s->machine.d && search_objective(s)->need == RCM_NEEDS_PROFILE;
}

static double known(double band_us)
{
    return band_us > 0.0 ? band_us : NAN;
}

/* The user's own, or a kernel that was named. */
static struct rcm_contender yours(const struct rcm_selection *s)
{
    const struct rcm_profile *q = s->exact_profile;
    const struct rcm_provider *provider = q ? rcm_provider_of(q->name) : NULL;
    const bool measured = !q && !(s->exact_low_us > 0.0);
    return (struct rcm_contender){.kind = RCM_CONTENDER_EXACT,
                                  .name = provider ? provider->name
                                          : q      ? q->name
                                                   : "yours",
                                  .package = provider ? provider->package : NULL,
                                  .call = provider ? provider->call : NULL,
                                  .fault = provider ? provider->fault : NULL,
                                  .callable = true,
                                  .other_type = q && rcm_dtype_bytes(q->dtype) !=
                                                         rcm_dtype_bytes(s->machine.dtype),
                                  .profile = q ? q->name : NULL,
                                  .card = q ? q->card : NULL,
                                  .carried = q && s->machine.device && q->card &&
                                             strcmp(q->card, s->machine.device->name) != 0,
                                  .padded_n = q ? s->exact_padded_n : 0,
                                  .time_us = s->exact_us,
                                  .low_us = measured ? s->exact_us : known(s->exact_low_us),
                                  .high_us = measured ? s->exact_us : known(s->exact_high_us)};
}

const char *answer_call(const struct rcm_selection *s, const struct rcm_provider *provider)
{
    return s->machine.profile->kernel->model == RCM_TIME_CPU &&
                   strcmp(provider->kernel, "recallmodel") == 0
               ? "rcm_topk of topk/topk.h"
               : provider->call;
}

/* What stage 2 of the profile says of a whole row: on a GPU that is torch.topk, on a CPU the
 * library. */
static struct rcm_contender of_profile(const struct rcm_selection *s)
{
    const struct rcm_profile *q = s->machine.profile;
    const struct rcm_provider *provider =
        rcm_provider_of(q->kernel->model == RCM_TIME_CPU ? "recallmodel" : "torch_topk");
    uint64_t padded_n;
    const struct rcm_prediction r = rcm_predict_exact_padded(q, s->p, &padded_n);
    const bool is_torch =
        q->kernel->model == RCM_TIME_CPU || strcmp(q->kernel->family, "graphcore") == 0;
    return (struct rcm_contender){.kind = RCM_CONTENDER_EXACT,
                                  .name = is_torch ? provider->name : "its own",
                                  .package = is_torch ? provider->package : NULL,
                                  .call = is_torch ? answer_call(s, provider) : NULL,
                                  .callable = is_torch,
                                  .time_us = r.time_us,
                                  .low_us = r.low_us,
                                  .high_us = r.high_us,
                                  .padded_n = padded_n,
                                  .beyond = !r.within_runs,
                                  .fitted = q->here_exact_ratio > 0.0,
                                  .profile = q->name,
                                  .card = q->name,
                                  .carried =
                                      q->stands_in_for && strcmp(q->stands_in_for, q->name) != 0};
}

bool answer_has(const struct rcm_selection *s, const struct rcm_provider *provider)
{
    const uint32_t here = s->have | rcm_providers_named("torch");
    for (unsigned i = 0; s->have && rcm_provider(i); i++)
        if (rcm_provider(i) == provider)
            return here >> i & 1;
    return true;
}

/* Can the kernels of a provider be called here? */
static bool is_here(const struct rcm_selection *s, const struct rcm_provider *provider)
{
    return answer_has(s, provider) && (s->have || provider->package);
}

static struct rcm_contender of_kernel(const struct rcm_selection *s,
                                      const struct rcm_exact_contender *e)
{
    const struct measured_ratio here = measured_exact_ratio(s, e->provider->name);
    const double ratio = here.mean > 0.0 ? here.mean : 1.0, time_us = ratio * e->time.time_us;
    return (struct rcm_contender){
        .kind = RCM_CONTENDER_EXACT,
        .name = e->provider->name,
        .package = e->provider->package,
        .call = e->provider->call,
        .fault = e->provider->fault,
        .callable = is_here(s, e->provider),
        .left_out = e->provider->package && !is_here(s, e->provider),
        .time_us = time_us,
        .low_us = here.low > 0.0 ? here.low * time_us : ratio * e->time.low_us,
        .high_us = here.high > 0.0 ? here.high * time_us : ratio * e->time.high_us,
        .fitted = here.mean > 0.0,
        .at_most = e->at_most,
        .padded_n = e->padded_n,
        .beyond = e->beyond || e->at_most,
        .profile = e->profile.name,
        .card = e->card,
        .carried = e->profile.stands_in_for != NULL};
}

static bool comes_first(const struct rcm_contender *a, const struct rcm_contender *b)
{
    const bool less = a->objective < b->objective || (isnan(b->objective) && !isnan(a->objective));
    return a->callable != b->callable ? a->callable : less;
}

/* Puts one among `count` that are in order. */
static void put(struct rcm_contender *of, size_t count, struct rcm_contender c)
{
    for (; count > 0 && comes_first(&c, &of[count - 1]); count--)
        of[count] = of[count - 1];
    of[count] = c;
}

static struct rcm_contender timed(struct rcm_contender c)
{
    c.objective = c.time_us;
    return c;
}

/* Without providers: exact top-k as the objective has it, or as the user measured it; and fused. */
static size_t exact_by_objective(const struct rcm_selection *s,
                                 struct rcm_contender of[RCM_CONTENDERS_MOST])
{
    const struct rcm_objective *objective = search_objective(s);
    const bool is_time = objective->measure & RCM_IN_US, named = is_time && s->exact_us > 0.0;
    const struct rcm_contender fused = answer_fused(s);
    struct rcm_topk p = s->p;
    p.b = p.k_b = 1;
    of[0] = named ? yours(s) : answer_anybody;
    of[0].bound = s->machine.d && !named;
    of[0].objective = named                    ? s->exact_us
                      : rcm_check(p) == RCM_OK ? objective->exact(objective, &s->machine, p)
                                               : NAN;
    of[0].time_us = is_time ? of[0].objective : NAN;
    put(of, 1, fused); /* last, where it is not known */
    return isnan(fused.objective) ? 1 : 2;
}

size_t answer_exact(const struct rcm_selection *s, struct rcm_contender of[RCM_CONTENDERS_MOST])
{
    if (!answer_is_timed(s))
        return exact_by_objective(s, of);
    struct rcm_exact_contender kernels[RCM_EXACT_MOST];
    const struct rcm_profile *q = s->machine.profile;
    size_t count = 0, found = 0;
    if (s->exact_us > 0.0) {
        of[0] = timed(yours(s));
        return 1;
    }
    struct rcm_contender measured[RCM_EXACT_MOST];
    count = measured_exact(s, measured);
    for (size_t i = 0; i < count; i++)
        put(of, i, timed(measured[i]));
    if (count > 0) /* what was not measured here, nobody can call here */
        return count;
    const struct rcm_contender own = of_profile(s);
    bool is_other = own.time_us > 0.0 && rcm_exact_ties(q) >= s->ties;
    if (s->machine.device && q->kernel->model != RCM_TIME_CPU)
        found = rcm_exact_contenders(s->machine.device, &s->machine.dtype, s->ties, s->p, kernels);
    for (size_t i = 0; i < found; i++) {
        const bool same = strcmp(kernels[i].provider->name, own.name) == 0;
        /* within the runs of another card is no better than beyond those of this one */
        const bool nearer = !own.carried || kernels[i].profile.stands_in_for;
        if (same && kernels[i].beyond && is_other && !own.beyond && nearer)
            continue;
        put(of, count++, timed(of_kernel(s, &kernels[i])));
        is_other = is_other && !same;
    }
    if (is_other)
        put(of, count++, timed(own));
    return count;
}

bool answer_has_threshold(const struct rcm_selection *s)
{
    const struct rcm_kernel *kernel = s->machine.profile ? s->machine.profile->kernel : s->kernel;
    return kernel && kernel->model == RCM_TIME_CPU;
}

struct rcm_contender answer_threshold(const struct rcm_selection *s, const struct rcm_choice *c)
{
    const struct rcm_profile *q = s->machine.profile;
    return (struct rcm_contender){.kind = RCM_CONTENDER_THRESHOLD,
                                  .name = "recallmodel",
                                  .package = "recallmodel",
                                  .callable = true,
                                  .p = c->threshold.p,
                                  .time_us = c->threshold.objective,
                                  .low_us = NAN,
                                  .high_us = NAN,
                                  .profile = q ? q->name : NULL};
}

/* Buckets of this project where it is not at hand. */
static bool is_left_out(const struct rcm_selection *s, const struct rcm_profile *q)
{
    return strcmp(q->kernel->family, "ours") == 0 && !is_here(s, rcm_provider_of("recallmodel"));
}

/* A kernel that was measured on another card of CUDA runs on all of them, one of a TPU on TPUs. */
bool answer_can_run(const struct rcm_selection *s)
{
    const struct rcm_profile *q = s->machine.profile;
    const struct rcm_device *device = s->machine.device;
    if (is_left_out(s, q))
        return false;
    const struct rcm_device *from = rcm_device_by_name(q->name);
    if (!q->stands_in_for || !device || !from)
        return true;
    if (strncmp(from->name, "TPU", 3) == 0)
        return strncmp(device->name, "TPU", 3) == 0;
    return rcm_runs_cuda(device) ||
           (device->architecture && strcmp(device->architecture, "Volta") == 0);
}

double rcm_floor_us(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_device *device = s->machine.device;
    return device && device->bandwidth_bytes_per_s > 0.0
               ? rcm_roofline(device, s->machine.dtype, p).time_memory_us +
                     device->shortest_kernel_us
               : 0.0;
}

struct rcm_contender answer_buckets(const struct rcm_selection *s, const struct rcm_choice *c)
{
    const struct rcm_profile *q = s->machine.profile;
    const bool found = c->objective < INFINITY;
    struct rcm_prediction r =
        found ? rcm_predict_here(s, c->p) : (struct rcm_prediction){.low_us = NAN, .high_us = NAN};
    const bool measured = found && measured_of(s, c->p);
    if (found && !measured && q->stands_in_for && !isnan(r.low_us))
        r.low_us = fmax(r.low_us, fmin(r.time_us, rcm_floor_us(s, c->p)));
    return (struct rcm_contender){.kind = RCM_CONTENDER_BUCKETS,
                                  .name = q->kernel->name,
                                  .callable = answer_can_run(s),
                                  .left_out = is_left_out(s, q),
                                  .p = c->p,
                                  .loss = found ? rcm_loss_exact(c->p) : 1.0,
                                  .time_us = c->objective,
                                  .low_us = r.low_us,
                                  .high_us = r.high_us,
                                  .measured = measured,
                                  .fitted = !measured && q->here_ratio > 0.0,
                                  .beyond = found && !measured && !r.within_runs,
                                  .profile = measured ? NULL : q->name,
                                  .card = measured ? NULL : q->name,
                                  .carried = !measured && q->stands_in_for &&
                                             strcmp(q->stands_in_for, q->name) != 0};
}

/* ---- the answer */

/* Puts the contender at `first` first, and the others in order behind it. */
static void put_in_order(struct rcm_answer *a, size_t first)
{
    const struct rcm_contender moved = a->of[0];
    a->of[0] = a->of[first];
    a->of[first] = moved;
    for (size_t i = 2; i < a->count; i++)
        put(a->of + 1, i - 1, a->of[i]);
}

/* The contender that the choice deploys. */
static size_t deployed(const struct rcm_answer *a, enum rcm_deploy deploy)
{
    static const enum rcm_contender_kind kinds[] = {[RCM_DEPLOY_BUCKETED] = RCM_CONTENDER_BUCKETS,
                                                    [RCM_DEPLOY_EXACT] = RCM_CONTENDER_EXACT,
                                                    [RCM_DEPLOY_THRESHOLD] =
                                                        RCM_CONTENDER_THRESHOLD};
    size_t best = a->count;
    for (size_t i = 0; i < a->count; i++)
        if (a->of[i].kind == kinds[deploy] &&
            (best == a->count || comes_first(&a->of[i], &a->of[best])))
            best = i;
    return best;
}

/* Without providers: the values of the choice. */
static void compare_objectives(const struct rcm_selection *s, const struct rcm_choice *c,
                               struct rcm_answer *out)
{
    const unsigned measure = search_objective(s)->measure;
    struct rcm_contender buckets = answer_anybody, threshold = answer_threshold(s, c),
                         of[RCM_CONTENDERS_MOST];
    size_t count = answer_exact(s, of);
    if (count == 0) /* by time, and no provider's is known */
        of[count++] = answer_anybody;
    if (isnan(of[0].objective)) /* but the choice may be of a selection that knew more */
        of[0].objective = of[0].time_us = c->exact_objective;
    for (size_t i = 0; s->machine.d && i < count; i++)
        if (!of[i].fused)
            out->product_share = rcm_fused_exact(s).product.least_us / of[i].time_us;
    buckets.kind = RCM_CONTENDER_BUCKETS;
    buckets.name = s->kernel && s->kernel != rcm_kernel(0) ? s->kernel->name : NULL;
    buckets.bound = threshold.bound = (measure & RCM_IS_BOUND) || s->machine.d;
    buckets.fused = s->machine.d;
    buckets.p = c->p;
    buckets.loss = c->objective < INFINITY ? rcm_loss_exact(c->p) : 1.0;
    buckets.objective = rcm_with_launch(s, c->objective);
    buckets.time_us = measure & RCM_IN_US ? buckets.objective : NAN;
    threshold.objective = rcm_with_launch(s, c->threshold.objective);
    threshold.time_us = measure & RCM_IN_US ? threshold.objective : NAN;
    threshold.profile = NULL;
    of[count++] = buckets;
    of[count++] = threshold;
    for (size_t i = 0; i < count; i++)
        if ((i == 0 && c->deploy == RCM_DEPLOY_EXACT) || isfinite(of[i].objective))
            out->of[out->count++] = of[i];
}

static void compare_providers(const struct rcm_selection *s, const struct rcm_choice *c,
                              struct rcm_answer *out)
{
    out->count = answer_exact(s, out->of);
    const struct rcm_contender others[] = {answer_buckets(s, c), answer_threshold(s, c)};
    for (size_t i = 0; i < 2; i++)
        if (others[i].time_us < INFINITY)
            out->of[out->count++] = timed(others[i]);
}

void rcm_answer(const struct rcm_selection *s, const struct rcm_choice *c, struct rcm_answer *out)
{
    static const enum rcm_verdict verdicts[] = {[RCM_DEPLOY_BUCKETED] = RCM_VERDICT_BUCKETS,
                                                [RCM_DEPLOY_EXACT] = RCM_VERDICT_EXACT,
                                                [RCM_DEPLOY_THRESHOLD] = RCM_VERDICT_THRESHOLD};
    *out = (struct rcm_answer){.product_share = NAN};
    out->verdict = c->reason == RCM_REASON_NOTHING ? RCM_VERDICT_NONE : verdicts[c->deploy];
    if (answer_is_timed(s))
        compare_providers(s, c, out);
    out->by_profile = out->count > 0;
    if (!out->by_profile)
        compare_objectives(s, c, out);
    const size_t first = deployed(out, c->deploy);
    if (first < out->count)
        put_in_order(out, first);
    if (first == out->count || !out->of[0].callable)
        out->verdict = RCM_VERDICT_NONE;
}
