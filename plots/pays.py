#!/usr/bin/env python3
"""pays.py - does approximating pay? The most that two stages can gain over measured exact top-k.

    plots/pays.py pays    prints the CSV of ours-pays

The gain is the measured time of exact top-k over the least time that two stages can take: one
launch, and the bound of stage 1 that the program prints for the device. Of the (b, k_b) with k_b up
to 4 that reach the recall, the one with the least bound is taken. The launch is the shortest kernel
of the same runs. Between the measured shapes, the profile of the exact kernel predicts its time
(rows "predicted"; "line" is a piece of a contour line). $RECALLMODEL is the command
(./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import tempfile

import program
from cpu import contour
from program import ask, ask_json, joined, short

RECALLS = 0.95, 0.99
K_BS = "1,2,3,4"
LEVELS = 1.1, 1.5, 3.0  # of the gain: below the first, do not approximate


# ---- measured runs


def runs(name, **only):
    """The rows of a file of runs/ in which each of these columns has that value, with numbers."""
    rows = [row for row in program.runs(name)
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
        row = next(row for row in ask_json("devices")["devices"] if row["device"] == device)
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "rates.device"
        known = [key for key in ("bandwidth_bytes_per_s", "vector_rate_per_s", "on_chip_bytes")
                 if row.get(key)]
        self.path.write_text("name = rates\n" + "".join(f"{key} = {row[key]!r}\n" for key in known),
                             encoding="utf-8")
        self.dtype = dtype
        self.reaching = {}

    def find(self, shapes, recalls):
        """{(n, k, m, recall): row with b, k_b, recall, roofline_time_us}; the smallest b of each
        k_b is asked for once for all m."""
        ns, ks = (joined(sorted({shape[i] for shape in shapes})) for i in (0, 1))
        smallest = {}
        for row in ask("bounds", "--n", ns, "--k", ks, "--kb", K_BS, "--recall",
                       joined(recalls)):
            if row["rule"] == "exact":
                at = int(row["n"]), int(row["k"]), float(row["recall_target"])
                smallest.setdefault(at, set()).add((row["b"], row["k_b"]))
        found = {}
        for n, k, m in sorted(set(shapes)):
            wanted = {recall: smallest.get((n, k, recall), set()) for recall in recalls}
            bs = joined(sorted({b for of in wanted.values() for b, _ in of}, key=int))
            rows = ask("recall", "--device", self.path, "--dtype", self.dtype, "--n", n, "--k", k,
                       "--m", m, "--kb", K_BS, "--b", bs)
            for recall, of in wanted.items():
                found[n, k, m, recall] = min(
                    (row for row in rows if (row["b"], row["k_b"]) in of),
                    key=lambda row: (float(row["roofline_time_us"]), int(row["candidates"])))
        return found


# ---- ours-pays


def two_stages():
    """{(n, k, m, recall): the least measured time of both stages that reach it} on an H100."""
    groups = {}
    for row in runs("keyetal/two-stage"):
        groups.setdefault((row["n"], row["k"]), []).append(row)
    least = {}
    for (n, k), rows in groups.items():
        lists = [joined(sorted({row[c] for row in rows})) for c in ("b", "k_b")]
        said = {(int(r["b"]), int(r["k_b"])): float(r["recall"])
                for r in ask("recall", "--n", n, "--k", k, "--b", lists[0], "--kb", lists[1])}
        for row in rows:
            for recall in RECALLS:
                if said[row["b"], row["k_b"]] >= recall:
                    at = n, k, row["m"], recall
                    least[at] = min(least.get(at, row["time_us_median"]), row["time_us_median"])
    return least


def line_of(kind, source, kernel, device, dtype, recall, shape, times, bound, two=None):
    """A row; times are those of exact top-k and a launch."""
    n, k, m = shape
    us, launch = times
    return {"kind": kind, "source": source, "kernel": kernel, "device": device, "dtype": dtype,
            "recall": recall, "n": n, "k": k, "m": m, "b": bound["b"], "k_b": bound["k_b"],
            "exact_us": short(us), "launch_us": short(launch),
            "bound_us": short(float(bound["roofline_time_us"])),
            "gain": short(us / (launch + float(bound["roofline_time_us"]))),
            "two_stage_us": short(two) if two else "NaN",
            "two_stage_gain": short(us / two) if two else "NaN", "n_2": "NaN", "m_2": "NaN"}


def measured():
    least = two_stages()
    for name, only, device, dtype, files in EXACT:
        exact = [row for row in runs(name, **only) if row["k"] < row["n"]]
        launch = shortest(*files)
        bounds = Bounds(device, dtype).find([(r["n"], r["k"], r["m"]) for r in exact], RECALLS)
        for row in exact:
            shape = row["n"], row["k"], row["m"]
            for recall in RECALLS:
                two = least.get((*shape, recall)) if device == "H100-PCIe" else None
                yield line_of("measured", name, row.get("kernel", "torch.topk"), device, dtype,
                              recall, shape, (row["time_us_median"], launch),
                              bounds[(*shape, recall)], two)


# ---- the map between the measured shapes

# A panel of the map: the runs and kernel, its profile, k, and the powers of two of n and m.
MAPS = [("flashinfer/exact-blackwell", kernel, f"{profile}_blackwell", k, (10 + (k > 512) * 2, 19),
         (0, 8)) for k in (512, 2048)
        for kernel, profile in (("torch.topk", "torch_topk"),
                                ("flashinfer_default", "flashinfer_default"),
                                ("flashinfer_clusters", "flashinfer_clusters"))]
MAPS += [("trtllm/exact-b200", kernel, f"{profile}_b200", 512, (10, 18), (0, 10))
         for kernel, profile in (("gvr_v2", "gvr_v2"), ("sglang_v2_plan_transform", "sglang_v2"),
                                 ("deepselect_fp32", "deepselect"))]


def predicted():
    grids = [([2 ** i for i in range(ns[0], ns[1] + 1)], [2 ** i for i in range(ms[0], ms[1] + 1)])
             for *_, ns, ms in MAPS]
    bounds = Bounds("B200", "f32").find(
        [(n, at[3], m) for at, (ns, ms) in zip(MAPS, grids) for n in ns for m in ms], RECALLS[:1])
    for (source, kernel, profile, k, *_), (ns, ms) in zip(MAPS, grids):
        launch, rows = shortest(source), {}
        for j, m in enumerate(ms):
            for row in ask("predict", "--device", profile, "--n", joined(ns), "--k", k, "--m",
                           m):
                n = int(row["n"])
                rows[RECALLS[0], ns.index(n), j] = line_of(
                    "predicted", source, kernel, "B200", "f32", RECALLS[0], (n, k, m),
                    (float(row["exact_us"]), launch), bounds[n, k, m, RECALLS[0]])
        yield from rows.values()
        for level in LEVELS:
            yield from lines(rows, level)


def lines(rows, level):
    """The pieces of the contour line of a level: contour() takes n and k, and a ratio of times."""
    grid = {at: {"n": row["n"], "k": row["m"], "two_stage_us": float(row["gain"]),
                 "exact_us": level} for at, row in rows.items()}
    form = next(iter(rows.values()))
    for one, other in contour(grid, RECALLS[0], 1.0):
        yield {**dict.fromkeys(form, "NaN"), "kind": "line", "gain": level,
               **{column: form[column] for column in ("source", "kernel", "recall", "k")},
               "n": short(one[0]), "m": short(one[1]), "n_2": short(other[0]),
               "m_2": short(other[1])}


if __name__ == "__main__":
    program.print_table({"pays": lambda: [*measured(), *predicted()]})
