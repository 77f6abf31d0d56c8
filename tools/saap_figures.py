#!/usr/bin/env python3
"""saap_figures.py - measures what the figures saap-* show, on a real model.

    tools/saap_figures.py TENSORS [-o FOLDER] [--trained FOLDER] [PART ..]

TENSORS is a folder of documents as `make real-tensors` writes it, with queries-all.npy:
DOCUMENT/layer-NN/{queries,queries-all,keys,values}.npy [heads, positions, d] after RoPE, and
*-unroped.npy before it. Writes the CSV file of a figure for each PART (1 2 3 5 6 7 8 table-1 bytes
pair partitions int8 reformer bins inside numbers 1024) into its folder in FOLDER (paper_figures).
--trained keeps the trained partitions and query models, and reads them where they are there.

What is measured is measured by the command ($RECALLMODEL, or ./recallmodel), with one thread unless
OMP_NUM_THREADS says more. Here keys are drawn and stacked, and part 1 has its principal components
and products.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy

PROGRAM = os.environ.get("RECALLMODEL", "./recallmodel")
# Partitions and models are trained on the first three, and all is measured on the other two.
TRAINED = ("bash-manual", "licences", "python-source")
MEASURED = ("c-sources", "essay")
# (layer, query head): the heads of figures 5 to 8. The other query heads of the same key head are
# measured with them in figure 8 alone.
HEADS = ((2, 0), (8, 3), (15, 6), (28, 0))
GROUP = 3       # query heads that share keys
CLUSTERS = 128
BUDGETS = "0.005,0.01,0.02,0.05,0.1,0.2,0.4"
KINDS = ("", "-unroped")


def fail(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(2)


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path}: {len(rows)} rows", flush=True)


def sparse(*arguments):
    """The rows of the CSV that `recallmodel sparse` prints."""
    command = [PROGRAM, "sparse", *map(str, arguments), "--csv"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"OMP_NUM_THREADS": "1", **os.environ}, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: {done.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def short(value):
    """Five significant digits."""
    if value in ("", None):
        return ""
    text = f"{float(value):.5g}"
    return f"{float(text):.0f}" if "e+" in text else text


def pick(row, *names, **more):
    """Some columns of a row that the command printed, with five digits."""
    whole = ("method", "layer", "head", "knob")
    return {**more, **{n: row[n] if n in whole else short(row[n]) for n in names}}


class Tensors:
    def __init__(self, folder, work):
        self.folder, self.work = pathlib.Path(folder), pathlib.Path(work)
        for document in TRAINED + MEASURED:
            if not (self.folder / document / "document.json").exists():
                fail(f"{folder} has no {document}/document.json; see make real-tensors")

    def path(self, document, layer, name):
        return self.folder / document / f"layer-{layer:02d}" / f"{name}.npy"

    def load(self, document, layer, name, heads=slice(None)):
        return numpy.load(self.path(document, layer, name), mmap_mode="r")[heads]

    def save(self, name, array):
        path = self.work / f"{name}.npy"
        numpy.save(path, numpy.ascontiguousarray(array, dtype=numpy.float32))
        return path

    def stack(self, documents, name, group):
        """Files with the four heads as four layers of one key head: one file for each document."""
        files = []
        for document in documents:
            path = self.work / f"{document}-{name}-{group}.npy"
            if not path.exists():
                layers = []
                for layer, head in HEADS:
                    first = head // GROUP * GROUP if group > 1 else head
                    at = slice(first, first + group) if name.startswith("queries") else \
                        slice(head // GROUP, head // GROUP + 1)
                    layers.append(self.load(document, layer, name, at))
                self.save(path.stem, numpy.stack(layers))
            files.append(str(path))
        return ",".join(files)

    def measured(self, group=1, clusters=CLUSTERS, documents=MEASURED):
        """The options that give the four heads of the documents that are measured."""
        out = ["--layers", ",".join(str(layer) for layer, _ in HEADS), "--clusters", clusters]
        for name in ("queries", "keys", "values", "queries-unroped", "keys-unroped"):
            out += [f"--{name}", self.stack(documents, name, group)]
        return out

    def training(self, group=1, which="-all"):
        """Those to train on. Centroids need no queries: `which` may be those of the end, ""."""
        out = []
        for option, name in (("queries", f"queries{which}"), ("keys", "keys"),
                             ("queries-unroped", f"queries{which}-unroped"),
                             ("keys-unroped", "keys-unroped")):
            out += [f"--train-{option}", self.stack(TRAINED, name, group)]
        return out


def train(tensors, trained, name, group, *options, methods="saap,saap-roped"):
    """The index of query models of the four heads, trained unless it is there."""
    path = pathlib.Path(trained) / f"{name}.index"
    if not path.exists():
        sparse(*tensors.measured(group), *tensors.training(group), "--method", methods, "--budget",
               "0.05", "--train-sample", 1024, "--save", path, *options)
    return path


# ---- the parts: each returns the rows of its file

def components(cloud, more, also):
    """The first two principal components of both clouds together, and of other points on the same
    axes; the first cloud lies left."""
    both = numpy.concatenate([cloud, more]).astype(float)
    centred = both - both.mean(axis=0)
    _, _, axes = numpy.linalg.svd(centred, full_matrices=False)
    points = numpy.concatenate([centred, also - both.mean(axis=0)]) @ axes[:2].T
    points[:, 0] *= -numpy.sign(points[:len(cloud), 0].mean())
    return numpy.split(points, [len(cloud), len(both)])


def density(values, low, high):
    """[(middle, density)] of 50 equal bins."""
    shares, edges = numpy.histogram(values, bins=50, range=(low, high), density=True)
    return zip((edges[1:] + edges[:-1]) / 2, shares)


def centroids_of(path):
    """The centroids of the first head of an index: `recallmodel sparse --save` wrote it, and
    attention/training/trained_file.c says how."""
    data = path.read_bytes()
    magic, version = struct.unpack_from("<8sI", data)
    if (magic, version) != (b"RCMINDEX", 3):
        fail(f"{path} is of version {version}; centroids_of() reads version 3")
    d, clusters = struct.unpack_from("<2I", data, 72 + 5 * 4)
    return numpy.frombuffer(data, "<f4", clusters * d, 72 + 13 * 4).reshape(clusters, d)


def unit(x):
    return x / numpy.linalg.norm(x, axis=1, keepdims=True)


def part_1(tensors, _):
    """Points, cosines, dot products and buckets of the keys and queries of one head, before and
    after RoPE. The key at position 0 is the sink; only its point is shown."""
    document, layer, head = MEASURED[0], 15, 6
    rows, at = [], slice(head // GROUP, head // GROUP + 1)
    for kind in KINDS:
        rope = "before" if kind else "after"
        sink, keys = numpy.split(tensors.load(document, layer, "keys" + kind, at)[0], [1])
        queries = tensors.load(document, layer, "queries-all" + kind, head)[1:]
        some = numpy.linspace(0, len(keys) - 1, 400).astype(int)
        series = dict(zip(("key", "query", "sink"),
                          components(keys[some], queries[some], sink)))
        others = ~numpy.eye(len(some), dtype=bool)
        for name, a in (("query and key", queries[some]), ("key and key", keys[some])):
            cosines, products = ((x @ y.T)[others] for x, y in (
                (unit(a), unit(keys[some])), (a, keys[some])))
            series[name] = density(cosines, -1, 1)
            series[f"{name} product"] = density(products, products.min(), products.max())
        rows += [{"rope": rope, "what": name, "x": short(x), "y": short(y)}
                 for name, points in series.items() for x, y in points]
        path = tensors.work / f"one{kind}.index"
        file = tensors.save(f"one-keys{kind}", keys[None])
        query = tensors.save(f"one-query{kind}", queries[None, -1:])
        sparse("--keys", file, "--queries", query, "--method", "kmeans", "--clusters", CLUSTERS,
               "--train-keys", file, "--train-queries", query, "--save", path, "--sink", 0,
               "--window", 1, "--budget", 1)
        c = centroids_of(path)
        of_keys = (keys @ c.T - (c * c).sum(axis=1) / 2).argmax(axis=1)
        of_queries = (queries @ c.T).argmax(axis=1)
        shares = [numpy.bincount(x, minlength=CLUSTERS) / len(x) for x in (of_keys, of_queries)]
        order = numpy.argsort(-shares[0], kind="stable")
        for name, share in zip(("keys in bucket", "queries in bucket"), shares):
            rows += [{"rope": rope, "what": name, "x": i + 1, "y": short(y)}
                     for i, y in enumerate(share[order])]
    return rows


SAMPLE = 3072  # keys of each sampling, so that the even imbalance is the same for all


def samplings(rng):
    """(name, number, [(document, positions)]): the four ways to draw keys."""
    def spread(documents, first=0, last=8192):
        each = SAMPLE // len(documents)
        return [(d, first + 1 + rng.permutation(last - first - 1)[:each]) for d in documents]
    yield "uniform", 0, spread(TRAINED)
    yield "held out", 0, spread(MEASURED)
    for i, document in enumerate(MEASURED):
        yield "one prompt", i, spread([document])
    for i, first in enumerate((1024, 4096, 7168)):
        yield "one time range", i, [(d, numpy.arange(first, first + SAMPLE // len(TRAINED)))
                                    for d in TRAINED]


def part_2(tensors, trained):
    """Imbalance of the buckets, for a partition of the keys of three documents."""
    rows, drawn = [], list(samplings(numpy.random.default_rng(1)))
    for layer in (2, 8, 15, 22, 28):
        for kind in KINDS:
            def save(name, parts):
                keys = numpy.concatenate([tensors.load(d, layer, "keys" + kind)[:, p]
                                          for d, p in parts], axis=1)
                return tensors.save(name, keys), tensors.save(name + "-query", keys[:, -1:])
            every = [(d, numpy.arange(1, 8192)) for d in TRAINED]
            common = ("--method", "kmeans", "--clusters", CLUSTERS, "--sink", 0, "--window", 1,
                      "--budget", 1)
            path = pathlib.Path(trained) / f"balance-{layer}{kind}.index"
            keys, query = save("all", every)
            if not path.exists():
                sparse("--keys", keys, "--queries", query, "--train-keys", keys, "--train-queries",
                       query, "--save", path, *common)
            for name, number, parts in drawn:
                keys, query = save("drawn", parts)
                for row in sparse("--keys", keys, "--queries", query, "--index", path,
                                  "--per-head", *common):
                    rows.append({"rope": "before" if kind else "after", "sampling": name,
                                 "number": number, "layer": layer, "head": row["head"],
                                 "imbalance": short(row["imbalance"]),
                                 "largest_share": short(float(row["largest_bucket"]) / SAMPLE)})
    return rows


def part_3(tensors, _):
    """Mass of the k largest weights, of every head of every layer: of all, and of those outside of
    sink and window, as a share of the mass there. Buckets with no more than 256 keys beside."""
    rows, documents = [], MEASURED + TRAINED[:1]
    largest = ",".join(str(k / 8192) for k in (16, 64, 256, 1024, 4096))
    for layer in range(30):
        common = ["--layers", layer, "--dense-layers", "none", "--last", 16, "--per-head"]
        for name in ("queries", "keys", "queries-unroped", "keys-unroped"):
            common += [f"--{name}", ",".join(str(tensors.path(d, layer, name)) for d in documents)]
        for row in sparse(*common, "--method", "topk", "--sink", 0, "--window", 0, "--budget",
                          largest):
            rows.append(pick(row, "method", "layer", "head", "mass", k=row["knob"], of="all"))
        outside = {row["head"]: float(row["mass"]) for row in
                   sparse(*common, "--method", "streaming", "--budget", 1)}
        for row in sparse(*common, "--method", "topk", "--budget", largest) + \
                sparse(*common, "--method", "kmeans,kmeans-unroped", "--budget", 256 / 8192):
            dense = outside[row["head"]]
            row["mass"] = (float(row["mass"]) - dense) / (1 - dense)
            rows.append(pick(row, "method", "layer", "head", "mass", of="outside",
                             k=f"{8192 * float(row['visited']):.0f}"))
    return rows


MEASURES = ("budget", "knob", "visited", "selectivity", "bytes_read", "mass", "recall", "error",
            "imbalance")


def part_5(tensors, trained):
    """Every method on each of the four heads."""
    own = ("topk,bucketed,sparq,quest,random,kmeans,kmeans-unroped,lsh-magicpig,lsh-gray,"
           "lsh-argmax")
    common = [*tensors.measured(), "--budget", BUDGETS, "--per-head"]
    rows = sparse(*common, "--method", own)
    index = train(tensors, trained, "heads", 1)
    for row in sparse(*common, "--index", index, "--method",
                      "kmeans,kmeans-unroped,saap,saap-roped"):
        if row["method"].startswith("kmeans"):
            row["method"] += " trained"
        rows.append(row)
    heads = {str(layer): head for layer, head in HEADS}
    return [pick(row, *MEASURES, method=row["method"], layer=row["layer"],
                 head=heads[row["layer"]]) for row in rows]


def part_reformer(tensors, _):
    """Keys hashed by themselves, and by the queries of their positions. That takes the queries of
    all positions, and minutes: the first 2048 alone."""
    options = ["--layers", ",".join(str(layer) for layer, _ in HEADS)]
    for option, name in (("queries", "queries-all"), ("keys", "keys"), ("values", "values")):
        files = [pathlib.Path(file) for file in tensors.stack(MEASURED, name, 1).split(",")]
        options += [f"--{option}", ",".join(str(tensors.save(
            f"{file.stem}-first", numpy.load(file, mmap_mode="r")[:, :, :2048]))
            for file in files)]
    heads = {str(layer): head for layer, head in HEADS}
    return [pick(row, *MEASURES, method=row["method"], layer=row["layer"],
                 head=heads[row["layer"]])
            for row in sparse(*options, "--budget", 0.05, "--per-head", "--method",
                              "lsh-argmax,lsh-argmax-query")]


def part_bins(tensors, _):
    """The hashes of one table with the knob of the paper, the size of a bin: a query visits one."""
    rows, heads = {}, {str(layer): head for layer, head in HEADS}
    for chunk in (2**i for i in range(5, 13)):
        budgets = ",".join(f"{times * chunk / 8192:.7f}" for times in (.05, .1, .2, .4, .7, 1.1, 2))
        for row in sparse(*tensors.measured(), "--budget", budgets, "--per-head", "--method",
                          "lsh-gray,lsh-argmax", "--chunk", chunk, "--tables", 1):
            if row["knob"] == "1":
                rows.setdefault((row["method"], chunk, row["layer"]), pick(
                    row, *MEASURES, method=row["method"], layer=row["layer"],
                    head=heads[row["layer"]], chunk=chunk))
    return list(rows.values())


def part_inside(tensors, _):
    """All keys of the buckets that a query visits, and the best share of them alone."""
    return [pick(row, *MEASURES, method=row["method"], inside=inside) for inside in (1, .5, .25)
            for row in sparse(*tensors.measured(), "--inside", inside, "--budget",
                              ",".join(f"{inside * x:g}" for x in (.05, .1, .2, .4)),
                              "--method", "kmeans" if inside == 1 else "kmeans-topk")]


def part_numbers(tensors, trained):
    """A list of numbers, by what was trained on texts."""
    return [pick(row, "method", *MEASURES) for row in sparse(
        *tensors.measured(documents=("numbers",)), "--budget", BUDGETS, "--index",
        train(tensors, trained, "heads", 1), "--method", "kmeans,kmeans-unroped,saap,saap-roped")]


def part_6(tensors, trained):
    """The query model of the paper, the same with a linear path, and one of all pairs."""
    ways = {"far pairs": ("heads", ()),
            "residual": ("residual", ("--train-residual",)),
            "near pairs too": ("near", ("--window", 1)),
            "residual, near pairs too": ("residual-near", ("--train-residual", "--window", 1))}
    return [pick(row, "method", *MEASURES, way=name) for name, (file, options) in ways.items()
            for row in sparse(*tensors.measured(), "--budget", BUDGETS, "--index",
                              train(tensors, trained, file, 1, *options), "--method",
                              "saap,saap-roped" + ",kmeans,kmeans-unroped" * (not options))]


def part_7(tensors, trained):
    """Four dense parts."""
    index = train(tensors, trained, "heads", 1)
    return [pick(row, "method", *MEASURES, sink=sink, window=window)
            for sink, window in ((1, 63), (1, 511), (1, 2047), (128, 512))
            for options in (["--method", "streaming,topk,kmeans,kmeans-unroped"],
                            ["--method", "saap", "--index", index])
            for row in sparse(*tensors.measured(), "--sink", sink, "--window", window, "--budget",
                              BUDGETS, *options)
            if row["method"] != "streaming" or row["budget"] == "0.005"]


def part_8(tensors, trained):
    """Query heads that share keys choose together, or each for itself."""
    # One model for the heads that share keys: some of them look at near keys alone, and have no
    # query to train a model of their own on.
    index = train(tensors, trained, "groups", GROUP, "--train-per", "key", methods="saap")
    return [pick(row, "method", *MEASURES, chosen="together" if share else "independent")
            for share in ((), ("--share",))
            for options in (["--method", "kmeans,kmeans-unroped"],
                            ["--method", "saap", "--index", index])
            for row in sparse(*tensors.measured(GROUP), "--budget", BUDGETS, *options, *share)]


TIMES = ("visited", "selectivity", "bytes_read", "index_bytes", "mass", "recall", "error",
         "time_us", "ratio")


def part_table_1(tensors, trained):
    """What every method reads, loses and takes at 5 % of the keys; times of the first head."""
    common = [*tensors.measured(), "--budget", 0.05, "--time", "cold"]
    rows = sparse(*common, "--method", "full,streaming,random,topk,bucketed,sparq,quest,"
                  "lsh-magicpig,lsh-argmax,lsh-gray,kmeans,kmeans-unroped")
    index = train(tensors, trained, "heads", 1)
    rows += sparse(*common, "--index", index, "--method", "saap,saap-roped")
    return [pick(row, "method", *TIMES) for row in rows]


def part_bytes(tensors, trained):
    """Error against bytes and against time, for the figure ours-sparse; times of the first head."""
    common = [*tensors.measured(), "--budget", BUDGETS, "--time", "cold"]
    rows = sparse(*common, "--method", "full,topk,bucketed,sparq,quest,random,kmeans,"
                  "kmeans-unroped,lsh-argmax")
    rows += sparse(*common, "--index", train(tensors, trained, "heads", 1), "--method",
                   "saap,saap-roped")
    full = float(rows[0]["bytes_read"])
    return [pick(row, "method", "budget", "knob", *TIMES,
                 bytes_share=short(float(row["bytes_read"]) / full))
            for row in rows if row["method"] != "full"]


def part_pair(tensors, trained):
    """The pair of section 5.3: 171000 keys, 1 + 2047 of them dense, and 3.25 % visited, which 32 of
    1024 buckets hold if they are as uneven as the paper says. Generated keys, d = 128."""
    folder, options = tensors.work / "generated", []
    subprocess.run([PROGRAM, "tensors", "--generate", folder, "--n", "171000", "--d", "128"],
                   check=True, stdout=subprocess.DEVNULL)
    for name in ("queries", "keys", "values", "queries-unroped", "keys-unroped"):
        options += [f"--{name}", folder / f"{name}.npy"]
    options += ["--clusters", 1024, "--components", 32, "--sink", 1, "--window", 2047, "--last", 16,
                "--budget", 0.0325]
    index = pathlib.Path(trained) / "pair.index"
    if not index.exists():  # k-means of these keys, once for all measurements
        sparse(*options, *(x for name in ("queries", "keys", "queries-unroped", "keys-unroped")
                           for x in (f"--train-{name}", folder / f"{name}.npy")),
               "--method", "kmeans-unroped", "--save", index)
    return [pick(row, "method", "knob", *TIMES, "time_low_us", "time_high_us", "imbalance")
            for row in sparse(*options, "--method", "full,streaming,quest,sparq,kmeans-unroped",
                              "--index", index, "--time", "cold")]


def part_partitions(tensors, _):
    """k-means and spherical k-means with few and many buckets, of the keys of the document itself
    and of three others."""
    return [pick(row, "method", *MEASURES, centroids=name, clusters=clusters,
                 distance="inner product" if spherical else "euclidean")
            for clusters in (32, 128, 512, 2048) for spherical in ((), ("--spherical",))
            for name, options in (("own", ()), ("trained", tensors.training(which="")))
            for row in sparse(*tensors.measured(clusters=clusters), *spherical, *options,
                              "--budget", BUDGETS, "--method", "kmeans,kmeans-unroped")]


def part_1024(tensors, _):
    """1024 buckets, as in the paper, of which 4 to 128 are visited; centroids of other texts."""
    return [pick(row, "method", *MEASURES, clusters=clusters) for clusters in (128, 1024)
            for row in sparse(*tensors.measured(clusters=clusters), *tensors.training(which=""),
                              "--budget", ",".join(f"{2**i / 1024:g}" for i in range(2, 8)),
                              "--method", "kmeans,kmeans-unroped")]


def part_int8(tensors, _):
    """What keys of 8 bits lose and save."""
    return [pick(row, "method", *MEASURES, bits=bits)
            for bits, options in ((16, ()), (8, ("--int8-keys",)))
            for row in sparse(*tensors.measured(), "--budget", BUDGETS, "--method",
                              "full,topk,bucketed,sparq,quest,kmeans,kmeans-unroped", *options)
            if row["method"] != "full" or row["budget"] == "0.005"]


PARTS = {name[5:].replace("_", "-"): part for name, part in list(globals().items())
         if name.startswith("part_")}
# FIGURE/FILE; of the others saap-PART/saap-PART
FILES = {"bytes": "ours-sparse/ours-sparse", "bins": "saap-05/bins",
         "inside": "saap-05/inside", "numbers": "saap-05/numbers", "int8": "saap-choices/int8",
         "1024": "saap-choices/1024", "reformer": "saap-choices/reformer",
         "partitions": "saap-choices/saap-choices"}


def options_of(parser, folder, parts):
    """What was asked of a program that measures parts, beside its own options."""
    parser.add_argument("tensors")
    parser.add_argument("-o", default=folder, help="the folder to write to")
    parser.add_argument("--trained", help="the folder of trained models")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_intermixed_args()
    for part in options.parts:
        if part not in parts:
            fail(f"there is no part '{part}'; there are {' '.join(parts)}")
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options = options_of(parser, "paper_figures", PARTS)
    with tempfile.TemporaryDirectory() as work:
        tensors = Tensors(options.tensors, work)
        trained = pathlib.Path(options.trained or work)
        trained.mkdir(parents=True, exist_ok=True)
        for part in options.parts or PARTS:
            figure = f"saap-{part.zfill(2)}"
            file = FILES.get(part, f"{figure}/{figure}")
            write(pathlib.Path(options.o) / f"{file}.csv", PARTS[part](tensors, trained))


if __name__ == "__main__":
    main()
