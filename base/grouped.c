/* grouped.c - see grouped.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "grouped.h"

#include <math.h>

struct grouped_mean grouped_mean(const struct group_sum *group, size_t groups)
{
    struct grouped_mean result = {0, NAN, NAN};
    double sum = 0.0, rows = 0.0, squares = 0.0;
    for (size_t i = 0; i < groups; i++) {
        result.groups += group[i].rows > 0.0;
        sum += group[i].sum;
        rows += group[i].rows;
    }
    if (result.groups == 0)
        return result;
    result.mean = sum / rows;
    for (size_t i = 0; i < groups; i++) {
        const double off = group[i].sum - group[i].rows * result.mean;
        squares += off * off;
    }
    const double count = (double)result.groups;
    if (result.groups > 1)
        result.error = sqrt(count / (count - 1.0) * squares) / rows;
    return result;
}

/* ---- Student's t
 *
 * With v degrees of freedom and x = v/(v + t^2), P(T > t) = I_x(v/2, 1/2)/2, where I is the
 * regularised incomplete beta function. For t^2 > 3 or so its continued fraction (DLMF 8.17.22)
 * converges for I_x(v/2, 1/2), below that for 1 - I_{1-x}(1/2, v/2). */

/* Gamma(a + 1/2)/Gamma(a). From 50 on by the asymptotic series, whose next term is below 1e-13. */
static double gamma_ratio(double a)
{
    if (a < 50.0)
        return tgamma(a + 0.5) / tgamma(a);
    const double inverse = 1.0 / a, square = inverse * inverse;
    const double series = inverse * (-1.0 / 8.0 + square * (1.0 / 192.0 + square * (-1.0 / 640.0)));
    return sqrt(a) * exp(series);
}

/* The continued fraction of I_x(a, b) by Lentz's method, without the factor before it. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0), value;
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    value = d;
    for (int m = 1; m < 100000; m++) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return value;
}

/* P(T > t) for t >= 0. */
static double student_tail(double t, double freedom)
{
    const double a = 0.5 * freedom, square = t * t / freedom;
    const double x = 1.0 / (1.0 + square), rest = square / (1.0 + square);
    /* x^a (1 - x)^(1/2) Gamma(a + 1/2)/(Gamma(a) Gamma(1/2)); Gamma(1/2)^2 is pi. */
    const double factor =
        exp(-a * log1p(square)) * sqrt(rest) * gamma_ratio(a) / sqrt(3.14159265358979323846);
    if (x < (a + 1.0) / (a + 2.5))
        return 0.5 * factor * beta_fraction(a, 0.5, x) / a;
    return 0.5 - factor * beta_fraction(0.5, a, rest);
}

double student_upper(double tail, double freedom)
{
    double low = 0.0, high = 1.0;
    if (!(tail > 0.0 && tail <= 0.5 && freedom >= 1.0))
        return NAN;
    if (tail == 0.5)
        return 0.0;
    while (student_tail(high, freedom) > tail && high < 1e300) {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (student_tail(middle, freedom) > tail)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
