#!/usr/bin/env python3
"""Writes reference.csv: losses and standard deviations of large shapes in high precision.

    python3 tests/model/make_reference.py > tests/model/reference.csv

Needs mpmath, and half an hour. It works from the definitions, by other means than model/: the tail
sums start from log-gamma at 80 digits and go term by term (the last rows: quadrature); the variance
is E[E_i E_j] - E[E_i] E[E_j] with E[E_j | X_i = x] from its first differences.
The shapes are drawn with a fixed seed.
"""
import random
import sys

from mpmath import exp, log, loggamma, mp, mpf, nstr, quad, sqrt

mp.dps = 80
N_MAX = 2**53 - 1


def log_choose(n, k):
    return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)


def hypergeometric(n, k, s, x):
    """P(X = x): k of n are good, s are drawn."""
    if x < max(0, k + s - n) or x > min(k, s):
        return mpf(0)
    return exp(log_choose(k, x) + log_choose(n - k, s - x) - log_choose(n, s))


def ratio(n, k, s, x):
    return mpf((k - x) * (s - x)) / ((x + 1) * (n - k - s + x + 1))


def wide_tail(probability, c, sd):
    """The same sums where there are too many terms: Euler and Maclaurin with mpmath's quadrature.

    The derivatives of the pmf are central differences. They weigh less than 1/sd^2 < 1e-10 and are
    good to 1e-6.
    """
    points = [sd * x for x in (0, mpf(1) / 4, mpf(1) / 2, 1, 2, 3, 4, 6, 8, 10, 13, 17)]
    h = sd / 1000
    p = [probability(c + i * h) for i in range(-2, 3)]
    first, second = (p[3] - p[1]) / (2 * h), (p[3] - 2 * p[2] + p[1]) / h**2
    third = (p[4] - 2 * p[3] + 2 * p[1] - p[0]) / (2 * h**3)
    above = quad(lambda y: probability(c + y), points) - p[2] / 2 - first / 12 + third / 720
    return above, quad(lambda y: y * probability(c + y), points) - p[2] / 12 + 3 * second / 720


def tail(n, k, s, c, step):
    """Sums over x > c of P(x) and (x - c) P(x).

    step is the ratio of neighbours, first the probability of c + 1.
    """
    sd = sqrt(mpf(k) * s / n * (n - s) / n * (mpf(n - k) / (n - 1) if step is ratio else 1))
    if sd > 2**17:
        return wide_tail((lambda x: hypergeometric(n, k, s, x)) if step is ratio else
                         (lambda x: binomial(n, k, x)), c, sd)
    term = first = hypergeometric(n, k, s, c + 1) if step is ratio else binomial(n, k, c + 1)
    above = excess = mpf(0)
    x = c + 1
    while (term > first * mpf(10)**-40 * (1 if x < c + 3 else min(1, above / first))
           or x < k * s / mpf(n)):
        above += term
        excess += (x - c) * term
        term *= step(n, k, s, x)
        x += 1
        if term == 0:
            break
    return above, excess


def binomial(b, k, x):
    if x > k:
        return mpf(0)
    if b == 1:
        return mpf(x == k)
    return exp(log_choose(k, x) - x * log(b) + (k - x) * log(1 - mpf(1) / b))


def binomial_ratio(b, k, s, x):
    return mpf(k - x) / ((x + 1) * (b - 1))


def sizes(n, b):
    q, r = divmod(n, b)
    return [(s, count) for s, count in ((q + 1, r), (q, b - r)) if count]


def loss(n, k, b, k_b):
    return sum(count * tail(n, k, s, k_b, ratio)[1] for s, count in sizes(n, b)) / k


def loss_binomial(n, k, b, k_b):
    return mpf(b) / k * tail(b, k, 1, k_b, binomial_ratio)[1]


def survival_of_last(n, k, b, k_b):
    return 1 - sum(count * mpf(s) / n * tail(n - 1, k - 1, s - 1, k_b - 1, ratio)[0]
                   for s, count in sizes(n, b))


