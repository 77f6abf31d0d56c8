#!/usr/bin/env python3
"""key_smollm2.py - the error of SparQ with buckets on a small model, by shape.

    plots/key_smollm2.py errors    prints the CSV of key-07-smollm2

The error of the output of attention was measured on SmolLM2-135M (sparq-errors.csv beside the
figure). `relative` is that error over the one with exact top-k of the same scores. Times are what
$RECALLMODEL (./recallmodel) predicts.

SPDX-License-Identifier: Apache-2.0
"""
from figure import FIGURES
from key import DEVICE, NONE, predictions
from program import ask, print_table, read

# A query has as many open keys as there are keys before its window of 32: the mean of 64 queries.
N = 1536 - 32 - 64 // 2


def errors():
    table = read(FIGURES / "key-07-smollm2/sparq-errors.csv")
    exact = {row["k"]: float(row["error"]) for row in table if not row["k_b"]}
    exact_us = {k: ask("predict", "--device", DEVICE, "--n", N, "--k", k, "--kb", 1,
                       "--b", k)[0]["exact_us"] for k in exact}
    # Where every key is a candidate the error is that of exact top-k.
    shapes = [row | {"n": N, "m": 1, "b":
                     -(-int(row["candidates_over_k"]) * int(row["k"]) // int(row["k_b"]))}
              for row in table
              if row["k_b"] and int(row["k"]) * int(row["candidates_over_k"]) < N]
    for row, said in zip(shapes, predictions(shapes)):
        yield {c: row[c] for c in ("n", "k", "b", "k_b", "candidates_over_k", "assignment",
                                   "error")} \
            | {"error_exact": exact[row["k"]],
               "relative": f"{float(row['error']) / exact[row['k']]:.6g}",
               "time_us": said["predicted_us"] or NONE, "exact_us": exact_us[row["k"]]}


if __name__ == "__main__":
    print_table({"errors": errors})
