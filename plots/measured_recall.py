#!/usr/bin/env python3
"""measured_recall.py - the recall that recallmodel bench measured, against the model.

    plots/measured_recall.py [FOLDER]           prints the distribution of z
    plots/measured_recall.py --check [FOLDER]   also holds it to the bounds below

FOLDER has the files *.csv of runs (plots/cpu_runs.py says which it is by default). A cell is a
shape of buckets; it counts once, however often it was timed, because all files have the same rows.
The column z is the measured recall less that of the model, over its standard deviation.

1. recall_model is that of Eq. (1), computed here anew: to 1e-9.
2. z is what these two recalls and the standard deviation of the command say: to what the nine
   digits of the recalls leave.
3. The mean of z is 0 within 6 standard errors. Cells of the same n and m share their rows, and may
   be alike; so what counts is the mean of each (n, m), and how far these means scatter.
4. The same for the mean of z^2, which is 1, over the cells in which 5 lost elements or more are
   expected: where fewer are, a single one decides over z^2.
5. No cell is less likely than 1e-6 over their number. How many elements were lost in m rows is
   bounded from both sides by Chernoff's inequality. The numbers of top elements in the buckets are
   negatively associated (Joag-Dev and Proschan, 1983), so the expectation of a product over buckets
   is at most the product of the expectations.

With fewer than 8 pairs (n, m) checks 3 and 4 are left out. Where few elements are lost, a single
one is many standard deviations: z = -8 may be likely, and check 5 says so. It needs only the
standard library. Exit status 1: a bound does not hold; 3: there are no runs.

SPDX-License-Identifier: Apache-2.0
"""
import math
import pathlib
import statistics
import sys

import cpu_runs
from program import ask, read, words, wrong

LEAST = 1e-6  # the false-alarm rate of check 5
ERRORS = 6  # of checks 3 and 4: by chance 2e-5 each with 17 pairs (n, m)
PAIRS = 8
MANY = 5
KEYS = "work", "assignment", "n", "k", "b", "k_b", "m"


