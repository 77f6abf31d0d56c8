#!/usr/bin/env python3
"""key_models.py - which cost model picks well where, by the published runs of Key et al.

    plots/key_models.py FOLDER

Prints CSV: for each regime of m and k and each cost model

    questions, mean, median, worst   n, k, m and a recall of .8, .9, .95 or .99 that at least two
                                     runs reach: the time of the run that the model picks over that
                                     of the fastest
    rank_correlation                 Spearman's, of cost and time over all runs of the regime
    stage2                           from b k_b = k, without stage 2, to 2k: the growth of the time
                                     over that of the cost, the median

Costs and recall are those of the command $RECALLMODEL (./recallmodel), for one row.

SPDX-License-Identifier: Apache-2.0
"""
import statistics

from key import recalls, runs
from program import words, write, wrong

MODELS = "basic", "serial", "parallel"
RECALLS = 0.8, 0.9, 0.95, 0.99
REGIMES = {"all": lambda n, k: True, "k up to 4": lambda n, k: k <= 4,
           "16 to n/64": lambda n, k: 16 <= k < n / 16, "n/16 or n/4": lambda n, k: 16 * k >= n
           and k > 4}


def ranks(values):
    """The ranks of the values; equal ones share theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in order[first:last + 1]:
            found[i] = (first + last) / 2
        first = last + 1
    return found


def measured(folder):
    """The runs in the folder with their costs and recall."""
    table = runs(folder, "two-stage")
    shapes = [tuple(int(row[c]) for c in ("n", "k", "b", "k_b")) for row in table]
    model = recalls(set(shapes))
    return [{"n": at[0], "k": at[1], "m": int(row["m"]), "time": float(row["time_us_median"]),
             "recall": float(model[at]["recall"]), "at": (*at[:2], at[3], row["m"]),
             "ratio": row["candidates_over_k"]}
            | {name: float(model[at][f"cost_{name}"]) for name in MODELS}
            for row, at in zip(table, shapes)]


def regrets(rows, model):
    """For each question: the time of the run that the model picks over that of the fastest."""
    cells = {}
    for row in rows:
        cells.setdefault((row["n"], row["k"]), []).append(row)
    for cell in cells.values():
        for recall in RECALLS:
            reach = [row for row in cell if row["recall"] >= recall]
            if len(reach) >= 2:
                picked = min(reach, key=lambda row: row[model])
                yield picked["time"] / min(row["time"] for row in reach)


def growths(rows, model):
    """From b k_b = k to 2k: the growth of the time over that of the cost."""
    one, two = ({row["at"]: row for row in rows if row["ratio"] == ratio} for ratio in "12")
    return [two[at]["time"] / one[at]["time"] * one[at][model] / two[at][model]
            for at in one.keys() & two.keys()]


def main(arguments):
    if len(arguments) != 1:
        wrong("give the folder of runs, runs/keyetal/")
    table = measured(arguments[0])
    rows = []
    for m in (1, 256):
        for regime, is_in in REGIMES.items():
            mine = [row for row in table if row["m"] == m and is_in(row["n"], row["k"])]
            for model in MODELS:
                found = list(regrets(mine, model))
                correlation = statistics.correlation(ranks([row["time"] for row in mine]),
                                                     ranks([row[model] for row in mine]))
                rows.append({"m": m, "k": regime, "model": model, "runs": len(mine),
                             "questions": len(found),
                             **{name: f"{value:.5g}" for name, value in (
                                 ("mean", statistics.fmean(found)),
                                 ("median", statistics.median(found)), ("worst", max(found)),
                                 ("rank_correlation", correlation),
                                 ("stage2", statistics.median(growths(mine, model))))}})
    write(rows)


if __name__ == "__main__":
    main(words())
