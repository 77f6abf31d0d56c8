/* lost.c - the law of the number of lost elements in one row. Derivation: docs/models.md 12.
 *
 * The X of the buckets are independent binomials, conditioned on their sum being k. So
 *     P(lost = e) = sum over theta, psi of Phi(theta, psi) exp(-i theta k - i psi e) / (nodes P(sum = k)),
 *     Phi = product over classes of phi^count,    phi = E exp(i theta X + i psi (X - k_b)+).
 * Where buckets usually overflow, (k_b - X)+ = (X - k_b)+ - X + k_b takes the place of (X - k_b)+: it sums to lost - k + b k_b. Below, `excess`
 * is the one or the other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "fourier.h"

typedef struct complex_number number;

static const uint64_t too_long = (uint64_t)1 << 32; /* steps */
static const double negligible = 42.0; /* exp(-42) = 6e-19: nodes below it are left out */

/* The law of X in a bucket of one class, cut where it does not matter any more. */
struct one {
    double count, mean, excess; /* about the means of X and of its excess: multiples of a power of two, so that sums of them are exact */
    int64_t first;              /* P(X = first + i) = p[i] */
    size_t length;
    double *p;
};

struct lost {
    unsigned classes;
    struct one of[RCM_MAX_CLASSES];
    int64_t k_b;
    bool below;              /* the excess is (k_b - X)+ */
    int64_t extra;           /* lost, less the sum of the excesses */
    double shift_x, shift_e; /* sum of count times mean, less k; sum of count times excess */
    double beta;             /* Cov(sum of losses, sum of X) / Var(sum of X): near 0, Phi is largest along theta = -beta psi */
    double sd_x;             /* of the sum of X */
};

static int64_t excess_of(const struct lost *l, int64_t x)
{
    const int64_t excess = l->below ? l->k_b - x : x - l->k_b;
    return excess > 0 ? excess : 0;
}

/* Down to 1e-19/count of the largest term. Returns 0, or -1: no memory, or too wide. */
static int tabulate(const struct lost *l, struct one *one, struct law law, double count, double quantum)
{
    const int64_t mode = law_mode(law);
    const double least = 1e-19 / count;
    if (law_variance(law) > 0x1p36) /* some 20 standard deviations are tabulated */
        return -1;
    *one = (struct one){.count = count};
    one->length = law_terms(law, mode, law_high(law), least, NULL, &one->first);
    one->p = malloc(one->length * sizeof *one->p);
    if (!one->p)
        return -1;
    law_terms(law, mode, law_high(law), least, one->p, &one->first);
    double offset = 0.0, excess = 0.0;
    for (size_t i = 0; i < one->length; i++) {
        const int64_t x = one->first + (int64_t)i;
        offset += one->p[i] * (double)(x - mode);
        excess += one->p[i] * (double)excess_of(l, x);
    }
    one->mean = (double)mode + quantum * nearbyint(offset / quantum);
    one->excess = quantum * nearbyint(excess / quantum);
    return 0;
}

static void free_lost(struct lost *l)
{
    for (unsigned c = 0; c < l->classes; c++)
        free(l->of[c].p);
}

static int make_lost(struct lost *l, const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    const uint64_t n = classes_elements(buckets);
    double covariance = 0.0, variance = 0.0;
    /* What is not quite centred costs nothing; a phase that is not quite that of the sum of the centres would. */
    const double quantum = fmax(0x1p-20, ldexp(1.0, ilogb((double)k) - 50));
    uint64_t all = 0; /* buckets */
    *l = (struct lost){.k_b = (int64_t)k_b};
    for (unsigned c = 0; c < buckets->classes; c++)
        all += buckets->of[c].size ? buckets->of[c].count : 0;
    l->below = k / k_b >= all;
    l->extra = l->below ? (int64_t)(k - all * k_b) : 0;
    l->shift_x = -(double)k;
    for (unsigned c = 0; c < buckets->classes; c++) {
        if (buckets->of[c].size == 0 || buckets->of[c].count == 0)
            continue;
        /* size draws, each a top element with probability k/n. */
        struct law law = {.n = (int64_t)n, .k = (int64_t)buckets->of[c].size, .s = (int64_t)k, .binomial = true};
        struct one *one = &l->of[l->classes];
        if (tabulate(l, one, law, (double)buckets->of[c].count, quantum) != 0)
            return -1;
        l->classes++;
        double x_variance = 0.0, both = 0.0;
        for (size_t i = 0; i < one->length; i++) {
            int64_t x = one->first + (int64_t)i;
            const double dx = (double)x - one->mean;
            x_variance += one->p[i] * dx * dx;
            both += one->p[i] * dx * (double)excess_of(l, x);
        }
        variance += one->count * x_variance;
        covariance += one->count * both;
        l->shift_x = fma(one->count, one->mean, l->shift_x);
        l->shift_e = fma(one->count, one->excess, l->shift_e);
    }
    l->beta = variance > 0.0 ? covariance / variance : 0.0;
    l->sd_x = sqrt(variance);
    return 0;
}

