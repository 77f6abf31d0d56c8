/* measured.c - what was timed on the machine at hand, in place of a prediction where it is of the
 * very rows, and beside it elsewhere: docs/models.md 21.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"

#include <math.h>
#include <string.h>

#include <model/shape/divisors.h>
#include <model/shape/shape.h>

#include "answer.h"
#include "confidence.h"
#include "search.h"

static bool is_plain(struct rcm_topk p)
{
    return !p.lengths && shape_valid(p) == p.n;
}

/* Is it of the rows that are asked about, and of the threads that the answer calls with? */
static bool is_of_rows(const struct rcm_selection *s, const struct rcm_measured *row)
{
    const struct rcm_profile *q = s->machine.profile;
    return row->dtype == s->machine.dtype && row->p.n == s->p.n && row->p.k == s->p.k &&
           shape_rows(row->p) == shape_rows(s->p) && is_plain(s->p) && !s->machine.d &&
           (q->kernel->model != RCM_TIME_CPU || (double)row->threads == q->threads);
}

/* Buckets are timed by this project's kernels alone. */
static bool is_timed_kernel(const struct rcm_profile *q)
{
    return q->kernel->model == RCM_TIME_CPU || strcmp(q->kernel->family, "ours") == 0;
}

/* ---- the very rows */

static const struct rcm_provider *provider_called(const char *name)
{
    const struct rcm_provider *row;
    for (size_t i = 0; (row = rcm_provider(i)); i++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* Does it take equal elements as is asked? What others do is not known. */
static bool keeps_ties(const struct rcm_selection *s, const struct rcm_provider *provider)
{
    const bool ours = provider && strcmp(provider->kernel, "recallmodel") == 0;
    return s->ties <= (ours ? rcm_exact_ties(s->machine.profile) : RCM_TIES_ANY);
}

static struct rcm_contender exact_of(const struct rcm_selection *s, const struct rcm_measured *row,
                                     const struct rcm_provider *provider)
{
    return (struct rcm_contender){.kind = RCM_CONTENDER_EXACT,
                                  .name = row->name,
                                  .package = *row->package ? row->package : row->name,
                                  .call = provider ? answer_call(s, provider) : NULL,
                                  .fault = provider ? provider->fault : NULL,
                                  .callable = true,
                                  .measured = true,
                                  .time_us = row->time_us,
                                  .low_us = row->low_us,
                                  .high_us = row->high_us};
}

/* Where the contender of that name is or, behind the last one, may be. */
static size_t place_of(const struct rcm_contender *of, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(of[i].name, name) != 0)
        i++;
    return i;
}

static size_t slowest(const struct rcm_contender *of, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        found = of[i].time_us > of[found].time_us ? i : found;
    return found;
}

size_t measured_exact(const struct rcm_selection *s, struct rcm_contender of[RCM_EXACT_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < s->measured_count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        const struct rcm_provider *provider = provider_called(row->name);
        if (row->p.b || !is_of_rows(s, row) || !keeps_ties(s, provider) ||
            (provider && !answer_has(s, provider)))
            continue;
        size_t at = place_of(of, count, row->name);
        if (at == RCM_EXACT_MOST)
            at = slowest(of, count);
        if (at == count || row->time_us < of[at].time_us)
            of[at] = exact_of(s, row, provider);
        count += at == count;
    }
    return count;
}

const struct rcm_measured *measured_of(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_measured *best = NULL;
    const size_t count = p.b && is_timed_kernel(s->machine.profile) ? s->measured_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        if (row->p.b == p.b && row->p.k_b == p.k_b && row->p.assignment == p.assignment &&
            is_of_rows(s, row) && (!best || row->time_us < best->time_us))
            best = row;
    }
    return best;
}

struct rcm_prediction rcm_predict_here(const struct rcm_selection *s, struct rcm_topk p)
{
    struct rcm_prediction r = rcm_predict(s->machine.profile, p);
    const struct rcm_measured *measured = measured_of(s, p);
    if (!measured)
        return r;
    const double ratio = measured->time_us / r.time_us;
    r.stage1_us *= ratio;
    r.stage2_us *= ratio;
    r.time_us = measured->time_us;
    r.low_us = measured->low_us;
    r.high_us = measured->high_us;
    return r;
}

struct rcm_point measured_buckets(const struct rcm_selection *s, uint64_t k_b)
{
    struct rcm_point best = {.objective = INFINITY};
    struct rcm_selection any = *s; /* beyond the runs of the profile, too */
    struct rcm_factors factors;
    any.machine.beyond_runs = true;
    const size_t count = is_timed_kernel(s->machine.profile) ? s->measured_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        if (row->p.k_b != k_b || row->p.b == 0 || !is_of_rows(s, row) ||
            row->p.assignment != s->p.assignment || !(row->time_us < best.objective))
            continue;
        const struct search f =
            search_begin(&any, k_b, factors_if(search_divides(s), s->p.n, &factors));
        const uint64_t low = f.high ? confidence_smallest_b(&any, f.p) : 0;
        if (low && low <= row->p.b && row->p.b <= f.high && search_next(&f, row->p.b) == row->p.b) {
            best = (struct rcm_point){f.p, row->time_us};
            best.p.b = row->p.b;
        }
    }
    return best;
}

/* ---- rows like these */

