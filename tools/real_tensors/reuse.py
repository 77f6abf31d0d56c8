#!/usr/bin/env python3
"""reuse.py - what a selection of keys that is some steps, or some layers, old still has.

    PYTHONPATH=python tools/real_tensors/reuse.py build/real-tensors > reuse.csv
    PYTHONPATH=python tools/real_tensors/reuse.py --layers FOLDER > layers.csv

For each document, layer and k: the share of the top k of a query that was in the top k of the query
so many positions before it, and their share of its softmax mass; the same for the same head of
another layer; and for the keys of those blocks whose mean key scores best, by the percentage of
keys that these have (the mean of scores is the score of the mean). Beside them the correlation of
the normal scores of both rows, and the overlap that bivariate normal scores with it have.

--layers compares layers alone, without the first key and the last 128, which are read anyway: the
same head, and one selection for all heads by the sum of their softmax.
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
    """The z above which this share of the normal distribution lies."""
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


def logits_of(layer):
    """[heads, queries, n], as they were written, or from the queries and keys of the layer."""
    if (layer / "logits.npy").exists():
        return numpy.load(layer / "logits.npy")
    queries, keys = numpy.load(layer / "queries.npy"), numpy.load(layer / "keys.npy")
    keys = keys.repeat(len(queries) // len(keys), axis=0)
    return queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[2])


def compare(old, new, visited, k):
    """Overlap and mass of the old top keys in the new rows."""
    was, now = top(old, visited), top(new, k)
    weight = numpy.exp(new - new.max(1, keepdims=True))
    both = was & now
    return both.sum(1).mean() / k, ((weight * both).sum(1) / (weight * now).sum(1)).mean()


def of_all_heads(logits):
    """One row of logits for all heads: their softmax has the mean of those of the heads."""
    weights = numpy.exp(logits - logits.max(2, keepdims=True))
    return numpy.log((weights / weights.sum(2, keepdims=True)).mean(0, keepdims=True))


def write_layers(out, document, layers, first, last):
    """Each layer for each later one, by the keys first .. last - 1."""
    layers = {name: logits[:, ::4, first:last] for name, logits in layers.items()}
    for name, ours in layers.items():
        for other, theirs in layers.items():
            if other < name:
                write(out, (document.name, name, other, 0), theirs.reshape(-1, last - first),
                      ours.reshape(-1, last - first))
                write(out, (document.name, name, f"{other}, all heads", 0),
                      of_all_heads(theirs)[0], of_all_heads(ours)[0])


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
    options.add_argument("--layers", action="store_true")
    options = options.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("document layer from distance k overlap mass correlation overlap_model".split())
    for document in sorted(path.parent for path in options.folder.glob("*/document.json")):
        layers = {path.name: logits_of(path) for path in
                  sorted(document.glob("layer-*"))}
        if options.layers:
            shape = next(iter(layers.values())).shape
            write_layers(out, document, layers, 1, shape[2] - shape[1] - 128)
            continue
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
