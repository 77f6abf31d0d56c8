#!/usr/bin/env python3
"""tradeoff.py - recall against measured time: what each model would have chosen.

    plots/tradeoff.py SOURCE                  prints the CSV of the figure of a source of runs
    plots/tradeoff.py caption SOURCE FILE.csv prints what the caption says of these numbers
    plots/tradeoff.py text [--write FILE.md]  prints the table of docs/runs.md, or writes it there

SOURCE is keyetal, cpu or drtopk (plots/tradeoff_sources.py). A row is a measured configuration.
Those of one n, k and m are in the order of their recall. frontier is 1 where none with that recall
or more is faster. fastest_us is the time of the fastest with the recall of this row or more.
chosen_by_MODEL is 1 where the model, asked for the cheapest configuration with some recall, would
have taken this one; MODEL_us is the measured time of what it would have taken for the recall of
this row. The time model (predicted_us) is fitted to every second size n, and
predicts the others. The table stands between <!-- tradeoff --> and <!-- /tradeoff -->.
$RECALLMODEL is the command (./recallmodel). Exit status 3: there are no runs.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import math
import pathlib
import sys
import tempfile

import cpu_runs
import tradeoff_sources
from figure import Figure
from program import ask, fill, joined, read, short, tell, words, write, write_file, \
    write_page, wrong

SLACK = 1 + 1e-12  # of the loss, as in select
RECALLS = 0.8, 0.9, 0.95, 0.99  # as in calibrate --cross-validate
COSTS = {"time_model": "predicted_us", "basic": "cost_basic", "serial": "cost_serial",
         "parallel": "cost_parallel"}
TABLE = ["keyetal", "cpu", "drtopk"]


# ---- the model's numbers


def fit(source, sizes, folder):
    """A profile fitted to the runs of these sizes n."""
    exact = [{"work": "exact", "n": n, "k": k, "b": 1, "k_b": k, "m": m, "time_us": time}
             for (n, k, m), time in source.exact.items()] if source.exact_in_fit else []
    path = write_file(pathlib.Path(folder) / f"{min(sizes)}.csv",
                      ({"work": "two-stage", **run} for run in [*source.runs, *exact]
                       if run["n"] in sizes), ("work", "n", "k", "b", "k_b", "m", "time_us"))
    profile = path.with_suffix(".profile")
    tell("calibrate", path, "--kernel", source.kernel, "--dtype", source.dtype, "--name",
         source.name, "--no-held-out", "-o", profile)
    return profile


def predict(profile, cell, runs):
    """{(b, k_b): what the model says} for the runs of one n, k and m."""
    lists = (joined(sorted({r[c] for r in runs})) for c in ("b", "k_b"))
    rows = ask("predict", "--device", profile, *(
        word for pair in zip(("--n", "--k", "--m", "--b", "--kb"), (*cell, *lists))
        for word in pair))
    return {(int(r["b"]), int(r["k_b"])): r for r in rows}


def ask_model(source, cells):
    """Gives each run its recall, its predicted time and its costs."""
    sizes = sorted({run["n"] for run in source.runs})
    if len(sizes) < 2:
        sys.exit(f"tradeoff.py: {source.name} has runs of one n only; the time model, which "
                 "predicts sizes that it has not seen, needs two")
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        halves = sizes[1::2], sizes[::2]
        profiles = list(pool.map(lambda half: fit(source, half, folder), halves))
        unseen = {n: profiles[i] for i in (0, 1) for n in halves[1 - i]}
        said = pool.map(lambda at: predict(unseen[at[0]], at, cells[at]), cells)
        for runs, answers in zip(cells.values(), said):
            for run in runs:
                answer = answers[run["b"], run["k_b"]]
                run["recall"] = float(answer["recall"])
                for column in COSTS.values():
                    run[column] = float(answer[column] or "nan")


# ---- frontiers and choices


def reach(runs, recall):
    return [r for r in runs if 1 - r["recall"] <= (1 - recall) * SLACK]


def fastest(runs, recall):
    return min(reach(runs, recall), key=lambda r: r["time_us"], default=None)


def choice(runs, recall, cost):
    """The cheapest of the runs with that recall; of equal ones the first."""
    return min((r for r in reach(runs, recall) if not math.isnan(r[cost])),
               key=lambda r: r[cost], default=None)


def mark(runs):
    """Sets frontier, chosen_by_.. and .._us of the runs of one n, k and m. Returns them by recall,
    those with the same recall by time."""
    least = math.inf
    for run in sorted(runs, key=lambda r: (r["time_us"], 1 - r["recall"], r["b"])):
        run["frontier"] = int(1 - run["recall"] < least)
        least = min(least, 1 - run["recall"])
    for run in runs:
        run["fastest_us"] = fastest(runs, run["recall"])["time_us"]
    for model, cost in COSTS.items():
        picks = [choice(runs, run["recall"], cost) for run in runs]
        for run, pick in zip(runs, picks):
            run[f"chosen_by_{model}"] = int(any(run is other for other in picks))
            run[f"{model}_us"] = pick["time_us"] if pick else math.nan
    return sorted(runs, key=lambda r: (r["recall"], r["time_us"]))


def text(name, value):
    """A value of the CSV. The recall has all its digits, for 1 - recall."""
    return short(value) if isinstance(value, float) and name != "recall" else value


def figure(source):
    cells = {}
    for run in source.runs:
        cells.setdefault((run["n"], run["k"], run["m"]), []).append(run)
    ask_model(source, cells)
    rows = []
    for (n, k, m), runs in sorted(cells.items()):
        exact = source.exact[n, k, m]
        best = fastest(runs, 0.99)
        for run in mark(runs):
            rows.append({"panel": source.panels.get((n, k, m), 0), "n": n, "k": k, "m": m}
                        | {c: run[c] for c in ("b", "k_b", "recall", "time_us", *source.more)}
                        | {"exact_us": exact, "ratio_at_99": best["time_us"] / exact if best
                                                             else math.nan}
                        | {c: run[c] for c in COSTS.values()}
                        | {c: run[c] for c in ("frontier", "fastest_us")}
                        | {c: run[c] for c in (f"chosen_by_{model}" for model in COSTS)}
                        | {c: run[c] for c in (f"{model}_us" for model in COSTS)})
    return [{c: text(c, value) for c, value in row.items()} for row in rows]


# ---- what the captions say


def cells_of(rows):
    cells = {}
    for row in rows:
        cells.setdefault(tuple(int(row[c]) for c in ("n", "k", "m")), []).append(row)
    return cells


class Summary:
    """Regrets over the questions: each n, k, m and recall that at least two configurations reach.
    The model's time of the first row, by recall, that reaches it is that of its choice."""

    def __init__(self, rows):
        self.regrets = {model: [] for model in COSTS}
        self.lost = dict.fromkeys(COSTS, 0)  # to exact top-k, which the fastest beats
        self.cells, self.wins = cells_of(rows), {recall: 0 for recall in RECALLS}
        self.asked = {recall: 0 for recall in RECALLS}
        for runs in self.cells.values():
            for recall in RECALLS:
                self.ask(reach(runs, recall), recall)

    def ask(self, runs, recall):
        if not runs:
            return
        best = min(r["time_us"] for r in runs)
        self.asked[recall] += 1
        self.wins[recall] += best < runs[0]["exact_us"]
        if len(runs) >= 2:
            first = min(runs, key=lambda r: r["recall"])
            for model, regrets in self.regrets.items():
                regrets.append(first[f"{model}_us"] / best)
                self.lost[model] += first[f"{model}_us"] >= first["exact_us"] > best

    def questions(self):
        return len(self.regrets["basic"])

    def mean(self, model):
        """The geometric mean."""
        logs = [math.log(regret) for regret in self.regrets[model]]
        return math.exp(math.fsum(logs) / len(logs))

    def worst(self, model):
        return max(self.regrets[model])


