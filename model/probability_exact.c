/* probability_exact.c - the probability that a row loses nothing. Derivation: docs/models.md 12.
 *
 * With binomials of any success probability p that are conditioned on their sum being k,
 *     P(all X <= k_b) = product of P(X <= k_b)^count  P(sum = k | all X <= k_b) / P(sum = k).
 * p is chosen so that k is the mean of the sum of the cut laws: then the middle factor is not small, and the result has all its digits. Where
 * nearly all room is taken p is held where the first factor does not underflow, and digits may be lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "fourier.h"

typedef struct complex_number number;

/* The law of X <= k_b in a bucket of one class, cut where it does not matter any more. */
struct cut {
    double count, mean, variance;
    int64_t first;   /* P(X = first + i | X <= k_b) = p[i] */
    size_t length;
    double *p;
};

/* p = s/n of a law, to 2^-52. */
static const int64_t unit = (int64_t)1 << 52;

static struct law law_of(uint64_t size, int64_t successes)
{
    return (struct law){.n = unit, .k = (int64_t)size, .s = successes, .binomial = true};
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where the terms fall on both sides. */
static int64_t start_of(struct law law, int64_t k_b)
{
    return smaller(law_mode(law), k_b);
}

/* The mean of the cut law. */
static double mean_of_cut(struct law law, int64_t k_b)
{
    const int64_t start = start_of(law, k_b), low = law_low(law), high = smaller(law_high(law), k_b);
    double total = 1.0, sum = 0.0, t = 1.0;
    for (int64_t x = start; x > low && t >= 1e-19;) {
        t /= law_ratio(law, --x);
        total += t;
        sum += t * (double)(x - start);
    }
    t = 1.0;
    for (int64_t x = start; x < high && t >= 1e-19;) {
        t *= law_ratio(law, x++);
        total += t;
        sum += t * (double)(x - start);
    }
    return (double)start + sum / total;
}

/* log P(X <= k_b). */
static double log_mass(struct law law, int64_t k_b)
{
    const double above = k_b < law.k ? law_above(law, k_b) : 0.0;
    return above < 0.5 ? log1p(-above) : log(law_not_above(law, k_b));
}

/* Should p be larger than this? The sum of the means of the cut laws is below k, and what is cut off leaves enough. */
static bool too_small(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, int64_t successes)
{
    double sum = 0.0, log_masses = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        if (buckets->of[c].size > 0) {
            const struct law law = law_of(buckets->of[c].size, successes);
            sum += (double)buckets->of[c].count * mean_of_cut(law, (int64_t)k_b);
            log_masses += (double)buckets->of[c].count * log_mass(law, (int64_t)k_b);
        }
    return sum < (double)k && log_masses > -300.0;
}

/* count log phi at theta: re, im. phi - 1 of the centred law is summed as such. */
static void add_log_phi(const struct cut *cut, double theta, double *re, double *im)
{
    double cosine = 0.0, sine = 0.0;
    for (size_t i = 0; i < cut->length; i++) {
        double half = 0.5 * theta * ((double)(cut->first + (int64_t)i) - cut->mean), s = sin(half);
        cosine -= 2.0 * cut->p[i] * s * s;
        sine += 2.0 * cut->p[i] * s * cos(half);
    }
    *re += cut->count * complex_log_modulus(cosine, sine);
    *im += cut->count * atan2(sine, 1.0 + cosine);
}

/* P(sum of the cut laws = k): a Fourier sum over theta, outwards from 0 until it does not matter. shift: mean of the sum, less k. */
static double hit_by_nodes(const struct cut *cuts, unsigned classes, int64_t thetas, double shift)
{
    double sum = 1.0;
    unsigned idle = 0;
    for (int64_t t = 1; t <= thetas / 2 && idle < 3; t++) { /* thetas is odd; -theta is the conjugate */
        const double theta = full_turn * ((double)t / (double)thetas);
        double re = 0.0, im = theta * shift;
        for (unsigned c = 0; c < classes; c++)
            add_log_phi(&cuts[c], theta, &re, &im);
        idle = re > -42.0 ? 0 : idle + 1;
        sum += 2.0 * exp(re) * cos(im);
    }
    return sum / (double)thetas;
}

/* The same for few buckets: phi at all theta by one transform. Returns NAN without memory. */
static double hit_by_transform(const struct cut *cuts, unsigned classes, size_t thetas, uint64_t k)
{
    number *roots = malloc((thetas / 2 + 1) * sizeof *roots), *phi = malloc(thetas * sizeof *phi), *product = malloc(thetas * sizeof *product);
    double sum = NAN;
    if (roots && phi && product) {
        uint64_t rest = k; /* less the first places of all laws */
        fourier_roots(roots, thetas);
        for (unsigned c = 0; c < classes; c++) {
            memset(phi, 0, thetas * sizeof *phi);
            for (size_t i = 0; i < cuts[c].length; i++)
                phi[i % thetas].re += cuts[c].p[i];
            fourier_transform(phi, thetas, roots);
            for (size_t j = 0; j < thetas; j++) {
                const number power = complex_power(phi[j], (uint64_t)cuts[c].count);
                product[j] = c == 0 ? power : complex_times(product[j], power);
            }
            rest -= (uint64_t)cuts[c].first * (uint64_t)cuts[c].count;
        }
        sum = 0.0;
        const size_t place = (size_t)(rest % thetas);
        for (size_t j = 0; j < thetas; j++) { /* exp(-2 pi i j place / thetas) */
            size_t turns = (size_t)((__extension__ (unsigned __int128)j * place) % thetas), half = thetas / 2;
            number root = thetas == 1 ? (number){1.0, 0.0} : turns < half ? roots[turns] : (number){-roots[turns - half].re, -roots[turns - half].im};
            sum += product[j].re * root.re + product[j].im * root.im;
        }
        sum /= (double)thetas;
    }
    free(roots);
    free(phi);
    free(product);
    return sum;
}

double rcm_buckets_probability_exact(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b) || k >= (uint64_t)unit)
        return NAN;
    const uint64_t n = classes_elements(buckets);
    uint64_t room = 0, count = 0;
    bool free_of_loss = true;
    for (unsigned c = 0; c < buckets->classes; c++) {
        const uint64_t size = buckets->of[c].size;
        room += (size < k_b ? size : k_b) * buckets->of[c].count;
        count += size > 0 ? buckets->of[c].count : 0;
        free_of_loss &= size <= k_b;
    }
    if (free_of_loss || k_b >= k)
        return 1.0;
    if (room < k)
        return 0.0;

    /* Standard deviations, for the time and the memory that they cost. */
    const double share = (double)k / (double)n, of_sum = sqrt((double)k * (1.0 - share)), of_bucket = of_sum / sqrt((double)count);
    if (count <= 64 ? of_sum > 0x1p14 : of_bucket > 0x1p14)
        return NAN;

    /* p by bisection; at the edge of what is computed k/n must do. */
    int64_t low = 1, high = unit - 1;
    if (of_bucket > 4096.0)
        low = high = (int64_t)(share * (double)unit);
    while (high - low > (low >> 20) + 1) { /* to 1e-6 of itself */
        int64_t middle = low < high / 4 ? (int64_t)sqrt((double)low * (double)high) : low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (too_small(buckets, k, k_b, middle))
            low = middle;
        else
            high = middle;
    }

    const double quantum = fmax(0x1p-20, ldexp(1.0, ilogb((double)k) - 50));
    struct cut cuts[RCM_MAX_CLASSES];
    unsigned classes = 0;
    double log_masses = 0.0, shift = -(double)k, variance = 0.0, result = NAN;
    for (unsigned c = 0; c < buckets->classes; c++) {
        if (buckets->of[c].size == 0)
            continue;
        struct cut *cut = &cuts[classes];
        const struct law law = law_of(buckets->of[c].size, low);
        const double least = 1e-19 / (double)count;
        *cut = (struct cut){.count = (double)buckets->of[c].count};
        const int64_t start = start_of(law, (int64_t)k_b), high = smaller(law_high(law), (int64_t)k_b);
        cut->length = law_terms(law, start, high, least, NULL, &cut->first);
        cut->p = malloc(cut->length * sizeof *cut->p);
        if (!cut->p)
            goto done;
        classes++;
        law_terms(law, start, high, least, cut->p, &cut->first);
        double offset = 0.0, square = 0.0;
        for (size_t i = 0; i < cut->length; i++) {
            const double d = (double)(cut->first + (int64_t)i - start);
            offset += cut->p[i] * d;
            square += cut->p[i] * d * d;
        }
        cut->mean = (double)start + quantum * nearbyint(offset / quantum); /* so that sums of centres are exact */
        cut->variance = square - offset * offset;
        log_masses += cut->count * log_mass(law, (int64_t)k_b);
        shift = fma(cut->count, cut->mean, shift);
        variance += cut->count * cut->variance;
    }
    const double wide = 16.0 * sqrt(variance) + 40.0; /* cut on one side, the laws reach farther on the other than a normal one */
    double hit;
    if (count <= 64) {
        size_t thetas = 1;
        while ((double)thetas < wide)
            thetas *= 2;
        hit = hit_by_transform(cuts, classes, thetas, k);
    } else {
        hit = hit_by_nodes(cuts, classes, 2 * (int64_t)ceil(0.5 * wide) + 1, shift);
    }
    const struct law sum = {.n = unit, .k = (int64_t)n, .s = low, .binomial = true};
    /* Where p was held back far from what it should be, the probability is far below all that is promised: a hit that is rounding errors, or
     * another sum that is k modulo thetas. */
    const double certain = law_probability(sum, (int64_t)k);
    result = hit * wide > 1e-9 && fabs(shift) < 0.45 * wide && certain > 0.0 ? fmin(exp(log_masses) * (hit / certain), 1.0) : 0.0;
done:
    for (unsigned c = 0; c < classes; c++)
        free(cuts[c].p);
    return result;
}

double rcm_probability_exact(struct rcm_topk p)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_probability_exact(&buckets, p.k, p.k_b);
}
