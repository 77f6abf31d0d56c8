#!/usr/bin/env python3
"""key.py - the numbers of figures of Key et al. that join published runs with the models.

    plots/key.py WHAT FOLDER

    example      Figure 2, left: a row of 11 through both stages (takes no FOLDER)
    scores       Figures 2, right, and 7: scores of SparQ, times, recall by the model
    losses       Figure 4: recall errors and predicted times
    decoding     Figure 5: the speed-up of a step, by what the selection takes
    shapes       Figure 8: contiguous and interleaved buckets
    bandwidth    Figures 1, 9 and 10: values read and written over the time
    exact        Figure 15: exact top-k
    queue        Figure 16: one bucket

Each prints CSV. The measured numbers are those in FOLDER, runs/keyetal/; every modelled number is
asked of the command $RECALLMODEL (./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math
import pathlib
import tempfile

from program import ask, joined, read, words, write, write_file, wrong

DEVICE = "h100-pcie"
NONE = "NaN"


def runs(folder, name):
    return read(pathlib.Path(folder) / f"{name}.csv")


def pick(row, *names):
    return {name: row[name] for name in names}


def predictions(shapes, kernel="graphcore"):
    """What `predict --runs` prints for rows of n, k, b, k_b and m."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_file(pathlib.Path(folder) / "shapes.csv", shapes, ("n", "k", "b", "k_b", "m"))
        return ask("predict", "--device", DEVICE, "--kernel", kernel, "--runs", path)


def recalls(shapes):
    """{(n, k, b, k_b): the row that `recall` prints}, with one question for many b."""
    asked = {}
    for n, k, b, k_b in shapes:
        asked.setdefault((n, k, k_b), set()).add(b)
    found = {}
    for (n, k, k_b), bs in asked.items():
        for row in ask("recall", "--n", n, "--k", k, "--kb", k_b, "--b", joined(sorted(bs))):
            found[n, k, int(row["b"]), k_b] = row
    return found


# ---- Figure 2, left

# Three of the four largest are in bucket 0, which keeps two.
EXAMPLE = 7, 3, 10, 9, 1, 4, 8, 5, 2, 6, 0
EXAMPLE_K, EXAMPLE_B, EXAMPLE_K_B = 4, 3, 2


def example(_):
    n, k, b, k_b = len(EXAMPLE), EXAMPLE_K, EXAMPLE_B, EXAMPLE_K_B
    model = ask("recall", "--n", n, "--k", k, "--b", b, "--kb", k_b)[0]
    columns = ("n", "k", "b", "k_b", "candidates", "recall", "recall_sd", "recall_binomial",
               "recall_worst_case", "probability_exact")
    top = sorted(EXAMPLE)[-k:]
    kept = [x for s in range(b) for x in sorted(EXAMPLE[s::b])[-k_b:]]
    chosen = sorted(kept)[-k:]
    return [{"i": i, "value": x, "bucket": i % b, "place": i // b, "is_top": int(x in top),
             "is_kept": int(x in kept), "is_chosen": int(x in chosen)} | pick(model, *columns)
            for i, x in enumerate(EXAMPLE)]


# ---- Figures 2, right, and 7

TASKS = {"squad": 1409, "repetition": 1659}
# The paper shows the later run of SQuAD.
SCORES = {"squad": "sparq-scores-2", "repetition": "sparq-scores-1"}


def shape_of(row):
    """The key of a row of sparq-shapes, whose assignment is a word."""
    return tuple(int(row[c]) for c in ("n", "k_b", "candidates_over_k")) + (row["assignment"],)


def scores(folder):
    times = {shape_of(row): row for row in runs(folder, "sparq-shapes")}
    torch = {int(row["n"]): row["time_us_mean"] for row in runs(folder, "sparq-exact")
             if row["variant"] == "eager"}
    rows = []
    for task, n in TASKS.items():
        table = [row for row in runs(folder, SCORES[task]) if row["task"] == task]
        exact = next(row["score"] for row in table if row["bucketed"] == "false")
        for row in table:
            if row["bucketed"] == "false" or int(row["k_b"]) > 8:
                continue
            k, k_b, ratio = (int(row[c]) for c in ("k", "k_b", "candidates_over_k"))
            assignment = "interleaved" if row["interleaved"] == "true" else "contiguous"
            time = times.get((n, k_b, ratio, assignment))
            rows.append({"task": task, "n": n, "k": k, "b": k * ratio // k_b, "k_b": k_b,
                         "candidates_over_k": ratio, "assignment": assignment,
                         "score": row["score"], "score_exact": exact,
                         "time_us_median": time["time_us_median"] if time else NONE,
                         "exact_us_mean": torch[n]})
    model = recalls((r["n"], r["k"], r["b"], r["k_b"]) for r in rows)
    for row in rows:
        row["recall"] = model[row["n"], row["k"], row["b"], row["k_b"]]["recall"]
    return rows


# ---- Figure 4

TRIPLES = 55000  # of the test set, by the paper's text
SHAPE = "n", "k", "m", "b", "k_b"
KGC_ROWS = 128


