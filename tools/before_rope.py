#!/usr/bin/env python3
"""before_rope.py - is it better to cluster keys before RoPE or after it? One factor at a time.

    tools/before_rope.py TENSORS [-o FOLDER] [--cache FOLDER] [--trained FOLDER] [PART ..]

TENSORS is a folder of documents as `make real-tensors ARGS=--all-queries` writes it. Writes a CSV
file for each PART into FOLDER (plots/before-rope): length clusters window transfer theta partition
shuffle query, all on real tensors; generated, knobs (these need no TENSORS; give -); position.
--cache keeps what each run of the command answered, and reads it where it is there. --trained keeps
the query models of the part query.

Each case is measured with k-means after RoPE and before it, with the query itself and with an
oracle that ranks buckets by the attention they really get. Errors are taken at the same share of
visited keys: ln(error) is interpolated in ln(visited) between the knobs on both sides. A unit is
one document in one layer, or one seed of the generator. Printed are geometric means over units, and
the standard error of ln(before/after): over documents, each the mean of its layers; over seeds.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import hashlib
import json
import math
import pathlib
import shutil
import subprocess
import tempfile

import numpy

from saap_figures import MEASURED, PROGRAM, TRAINED, fail, sparse

DOCUMENTS = ("bash-manual", "c-sources", "essay", "king-james", "licences", "python-source")
LAYERS = (8, 15, 22)
N, N_Q, THETA = 8192, 64, 1e5
GRID = (0.05, 0.065, 0.1, 0.2, 0.25)
SHARES = (0.05, 0.2)  # at which errors are compared
BOTH = ("kmeans", "kmeans-unroped", "kmeans-oracle", "kmeans-unroped-oracle")
NAMES = ("queries", "keys", "values", "queries-unroped", "keys-unroped")
SEEDS = (1, 2, 3, 4)
SHORT = ("--last", 16)   # all parts but length and those of few generated keys: fewer queries


def rotate(x, positions, theta, pairs=slice(None)):
    """RoPE of x [heads, n, d], pairs (i, i + d/2); of some pairs alone if that is said."""
    half = x.shape[-1] // 2
    angle = numpy.zeros((len(positions), half))
    frequency = theta ** (-numpy.arange(half) / half)
    angle[:, pairs] = positions[:, None] * frequency[None, pairs]
    cosine, sine = numpy.cos(angle), numpy.sin(angle)
    a, b = x[..., :half], x[..., half:]
    return numpy.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1)


def at_share(rows, measure, share):
    """ln(measure) at a share of visited keys; None where the knobs do not reach both sides."""
    points = sorted({(float(r["visited"]), float(r[measure])) for r in rows
                     if float(r["visited"]) > 0 and float(r[measure]) > 0})
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= share <= x1:
            w = 0.0 if x0 == x1 else math.log(share / x0) / math.log(x1 / x0)
            return math.log(y0) * (1 - w) + math.log(y1) * w
    return None


def time_share(keys, queries):
    """The share of the variance of a query's logits that lies between 128 runs of neighbouring
    keys, over the keys that are open for all queries: the mean over queries and heads."""
    n, n_q = keys.shape[1], queries.shape[1]
    group = len(queries) // len(keys)
    count = n - 1 - 128 - n_q
    run = numpy.arange(count) * 128 // count
    size = numpy.bincount(run)
    shares = []
    for head, own in enumerate(queries):
        logits = own @ keys[head // group, 1:1 + count].T
        for row in logits.astype(float):
            means = numpy.bincount(run, weights=row) / size
            shares.append((size * (means - row.mean()) ** 2).sum() /
                          ((row - row.mean()) ** 2).sum())
    return sum(shares) / len(shares)


class Cases:
    """Runs the command on arrays, and remembers its answers."""

    def __init__(self, work, cache):
        self.work, self.cache = pathlib.Path(work), cache and pathlib.Path(cache)
        if self.cache:
            self.cache.mkdir(parents=True, exist_ok=True)

    def remember(self, key, make):
        """What make() returns, or what it returned before for this key."""
        text = json.dumps(key)
        path = self.cache and self.cache / (hashlib.sha256(text.encode()).hexdigest()[:24] +
                                            ".json")
        if path and path.exists():
            return json.loads(path.read_text(encoding="utf-8"))[1]
        made = make()
        if path:
            part = path.with_suffix(".part")
            part.write_text(json.dumps([text, made]), encoding="utf-8")
            part.rename(path)
        return made

    def files(self, arrays):
        options = []
        for name, array in arrays().items():
            path = self.work / f"{name}.npy"
            numpy.save(path, numpy.ascontiguousarray(array, dtype=numpy.float32))
            options += [f"--{name}", path]
        return options

    def run(self, key, arrays, *options, methods=BOTH):
        """{method: {share: {measure: ln}}} of the tensors that arrays() returns. `key` names
        them."""
        options = ("--method", ",".join(methods), *options)
        rows = self.remember(
            [key, [str(o).replace(str(self.work), "") for o in options]],
            lambda: sparse(*self.files(arrays), "--budget", ",".join(map(str, GRID)), *options))
        rows = [r for r in rows if float(r["budget"]) in GRID]
        return {m: {s: {x: at_share([r for r in rows if r["method"] == m], x, s)
                        for x in ("error", "mass")} for s in SHARES} for m in methods}


def mean_and_error(groups):
    """The mean of the means of groups, and its standard error over groups."""
    means = [sum(g) / len(g) for g in groups if g]
    if not means:
        return math.nan, math.nan, 0
    mean = sum(means) / len(means)
    if len(means) == 1:
        return mean, math.nan, 1
    spread = sum((x - mean) ** 2 for x in means) / (len(means) - 1)
    return mean, math.sqrt(spread / len(means)), len(means)


def number(x, digits=4):
    return "" if x is None or math.isnan(x) else f"{x:.{digits}g}"


def summary(results, **what):
    """Rows of a file from {(group, unit): answer of run()}: a row for each share."""
    rows = []
    for share in SHARES:
        def column(method, measure, share=share):
            groups = {}
            for (group, _), answer in results.items():
                value = answer[method][share][measure] if method in answer else None
                if value is not None:
                    groups.setdefault(group, []).append(value)
            return groups

        def ratio(before, after, share=share):
            groups = {}
            for (group, _), answer in results.items():
                pair = [answer[m][share]["error"] if m in answer else None
                        for m in (before, after)]
                if None not in pair:
                    groups.setdefault(group, []).append(pair[0] - pair[1])
            return groups
        row = {**what, "share": share}
        names = (("after", "kmeans"), ("before", "kmeans-unroped"),
                 ("after_oracle", "kmeans-oracle"), ("before_oracle", "kmeans-unroped-oracle"))
        for name, method in names:
            row[name] = number(math.exp(mean_and_error(column(method, "error").values())[0]))
        for name, (x, y) in {"ratio": ("kmeans-unroped", "kmeans"),
                             "oracle_ratio": ("kmeans-unroped-oracle", "kmeans-oracle")}.items():
            mean, error, count = mean_and_error(ratio(x, y).values())
            row[name] = number(math.exp(mean))
            row[f"{name}_low"] = number(math.exp(mean - error))
            row[f"{name}_high"] = number(math.exp(mean + error))
            row["groups"] = count
        for name, method in names[:2]:
            row[f"{name}_mass"] = number(
                math.exp(mean_and_error(column(method, "mass").values())[0]))
        row["units"] = sum(len(g) for g in ratio("kmeans-unroped-oracle",
                                                 "kmeans-oracle").values())
        rows.append(row)
    return rows


# ---- real tensors

class Real:
    def __init__(self, folder, cases):
        self.folder, self.cases = pathlib.Path(folder), cases

    def load(self, document, layer, name):
        return numpy.load(self.folder / document / f"layer-{layer:02d}" / f"{name}.npy",
                          mmap_mode="r")

    def context(self, document, layer, n=N):
        """The first n positions, with the last N_Q of them as queries."""
        out = {name: self.load(document, layer, name)[:, :n]
               for name in ("keys", "values", "keys-unroped")}
        for kind in ("", "-unroped"):
            out["queries" + kind] = self.load(document, layer, f"queries-all{kind}")[:, n - N_Q:n]
        return out

    def case(self, name, *options, n=N, change=None, layers=LAYERS, methods=BOTH,
             documents=DOCUMENTS, more=None):
        """One case on all documents and layers. change(arrays, seed) alters the tensors."""
        results = {}
        for document in documents:
            for layer in layers:
                def arrays(document=document, layer=layer):
                    a = self.context(document, layer, n)
                    return change(a, layer) if change else a
                extra = more(layer) if more else ()
                results[document, layer] = self.cases.run(
                    [name, document, layer, n], arrays, "--layers", layer, *options, *extra,
                    methods=methods)
        return results


def part_length(real):
    """How long the context is: its first n positions. Buckets as many, or as large."""
    rows = []
    for n in (1024, 2048, 4096, 8192):
        for clusters in sorted({128, n // 64 if n != 4096 else 128}):
            results = real.case("plain", "--clusters", clusters, n=n)
            rows += summary(results, n=n, clusters=clusters)
    return rows


def part_clusters(real):
    """How many buckets."""
    rows = []
    for clusters in (32, 128, 512, 2048):
        layers, documents, less = LAYERS, DOCUMENTS, ()
        if clusters == 2048:
            layers, documents, less = LAYERS[1:2], MEASURED, ("--iterations", 8)
        rows += summary(real.case("plain", *SHORT, "--clusters", clusters, *less, layers=layers,
                                  documents=documents),
                        clusters=clusters, layers=" ".join(map(str, layers)))
    return rows


def part_window(real):
    """How many of the last keys are read anyway."""
    return [row for window in (128, 512, 2048)
            for row in summary(real.case("plain", *SHORT, "--clusters", 128, *(
                ("--window", window) if window != 128 else ())), window=window)]


def part_theta(real):
    """RoPE of the same keys and queries with another theta, or with steps of s positions: no longer
    the attention of the model."""
    rows = []
    for theta, step in ((1e3, 1), (1e5, 1), (1e7, 1), (1e5, 4), (1e5, 16)):
        def turned(arrays, _, theta=theta, step=step):
            n, n_q = arrays["keys"].shape[1], arrays["queries"].shape[1]
            at = step * numpy.arange(n, dtype=float)
            arrays["keys"] = rotate(arrays["keys-unroped"], at, theta)
            arrays["queries"] = rotate(arrays["queries-unroped"], at[n - n_q:], theta)
            return arrays
        name = "plain" if (theta, step) == (THETA, 1) else f"theta {theta:g} step {step}"
        results = real.case(name, *SHORT, "--clusters", 128, change=turned if name != "plain" else None,
                            documents=MEASURED)
        rows += summary(results, theta=f"{theta:g}", step=step)
    return rows


def part_transfer(real):
    """Where the centroids come from: other documents, and other positions."""
    def trained(first, last, step, layer):
        options = []
        for name in ("keys", "keys-unroped", "queries", "queries-unroped"):
            files = []
            for document in TRAINED:
                file = "queries" + name[7:] if name.startswith("queries") else name
                array = real.load(document, layer, file)
                if name.startswith("keys"):
                    array = array[:, first:last:step]
                path = real.cases.work / f"train-{document}-{name}.npy"
                numpy.save(path, numpy.ascontiguousarray(array))
                files.append(str(path))
            options += [f"--train-{name}", ",".join(files)]
        return options
    rows = []
    for name, where in {"own": None, "others, 0 .. 8191": (0, N, 1),
                        "others, each fourth": (0, N, 4), "others, 0 .. 2047": (0, N // 4, 1),
                        "others, 6144 .. 8191": (3 * N // 4, N, 1)}.items():
        more = (lambda layer, w=where: trained(*w, layer)) if where else None
        results = real.case("plain" if not where else f"trained on {name}", *SHORT, "--clusters", 128,
                            documents=MEASURED, more=more)
        rows += summary(results, centroids=name)
    return rows


def made_up(kind):
    """Other vectors in the place of the keys before RoPE: the oracle of their partition."""
    def change(arrays, layer):
        keys = numpy.array(arrays["keys-unroped"], dtype=float)
        heads, n, d = keys.shape
        at = numpy.arange(n, dtype=float)
        if kind == "time":
            keys[:] = 0
            keys[:, :, 0] = at
        elif kind == "chance":
            keys = numpy.random.default_rng(layer).standard_normal(keys.shape)
        elif kind == "fast pairs turned":
            keys = rotate(keys, at, THETA, slice(0, d // 4))
        elif kind == "slow pairs turned":
            keys = rotate(keys, at, THETA, slice(d // 4, None))
        elif kind == "before and time":  # the position as one more direction, of a third of all
            # variance, in the place of the pair that has least of it
            half = d // 2
            for h in range(heads):
                variance = keys[h].var(axis=0)
                pair = (variance[:half] + variance[half:]).argmin()
                keys[h][:, [pair, pair + half]] = 0
                keys[h][:, pair] = (at / n - 0.5) * math.sqrt(12 * keys[h].var(axis=0).sum() / 2)
        arrays["keys-unroped"] = keys
        return arrays
    return change


def part_partition(real):
    """What a partition must follow: the oracle of several partitions. In the columns before_oracle
    and oracle_ratio, against k-means after RoPE."""
    rows = []
    for kind in ("before", "time", "chance", "fast pairs turned", "slow pairs turned",
                 "before and time"):
        case = ("plain", None, BOTH) if kind == "before" else \
            (f"partition {kind}", made_up(kind), BOTH[2:])
        rows += summary(real.case(case[0], *SHORT, "--clusters", 128, change=case[1], methods=case[2],
                                  documents=MEASURED),
                        partition=kind)
    return rows


def shuffled(arrays, layer):
    """The content of keys and values at other positions, but for the sink and the last 192, and
    turned as belongs there."""
    n = arrays["keys"].shape[1]
    order = numpy.arange(n)
    order[1:n - 192] = 1 + numpy.random.default_rng(layer).permutation(n - 193)
    for name in ("keys-unroped", "values"):
        arrays[name] = arrays[name][:, order]
    arrays["keys"] = rotate(arrays["keys-unroped"], numpy.arange(n, dtype=float), THETA)
    return arrays


def part_shuffle(real):
    """Keys at positions that are not theirs."""
    rows = summary(real.case("plain", *SHORT, "--clusters", 128), order="as it is")
    return rows + summary(real.case("shuffled", *SHORT, "--clusters", 128, change=shuffled),
                          order="shuffled")


TEACHERS, PUPILS = ("bash-manual", "licences", "king-james", "c-sources"), ("essay",
                                                                          "python-source")


def part_query(real, trained):
    """Query models: centroids and models of two documents come from the four others."""
    methods, rows, results = (*BOTH, "saap", "saap-roped"), [], {}
    for layer in LAYERS:
        index = pathlib.Path(trained) / f"layer-{layer:02d}.index"
        if not index.exists():
            options = []
            for name in ("keys", "queries", "keys-unroped", "queries-unroped"):
                file = name.replace("queries", "queries-all")
                options += [f"--train-{name}", ",".join(
                    str(real.folder / d / f"layer-{layer:02d}" / f"{file}.npy") for d in TEACHERS)]
            sparse(*real.cases.files(lambda layer=layer: real.context(PUPILS[0], layer)),
                   "--layers", layer, *options, "--train-sample", 1024, "--budget", 0.05,
                   "--method", "kmeans,kmeans-unroped,saap,saap-roped", "--save", index)
        for window in (128, 2048):
            found = real.case(f"query {index.stat().st_size}", "--index", index, "--clusters", 128,
                              "--window", window, layers=(layer,), documents=PUPILS,
                              methods=methods)
            results.setdefault(window, {}).update(found)
    for window, found in results.items():
        for share in SHARES:
            row = {"window": window, "share": share}
            for m in methods:
                values = [a[m][share]["error"] for a in found.values()]
                values = [v for v in values if v is not None]
                row[m] = number(math.exp(sum(values) / len(values))) if values else ""
                row[f"{m} mass"] = number(math.exp(sum(
                    v for v in (a[m][share]["mass"] for a in found.values())
                    if v is not None) / max(1, len(values))))
            rows.append(row)
        for (document, layer), answer in found.items():
            rows.append({"window": window, "share": f"0.05 {document} {layer}",
                         **{m: number(None if answer[m][0.05]["error"] is None else
                                      math.exp(answer[m][0.05]["error"])) for m in methods}})
    return rows


# ---- generated tensors

# Settings of the generator. The second one was chosen for its share of the logits' variance that
# lies between times, near that of the real tensors, before any method was run on it.
SETTINGS = {"defaults": (),
            "position": ("--recency", 18, "--slow", 3, "--contrast", 0.5)}


def knobs_of(n, theta=1e5, d=64, more=()):
    return ("--n", n, "--d", d, "--rope-theta", f"{theta:g}", *more)


def generated(cases, knobs, options, seeds=SEEDS, methods=BOTH):
    """One case of the generator: {(seed, 0): answer}, and the time share of each seed."""
    results, shares = {}, {}
    folder = cases.work / "generated"
    files = [x for n in NAMES for x in (f"--{n}", folder / f"{n}.npy")]
    for seed in seeds:
        knob_texts = list(map(str, knobs))

        def make(seed=seed):
            if not folder.exists():
                command = [PROGRAM, "tensors", "--generate", folder, "--n-q", N_Q, "--seed", seed,
                           "--query-heads", 3, *knobs]
                subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
            return {}

        def share(make=make):
            make()
            return time_share(*(numpy.load(folder / f"{n}.npy", mmap_mode="r")
                                for n in ("keys", "queries")))
        shares[seed] = cases.remember(["time", seed, knob_texts], share)
        results[seed, 0] = cases.run(["generated", seed, knob_texts], make, *files, *options,
                                     methods=methods)
        shutil.rmtree(folder, ignore_errors=True)
    return results, shares


def part_generated(cases):
    """Generated keys: how many, RoPE's theta, how many buckets, and how much the position does."""
    rows = []

    def one(setting, n, theta=1e5, clusters=128, seeds=SEEDS, d=64, window=128):
        dense = ("--window", window) if window != 128 else ()
        if n > 100000:
            dense += (*SHORT, "--iterations", 8)
        results, shares = generated(cases, knobs_of(n, theta, d, SETTINGS[setting]),
                                    ("--clusters", clusters, *dense), seeds)
        rows.extend(summary(results, setting=setting, n=n, theta=f"{theta:g}", d=d,
                            clusters=clusters, window=window,
                            time_share=number(sum(shares.values()) / len(shares))))
        print(rows[-2], flush=True)
    for n in (8192, 32768):
        for setting in SETTINGS:
            one(setting, n)
    for setting in SETTINGS:
        one(setting, 131072, seeds=SEEDS[:3])
    for setting in SETTINGS:
        one(setting, 131072, 5e5, seeds=SEEDS[:3])
    for setting in SETTINGS:
        one(setting, 524288, seeds=SEEDS[:2])
    for setting in SETTINGS:
        one(setting, 131072, 5e5, seeds=SEEDS[:3], window=2048)
    for setting in SETTINGS:
        one(setting, 131072, 1e7, seeds=SEEDS[:2])
    for setting in SETTINGS:
        one(setting, 131072, 5e5, 1024, SEEDS[:1], window=2048)
    return rows


