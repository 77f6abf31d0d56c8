#!/usr/bin/env python3
"""sparq_buckets.py - what SparQ loses with bucketed top-k, on the tensors of a real model.

    tools/sparq_buckets.py TENSORS [-o FILE]

TENSORS is a folder of documents as `make real-tensors` writes it. Measures the shapes of
tools/real_tensors/repetition.py, with the same window and components, over all layers and
documents, and writes FILE (paper_figures/key-07-smollm2/sparq-errors.csv). What is measured is
measured by the command ($RECALLMODEL, or ./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import io
import itertools
import os
import pathlib
import subprocess
import sys

PROGRAM = os.environ.get("RECALLMODEL", "./recallmodel")
BUDGETS = "0.0625,0.125"  # k = n/16 and n/8
K_BS = RATIOS = 1, 2, 4, 8
COLUMNS = "mass", "recall", "error", "error_se"


def sparse(*arguments):
    """The rows of the CSV that `recallmodel sparse` prints."""
    command = [PROGRAM, "sparse", *map(str, arguments), "--csv"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"sparq_buckets.py: {' '.join(command)}: {done.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def measure(tensors):
    layers = sorted(tensors.glob("*/layer-*/layer.json"))
    if not layers:
        sys.exit(f"sparq_buckets.py: {tensors} has no DOCUMENT/layer-NN/layer.json")
    files = [part for name in ("queries", "keys", "values")
             for part in (f"--{name}", ",".join(str(p.with_name(f"{name}.npy")) for p in layers))]
    numbers = ",".join(str(int(p.parent.name[-2:])) for p in layers)
    for k_b, ratio, assignment in [("", "", ""), *itertools.product(
            K_BS, RATIOS, ("interleaved", "contiguous"))]:
        method = ["sparq"] if k_b == "" else ["sparq-bucketed", "--kb", k_b, "--ratio", ratio,
                                              "--assignment", assignment]
        for row in sparse(*files, "--layers", numbers, "--budget", BUDGETS, "--sink", 0,
                          "--window", 32, "--components", 16, "--k", "96,192", "--method", *method):
            if row["k"] != row["knob"]:  # the recall of other keys than those wanted
                continue
            yield {"k": row["knob"], "k_b": k_b, "candidates_over_k": ratio,
                   "assignment": assignment, "groups": row["groups"],
                   **{name: f"{float(row[name]):.5g}" for name in COLUMNS}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("tensors", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path,
                        default=pathlib.Path("paper_figures/key-07-smollm2/sparq-errors.csv"))
    options = parser.parse_args()
    rows = list(measure(options.tensors))
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
