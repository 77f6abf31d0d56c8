#!/usr/bin/env python3
"""samaga.py - what Samaga et al. print for a TPU v5e, beside the roofline that the program prints,
an H200 and a CPU.

    plots/samaga.py table-2     the times of Table 2 and the bounds of stage 1
    plots/samaga.py ridge       operations of stage 1 by k_b, and what fits into reading 4 bytes
    plots/samaga.py rates       Figure 4 on a CPU: time by operations, and the line fitted to it
    plots/samaga.py balls       Figure 5: 20 balls in buckets
    plots/samaga.py table-2-times the times of Table 2 beside those of an H200 and of a CPU
    plots/samaga.py table-3     the times of Table 3, their bounds, the same on a CPU and an H100

It prints CSV, and needs only the standard library. Every bound is one that the program prints.

SPDX-License-Identifier: Apache-2.0
"""
import random
import statistics

from program import ROOT, ask, print_table, read, runs, short

# Table 3 does not print b: the smallest that reach 0.99, multiples of 128 that divide 2^20.
B_OF_TABLE_3 = {"1": 65536, "4": 1024}
DEVICES = "A100-PCIe", "H100-SXM", "TPUv4", "TPUv5e"


def ratio(printed, bound):
    return repr(float(printed) / float(bound)) if printed and bound else ""


def table_2():
    rows = []
    for row in runs("samaga/table-2"):
        model, = ask("recall", "--device", "TPUv5e", "--dtype", "f32", "--n", row["n"], "--k",
                     row["k"], "--m", row["m"], "--b", row["b"], "--kb", row["k_b"])
        rows.append({**{name: row[name] for name in ("kernel", "k_b", "b")},
                     "printed_us": row["stage1_us"], "bound_us": model["roofline_time_us"],
                     "memory_us": model["roofline_time_memory_us"],
                     "vector_us": model["roofline_time_vector_us"],
                     "all_candidates_us": model["roofline_through_memory_us"],
                     "over_bound": ratio(row["stage1_us"], model["roofline_time_us"])})
    return rows


def ridge():
    rows = []
    for device in DEVICES:
        rates, = ask("devices", "--device", device)
        for row in ask("recall", "--device", device, "--dtype", "f32", "--n", "2^18", "--k", 256,
                       "--b", 256, "--kb", "1..16"):
            rows.append({"device": device, "k_b": row["k_b"],
                         "operations": repr(float(row["roofline_operations"]) / float(row["n"])),
                         "ops_per_4_bytes": rates["ridge_memory"],
                         "paper_ops_per_4_bytes": rates["paper_ridge_memory"],
                         "memory_us": row["roofline_time_memory_us"],
                         "vector_us": row["roofline_time_vector_us"]})
    return rows


CPU = "cpu-epyc-zen5"


def on_h200():
    """On the H200: {(b, k_b): time} of both stages; the times of exact top-k, ours and torch's."""
    rows = read(ROOT / "gpu/runs/h200-2026-11-26-samaga-2.csv")
    exact, = (row["time_us_median"] for row in rows
              if (row["work"], row["n"]) == ("exact", "262144"))
    torch, = (row["time_us_median"] for row in runs("h200/torch")
              if row["kernel"] == "torch.topk-unsorted" and (
                  row["n"], row["k"], row["m"], row["dtype"]) == ("262144", "1024", "8", "float32"))
    return {(row["b"], row["k_b"]): row["time_us_median"]
            for row in rows if row["work"] == "two-stage"}, exact, torch


def table_2_times():
    """Table 2 with the times of all three; then exact top-k where it was measured. Stage 2 on the
    CPU is exact top-k of as many elements as there are candidates."""
    measured = {(row["work"], row["n"], row["b"], row["k_b"]): row
                for row in runs(f"{CPU}/samaga-2")}
    printed = runs("samaga/table-2")
    gpu, exact_gpu, torch = on_h200()

    def time_of(*cell):
        return float(measured[cell]["time_us_median"])

    rows = []
    for row in printed:
        n, k, b, k_b = (row[name] for name in ("n", "k", "b", "k_b"))
        model, = ask("recall", "--n", n, "--k", k, "--b", b, "--kb", k_b)
        both, candidates = time_of("two-stage", n, b, k_b), str(int(b) * int(k_b))
        rows.append({"kernel": row["kernel"], "k_b": k_b, "b": b, "recall_printed": row["recall"],
                     "recall": model["recall"],
                     "recall_measured": measured["two-stage", n, b, k_b]["recall"],
                     "tpu_us": row["time_us_median"], "h200_us": gpu[b, k_b],
                     "cpu_us": short(both), "stage1_us": short(time_of("stage1", n, b, k_b)),
                     "stage2_us": short(time_of("exact", candidates, "1", k)),
                     "over_exact": short(both / time_of("exact", n, "1", k))})
    exact_cpu = short(time_of("exact", printed[0]["n"], "1", printed[0]["k"]))
    for kernel, on_gpu, on_cpu in (("exact", exact_gpu, exact_cpu), ("torch.topk", torch, "")):
        rows.append(dict.fromkeys(rows[0], "") | {"kernel": kernel, "recall": 1,
                                                  "h200_us": on_gpu, "cpu_us": on_cpu})
    return rows