/* Adds count log phi, phi - 1 given, to a logarithm. */
static void add_log(double count, double cosine, double sine, double *re, double *im)
{
    *re += count * complex_log_modulus(cosine, sine);
    *im += count * atan2(sine, 1.0 + cosine);
}

/* Adds p (exp(i angle) - 1) over places [from, to) of a law, where the angle grows by a constant. Up to `run` places by turning from one to the
 * next, which is off by about 1e-16 each; the law's count multiplies that. */
static void add_turns(const struct lost *l, const struct one *one, size_t from, size_t to, double theta, double psi, double step, size_t run, number *sum)
{
    const double turn_re = cos(0.5 * step), turn_im = sin(0.5 * step);
    for (size_t i = from; i < to;) {
        const int64_t x = one->first + (int64_t)i;
        const double half = 0.5 * (theta * ((double)x - one->mean) + psi * ((double)excess_of(l, x) - one->excess));
        double s = sin(half), c = cos(half);
        for (const size_t end = to - i > run ? i + run : to; i < end; i++) {
            const double ps = 2.0 * one->p[i] * s, next = s * turn_re + c * turn_im;
            sum->re -= ps * s;
            sum->im += ps * c;
            c = c * turn_re - s * turn_im;
            s = next;
        }
    }
}

/* log of Phi with both variables centred; the return value is whether it matters. phi - 1 is summed as such. *work counts terms. */
static bool log_phi(const struct lost *l, double theta, double psi, double *re, double *im, uint64_t *work)
{
    *re = *im = 0.0;
    for (unsigned c = 0; c < l->classes; c++) {
        const struct one *one = &l->of[c];
        const int64_t corner = l->k_b - one->first; /* where the excess begins or ends */
        const size_t split = corner <= 0 ? 0 : corner < (int64_t)one->length ? (size_t)corner : one->length;
        const size_t run = one->count <= 1024.0 ? 16 : 1;
        number z = {0.0, 0.0}; /* phi - 1 */
        add_turns(l, one, 0, split, theta, psi, l->below ? theta - psi : theta, run, &z);
        add_turns(l, one, split, one->length, theta, psi, l->below ? theta : theta + psi, run, &z);
        add_log(one->count, z.re, z.im, re, im);
        *work += one->length;
    }
    return *re > -negligible;
}

/* The sum over theta of Phi exp(-i theta k) at one psi, where Phi matters: outwards from node `centre`, until three in a row do not.
 * *largest is the node where Phi is. */
static number sum_over_theta(const struct lost *l, int64_t thetas, double psi, int64_t centre, int64_t *largest, uint64_t *work)
{
    const double step = full_turn / (double)thetas;
    number sum = {0.0, 0.0};
    int64_t seen = 0;
    double most = -INFINITY;
    *largest = centre;
    for (int direction = 1; direction >= -1; direction -= 2) {
        unsigned idle = 0;
        for (int64_t j = direction > 0 ? 0 : 1; idle < 3 && seen < thetas; j++, seen++) {
            const int64_t node = centre + direction * j;
            const double theta = remainder(step * (double)node, full_turn);
            double re, im;
            idle = log_phi(l, theta, psi, &re, &im, work) ? 0 : idle + 1;
            if (re > most) {
                most = re;
                *largest = node;
            }
            if (idle == 0) {
                im += theta * l->shift_x;
                sum.re += exp(re) * cos(im);
                sum.im += exp(re) * sin(im);
            }
        }
    }
    return sum;
}