/* log(measured/predicted), by weights that fall with the distance of the rows. */
struct ratio {
    double sum, squares, weights, squared_weights;
};

static double square_of_log2(uint64_t a, uint64_t b)
{
    const double distance = log2((double)a / (double)b);
    return distance * distance;
}

static double square_of_distance(const struct rcm_selection *s, const struct rcm_measured *row)
{
    return square_of_log2(row->p.n, s->p.n) + square_of_log2(row->p.k, s->p.k) +
           square_of_log2((uint64_t)shape_rows(row->p), (uint64_t)shape_rows(s->p));
}

/* Of this type the nearest rows that were measured, and of equally near ones the fastest; NULL:
 * none. */
static const struct rcm_measured *nearest(const struct rcm_selection *s)
{
    const struct rcm_measured *found = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < s->measured_count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        const double distance = square_of_distance(s, row);
        if (row->dtype == s->machine.dtype &&
            (!found || distance < least || (distance == least && row->time_us < found->time_us))) {
            found = row;
            least = distance;
        }
    }
    return found;
}

static void add(struct ratio *to, const struct rcm_selection *s, const struct rcm_measured *row,
                double predicted_us)
{
    const double distance = square_of_distance(s, row);
    const double weight = 1.0 / ((0.25 + distance) * (0.25 + distance));
    if (!(predicted_us > 0.0) || !isfinite(predicted_us))
        return;
    const double ratio = log(row->time_us / predicted_us);
    to->sum += weight * ratio;
    to->squares += weight * ratio * ratio;
    to->weights += weight;
    to->squared_weights += weight * weight;
}

/* The least spread that is believed: that of 120 calls on a Xeon that were tuned twice. */
#define SPREAD_LEAST 0.017

/* The mean, and how far 9 in 10 of the next lie from it, by the spread of those that are known if
 * they count as three or more. */
static struct measured_ratio summary(const struct ratio *r)
{
    if (!(r->weights > 0.0))
        return (struct measured_ratio){0};
    const double mean = r->sum / r->weights, count = r->weights * r->weights / r->squared_weights;
    struct measured_ratio found = {.mean = exp(mean)};
    if (count >= 3.0) {
        const double variance = (r->squares / r->weights - mean * mean) * count / (count - 1.0);
        const double spread = fmax(SPREAD_LEAST, sqrt(fmax(variance, 0.0) * (1.0 + 1.0 / count)));
        found.low = exp(-1.645 * spread);
        found.high = exp(1.645 * spread);
    }
    return found;
}

/* What would be predicted without measurements for the exact top-k of that name; NAN: nothing. */
static double predicted_exact(const struct rcm_selection *s, const struct rcm_measured *row)
{
    struct rcm_contender of[RCM_CONTENDERS_MOST];
    struct rcm_selection asked = *s;
    struct rcm_profile as = *s->machine.profile;
    as.threads = (double)row->threads;
    asked.machine.profile = &as;
    asked.p = row->p;
    asked.exact_us = 0.0;
    asked.measured_count = 0;
    const size_t count = answer_exact(&asked, of);
    for (size_t i = 0; i < count; i++)
        if (of[i].name && strcmp(of[i].name, row->name) == 0)
            return of[i].time_us;
    return NAN;
}

struct measured_ratio measured_exact_ratio(const struct rcm_selection *s, const char *name)
{
    struct ratio ratio = {0};
    for (size_t i = 0; i < s->measured_count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        if (row->p.b == 0 && row->dtype == s->machine.dtype && strcmp(row->name, name) == 0)
            add(&ratio, s, row, predicted_exact(s, row));
    }
    return summary(&ratio);
}

static void fit_buckets(struct rcm_profile *q, const struct rcm_selection *s)
{
    struct ratio ratio = {0};
    for (size_t i = 0; i < s->measured_count; i++) {
        const struct rcm_measured *row = &s->measured[i];
        struct rcm_profile as = *q;
        as.threads = (double)row->threads;
        if (row->p.b > 0 && row->dtype == s->machine.dtype)
            add(&ratio, s, row, rcm_predict(&as, row->p).time_us);
    }
    const struct measured_ratio found = summary(&ratio);
    q->here_ratio = found.mean;
    if (found.low > 0.0) {
        q->held_out_p05_ratio = found.low;
        q->held_out_p95_ratio = found.high;
    }
}

static void fit_exact(struct rcm_profile *q, const struct rcm_selection *s)
{
    const struct measured_ratio found = measured_exact_ratio(s, "recallmodel");
    q->here_exact_ratio = found.mean;
    if (found.low > 0.0) {
        q->held_out_exact_p05_ratio = found.low;
        q->held_out_exact_p95_ratio = found.high;
    }
}

void rcm_fit_here(struct rcm_profile *q, const struct rcm_selection *selection)
{
    struct rcm_selection s = *selection;
    const struct rcm_measured *near = nearest(selection);
    const bool cpu = q->kernel->model == RCM_TIME_CPU;
    q->here_ratio = q->here_exact_ratio = 0.0;
    if (!is_timed_kernel(q))
        return;
    s.machine.profile = q;
    struct rcm_profile fitted = *q;
    if (cpu)
        fit_exact(&fitted, &s);
    if (cpu && near)
        fitted.threads = (double)near->threads;
    fit_buckets(&fitted, &s);
    *q = fitted;
}
