/* recall_sd.c - standard deviation of the recall of one row. Derivation: docs/models.md 5.
 *
 * The lost elements of a row are the sum over buckets of E_i = (X_i - k_b)+. Split E_i = (a
 * linear function of X_i) + R_i, where R_i is uncorrelated with X_i. Then
 *     Var sum E_i = Var sum beta_i X_i + sum Var R_i + sum over pairs Cov(R_i, R_j),
 * where no term cancels another, as Var E_i and Cov(E_i, E_j) do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include <model/distribution/distribution.h>

/* What one bucket of a class loses, with f = (X - k_b)+, or f = (k_b - X)+ where k_b is below the
 * mean (then E = X - k_b + f). */
struct residual {
    struct distribution dist; /* of X */
    double variance_x;        /* of X */
    bool below;               /* f is the part below k_b */
    double f_mean;            /* E f */
    double f_slope;           /* Cov(f, X) / Var X */
    double variance;          /* Var R, R = f - f_mean - f_slope (X - mean) */
    double beta;              /* Cov(E, X) / Var X */
    double e_mean[2];         /* mean and variance of (k_b - X)+ [0] and of (X - k_b)+ [1] */
    double e_variance[2];
};

/* With f = (X - c)+ and tail moments t1 = E f, t2 = E f^2: Cov(f, X) = E f (X - mean) = t2 + (c -
 * mean) t1, a sum of positive terms on the far side of the mean. On the other side it is the same
 * with the opposite sign. */
static struct residual residual_of(struct distribution dist, int64_t c)
{
    struct residual r = {.dist = dist, .variance_x = distribution_variance(dist)};
    struct tail tail = distribution_far_tail(dist, c, &r.below);
    double distance = fabs(distribution_offset(dist, c));
    double covariance = tail.square + distance * tail.excess;
    double f_variance = tail.square - tail.excess * tail.excess;
    r.f_mean = tail.excess;
    if (r.variance_x > 0.0) {
        r.f_slope = (r.below ? -covariance : covariance) / r.variance_x;
        r.variance = fmax(0.0, f_variance - covariance * (covariance / r.variance_x));
        r.beta = r.below ? 1.0 + r.f_slope : r.f_slope;
    }
    r.e_mean[!r.below] = tail.excess;
    r.e_variance[!r.below] = f_variance;
    r.e_mean[r.below] = distance + tail.excess;
    r.e_variance[r.below] = r.variance_x - 2.0 * covariance + f_variance;
    return r;
}

/* R at x, `offset` from the mean. */
static double residual_at(const struct residual *r, int64_t x, int64_t c, double offset)
{
    int64_t f = r->below ? c - x : x - c;
    return (f > 0 ? (double)f : 0.0) - r->f_mean - r->f_slope * offset;
}

/* The distribution of how many of `tops` top elements, which lie anywhere in `others` places, fall
 * into `size` given places, as a function of tops in steps of `stride`. */
struct walk {
    int64_t others, size, hits; /* P(`hits` of them fall into the places) */
    int64_t tops, stride;       /* stride signed */
    double probability;
};

static bool walk_inside(const struct walk *w)
{
    return w->tops >= w->hits && w->others - w->tops >= w->size - w->hits;
}

static double walk_probability(const struct walk *w)
{
    if (!walk_inside(w))
        return 0.0;
    return distribution_probability((struct distribution){w->others, w->tops, w->size, false},
                                    w->hits);
}

/* The probability at tops + stride, from C(tops, hits) C(others - tops, size - hits) / C(others,
 * size). A step of one multiplies by its ratio. */
static void walk_step(struct walk *w)
{
    double t = (double)w->tops, j = (double)w->hits, m = (double)w->others,
           miss = (double)(w->others - w->size + w->hits);
    bool was_inside = walk_inside(w);
    w->tops += w->stride;
    if (was_inside && walk_inside(w) && w->stride == 1)
        w->probability *= (t + 1.0) * (miss - t) / ((t + 1.0 - j) * (m - t));
    else if (was_inside && walk_inside(w) && w->stride == -1)
        w->probability *= (t - j) * (m - t + 1.0) / (t * (miss - t + 1.0));
    else
        w->probability = walk_probability(w);
}

