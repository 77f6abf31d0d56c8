#!/usr/bin/env python3
"""Writes probability_reference.csv: P(a row loses nothing) in 60-digit arithmetic.

Needs mpmath and gmpy2; a minute.

    python3 tests/model/make_probability_reference.py > tests/model/probability_reference.csv

The coefficient of z^k in the product over buckets of sum over x <= k_b of C(size, x) z^x, over
C(n, k): polynomials with positive coefficients of 300 bits are multiplied as long integers, by
repeated squaring. There is no Fourier sum, and z is scaled only to keep the coefficients of one
size. Coefficients below 2^-220 of the largest are left out. The shapes are drawn with a fixed seed:
few buckets with nearly all room taken, ordinary ones, padded, many buckets, uneven ones.
A line: up to three classes (size, count; unused ones 0, 0), k, k_b, the probability.
"""
import math
import random

import gmpy2
from mpmath import exp, log, loggamma, mp, mpf, nstr

mp.dps = 60
BITS = 300
SLOT = 2 * BITS + 64  # a product of two coefficients of up to BITS + 1 bits, summed 2^60 times


def log_choose(n, k):
    return loggamma(mpf(n) + 1) - loggamma(mpf(k) + 1) - loggamma(mpf(n - k) + 1)


class Poly:
    """sum of c[i] z^(first + i) 2^exponent, c[i] integers."""

    def __init__(self, first, c, exponent):
        top = max(c).bit_length() - BITS
        if top > 0:
            c = [v >> top for v in c]
            exponent += top
        least = max(c) >> 220
        low = next(i for i, v in enumerate(c) if v > least)
        high = next(i for i in range(len(c) - 1, -1, -1) if c[i] > least)
        self.first, self.c, self.exponent = first + low, c[low:high + 1], exponent

    def __mul__(self, other):
        product = gmpy2.pack(self.c, SLOT) * gmpy2.pack(other.c, SLOT)
        exponent = self.exponent + other.exponent
        return Poly(self.first + other.first, gmpy2.unpack(product, SLOT), exponent)

    def power(self, count):
        result, square = None, self
        while True:
            if count & 1:
                result = square if result is None else result * square
            count >>= 1
            if count == 0:
                return result
            square = square * square

    def at(self, k):
        i = k - self.first
        return mpf(int(self.c[i])) * mpf(2) ** self.exponent if 0 <= i < len(self.c) else mpf(0)


def support(size, odds, low, high, least):
    """Where terms relative to the largest exceed `least`; the mean. In doubles: only a guide."""
    start = min(max(int((size + 1) * (odds / (1 + odds))), low), high)
    total, mean, t, first, last = 1.0, 0.0, 1.0, start, start
    while first > low and t > least:
        t /= (size - first + 1) * odds / first
        first -= 1
        total += t
        mean += t * (first - start)
    t = 1.0
    while last < high and t > least:
        t *= (size - last) * odds / (last + 1)
        last += 1
        total += t
        mean += t * (last - start)
    return start, first, last, mean / total


def probability(classes, k, k_b):
    n = sum(s * c for s, c in classes)
    room = sum(min(s, k_b) * c for s, c in classes)
    ends = [(max(0, min(s, k_b) - (room - k)), min(s, k_b)) for s, c in classes]
    below, above = -60.0, 90.0
    for _ in range(60):
        middle = (below + above) / 2
        total = -k
        for (s, c), (low, high) in zip(classes, ends):
            start, _, _, mean = support(s, math.exp(middle), low, high, 1e-12)
            total += c * start + c * mean
        below, above = (middle, above) if total < 0 else (below, middle)
    odds = mpf(math.exp(below))
    answer, scale = None, mpf(0)
    for (s, c), (low, high) in zip(classes, ends):
        start, first, last, _ = support(s, float(odds), low, high, 1e-70)
        terms = {start: mpf(1)}
        for x in range(start, first, -1):
            terms[x - 1] = terms[x] * x / ((s - x + 1) * odds)
        for x in range(start, last):
            terms[x + 1] = terms[x] * (s - x) * odds / (x + 1)
        coefficients = [gmpy2.mpz(int(terms[x] * mpf(2) ** BITS)) for x in range(first, last + 1)]
        scale += c * (log_choose(s, start) + start * log(odds))
        power = Poly(first, coefficients, -BITS).power(c)
        answer = power if answer is None else answer * power
    return exp(scale - log_choose(n, k) - k * log(odds)) * answer.at(k)


