#!/usr/bin/env python3
"""cpu.py - the numbers of the figures of measured runs on a CPU.

    plots/cpu.py models|map               prints the CSV of ours-cpu-models, ours-cpu-map
    plots/cpu.py caption WHAT FILE.csv    prints what the caption of WHAT says of these numbers
    plots/cpu.py folder                   prints the folder of runs (plots/cpu_runs.py says which)
    plots/cpu.py name                     prints the CPU of these runs in words
    plots/cpu.py text [--write FILE.md]   prints the sentences of docs/cpu.md, or writes them there

plots/tradeoff.py cpu prints that of ours-cpu. The sentences stand between <!-- cpu-map --> and
<!-- /cpu-map -->, and <!-- cpu-recall --> and <!-- /cpu-recall -->. $RECALLMODEL is the command
(./recallmodel). Exit status 3: there are no runs.

SPDX-License-Identifier: Apache-2.0
"""
import math
import statistics
import sys

import cpu_runs
import measured_recall
from program import fill, read, short, words, write, write_page, wrong

RECALLS = 0.95, 0.99
LEVELS_OF_LINES = 0.8, 1.25  # between them the sign is within the error of the profile
MODELS = "time_model", "basic", "serial", "parallel"


def fastest(stages, recall):
    """The fastest of the runs with at least that recall by the model, or None."""
    reach = [r for r in stages if r["recall_model"] >= recall]
    return min(reach, key=lambda r: r["time_us_median"], default=None)


# ---- ours-cpu-models


def models(runs):
    said = {"time_model": cpu_runs.Profile(runs).of_runs(runs.rows)}
    for model in MODELS[1:]:
        ratios = [r["time_us_median"] / r[f"cost_{model}"] for r in runs.rows
                  if r["work"] == "two-stage"]
        factor = math.exp(statistics.median(map(math.log, ratios)))
        said[model] = [factor * r[f"cost_{model}"] for r in runs.rows]
    return [{c: r[c] for c in ("work", "n", "k", "b", "k_b", "level")}
            | {"measured_us": short(r["time_us_median"])}
            | {f"{model}_us": short(said[model][i]) for model in MODELS}
            for i, r in enumerate(runs.rows)]


def quantile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(p * len(values)) - 1)]


def models_caption(rows):
    both = [r for r in rows if r["work"] == "two-stage"]
    exact = [r for r in rows if r["work"] == "exact"]
    many = [r for r in both if 16 * int(r["b"]) >= int(r["n"])]
    off, shares = [], []
    for model in MODELS:
        def ratios(of):
            return [float(r[f"{model}_us"]) / float(r["measured_us"]) for r in of]
        half, most, half_exact = (
            math.exp(quantile([abs(math.log(ratio)) for ratio in ratios(of)], p))
            for of, p in ((both, 0.5), (both, 0.95), (exact, 0.5)))
        name = model.replace("_", " ")
        off.append(f"{name} {half:.3g} and {most:.3g} (exact: {half_exact:.3g})")
        if many:
            shares.append(f"{name} {statistics.median(ratios(many)):.2g}")
    profile = cpu_runs.Profile(cpu_runs.Runs(cpu_runs.folder())).name
    text = (f"Time model: {profile}. Half and 95 % of the {len(both)} runs of both stages (half of "
            f"the {len(exact)} of exact top-k) are off by at most these factors: {'; '.join(off)}.")
    if many:
        text += (f" Of the time of the {len(many)} with b of n/16 or more they predict, in the "
                 f"median: {'; '.join(shares)}.")
    return text


# ---- ours-cpu-map


def grid(low, high, steps):
    """Whole numbers from low to high, `steps` to an octave."""
    count = round(steps * math.log2(high / low))
    return [round(low * 2 ** (i / steps)) for i in range(count)] + [high]


def predicted_ratios(profile, cells):
    """{(recall, i, j): row} over a grid that covers the measured cells, with its n and k, and the
    measured k_b."""
    k_bs = sorted({r["k_b"] for stages in cells.values() for r in stages})
    ns = grid(min(n for n, _ in cells), max(n for n, _ in cells), 2)
    ks = grid(min(k for _, k in cells), max(k for _, k in cells), 2)
    most = max(k / n for n, k in cells)
    ratios = {}
    for i, n in enumerate(ns):
        rows = profile.of_shapes(n, [k for k in ks if k <= most * n], k_bs)
        for j, k in enumerate(ks):
            for recall in RECALLS:
                reach = [r for r in rows if int(r["k"]) == k and float(r["recall"]) >= recall
                         and 2 * int(r["b"]) <= n]  # as in the grids of the benchmark
                if reach:
                    best = min(reach, key=lambda r: float(r["predicted_us"]))
                    ratios[recall, i, j] = {"n": n, "k": k, "b": best["b"], "k_b": best["k_b"],
                                            "two_stage_us": float(best["predicted_us"]),
                                            "exact_us": float(best["exact_us"])}
    return ratios


