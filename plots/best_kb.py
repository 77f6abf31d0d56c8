#!/usr/bin/env python3
"""best_kb.py - the best k_b and b k_b / k by n, k, recall and model, and by the published runs.

    plots/best_kb.py FOLDER
    plots/best_kb.py text FILE [--write PAGE]    what that CSV says, into the page

FOLDER: prints CSV. A question is an n of 2^10, 2^12 .. 2^22, a k of 64, n/64, n/16 or n/4, and a
recall. For each of them:

    measured      the fastest run in FOLDER, runs/keyetal/, that has the recall; m = 1 and 256
    calibrated    the run for which the profile predicts the least time
    basic serial parallel
                  the least cost among k_b = 1, 2 .. 64 and b k_b / k = 1, 2 .. 32, below n

speedup is that over exact top-k, by the same measure. k_b is NaN where nothing has the recall.
The command is $RECALLMODEL (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math
import textwrap

from key import DEVICE, predictions, recalls, runs
from program import ask, read, words, write, write_page, wrong

RECALLS = 0.7, 0.8, 0.85, 0.9, 0.95, 0.99
SHARES = {"64": lambda n: 64, "n/64": lambda n: n // 64, "n/16": lambda n: n // 16,
          "n/4": lambda n: n // 4}
SIZES = [2**i for i in range(10, 23, 2)]
MODELS = "basic", "serial", "parallel"


def is_asked(n, k):
    return k in {of(n) for of in SHARES.values()}


def grid():
    """The shapes that the cost models choose from."""
    return {(n, k, ratio * k // k_b, k_b) for n in SIZES for k in {of(n) for of in SHARES.values()}
            for k_b in (2**i for i in range(7)) for ratio in (2**i for i in range(6))
            if k_b <= k and ratio * k < n}


def timed(folder, model):
    """{(n, k, m): [(recall, time, k_b, ratio, speed-up)]} as measured, and as predicted."""
    exact = {(int(row["n"]), int(row["k"]), int(row["m"])): (float(row["time_us_median"]),
                                                             float(row["predicted_us"]))
             for row in ask("predict", "--device", DEVICE, "--runs", f"{folder}/exact.csv")
             if is_asked(int(row["n"]), int(row["k"]))}
    table = [row for row in runs(folder, "two-stage") if is_asked(int(row["n"]), int(row["k"]))]
    found = {"measured": {}, "calibrated": {}}
    for row, predicted in zip(table, predictions(table)):
        at = tuple(int(row[name]) for name in ("n", "k", "m"))
        b, k_b, ratio = (int(row[name]) for name in ("b", "k_b", "candidates_over_k"))
        recall = float(model[at[0], at[1], b, k_b]["recall"])
        for by, time, other in zip(found, (row["time_us_median"], predicted["predicted_us"]),
                                   exact[at]):
            found[by].setdefault(at, []).append(
                (recall, float(time), k_b, ratio, other / float(time)))
    return found


def counted(model):
    """The same by the cost models, for one row."""
    found = {name: {} for name in MODELS}
    for n, k, b, k_b in sorted(grid()):
        row = model[n, k, b, k_b]
        for name in MODELS:
            found[name].setdefault((n, k, 1), []).append(
                (float(row["recall"]), float(row[f"cost_{name}"]), k_b, b * k_b // k,
                 float(row[f"speedup_{name}"])))
    return found


def asked(rows, by, share, *recalls):
    return [row for row in rows if row["by"] == by and row["k_over_n"] == share and
            float(row["recall_target"]) in recalls]


def equal(rows):
    return sum(row["candidates_over_k"] == "1" for row in rows)


def share_of(rows, by):
    """Of the cases that were measured, the share in which it chooses what was the fastest."""
    def choice(row):
        return row["k_b"], row["candidates_over_k"]
    chosen = {tuple(row[c] for c in ("k_over_n", "n", "recall_target")) +
              ((row["m"],) if by == "calibrated" else ()): choice(row)
              for row in rows if row["by"] == by}
    same = [choice(row) == chosen[tuple(row[c] for c in ("k_over_n", "n", "recall_target")) +
                                  ((row["m"],) if by == "calibrated" else ())]
            for row in rows if row["by"] == "measured" and row["k_b"] != "nan"]
    return sum(same) / len(same)


def sentences(rows):
    """What the CSV says of their runs."""
    low, high = asked(rows, "measured", "n/4", .8), asked(rows, "measured", "n/4", .85, .9, .95)
    gains = [float(row["speedup"]) for row in low]
    yield (f"For k = n/4 and R = .8, b k_b = k with k_b = 4 is the fastest in {equal(low)} of "
           f"{len(low)} cases, {min(gains):.1f} to {max(gains):.1f} times as fast as torch.topk.")
    slower = sum(float(row["speedup"]) < 1 for row in high)
    yield (f"From R = .85 on, k_b up to 4 needs stage 2 there, and torch.topk is faster in "
           f"{slower} of {len(high)} cases.")
    low, high = asked(rows, "measured", "n/16", .7, .8), asked(rows, "measured", "n/16", .85, .9)
    gains = [float(row["speedup"]) for row in high]
    twice = sum((row["k_b"], row["candidates_over_k"]) == ("2", "2") for row in high)
    yield (f"For k = n/16, b k_b = k is the fastest in {equal(low)} of {len(low)} cases up to R = "
           f".8; for .85 and .9, k_b = 2 with b k_b = 2k is in {twice} of {len(high)}. Then the "
           f"fastest is {min(gains):.1f} to {max(gains):.1f} times as fast as torch.topk.")
    many = [row for row in asked(rows, "measured", "64", .85, .9, .95)
            if row["m"] == "256" and int(row["n"]) >= 2**18]
    yield (f"For k = 64, n from 2^18 on, m = 256 and R up to .95, k_b = 1 with b k_b up to 32k is "
           f"the fastest in {sum(row['k_b'] == '1' for row in many)} of {len(many)}.")
    tenths = math.floor(10 * share_of(rows, "calibrated"))
    yield (f"The profile, which was fitted to these runs, takes the fastest in more than {tenths} "
           "of 10 cases. The basic, serial and parallel cost, which may take k_b up to 64, do in " +
           ", ".join(f"{100 * share_of(rows, by):.0f}" for by in MODELS) + " %.")


def main(arguments):
    if arguments[:1] == ["text"] and (
            len(arguments) == 2 or len(arguments) == 4 and arguments[2] == "--write"):
        text = "\n".join(textwrap.fill(f"- {line}", 100, subsequent_indent="  ")
                         for line in sentences(read(arguments[1])))
        if len(arguments) == 4:
            write_page(arguments[3], {"best-kb": text})
        else:
            print(text)
        return
    if len(arguments) != 1:
        wrong("give the folder of runs, runs/keyetal/, or text and a FILE")
    run = {tuple(int(row[name]) for name in ("n", "k", "b", "k_b"))
           for row in runs(arguments[0], "two-stage")}
    model = recalls(grid() | {at for at in run if is_asked(*at[:2])})
    rows = []
    for by, cells in (timed(arguments[0], model) | counted(model)).items():
        for share, of in SHARES.items():
            for n, k, m in sorted(at for at in cells if at[1] == of(at[0])):
                for recall in RECALLS:
                    reach = [cell for cell in cells[n, k, m] if cell[0] >= recall]
                    _, _, k_b, ratio, speedup = min(reach, key=lambda cell: cell[1:], default=(
                        0, 0, math.nan, math.nan, math.nan))
                    rows.append({"by": by, "k_over_n": share, "n": n, "k": k, "m": m,
                                 "recall_target": recall, "k_b": f"{k_b:g}",
                                 "candidates_over_k": f"{ratio:g}",
                                 "speedup": f"{speedup:.5g}"})
    write(rows)


if __name__ == "__main__":
    main(words())