/* A pair of buckets: X in the first, whose residual is r, and G for the second. */
struct pair {
    const struct residual *r;
    int64_t c, size;    /* k_b; places of the second bucket */
    int64_t places;     /* n - s: what the first bucket leaves */
    double coefficient; /* of the second difference of G */
    double negligible;  /* a term of the sum that no longer matters */
    int64_t start, stride;
};

/* The sum over x = start, start + step, .. of P(x) R(x) G(x), where step = +-stride, and G is 0
 * at the start and even around it. *at_kink becomes P(c) G(c) if the sum passes c. It ends behind
 * c, where an upper bound of the term times the width is negligible; the second difference of G
 * is at most its coefficient. */
static double half_sum(const struct pair *pair, int64_t step, double *at_kink)
{
    struct distribution dist = pair->r->dist;
    int64_t x = pair->start, low = distribution_low(dist), high = distribution_high(dist);
    double h = (double)pair->stride, numerov = (h * h - 1.0) / 12.0,
           start_offset = distribution_offset(dist, x);
    struct walk w = {pair->places - 2, pair->size - 2, pair->c - 1, dist.k - x - 1, -step, 0.0},
                back = w;
    w.probability = walk_probability(&w);
    back.tops -= back.stride;
    double before = pair->stride == 1 ? 0.0 : walk_probability(&back); /* weighs 0 there */
    double p = distribution_probability(dist, x), g = 0.0, previous_g = 0.0, sum = 0.0;
    for (bool first = true;; first = false) {
        double distance = fabs((double)(x - pair->start)) + 1.0,
               offset = start_offset + (double)(x - pair->start);
        bool past_c = (step > 0) == pair->r->below || (step > 0 ? x >= pair->c : x <= pair->c);
        double r_size = pair->r->f_mean + fabs(pair->r->f_slope) * (fabs(offset) + 1.0) +
                        fabs((double)(x - pair->c)) + 1.0;
        sum += p * residual_at(pair->r, x, pair->c, offset) * g;
        if (x == pair->c)
            *at_kink = p * g;
        if (past_c && p * r_size * pair->coefficient * distance * distance <= pair->negligible)
            return sum;
        if (step > 0 ? x > high - step : x < low - step)
            return sum;
        double here = w.probability;
        walk_step(&w);
        double change =
            pair->coefficient * (h * h * here + numerov * (w.probability - 2.0 * here + before));
        double next_g = first ? 0.5 * change : 2.0 * g - previous_g + change;
        previous_g = g;
        g = next_g;
        before = here;
        if (pair->stride > 1)
            p = distribution_probability(dist, x + step);
        else
            p = step > 0 ? p * distribution_ratio(dist, x) : p / distribution_ratio(dist, x - 1);
        x += step;
    }
}

/* Cov(R, R') of one bucket of each of two classes, where at least one further bucket is not empty;
 * `count` of the second class exist.
 *
 * = E[R(X) G(X)], G(x) = E[(X' - c)+ | X = x], for R is uncorrelated with 1, X, and E[X' | X] is
 * linear. For the same reason G may be replaced by any function with the same second differences,
 * and those have a closed form: given X = x, the bucket of s' draws from N = n - s places with K =
 * k - x top elements, and G(x + 1) - 2 G(x) + G(x - 1) = s'(s'-1)/(N (N-1)) P(c - 1 of the other
 * s'-2 are top | K - 1 tops in N - 2 places). Wide distributions are walked in strides H: a second
 * difference over H is H^2 times the one over 1 plus (H^2 - 1)/12 times its own second difference,
 * and H times the sum over the grid misses (H^2 - 1)/12 of the jump of the slope at c, P(c) G(c)
 * (Euler and Maclaurin); both to O((H / width)^4), 1e-9 for H = width/64. G is that smooth unless
 * the rest of the row is small, which three_buckets_variance() is for. */
