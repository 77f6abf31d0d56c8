#!/usr/bin/env python3
"""reuse.py - what a selection of keys that is some steps, or some layers, old still has.

    PYTHONPATH=python tools/real_tensors/reuse.py build/real-tensors > reuse.csv

For each document, layer and k: the share of the top k of a query that was in the top k of the query
so many positions before it, and their share of its softmax mass; the same for the same head of
another layer; and for the keys of those blocks whose mean key scores best, by the percentage of
keys that these have (the mean of scores is the score of the mean). Beside them the correlation of
the normal scores of both rows, and the overlap that bivariate normal scores with it have.
"""
import argparse
import csv
import math
import pathlib
import sys

import numpy
import recallmodel

KS = [64, 256, 1024, 2048]
STEPS = [1, 2, 4, 8, 16, 32]
BLOCK = 64
VISITED = [6, 12, 25, 50]


def normal_score(share):
    """The z above which this share of the normal law lies."""
    low, high = -10.0, 10.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        if math.erfc(middle / math.sqrt(2)) / 2 > share:
            low = middle
        else:
            high = middle
    return low


SCORES = {}


def normal_scores(rows):
    """Each value replaced by the normal score of its rank in its row."""
    n = rows.shape[1]
    if n not in SCORES:
        SCORES[n] = numpy.array([normal_score((i + 0.5) / n) for i in range(n)])
    scores = numpy.empty(rows.shape)
    order = numpy.argsort(-rows, axis=1)
    numpy.put_along_axis(scores, order, numpy.broadcast_to(SCORES[n], rows.shape), 1)
    return scores


def top(rows, k):
    mask = numpy.zeros(rows.shape, bool)
    numpy.put_along_axis(mask, numpy.argpartition(-rows, k - 1, axis=1)[:, :k], True, 1)
    return mask


def compare(old, new, visited, k):
    """Overlap and mass of the old top keys in the new rows."""
    was, now = top(old, visited), top(new, k)
    weight = numpy.exp(new - new.max(1, keepdims=True))
    both = was & now
    return both.sum(1).mean() / k, ((weight * both).sum(1) / (weight * now).sum(1)).mean()


def write(out, place, old, new, visited=None):
    """old and new see the same keys, of which `visited` are taken by the old scores (None: k)."""
    a, b = normal_scores(old), normal_scores(new)
    correlations = (a * b).mean(1) / numpy.sqrt((a * a).mean(1) * (b * b).mean(1))
    n = old.shape[1]
    for k in KS:
        if k > (visited or n):
            continue
        share, mass = compare(old, new, visited or k, k)
        model = numpy.mean([recallmodel.overlap(k / n, (visited or k) / n, float(r))
                            for r in correlations])
        out.writerow([*place, k, f"{share:.4g}", f"{mass:.4g}", f"{correlations.mean():.4g}",
                      f"{model:.4g}"])


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("folder", type=pathlib.Path)
    folder = options.parse_args().folder
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("document layer from distance k overlap mass correlation overlap_model".split())
    for document in sorted(path.parent for path in folder.glob("*/document.json")):
        layers = {path.name: numpy.load(path / "logits.npy") for path in
                  sorted(document.glob("layer-*"))}
        for name, logits in layers.items():
            heads, queries, n = logits.shape
            seen = n - queries  # keys that all of these queries see
            for step in STEPS:
                write(out, (document.name, name, "query", step),
                      logits[:, :queries - step, :seen].reshape(-1, seen)[::4],
                      logits[:, step:, :seen].reshape(-1, seen)[::4])
            for other, theirs in layers.items():
                if other < name:
                    write(out, (document.name, name, other, 0),
                          theirs[:, ::4, :seen].reshape(-1, seen),
                          logits[:, ::4, :seen].reshape(-1, seen))
            rows = logits[:, ::4, :seen // BLOCK * BLOCK].reshape(heads * queries // 4, -1)
            means = rows.reshape(len(rows), -1, BLOCK).mean(2).repeat(BLOCK, axis=1)
            for percent in VISITED:
                blocks = rows.shape[1] * percent // (100 * BLOCK)
                write(out, (document.name, name, f"blocks of {BLOCK}", percent), means, rows,
                      blocks * BLOCK)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
