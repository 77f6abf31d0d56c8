#!/usr/bin/env python3
"""Writes gauss_legendre.h: nodes and weights of the 48-point Gauss-Legendre rule on [0, 1]. Needs mpmath.

    python3 model/gauss_legendre.py > model/gauss_legendre.h
"""
from mpmath import cos, legendre, mp, mpf, nstr, pi

mp.dps = 40
POINTS = 48

print("/* Written by gauss_legendre.py: the %d-point Gauss-Legendre rule on [0, 1]. The nodes are x and 1 - x of each row.\n"
      " * Checked in tests/test_counts.c. */" % POINTS)
print("#ifndef GAUSS_LEGENDRE_H\n#define GAUSS_LEGENDRE_H\n")
print("#define GAUSS_LEGENDRE_PAIRS %d\n" % (POINTS // 2))
print("static const struct {\n    double x, weight;\n} gauss_legendre[GAUSS_LEGENDRE_PAIRS] = {")
for i in range(1, POINTS // 2 + 1):
    root = cos(pi * (i - mpf(1) / 4) / (POINTS + mpf(1) / 2))
    for _ in range(8):  # Newton
        slope = POINTS * (root * legendre(POINTS, root) - legendre(POINTS - 1, root)) / (root**2 - 1)
        root -= legendre(POINTS, root) / slope
    weight = 2 / ((1 - root**2) * slope**2)
    print("    {%s, %s}," % (nstr((1 - root) / 2, 20), nstr(weight / 2, 20)))
print("};\n\n#endif")