/* The characteristic function of the sum of excesses less shift_e on psi = 2 pi l / psis, l = 0, .., psis/2, not normalised; node by node. Gives up, with
 * false, when it takes more terms than `most`. What is left out is 0. */
static bool by_nodes(const struct lost *l, int64_t thetas, size_t psis, number *g, uint64_t most)
{
    uint64_t work = 0;
    unsigned idle = 0;
    int64_t before = 0, largest = 0; /* where Phi was largest at the last two psi: at the next it is as much further on */
    memset(g, 0, (psis / 2 + 1) * sizeof *g);
    for (size_t j = 0; j <= psis / 2 && idle < 8; j++) {
        const int64_t centre = j == 1 ? (int64_t)nearbyint(-l->beta * (double)thetas / (double)psis) : 2 * largest - before;
        before = largest;
        g[j] = sum_over_theta(l, thetas, full_turn * ((double)j / (double)psis), centre, &largest, &work);
        idle = hypot(g[j].re, g[j].im) > 1e-18 * g[0].re ? 0 : idle + 1;
        if (work > most)
            return false;
    }
    return true;
}

/* phi - 1 of a class at one theta and all psi: a Fourier sum over the excess, the excess 0 less 1. */
static void transform_phi(const struct lost *l, const struct one *one, double theta, size_t psis, const number *roots, number *z)
{
    memset(z, 0, psis * sizeof *z);
    for (size_t i = 0; i < one->length; i++) {
        const int64_t x = one->first + (int64_t)i, e = excess_of(l, x);
        const double half = 0.5 * theta * ((double)x - one->mean), s = sin(half), p = one->p[i];
        number *at = &z[(size_t)e % psis];
        at->im += 2.0 * p * s * cos(half);
        at->re -= 2.0 * p * s * s;
        if (e > 0) { /* p exp(i angle) = p (exp(i angle) - 1) + p, and the p of all make the 1 */
            at->re += p;
            z[0].re -= p;
        }
    }
    fourier_transform(z, psis, roots);
}

/* product[j] *= phi^count, j <= psis/2, the excess centred too: turned[j] = exp(-i psi times about its mean) - 1. */
static void multiply_phi(const struct lost *l, const struct one *one, double theta, size_t psis, const number *roots, const number *turned, number *z, number *product)
{
    transform_phi(l, one, theta, psis, roots, z);
    for (size_t j = 0; j <= psis / 2; j++) {
        const number both = complex_times(z[j], turned[j]), less_1 = {z[j].re + turned[j].re + both.re, z[j].im + turned[j].im + both.im};
        double re = 0.0, im = 0.0;
        if (one->count <= 64.0) {
            product[j] = complex_times(product[j], complex_power((number){1.0 + less_1.re, less_1.im}, (uint64_t)one->count));
            continue;
        }
        add_log(one->count, less_1.re, less_1.im, &re, &im);
        product[j] = re > -negligible ? complex_times(product[j], (number){exp(re) * cos(im), exp(re) * sin(im)}) : (number){0.0, 0.0};
    }
}

/* The same as by_nodes, for few buckets, where most psi matter: one transform a theta, outwards from 0 until none
 * does for a while. psis is a power of two. Returns 0, or -1: no memory, or it would take too long. */
static int by_transforms(const struct lost *l, int64_t thetas, size_t psis, number *g)
{
    number *roots = malloc((psis / 2 + 1) * sizeof *roots), *z = malloc(psis * sizeof *z), *product = malloc((psis / 2 + 1) * sizeof *product);
    number *turned = malloc(l->classes * (psis / 2 + 1) * sizeof *turned);
    int status = roots && z && product && turned ? 0 : -1;
    uint64_t work = 0;
    const double least = exp(-negligible);
    memset(g, 0, (psis / 2 + 1) * sizeof *g);
    if (status == 0)
        fourier_roots(roots, psis);
    for (unsigned c = 0; c < l->classes && status == 0; c++)
        for (size_t j = 0; j <= psis / 2; j++) {
            const double half = -0.5 * full_turn * ((double)j / (double)psis) * l->of[c].excess, s = sin(half);
            turned[c * (psis / 2 + 1) + j] = (number){-2.0 * s * s, 2.0 * s * cos(half)};
        }
    int64_t idle = 0;
    const int64_t gap = 3 + thetas / (int64_t)psis; /* what matters at neighbouring psi may lie that far apart */
    for (int64_t t = 0; t <= thetas / 2 && idle < gap && work <= too_long && status == 0; t++) { /* thetas is odd */
        idle++;
        for (int sign = 1; sign >= (t > 0 ? -1 : 1); sign -= 2) { /* what matters at theta and -psi matters at -theta and psi */
            const double theta = full_turn * ((double)(sign * t) / (double)thetas), shift = theta * l->shift_x;
            for (size_t j = 0; j <= psis / 2; j++)
                product[j] = (number){cos(shift), sin(shift)};
            work += l->classes * psis * (uint64_t)(ilogb((double)psis) + 8);
            for (unsigned c = 0; c < l->classes; c++)
                multiply_phi(l, &l->of[c], theta, psis, roots, turned + c * (psis / 2 + 1), z, product);
            for (size_t j = 0; j <= psis / 2; j++) {
                g[j].re += product[j].re;
                g[j].im += product[j].im;
                idle = hypot(product[j].re, product[j].im) > least ? 0 : idle;
            }
        }
    }
    if (work > too_long)
        status = -1;
    free(roots);
    free(z);
    free(product);
    free(turned);
    return status;
}