def losses(folder):
    table = [{"panel": "vocabulary"} | {name: int(row[name]) for name in SHAPE} |
             {"loss_measured": row["recall_loss"], "time_us_mean": row["time_us_mean"]}
             for row in runs(folder, "vocabulary") if row["b"]]
    times = {(row["b"], row["k_b"], row["k"]): row["time_us_mean"]
             for row in runs(folder, "pharmebinet-times") if row["work"] == "two-stage"}
    for row in runs(folder, "pharmebinet"):
        table.append({"panel": "pharmebinet", "n": int(row["n"]), "k": int(row["k"]),
                      "m": KGC_ROWS, "b": int(row["b"]), "k_b": int(row["k_b"]),
                      "loss_measured": f"{1 - float(row['recall_interleaved']):.9g}",
                      "time_us_mean": times.get((row["b"], row["k_b"], row["k"]), NONE)})
    model = recalls((r["n"], r["k"], r["b"], r["k_b"]) for r in table)
    exact = {at: ask("predict", "--device", DEVICE, "--n", at[0], "--k", at[1], "--m", at[2],
                     "--kb", 1, "--b", at[1])[0]["exact_us"]
             for at in {(r["n"], r["k"], r["m"]) for r in table}}
    # The times of PharMeBINet are of a kernel that always had one thread a bucket.
    first = [row for row in table if row["panel"] == "vocabulary"]
    said_times = (predictions(first) +
                  predictions(table[len(first):], "graphcore-thread"))
    for row, time in zip(table, said_times):
        said = model[row["n"], row["k"], row["b"], row["k_b"]]
        row["candidates"] = row["b"] * row["k_b"]
        row["loss"], row["recall_sd"] = said["loss"], said["recall_sd"]
        # Where the mean of so many triples could show the loss; they are not independent, see the
        # caption. How many rows of logits there were is not said.
        stderr = float(said["recall_sd"]) / math.sqrt(TRIPLES)
        shows = row["panel"] == "pharmebinet" and float(said["loss"]) >= 1e-5
        row["z"] = (f"{(float(said['loss']) - float(row['loss_measured'])) / stderr:.4g}"
                    if shows else NONE)
        for name in ("predicted_us", "low_us", "high_us"):
            row[name] = time[name] or NONE
        row["exact_us"] = exact[row["n"], row["k"], row["m"]]
    return table


# ---- Figure 5

CACHED = 4096, 8192, 16384, 24576, 32768, 40960
HEADS = 32  # of queries in Llama-2-7B: the rows of a selection


def dense_step(table, steps):
    """What a measured dense step takes beyond the model: an overhead, and how many times the
    attention. Least squares of the relative errors."""
    model = {row["n"]: row for row in table}
    terms = []
    for step in steps:
        row, time = model[int(step["n"])], float(step["dense_us"])
        attention = float(row["attention_us"])
        terms.append((1 / time, attention / time, (float(row["step_us"]) - attention) / time))
    aa, ab, bb, ar, br = (sum(term) for term in zip(*(
        (a * a, a * b, b * b, a * (1 - c), b * (1 - c)) for a, b, c in terms)))
    return (ar * bb - ab * br) / (aa * bb - ab * ab), (aa * br - ab * ar) / (aa * bb - ab * ab)


