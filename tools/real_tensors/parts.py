#!/usr/bin/env python3
"""parts.py - what real rows lose if their elements are dealt out to parts in blocks.

    tools/real_tensors/parts.py build/real-tensors > parts.csv

For each document, layer, k, number of parts and block: the model's k_part for one row in 1000, the
rows that lose anything, the spread of the top k over the parts, and by what k_part would have had
to grow. spread_others is the spread that the pairs of the top k of all other documents predict for
this block (docs/models.md 22).
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

import numpy

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
KS = [64, 256, 512, 1024, 2048]
PARTS = [2, 4, 8, 16, 64]
BLOCKS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 0]  # 0: runs


def pairs_by_distance(rows, k):
    """For each distance h >= 0: the mean number of pairs of the top k at this distance in a row."""
    n = rows.shape[1]
    total = numpy.zeros(n)
    for row in rows:
        top = numpy.zeros(2 * n)
        top[numpy.argpartition(-row, k - 1)[:k]] = 1.0
        total += numpy.fft.irfft(abs(numpy.fft.rfft(top)) ** 2)[:n]
    return total / len(rows)


def same_part(n, parts, block):
    """For each distance h: how probably two elements at this distance are in one part."""
    h = numpy.arange(n)
    if block == 0:
        return numpy.maximum(0.0, 1.0 - h * parts / n)
    turn = h % (parts * block)
    return (numpy.maximum(0.0, 1.0 - turn / block)
            + numpy.maximum(0.0, 1.0 - (parts * block - turn) / block))


def spread_of_pairs(pairs, k, parts, block):
    """The spread that the pairs of a row make: docs/models.md 22 derives it."""
    n = len(pairs)
    weight = same_part(n, parts, block) - 1.0 / parts
    total = pairs[0] * weight[0] + 2.0 * (pairs[1:] * weight[1:]).sum()
    chance = k * (1.0 - 1.0 / parts) * (n - k) / (n - 1)
    return float(numpy.sqrt(max(total, 0.0) / chance))


def measured(path, k, parts):
    """The rows of `recallmodel parts --file`, by block."""
    deals = ",".join("runs" if block == 0 else str(block) for block in BLOCKS)
    done = subprocess.run(
        [PROGRAM, "parts", "--file", path, "--k", str(k), "--parts", str(parts), "--group-axes",
         "0", "--lose-at-most", "1e-3", "--deal", deals, "--json"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rows"]


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--k", type=int, nargs="+", default=KS)
    options.add_argument("--parts", type=int, nargs="+", default=PARTS)
    given = options.parse_args()
    files = sorted(given.folder.glob("*/layer-*/logits.npy"))
    layers = sorted({path.parent.name for path in files})
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("document layer k parts block k_part rows rows_losing spread spread_pairs "
                 "spread_others needs_99 needs_999 needs_all".split())
    for layer in layers:
        of_layer = [path for path in files if path.parent.name == layer]
        for k in given.k:
            pairs = {path: pairs_by_distance(numpy.load(path).reshape(-1, 8192), k)
                     for path in of_layer}
            for path in of_layer:
                others = [pairs[other] for other in of_layer if other != path]
                for parts in given.parts:
                    for block, row in zip(BLOCKS, measured(path, k, parts)):
                        ours = spread_of_pairs(pairs[path], k, parts, block)
                        theirs = (spread_of_pairs(sum(others) / len(others), k, parts, block)
                                  if others else float("nan"))
                        out.writerow([path.parts[-3], layer, k, parts, block or "runs",
                                      row["k_part"], row["rows"], row["rows_losing"],
                                      *(f"{value:.4g}" for value in
                                        (row["spread"], ours, theirs, row["needs_99"],
                                         row["needs_999"], row["needs_all"]))])


if __name__ == "__main__":
    main()