/* The law on first, .., first + psis - 1 from its characteristic function; centre: of what g is the function, lost - centre. */
static int invert(struct rcm_lost *law, const number *g, size_t psis, double centre)
{
    number *roots = malloc((psis / 2 + 1) * sizeof *roots), *x = malloc(psis * sizeof *x);
    double *p = malloc(psis * sizeof *p), total = 0.0;
    if (!roots || !x || !p) {
        free(roots);
        free(x);
        free(p);
        return -1;
    }
    fourier_roots(roots, psis);
    /* conj g(psi) exp(-i psi (centre - first)) summed with exp(+ i psi e) is the conjugate of what is wanted, and that is real. */
    for (size_t j = 0; j < psis; j++) {
        size_t from = j <= psis / 2 ? j : psis - j;
        double psi = full_turn * ((double)from / (double)psis), angle = psi * ((double)law->first - centre);
        number v = {g[from].re * cos(angle) + g[from].im * sin(angle), g[from].im * cos(angle) - g[from].re * sin(angle)};
        x[j] = (number){v.re, j <= psis / 2 ? -v.im : v.im};
    }
    if (psis > 1)
        x[psis / 2].im = 0.0;
    fourier_transform(x, psis, roots);
    /* Sums from below, where rounding makes them fall held at what they were: errors of both signs would else add up. */
    double sum = 0.0, highest = 0.0;
    for (size_t e = 0; e < psis; e++)
        total += x[e].re;
    for (size_t e = 0; e < psis; e++) {
        const double before = highest;
        sum += x[e].re / total;
        highest = fmax(highest, fmin(sum, 1.0));
        p[e] = highest - before;
    }
    free(roots);
    free(x);
    law->probability = p;
    law->length = psis;
    return 0;
}

static size_t power_of_two_from(uint64_t least)
{
    size_t result = 1;
    while (result < least)
        result *= 2;
    return result;
}

/* The first two moments of the law that was found against those that are computed without it. */
static bool agrees(const struct rcm_lost *law, double mean, double sd)
{
    double found = 0.0, square = 0.0;
    for (size_t e = 0; e < law->length; e++)
        found += law->probability[e] * ((double)law->first + (double)e - mean);
    for (size_t e = 0; e < law->length; e++) {
        double d = (double)law->first + (double)e - mean;
        square += law->probability[e] * d * d;
    }
    const double noise = 1e-13 * (double)law->length; /* and its square at the ends */
    return fabs(found) <= 1e-9 * sd + noise && fabs(square - sd * sd) <= 1e-7 * sd * sd + noise * (double)law->length;
}

/* Where only one value is possible. */
static int one_value(struct rcm_lost *law, uint64_t value)
{
    *law = (struct rcm_lost){value, 1, malloc(sizeof *law->probability)};
    if (!law->probability)
        return -1;
    law->probability[0] = 1.0;
    return 0;
}

/* Which way, by the time that they take (make bench, c): up to `few` buckets transforms alone; up to `some` nodes, but no more terms than
 * `nodes_most`; beyond them nodes alone, for powers of phi by transforms lose digits. */
static const double few = 64.0, some = 1024.0;
static const uint64_t nodes_most = 400000;

