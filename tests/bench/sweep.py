#!/usr/bin/env python3
"""The parameter sweep of Samaga et al., listing A.10, in NumPy, with all divisors.

Prints its CPU time in us for each n,k given.

Written from the description of the listing; it differs in the one bug that docs/claims.md names.
"""
import sys
import time

import numpy as np


def recall_estimate(rng, n, b, k, k_b, trials):
    x = rng.hypergeometric(k, n - k, n // b, size=trials)
    recall = 1.0 - b * np.maximum(x - k_b, 0) / k
    return recall.mean(), recall.std(ddof=1) / np.sqrt(trials)


def select(rng, n, k, target, most_k_b=4):
    divisors = [b for b in range(n // 128 * 128, 127, -128) if n % b == 0]
    best = None
    for k_b in range(1, most_k_b + 1):
        for b in divisors:
            if b * k_b < k or k_b > n // b:
                if b * k_b < k:
                    break
                continue
            trials = 4096
            recall, error = recall_estimate(rng, n, b, k, k_b, trials)
            while 3 * error > 0.005:
                trials *= 2
                recall, error = recall_estimate(rng, n, b, k, k_b, trials)
            if recall < target:
                break
            if best is None or b * k_b < best[0] * best[1]:
                best = (b, k_b)
    return best


for argument in sys.argv[1:]:
    n, k = map(int, argument.split(","))
    rng = np.random.default_rng(1)
    times = []
    for _ in range(3):
        start = time.process_time()
        select(rng, n, k, 0.95)
        times.append(time.process_time() - start)
    print(1e6 * sorted(times)[1], flush=True)