def table_3():
    """Each row of the print beside its bounds, the same on the CPU, and as predicted on an H100.
    approx_max_k is k_b = 1, fused."""
    names = {"top_k": ("exact", ""), "approx_max_k-fused": ("fused", "1")}
    h100_us = {"exact": "exact_with_product_us", "stages": "with_product_us",
               "fused": "fused_with_stage2_us"}
    printed = runs("samaga/table-3")
    measured = {(row["kernel"], row["k_b"]): row for row in runs(f"{CPU}/samaga-3")}
    rows = []
    for row in printed:
        kind, k_b = names.get(row["kernel"], (
            "fused" if row["kernel"].endswith("-fused") else "stages", row["k_b"]))
        ours, on_tpu = measured[kind, k_b], ("--device", "TPUv5e", "--dtype", "f32")
        shape = ("--n", row["n"], "--k", row["k"], "--m", row["m"],
                 "--b", B_OF_TABLE_3[k_b or "1"], "--kb", k_b or "1")
        tpu, = ask("predict", *on_tpu, *shape, "--d", row["d"])
        stage1, = ask("recall", *on_tpu, *shape)
        h100, = ask("predict", "--device", "h100-pcie", *shape, "--d", row["d"])
        rows.append({"kernel": row["kernel"], "k_b": row["k_b"],
                     "tpu_product_us": row["product_us"],
                     "tpu_product_bound_us": tpu["fused_us" if kind == "fused" else "product_us"],
                     "tpu_stage1_us": row["stage1_us"],
                     "tpu_stage1_bound_us": stage1["roofline_time_us"] if row["stage1_us"] else "",
                     "tpu_stage2_us": row["stage2_us"], "tpu_us": row["time_us_median"],
                     "tpu_over_exact": ratio(row["time_us_median"], printed[0]["time_us_median"]),
                     **{f"cpu_{name}": ours[name]
                        for name in ("product_us", "stage1_us", "stage2_us")},
                     "cpu_us": ours["time_us_median"],
                     "cpu_over_exact": ratio(ours["time_us_median"],
                                             measured["exact", ""]["time_us_median"]),
                     "recall": ours["recall"], "recall_model": ours["recall_model"],
                     **{f"h100_{name}": h100[name] if kind == "stages" else ""
                        for name in ("stage1_us", "stage2_us")},
                     "h100_us": h100[h100_us[kind]]})
    return rows


def fitted(points):
    """time = operations/rate + overhead, by least squares, where operations decide: in twice the
    least time or more. Returns these points, the rate in operations a us, and the overhead."""
    least = min(time for _, time in points)
    high = [(x, time) for x, time in points if time >= 2 * least]
    slope, overhead = statistics.linear_regression(*zip(*high))
    return high, 1 / slope, overhead


def rates():
    rows = []
    table = read(ROOT / "paper_figures/samaga-4/rates.csv")
    for isa, program in sorted({(row["isa"], row["program"]) for row in table}):
        points = [(float(row["operations"]), float(row["time_us"])) for row in table
                  if (row["isa"], row["program"]) == (isa, program)]
        high, rate, overhead = fitted(points)
        for x, time in points:
            rows.append({"isa": isa, "program": program, "operations": f"{x:.0f}",
                         "time_us": time, "is_fitted": int((x, time) in high),
                         "fitted_us": f"{x / rate + overhead:.6g}",
                         "rate_per_s": f"{1e6 * rate:.6g}", "overhead_us": f"{overhead:.6g}"})
    return rows


def balls():
    """The paper's example: three of twenty, in four buckets of stride four; two of them collide. i
    is the place in the picture, bucket by bucket."""
    n, k, b, k_b = 20, 3, 4, 1
    order = list(range(n))
    random.Random(6).shuffle(order)  # order[i]: the rank of the ball in place i of the row
    model, = ask("recall", "--n", n, "--k", k, "--b", b, "--kb", k_b)
    rows = []
    for i in range(n):
        bucket = i // (n // b)
        place = bucket + b * (i % (n // b))
        rank, ranks = order[place], sorted(order[bucket::b])
        best = sum(other < k for other in ranks)
        rows.append({"i": i, "place": place, "bucket": bucket, "rank": rank + 1,
                     "is_top": int(rank < k), "is_kept": int(rank in ranks[:k_b]), "best": best,
                     "lost": max(best - k_b, 0), "n": n, "k": k, "b": b, "k_b": k_b,
                     "recall": model["recall"]})
    return rows


if __name__ == "__main__":
    print_table({"table-2": table_2, "table-2-times": table_2_times, "table-3": table_3,
                 "ridge": ridge, "rates": rates, "balls": balls})
