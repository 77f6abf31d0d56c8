#!/usr/bin/env python3
"""before_rope.py - is it better to cluster keys before RoPE or after it? One factor at a time.

    tools/before_rope.py TENSORS [-o FOLDER] [--cache FOLDER] [--trained FOLDER] [PART ..]

TENSORS is a folder of documents as `make real-tensors ARGS=--all-queries` writes it. Writes a CSV
file for each PART into FOLDER (paper_figures/ours-before-rope): length clusters window transfer
turned partition spread query, all on real tensors; generated, knobs (these need no TENSORS; give -)
and position. --cache keeps what each run of the command answered, and reads it where it is there.
--trained keeps the query models of the part query.

Each case is measured with k-means after RoPE and before it, with the query itself and with an
oracle that ranks buckets by the attention they really get. Errors are taken at the same share of
visited keys: ln(error) is interpolated in ln(visited) between the knobs on both sides. A unit is
one document in one layer, or one seed of the generator. Printed are geometric means over units, and
the standard error of ln(before/after): over documents, each the mean of its layers; over seeds.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import math
import pathlib
import shutil
import subprocess
import tempfile

import numpy

from before_rope_cases import (BOTH, SHARES, Cases, between, number, rotate, share_between,
                               summary, time_share, times)
from saap_figures import (MEASURED, PROGRAM, TRAINED, centroids_of, fail, options_of, sparse,
                          write)

DOCUMENTS = ("bash-manual", "c-sources", "essay", "king-james", "licences", "python-source")
LAYERS = (8, 15, 22)
ONE = (15,)   # where a case needs few
N, N_Q, THETA = 8192, 64, 1e5
NAMES = ("queries", "keys", "values", "queries-unroped", "keys-unroped")
SEEDS = (1, 2, 3, 4)
SHORT = ("--last", 16)   # all parts but length and those of few generated keys: fewer queries


# ---- real tensors

class Real:
    def __init__(self, folder, cases):
        self.folder, self.cases = pathlib.Path(folder), cases

    def load(self, document, layer, name):
        path = self.folder / document / f"layer-{layer:02d}" / f"{name}.npy"
        if not path.exists():
            fail(f"{self.folder} has no {path.relative_to(self.folder)}; see make real-tensors "
                 "ARGS=--all-queries")
        return numpy.load(path, mmap_mode="r")

    def context(self, document, layer, n=N):
        """The first n positions, with the last N_Q of them as queries."""
        out = {name: self.load(document, layer, name)[:, :n]
               for name in ("keys", "values", "keys-unroped")}
        for kind in ("", "-unroped"):
            out["queries" + kind] = self.load(document, layer, f"queries-all{kind}")[:, n - N_Q:n]
        return out

    def buckets(self, keys):
        """The bucket of each key [n, d], by k-means of the command with 128 buckets."""
        work = self.cases.work
        path, index = work / "one.npy", work / "one.index"
        query = work / "one-query.npy"
        numpy.save(path, numpy.ascontiguousarray(keys[None], dtype=numpy.float32))
        numpy.save(query, numpy.ascontiguousarray(keys[None, -1:], dtype=numpy.float32))
        sparse("--keys", path, "--queries", query, "--method", "kmeans", "--clusters", 128,
               "--train-keys", path, "--train-queries", query, "--save", index, "--sink", 0,
               "--window", 1, "--budget", 1)
        centroids = centroids_of(index)
        return (keys @ centroids.T - (centroids ** 2).sum(axis=1) / 2).argmax(axis=1)

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
        documents, less = DOCUMENTS, ()
        if clusters == 2048:
            documents, less = MEASURED, ("--iterations", 4)
        rows += summary(real.case("plain", *SHORT, "--clusters", clusters, *less, layers=ONE,
                                  documents=documents), clusters=clusters)
    return rows


def part_window(real):
    """How many of the last keys are read anyway."""
    return [row for window in (128, 512, 2048)
            for row in summary(real.case("plain", *SHORT, "--clusters", 128, *(
                ("--window", window) if window != 128 else ()), layers=ONE), window=window)]


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


def turned_by(theta, step):
    """RoPE of the same keys and queries with another theta, or with steps of so many positions."""
    def change(arrays, _):
        n, n_q = arrays["keys"].shape[1], arrays["queries"].shape[1]
        at = step * numpy.arange(n, dtype=float)
        arrays["keys"] = rotate(arrays["keys-unroped"], at, theta)
        arrays["queries"] = rotate(arrays["queries-unroped"], at[n - n_q:], theta)
        return arrays
    return change


def part_turned(real):
    """Keys and queries that are turned otherwise: no longer the attention of the model."""
    rows = []
    for what, name, change in (("as it is", "plain", None),
                               ("content at other places", "shuffled", shuffled),
                               ("theta 1e7", "theta 1e+07 step 1", turned_by(1e7, 1)),
                               ("steps of 4 positions", "theta 100000 step 4",
                                turned_by(THETA, 4))):
        rows += summary(real.case(name, *SHORT, "--clusters", 128, change=change, layers=ONE),
                        turned=what)
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
    for name, where in (("own", None), ("others, 0 .. 8191", (0, N, 1)),
                        ("others, each fourth", (0, N, 4)),
                        ("others, 0 .. 2047", (0, N // 4, 1))):
        more = (lambda layer, w=where: trained(*w, layer)) if where else None
        results = real.case("plain" if not where else f"trained on {name}", *SHORT, "--clusters",
                            128, layers=ONE, documents=MEASURED, more=more)
        rows += summary(results, centroids=name)
    return rows


def made_up(kind):
    """Other vectors in the place of the keys before RoPE: the oracle of their partition."""
    def change(arrays, _):
        keys = numpy.array(arrays["keys-unroped"], dtype=float)
        n, d = keys.shape[1:]
        at = numpy.arange(n, dtype=float)
        if kind == "time":
            keys[:] = 0
            keys[:, :, 0] = at
        elif kind == "fast pairs turned":
            keys = rotate(keys, at, THETA, slice(0, d // 4))
        elif kind == "slow pairs turned":
            keys = rotate(keys, at, THETA, slice(d // 4, None))
        arrays["keys-unroped"] = keys
        return arrays
    return change


def part_partition(real):
    """What a partition must follow: the oracle of several partitions. In the columns before_oracle
    and oracle_ratio, against k-means after RoPE."""
    rows = []
    for kind in ("before", "time", "fast pairs turned", "slow pairs turned"):
        results = real.case("plain", *SHORT, "--clusters", 128, layers=ONE)
        if kind != "before":
            others = real.case(f"partition {kind}", *SHORT, "--clusters", 128, layers=ONE,
                               change=made_up(kind), methods=BOTH[3:])
            results = {unit: {**results[unit], **answer, "kmeans-unroped": answer[BOTH[3]]}
                       for unit, answer in others.items()}
        for row in summary(results, partition=kind):
            if kind != "before":  # there is no query to rank them by
                row.update({name: "" for name in row if name in ("before", "before_mass") or
                            name.startswith("ratio")})
            rows.append(row)
    return rows


def part_spread(real):
    """What buckets hold: how far they spread in time, and how much of the logits they tell."""
    rows = []
    for order, change in (("as it is", None), ("shuffled", shuffled)):
        found = {"after": [], "before": []}
        for document, layer in ((d, x) for d in MEASURED for x in ONE):
            arrays = real.context(document, layer)
            if change:
                arrays = change(arrays, layer)
            keys, queries = arrays["keys"], arrays["queries"]
            time = times(keys, queries)
            at = numpy.arange(len(time[0]), dtype=float)
            for kind, file in (("after", "keys"), ("before", "keys-unroped")):
                buckets = [real.buckets(head)[:len(at)] for head in arrays[file][:, 1:]]
                found[kind].append((
                    sum(1 - between(b, at) for b in buckets) / len(buckets),
                    share_between(keys, queries, buckets), share_between(keys, queries, time)))
        for kind, values in found.items():
            mean = [number(sum(v) / len(v)) for v in zip(*values)]
            rows.append({"order": order, "buckets": kind, "units": len(values),
                         "spread": mean[0], "logits": mean[1], "logits_of_time": mean[2]})
    return rows


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
    for n, theta, seeds in ((8192, 1e5, 4), (32768, 1e5, 4), (131072, 1e5, 2), (131072, 1e7, 1)):
        for setting in SETTINGS:
            one(setting, n, theta, seeds=SEEDS[:seeds])
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
         "transfer": part_transfer, "turned": part_turned, "partition": part_partition,
         "spread": part_spread, "query": part_query,
         "generated": part_generated, "knobs": part_knobs, "position": part_position}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cache", help="the folder of answers that are there already")
    options = options_of(parser, "paper_figures/ours-before-rope", PARTS)
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
            write(pathlib.Path(options.o) / f"{part}.csv", rows)


if __name__ == "__main__":
    main()
