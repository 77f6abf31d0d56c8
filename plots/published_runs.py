#!/usr/bin/env python3
"""published_runs.py - figures and tables of what others measured on other cards.

    plots/published_runs.py stage1    the CSV of ours-drtopk-stage1
    plots/published_runs.py text [--write FILE.md]
                                      the tables of docs/runs.md, or writes them there

They join rows of runs/ with what the program says. A table stands between <!-- NAME --> and
<!-- /NAME -->. $RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math
import statistics

import program
from program import ask, short, words, write_page, wrong

ROUNDING = 0.001 / math.sqrt(12)  # the sd of a recall that was rounded to three digits


def integers(row, *columns):
    return (int(row[column]) for column in columns)


# ---- recall on a TPU


def smallest(n, k, target):
    """The candidates of the smallest b, and of Helion's rule: by k_b, and under "helion"."""
    rows = ask("bounds", "--n", n, "--k", k, "--recall", target, "--kb", "1,2,4")
    found = {int(r["k_b"]): int(r["candidates"]) for r in rows if r["rule"] == "exact"}
    return found | {"helion": next(int(r["b"]) for r in rows if r["rule"] == "helion")}


def recall():
    rows = []
    for run in program.runs("helion/two-stage"):
        n, k, b, m = integers(run, "n", "k", "b", "m")
        model = ask("recall", "--n", n, "--k", k, "--b", b, "--kb", 1)[0]
        mean, sd = float(model["recall"]), float(model["recall_sd"])
        measured = float(run["recall"])
        error = math.hypot(sd / math.sqrt(m), ROUNDING)
        rows.append({"config": run["config"], "stage2": run["stage2"], "n": n, "k": k, "b": b,
                     "m": m, "recall_target": float(run["recall_target"]), "recall": measured,
                     "recall_model": mean, "z": (measured - mean) / error})
    return rows


def rule_table():
    """What Helion's rule costs: a line for each (n, k, target) of the runs."""
    lines = ["| n | k | target | Helion's b | recall | k_b = 1 | k_b = 2 | k_b = 4 |",
             "|" + "---|" * 8]
    seen = set()
    for run in recall():
        key = run["n"], run["k"], run["recall_target"]
        if key in seen:
            continue
        seen.add(key)
        least = smallest(*key)
        assert least["helion"] == run["b"]
        lines.append(f"| {run['n']} | {run['k']} | {run['recall_target']} | {run['b']} "
                     f"| {run['recall_model']:.3f} | {least[1]} | {least[2]} | {least[4]} |")
    return lines


def recall_table():
    lines = ["| run | m | b | measured | model | z |", "|" + "---|" * 6]
    for r in recall():
        name = r["config"] + (", bitonic" if r["stage2"] == "bitonic" else "")
        lines.append(f"| {name} | {r['m']} | {r['b']} | {r['recall']:.3f} "
                     f"| {r['recall_model']:.4f} | {r['z']:.2f} |")
    return lines


# ---- the stages of Dr. Top-k

# A warp a bucket; else a thread a bucket, by way of shared memory.
def kernel_of(row):
    small = int(row["bucket_size"]) <= 32
    shared = row["k_b"] == "2" or (row["variant"] == "baseline+filter+shuffle" and small)
    return "shared" if shared else "warp"


def stage1():
    """Bandwidth of stage 1 by bucket size, n = 2^30 and 2^29; the least, median and largest."""
    groups = {}
    for row in program.runs("drtopk/stages"):
        n, size, k_b = integers(row, "n", "bucket_size", "k_b")
        shuffled = "shuffle" in row["variant"] or row["variant"] == "alphaManualTuning"
        if n in (1 << 29, 1 << 30) and row["second_algo"] == "radix" and float(row["stage1_us"]):
            kernel = kernel_of(row) if k_b == 1 or shuffled else "warp"
            groups.setdefault((n, k_b, kernel, size), []).append(float(row["stage1_us"]))
    rows = []
    for (n, k_b, kernel, size), times in sorted(groups.items()):
        shape = "--n", n, "--k", 1, "--b", n // size, "--kb", 1, "--device", "v100s"
        says = k_b == 1 and kernel == "warp"
        predicted = float(ask("predict", *shape)[0]["stage1_us"]) if says else ""
        rows.append({"n": n, "k_b": k_b, "kernel": kernel, "size": size, "runs": len(times),
                     "stage1_us": statistics.median(times), "predicted_us": predicted,
                     "gb_s": 4e-3 * n / statistics.median(times),
                     "gb_s_low": 4e-3 * n / max(times), "gb_s_high": 4e-3 * n / min(times),
                     "gb_s_predicted": 4e-3 * n / predicted if says else ""})
    return rows


# ---- the text

TABLES = {"tpu-recall": recall_table, "helion-rule": rule_table}


def texts():
    return {name: "\n".join(table()) for name, table in TABLES.items()}


def main(arguments):
    if arguments == ["stage1"]:
        program.write({c: short(v) if isinstance(v, float) else v for c, v in row.items()}
                      for row in stage1())
    elif arguments == ["text"]:
        print("\n\n".join(texts().values()))
    elif len(arguments) == 3 and arguments[:2] == ["text", "--write"]:
        write_page(arguments[2], texts())
    else:
        wrong("give stage1 or text [--write FILE.md]")


if __name__ == "__main__":
    main(words())