def crossing(a, b, level):
    """Between two neighbours of the grid: where the ratio is the level (n, k, logarithmic), or
    None."""
    at = [math.log(r["two_stage_us"] / r["exact_us"] / level) for r in (a, b)]
    if (at[0] < 0) == (at[1] < 0):
        return None
    share = at[0] / (at[0] - at[1])
    return tuple(a[c] * (b[c] / a[c]) ** share for c in ("n", "k"))


def contour(ratios, recall, level):
    """The line on which the ratio is the level, as pieces: marching triangles on the grid."""
    for _, i, j in [at for at in ratios if at[0] == recall]:
        for di, dj in ((1, 0), (0, 1)):  # the two triangles of a cell of the grid
            corners = [ratios.get((recall, i + x, j + y)) for x, y in ((0, 0), (di, dj), (1, 1))]
            if None in corners:
                continue
            ends = [crossing(corners[x], corners[y], level) for x, y in ((0, 1), (1, 2), (2, 0))]
            ends = [end for end in ends if end]
            if len(ends) == 2:
                yield ends


def map_row(kind, recall, row):
    return {"kind": kind, "recall": recall, "n": row["n"], "k": row["k"],
            "ratio": short(row["two_stage_us"] / row["exact_us"]), "b": row["b"],
            "k_b": row["k_b"], "two_stage_us": short(row["two_stage_us"]),
            "exact_us": short(row["exact_us"]), "n_2": "NaN", "k_2": "NaN", "label": 0}


def ratio_map(runs):
    cells = dict(runs.cells())
    ratios = predicted_ratios(cpu_runs.Profile(runs), cells)
    rows = [map_row("predicted", at[0], row) for at, row in ratios.items()]
    for recall in RECALLS:
        for (n, k), stages in cells.items():
            best = fastest(stages, recall)
            if best:
                rows.append(map_row("measured", recall, {
                    **best, "two_stage_us": best["time_us_median"],
                    "exact_us": runs.exact[n, k]["time_us_median"]}))
        for level in LEVELS_OF_LINES:
            rows += [{**dict.fromkeys(rows[0], "NaN"), "kind": "line", "recall": recall,
                      "ratio": level, "n": short(one[0]), "k": short(one[1]),
                      "n_2": short(other[0]), "k_2": short(other[1]), "label": 0}
                     for one, other in contour(ratios, recall, level)]
    place_labels(rows)
    return rows


def place_labels(rows):
    """Where the number of a measured cell has room: 1 below its mark, 2 above, 0 nowhere."""
    last = {}
    for row in rows:
        if row["kind"] == "measured":
            for place in (1, 2):
                before = last.get((row["recall"], row["k"], place), 0)
                if row["n"] >= 1.85 * before:
                    last[row["recall"], row["k"], place] = row["n"]
                    row["label"] = place
                    break


def map_counts(rows, recall):
    """Of the measured cells: how many, in how many approximating pays, and in how many of these,
    and of the others, the profile says the same."""
    said = {(r["n"], r["k"]): float(r["ratio"]) for r in rows
            if r["kind"] == "predicted" and float(r["recall"]) == recall}
    cells = [r for r in rows if r["kind"] == "measured" and float(r["recall"]) == recall]
    pays = [r for r in cells if float(r["ratio"]) < 1]
    both = [(float(r["ratio"]), said[near(said, r)]) for r in cells]
    return len(cells), len(pays), sum((one < 1) == (other < 1) for one, other in both)


def near(said, row):
    """The (n, k) of the grid nearest to that of a measured cell."""
    n, k = math.log(float(row["n"])), math.log(float(row["k"]))
    return min(said, key=lambda at: abs(math.log(float(at[0])) - n)
               + abs(math.log(float(at[1])) - k))


def map_caption(rows):
    parts = []
    for recall in RECALLS:
        count, pays, same = map_counts(rows, recall)
        parts.append(f"At {recall:g} approximating pays in {pays} of {count} measured cells; the "
                     f"profile says the same of {same}.")
    profile = cpu_runs.Profile(cpu_runs.Runs(cpu_runs.folder())).name
    return f"Background: {profile}. " + " ".join(parts)


# ---- the sentences of docs/cpu.md


LEVELS = "L1", "L2", "L3", "memory"


def where_it_pays(runs):
    """{group: [in how many of its measured cells it pays, how many]} at the second recall. A group
    is True (k above n/64), or the level of cache that holds the row."""
    groups = {}
    for (n, k), stages in runs.cells():
        best = fastest(stages, RECALLS[-1])
        if best:
            exact = runs.exact[n, k]
            counts = groups.setdefault(64 * k > n or exact["level"], [0, 0])
            counts[0] += best["time_us_median"] < exact["time_us_median"]
            counts[1] += 1
    return groups


