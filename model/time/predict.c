/* predict.c - predicted times from a calibrated profile. Derivation: docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/time.h>
#include <model/shape/shape.h>

#include "time_terms.h"

static const struct time_model *const models[RCM_TIME_MODELS] = {
    [RCM_TIME_BY_WORK] = &time_by_work,
    [RCM_TIME_SHORT] = &time_short,
    [RCM_TIME_CPU] = &time_of_cpu,
    [RCM_TIME_EXACT] = &time_of_exact,
};

static const struct time_model *model_of(const struct rcm_profile *q)
{
    static const struct time_model unknown = {0};
    const struct time_model *model = q->kernel ? models[q->kernel->model] : NULL;
    return model ? model : &unknown;
}

/* ---- the ranges of the runs, and the band */

static unsigned beyond_if(double low, double value, double high, double slack,
                          enum rcm_beyond which)
{
    const bool within = low <= slack * value && value <= slack * high;
    return within || high == 0.0 ? 0 : (unsigned)which; /* a profile by hand states no runs */
}

/* But for b and the candidates. */
static unsigned beyond_but_b(const struct rcm_profile *q, struct rcm_topk p)
{
    const double m = shape_rows(p),
                 slack = q->kernel->model == RCM_TIME_EXACT ? RCM_BEYOND_SLACK : RCM_BEYOND_MARGIN;
    return beyond_if(q->n_low, (double)p.n, q->n_high, slack, RCM_BEYOND_N) |
           beyond_if(q->k_low, (double)p.k, q->k_high, slack, RCM_BEYOND_K) |
           beyond_if(q->k_b_low, (double)p.k_b, q->k_b_high, 1.0, RCM_BEYOND_K_B) |
           beyond_if(q->m_low, m, q->m_high, slack, RCM_BEYOND_M);
}

static unsigned beyond_runs(const struct rcm_profile *q, struct rcm_topk p)
{
    const double candidates = (double)rcm_candidates(p);
    return beyond_but_b(q, p) |
           beyond_if(q->b_low, (double)p.b, q->b_high, RCM_BEYOND_MARGIN, RCM_BEYOND_B) |
           beyond_if(q->candidates_low, candidates, q->candidates_high, RCM_BEYOND_MARGIN,
                     RCM_BEYOND_CANDIDATES);
}

struct rcm_range rcm_b_within_runs(const struct rcm_profile *q, struct rcm_topk p)
{
    const double k_b = (double)p.k_b, n = (double)p.n;
    double low = q->b_low / RCM_BEYOND_MARGIN,
           high = q->b_high > 0.0 ? q->b_high * RCM_BEYOND_MARGIN : n;
    if (q->candidates_high > 0.0) {
        low = fmax(low, q->candidates_low / RCM_BEYOND_MARGIN / k_b);
        /* of at least n candidates there are n */
        if (q->candidates_high * RCM_BEYOND_MARGIN < n)
            high = fmin(high, q->candidates_high * RCM_BEYOND_MARGIN / k_b);
    }
    if (beyond_but_b(q, p) || !(low <= n))
        return (struct rcm_range){0, 0};
    return (struct rcm_range){(uint64_t)ceil(low), (uint64_t)fmin(high, n)};
}

void rcm_beyond_text(unsigned beyond, char text[RCM_BEYOND_TEXT])
{
    static const char *const names[] = {"n", "k", "b", "k_b", "m", "kernel", "b k_b"};
    *text = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (beyond >> i & 1) {
            strcat(text, *text ? ", " : "");
            strcat(text, names[i]);
        }
}

static void set_beyond(struct rcm_prediction *r, unsigned beyond)
{
    r->beyond = beyond;
    r->within_runs = beyond == 0;
}

void time_raise_low(struct rcm_prediction *r, const struct rcm_device *device, enum rcm_dtype dtype,
                    struct rcm_topk p)
{
    if (device && !isnan(r->low_us))
        r->low_us = fmax(r->low_us, fmin(r->time_us, rcm_least_us(device, dtype, p.n, p.m)));
}

/* The card whose times the profile predicts; NULL: it has no row. */
static const struct rcm_device *card_of(const struct rcm_profile *q)
{
    const char *name = q->stands_in_for      ? q->stands_in_for
                       : q->card && *q->card ? q->card
                                             : q->name;
    return name ? rcm_device_by_name(name) : NULL;
}

