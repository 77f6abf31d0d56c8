/* wave.c - the loss on rows of noise and one cosine: derived in docs/real-rows.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/recall.h>
#include <model/recallmodel/rope.h>
#include <model/shape/shape.h>

#define NODES 256 /* on the circle of phases */
#define HARMONICS 64
#define PHASES 64 /* of a bucket, from 0 to pi */

static const double pi = 3.141592653589793;

/* The wave at the nodes, and the standard deviation of the noise. */
struct wave_rows {
    double wave[NODES], cosine[NODES], noise;
};

static struct wave_rows rows_of(double share)
{
    struct wave_rows rows = {.noise = sqrt(1.0 - share)};
    for (int i = 0; i < NODES; i++) {
        rows.cosine[i] = cos(2.0 * pi * i / NODES);
        rows.wave[i] = sqrt(2.0 * share) * rows.cosine[i];
    }
    return rows;
}

/* P(wave + noise > t) at a node. */
static double above(const struct wave_rows *rows, double t, int node)
{
    return 0.5 * erfc((t - rows->wave[node]) / rows->noise / sqrt(2.0));
}

/* The threshold that a share of all elements exceeds, for a share of 1e-300 or more. */
static double threshold(const struct wave_rows *rows, double share)
{
    double low = -40.0, high = 40.0;
    for (int step = 0; step < 56; step++) {
        const double middle = 0.5 * (low + high);
        double sum = 0.0;
        for (int i = 0; i < NODES; i++)
            sum += above(rows, middle, i);
        if (sum > share * NODES)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* The probability at a phase is the sum over h of c[h] cos(h phase). */
static void set_harmonics(double c[HARMONICS], const struct wave_rows *rows, double t)
{
    double p[NODES];
    for (int i = 0; i < NODES; i++)
        p[i] = above(rows, t, i);
    for (int h = 0; h < HARMONICS; h++) {
        double sum = 0.0;
        for (int i = 0; i < NODES; i++)
            sum += p[i] * rows->cosine[h * i % NODES];
        c[h] = sum * (h ? 2.0 : 1.0) / NODES;
    }
}

/* How much of a harmonic is left in the mean over `size` elements that are so many turns apart.
 * Nothing counts where neighbouring buckets see the same phases. */
static double left_of_harmonic(double turns, double size)
{
    if (round(turns) == 0.0)
        return 0.0;
    turns -= round(turns);
    const double one = sin(pi * turns);
    return fabs(one) < 1e-12 ? 1.0 : sin(pi * turns * size) / (size * one);
}

/* E[(X - k_b)+], X of Fisher's noncentral hypergeometric law: k of n, `size` of which have these
 * odds. Summed from near the mode, where the terms are largest, both ways. */
static double expected_lost(double n, double k, double size, double odds, double mean, double k_b)
{
    const double least = fmax(0.0, k - (n - size)), most = fmin(size, k);
    const double start = fmin(most, fmax(least, floor(mean)));
    double all = 1.0, lost = fmax(0.0, start - k_b), term = 1.0;
    for (double x = start; x < most; x++) {
        term *= (size - x) * (k - x) / ((x + 1.0) * (n - size - k + x + 1.0)) * odds;
        all += term;
        lost += term * fmax(0.0, x + 1.0 - k_b);
        if (x > k_b && term * (x - k_b + 1.0) < 1e-16 * lost && term < 1e-16 * all)
            break;
    }
    term = 1.0;
    for (double x = start; x > least; x--) {
        term *= x * (n - size - k + x) / ((size - x + 1.0) * (k - x + 1.0) * odds);
        all += term;
        lost += term * fmax(0.0, x - 1.0 - k_b);
        if (term < 1e-18 * all)
            break;
    }
    return lost / all;
}

/* The expected number lost from one bucket of `size` elements whose middle has this phase. `left`
 * are the harmonics that are left. */
static double lost_at_phase(struct rcm_topk p, double size, const double left[HARMONICS],
                            double phase)
{
    const double n = (double)shape_valid(p), k = (double)p.k;
    double mean = 0.0;
    for (int h = 0; h < HARMONICS; h++)
        mean += left[h] * cos(h * phase);
    mean = fmin(fmax(mean * size, k * 1e-12), fmin(size, k) * (1.0 - 1e-12));
    const double inside = mean / size, outside = (k - mean) / (n - size);
    if (outside >= 1.0)
        return fmax(0.0, k - (n - size) - (double)p.k_b);
    return expected_lost(n, k, size, inside * (1.0 - outside) / (outside * (1.0 - inside)), mean,
                         (double)p.k_b);
}

/* The mean over phases, of one class of buckets. */
static double lost_of_class(struct rcm_topk p, double size, double turns, const double c[HARMONICS])
{
    double left[HARMONICS], sum = 0.0;
    for (int h = 0; h < HARMONICS; h++)
        left[h] = c[h] * (h ? left_of_harmonic(turns * h, size) : 1.0);
    for (int i = 0; i <= PHASES; i++)
        sum += (i % PHASES ? 1.0 : 0.5) * lost_at_phase(p, size, left, pi * i / PHASES);
    return sum / PHASES;
}

double rcm_loss_wave(struct rcm_topk p, struct rcm_wave wave)
{
    const double loss = rcm_loss_exact(p), n = (double)shape_valid(p);
    if (isnan(loss) || p.assignment != RCM_INTERLEAVED || !(wave.wavelength > 1.0) ||
        !(wave.share >= 0.0) || wave.share > RCM_WAVE_SHARE_MOST)
        return NAN;
    if (loss == 0.0 || wave.share == 0.0 || wave.wavelength > n || p.b == 1 || (double)p.k == n)
        return loss;
    double c[HARMONICS], lost = 0.0;
    const struct wave_rows rows = rows_of(wave.share);
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    set_harmonics(c, &rows, threshold(&rows, (double)p.k / n));
    for (unsigned i = 0; i < buckets.classes; i++)
        if (buckets.of[i].size > p.k_b)
            lost += (double)buckets.of[i].count *
                    lost_of_class(p, (double)buckets.of[i].size, (double)p.b / wave.wavelength, c);
    return lost / (double)p.k;
}

double rcm_loss_waves(struct rcm_topk p, const struct rcm_wave *waves, size_t count)
{
    double most = rcm_loss_exact(p);
    for (size_t i = 0; i < count; i++) {
        const double loss = rcm_loss_wave(p, waves[i]);
        if (isnan(loss))
            return NAN;
        most = fmax(most, loss);
    }
    return p.assignment == RCM_INTERLEAVED ? most : NAN;
}