def even(n, b):
    q, r = divmod(n, b)
    return [(s, c) for s, c in ((q + 1, r), (q, b - r)) if c]


def scale_between(draw, low, high):
    return int(low * (high / low) ** draw.random())


def full(draw):
    """Few buckets, nearly all room taken."""
    b = draw.randint(2, 7) if draw.random() < 0.8 else draw.randint(8, 40)
    k_b = scale_between(draw, 2, 3 * 10**6 if b < 8 else 10**5)
    most = max(2, min(3000, int(2 * (b * k_b) ** 0.5)))
    left = 0 if draw.random() < 0.1 else scale_between(draw, 1, most)
    k = b * k_b - left
    n = min(scale_between(draw, k + b, 2**53 - 1), 2**53 - 1)
    return even(n, b), k, k_b


def ordinary(draw):
    b = scale_between(draw, 2, 2000)
    k = scale_between(draw, 2, 4000)
    n = scale_between(draw, max(k, b) + 1, 2**52)
    mean = k / b
    k_b = max(1, round(mean + draw.uniform(0.5, 6) * max(mean, 0.3) ** 0.5))
    return even(n, b), k, k_b


def padded(draw):
    """Contiguous: full buckets, a partial one; sizes q + 1 and q where they are spread."""
    classes, k, k_b = ordinary(draw)
    q = classes[-1][0]
    if q > 2:
        classes = classes + [(draw.randint(1, q - 1), 1)]
    return classes, k, k_b


def many(draw):
    """Many buckets, small k_b."""
    k_b = draw.randint(1, 12)
    b = scale_between(draw, 100, 300000)
    k = min(scale_between(draw, 2, 50000), b * k_b)
    return even(scale_between(draw, max(k, b) + 1, 2**52), b), k, k_b


def uneven(draw):
    """Sizes that have nothing to do with each other."""
    sizes = {scale_between(draw, 1, 10 ** draw.randint(2, 9)) for _ in range(3)}
    sizes = sorted(sizes, reverse=True)
    classes = [(s, scale_between(draw, 1, 40)) for s in sizes]
    k_b = scale_between(draw, 1, 600)
    room = sum(min(s, k_b) * c for s, c in classes)
    nearly = draw.random() < 0.7
    part = scale_between(draw, 1, room)
    return classes, max(1, room - part) if nearly else part, k_b


def main():
    draw = random.Random(14)
    print("size1,count1,size2,count2,size3,count3,k,k_b,probability")
    known = [(even(127057151953, 4), 2306260, 576565), (even(160259713, 2), 1086425, 543213),
             (even(520244128780, 27), 692, 39), (even(1178536, 2), 11938, 5985)]
    kinds = ((None, len(known)), (full, 300), (ordinary, 200), (padded, 60), (many, 80),
             (uneven, 120))
    for kind, count in kinds:
        made = 0
        while made < count:
            classes, k, k_b = known[made] if kind is None else kind(draw)
            n = sum(s * c for s, c in classes)
            room = sum(min(s, k_b) * c for s, c in classes)
            if not (k_b < k <= n and k_b < classes[0][0] and room >= k):
                continue
            p = probability(classes, k, k_b)
            if kind is not None and p < mpf(10) ** (-13 if draw.random() < 0.8 else -250):
                continue
            made += 1
            fields = [v for s in (classes + [(0, 0)] * 3)[:3] for v in s] + [k, k_b]
            print(",".join(map(str, fields)) + "," + nstr(p, 25), flush=True)


if __name__ == "__main__":
    main()