/* The law, whose mean and standard deviation are known. */
static int find_law(struct lost *l, uint64_t k, uint64_t k_b, double mean, double sd, struct rcm_lost *law)
{
    double furthest = 0.0, buckets = 0.0; /* the largest excess of one bucket */
    for (unsigned c = 0; c < l->classes; c++) {
        furthest = fmax(furthest, (double)excess_of(l, l->below ? l->of[c].first : l->of[c].first + (int64_t)l->of[c].length - 1));
        buckets += l->of[c].count;
    }
    const double low = floor(mean - 12.0 * sd - 10.0), high = ceil(mean + 12.0 * sd + 10.0 + 2.0 * furthest), most = (double)(k - k_b);
    law->first = low > (double)l->extra ? (uint64_t)low : (uint64_t)l->extra;
    l->shift_e += (double)l->extra;
    const size_t psis = power_of_two_from((uint64_t)(high < most ? high : most) - law->first + 1);
    const int64_t thetas = 2 * (int64_t)ceil(0.5 * (9.5 * l->sd_x + 40.0)) + 1; /* odd; another sum that is k modulo this is 1e-18 as likely */
    number *g = psis <= (size_t)1 << 22 ? malloc((psis / 2 + 1) * sizeof *g) : NULL;
    if (!g)
        return -1;
    int status = -1;
    if (buckets > few && by_nodes(l, thetas, psis, g, buckets > some ? too_long / 4 : nodes_most))
        status = invert(law, g, psis, l->shift_e);
    if (status != 0 || !agrees(law, mean, sd)) {
        free(law->probability);
        law->probability = NULL;
        status = by_transforms(l, thetas, psis, g);
        if (status == 0)
            status = invert(law, g, psis, l->shift_e);
    }
    free(g);
    return status;
}

int rcm_buckets_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, struct rcm_lost *law)
{
    *law = (struct rcm_lost){0};
    if (!classes_legal(buckets, k, k_b))
        return -1;
    const double mean = (double)k * rcm_buckets_loss(buckets, k, k_b), sd = (double)k * rcm_buckets_sd(buckets, k, k_b);
    if (sd < 1e-18) /* another value is less likely than 1e-36 */
        return one_value(law, (uint64_t)nearbyint(mean));
    struct lost l = {0};
    int status = 24.0 * sd > 0x1p22 ? -1 : make_lost(&l, buckets, k, k_b);
    if (status == 0)
        status = find_law(&l, k, k_b, mean, sd, law);
    free_lost(&l);
    if (status != 0)
        rcm_lost_free(law);
    return status;
}

int rcm_lost(struct rcm_topk p, struct rcm_lost *law)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_lost(&buckets, p.k, p.k_b, law);
}

void rcm_lost_free(struct rcm_lost *law)
{
    free(law->probability);
    *law = (struct rcm_lost){0};
}

double rcm_lost_at_most(const struct rcm_lost *law, double lost)
{
    double sum = 0.0;
    if (!(lost >= (double)law->first))
        return 0.0;
    if (lost - (double)law->first >= (double)law->length)
        return 1.0;
    for (size_t e = 0; e <= (size_t)(lost - (double)law->first); e++)
        sum += law->probability[e];
    return fmin(sum, 1.0);
}

uint64_t rcm_lost_quantile(const struct rcm_lost *law, double probability)
{
    size_t e = law->length;
    double above = 0.0; /* what is left out by stopping before e */
    while (e > 1 && above + law->probability[e - 1] <= 1.0 - probability)
        above += law->probability[--e];
    return law->first + (e ? e - 1 : 0);
}

double rcm_lost_recall_quantile(const struct rcm_lost *law, uint64_t k, double probability, uint64_t m)
{
    if (law->length == 0 || m < 1 || !(probability > 0.0 && probability <= 1.0) || (double)m * RCM_LOST_MAX_ERROR > 1e-3)
        return NAN;
    return 1.0 - (double)rcm_lost_quantile(law, pow(probability, 1.0 / (double)m)) / (double)k;
}

double rcm_lost_all_at_most(const struct rcm_lost *law, double lost, uint64_t m)
{
    return law->length == 0 || (double)m * RCM_LOST_MAX_ERROR > 1e-3 ? NAN : pow(rcm_lost_at_most(law, lost), (double)m);
}
