#!/usr/bin/env python3
"""Makes ziggurat.h: the layers of Marsaglia and Tsang's ziggurat for the normal distribution, in
50-digit arithmetic.

256 layers of equal area v lie under f(x) = exp(-x^2/2). The tail begins at edge[1] = r, and v is
r f(r) plus the area of the tail. The layers above are edge[i+1] = f^-1(f(edge[i]) + v/edge[i]), and
r is such that the last layer ends at f = 1. edge[0] = v/f(r) gives the base layer, with the tail,
its area.

python3 sim/rows/ziggurat.py > sim/rows/ziggurat.h        (needs mpmath)
"""
from mpmath import erfc, exp, findroot, log, mp, mpf, pi, sqrt

mp.dps = 50
LAYERS = 256


def f(x):
    return exp(-x * x / 2)


def layers(r):
    v = r * f(r) + sqrt(pi / 2) * erfc(r / sqrt(mpf(2)))
    edge = [v / f(r), r]
    while len(edge) < LAYERS:
        edge.append(sqrt(-2 * log(f(edge[-1]) + v / edge[-1])))
    return v, edge


def excess(r):
    """How far the top of the last layer is from f = 1."""
    v, edge = layers(r)
    return f(edge[-1]) + v / edge[-1] - 1


r = findroot(excess, (mpf("3.654152885361"), mpf("3.654152885362")))
assert abs(excess(r)) < mpf(10) ** -40
v, edge = layers(r)
edge.append(mpf(0))

print("/* ziggurat.h - made by ziggurat.py: the layers of the ziggurat for the normal"
      " distribution.")
print(" *\n * SPDX-License-Identifier: Apache-2.0 */")
print("/* clang-format off */")
print("#ifndef ZIGGURAT_H\n#define ZIGGURAT_H\n")
print("/* Layer i reaches from 0 to edge[i], between the heights exp(-edge[i]^2/2) and")
print(" * exp(-edge[i + 1]^2/2). Layer 0 is the base with the tail, which begins at edge[1]. */")
print("static const double ziggurat_edge[%d] = {" % (LAYERS + 1))
for i in range(0, LAYERS + 1, 4):
    print("    " + " ".join(float(x).hex() + "," for x in edge[i:i + 4]))
print("};\n")
print("/* exp(-edge[i]^2/2) */")
print("static const double ziggurat_height[%d] = {" % (LAYERS + 1))
for i in range(0, LAYERS + 1, 4):
    print("    " + " ".join(float(f(x)).hex() + "," for x in edge[i:i + 4]))
print("};\n\n#endif")
