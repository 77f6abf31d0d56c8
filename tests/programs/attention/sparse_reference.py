"""Sparse attention key by key, in NumPy doubles, against the CSV of `recallmodel sparse`.

    python3 sparse_reference.py CSV QUERIES KEYS VALUES SINK WINDOW [share]

Methods: topk, streaming, full exactly; random by what does not depend on which keys it takes.
Prints the number of rows that were compared; ends with status 1 at the first that differs.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import math
import sys

import numpy


class Tensors:
    def __init__(self, arguments):
        names = [name.split(",") for name in arguments[:3]]
        self.documents = [[numpy.load(name).astype(float) for name in names_of]
                          for names_of in zip(*names)]
        self.sink, self.window = int(arguments[3]), int(arguments[4])
        self.share = arguments[5:] == ["share"]

    def groups(self):
        """For each document and key head: queries [heads, n_q, d], keys, values, first head."""
        for queries, keys, values in self.documents:
            group = len(queries) // len(keys)
            for head in range(len(keys)):
                yield (queries[head * group:(head + 1) * group], keys[head], values[head],
                       head * group)


def softmax(logits):
    weights = numpy.exp(logits - logits.max())
    return weights / weights.sum()


def largest(scores, wanted):
    """The places of the largest scores; of equal ones the first."""
    return numpy.argsort(-scores, kind="stable")[:wanted]


def visited_by(method, logits, opened, wanted, share):
    """For each query head: the keys that are visited."""
    if method == "full":
        return [opened] * len(logits)
    if method == "streaming":
        return [opened[:0]] * len(logits)
    scores = [row[opened] for row in logits]
    if share and len(logits) > 1:
        scores = [sum(softmax(row) for row in scores)] * len(logits)
    return [opened[largest(row, wanted)] for row in scores]


def queries_of(tensors, method, budget, k, head):
    """For each query its mass, recall, error, norm, share of keys visited, and of keys read."""
    for queries, keys, values, first_head in tensors.groups():
        n, n_q, d = len(keys), queries.shape[1], keys.shape[1]
        for i in range(n_q):
            seen = n - n_q + i + 1
            logits = queries[:, i] @ keys[:seen].T / math.sqrt(d)
            opened = numpy.arange(min(tensors.sink, seen), max(seen - tensors.window,
                                                               min(tensors.sink, seen)))
            wanted = math.floor(budget * n + 0.5)
            chosen = visited_by(method, logits, opened, wanted, tensors.share)
            for h, row in enumerate(logits):
                if head is not None and first_head + h != head:
                    continue
                weights = softmax(row)
                read = numpy.ones(seen, bool)
                read[opened] = False
                read[chosen[h]] = True
                output = weights @ values[:seen]
                sparse = weights[read] @ values[:seen][read] / weights[read].sum()
                top = opened[largest(row[opened], k)]
                yield (weights[read].sum(), numpy.isin(top, chosen[h]).mean() if len(top) else
                       math.nan, ((output - sparse)**2).sum(), (output**2).sum(),
                       len(chosen[h]) / n, read.sum() / n)


def main():
    tensors, compared = Tensors(sys.argv[2:]), 0
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        head = int(row["head"]) if row["head"] else None
        found = numpy.array(list(queries_of(tensors, row["method"], float(row["budget"]),
                                            int(row["k"]), head)))
        want = {"mass": found[:, 0].mean(), "recall": numpy.nanmean(found[:, 1]),
                "error": found[:, 2].sum() / found[:, 3].sum(), "visited": found[:, 4].mean(),
                "selectivity": found[:, 5].mean()}
        if row["method"] == "random":  # as many keys as topk, but others
            want = {name: want[name] for name in ("visited", "selectivity")}
        for name, value in want.items():
            got = float(row[name])
            if not abs(got - value) <= 1e-5 * max(abs(value), 1e-3):
                sys.exit(f"{row['method']} {row['budget']} head {head} k {row['k']}: {name} is "
                         f"{got}, not {value}")
        if int(row["queries"]) != len(found):
            sys.exit(f"{row['method']}: {row['queries']} queries, not {len(found)}")
        compared += 1
    print(compared)


main()
