/* exact_contenders.c - which exact kernels run on a card, and what they take: see provider.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/provider.h>
#include <model/shape/shape.h>

#include "time_terms.h"

struct question {
    const struct rcm_device *device;
    const enum rcm_dtype *dtype;
    enum rcm_keeps_ties ties;
    struct rcm_topk p;
};

static bool is_of_card(const struct rcm_exact_contender *c, const struct rcm_device *device)
{
    return strcmp(c->card, device->name) == 0;
}

/* Of rows that are too short, of too few, or of too small a k for the runs: those that the runs
 * begin with, which take no less. Returns whether they say nothing of p itself. */
static bool lift(const struct rcm_profile *q, struct rcm_topk *p)
{
    const struct rcm_topk before = *p;
    const double m = shape_rows(*p), n = (double)p->n;
    if (n < q->n_low)
        p->n = (uint64_t)ceil(q->n_low);
    if ((double)p->k * RCM_BEYOND_SLACK < q->k_low)
        p->k = (uint64_t)ceil(q->k_low);
    if (m * RCM_BEYOND_SLACK < q->m_low)
        p->m = (uint64_t)ceil(q->m_low);
    return n * RCM_BEYOND_SLACK < q->n_low || p->k != before.k || p->m != before.m;
}

/* May the profile answer for the card? */
static bool is_allowed(const struct rcm_provider *provider, const struct rcm_device *from,
                       const struct rcm_device *to)
{
    if (!from || !provider)
        return false;
    const bool same =
        from->architecture && to->architecture && strcmp(from->architecture, to->architecture) == 0;
    return strcmp(from->name, to->name) == 0 || same || (provider->any_cuda && rcm_runs_cuda(to));
}

/* Was a kernel of this provider, with values as wide, measured on the card that takes other ones of
 * equal elements? What another card does then says nothing about this one. */
static bool takes_others_here(const struct question *asked, const struct rcm_profile *of)
{
    const struct rcm_profile *q;
    for (size_t i = 0; asked->ties > RCM_TIES_ANY && (q = rcm_profile(i)); i++)
        if (q->kernel->model == RCM_TIME_EXACT && strcmp(q->card, asked->device->name) == 0 &&
            rcm_provider_of(q->name) == rcm_provider_of(of->name) &&
            rcm_dtype_bytes(q->dtype) == rcm_dtype_bytes(of->dtype) &&
            rcm_exact_ties(q) < asked->ties)
            return true;
    return false;
}

/* In what a shape may lie beyond the runs of a kernel whose time grows as its bytes do. */
#define LONGER_OR_MORE_ROWS ((unsigned)RCM_BEYOND_N | RCM_BEYOND_M)

/* A profile that may answer for the card. */
struct measured {
    const struct rcm_profile *q;
    const struct rcm_provider *provider;
    const struct rcm_device *from;
};

#define MEASURED_MOST 128
static size_t measured_for(const struct question *asked, struct measured of[MEASURED_MOST])
{
    const struct rcm_profile *q;
    size_t count = 0;
    for (size_t i = 0; (q = rcm_profile(i)) && count < MEASURED_MOST; i++) {
        if (q->kernel->model != RCM_TIME_EXACT || rcm_exact_ties(q) < asked->ties ||
            (asked->dtype && rcm_dtype_bytes(q->dtype) != rcm_dtype_bytes(*asked->dtype)))
            continue;
        of[count] = (struct measured){q, rcm_provider_of(q->name), rcm_device_by_name(q->card)};
        if (is_allowed(of[count].provider, of[count].from, asked->device) &&
            !takes_others_here(asked, q))
            count++;
    }
    return count;
}

/* The profile in rows of n elements; false: it says nothing of them. */
static bool contender_of(const struct question *asked, const struct measured *of, uint64_t n,
                         struct rcm_exact_contender *out)
{
    struct rcm_topk p = asked->p;
    p.n = n;
    *out = (struct rcm_exact_contender){.provider = of->provider, .card = of->q->card};
    out->profile =
        is_of_card(out, asked->device) ? *of->q : rcm_carry_exact(of->q, of->from, asked->device);
    out->at_most = lift(of->q, &p);
    out->time = rcm_predict_exact_padded(&out->profile, p, &out->padded_n);
    if (out->at_most)
        out->time.low_us *= RCM_BEYOND_LOW_RATIO;
    if (!out->time.within_runs) {
        out->beyond = out->provider->any_cuda && !(out->time.beyond & ~LONGER_OR_MORE_ROWS);
        out->time.low_us = fmin(out->time.low_us, out->time.time_us * RCM_BEYOND_LOW_RATIO);
        out->time.high_us = fmax(out->time.high_us, out->time.time_us * RCM_BEYOND_HIGH_RATIO);
    }
    time_raise_low(&out->time, asked->device, out->profile.dtype, asked->p);
    return out->time.time_us > 0.0 && (out->time.within_runs || out->beyond);
}

/* How far the card is from which it comes: by the ratio of the rates of memory. */
static double distance(const struct rcm_exact_contender *c, const struct rcm_device *device)
{
    const double from = rcm_device_by_name(c->card)->bandwidth_bytes_per_s,
                 to = device->bandwidth_bytes_per_s;
    return is_of_card(c, device) ? -1.0 : from > 0.0 && to > 0.0 ? fabs(log(to / from)) : 0.0;
}

