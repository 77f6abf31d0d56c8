"""The CSV files of the trade-off curves, and what is said of them, against the runs themselves.

    tradeoff_check.py FOLDER PAGE [FIGURE]

FOLDER has FIGURE/{FIGURE.csv,caption.txt}; PAGE is docs/runs.md; with FIGURE that one alone.

What plots/tradeoff.py does is done here in another way: by comparing every pair of configurations,
and by exact fractions. $RECALLMODEL is the command. Each check prints one line for each failure.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = {"time_model": "predicted_us", "basic": "cost_basic", "serial": "cost_serial",
          "parallel": "cost_parallel"}
FIGURES = "key-tradeoff", "ours-cpu", "drtopk-tradeoff"
TARGETS = 0.8, 0.9, 0.95, 0.99
KEY = "n", "k", "m", "b", "k_b"


def ask(*arguments):
    return subprocess.run([os.environ["RECALLMODEL"], *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def numbers(row):
    return {c: float(v) for c, v in row.items()}


def cells_of(rows):
    cells = {}
    for row in rows:
        cells.setdefault((row["n"], row["k"], row["m"]), []).append(row)
    return cells


def close_to(a, b, tolerance=1e-8):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-15)


# ---- frontiers and choices, for each n, k and m


def beats(one, other):
    """one is at least as good in time and recall, and better in one of them."""
    return (one["time_us"] <= other["time_us"] and one["recall"] >= other["recall"]
            and (one["time_us"] < other["time_us"] or one["recall"] > other["recall"]))


def at_least(runs, row):
    """Those with the recall of the row: a loss larger by 1e-12 of it counts as reaching it."""
    return [r for r in runs if 1 - r["recall"] <= (1 - row["recall"]) * (1 + 1e-12)]


def check_frontier(name, runs):
    for row in runs:
        beaten = any(beats(other, row) for other in runs)
        twin = sum((r["time_us"], r["recall"]) == (row["time_us"], row["recall"]) for r in runs)
        if row["frontier"] != (not beaten) and twin == 1:
            yield f"{name}: frontier of b = {row['b']:g}, k_b = {row['k_b']:g}"
        if row["fastest_us"] != min(r["time_us"] for r in at_least(runs, row)):
            yield f"{name}: fastest_us of b = {row['b']:g}, k_b = {row['k_b']:g}"


def check_choices(name, runs):
    for row in runs:
        of = at_least(runs, row)
        for model, cost in MODELS.items():
            most = min(r[cost] for r in of) * (1 + 1e-8)
            at = f"{name}: {model}, recall {row['recall']:g}"
            if not any(r[cost] <= most and r["time_us"] == row[f"{model}_us"]
                       and r[f"chosen_by_{model}"] for r in of):
                yield f"{at}: what takes {row[f'{model}_us']:g} is not its cheapest"
            if row[f"{model}_us"] < row["fastest_us"]:
                yield f"{at}: a regret below 1"
            if row[f"chosen_by_{model}"] and row[cost] > most:
                yield f"{at}: it would not take b = {row['b']:g}, k_b = {row['k_b']:g}"


# ---- the CSV against the runs


def exact_recall(n, k, b, k_b):
    """The sum of the mean of min(X, k_b) over buckets, X hypergeometric, over k: a fraction. The
    first n mod b buckets have one element more."""
    kept = 0
    for size, buckets in ((n // b, b - n % b), (n // b + 1, n % b)):
        if buckets:
            kept += buckets * sum(min(x, k_b) * math.comb(size, x) * math.comb(n - size, k - x)
                                  for x in range(1, min(size, k) + 1))
    return Fraction(kept, k * math.comb(n, k))


def check_keyetal(rows):
    runs = {tuple(float(r[c]) for c in KEY): float(r["time_us_median"])
            for r in read(ROOT / "runs/keyetal/two-stage.csv")}
    exact = {tuple(float(r[c]) for c in KEY[:3]): float(r["time_us_median"])
             for r in read(ROOT / "runs/keyetal/exact.csv")}
    costs = {tuple(float(r[c]) for c in ("n", "k", "b", "k_b")): r
             for r in read(ROOT / "runs/keyetal/theory.csv")}
    if len(rows) != 1932 or {tuple(r[c] for c in KEY): r["time_us"] for r in rows} != runs:
        yield "the rows are not the 1932 published runs"
    compared = 0
    for r in rows:
        if not close_to(r["exact_us"], exact[r["n"], r["k"], r["m"]]):
            yield f"exact_us of n = {r['n']:g}, k = {r['k']:g}"
        if r["n"] == 1024 and r["m"] == 1:
            want = exact_recall(*(int(r[c]) for c in ("n", "k", "b", "k_b")))
            if not close_to(1 - r["recall"], float(1 - want), 1e-12):
                yield f"recall of k = {r['k']:g}, b = {r['b']:g}: {r['recall']}, not {float(want)}"
        published = costs.get(tuple(r[c] for c in ("n", "k", "b", "k_b")))
        if published:
            compared += 1
            for model, times in (("basic", r["m"]), ("serial", r["m"]), ("parallel", 1)):
                if not close_to(r[f"cost_{model}"], times * float(published[f"cost_{model}"])):
                    yield f"cost_{model} of n = {r['n']:g}, k = {r['k']:g}, b = {r['b']:g}"
    if compared < 100:
        yield f"only {compared} rows have published costs"


def check_unseen(rows):
    """The time model is not the shipped profile, and nearly as good (4 % of error in the median
    where it was fitted; here below 8 %)."""
    shipped = csv.DictReader(io.StringIO(ask(
        "predict", "--device", "h100-pcie", "--runs", ROOT / "runs/keyetal/two-stage.csv",
        "--csv")))
    seen = {tuple(float(r[c]) for c in KEY): float(r["predicted_us"]) for r in shipped}
    same = sum(close_to(r["predicted_us"], seen[tuple(r[c] for c in KEY)], 1e-4) for r in rows)
    off = statistics.median(abs(r["predicted_us"] / r["time_us"] - 1) for r in rows)
    if same > len(rows) / 20:
        yield f"{same} predictions are those of a fit that has seen the size"
    if not 0.01 < off < 0.08:
        yield f"the time model is off by {off:.3f} in the median"


def check_cpu(rows):
    measured = {}
    for path in sorted((ROOT / "runs").glob("cpu-*/cpu-*.csv")):
        for r in read(path):
            if r["work"] == "two-stage":
                at = (*(float(r[c]) for c in KEY), f"{float(r['time_us_median']):.10g}")
                measured[at] = r
    for r in rows:
        run = measured.get((*(r[c] for c in KEY), f"{r['time_us']:.10g}"))
        if not run:
            yield f"no run of n = {r['n']:g}, k = {r['k']:g}, b = {r['b']:g}, k_b = {r['k_b']:g}"
            continue
        for ours, its in (("recall", "recall_model"), ("recall_measured", "recall"),
                          ("cost_basic", "cost_basic"), ("cost_serial", "cost_serial"),
                          ("cost_parallel", "cost_parallel")):
            if not close_to(r[ours], float(run[its])):
                yield f"{ours} of n = {r['n']:g}, k = {r['k']:g}: {r[ours]}, not {run[its]}"


def check_fit(rows, folder):
    """The predictions of sizes that a fit to the others gives: every second n is left out."""
    sizes = sorted({r["n"] for r in rows})
    seen, unseen = sizes[::2], [r for r in rows if r["n"] in sizes[1::2]]
    lines = ["work,n,k,b,k_b,m,time_us"]
    for (n, k, m), runs in cells_of(r for r in rows if r["n"] in seen).items():
        lines += [f"two-stage,{n:.0f},{k:.0f},{r['b']:.0f},{r['k_b']:.0f},1,{r['time_us']}"
                  for r in runs] + [f"exact,{n:.0f},{k:.0f},1,{k:.0f},1,{runs[0]['exact_us']}"]
    runs, profile = folder / "half.csv", folder / "half.profile"
    runs.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ask("calibrate", runs, "--kernel", "cpu", "--dtype", "f32", "-o", profile)
    runs.write_text("\n".join(["n,k,b,k_b,m", *(",".join(f"{r[c]:.0f}" for c in (
        "n", "k", "b", "k_b", "m")) for r in unseen)]) + "\n", encoding="utf-8")
    said = csv.DictReader(io.StringIO(ask("predict", "--device", profile, "--runs", runs,
                                          "--csv")))
    for row, answer in zip(unseen, said, strict=True):
        if not close_to(row["predicted_us"], float(answer["predicted_us"]), 1e-3):
            yield (f"predicted_us of n = {row['n']:g}, k = {row['k']:g}: {row['predicted_us']}; "
                   f"{answer['predicted_us']} by a fit to the other sizes")


def check_drtopk(rows):
    slow = {r["k"] for r in rows if r["ratio_at_99"] >= 1}
    if min(slow) != 2**18 or any(r["k"] >= 2**18 and r["ratio_at_99"] < 1 for r in rows):
        yield f"exact top-k is faster for other k than the page says: {slow}"
    runs = {}
    for r in read(ROOT / "runs/drtopk/two-stage.csv"):
        if r["distribution"] == "uniform":
            at = tuple(float(r[c]) for c in KEY)
            runs[at] = min(runs.get(at, math.inf), float(r["time_us_median"]))
    if any(runs[tuple(r[c] for c in KEY)] != r["time_us"] for r in rows):
        yield "a time is not that of the fastest run"
    exact = {}
    for r in read(ROOT / "runs/drtopk/stages.csv"):
        n, k, size, b = (int(r[c]) for c in ("n", "k", "bucket_size", "b"))
        if r["distribution"] == "uniform" and k * size < 2**31 and k <= b:
            times = float(r["total_us"]), float(r["plain_select_us"])
            exact.setdefault((n, k), []).extend(time for time in times if time > 0)
    if any(min(exact[r["n"], r["k"]]) != r["exact_us"] for r in rows):
        yield "an exact time is not that of the fastest run that copied something"
    if len({r["n"] for r in rows}) < 3 or not all(r["k_b"] == 1 for r in rows):
        yield "rows are missing"


def check_drawn(figure, rows):
    """Each configuration of a panel has a mark: FIGURE.gp names its k_b."""
    program = (ROOT / f"paper_figures/{figure}/{figure}.gp").read_text(encoding="utf-8")
    ranges = [tuple(map(int, word.split("-"))) for word in re.search(
        'k_bs = "(.*)"', program).group(1).split()]
    for r in rows:
        if r["panel"] and not any(each[0] <= r["k_b"] <= each[-1] for each in ranges):
            yield f"k_b = {r['k_b']:g} of panel {r['panel']:g} has no mark"


# ---- what is said of them


def regrets(rows, model):
    """(n, regret, is it slower than exact top-k and the fastest is not) of each question."""
    for (n, _, _), runs in cells_of(rows).items():
        for target in TARGETS:
            of = at_least(runs, {"recall": target})
            if len(of) >= 2:
                lowest = min(r["recall"] for r in of)
                taken = max(r[f"{model}_us"] for r in of if r["recall"] == lowest)
                best, exact = min(r["time_us"] for r in of), of[0]["exact_us"]
                yield n, taken / best, best < exact <= taken


def wins(rows, target):
    """In how many n, k and m the fastest with that recall beats exact top-k, and of how many."""
    fastest = []
    for runs in cells_of(rows).values():
        times = [r["time_us"] / r["exact_us"] for r in at_least(runs, {"recall": target})]
        fastest += [min(times)] if times else []
    return f"{sum(time < 1 for time in fastest)} of {len(fastest)}"


def check_said(rows, caption, page):
    """Geometric mean and worst regret, and how often approximating is faster."""
    caption = " ".join(caption.split())
    count, cells, lost = len(list(regrets(rows, "basic"))), [], []
    for model in MODELS:
        found = [regret for _, regret, _ in regrets(rows, model)]
        mean, worst = statistics.geometric_mean(found), max(found)
        lost.append(str(sum(slower for _, _, slower in regrets(rows, model))))
        said = f"{model.replace('_', ' ')} {mean:.3f} and {worst:.3g}"
        cells.append(f"{mean:.3f}; {worst:.3g}; {lost[-1]}")
        if said not in caption:
            yield f"the caption does not say: {said}"
    said = f"In {', '.join(lost)} of them it is slower"
    if said not in caption:
        yield f"the caption does not say: {said}"
    said = ", ".join(f"{wins(rows, t)} ({t:g})" for t in TARGETS)
    if f"Over all {count} questions" not in caption or f"exact top-k in {said}." not in caption:
        yield f"the caption does not say {count} questions, {said}"
    line = f"| {count} | {' | '.join(cells)} | {wins(rows, TARGETS[-1])} |"
    if line not in page:
        yield f"the page does not say {line}"


def check_against_calibrate(folder, rows):
    """The means of the three cost models are those that calibrate --cross-validate prints."""
    for row in read(folder / "ours-regret/ours-regret.csv"):
        if row["model"] in MODELS:
            mine = [regret for n, regret, _ in regrets(rows, row["model"]) if n == float(row["n"])]
            if len(mine) != int(row["cells"]) or not close_to(
                    statistics.fmean(mine), float(row["mean"])):
                yield f"{row['model']}, n = {row['n']}: {statistics.fmean(mine)}, {row['mean']}"


def said_of_ratios(rows, ratios, slow, few):
    """What the page says of the time at .99 over that of exact top-k, which is faster in `slow`;
    of these `few` have a small k."""
    many = [ratio for (n, k, _), ratio in ratios.items() if 16 * k >= n]
    yield (f"takes {statistics.geometric_mean(ratios.values()):.2f} of the time of `torch.topk` in "
           f"the geometric mean; with k = n/16 or more {statistics.geometric_mean(many):.2f}.")
    yield (f"In {len(slow)} of {len(ratios)} (n, k, m) it loses: with k = n/16 by at most "
           f"{max(ratios[at] for at in slow - few) * 100 - 100:.0f} %, and in one row of 2^22 with "
           f"k up to 4 by a factor of up to {max(ratios[at] for at in few):.3g}.")
    sizes = [len(runs) for runs in cells_of(rows).values()]
    yield f"{min(sizes)} to {max(sizes)} configurations"


def said_of_choices(rows):
    def mean(model, good):
        of = [x[1] for x in regrets([r for r in rows if good(r["n"], r["k"], r["m"])], model)]
        return f"{statistics.geometric_mean(of):.2f}"

    models = "basic", "serial", "parallel"
    yield f"k <= 16 {mean('basic', lambda n, k, m: k <= 16)} times (basic)"
    large, medium, small = ([mean(model, good) for model in models] for good in (
        lambda n, k, m: m == 1 and k > 4 and 16 * k >= n, lambda n, k, m: 16 <= k < n / 16,
        lambda n, k, m: k <= 4))
    yield f"and m = 1: {large[2]} times the time of the fastest (serial {large[1]})."
    yield "take the basic or serial one: {} and {} (parallel {}).".format(*medium)
    yield f"For k up to 4 none picks well: {min(small)} or more."


def check_page(rows, page):
    """The sentences of the page on the H100."""
    page = " ".join(page.split())
    ratios = {at: runs[0]["ratio_at_99"] for at, runs in cells_of(rows).items()
              if runs[0]["ratio_at_99"] > 0}
    slow = {at for at, ratio in ratios.items() if ratio >= 1}
    few = {at for at in slow if at[1] <= 4}
    if {(n, m) for n, _, m in few} != {(2**22, 1)} or any(16 * k < n for n, k, _ in slow - few):
        yield f"exact top-k is faster in others than the page says: {slow}"
    for said in (*said_of_ratios(rows, ratios, slow, few), *said_of_choices(rows)):
        if said not in page:
            yield f"the page does not say: {said}"


# ---- all of it


def main():
    folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    wanted, failures = sys.argv[3:] or FIGURES, []

    def of(figure):
        path = folder / figure
        return ([numbers(r) for r in read(path / f"{figure}.csv")],
                (path / "caption.txt").read_text(encoding="utf-8"))

    for figure, check in zip(FIGURES, (check_keyetal, check_cpu, check_drtopk)):
        if figure not in wanted:
            continue
        rows, caption = of(figure)
        faults = [*check(rows), *check_drawn(figure, rows), *check_said(rows, caption, page)]
        for (n, k, m), runs in cells_of(rows).items():
            name = f"n = {n:g}, k = {k:g}, m = {m:g}"
            faults += [*check_frontier(name, runs), *check_choices(name, runs)]
        if figure == "ours-cpu":
            with tempfile.TemporaryDirectory() as temporary:
                faults += check_fit(rows, pathlib.Path(temporary))
        if figure == "key-tradeoff":
            faults += [*check_unseen(rows), *check_against_calibrate(folder, rows),
                       *check_page(rows, page)]
        failures += [f"{figure}: {fault}" for fault in faults]
    print("\n".join(f"FAIL: {failure}" for failure in failures[:10]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