def caption(what, rows):
    rows = [{c: float(v) for c, v in row.items()} for row in rows]
    found = Summary(rows)
    drawn = len({r["panel"] for r in rows} - {0})
    models = "; ".join(f"{model.replace('_', ' ')} {found.mean(model):.3f} and "
                       f"{found.worst(model):.3g}" for model in COSTS)
    lost = ", ".join(str(found.lost[model]) for model in COSTS)
    wins = ", ".join(f"{found.wins[r]} of {found.asked[r]} ({r:g})" for r in RECALLS)
    return (f"{drawn} of the {len(found.cells)} (n, k, m) of the CSV are drawn. Over all "
            f"{found.questions()} questions (recalls of .8, .9, .95 and .99 that at least two "
            f"configurations reach) the choice of a model takes this many times the time of the "
            f"fastest, geometric mean and worst: {models}. In {lost} of them it is slower "
            f"than exact top-k although the fastest is not. Approximating is faster than exact "
            f"top-k in {wins}. {tradeoff_sources.about(what)}")


def table():
    """The table of docs/runs.md, of the CSV files that are committed."""
    lines = ["| Runs | Asked | " + " | ".join(m.replace("_", " ") for m in COSTS)
             + " | Wins at .99 |", "|---|---|" + "---|" * (len(COSTS) + 1)]
    for what in TABLE:
        rows = [{c: float(v) for c, v in row.items()}
                for row in Figure(tradeoff_sources.FIGURES[what]).rows()]
        found = Summary(rows)
        models = " | ".join(f"{found.mean(m):.3f}; {found.worst(m):.3g}; {found.lost[m]}"
                            for m in COSTS)
        lines.append(f"| {tradeoff_sources.TITLES[what]} | {found.questions()} | {models} | "
                     f"{found.wins[0.99]} of {found.asked[0.99]} |")
    return "\n".join(lines)


# ---- the command line


def main(arguments):
    known = tradeoff_sources.FIGURES
    what = arguments[-2] if arguments[:1] == ["caption"] and len(arguments) == 3 else \
        arguments[0] if len(arguments) == 1 else ""
    if what == "cpu" and cpu_runs.folder() is None:
        print(f"tradeoff.py: no runs; this waits for {cpu_runs.WAITS}", file=sys.stderr)
        return 3
    if what in known and len(arguments) == 1:
        write(figure(tradeoff_sources.load(what)))
    elif what in known:
        print(fill(caption(what, read(arguments[2]))))
    elif arguments == ["text"]:
        print(table())
    elif len(arguments) == 3 and arguments[:2] == ["text", "--write"]:
        write_page(arguments[2], {"tradeoff": table()})
    else:
        wrong(f"give {', '.join(known)}, caption or text")
    return 0


if __name__ == "__main__":
    sys.exit(main(words()))