def decoding(folder):
    rows = [(16, 2, "free", NONE, NONE)]
    for share in (16, 8):
        for n in CACHED:
            k = n // share
            said = [ask("predict", "--device", DEVICE, "--n", n, "--k", k, "--m", HEADS, "--kb",
                        k_b, "--b", k // k_b)[0] for k_b in (1, 2)]
            rows.append((n, k, "free", NONE, NONE))
            rows.append((n, k, "exact", NONE, said[0]["exact_us"]))
            rows += [(n, k, "bucketed", k_b, said[k_b - 1]["predicted_us"]) for k_b in (1, 2)]
    table = []
    for n, k, selection, k_b, time in rows:
        option = [] if time == NONE else ["--select-us", time]
        step = ask("attention", "--n", n, "--k", k, *option)[0]
        table.append({"n": n, "k": k, "selection": selection, "k_b": k_b, "m": HEADS,
                      "select_us": time, **pick(step, "step_us", "attention_us", "speedup"),
                      "speedup_selected": step.get("speedup_selected", step["speedup"])})
    overhead, times = dense_step(table, runs(folder, "steps"))
    for row in table:
        step, attention = float(row["step_us"]), float(row["attention_us"])
        # What sparse attention leaves of it, by its transfers.
        left = attention - step * (1 - 1 / float(row["speedup"]))
        dense = step + overhead + (times - 1) * attention
        sparse = step / float(row["speedup_selected"]) + overhead + (times - 1) * left
        row["step_fitted_us"], row["speedup_fitted"] = f"{dense:.6g}", f"{dense / sparse:.5g}"
    return table


# ---- Figure 8


def both_kernels(table):
    """{n, b, k_b: the prediction, and whether a thread has a bucket} for interleaved buckets."""
    found = {}
    for n, k_b in sorted({(row["n"], row["k_b"]) for row in table}):
        bs = joined(sorted({int(row["b"]) for row in table
                            if (row["n"], row["k_b"]) == (n, k_b)}))
        question = "predict", "--device", DEVICE, "--n", n, "--k", 96, "--kb", k_b, "--b", bs
        threads = ask(*question, "--kernel", "graphcore-thread")
        for said, thread in zip(ask(*question), threads):
            found[n, said["b"], k_b] = said | {
                "is_thread": said["predicted_us"] == thread["predicted_us"]}
    return found


def contiguous_ratio(table, said):
    """Least squares: the time of stage 1 with contiguous buckets over the predicted time with
    interleaved ones, where a thread has a bucket; stage 2 is the same."""
    pairs = [(float(p["stage1_us"]), float(row["time_us_median"]) - float(p["stage2_us"]))
             for row in table for p in [said[row["n"], row["b"], row["k_b"]]] if p["is_thread"]]
    return sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)


def shapes(folder):
    """Predicted times of contiguous buckets take one ratio from the runs of the other n."""
    table = runs(folder, "sparq-shapes")
    said = both_kernels(table)
    contiguous = [row for row in table if row["assignment"] == "contiguous"]
    ratio = {n: contiguous_ratio([row for row in contiguous if row["n"] != n], said)
             for n in {row["n"] for row in table}}
    interleaved = {shape_of(row): float(row["time_us_median"]) for row in table}
    rows = []
    for row in table:
        at, p = shape_of(row), said[row["n"], row["b"], row["k_b"]]
        ours = row["assignment"] == "interleaved"
        of_stage1 = 1.0 if ours or not p["is_thread"] else ratio[row["n"]]
        time = of_stage1 * float(p["stage1_us"]) + float(p["stage2_us"])
        rows.append(pick(row, "n", "k", "b", "k_b", "m", "candidates_over_k", "assignment",
                         "time_us_median", "time_us_stderr")
                    | {"predicted_us": f"{time:.9g}", "stage1_ratio": f"{of_stage1:.6g}"}
                    | {name: p[name] if ours else NONE for name in ("low_us", "high_us")}
                    | {"interleaved_over_this":
                       f"{interleaved[at[:3] + ('interleaved',)] / interleaved[at]:.6g}"})
    return rows


# ---- Figures 1, 9 and 10

BYTES = 2


def bandwidth(folder):
    rows = []
    for name in ("two-stage", "argmax", "exact"):
        for row in runs(folder, name):
            n, k, m = (int(row[c]) for c in ("n", "k", "m"))
            if k not in (64, n // 16, n // 4):
                continue
            time = float(row["time_us_median"])
            rows.append({"work": f"argmax-{row['variant']}" if name == "argmax" else name, "n": n,
                         "k": k, "m": m, "b": row.get("b", NONE), "k_b": row.get("k_b", NONE),
                         "candidates_over_k": row.get("candidates_over_k", NONE),
                         "time_us_median": row["time_us_median"],
                         "gb_per_s": f"{BYTES * (n + k) * m / time / 1e3:.6g}"})
    return rows


# ---- Figures 15 and 16


def exact(folder):
    # of the calls that were timed: a row is not padded to be faster
    table = ask("predict", "--device", DEVICE, "--runs", f"{folder}exact.csv")
    rows = []
    for k, m in sorted({(int(row["k"]), int(row["m"])) for row in table}):
        mine = {int(row["n"]): row for row in table if (row["k"], row["m"]) == (str(k), str(m))}
        for said in ask("predict", "--device", DEVICE, "--n", joined(mine), "--k", k, "--m", m,
                        "--kb", 1, "--b", max(k, 1024)):
            row = mine[int(said["n"])]
            said["exact_us"] = row["predicted_us"]
            rows.append(pick(row, "n", "k", "m", "time_us_median", "time_us_stderr")
                        | pick(said, "exact_us", "cost_serial_exact", "cost_parallel_exact"))
    return rows


def queue(folder):
    table = [row for row in runs(folder, "two-stage")
             if row["b"] == row["candidates_over_k"] == "1" and row["k_b"] == row["k"]]
    rows = []
    for k, m in sorted({(int(row["k"]), int(row["m"])) for row in table}):
        mine = {int(row["n"]): row for row in table if (row["k"], row["m"]) == (str(k), str(m))}
        for said in ask("predict", "--device", DEVICE, "--n", joined(mine), "--k", k, "--m", m,
                        "--kb", k, "--b", 1):
            rows.append(pick(mine[int(said["n"])], "n", "k", "b", "k_b", "m", "time_us_median",
                             "time_us_stderr")
                        | pick(said, "predicted_us", "cost_serial", "cost_parallel"))
    return rows


TABLES = (example, scores, losses, decoding, shapes, bandwidth, exact, queue)


def main(arguments):
    tables = {table.__name__: table for table in TABLES}
    what, folder = (arguments + [""])[:2] if arguments else ("", "")
    if what not in tables or len(arguments) != (1 if what == "example" else 2):
        wrong(f"give one of {', '.join(tables)}, and the folder of runs")
    write(tables[what](folder))


if __name__ == "__main__":
    main(words())
