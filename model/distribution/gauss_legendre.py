#!/usr/bin/env python3
"""Writes gauss_legendre.h: the 48-point Gauss-Legendre rule on [0, 1].

    python3 model/distribution/gauss_legendre.py > model/distribution/gauss_legendre.h

Needs mpmath. The nodes are the roots of the Legendre polynomial P of degree 48, moved from [-1, 1]
to [0, 1]; the weight of a root x is 2 / ((1 - x^2) P'(x)^2), halved because the interval is half as
long.
"""
from mpmath import cos, legendre, mp, mpf, nstr, pi

mp.dps = 40
POINTS = 48
NEWTON_STEPS = 8

HEAD = f"""\
/* gauss_legendre.h - the {POINTS}-point Gauss-Legendre rule on [0, 1].
 * gauss_legendre.py writes this file. The nodes are x and 1 - x of each row.
 * tests/model/distribution/test_distribution.c checks them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#ifndef GAUSS_LEGENDRE_H
#define GAUSS_LEGENDRE_H

#define GAUSS_LEGENDRE_PAIRS {POINTS // 2}

static const struct {{
    double x, weight;
}} gauss_legendre[GAUSS_LEGENDRE_PAIRS] = {{"""

TAIL = """\
};

#endif"""


def slope(x):
    """The derivative of the Legendre polynomial at x."""
    return POINTS * (x * legendre(POINTS, x) - legendre(POINTS - 1, x)) / (x**2 - 1)


def root(i):
    """The i-th largest root of the Legendre polynomial, i = 1, 2, .."""
    x = cos(pi * (i - mpf(1) / 4) / (POINTS + mpf(1) / 2))
    for _ in range(NEWTON_STEPS):
        x -= legendre(POINTS, x) / slope(x)
    return x


print(HEAD)
for i in range(1, POINTS // 2 + 1):
    x = root(i)
    weight = 2 / ((1 - x**2) * slope(x)**2)
    print("    {%s, %s}," % (nstr((1 - x) / 2, 20), nstr(weight / 2, 20)))
print(TAIL)