static double pair_covariance(const struct residual *r, int64_t c, int64_t size, double count)
{
    struct distribution dist = r->dist;
    struct pair pair = {.r = r, .c = c, .size = size, .places = dist.n - dist.s};
    if (size <= c || !(r->variance > 0.0)) /* c >= 1: from here size >= 2 */
        return 0.0;
    double sd = sqrt(r->variance_x);
    int64_t mode = distribution_mode(dist);
    struct distribution other = {pair.places - 2, dist.k - mode - 1, size - 2, false};
    bool possible = other.k >= 0 && other.k <= other.n && other.s >= 1;
    double other_sd = possible ? sqrt(distribution_variance(other)) : INFINITY;
    double width = possible ? other_sd * (double)other.n / (double)other.s : INFINITY;
    int64_t stride =
        (int64_t)(other_sd < 2.0 * DISTRIBUTION_STIRLING_MIN_SD ? sd / 256.0
                                                                : fmin(sd, width) / 64.0);
    pair.stride = stride < 1 ? 1 : stride;
    pair.start =
        pair.stride == 1 ? mode : c + (mode - c) / pair.stride * pair.stride; /* c on the grid */
    pair.coefficient =
        ((double)size / (double)pair.places) * ((double)(size - 1) / (double)(pair.places - 1));
    pair.negligible = 1e-13 * r->variance / (count * (sd + 1.0));
    double h = (double)pair.stride, at_kink = 0.0;
    double sum = half_sum(&pair, pair.stride, &at_kink) + half_sum(&pair, -pair.stride, &at_kink);
    return h * sum + (h * h - 1.0) / 12.0 * at_kink;
}

/* A bound on |Cov(R, R')| of two buckets, without the walk. As E[X' | X] is linear,
 *     Cov(R, R') = Cov(f, f') - f_slope f_slope' Cov(X, X').
 * Where both f rise or both fall, the first term is between -E f E f' and 0, because X and X' are
 * negatively associated; the second is a number. Where losses are rare this is far below the
 * bound of Cauchy and Schwarz, which always holds. */
static double pair_bound(const struct residual *r, const struct residual *s)
{
    const double schwarz = sqrt(r->variance) * sqrt(s->variance);
    if (r->below != s->below)
        return schwarz;
    const double n = (double)r->dist.n, k = (double)r->dist.k;
    const double both = ((double)r->dist.s / n) * ((double)s->dist.s / n);
    const double shared = k * ((n - k) / (n - 1.0)) * both; /* -Cov(X, X') */
    return fmin(schwarz, fmax(r->f_mean * s->f_mean, fabs(r->f_slope * s->f_slope) * shared));
}

/* Two buckets share all k: X' = k - X. Where 2 c >= k they do not both overflow, otherwise they
 * are not both below c. Either way the two parts are never both positive, and their covariance is
 * minus the product of their means. */
static double two_buckets_variance(const struct residual *a, const struct residual *b, uint64_t k,
                                   uint64_t k_b, bool *above)
{
    bool e = *above = k_b >= k || k_b >= k - k_b;
    return a->e_variance[e] + b->e_variance[e] - 2.0 * a->e_mean[e] * b->e_mean[e];
}

/* Two buckets, and a third that is much narrower and does not overflow. Given X'' = y in the
 * third, two buckets share k - y. The mean and the variance of what they lose are smooth in y, so
 * that steps of half a standard deviation of y sum them to full accuracy. (pair_covariance()
 * would have to resolve a bend as wide as the third, from a start where it underflows.) */
