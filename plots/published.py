#!/usr/bin/env python3
"""The published numbers of Key et al. as CSV, from a clone of their repository.

    published.py CLONE INTO

CLONE is a clone of graphcore-research/pytorch-approx-topk. The script finds their JSON-lines files
below CLONE by name. It writes theory.csv, correlation.csv, h100_pcie_bucketed.csv and
h100_pcie_torch_topk.csv into INTO, with the columns that the figures read. If a file is missing, a
line says so, and its CSV is not written. It needs only the standard library.
"""
import csv
import json
import pathlib
import statistics
import sys


def rows_of(clone, name):
    """The rows of the first file of that name (its last parts) below the clone, or None."""
    for path in sorted(clone.rglob(pathlib.PurePath(name).name)):
        if path.as_posix().endswith(name):
            try:
                with open(path, encoding="utf-8") as file:
                    return [json.loads(line) for line in file if line.strip()]
            except ValueError as error:
                print(f"published.py: {path} is no file of JSON lines ({error}); "
                      "is it a Git LFS pointer?", file=sys.stderr)
                return None
    print(f"published.py: no {name} below {clone}", file=sys.stderr)
    return None


def theory(row):
    if row.get("algorithm") != "approx":
        return None
    return {
        "n": row["n"], "k": row["k"], "b": row["b"], "k_b": row["k_b"],
        "recall_binomial": row["recall_model"], "recall_simulated_mean": row["recall_simulation"],
        "recall_simulated_sd": row["recall_simulation_std"],
        "repetitions": row["recall_simulation_n"],
        "cost_basic": row["cost_basic"], "cost_serial": row["cost_serial"],
        "cost_parallel": row["cost_parallel"],
    }


def correlation(row):
    return {
        "n": row["n"], "k": row["k"], "k_b": row["k_per_bucket"], "rho": row["corr_factor"],
        "assignment": "interleaved" if row["interleaved"] else "contiguous",
        "shuffled": int(row["shuffle"]),
        "recall_mean": row["recall_mean"], "recall_sd": row["recall_std"],
        "repetitions": row["n_repetitions"],
    }


def time_us(row):
    """Of one call: a duration is one replay of a graph of n_inner calls, in seconds."""
    return statistics.median(row["duration"]) / row["n_inner"] * 1e6


def bucketed(row):
    if "priority_queue" not in row["method"]:
        return None
    return {
        "n": row["topk_size"], "k": row["k"], "b": row["k"] * row["k_mult"] // row["j"],
        "k_b": row["j"], "m": row["batch_size"], "candidates_over_k": row["k_mult"],
        "time_us_median": time_us(row),
    }


def exact(row):
    return {
        "n": row["topk_size"], "k": row["k"], "m": row["batch_size"],
        "time_us_median": time_us(row),
    }


FILES = [
    ("theoretical_models.jsonl", "theory.csv", theory),
    ("correlation/results.jsonl", "correlation.csv", correlation),
    ("generic2/measure_speed_approx_finer_multi2.jsonl", "h100_pcie_bucketed.csv", bucketed),
    ("generic2/measure_speed_exact_finer.jsonl", "h100_pcie_torch_topk.csv", exact),
]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    clone, into = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    into.mkdir(parents=True, exist_ok=True)
    found = 0
    for name, target, convert in FILES:
        rows = rows_of(clone, name)
        kept = [row for row in map(convert, rows or []) if row is not None]
        if not kept:
            continue
        found += 1
        with open(into / target, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, kept[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
    if not found:
        sys.exit(f"published.py: {clone} has none of the published files")


if __name__ == "__main__":
    main()
