/* overlap.c - see recallmodel/overlap.h. Derivation: docs/models.md 26.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/overlap.h>

#include "scores.h"

#define HALF_PI 1.57079632679489661923
#define PANELS 8 /* towards a right angle, each half as wide as the one before */

/* The density of two normal scores at (s, t), of correlation sin(angle), times 2 pi cos(angle). */
static double density(double s, double t, double angle)
{
    const double sine = sin(angle), cosine = cos(angle);
    const double gap = s - t;
    /* (s^2 - 2 s t sine + t^2)/(2 cosine^2), without cancellation for sine near 1 */
    return exp(-0.5 * gap * gap / (cosine * cosine) - s * t / (1.0 + sine));
}

/* P(X > s, Y > t) has by the correlation the density at (s, t) as derivative. */
double rcm_overlap(double share, double visited, double correlation)
{
    if (!(share > 0.0 && share < 1.0 && visited > 0.0 && visited < 1.0 && fabs(correlation) <= 1.0))
        return NAN;
    if (correlation == 1.0)
        return fmin(visited / share, 1.0);
    if (correlation == -1.0)
        return fmax(share + visited - 1.0, 0.0) / share;
    const double s = normal_score(log(share) - log1p(-share)),
                 t = normal_score(log(visited) - log1p(-visited));
    const double sign = correlation < 0.0 ? -1.0 : 1.0, end = asin(fabs(correlation));
    double sum = 0.0, from = 0.0;
    for (unsigned panel = 0; panel < PANELS && from < end; panel++) {
        const double whole = panel + 1 < PANELS ? 0.5 * (HALF_PI - from) : end - from,
                     width = fmin(whole, end - from);
        for (unsigned i = 0; i < GAUSS_LEGENDRE_PAIRS; i++) {
            const double x = width * gauss_legendre[i].x;
            sum += width * gauss_legendre[i].weight *
                   (density(s, t, sign * (from + x)) + density(s, t, sign * (from + width - x)));
        }
        from += width;
    }
    return fmin(fmax(visited + sign * sum / (4.0 * HALF_PI * share), 0.0), 1.0);
}