def part_knobs(cases):
    """One knob of the generator at a time, at n = 8192."""
    rows = []
    for knob in ((), ("--recency", 0), ("--recency", 26), ("--run", 1), ("--recency", 0, "--run",
                 1), ("--slow", 3), ("--slow", 0), ("--cluster-share", 0.2),
                 ("--cluster-share", 0.8), ("--query-share", 0.6), ("--reach", 64),
                 ("--contrast", 0.35), ("--contrast", 0.35, "--recency", 20),
                 SETTINGS["position"]):
        results, shares = generated(cases, knobs_of(8192, more=knob), ("--clusters", 128))
        rows += summary(results, n=8192, knob=" ".join(map(str, knob)) or "defaults",
                        time_share=number(sum(shares.values()) / len(shares)))
    return rows


# ---- both

def part_position(real):
    """Each document in each layer, and each seed of some settings: the ratio of the errors beside
    the share of the logits' variance that lies between times."""
    rows = []

    def add(source, unit, share, answer):
        pair = [answer[m][0.05]["error"] for m in BOTH]
        if None not in pair:
            rows.append({"source": source, "unit": unit, "time_share": number(share),
                         "ratio": number(math.exp(pair[1] - pair[0])),
                         "oracle_ratio": number(math.exp(pair[3] - pair[2]))})
    for (document, layer), answer in real.case("plain", "--clusters", 128).items():
        share = real.cases.remember(
            ["time", document, layer, N],
            lambda d=document, l=layer: time_share(real.load(d, l, "keys"),
                                                   real.load(d, l, "queries")))
        add("real", f"{document} {layer}", share, answer)
    for knob in ((), ("--recency", 0), ("--recency", 26), ("--slow", 3), ("--slow", 0),
                 ("--reach", 64), ("--contrast", 0.35), ("--contrast", 0.35, "--recency", 20),
                 SETTINGS["position"]):
        results, shares = generated(real.cases, knobs_of(8192, more=knob), ("--clusters", 128))
        for (seed, _), answer in results.items():
            add("generated", " ".join(map(str, (*knob, "seed", seed))), shares[seed], answer)
    return rows


PARTS = {"length": part_length, "clusters": part_clusters, "window": part_window,
         "transfer": part_transfer, "theta": part_theta, "partition": part_partition,
         "shuffle": part_shuffle, "query": part_query, "generated": part_generated,
         "knobs": part_knobs, "position": part_position}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tensors")
    parser.add_argument("-o", default="plots/before-rope", help="the folder to write to")
    parser.add_argument("--cache", help="the folder of answers that are there already")
    parser.add_argument("--trained", help="the folder of trained models")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_intermixed_args()
    for part in options.parts:
        if part not in PARTS:
            fail(f"there is no part '{part}'; there are {' '.join(PARTS)}")
    pathlib.Path(options.o).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        cases = Cases(work, options.cache)
        real = Real(options.tensors, cases)
        for part in options.parts or PARTS:
            if part in ("generated", "knobs"):
                rows = PARTS[part](cases)
            elif part == "query":
                rows = part_query(real, options.trained or work)
            else:
                rows = PARTS[part](real)
            path = pathlib.Path(options.o) / f"{part}.csv"
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            print(f"{path}: {len(rows)} rows", flush=True)


if __name__ == "__main__":
    main()