def map_text(runs):
    ratios = {recall: {} for recall in RECALLS}
    for at, stages in runs.cells():
        for recall in RECALLS:
            best = fastest(stages, recall)
            if best:
                ratios[recall][at] = best["time_us_median"] / runs.exact[at]["time_us_median"]
    counts = [f"{sum(r < 1 for r in of.values())} of {len(of)} measured cells at a recall of at "
              f"least {recall:g}" for recall, of in ratios.items()]
    of = ratios[RECALLS[-1]]
    least, most = min(of, key=of.get), max(of, key=of.get)
    groups = where_it_pays(runs)
    above = groups.get(True, [0, 0])
    below = [f"{groups[level][0]} of {groups[level][1]} with the row in {level}"
             for level in LEVELS if level in groups]
    return (f"Approximating is faster than exact top-k in {' and in '.join(counts)}, where it "
            f"takes {of[least]:.2f} (n = {least[0]}, k = {least[1]}) to {of[most]:.2f} (n = "
            f"{most[0]}, k = {most[1]}) of the time. Of the cells with k up to n/64 it is faster "
            f"in {', '.join(below)}; of those with a larger k in {above[0]} of {above[1]}.")


PEERS = {"numpy.argpartition": "argpartition", "numpy.partition": "partition",
         "torch.topk": "torch", "jax.lax.top_k": "JAX", "faiss-heap": "heap",
         "faiss-reservoir": "reservoir", "std::nth_element": "nth",
         "std::partial_sort": "partial"}


# Shapes that say what a neighbour in the table says.
LEFT_OUT = {(1024, 256), (65536, 64), (131072, 8192), (1048576, 64), (1048576, 65536)}


def newest(rows):
    """The rows of each contender's newest version, by shape and name."""
    found = {}
    for row in rows:
        found[int(row["n"]), int(row["k"]), row["contender"]] = row
    return found


def two_digits(value):
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def peers_text(path, column="times_ours"):
    """A table: the times of others, as multiples of ours or in microseconds."""
    rows = newest(read(path))
    names = [name for name in PEERS if any(key[2] == name for key in rows)]
    shapes = sorted({key[:2] for key in rows} - LEFT_OUT)
    lines = ["| n, k | ours, us | " + " | ".join(PEERS[name] for name in names) + " |",
             "|---" * (len(names) + 2) + "|"]
    own = "time_us_median" if column == "times_ours" else column
    for n, k in shapes:
        cells = [rows.get((n, k, name), {}).get(column, "") for name in names]
        cells = [two_digits(float(cell)) if cell else "" for cell in cells]
        ours = two_digits(float(rows[n, k, "ours"][own]))
        lines.append(f"| {n}, {k} | {ours} | " + " | ".join(cells) + " |")
    if column != "times_ours":
        return "\n".join(lines)
    versions = sorted({row["version"] for key, row in rows.items() if key[2] in PEERS})
    return "\n".join(lines) + "\n\n" + fill(f"Versions: {', '.join(versions)}.")


def texts(runs):
    found = own_texts(runs)
    quiet, loaded = runs.where / "peers.csv", runs.where / "peers-busy.csv"
    if quiet.exists():
        found["cpu-peers"] = peers_text(quiet)
    if loaded.exists():
        found["cpu-peers-busy"] = peers_text(loaded, "time_us_999")
    return found


def own_texts(runs):
    cells = measured_recall.cells_of(runs.where)
    if not cells:
        sys.exit(f"cpu.py: the runs in {runs.where} have no z")
    return {"cpu-map": fill(f"{map_text(runs)} {runs.about()}"),
            "cpu-recall": fill(measured_recall.Summary(cells).text())}


# ---- the command line

FIGURES = {"models": (models, models_caption), "map": (ratio_map, map_caption)}


def caption(what, path, runs):
    print(fill(f"{FIGURES[what][1](read(path))} {runs.about()}"))


def main(arguments):
    where = cpu_runs.folder()
    if where is None:
        print(f"cpu.py: no runs; this waits for {cpu_runs.WAITS}", file=sys.stderr)
        return 3
    runs = cpu_runs.Runs(where)
    what = arguments[0] if arguments else ""
    if arguments == ["folder"]:
        print(where)
    elif arguments == ["name"]:
        print(runs.cpu())
    elif len(arguments) == 1 and what in FIGURES:
        write(FIGURES[what][0](runs))
    elif len(arguments) == 3 and what == "caption" and arguments[1] in FIGURES:
        caption(arguments[1], arguments[2], runs)
    elif len(arguments) == 1 and what == "text":
        print("\n\n".join(texts(runs).values()))
    elif len(arguments) == 3 and arguments[:2] == ["text", "--write"]:
        write_page(arguments[2], texts(runs))
    else:
        wrong("give models, map, caption, folder, name or text")
    return 0


if __name__ == "__main__":
    sys.exit(main(words()))
