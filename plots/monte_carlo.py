#!/usr/bin/env python3
"""monte_carlo.py - Figures 6 and 7 of Samaga et al.: exact, simulated and Monte Carlo recall.

    plots/monte_carlo.py N K K_B,..

For every k_b and every b that listing A.10 allows (multiples of 128 that divide n) with k to 24 k
candidates: what `recallmodel simulate` prints for 1024 rows, and the estimate of listing A.10.1
with its 262,144 samples:

    X ~ Hypergeometric(n, k, n/b),   recall = 1 - b max(X - k_b, 0) / k.

The samples come from the standard library (Mersenne Twister, a fixed seed). How many of 262,144
draws have each value of X is drawn at once, value by value, as a binomial number; that is the
distribution of the counts of single draws. $RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math
import random

from program import ask, joined, words, write, wrong

ROWS, SEED = 1024, 3
SAMPLES = 262144
LANES = 128
MOST = 24  # candidates, in k


def binomial(draw, count, p):
    """A binomial number: the order statistics of uniform numbers, halved (Devroye 1986, X.4)."""
    successes = 0
    while count > 16:
        middle = (count + 1) // 2
        at = draw.betavariate(middle, count + 1 - middle)
        if at <= p:
            successes += middle
            count -= middle
            p = (p - at) / (1 - at)
        else:
            count = middle - 1
            p /= at
    return successes + sum(draw.random() < p for _ in range(count))


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def counts_of_samples(draw, n, k, size):
    """[(x, how many of the samples are x)] of Hypergeometric(n, k, size)."""
    left, found = SAMPLES, []
    least, most = max(0, size - (n - k)), min(k, size)
    chance = math.exp(log_choose(n - size, k - least) + log_choose(size, least) - log_choose(n, k))
    beyond = 1.0  # the chance of x or more
    for x in range(least, most + 1):
        share = min(1.0, chance / beyond) if beyond > 0 and x < most else 1.0
        here = binomial(draw, left, share)
        found.append((x, here))
        left -= here
        beyond -= chance
        if left == 0:
            break
        chance *= (k - x) * (size - x) / ((x + 1) * (n - k - size + x + 1))
    return found


def estimate(draw, n, k, b, k_b):
    """The mean of the samples and its standard error."""
    found = counts_of_samples(draw, n, k, n // b)
    recalls = [(1 - b * max(x - k_b, 0) / k, count) for x, count in found]
    mean = math.fsum(r * count for r, count in recalls) / SAMPLES
    square = math.fsum((r - mean)**2 * count for r, count in recalls)
    return mean, math.sqrt(square / (SAMPLES - 1) / SAMPLES)


def rows_of(n, k, kept):
    """Rows by k_b, then b. One simulation has the same rows for all shapes, and draws them once."""
    wanted = {k_b: [b for b in range(LANES, n // 2 + 1, LANES)
                    if n % b == 0 and k <= b * k_b <= MOST * k] for k_b in kept}
    bs = sorted({b for of in wanted.values() for b in of})
    said = {(int(row["b"]), int(row["k_b"])): row for row in ask(
        "simulate", "--n", n, "--k", k, "--kb", joined(kept),
        "--b", joined(bs), "--repetitions", ROWS, "--seed", SEED)}
    for k_b, b in ((k_b, b) for k_b, of in wanted.items() for b in of):
        row = said[b, k_b]
        mean, stderr = estimate(random.Random(f"{SEED} {n} {k} {b} {k_b}"), n, k, b, k_b)
        difference = mean - float(row["model_recall"])
        z = difference / stderr if stderr > 0 else 0.0
        yield row | {"monte_carlo": f"{mean:.12g}", "monte_carlo_stderr": f"{stderr:.6g}",
                     "monte_carlo_z": f"{z:.4g}"}


def main(arguments):
    try:
        n, k, kept = arguments
        shape = int(n), int(k), [int(text) for text in kept.split(",")]
    except ValueError:
        wrong("give N, K and a list of K_B, such as 15360 480 1,2,4")
    write(rows_of(*shape))


if __name__ == "__main__":
    main(words())
