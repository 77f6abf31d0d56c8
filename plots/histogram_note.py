#!/usr/bin/env python3
"""histogram_note.py - the numbers of the figures of exact top-k by a histogram.

    plots/histogram_note.py table|threshold    prints the CSV of blog-table, ours-threshold-bin

$RECALLMODEL is the command (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
from program import ask, print_table, runs

INPUTS = "uniform", "iid", "lognormal"
KS = 64, 2048
BITS = 9
SIZES = sorted({round(2 ** (i / 4)) for i in range(4 * 13, 4 * 18 + 1)} | {50000})


def counted(n, k, dist, **options):
    """The row of count for the histogram on float32 keys."""
    rows = ask("count", "--n", n, "--k", k, "--input", dist, "--algorithm", "histogram",
               "--digits", BITS, *(part for name, value in options.items()
                                   for part in ("--" + name, value)))
    return next(row for row in rows if row["keys"] == "float32")


def table():
    """The printed times, and what they are as bandwidth: each value counted once, and all that the
    histogram moves by its counters."""
    for row in runs("histogram-note/times"):
        n, k, m, us = (int(row["n"]), int(row["k"]), int(row["m"]), float(row["time_us_median"]))
        once = 4 * n * m
        ours = row["kernel"].startswith("histogram")
        moved = float(counted(n, k, "iid")["bytes"]) if ours else None
        yield {"kernel": row["kernel"], "n": n, "k": k, "m": m, "time_us_median": us,
               "printed_gb_s": row["printed_gb_s"],
               "bytes_a_row": f"{moved:.0f}" if moved else "",
               "row_over_batch_gb_s": f"{moved / us / 1e3:.4g}" if moved else "",
               "moved_tb_s": f"{m * moved / us / 1e6:.4g}" if moved else "",
               "once_tb_s": f"{once / us / 1e6:.4g}"}


def threshold():
    for dist in INPUTS:
        for k in KS:
            for n in SIZES:
                row = counted(n, k, dist)
                yield {"input": dist, "k": k, "n": n, "left": row["left"],
                       "left_modelled": f"{float(row['left_modelled']):.6g}",
                       "over_modelled": f"{float(row['over_modelled']):.4f}"}


if __name__ == "__main__":
    print_table({"table": table, "threshold": threshold})