static double three_buckets_variance(const struct residual *a, const struct residual *b,
                                     const struct residual *third, uint64_t k, uint64_t k_b)
{
    struct distribution pair = {a->dist.n - third->dist.s, a->dist.k, a->dist.s, false},
                        mirror = pair;
    mirror.s = b->dist.s;
    double sd = sqrt(third->variance_x), total = 0.0, within = 0.0, mean = 0.0, between = 0.0;
    int64_t stride = sd < 2.0 ? 1 : (int64_t)(sd / 2.0), mode = distribution_mode(third->dist),
            reach = (int64_t)(12.0 * sd) + 12;
    for (int64_t y = mode - reach / stride * stride; y <= mode + reach; y += stride) {
        double p = distribution_probability(third->dist, y);
        if (!(p > 0.0))
            continue;
        pair.k = mirror.k = (int64_t)k - y;
        struct residual r = residual_of(pair, (int64_t)k_b), s = residual_of(mirror, (int64_t)k_b);
        bool above;
        double variance = two_buckets_variance(&r, &s, (uint64_t)pair.k, k_b, &above);
        double lost =
            r.e_mean[above] + s.e_mean[above] + (above ? 0.0 : (double)pair.k - 2.0 * (double)k_b);
        double step = lost - mean;
        total += p;
        within += p * variance;
        mean += p / total * step;
        between += p * step * (lost - mean);
    }
    return (within + between) / total;
}

double rcm_buckets_sd(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b))
        return NAN;
    uint64_t n = classes_elements(buckets), filled = 0;
    unsigned classes = buckets->classes - (buckets->of[buckets->classes - 1].size == 0);
    for (unsigned c = 0; c < classes; c++)
        filled += buckets->of[c].count;
    if (k_b >= k || k_b >= buckets->of[0].size || k == n || filled == 1)
        return 0.0;

    struct residual r[RCM_MAX_CLASSES];
    double count[RCM_MAX_CLASSES], weight[RCM_MAX_CLASSES], mean_beta = 0.0;
    for (unsigned c = 0; c < classes; c++) {
        r[c] = residual_of(distribution_of_class(buckets, c, k), (int64_t)k_b);
        count[c] = (double)buckets->of[c].count;
        weight[c] = count[c] * (double)buckets->of[c].size / (double)n;
        mean_beta += weight[c] * r[c].beta;
    }
    double variance = 0.0;
    const struct residual *first = &r[0], *second = &r[count[0] > 1.0 ? 0 : 1],
                          *last = &r[classes - 1];
    if (filled == 2) {
        bool above;
        variance = two_buckets_variance(first, second, k, k_b, &above);
    } else if (filled == 3 && last->variance_x < first->variance_x / 16.0 && !last->below &&
               last->f_mean <= 1e-17 * first->f_mean) {
        variance = three_buckets_variance(first, second, last, k, k_b);
    } else {
        for (unsigned c = 0; c < classes; c++) {
            double beta = r[c].beta - mean_beta;
            variance +=
                weight[c] * beta * beta * ((double)k * ((double)(n - k) / (double)(n - 1))) +
                count[c] * r[c].variance;
        }
        double pairs_variance = 0.0;
        for (unsigned c = 0; c < classes; c++)
            for (unsigned d = c; d < classes; d++) {
                double pairs = d == c ? count[c] * (count[c] - 1.0) : 2.0 * count[c] * count[d];
                if (pairs * pair_bound(&r[c], &r[d]) > 1e-11 * variance)
                    pairs_variance +=
                        pairs * pair_covariance(&r[c], (int64_t)k_b, (int64_t)buckets->of[d].size,
                                                count[d]);
            }
        variance += pairs_variance;
    }
    return variance > 0.0 ? sqrt(variance) / (double)k : 0.0;
}

/* Of a row drawn from those of all lengths: rows of one length vary, and so do the means. */
static double sd_over_lengths(struct rcm_topk p)
{
    const double mean = rcm_loss_exact(p);
    double variance = isnan(mean) ? NAN : 0.0;
    for (size_t i = 0; i < p.lengths->count && !isnan(variance); i++) {
        struct rcm_topk row;
        const bool loses = shape_of_length(p, i, &row);
        const double sd = loses ? rcm_recall_sd(row) : 0.0;
        const double off = (loses ? rcm_loss_exact(row) : 0.0) - mean;
        variance += shape_share(p, i) * (sd * sd + off * off);
    }
    return sqrt(variance);
}

double rcm_recall_sd(struct rcm_topk p)
{
    if (p.lengths)
        return sd_over_lengths(p);
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_sd(&buckets, p.k, p.k_b);
}
