"""tradeoff_sources.py - the measured runs of both stages that plots/tradeoff.py draws.

A source is a function that returns a Source; SOURCES names it. To add one, write the function and
its line there, and in FIGURES and TITLES.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses

import cpu_runs
import program


@dataclasses.dataclass
class Source:
    """Runs of both stages, and exact top-k of the same shapes."""
    name: str
    kernel: str  # of calibrate, which fits the time model
    dtype: str
    runs: list  # n, k, m, b, k_b, time_us and `more`
    exact: dict  # {(n, k, m): time in us}
    panels: dict  # {(n, k, m): number from 1 on}; what is not there is not drawn
    more: tuple = ()  # further columns
    exact_in_fit: bool = True


def rows_of(name, columns=("n", "k", "m", "b", "k_b")):
    for row in program.runs(name):
        yield row | {c: int(row[c]) for c in columns}


# ---- Key et al.: their kernel, then torch.topk, on an H100

SIZE = 2**22  # of the panels: few, some and many of its elements, of one row and of 256


def keyetal():
    runs = [{**row, "time_us": float(row["time_us_median"])}
            for row in rows_of("keyetal/two-stage")]
    exact = {(row["n"], row["k"], row["m"]): float(row["time_us_median"])
             for row in rows_of("keyetal/exact", ("n", "k", "m"))}
    panels = {(SIZE, k, m): 1 + 3 * i + j for i, m in enumerate((1, 256))
              for j, k in enumerate((4, 1024, SIZE // 16))}
    return Source("H100-PCIe", "graphcore", "f16", runs, exact, panels)


# ---- our runs on a CPU

MOST = 5  # so many k are measured at most sizes


def cpu_panels(cells):
    """{(n, k, 1): number}: the smallest and the largest n with nearly all k, and of the k that
    both have the two with the most configurations."""
    count = {}
    for (n, k), stages in cells.items():
        count.setdefault(n, {})[k] = len(stages)
    many = [n for n in count if len(count[n]) >= min(MOST - 1, max(map(len, count.values())))]
    ns = sorted({min(many), max(many)})
    shared = sorted(set.intersection(*(set(count[n]) for n in ns)))
    ks = sorted(sorted(shared, key=lambda k: -sum(count[n][k] for n in ns))[:2])
    return {(n, k, 1): 1 + 2 * i + j for i, n in enumerate(ns) for j, k in enumerate(ks)}


def cpu():
    measured = cpu_runs.Runs(cpu_runs.folder())
    cells = dict(measured.cells())
    runs = [{**row, "m": 1, "time_us": row["time_us_median"], "recall_measured": row["recall"]}
            for stages in cells.values() for row in stages]
    exact = {(n, k, 1): measured.exact[n, k]["time_us_median"] for n, k in cells}
    return Source(measured.where.name, "cpu", "f32", runs, exact, cpu_panels(cells),
                  ("time_us_low", "time_us_high", "recall_measured"))


# ---- Dr. Top-k: the largest of each contiguous bucket, then a radix selection, on a V100S


def drtopk():
    """Uniform keys; of what was measured several times, the fastest. Exact top-k is the fastest of
    all their exact ways: Dr. Top-k as a whole, or a plain selection. Left out: k > b; and k buckets
    of 2^31 elements or more, where their index overflows and nothing was copied."""
    fastest, exact = {}, {}
    for row in rows_of("drtopk/two-stage"):
        if row["distribution"] != "uniform":
            continue
        at = tuple(row[c] for c in ("n", "k", "m", "b", "k_b"))
        fastest[at] = min(fastest.get(at, 1e99), float(row["time_us_median"]))
    for row in rows_of("drtopk/stages", ("n", "k", "bucket_size", "b")):
        if (row["distribution"] != "uniform" or row["k"] > row["b"]
                or row["k"] * row["bucket_size"] >= 2**31):
            continue
        at = row["n"], row["k"], 1
        times = [float(row[c]) for c in ("total_us", "plain_select_us")]
        exact[at] = min([exact.get(at, 1e99), *(time for time in times if time > 0)])
    names = "n", "k", "m", "b", "k_b", "time_us"
    runs = [dict(zip(names, (*at, time))) for at, time in fastest.items() if at[:3] in exact]
    panels = {(2**30, k, 1): 1 + i for i, k in enumerate((64, 2**12, 2**16, 2**20))}
    return Source("V100S", "generic", "f32", runs, exact, panels, exact_in_fit=False)


# ---- all of them

SOURCES = {"keyetal": keyetal, "cpu": cpu, "drtopk": drtopk}
FIGURES = {"keyetal": "key-tradeoff", "cpu": "ours-cpu", "drtopk": "drtopk-tradeoff"}
TITLES = {"keyetal": "H100", "cpu": "CPU", "drtopk": "V100S"}


def load(what):
    return SOURCES[what]()


def about(what):
    """Where own runs are from; plots/make.py names what is published."""
    return cpu_runs.Runs(cpu_runs.folder()).about() if what == "cpu" else ""
