/* lost_transforms.c - see lost_fourier.h: the characteristic function by one transform for each
 * theta.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lost_fourier.h"

typedef struct complex_number number;

/* phi - 1 of a class at one theta and all psi: a Fourier sum over the excess. An excess of 0 has
 * 1 subtracted. */
static void transform_phi(const struct lost_sum *l, const struct bucket_distribution *bucket,
                          double theta, size_t psis, const number *roots, number *z)
{
    memset(z, 0, psis * sizeof *z);
    for (size_t i = 0; i < bucket->length; i++) {
        const int64_t x = bucket->first + (int64_t)i, e = lost_excess(l, x);
        const double half = 0.5 * theta * ((double)x - bucket->mean), s = sin(half),
                     p = bucket->p[i];
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

/* Steps for one theta: the transform, its power, and the table from which it takes the terms. */
static uint64_t steps_of_transform(const struct lost_sum *l, size_t psis)
{
    uint64_t steps = 0;
    for (unsigned c = 0; c < l->classes; c++)
        steps += psis * (uint64_t)(ilogb((double)psis) + (l->of[c].count <= 64.0 ? 8 : 32)) +
                 12 * l->of[c].length;
    return steps;
}

/* product[j] *= phi^count, with the excess centred too: turned[j] = exp(-i psi times about its
 * mean) - 1 for j <= psis/2. For larger j, psi is negative. */
static void multiply_phi(const struct lost_sum *l, const struct bucket_distribution *bucket,
                         double theta, size_t psis, const number *roots, const number *turned,
                         number *z, number *product)
{
    transform_phi(l, bucket, theta, psis, roots, z);
    for (size_t j = 0; j < psis; j++) {
        number turn = turned[j <= psis / 2 ? j : psis - j];
        if (j > psis / 2)
            turn.im = -turn.im;
        const number both = complex_times(z[j], turn);
        const number less_1 = {z[j].re + turn.re + both.re, z[j].im + turn.im + both.im};
        if (bucket->count <= 64.0) {
            const number phi = {1.0 + less_1.re, less_1.im};
            product[j] = complex_times(product[j], complex_power(phi, (uint64_t)bucket->count));
            continue;
        }
        double re = 0.0, im = 0.0;
        lost_add_log(bucket->count, less_1.re, less_1.im, &re, &im);
        const double size = re > -l->precision->negligible ? exp(re) : 0.0;
        product[j] = size > 0.0
                         ? complex_times(product[j], (number){size * cos(im), size * sin(im)})
                         : (number){0.0, 0.0};
    }
}

/* Adds the terms of theta and, if `both`, of -theta: Phi(-theta, psi) is the conjugate of
 * Phi(theta, -psi). Returns whether any of them is not negligible. */
static bool add_thetas(const struct lost_sum *l, size_t psis, const number *product, bool both,
                       number *g)
{
    const double least = exp(-l->precision->negligible);
    bool counts = false;
    for (size_t j = 0; j <= psis / 2; j++) {
        number mirror = product[(psis - j) % psis];
        if (j == psis / 2 && psis > 1) {
            /* psi = pi and -pi are one node, but once centred they differ by a rotation */
            const double angle = full_turn * l->shift_e;
            mirror = complex_times(mirror, (number){cos(angle), sin(angle)});
        }
        g[j].re += product[j].re + (both ? mirror.re : 0.0);
        g[j].im += product[j].im - (both ? mirror.im : 0.0);
        counts |=
            hypot(product[j].re, product[j].im) > least || hypot(mirror.re, mirror.im) > least;
    }
    return counts;
}

/* One transform for each theta, outwards from 0, until several in a row are negligible. */
bool lost_by_transforms(const struct lost_sum *l, int64_t thetas, size_t psis, number *g,
                        double most)
{
    number *roots = malloc((psis / 2 + 1) * sizeof *roots), *z = malloc(psis * sizeof *z);
    number *product = malloc(psis * sizeof *product),
           *turned = malloc(l->classes * (psis / 2 + 1) * sizeof *turned);
    bool going = roots && z && product && turned;
    uint64_t work = 0;
    memset(g, 0, (psis / 2 + 1) * sizeof *g);
    if (going)
        fourier_roots(roots, psis);
    for (unsigned c = 0; c < l->classes && going; c++)
        for (size_t j = 0; j <= psis / 2; j++) {
            const double half = -0.5 * full_turn * ((double)j / (double)psis) * l->of[c].excess,
                         s = sin(half);
            turned[c * (psis / 2 + 1) + j] = (number){-2.0 * s * s, 2.0 * s * cos(half)};
        }
    int64_t idle = 0;
    /* the theta that count at neighbouring psi may lie that far apart */
    const int64_t gap = 3 + thetas / (int64_t)psis;
    for (int64_t t = 0; t <= thetas / 2 && idle < gap && going; t++) { /* thetas is odd */
        const double theta = full_turn * ((double)t / (double)thetas), shift = theta * l->shift_x;
        const number turn = {cos(shift), sin(shift)};
        for (size_t j = 0; j < psis; j++)
            product[j] = turn;
        for (unsigned c = 0; c < l->classes; c++)
            multiply_phi(l, &l->of[c], theta, psis, roots, turned + c * (psis / 2 + 1), z, product);
        idle = add_thetas(l, psis, product, t > 0, g) ? 0 : idle + 1;
        work += steps_of_transform(l, psis);
        going = (double)work <= most;
    }
    free(roots);
    free(z);
    free(product);
    free(turned);
    return going;
}

/* About how many steps lost_by_transforms will take. Phi is longest above the negligible where
 * psi is 0, or where it keeps the angle of one side of k_b. */
double lost_transforms_steps(const struct lost_sum *l, int64_t thetas, size_t psis, double most)
{
    const double each = (double)steps_of_transform(l, psis), all = 0.5 * (double)thetas * each;
    if (all < 0x1p24)
        return all;
    if (8.0 * each > most) /* finding out would take as long */
        return INFINITY;
    const double nodes = (double)thetas, step = full_turn / nodes;
    const double last = fmax(lost_last_node(l, nodes, step, 0.0),
                             lost_last_node(l, nodes, step, l->below ? step : -step));
    return each * (last + 3.0 + nodes / (double)psis);
}
