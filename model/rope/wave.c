/* wave.c - the loss on rows of noise and one cosine: derived in docs/real-data.md.
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

/* The probability at a phase, and its square, as sums over h of [h] cos(h phase). */
struct harmonics {
    double p[HARMONICS], square[HARMONICS];
};

static void set_harmonics(struct harmonics *c, const struct wave_rows *rows, double t)
{
    double p[NODES];
    for (int i = 0; i < NODES; i++)
        p[i] = above(rows, t, i);
    for (int h = 0; h < HARMONICS; h++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < NODES; i++) {
            sum += p[i] * rows->cosine[h * i % NODES];
            squares += p[i] * p[i] * rows->cosine[h * i % NODES];
        }
        c->p[h] = sum * (h ? 2.0 : 1.0) / NODES;
        c->square[h] = squares * (h ? 2.0 : 1.0) / NODES;
    }
}

/* What is left of a harmonic in the mean over `size` elements that are so many turns apart:
 * sin(pi turns size) / (size sin(pi turns)), reduced to less than half a turn. Nothing counts where
 * neighbouring buckets see the same phases. */
static double left_of_harmonic(double turns, double size)
{
    const double whole = round(turns), rest = turns - whole, one = sin(pi * rest);
    if (whole == 0.0)
        return 0.0;
    const bool turned = fmod(whole, 2.0) != 0.0 && fmod(size, 2.0) == 0.0;
    return (turned ? -1.0 : 1.0) * (fabs(one) < 1e-12 ? 1.0 : sin(pi * rest * size) / (size * one));
}

/* E[(X - k_b)+], X of Fisher's noncentral hypergeometric distribution: k of inside + outside
 * elements, of which those inside have these odds. The two need not be whole numbers. Summed from
 * near the mode, where the terms are largest, both ways. */
static double expected_lost(double k, double inside, double outside, double odds, double mean,
                            double k_b)
{
    const double least = fmax(0.0, k - outside), most = fmin(inside, k);
    const double start = fmin(floor(most), fmax(ceil(least), floor(mean)));
    double all = 1.0, lost = fmax(0.0, start - k_b), term = 1.0;
    for (double x = start; x < most; x++) {
        term *= (inside - x) * (k - x) / ((x + 1.0) * (outside - k + x + 1.0)) * odds;
        all += term;
        lost += term * fmax(0.0, x + 1.0 - k_b);
        if (x > k_b && term * (x - k_b + 1.0) < 1e-16 * lost && term < 1e-16 * all)
            break;
    }
    term = 1.0;
    for (double x = start; x > least; x--) {
        term *= x * (outside - k + x) / ((inside - x + 1.0) * (k - x + 1.0) * odds);
        all += term;
        lost += term * fmax(0.0, x - 1.0 - k_b);
        if (term < 1e-18 * all)
            break;
    }
    return lost / all;
}

static double within(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The expected number lost from one bucket of `size` elements whose middle has this phase. `left`
 * is what is left of the harmonics, `squares` the mean of p^2 over the row. Elements of unequal p
 * stand for fewer equal ones: as many as keep the sums of p and of p^2. */
static double lost_at_phase(struct rcm_topk p, double size, const struct harmonics *left,
                            double squares, double phase)
{
    const double n = (double)shape_valid(p), k = (double)p.k;
    double mean = 0.0, square = 0.0;
    for (int h = 0; h < HARMONICS; h++) {
        mean += left->p[h] * cos(h * phase);
        square += left->square[h] * cos(h * phase);
    }
    mean = within(k * 1e-12, mean * size, fmin(size, k) * (1.0 - 1e-12));
    const double rest = k - mean;
    const double p_in = within(mean / size, square * size / mean, 1.0 - 1e-12),
                 p_out =
                     within(rest / (n - size), (squares * n - square * size) / rest, 1.0 - 1e-12);
    if (mean / size >= p_in * (1.0 - 1e-9) && rest / (n - size) >= 1.0 - 1e-12)
        return fmax(0.0, k - (n - size) - (double)p.k_b);
    return expected_lost(k, mean / p_in, rest / p_out,
                         p_in * (1.0 - p_out) / (p_out * (1.0 - p_in)), mean, (double)p.k_b);
}

/* The mean over phases, of one class of buckets. */
static double lost_of_class(struct rcm_topk p, double size, double turns, const struct harmonics *c)
{
    struct harmonics left;
    double sum = 0.0;
    for (int h = 0; h < HARMONICS; h++) {
        const double share = h ? left_of_harmonic(turns * h, size) : 1.0;
        left.p[h] = c->p[h] * share;
        left.square[h] = c->square[h] * share;
    }
    for (int i = 0; i <= PHASES; i++)
        sum +=
            (i % PHASES ? 1.0 : 0.5) * lost_at_phase(p, size, &left, c->square[0], pi * i / PHASES);
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
    struct harmonics c;
    double lost = 0.0;
    const struct wave_rows rows = rows_of(wave.share);
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    set_harmonics(&c, &rows, threshold(&rows, (double)p.k / n));
    for (unsigned i = 0; i < buckets.classes; i++)
        if (buckets.of[i].size > p.k_b)
            lost += (double)buckets.of[i].count *
                    lost_of_class(p, (double)buckets.of[i].size, (double)p.b / wave.wavelength, &c);
    return lost / (double)p.k;
}

double rcm_loss_waves(struct rcm_topk p, const struct rcm_wave *waves, size_t count)
{
    double most = -1.0;
    for (size_t i = 0; i < count; i++) {
        const double loss = rcm_loss_wave(p, waves[i]);
        if (isnan(loss))
            return NAN;
        if (waves[i].share > 0.0)
            most = fmax(most, loss);
    }
    return most >= 0.0 ? most : rcm_loss_wave(p, (struct rcm_wave){2.0, 0.0});
}