/* Of two contenders of one provider: does a take the place of b? */
static bool is_nearer(const struct rcm_exact_contender *a, const struct rcm_exact_contender *b,
                      const struct rcm_device *device)
{
    const double of_a = distance(a, device), of_b = distance(b, device);
    if (a->beyond != b->beyond)
        return !a->beyond;
    if (a->at_most != b->at_most)
        return !a->at_most;
    return of_a < of_b || (of_a == of_b && a->time.time_us < b->time.time_us);
}

static bool comes_first(const struct rcm_exact_contender *a, const struct rcm_exact_contender *b)
{
    const bool a_can = a->provider->package, b_can = b->provider->package;
    return a_can != b_can ? a_can : a->time.time_us < b->time.time_us;
}

static void sort(struct rcm_exact_contender *of, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && comes_first(&of[j], &of[j - 1]); j--) {
            const struct rcm_exact_contender moved = of[j];
            of[j] = of[j - 1];
            of[j - 1] = moved;
        }
}

/* The longest row that the runs of a profile answer for, of the rows of p. */
static double longest_of(const struct rcm_profile *q, struct rcm_topk p)
{
    const double most =
        q->elements_high > 0.0 ? q->elements_high / fmax(shape_rows(p), q->m_low) : INFINITY;
    return floor(RCM_BEYOND_SLACK * fmin(q->n_high, most));
}

/* A longer row takes no less than a shorter one of which nearer runs tell. */
static void raise_to(struct rcm_exact_contender *out, const struct rcm_exact_contender *shorter)
{
    out->time.time_us = fmax(out->time.time_us, shorter->time.time_us);
    out->time.low_us = fmax(out->time.low_us, shorter->time.low_us);
    out->time.high_us = fmax(out->time.high_us, shorter->time.high_us);
}

/* The nearest of one provider in rows of n elements; false: none says anything of them. */
static bool nearest_at(const struct question *asked, const struct measured *of, size_t count,
                       const struct rcm_provider *provider, uint64_t n,
                       struct rcm_exact_contender *out)
{
    struct rcm_exact_contender here;
    bool found = false;
    for (size_t i = 0; i < count; i++)
        if (of[i].provider == provider && contender_of(asked, &of[i], n, &here) &&
            (!found || is_nearer(&here, out, asked->device))) {
            *out = here;
            found = true;
        }
    for (size_t i = 0; i < count && found; i++) {
        const double end = longest_of(of[i].q, asked->p);
        if (of[i].provider == provider && end >= 1.0 && end < (double)n &&
            contender_of(asked, &of[i], (uint64_t)end, &here) &&
            is_nearer(&here, out, asked->device))
            raise_to(out, &here);
    }
    return found;
}

/* The rows at which the runs of a profile begin and end, so that another one may be the nearest. */
#define ENDS 4
static void ends_of(const struct rcm_profile *q, struct rcm_topk p, double n[ENDS])
{
    n[0] = ceil(q->n_low / RCM_BEYOND_SLACK);
    n[1] = ceil(fmax(q->k_low, (double)p.k)) + 1.0; /* k = n selects nothing */
    n[2] = floor(RCM_BEYOND_SLACK * q->n_high) + 1.0;
    n[3] = longest_of(q, p) + 1.0;
}

/* The least of one provider: a row may be padded, so that it takes no longer than a longer one.
 * Between the ends of all runs the nearest is one profile, whose time never falls. */
static bool least_of(const struct question *asked, const struct measured *of, size_t count,
                     const struct rcm_provider *provider, struct rcm_exact_contender *out)
{
    struct rcm_exact_contender here;
    bool found = nearest_at(asked, of, count, provider, asked->p.n, out);
    for (size_t i = 0; i < count && asked->p.k < asked->p.n; i++) {
        double n[ENDS];
        ends_of(of[i].q, asked->p, n);
        for (size_t j = 0; j < ENDS && of[i].provider == provider; j++) {
            if (!(n[j] > (double)asked->p.n && n[j] <= (double)RCM_N_MAX) ||
                !nearest_at(asked, of, count, provider, (uint64_t)n[j], &here) ||
                (found && here.time.time_us >= out->time.time_us))
                continue;
            if (here.padded_n == 0)
                here.padded_n = (uint64_t)fmax(n[j], ceil(here.profile.n_low));
            *out = here;
            found = true;
        }
    }
    return found;
}

size_t rcm_exact_contenders(const struct rcm_device *device, const enum rcm_dtype *dtype,
                            enum rcm_keeps_ties ties, struct rcm_topk p,
                            struct rcm_exact_contender out[RCM_EXACT_MOST])
{
    const struct question asked = {device, dtype, ties, p};
    struct measured of[MEASURED_MOST];
    const size_t known = measured_for(&asked, of);
    size_t count = 0;
    for (size_t i = 0; i < known && count < RCM_EXACT_MOST; i++) {
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first = first && of[j].provider != of[i].provider;
        if (first && least_of(&asked, of, known, of[i].provider, &out[count]))
            count++;
    }
    sort(out, count);
    return count;
}

bool rcm_fastest_exact(const struct rcm_device *device, const enum rcm_dtype *dtype,
                       enum rcm_keeps_ties ties, struct rcm_topk p, struct rcm_profile *out)
{
    struct rcm_exact_contender of[RCM_EXACT_MOST];
    const bool found =
        rcm_exact_contenders(device, dtype, ties, p, of) > 0 && of[0].provider->package;
    if (found)
        *out = of[0].profile;
    return found;
}