def deviation(n, k, b, k_b):
    """Standard deviation of recall by E[E_i E_j] over all x that matter.

    Twice as many digits, because terms cancel.
    """
    variance = mpf(0)
    classes = sizes(n, b)
    mean = {s: tail(n, k, s, k_b, ratio)[1] for s, _ in classes}
    for s, count in classes:
        width = int(40 * sqrt(mpf(k) * s / n * (1 - mpf(s) / n) + 1)) + 40
        low, high = max(0, k + s - n, k_b - width), min(k, s, int(k * s / n) + width)
        dist = [hypergeometric(n, k, s, low)]
        for x in range(low, high):
            dist.append(dist[-1] * ratio(n, k, s, x))
        variance += count * (sum(p * max(0, low + i - k_b)**2
                                 for i, p in enumerate(dist)) - mean[s]**2)
        for t, others in classes:
            pairs = count * (others - (s == t))
            if pairs == 0 or t <= k_b or s <= k_b:
                continue
            rest = n - s  # the other bucket draws t of these, k - x of which are good
            start = max(k_b + 1, low)
            if start > high:
                continue
            product, slope, steepest = mpf(0), None, None
            g = tail(rest, k - start, t, k_b, ratio)[1]
            for i, x in enumerate(range(start, high + 1)):
                product += dist[x - low] * (x - k_b) * g
                # g(good + 1) - g(good) = (t / rest) P(Hyp(rest - 1, good, t - 1) >= k_b) =: slope
                good = k - x - 1
                if good < 0 or dist[x - low] < mpf(10) ** -70 * dist[start - low]:
                    break
                if k_b > 64 and slope is not None:  # the slope's own difference is one probability
                    slope -= mpf(t) / rest * mpf(t - 1) / (rest - 1) * hypergeometric(
                        rest - 2, good, t - 2, k_b - 1)
                if k_b <= 64 or i % 500 == 0:
                    fresh = mpf(t) / rest * tail(rest - 1, good, t - 1, k_b - 1, ratio)[0]
                    steepest = steepest or fresh
                    assert (k_b <= 64 or slope is None
                            or abs(slope - fresh) < mpf(10)**-35 * steepest)
                    slope = fresh
                g -= slope
            variance += pairs * (product - mean[s] * mean[t])
    return sqrt(variance) / k


def shapes():
    rng = random.Random(20261121)
    yield 262144, 1024, 512, 4
    yield 262144, 64, 640, 1
    small = [1, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 10, 12, 16, 24, 32, 64]
    for k_b in small * 4 + [256] * 6 + [4096] * 6 + [2**16] * 4 + [2**20] * 2 + [2**30]:
        while True:
            n = int(2 ** rng.uniform(8, 53)) if rng.random() < 0.8 else 2 ** rng.randint(8, 52)
            n = min(n, N_MAX)
            k = int(2 ** rng.uniform(0, mp.log(n, 2)))
            if k_b > 64:
                z = rng.uniform(-0.5, 34)
                mu = max(k_b - z * k_b**0.5, k_b / 3.0)
                b = int(k / mu) + rng.randint(0, 1)
            else:
                b = int(-(-k // k_b) * 2 ** rng.choice([0, rng.uniform(0, 3), rng.uniform(0, 30)]))
            if not (1 <= b <= n and k_b < k and -(-n // b) > k_b and b * k_b >= k):
                continue
            if loss(n, k, b, k_b) > mpf(10) ** -290:
                break
        yield n, k, b, k_b
    # standard deviations of wide distributions
    for n, k, b, k_b in (
        (10**6, 60001, 3, 20100), (10**9 + 7, 102000, 5, 20500), (2**40, 20000 * 428, 428, 20200),
        (2**24, 3 * 400000 - 1500, 3, 400000), (10**9 + 7, 5 * 6000000 - 9000, 5, 6000000),
        (2**40, 40 * 10**6, 40, 1001500),
    ):
        yield n, k, b, k_b
    # the largest, where every sum runs over 10^5 terms and more
    yield 2**53 - 1, 2**45 + 12345, 2**16 - 1, 2**29 + 2**19
    yield 2**50, 2**40, 2**10 + 1, 2**30 + 2**15
    # beyond: quadrature
    yield 2**52 + 12345, 2**50 + 777, 100, (2**50 + 777) // 100 + 2**22
    yield 2**53 - 1, 2**52, 3, 2**52 // 3 + 2**23
    yield 2**53 - 1, 2**52 + 5, 2, 2**51 + 2**20
    yield 2**53 - 1, 2**51, 2, 2**50 + 2**27
    yield 2**53 - 111, 2**53 - 2**40, 5, (2**53 - 2**40) // 5 + 2**17
    yield 2**50, 2**46, 1021, 2**46 // 1021 + 2**20


print("n,k,b,k_b,loss,loss_binomial,survival_of_rank_k,recall_sd")
for n, k, b, k_b in shapes():
    sd = deviation(n, k, b, k_b) if k_b <= 2**15 or k_b in (400000, 6000000, 1001500) else None
    row = [loss(n, k, b, k_b), loss_binomial(n, k, b, k_b), survival_of_last(n, k, b, k_b)]
    print("%d,%d,%d,%d," % (n, k, b, k_b) + ",".join(nstr(v, 25) for v in row) + "," +
          (nstr(sd, 20) if sd is not None else ""))
    sys.stdout.flush()
