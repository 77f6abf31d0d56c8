#!/usr/bin/env python3
"""exact.py - the numbers of ours-exact, how much of its device's bandwidth exact top-k reaches, and
of ours-h200 and ours-winners, exact top-k beside buckets as measured.

    plots/exact.py roof      prints the CSV of ours-exact
    plots/exact.py h200      prints the CSV of ours-h200
    plots/exact.py winners   prints the CSV of ours-winners

Measured times are those of runs/; the program predicts by the profiles of the kernels, and says the
bandwidth of the devices. The Blackwell of FlashInfer's runs is not stated: the share is that of a
B200. $RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math

import cpu
import cpu_runs
import pays
from program import RUNS, ask, ask_json, joined, print_table, runs

# panel: files of runs, device, bytes of a value, k, m, and the kernels: name in the runs (None: the
# file has no such column), profile
B200 = (("gvr_v2", "gvr_v2_b200"), ("deepselect_fp32", "deepselect_b200"),
        ("sglang_v2_plan_transform", "sglang_v2_b200"), ("hpc_ops_fp32", "hpc_ops_b200"),
        ("flashinfer_0_6_14", "flashinfer_0_6_14_b200"), ("trtllm_radix_cuda", "trtllm_radix_b200"))
BLACKWELL = (("flashinfer_clusters", "flashinfer_clusters_blackwell"),
             ("flashinfer_default", "flashinfer_default_blackwell"),
             ("torch.topk", "torch_topk_blackwell"))
A100 = (("multi_cta", "flashinfer_multi_cta_a100"), ("filtered_pr", "flashinfer_filtered_a100"))
H200 = (("radix", "recallmodel_h200_f32"), ("torch.topk-unsorted", "torch_topk_h200_f32"))
PANELS = (("trtllm/exact-b200", "B200", 4, 512, 1, B200),
          ("trtllm/exact-b200", "B200", 4, 512, 1024, B200),
          ("flashinfer/exact-a100", "A100-PCIe-40GB", 4, 2048, 256, A100),
          ("flashinfer/exact-blackwell", "B200", 4, 512, 1, BLACKWELL),
          ("flashinfer/exact-blackwell", "B200", 4, 512, 256, BLACKWELL),
          ("keyetal/exact", "H100-PCIe", 2, 256, 256, ((None, "torch_topk_h100_pcie"),)),
          ("h200/exact h200/torch", "H200", 4, 256, 64, H200),
          ("h200/exact h200/torch", "H200", 4, 256, 1024, H200))
STEPS = 4  # of a curve, for each doubling of n


def is_taken(row, kernel, k, m):
    return (int(row["k"]) == k and int(row["m"]) == m and int(row["n"]) > k
            and row.get("kernel") == kernel and row.get("op", "top_k") != "dsa_topk"
            and row.get("op", "top_k") in ("top_k", "page_table_transform")
            and row.get("dtype", "float32") == "float32"
            and row.get("timing", "events") == "events")


def bandwidth(device):
    return ask_json("devices", "--device", device)["devices"][0]["bandwidth_bytes_per_s"]


def curve(low, high):
    """Sizes from low to high, STEPS for each doubling."""
    steps = []
    while round(low * 2 ** (len(steps) / STEPS)) < high:
        steps.append(round(low * 2 ** (len(steps) / STEPS)))
    return steps + [high]


def digits_of(value, digits):
    return "NaN" if math.isnan(value) else f"{value:.{digits}g}"


def roof():
    for panel, (files, device, size, k, m, kernels) in enumerate(PANELS, 1):
        rows = [row for file in files.split() for row in runs(file)]
        peak = bandwidth(device)
        for kernel, profile in kernels:
            measured = {int(row["n"]): float(row["time_us_median"]) for row in rows
                        if is_taken(row, kernel, k, m)}
            sizes = sorted({*measured, *curve(min(measured), max(measured))})
            for said in ask("predict", "--device", profile, "--k", k, "--m", m, "--n",
                            joined(sizes)):
                n, predicted = int(said["n"]), float(said["exact_us"])
                time = measured.get(n, math.nan)
                share, predicted_share = (digits_of(n * m * size / peak / us * 1e6, 6)
                                          for us in (time, predicted))
                yield {"panel": panel, "kernel": profile, "n": n, "k": k, "m": m,
                       "time_us": digits_of(time, 10), "predicted_us": digits_of(predicted, 6),
                       "share": share, "predicted_share": predicted_share}


def h200():
    """For each shape that was measured both ways on the H200, and each recall: the fastest buckets
    that reach it by the exact model."""
    def shape(row):
        return row["dtype"], int(row["n"]), int(row["k"]), int(row["m"])
    exact, torch = ({shape(row): row["time_us_median"] for row in runs(f"h200/{name}")}
                    for name in ("exact", "torch"))
    for at in sorted(exact, key=lambda at: (at[0], at[3], at[2], at[1])):
        buckets = [row for row in runs("h200/calibrate") if shape(row) == at]
        for recall in (.9, .95, .99):
            good = [row for row in buckets if float(row["recall_model"]) >= recall]
            best = min(good, key=lambda row: float(row["time_us_median"]))
            yield dict(zip(("dtype", "n", "k", "m"), at)) | {
                "recall_target": recall, "b": best["b"], "k_b": best["k_b"],
                "recall": best["recall_model"], "buckets_us": best["time_us_median"],
                "exact_us": exact[at], "torch_us": torch[at],
                "exact_over_buckets":
                    f"{float(exact[at]) / float(best['time_us_median']):.6g}"}


# ---- ours-winners: contenders are {name: us}, of which "buckets" is the fastest of RECALL

RECALL = .95


def add(shapes, at, name, us):
    of = shapes.setdefault(at, {})
    of[name] = min(us, of.get(name, math.inf))


def of_h200():
    """k = 256, a call at a time; torch.topk is the faster of sorted and unsorted."""
    shapes = {}
    for file in ("exact", "torch", "calibrate"):
        for row in runs(f"h200/{file}"):
            if row["k"] != "256" or row["timing"] != "events":
                continue
            buckets = file == "calibrate"
            if not buckets or float(row["recall_model"]) >= RECALL:
                at = row["dtype"], int(row["n"]), 256, int(row["m"])
                name = "buckets" if buckets else row["kernel"].removesuffix("-unsorted")
                add(shapes, at, name, float(row["time_us_median"]))
    return {at: of for at, of in shapes.items() if "buckets" in of and "radix" in of}


def of_h100():
    least = pays.two_stages()
    return {("float16", row["n"], row["k"], 256):
            {"torch.topk": row["time_us_median"],
             "buckets": least[row["n"], row["k"], 256, RECALL]}
            for row in pays.runs("keyetal/exact", m="256") if 4 <= row["k"] < row["n"]}


def of_b200():
    shapes = {}
    for row in pays.runs("trtllm/exact-b200"):
        add(shapes, ("float32", row["n"], row["k"], row["m"]), row["kernel"], row["time_us_median"])
    return shapes


def of_cpu():
    """One thread, of one session; the other libraries were measured at other shapes."""
    shapes = {}
    for at, stages in cpu_runs.Runs(RUNS / "cpu-xeon-emr").cells():
        shapes["float32", *at, 1] = {"buckets": cpu.fastest(stages, RECALL)["time_us_median"]}
    for row in cpu_runs.Runs(RUNS / "cpu-xeon-emr").exact.values():
        at = "float32", row["n"], row["k"], 1
        if at in shapes:
            shapes[at]["threshold"] = row["time_us_median"]
    return shapes


def winners():
    for panel, shapes in (("H200", of_h200()), ("H100-PCIe", of_h100()), ("B200", of_b200()),
                          ("CPU", of_cpu())):
        for at, of in sorted(shapes.items()):
            (us, first), (us_2, second), *_ = sorted((us, name) for name, us in of.items())
            yield dict(zip(("panel", "dtype", "n", "k", "m"), (panel, *at))) | {
                "fastest": first, "time_us": f"{us:.10g}", "second": second,
                "second_us": f"{us_2:.10g}", "lead": f"{us_2 / us:.6g}"}


if __name__ == "__main__":
    print_table({"roof": roof, "h200": h200, "winners": winners})
