#!/usr/bin/env python3
"""lost_mass.py - what real attention rows lose of their softmax mass, beside the model.

    tools/real_tensors/lost_mass.py build/real-tensors > lost-mass.csv

For each document, layer, k, k_b and lost mass: the smallest b by the mean weights of these rows,
and what the rows then lose of elements and of mass; the error of the attention output, over its
spread, with the values of the model and as the model of lost mass has it; and the lost mass that
normal scores of the rows' own standard deviation would have.
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
KS = [64, 256, 1024]
K_BS = [1, 2, 4]
TARGETS = [1e-2, 1e-3, 1e-4]


def asked(*arguments):
    """The answer of the command, as it says it in JSON; None where it refuses."""
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def lost_of(order, b, k_b):
    """Which of the top k of each row are lost: order[row] holds their positions, by rank."""
    lost = numpy.zeros(order.shape, bool)
    for row, positions in enumerate(order):
        buckets = positions % b
        by_bucket = numpy.argsort(buckets, kind="stable")
        of = buckets[by_bucket]
        starts = numpy.flatnonzero(numpy.r_[True, of[1:] != of[:-1]])
        place = numpy.arange(len(of)) - numpy.repeat(starts, numpy.diff(numpy.r_[starts, len(of)]))
        lost[row, by_bucket] = place >= k_b
    return lost


class Layer:
    """The rows of one layer of one document: [heads, queries, n], and the values of its keys."""

    def __init__(self, folder):
        self.path = folder / "logits.npy"
        self.logits = numpy.load(self.path)
        self.values = numpy.load(folder / "values.npy").astype(float)
        self.group = len(self.logits) // len(self.values)

    def top(self, k):
        """Positions of the top k by rank, and their shares of the mass."""
        rows = self.logits.reshape(-1, self.logits.shape[-1])
        order = numpy.argpartition(-rows, k - 1, axis=1)[:, :k]
        scores = numpy.take_along_axis(rows, order, 1).astype(float)
        by_rank = numpy.argsort(-scores, axis=1)
        order, scores = (numpy.take_along_axis(x, by_rank, 1) for x in (order, scores))
        weights = numpy.exp(scores - scores[:, :1])
        return order, weights / weights.sum(1, keepdims=True)

    def score_sd(self):
        """The standard deviation of the logits of a row, in the mean over rows."""
        rows = self.logits.reshape(-1, self.logits.shape[-1]).astype(float)
        rows[~numpy.isfinite(rows)] = numpy.nan
        return float(numpy.nanstd(rows, axis=1).mean())

    def output_error(self, order, share, lost):
        """The root of the mean square of what the lost elements change in the output, over that of
        its distance from the mean value."""
        changed = spread = 0.0
        queries = self.logits.shape[1]
        for row, (positions, weight, gone) in enumerate(zip(order, share, lost)):
            values = self.values[row // queries // self.group]
            kept = numpy.where(gone, 0.0, weight)
            exact = weight @ values[positions]
            changed += ((kept / kept.sum() @ values[positions] - exact) ** 2).sum()
            spread += ((exact - values.mean(0)) ** 2).sum()
        return (changed / spread) ** 0.5


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("folder", type=pathlib.Path)
    folder = options.parse_args().folder
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("document layer k k_b target b loss loss_measured lost_mass lost_mass_measured "
                 "error error_measured topk_mass score_sd lost_mass_normal".split())
    for path in sorted(folder.glob("*/layer-*")):
        layer = Layer(path)
        n, sd = layer.logits.shape[-1], layer.score_sd()
        for k in KS:
            order, share = layer.top(k)
            for k_b in K_BS:
                for target in TARGETS:
                    found = asked("recall", "--n", n, "--k", k, "--kb", k_b, "--lost-mass", target,
                                  "--weights", layer.path)
                    shape = found["recommended"]
                    if shape is None:
                        continue
                    normal = asked("recall", "--n", n, "--k", k, "--kb", k_b, "--b", shape["b"],
                                   "--score-sd", sd)
                    lost = lost_of(order, shape["b"], k_b)
                    out.writerow([
                        path.parent.name, path.name, k, k_b, target, shape["b"],
                        *(f"{value:.4g}" for value in (
                            shape["loss"], lost.mean(), shape["lost_mass"],
                            (share * lost).sum(1).mean(), shape["attention_error"],
                            layer.output_error(order, share, lost), found["topk_mass"], sd,
                            normal["configurations"][0]["lost_mass"] if normal else float("nan")))])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
