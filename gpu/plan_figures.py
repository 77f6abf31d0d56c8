"""plan_figures.py - the figures of a run of plan.ini, in 40 lines: what run_plan.py prints last.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import math
import sys

LINES_MOST = 40
OURS = "radix"
ROWS = ("dtype", "input", "n", "k", "m", "cache", "timing")  # what makes rows and clock equal
WORTH_RECALL = 0.95  # of buckets that are compared with exact top-k


def number(text):
    """A number of a CSV; NaN where there is none."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def read_csv(path):
    """The rows of a CSV that has a time, remarks left out; a line that is not one is left out."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            row["time"] = number(row.get("time_us_median"))
            if row["time"] > 0 and row.get("work") and all(row.get(name) for name in ROWS):
                yield row


def equal_rows(row):
    return tuple(row[name] for name in ROWS)


def geometric(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def by_rows(cells):
    """{equal rows: {kernel: cell}}"""
    found = {}
    for cell in cells:
        found.setdefault(equal_rows(cell), {})[cell["kernel"]] = cell
    return found


def is_right(cell):
    return number(cell.get("wrong_rows")) in (0.0,) or math.isnan(number(cell.get("wrong_rows")))


def fastest(kernels):
    """The fastest kernel without a wrong row: a cell; None without one."""
    return min(filter(is_right, kernels.values()), key=lambda cell: cell["time"], default=None)


def exact_lines(table):
    """A line a kernel: its time over ours on equal rows, where it is the fastest, where wrong."""
    times, wins, wrong = {}, {}, {}
    for kernels in table.values():
        best = fastest(kernels)
        for name, cell in kernels.items():
            wrong[name] = wrong.get(name, 0) + (not is_right(cell))
            wins[name] = wins.get(name, 0) + (cell is best)
            times.setdefault(name, [])
            if OURS in kernels:
                times[name].append(cell["time"] / kernels[OURS]["time"])
    if not times:
        return
    yield (f"exact top-k: time over {OURS} on equal rows (geometric mean, range), fastest, "
           "wrong cells")
    for name in sorted(times, key=lambda name: geometric(times[name]) if times[name] else 9e9)[:18]:
        ratios = times[name]
        said = (f"{geometric(ratios):6.2f}  {min(ratios):5.2f} to {max(ratios):6.2f}" if ratios
                else f"{'-':>6}  {'':15}")
        yield (f"  {name:22} {len(ratios):4} cells {said}  fastest in {wins[name]:3}"
               f"  wrong in {wrong[name]}")


def decode_lines(table):
    """The fastest beside ours, for normal float32 rows with k = 2048 that stay warm."""
    cells = {}
    for (dtype, kind, n, k, m, cache, timing), kernels in table.items():
        if (dtype, kind, k, cache, timing) == ("float32", "normal", "2048", "warm", "events") and \
                OURS in kernels:
            cells.setdefault(int(m), []).append((int(n), kernels))
    if cells:
        yield "k = 2048, float32, warm, us: ours / fastest"
    for m, found in sorted(cells.items()):
        yield f"  m {m:4}  " + "  ".join(
            f"n {n}: {kernels[OURS]['time']:.1f} / {best['time']:.1f} {best['kernel']}"
            for n, kernels in sorted(found, key=lambda pair: pair[0])
            for best in [fastest(kernels)] if best)


def reread_lines(table):
    shares = {}
    for rows, kernels in table.items():
        again = number(kernels.get(OURS, {}).get("reread_rows"))
        if again > 0:
            share = again / float(rows[ROWS.index("m")])
            kind = rows[ROWS.index("input")]
            shares[kind] = max(share, shares.get(kind, 0.0))
    if shares:
        yield f"rows that the sample of {OURS} missed, at most: " + ", ".join(
            f"{kind} {100 * share:.2g} %" for kind, share in sorted(shares.items()))


def bucket_lines(cells, table):
    """Whether buckets pay: the fastest exact kernel over the fastest buckets, by shape."""
    best = {}
    for cell in cells:
        if cell["work"] == "two-stage" and number(cell.get("recall")) >= WORTH_RECALL:
            rows = equal_rows(cell)
            if rows not in best or cell["time"] < best[rows]["time"]:
                best[rows] = cell
    gains = [(fastest(table[rows])["time"] / cell["time"], rows, cell)
             for rows, cell in best.items() if rows in table and fastest(table[rows])]
    if not gains:
        return
    worth = sum(gain > 1.1 for gain, _, _ in gains)
    yield (f"buckets (recall {WORTH_RECALL} and more) against the fastest exact kernel: "
           f"{geometric([gain for gain, _, _ in gains]):.2f} times as fast in {len(gains)} shapes; "
           f"by a tenth in {worth}")
    for gain, rows, cell in sorted(gains, reverse=True, key=lambda each: each[0])[:4]:
        named = dict(zip(ROWS, rows))
        yield (f"  {gain:5.2f}  n {named['n']} k {named['k']} m {named['m']} {named['dtype']}: "
               f"b {cell['b']} k_b {cell['k_b']} {cell['time']:.1f} us, recall "
               f"{number(cell['recall']):.3f}; {fastest(table[rows])['kernel']} "
               f"{fastest(table[rows])['time']:.1f}")


def predicted_lines(cells, path):
    """Measured over predicted, and how many lie within the range. The columns of the file are those
    of a cell, and predicted_us, low_us, high_us, within_runs."""
    key = ("work", "kernel", "dtype", "assignment", "n", "k", "b", "k_b", "m", "cache", "timing")
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.DictReader(line for line in file if not line.startswith("#"))
        told = {tuple(row[name] for name in key): row for row in lines}
    found = {}
    for cell in cells:
        row = told.get(tuple(cell.get(name) for name in key))
        if row and cell["input"] == "normal":
            inside = number(row["low_us"]) <= cell["time"] <= number(row["high_us"])
            beyond = "" if row["within_runs"] == "true" else ", beyond the runs"
            found.setdefault(f"{cell['work']} {cell['kernel']}{beyond}", []).append(
                (cell["time"] / number(row["predicted_us"]), inside))
    yield f"measured over predicted ({path.name}): geometric mean, range, within the range"
    for name, pairs in sorted(found.items()):
        ratios = [ratio for ratio, _ in pairs]
        yield (f"  {name:40} {geometric(ratios):6.2f}  {min(ratios):.2f} to {max(ratios):.2f}  "
               f"{sum(inside for _, inside in pairs)} of {len(pairs)}")
    if not found:
        yield "  no cell was predicted"


def figures(folder, predicted=None):
    read = json.loads((folder / "manifest.json").read_text())
    about, rows = read["about"], read["rows"]
    yield " ".join(f"{name}: {about[name]}" for name in ("card", "driver", "commit", "date")
                   if about.get(name))
    states = {}
    for name, row in rows.items():
        states.setdefault(row.get("state"), []).append(name)
    for state, names in states.items():
        yield f"{state}: " + " ".join(names)
    cells = []
    for path in sorted(folder.glob("*.csv")):
        try:
            cells += [] if path.name.startswith("ncu-") else read_csv(path)
        except csv.Error as error:
            yield f"{path.name} is not read: {error}"
    table = by_rows(cell for cell in cells if cell["work"] == "exact")
    yield from exact_lines(table)
    yield from decode_lines(table)
    yield from reread_lines(table)
    yield from bucket_lines(cells, table)
    if predicted:
        yield from predicted_lines(cells, predicted)


def print_figures(folder, predicted=None):
    try:
        lines = list(figures(folder, predicted))
    except (OSError, ValueError, KeyError) as error:
        print(f"run_plan.py: no figures: {error}", file=sys.stderr)
        return
    for line in lines[:LINES_MOST]:
        print(line[:160])
