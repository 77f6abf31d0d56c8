/* rounding.c - see recallmodel/rounding.h. Derivation: docs/models.md 24.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/distribution/gauss_legendre.h>
#include <model/distribution/distribution.h>
#include <model/recallmodel/rounding.h>
#include <model/shape/bisect.h>

/* ---- formats */

static const struct rcm_format formats[] = {
    {"f16", 10, 15, 0x7c00},
    {"bf16", 7, 127, 0x7f80},
    {"f8e4m3", 3, 7, 0x7e},
    {"f8e5m2", 2, 15, 0x7c},
};

const struct rcm_format *rcm_format(size_t index)
{
    return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const struct rcm_format *rcm_format_by_name(const char *name)
{
    for (size_t i = 0; name && rcm_format(i); i++)
        if (strcmp(rcm_format(i)->name, name) == 0)
            return rcm_format(i);
    return NULL;
}

double rcm_format_value(const struct rcm_format *f, uint32_t bits)
{
    const uint32_t one = UINT32_C(1) << f->fraction_bits;
    const int exponent = (int)(bits >> f->fraction_bits);
    const double fraction = (double)(bits & (one - 1));
    const int unit = 1 - f->bias - (int)f->fraction_bits; /* of subnormal numbers */
    return exponent ? ldexp(one + fraction, exponent - 1 + unit) : ldexp(fraction, unit);
}

double rcm_format_edge(const struct rcm_format *f, uint32_t bits)
{
    if (bits > f->last)
        return INFINITY;
    return bits == 0 ? 0.0 : 0.5 * (rcm_format_value(f, bits - 1) + rcm_format_value(f, bits));
}

/* The lower edge of a cell: of the numbers -last, .., -1, 0, 1, .., last, in this order. */
static double cell_edge(const struct rcm_format *f, int64_t cell)
{
    if (cell <= -(int64_t)f->last)
        return -INFINITY;
    return cell > 0 ? rcm_format_edge(f, (uint32_t)cell)
                    : -rcm_format_edge(f, (uint32_t)(1 - cell));
}

/* ---- one point of the integral */

/* Given that the share u of the distribution lies above the k-th largest: of the k - 1 above it and
 * the n - k below, each lies in its cell with these probabilities. */
struct point {
    double above, inside, below, inside_below; /* how many, and the probability */
    double lost;                               /* P(more than that) is asked for, where it is */
};

/* j = B + 1 of the cell are of the top k, D are not. By position the cell loses j D/(j + D), as
 * each of the j + D is taken with probability j/(j + D). As 1/(j + D) is the integral of s^(j+D-1),
 * the mean is that of E[(B+1) s^B] E[D s^D] over s from 0 to 1. */
static double lost_by_position(const struct point *p)
{
    const double counts = p->above * p->inside + p->below * p->inside_below;
    const double range = fmin(1.0, 45.0 / fmax(counts, 1e-300));
    double sum = 0.0;
    for (unsigned i = 0; i < 2 * GAUSS_LEGENDRE_PAIRS; i++) {
        const unsigned pair = i / 2;
        const double x = gauss_legendre[pair].x, t = range * (i % 2 ? 1.0 - x : x), s = 1.0 - t;
        /* logarithms of (1 - p t)^m */
        const double log_b = p->above * log1p(-p->inside * t),
                     log_d = (p->below - 1.0) * log1p(-p->inside_below * t);
        const double b = 1.0 + p->above * p->inside * s / (1.0 - p->inside * t);
        sum +=
            gauss_legendre[pair].weight * b * p->below * p->inside_below * s * exp(log_b + log_d);
    }
    return p->below > 0.0 ? range * sum : 0.0;
}

/* P(X >= c) and P(X = c), as c grows. Below `from` the latter is 0, but for 1e-25. */
struct climb {
    struct distribution dist;
    double at_least, probability, odds, from;
    double c;
};

#define UNDERFLOW 1e-290

/* All of X is so far from its mean at most, but for 1e-25 (Bernstein). */
static double spread_of(double mean, double probability)
{
    return 12.0 * sqrt(mean * (1.0 - probability)) + 40.0;
}

static struct climb climb_from(double draws, double probability, double c)
{
    struct climb x = {.dist = distribution_of_draws((uint64_t)draws, probability), .c = c};
    const bool certain = x.dist.s == x.dist.n, never = x.dist.s == 0 || x.dist.k == 0;
    x.from = draws * probability - spread_of(draws * probability, probability);
    /* of the rounded probability that the distribution has: 1 - probability has few digits */
    x.odds = certain ? INFINITY : (double)x.dist.s / (double)(x.dist.n - x.dist.s);
    x.at_least = c <= 0.0 || certain ? (double)(c <= draws)
                 : never             ? 0.0
                                     : distribution_sf(x.dist, (int64_t)c - 1);
    x.probability = never     ? (double)(c <= 0.0)
                    : certain ? (double)(c == draws)
                              : distribution_point(x.dist, (int64_t)c);
    return x;
}

static void climb(struct climb *x)
{
    const double left = (double)x->dist.k - x->c, mean = distribution_mean(x->dist);
    x->at_least = fmax(x->at_least - x->probability, 0.0);
    x->c += 1.0;
    if (isinf(x->odds))
        x->probability = (double)(x->c == (double)x->dist.k);
    else if (x->probability < UNDERFLOW && x->c < mean)
        x->probability = x->c < x->from ? 0.0 : distribution_point(x->dist, (int64_t)x->c);
    else
        x->probability *= fmax(left, 0.0) / x->c * x->odds;
}

/* At worst it loses min(j, D): the sum over i >= 0 of P(B >= i) P(D > i). */
static double lost_at_worst(const struct point *p)
{
    const double b = p->above * p->inside, d = p->below * p->inside_below;
    const double of_b = spread_of(b, p->inside), of_d = spread_of(d, p->inside_below);
    /* both are above `start`, and one is below `end` */
    const double start = fmax(floor(fmin(b - of_b, d - of_d)), 0.0);
    const double end = fmin(b + of_b, d + of_d);
    struct climb up = climb_from(p->above, p->inside, start),
                 down = climb_from(p->below, p->inside_below, start + 1.0);
    double sum = start;
    for (; up.c <= end; climb(&up), climb(&down))
        sum += up.at_least * down.at_least;
    return sum;
}

/* P(more than r are lost) at worst, min(j, D) > r. */
static double more_at_worst(const struct point *p)
{
    return climb_from(p->above, p->inside, p->lost).at_least *
           climb_from(p->below, p->inside_below, p->lost + 1.0).at_least;
}

/* That of Beta(r+1, n-r), by the binomial distribution of n - 1 draws. Differences of lgamma(n)
 * would lose as many digits as n log n has. */
static double beta_density(double n, double r, double x)
{
    return n * distribution_point(distribution_of_draws((uint64_t)n - 1, x), (int64_t)r);
}

/* By position more than r are lost if r + 1 of the j lie behind the (r+1)-th of the D, since the
 * first j of the cell are taken. Its place among all n - k, of which those in the cell are the
 * first `inside_below`, is x of Beta(r+1, n-k-r); behind it lies the (1 - x/inside_below)-th part
 * of the cell, and so each of the j with this probability. */
static double more_by_position(const struct point *p)
{
    const double r = p->lost, d = p->below, mean = (r + 1.0) / (d + 1.0),
                 sd = sqrt(mean * (1.0 - mean) / (d + 2.0));
    if (r + 1.0 > d || !(p->inside_below > 0.0))
        return 0.0;
    /* what lies beyond is less than 1e-12: 9 standard deviations, or 30 e-folds for small r */
    const double low = fmax(mean - 9.0 * sd, 0.0),
                 high = fmin(mean + 9.0 * sd + 30.0 / (d + 1.0), p->inside_below);
    if (!(high > low))
        return 0.0;
    double sum = 0.0;
    for (unsigned i = 0; i < 2 * GAUSS_LEGENDRE_PAIRS; i++) {
        const unsigned pair = i / 2;
        const double node = gauss_legendre[pair].x,
                     x = low + (high - low) * (i % 2 ? 1.0 - node : node),
                     before = x / p->inside_below;
        const double density = beta_density(d, r, x);
        if (density * (high - low) < 1e-14)
            continue;
        const struct climb behind = climb_from(p->above, p->inside * (1.0 - before), r);
        /* the k-th largest itself is one of the j */
        sum += gauss_legendre[pair].weight * density *
               (behind.at_least - before * fmin(behind.probability, behind.at_least));
    }
    return (high - low) * sum;
}

/* ---- the integral over the place of the k-th largest */

/* What lies above the k-th largest is Beta(k, n-k+1). */
struct place {
    double n, k, sd;
    double low, high; /* of the share, between which it is for all but 1e-17 */
    double least;     /* probability that counts */
    double lost;      /* of the points */
    double (*value)(const struct point *point); /* whose mean is the integral */
};

#define LEAST 1e-290 /* shares between which doubles have digits */
#define MOST (1.0 - 1e-16)

static struct place place_of(uint64_t n, uint64_t k)
{
    struct place at = {.n = (double)n, .k = (double)k};
    const double mean = at.k / (at.n + 1.0);
    at.sd = sqrt(mean * (1.0 - mean) / (at.n + 2.0));
    at.low = k > 200 ? fmax(mean - 9.0 * at.sd - 45.0 / (at.n + 1.0), LEAST) : LEAST;
    at.high = n - k > 200 ? fmin(mean + 9.0 * at.sd + 45.0 / (at.n + 1.0), MOST) : MOST;
    return at;
}

/* The k-th largest at u, in a cell above which the share `over` lies, and `reach` above its end. */
static double value_at(const struct place *at, double u, double over, double reach)
{
    const struct point p = {at->k - 1.0, (u - over) / u, at->n - at->k, (reach - u) / (1.0 - u),
                            at->lost};
    const double density = beta_density(at->n, at->k - 1.0, u);
    return density * (at->high - at->low) > at->least ? density * at->value(&p) : 0.0;
}

#define PANEL_SD 5.0  /* of a panel of 48 nodes, in standard deviations of the place */
#define NARROW_SD 0.3 /* cells this narrow take 4 nodes */

static double mean_between(const struct place *at, double low, double high, double over,
                           double reach, bool narrow)
{
    static const double node[] = {0.069431844202973713, 0.330009478207571868}; /* of Gauss */
    static const double weight[] = {0.173927422568726929, 0.326072577431273071};
    double sum = 0.0;
    for (unsigned i = 0; i < (narrow ? 2U : (unsigned)GAUSS_LEGENDRE_PAIRS); i++) {
        const double x = (high - low) * (narrow ? node[i] : gauss_legendre[i].x);
        sum += (narrow ? weight[i] : gauss_legendre[i].weight) *
               (value_at(at, low + x, over, reach) + value_at(at, high - x, over, reach));
    }
    return (high - low) * sum;
}

static double mean_in_cell(const struct place *at, double over, double reach)
{
    const double low = fmax(over, at->low), high = fmin(reach, at->high);
    if (!(high > low))
        return 0.0;
    const double panels = ceil((high - low) / (PANEL_SD * at->sd));
    double sum = 0.0;
    for (double i = 0.0; i < panels; i += 1.0)
        sum += mean_between(at, low + (high - low) * (i / panels),
                            low + (high - low) * ((i + 1.0) / panels), over, reach,
                            high - low < NARROW_SD * at->sd);
    return sum;
}

static bool in_domain(uint64_t n, uint64_t k, const struct rcm_format *format,
                      struct rcm_values values)
{
    return k >= 1 && k <= n && n <= RCM_ROUNDING_N_MOST && format && values.dist &&
           values.scale > 0.0 && isfinite(values.scale) && isfinite(values.shift);
}

/* The mean of a value over all places. */
static double mean_of(const struct place *at, const struct rcm_format *format,
                      struct rcm_values values)
{
    double over = 0.0, sum = 0.0;
    for (int64_t cell = format->last; cell >= -(int64_t)format->last && over < at->high; cell--) {
        const double reach =
            values.dist->above((cell_edge(format, cell) - values.shift) / values.scale);
        if (reach > at->low)
            sum += mean_in_cell(at, over, reach);
        over = reach;
    }
    return sum;
}

double rcm_rounding_loss(uint64_t n, uint64_t k, const struct rcm_format *format,
                         struct rcm_values values, enum rcm_ties ties)
{
    if (!in_domain(n, k, format, values))
        return NAN;
    if (k == n)
        return 0.0;
    struct place at = place_of(n, k);
    at.least = 1e-22; /* 1e-6 of the least loss that is promised, 1e-12, with room for k values */
    at.value = ties == RCM_TIES_WORST ? lost_at_worst : lost_by_position;
    return fmin(mean_of(&at, format, values) / at.k, 1.0);
}

double rcm_rounding_loses_more(uint64_t n, uint64_t k, const struct rcm_format *format,
                               struct rcm_values values, enum rcm_ties ties, uint64_t lost)
{
    if (!in_domain(n, k, format, values))
        return NAN;
    if (lost >= k || lost >= n - k)
        return 0.0;
    struct place at = place_of(n, k);
    at.value = ties == RCM_TIES_WORST ? more_at_worst : more_by_position;
    at.least = 1e-12; /* some hundred nodes stay below RCM_ROUNDING_MAX_ERR */
    at.lost = (double)lost;
    return fmin(mean_of(&at, format, values), 1.0);
}

struct quantile_search {
    uint64_t n, k;
    const struct rcm_format *format;
    struct rcm_values values;
    enum rcm_ties ties;
    double share;
};

static enum answer suffices(void *context, uint64_t lost_and_one)
{
    const struct quantile_search *s = context;
    return rcm_rounding_loses_more(s->n, s->k, s->format, s->values, s->ties, lost_and_one - 1) <=
                   s->share
               ? YES
               : NO;
}

uint64_t rcm_rounding_quantile(uint64_t n, uint64_t k, const struct rcm_format *format,
                               struct rcm_values values, enum rcm_ties ties, double share)
{
    struct quantile_search search = {n, k, format, values, ties, share};
    if (!in_domain(n, k, format, values) || !(share > 0.0))
        return UINT64_MAX;
    const uint64_t most = k < n - k ? k : n - k;
    const double mean = rcm_rounding_loss(n, k, format, values, ties) * (double)k;
    const uint64_t guess = (uint64_t)fmin(mean, (double)most);
    return bisect_from(1, most + 1, guess + 1, (uint64_t)sqrt(mean) + 1, suffices, &search) - 1;
}
