#!/usr/bin/env python3
"""sampling.py - what a top-k before top-p saves, beside what bucketed top-k would take.

    plots/sampling.py sampling    prints the CSV of ours-sampling

The rows are FlashInfer's (runs/flashinfer/sampling). #3461 hands k survivors of an exact top-k to
top-p in place of the whole vocabulary. #2945 computes in float what was double: its two columns are
the same algorithm, sampling by rejection over the whole vocabulary. The least time of buckets is
one launch and the bound of stage 1 that the program prints, as in plots/pays.py.
$RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import sys

from pays import Bounds, runs, shortest
from program import print_table, short

RECALL = 0.999
DEVICES = {"B200": "B200", "B300": "B300", "RTX PRO 6000": "RTX-PRO-6000"}
TYPES = {"float32": "f32", "bfloat16": "bf16"}


def pairs():
    """The rows before and after, joined. The top-p of #2945 is not in the runs: rows of one case
    are told apart by their order."""
    joined = {}
    for row in runs("flashinfer/sampling"):
        op, distribution, det = (row["op"].split("|") + ["", ""])[:3]
        when = "before" if row["kernel"].endswith("before") else "after"
        at = (row["pr"], row["device"], op.replace(" ", "_"), distribution.split("_d")[0]
              + "".join(c for c in distribution if c in "0123456789."), det, row["dtype"],
              row["n"], row["k"], row["m"])
        joined.setdefault(at, {"before": [], "after": []})[when].append(row["time_us_median"])
    for at, times in joined.items():
        if len(times["before"]) != len(times["after"]):
            sys.exit(f"sampling.py: {at} has rows without their partner")
        for case, (before, after) in enumerate(zip(times["before"], times["after"]), 1):
            yield at, case, before, after


def sampling():
    launch = shortest("flashinfer/exact-blackwell")
    rows, wanted = list(pairs()), {}
    for (_, device, _, _, _, dtype, n, k, m), *_ in rows:
        if k:
            wanted.setdefault((device, dtype), set()).add((n, k, m))
    bounds = {at: Bounds(DEVICES[at[0]], TYPES[at[1]]).find(shapes, [RECALL])
              for at, shapes in wanted.items()}
    for (pr, device, op, distribution, det, dtype, n, k, m), case, before, after in rows:
        bound = bounds[device, dtype][n, k, m, RECALL] if k else None
        least = launch + float(bound["roofline_time_us"]) if bound else 0
        yield {"pr": pr, "device": device, "op": op, "distribution": distribution or "none",
               "deterministic": int(bool(det)), "dtype": dtype, "n": n, "k": k or "NaN", "m": m,
               "case": case, "before_us": short(before), "after_us": short(after),
               "saved": short(before / after), "launch_us": short(launch),
               "b": bound["b"] if bound else "NaN", "k_b": bound["k_b"] if bound else "NaN",
               "recall": bound["recall"] if bound else "NaN",
               "bound_us": short(float(bound["roofline_time_us"])) if bound else "NaN",
               "least_us": short(least) if bound else "NaN",
               "after_over_least": short(after / least) if bound else "NaN"}


if __name__ == "__main__":
    print_table({"sampling": sampling})