static void set_band(struct rcm_prediction *r, const struct rcm_profile *q, struct rcm_topk p,
                     double p05_ratio, double p95_ratio)
{
    const bool known = p05_ratio > 0.0 && p95_ratio > 0.0;
    r->low_us = known ? r->time_us * p05_ratio : NAN;
    r->high_us = known ? r->time_us * p95_ratio : NAN;
    if (known)
        time_raise_low(r, card_of(q), q->dtype, p);
}

/* ---- both stages */

static double low_of(double ratio)
{
    return ratio > 0.0 ? ratio : 1.0;
}

/* The first number that every prediction of its model needs and that it lacks; or NULL. */
static const struct rcm_time_parameter *missing(const struct rcm_profile *q)
{
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; model_of(q)->needs && (parameter = rcm_time_parameter(i)); i++)
        if (parameter->needed && parameter->start[q->kernel->model] > 0.0 &&
            !(rcm_time_value(q, parameter) > 0.0))
            return parameter;
    return NULL;
}

const char *rcm_profile_lacks(const struct rcm_profile *q)
{
    const struct time_model *model = model_of(q);
    if (!model->exact_us)
        return "lacks a kernel whose times can be predicted";
    if (missing(q))
        return missing(q)->lacks;
    return model->lacks ? model->lacks(q) : NULL;
}

struct rcm_prediction rcm_predict(const struct rcm_profile *q, struct rcm_topk p)
{
    double low = q->held_out_p05_ratio, high = q->held_out_p95_ratio;
    const struct time_model *model = model_of(q);
    if (rcm_check(p) != RCM_OK || !model->predict || missing(q))
        return time_unknown;
    struct rcm_prediction r = model->predict(q, p);
    if (!r.bound)
        return r;
    set_beyond(&r, beyond_runs(q, p));
    /* the band of a stand-in is of runs that lie beyond */
    if (!r.within_runs && !(q->here_ratio > 0.0) && (!q->stands_in_for || q->own_band)) {
        low = fmin(low_of(low), RCM_BEYOND_LOW_RATIO);
        high = fmax(high, RCM_BEYOND_HIGH_RATIO);
    }
    if (time_is_contiguous(q, p)) {
        const double more = model->tells_contiguous
                                ? 0.0
                                : (q->contiguous_ratio - 1.0) * (r.stage1_us - q->launch_us);
        r.stage1_us += more;
        r.time_us += more;
        low = fmin(low, low_of(q->contiguous_p05_ratio));
        high = fmax(high, q->contiguous_p95_ratio);
    }
    if (q->here_ratio > 0.0) {
        r.time_us *= q->here_ratio;
        r.stage1_us *= q->here_ratio;
        r.stage2_us *= q->here_ratio;
    }
    set_band(&r, q, p, low, high);
    return r;
}

struct rcm_prediction rcm_predict_as(const struct rcm_profile *q, const struct rcm_kernel *kernel,
                                     struct rcm_topk p)
{
    if (!q->kernel || !kernel->work || strcmp(kernel->family, q->kernel->family) != 0 ||
        rcm_check(p) != RCM_OK)
        return time_unknown;
    struct rcm_profile as = *q;
    as.kernel = kernel;
    struct rcm_prediction r = rcm_predict(&as, p);
    const double bytes = rcm_dtype_bytes(q->dtype);
    const struct rcm_work is = kernel->work(p, bytes), was = q->kernel->work(p, bytes);
    if (is.blocks != was.blocks || is.elements != was.elements || is.lines != was.lines ||
        is.merges != was.merges) {
        set_band(&r, q, p, 0.0, 0.0);
        set_beyond(&r, r.beyond | RCM_BEYOND_KERNEL);
    }
    return r;
}

/* ---- exact top-k */

/* Were there runs, but none of exact top-k? Stage 2 of a few candidates tells nothing about a whole
 * row. A profile written by hand, without counts, is taken at its word. */
static bool knows_no_exact(const struct rcm_profile *q)
{
    return q->run_count > 0.0 && q->exact_count == 0.0;
}

