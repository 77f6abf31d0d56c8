#!/usr/bin/env python3
"""pays.py - does approximating pay? The most that two stages can gain over measured exact top-k.

    plots/pays.py pays|sampling            prints the CSV of ours-pays, ours-sampling
    plots/pays.py caption WHAT FILE.csv    prints what the caption of WHAT says of these numbers

The gain is the measured time of exact top-k over the least time that two stages can take: one
launch, and the bound of stage 1 that the program prints for the device. Of the (b, k_b) with k_b up
to 4 that reach the recall, the one with the least bound is taken. The launch is the shortest kernel
of the same runs. $RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from cpu import fill, short, write
from cpu_runs import ROOT, ask, read

RECALLS = 0.95, 0.99
SAMPLING_RECALL = 0.999
K_BS = "1,2,3,4"
LEVELS = 1.1, 1.5, 3.0  # of the gain: below the first, do not approximate


# ---- measured runs


def runs(name, **only):
    """The rows of a file of runs/ in which each of these columns has that value, with numbers."""
    rows = [row for row in read(ROOT / "runs" / f"{name}.csv")
            if all(row[column] == value for column, value in only.items())]
    for row in rows:
        for column in ("n", "k", "m", "b", "k_b"):
            if row.get(column):
                row[column] = int(row[column])
        row["time_us_median"] = float(row["time_us_median"])
    return rows


def shortest(*names):
    return min(row["time_us_median"] for name in names for row in runs(name))


# The files of exact top-k: which rows, their device and type in the terms of the program, and the
# files in which the shortest kernel is looked for. The card of exact-blackwell is not stated; its
# runs read faster than the memory of any Blackwell but a B200 or B300 does (docs/runs.md).
EXACT = (
    ("flashinfer/exact-blackwell", {"op": "top_k"}, "B200", "f32", ("flashinfer/exact-blackwell",)),
    ("trtllm/exact-b200", {}, "B200", "f32", ("trtllm/exact-b200",)),
    ("keyetal/exact", {}, "H100-PCIe", "f16",
     ("keyetal/exact", "keyetal/two-stage", "keyetal/argmax")))


# ---- the bound of stage 1, by the program


class Bounds:
    """The least bounds of stage 1 on a device, profile or not."""

    def __init__(self, device, dtype):
        program = os.environ.get("RECALLMODEL", ROOT / "recallmodel")
        listed = json.loads(subprocess.check_output([program, "devices", "--json"], text=True))
        row = next(row for row in listed["devices"] if row["device"] == device)
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "rates.device"
        known = [key for key in ("bandwidth_bytes_per_s", "vector_rate_per_s", "on_chip_bytes")
                 if row.get(key)]
        self.path.write_text("name = rates\n" + "".join(f"{key} = {row[key]!r}\n" for key in known),
                             encoding="utf-8")
        self.dtype = dtype
        self.reaching = {}

    def find(self, shapes, recalls):
        """{(n, k, m, recall): row with b, k_b, recall, bound_us}; the smallest b of each k_b is
        asked for once for all m."""
        ns, ks = (",".join(map(str, sorted({shape[i] for shape in shapes}))) for i in (0, 1))
        smallest = {}
        for row in ask("bounds", "--n", ns, "--k", ks, "--kb", K_BS, "--recall",
                       ",".join(map(str, recalls))):
            if row["rule"] == "exact":
                at = int(row["n"]), int(row["k"]), float(row["recall_target"])
                smallest.setdefault(at, set()).add((row["b"], row["k_b"]))
        found = {}
        for n, k, m in sorted(set(shapes)):
            wanted = {recall: smallest.get((n, k, recall), set()) for recall in recalls}
            bs = ",".join(sorted({b for of in wanted.values() for b, _ in of}, key=int))
            rows = ask("predict", "--device", self.path, "--dtype", self.dtype, "--n", n, "--k", k,
                       "--m", m, "--kb", K_BS, "--b", bs)
            for recall, of in wanted.items():
                found[n, k, m, recall] = min(
                    (row for row in rows if (row["b"], row["k_b"]) in of),
                    key=lambda row: (float(row["bound_us"]), int(row["candidates"])))
        return found


# ---- ours-pays


def two_stages():
    """{(n, k, m, recall): the least measured time of both stages that reach it} on an H100."""
    groups = {}
    for row in runs("keyetal/two-stage"):
        groups.setdefault((row["n"], row["k"]), []).append(row)
    least = {}
    for (n, k), rows in groups.items():
        lists = [",".join(map(str, sorted({row[c] for row in rows}))) for c in ("b", "k_b")]
        said = {(int(r["b"]), int(r["k_b"])): float(r["recall"])
                for r in ask("recall", "--n", n, "--k", k, "--b", lists[0], "--kb", lists[1])}
        for row in rows:
            for recall in RECALLS:
                if said[row["b"], row["k_b"]] >= recall:
                    at = n, k, row["m"], recall
                    least[at] = min(least.get(at, row["time_us_median"]), row["time_us_median"])
    return least


def pays():
    least, rows = two_stages(), []
    for name, only, device, dtype, files in EXACT:
        exact = [row for row in runs(name, **only) if row["k"] < row["n"]]
        launch = shortest(*files)
        bounds = Bounds(device, dtype).find([(r["n"], r["k"], r["m"]) for r in exact], RECALLS)
        for row in exact:
            for recall in RECALLS:
                at = row["n"], row["k"], row["m"], recall
                bound, us = bounds[at], row["time_us_median"]
                two = least.get(at) if device == "H100-PCIe" else None
                rows.append({
                    "source": name, "kernel": row.get("kernel", "torch.topk"), "device": device,
                    "dtype": dtype, "recall": recall, "n": at[0], "k": at[1], "m": at[2],
                    "b": bound["b"], "k_b": bound["k_b"], "exact_us": short(us),
                    "launch_us": short(launch), "bound_us": short(float(bound["bound_us"])),
                    "gain": short(us / (launch + float(bound["bound_us"]))),
                    "two_stage_us": short(two) if two else "NaN",
                    "two_stage_gain": short(us / two) if two else "NaN"})
    return rows


if __name__ == "__main__":
    write(pays())
