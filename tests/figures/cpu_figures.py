"""Runs of a CPU that are made up, and what plots/cpu.py and plots/tradeoff.py must make of them.

    cpu_figures.py write FOLDER          writes FOLDER/cpu-small.csv and cpu-calibrate.csv
    cpu_figures.py check FOLDER CSVS     checks CSVS/{frontier,models,map}.csv, which are of FOLDER

$RECALLMODEL is the command. Each check prints one line for each failure.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import math
import os
import pathlib
import statistics
import subprocess
import sys

HEAD = ('# recallmodel bench 0.1.0 date=2026-01-02T03:04:05Z cpu="Made Up" isa=none seed=1\n'
        '# times are made up\n')
COLUMNS = ("work dtype assignment input n k b k_b m d cache threads time_us_median time_us_low "
           "time_us_high recall recall_model z cost_basic cost_serial cost_parallel level").split()
SHAPES = [(n, k) for n in (4096, 32768, 262144, 2097152) for k in (16, 256)]
CONFIGURATIONS = [(b, k_b) for b in (32, 64, 256, 1024) for k_b in (1, 2, 4)]


def ask(*arguments):
    text = subprocess.run([os.environ["RECALLMODEL"], *map(str, arguments), "--csv"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def run(work, n, k, b, k_b, time, **others):
    time = round(time, 4)  # what the figures print
    said = ask("--n", n, "--k", k, "--b", b, "--kb", k_b)[0] if work != "exact" else {}
    recall = said.get("recall", "")
    at = "_exact" if work == "exact" else ""
    costs = said or ask("--n", n, "--k", k, "--b", k, "--kb", 1)[0]
    return {"work": work, "dtype": "float32", "assignment": "interleaved", "input": "normal",
            "n": n, "k": k, "b": b, "k_b": k_b, "m": 1, "d": 0, "cache": "warm", "threads": 1,
            "time_us_median": time, "time_us_low": 0.99 * time, "time_us_high": 1.01 * time,
            "recall": recall, "recall_model": recall, "z": "",
            **{f"cost_{c}": costs[f"cost_{c}{at}"] for c in ("basic", "serial", "parallel")},
            "level": "L2" if n < 1e6 else "L3", **others}


def made_up():
    """Exact top-k has a time of its own; that of both stages rises with k_b and b."""
    rows = []
    for n, k in SHAPES:
        rows.append(run("exact", n, k, 1, k, 2 + 1.2e-4 * n + 2e-3 * k))
        for b, k_b in CONFIGURATIONS:
            if b * k_b >= k and (b, k_b) != (64, 4):
                rows.append(run("two-stage", n, k, b, k_b, 2 + 6e-5 * n * k_b ** 0.5 + 2e-2 * b))
    return rows


def others(rows):
    """Rows that no figure draws: each is so fast that it would be seen."""
    n, k = SHAPES[0]
    for change in ({"threads": 2}, {"cache": "cold"}, {"dtype": "float16"}, {"m": 2}, {"d": 64},
                   {"input": "equal"}, {"assignment": "contiguous"}, {"work": "stage1"},
                   {"time_us_high": 1.6e-3}):
        yield {**run("two-stage", n, k, 512, 4, 1e-3), **change}
    yield {**rows[1], "time_us_median": 1e-3}  # a cell that the first file has


def write(folder):
    rows = made_up()
    more = run("two-stage", *SHAPES[0], 64, 4, 3.5)
    for name, part in (("cpu-small", rows), ("cpu-calibrate", [more, *others(rows)])):
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            file.write(HEAD)
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(part)


# ---- checks


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def close_to(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-8)


def drawn(folder):
    """{(n, k): (exact_us, [(time, recall) of both stages])}"""
    cells = {at: [None, []] for at in SHAPES}
    for row in read(folder / "cpu-small.csv") + read(folder / "cpu-calibrate.csv")[:1]:
        at = int(row["n"]), int(row["k"])
        if row["work"] == "exact":
            cells[at][0] = float(row["time_us_median"])
        else:
            cells[at][1].append((float(row["time_us_median"]), float(row["recall_model"])))
    return cells


def least(stages, recall):
    return min(time for time, reached in stages if reached >= recall)


def check_frontier(cells, rows):
    panels = {(r["n"], r["k"]): r["panel"] for r in rows}
    if sorted(map(int, panels.values())) != [0, 0, 0, 0, 1, 2, 3, 4]:
        yield f"panels {panels}"
    for (n, k), (exact, stages) in cells.items():
        mine = [r for r in rows if (int(r["n"]), int(r["k"])) == (n, k)]
        if len(mine) != len(stages):
            yield f"n {n}, k {k}: {len(mine)} rows of {len(stages)}"
        for r in mine:
            time, recall = float(r["time_us"]), float(r["recall"])
            behind = any((t < time and s >= recall - 1e-10) or (t == time and s > recall + 1e-10)
                         for t, s in stages)
            if int(r["frontier"]) == behind:
                yield f"n {n}, k {k}, b {r['b']}, k_b {r['k_b']}: frontier {r['frontier']}"
            if not close_to(r["exact_us"], exact):
                yield f"n {n}, k {k}: exact {r['exact_us']}"
            if not close_to(r["ratio_at_99"], least(stages, 0.99) / exact):
                yield f"n {n}, k {k}: ratio {r['ratio_at_99']}"


def check_models(cells, rows):
    if len(rows) != sum(len(stages) + 1 for _, stages in cells.values()):
        yield f"{len(rows)} rows"
    for model in ("basic", "serial", "parallel"):
        off = [math.log(float(r[f"{model}_us"]) / float(r["measured_us"])) for r in rows
               if r["work"] == "two-stage"]
        if abs(statistics.median(off)) > 1e-8:
            yield f"{model}: the median is off by a factor of {math.exp(statistics.median(off))}"
        if max(off) - min(off) < 0.1:
            yield f"{model}: no scatter"
    worst = max(abs(math.log(float(r["time_model_us"]) / float(r["measured_us"]))) for r in rows)
    if worst > math.log(3):
        yield f"the time model is off by a factor of {math.exp(worst):.2f}"


def check_map(cells, rows):
    for recall in (0.95, 0.99):
        of = [r for r in rows if float(r["recall"]) == recall]
        measured = {(int(r["n"]), int(r["k"])): r for r in of if r["kind"] == "measured"}
        for at, (exact, stages) in cells.items():
            if not close_to(measured[at]["ratio"], least(stages, recall) / exact):
                yield f"recall {recall}, {at}: {measured[at]['ratio']}"
        yield from check_line(recall, of)


def check_line(recall, rows):
    """A piece of a line ends wherever the ratio is .8 or 1.25 between two neighbours of the grid,
    by interpolation in logarithms."""
    for level in (0.8, 1.25):
        yield from check_level(recall, level, rows)


def check_level(recall, level, rows):
    said = {(int(r["n"]), int(r["k"])): float(r["ratio"]) for r in rows if r["kind"] == "predicted"}
    ends = [(float(r[f"n{i}"]), float(r[f"k{i}"])) for r in rows
            if r["kind"] == "line" and float(r["ratio"]) == level for i in ("", "_2")]
    ns, ks = (sorted({at[i] for at in said}) for i in (0, 1))
    crossed = 0
    for i, n in enumerate(ns):
        for j, k in enumerate(ks):
            for other in ((*ns, 0)[i + 1], k), (n, (*ks, 0)[j + 1]):
                if (n, k) not in said or other not in said:
                    continue
                one, two = (math.log(said[at] / level) for at in ((n, k), other))
                if (one < 0) != (two < 0):
                    crossed += 1
                    x, y = ((1 - one / (one - two)) * math.log(a) + one / (one - two) * math.log(b)
                            for a, b in zip((n, k), other))
                    if not any(abs(math.log(end[0]) - x) + abs(math.log(end[1]) - y) < 1e-6
                               for end in ends):
                        yield f"recall {recall}: no line {level} between {(n, k)} and {other}"
    if not crossed:
        yield f"recall {recall}: the ratio is never {level}; these runs show nothing"


def main():
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "write":
        write(folder)
        return 0
    cells, failures = drawn(folder), []
    for name, check in (("frontier", check_frontier), ("models", check_models),
                        ("map", check_map)):
        failures += [f"{name}: {fault}"
                     for fault in check(cells, read(pathlib.Path(sys.argv[3]) / f"{name}.csv"))]
    print("\n".join(f"FAIL: {failure}" for failure in failures[:10]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