struct rcm_prediction rcm_predict_exact_unpadded(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = time_unknown;
    const struct time_model *model = model_of(q);
    p.b = p.k_b = 1;
    if (!model->exact_us || knows_no_exact(q) || rcm_check(p) != RCM_OK)
        return r;
    r.time_us = r.stage2_us = model->exact_us(q, p);
    if (isnan(r.time_us))
        return r;
    if (q->here_exact_ratio > 0.0)
        r.time_us = r.stage2_us *= q->here_exact_ratio;
    r.stage1_us = 0.0;
    r.bound = "none";
    r.stage2 = model->exact_way(q, p);
    set_band(&r, q, p, q->held_out_exact_p05_ratio, q->held_out_exact_p95_ratio);
    const double elements = shape_rows(p) * (double)p.n;
    set_beyond(&r, (beyond_but_b(q, p) & ~(unsigned)RCM_BEYOND_K_B) |
                       (q->exact_count > 0.0 ? 0 : RCM_BEYOND_N) |
                       (q->elements_high > 0.0 && elements > RCM_BEYOND_SLACK * q->elements_high
                            ? RCM_BEYOND_M
                            : 0));
    return r;
}

/* The longest row, no shorter than p.n, that the runs answer for as well as for p.n. */
static uint64_t longest_row(const struct rcm_profile *q, struct rcm_topk p)
{
    double most = q->n_high > 0.0 ? q->n_high : (double)RCM_N_MAX;
    if (shape_rows(p) * (double)p.n <= q->elements_high)
        most = fmin(most, q->elements_high / shape_rows(p));
    return most > (double)p.n ? (uint64_t)most : p.n;
}

/* The shortest row, longer than p.n, at most `most`, where exact top-k may take less; 0: none. */
static uint64_t next_way(const struct rcm_profile *q, struct rcm_topk p, uint64_t most)
{
    const struct time_model *model = model_of(q);
    if (model->next_n) {
        const uint64_t next = model->next_n(q, p);
        return next <= most ? next : 0;
    }
    struct rcm_topk longer = p;
    longer.n = most;
    if (!model->exact_way || strcmp(model->exact_way(q, p), model->exact_way(q, longer)) == 0)
        return 0;
    for (uint64_t low = p.n; longer.n - low > 1;) {
        struct rcm_topk middle = p;
        middle.n = low + (longer.n - low) / 2;
        if (strcmp(model->exact_way(q, p), model->exact_way(q, middle)) == 0)
            low = middle.n;
        else
            longer.n = middle.n;
    }
    return longer.n;
}

struct rcm_prediction rcm_predict_exact_padded(const struct rcm_profile *q, struct rcm_topk p,
                                               uint64_t *padded_n)
{
    struct rcm_prediction best = rcm_predict_exact_unpadded(q, p);
    *padded_n = 0;
    p.b = p.k_b = 1;
    if (rcm_check(p) != RCM_OK || (isnan(best.time_us) && p.k == p.n))
        return best;
    const uint64_t most = longest_row(q, p);
    while ((p.n = next_way(q, p, most))) {
        const struct rcm_prediction here = rcm_predict_exact_unpadded(q, p);
        if (here.time_us < best.time_us || (isnan(best.time_us) && !isnan(here.time_us))) {
            best = here;
            *padded_n = p.n;
        }
    }
    return best;
}

double rcm_predict_exact(const struct rcm_profile *q, struct rcm_topk p)
{
    uint64_t padded_n;
    return rcm_predict_exact_padded(q, p, &padded_n).time_us;
}

double rcm_predict_threshold(const struct rcm_profile *q, struct rcm_topk p, double reaching)
{
    const struct time_model *model = model_of(q);
    const double both_stages = rcm_predict(q, p).time_us, k = (double)p.k, m = shape_rows(p);
    if (isnan(both_stages) || !(reaching >= k) || !(q->roof_bytes_per_s > 0.0))
        return NAN;
    if (!model->select_us)
        return rcm_predict_exact(q, p);
    const double bytes = rcm_dtype_bytes(q->dtype), roof = q->roof_bytes_per_s * 1e-6,
                 read = (double)p.n * m * bytes, from_memory = time_memory_part(q, read);
    const double memory = (read * from_memory + m * reaching * (bytes + 8.0)) / roof;
    const double lines = q->lines_per_us > 0.0 ? read / 128.0 / q->lines_per_us : 0.0;
    double last = 0.0;
    if (reaching > k)
        last = q->launch_us + m * k * (bytes + 8.0) / roof + model->select_us(q, m, reaching);
    return both_stages + q->launch_us + time_overlap(memory, lines, 0.0, 0.0) + last;
}
