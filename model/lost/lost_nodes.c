/* lost_nodes.c - see lost_fourier.h: the characteristic function node by node.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "lost_fourier.h"

typedef struct complex_number number;

/* Adds p (exp(i angle) - 1) over the places [from, to) of a distribution, where the angle grows by
 * a constant step. Up to `run` terms are computed by a rotation from one to the next, which adds an
 * error of about 1e-16 each; the count of the distribution multiplies that. */
static void add_turns(const struct lost_sum *l, const struct bucket_distribution *bucket,
                      size_t from, size_t to, double theta, double psi, double step, size_t run,
                      number *sum)
{
    const double turn_re = cos(0.5 * step), turn_im = sin(0.5 * step);
    for (size_t i = from; i < to;) {
        const int64_t x = bucket->first + (int64_t)i;
        const double half = 0.5 * (theta * ((double)x - bucket->mean) +
                                   psi * ((double)lost_excess(l, x) - bucket->excess));
        double s = sin(half), c = cos(half);
        for (const size_t end = to - i > run ? i + run : to; i < end; i++) {
            const double ps = 2.0 * bucket->p[i] * s, next = s * turn_re + c * turn_im;
            sum->re -= ps * s;
            sum->im += ps * c;
            c = c * turn_re - s * turn_im;
            s = next;
        }
    }
}

/* See lost_fourier.h. */
bool lost_log_phi(const struct lost_sum *l, double theta, double psi, double *re, double *im,
                  uint64_t *work)
{
    *re = *im = 0.0;
    for (unsigned c = 0; c < l->classes; c++) {
        const struct bucket_distribution *bucket = &l->of[c];
        const int64_t corner = l->k_b - bucket->first; /* where the excess begins or ends */
        const size_t split = corner <= 0                        ? 0
                             : corner < (int64_t)bucket->length ? (size_t)corner
                                                                : bucket->length;
        const size_t run = bucket->count <= l->precision->turning_buckets ? 16 : 1;
        number z = {0.0, 0.0}; /* phi - 1 */
        add_turns(l, bucket, 0, split, theta, psi, l->below ? theta - psi : theta, run, &z);
        add_turns(l, bucket, split, bucket->length, theta, psi, l->below ? theta : theta + psi, run,
                  &z);
        lost_add_log(bucket->count, z.re, z.im, re, im);
        *work += bucket->length;
    }
    return *re > -l->precision->negligible;
}

/* The sum over theta of Phi exp(-i theta k) at one psi: outwards from node `centre`, until three
 * nodes in a row are negligible. *largest is the node at which Phi is largest. */
static number sum_over_theta(const struct lost_sum *l, int64_t thetas, double psi, int64_t centre,
                             int64_t *largest, uint64_t *work)
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
            idle = lost_log_phi(l, theta, psi, &re, &im, work) ? 0 : idle + 1;
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

/* One sum over theta for each psi, until they are negligible. It stops with false when it takes
 * more than `most` terms. */
bool lost_by_nodes(const struct lost_sum *l, int64_t thetas, size_t psis, number *g, double most)
{
    uint64_t work = 0;
    unsigned idle = 0;
    /* the nodes at which Phi was largest at the last two psi. At the next psi, the search begins as
     * far beyond `largest` as that lies beyond `before`. */
    int64_t before = 0, largest = 0;
    memset(g, 0, (psis / 2 + 1) * sizeof *g);
    for (size_t j = 0; j <= psis / 2 && idle < 8; j++) {
        const int64_t centre = j == 1 ? (int64_t)nearbyint(-l->beta * (double)thetas / (double)psis)
                                      : 2 * largest - before;
        before = largest;
        g[j] = sum_over_theta(l, thetas, full_turn * ((double)j / (double)psis), centre, &largest,
                              &work);
        idle = hypot(g[j].re, g[j].im) > 1e-18 * g[0].re ? 0 : idle + 1;
        if ((double)work > most)
            return false;
    }
    return true;
}

/* Is Phi above the negligible there, or nearly? */
static bool may_count(const struct lost_sum *l, double theta, double psi)
{
    double re, im;
    uint64_t work = 0;
    return lost_log_phi(l, theta, psi, &re, &im, &work) || re > -l->precision->negligible - 10.0;
}

/* By doubling and bisection. */
double lost_last_node(const struct lost_sum *l, double nodes, double theta, double psi)
{
    double low = 0.0, high = 1.0;
    while (high < 0.5 * nodes && may_count(l, theta * high, psi * high)) {
        low = high;
        high *= 2.0;
    }
    while (high - low > 1.0 + 0.05 * high) {
        const double middle = 0.5 * (low + high);
        if (may_count(l, theta * middle, psi * middle))
            low = middle;
        else
            high = middle;
    }
    return fmin(high, 0.5 * nodes);
}

/* The nodes that count at psi = 0, times the psi that count along the lines on which Phi is
 * largest. */
double lost_nodes_terms(const struct lost_sum *l, int64_t thetas, size_t psis, double most)
{
    const double step = full_turn / (double)psis;
    double length = 0.0;
    for (unsigned c = 0; c < l->classes; c++)
        length += (double)l->of[c].length;
    if (300.0 * length > most) /* finding out would take as long */
        return INFINITY;
    const double last_psi = fmax(lost_last_node(l, (double)psis, 0.0, step),
                                 lost_last_node(l, (double)psis, -l->beta * step, step));
    const double last_theta = lost_last_node(l, (double)thetas, full_turn / (double)thetas, 0.0);
    return length * (last_psi + 9.0) * (2.0 * last_theta + 7.0);
}
