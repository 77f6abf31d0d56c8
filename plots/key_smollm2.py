#!/usr/bin/env python3
"""key_smollm2.py - Figures 2, right, and 7 of Key et al. beside the same on a small model.

    plots/key_smollm2.py FOLDER

Prints a CSV row for each shape of SparQ and each score: those that FOLDER, runs/keyetal/, has, and
those that were measured on SmolLM2-135M (repetition.csv and sparq-errors.csv beside the figure).
`relative` is the score over that of exact top-k; for perplexity and output error more is worse.
Times of our shapes, and their recall, are what $RECALLMODEL (./recallmodel) predicts.

SPDX-License-Identifier: Apache-2.0
"""
import math

from figure import FIGURES
from key import DEVICE, NONE, pick, predictions, recalls, scores
from program import ask, read, words, write, wrong

BESIDE = FIGURES / "key-02-smollm2"
WINDOW = 32
SHAPE = "k", "k_b", "candidates_over_k", "assignment"


def ratio_of_sums(scores_of, exact):
    """What sum(scores) / sum(exact) is, and its standard error over the samples."""
    ratio, count = sum(scores_of) / sum(exact), len(exact)
    squares = sum((x - ratio * y) ** 2 for x, y in zip(scores_of, exact))
    return ratio, math.sqrt(count / (count - 1) * squares) / sum(exact)


def loss_over(losses, exact):
    """The perplexity over that of exact top-k, and its standard error over the samples."""
    over, count = [x - y for x, y in zip(losses, exact)], len(exact)
    mean = sum(over) / count
    squares = sum((x - mean) ** 2 for x in over)
    return math.exp(mean), math.exp(mean) * math.sqrt(squares / (count - 1) / count)


# The column of the file, what it is called, how it is compared, and how its mean is printed.
MEASURED = (("characters", "repetition", ratio_of_sums, float),
            ("run", "run", ratio_of_sums, float),
            ("loss", "perplexity", loss_over, math.exp))


def compared(row, task, n, score, exact, relative, error=None):
    """A row of the figure for a row of what was measured."""
    k, k_b, ratio = (int(row[c]) for c in ("k", "k_b", "candidates_over_k"))
    return {"source": "smollm2", "task": task, "n": n, "k": k, "b": -(-ratio * k // k_b),
            "k_b": k_b, "candidates_over_k": ratio, "assignment": row["assignment"],
            "score": f"{score:.6g}", "score_exact": f"{exact:.6g}", "relative": f"{relative:.6g}",
            "relative_se": NONE if error is None else f"{error:.4g}"}


def measured_scores(n, table):
    samples = {}
    for row in table:
        samples.setdefault(tuple(row[c] for c in SHAPE), []).append(row)
    for shape, found in samples.items():
        exact = samples.get((shape[0], "", "", ""))
        for column, task, compare, show in MEASURED if shape[1] else ():
            of, than = ([float(row[column]) for row in rows] for rows in (found, exact))
            yield compared(found[0], task, n, show(sum(of) / len(of)), show(sum(than) / len(than)),
                           *compare(of, than))


def measured_errors(n, table):
    exact = {row["k"]: float(row["error"]) for row in table if not row["k_b"]}
    for row in table:
        # Where every key is a candidate the error is that of exact top-k.
        if row["k_b"] and int(row["k"]) * int(row["candidates_over_k"]) < n:
            error, than = float(row["error"]), exact[row["k"]]
            yield compared(row, "error", n, error, than, error / than)


def measured():
    """What was measured on the small model, with predicted times."""
    table = read(BESIDE / "repetition.csv")
    # A query has as many open keys as there are keys before its window: the mean over the queries.
    n = int(table[0]["n"]) - WINDOW - int(table[0]["n_q"]) // 2
    rows = [*measured_scores(n, table),
            *measured_errors(n, read(BESIDE / "sparq-errors.csv"))]
    exact = {k: ask("predict", "--device", DEVICE, "--n", n, "--k", k, "--kb", 1, "--b", k)[0]
             for k in {row["k"] for row in rows}}
    for row, said in zip(rows, predictions([row | {"m": 1} for row in rows])):
        row |= {"time_us": said["predicted_us"] or NONE, "exact_us": exact[row["k"]]["exact_us"]}
    return rows


def published(folder):
    return [{"source": "keyetal", **pick(row, "task", "n", "k", "b", "k_b", "candidates_over_k",
                                         "assignment", "score", "score_exact"),
             "relative": f"{float(row['score']) / float(row['score_exact']):.6g}",
             "relative_se": NONE, "time_us": row["time_us_median"],
             "exact_us": row["exact_us_mean"]} for row in scores(folder)]


def main(arguments):
    if len(arguments) != 1:
        wrong("give the folder of runs")
    rows = published(arguments[0]) + measured()
    model = recalls((row["n"], row["k"], row["b"], row["k_b"]) for row in rows)
    for row in rows:
        row["recall"] = model[row["n"], row["k"], row["b"], row["k_b"]]["recall"]
    write(rows)


if __name__ == "__main__":
    main(words())