def distribution_of_bucket(n, k, length):
    """{x: probability} that x of the top k are in a bucket of `length`: hypergeometric."""
    def ratio(x):  # of the probability of x + 1 to that of x
        return (length - x) * (k - x) / ((x + 1) * (n - length - k + x + 1))
    first, last = max(0, k - (n - length)), min(length, k)
    mode = max(first, min((length + 1) * (k + 1) // (n + 2), last))
    dist = {mode: 1.0}
    for x in range(mode, last):
        dist[x + 1] = dist[x] * ratio(x)
        if dist[x + 1] < 1e-40:
            break
    for x in range(mode, first, -1):
        dist[x - 1] = dist[x] / ratio(x - 1)
        if dist[x - 1] < 1e-40:
            break
    total = math.fsum(dist.values())
    return {x: p / total for x, p in dist.items()}


class Bucket:
    """How many of a bucket's top elements are lost: those above k_b."""

    def __init__(self, n, k, k_b, length):
        self.dist = {0: 0.0}
        for x, p in distribution_of_bucket(n, k, length).items():
            lost = max(0, x - k_b)
            self.dist[lost] = self.dist.get(lost, 0.0) + p
        self.most = max(self.dist)

    def mean(self):
        return sum(lost * p for lost, p in self.dist.items())

    def log_transform(self, t):
        return math.log1p(sum(math.expm1(t * lost) * p for lost, p in self.dist.items() if lost))


class Cell:
    def __init__(self, row):
        self.name = ", ".join(f"{c} {row[c]}" for c in ("work", *KEYS[2:]))
        n, k, b, k_b, self.m = (int(row[c]) for c in KEYS[2:])
        self.shares = n, self.m
        self.k, self.z = k, float(row["z"])
        self.recall, self.recall_model = float(row["recall"]), float(row["recall_model"])
        self.shape = n, k, b, k_b
        longer = n % b
        lengths = [(n // b, b - longer), (n // b + 1, longer)]
        self.buckets = [(Bucket(n, k, k_b, length), count) for length, count in lengths
                        if length and count]

    def lost(self):
        """How many elements of all rows were lost."""
        return round(self.m * self.k * (1 - self.recall))

    def expected(self):
        """The same by Eq. (1)."""
        return self.m * sum(count * bucket.mean() for bucket, count in self.buckets)

    def chance(self):
        """A bound on the probability to be as far off on the same side."""
        def exponent(t):
            return sum(self.m * count * bucket.log_transform(t) for bucket, count in self.buckets) \
                - t * self.lost()
        sign = 1 if self.lost() > self.expected() else -1
        most = max(bucket.most for bucket, _ in self.buckets)
        low, high = 0.0, min(60.0, 600 / max(1, most))
        for _ in range(40):  # the exponent is convex
            a, b = low + (high - low) / 3, high - (high - low) / 3
            if exponent(sign * a) < exponent(sign * b):
                high = b
            else:
                low = a
        return math.exp(min(0.0, exponent(sign * (low + high) / 2)))


def cells_of(folder):
    cells = {}
    for path in sorted(folder.glob("*.csv")):
        for row in read(path):
            key = (*(row.get(c) for c in KEYS), row.get("recall"))
            if key not in cells and row.get("z") and math.isfinite(float(row["z"])):
                cells[key] = Cell(row)
    return list(cells.values())


def of_rows(cells, value):
    """The mean of value(cell) over the means of each (n, m), and its standard error."""
    groups = {}
    for c in cells:
        groups.setdefault(c.shares, []).append(value(c))
    means = [statistics.mean(group) for group in groups.values()]
    if len(means) < PAIRS:
        return math.nan, math.nan
    return statistics.mean(means), statistics.stdev(means) / math.sqrt(len(means))


class Summary:
    def __init__(self, cells):
        self.cells = cells
        self.mean = statistics.mean(c.z for c in cells)
        self.sd = statistics.pstdev(c.z for c in cells)
        self.many = [c for c in cells if c.expected() >= MANY]
        self.mean_of_rows = of_rows(cells, lambda c: c.z)
        self.square_of_rows = of_rows(self.many, lambda c: c.z ** 2)
        self.farthest = max(cells, key=lambda c: abs(c.z))
        self.chances = {c.name: c.chance() for c in cells}
        self.rarest = min(cells, key=lambda c: self.chances[c.name])

    def text(self):
        far, rare = self.farthest, self.rarest
        mean, error = self.mean_of_rows
        text = (f"Over {len(self.cells)} cells z has the mean {self.mean:.2f} and the standard "
                f"deviation {self.sd:.2f}")
        if self.many:
            many = math.sqrt(statistics.mean(c.z ** 2 for c in self.many))
            text += (f" ({many:.2f} about 0 in the {len(self.many)} cells that expect {MANY} lost "
                     f"elements or more)")
        if not math.isnan(mean):
            text += f"; by rows the mean is {mean:.2f} with a standard error of {error:.2f}"
        return (f"{text}. The largest |z| is {abs(far.z):.1f}: {far.lost()} lost where "
                f"{far.expected():.2g} are expected. Of all {len(self.cells)} cells the least "
                f"likely ({rare.lost()} lost, {rare.expected():.2g} expected) has a chance of at "
                f"most {self.chances[rare.name]:.1g} by Chernoff's bound.")

    def faults(self):
        for c in self.cells:
            recall = 1 - c.expected() / (c.m * c.k)
            if abs(recall - c.recall_model) > 1e-9:
                yield f"{c.name}: recall_model {c.recall_model}, Eq. (1) {recall:.12g}"
            if self.chances[c.name] * len(self.cells) < LEAST:
                yield (f"{c.name}: {c.lost()} lost, {c.expected():.4g} expected: a chance of at "
                       f"most {self.chances[c.name]:.2g}")
        yield from wrong_z(self.cells)
        for name, (mean, error), right in (("z", self.mean_of_rows, 0),
                                           ("z^2", self.square_of_rows, 1)):
            if abs(mean - right) > ERRORS * error:
                yield f"the mean of {name} is {mean:.3f}, {right} within {ERRORS * error:.3f}"


def wrong_z(cells):
    """Cells whose z is not what the recalls and the command's standard deviation say."""
    for c in cells:
        n, k, b, k_b = c.shape
        sd = float(ask("--n", n, "--k", k, "--b", b, "--kb", k_b)[0]["recall_sd"])
        sd /= math.sqrt(c.m)
        z = (c.recall - c.recall_model) / sd
        if abs(z - c.z) > 1e-6 + 2e-9 / sd:
            yield f"{c.name}: z {c.z}, computed {z:.9g}"


def main(arguments):
    check = arguments[:1] == ["--check"]
    given = arguments[check:]
    folder = pathlib.Path(given[0]) if given else cpu_runs.folder()
    if len(given) > 1 or (given and given[0].startswith("-")):
        wrong("give --check, a folder, or both")
    cells = cells_of(folder) if folder else []
    if not cells:
        print(f"measured_recall.py: no runs; this waits for {cpu_runs.WAITS}", file=sys.stderr)
        return 3
    summary = Summary(cells)
    print(summary.text())
    faults = list(summary.faults()) if check else []
    for fault in faults:
        print(f"FAIL: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(words()))
