#!/usr/bin/env python3
"""real_rows.py - measures on the rows of a real model what docs/real-data.md shows.

    tools/real_rows.py TENSORS [-o FOLDER] [PART ..]

TENSORS is a folder of documents as `make real-tensors` writes it: DOCUMENT/document.json,
DOCUMENT/vocabulary.npy [rows, n] and DOCUMENT/layer-NN/ with logits.npy [heads, rows, n],
queries.npy and keys.npy [heads, positions, d] after RoPE, and both as *-unroped.npy before it.
Writes the CSV files of the figures ours-real-rows and ours-resonance into their folders in FOLDER
(paper_figures). PART is one or more of loss, choices, resonance, pairs, windows, shares (all).

Recall is that of `recallmodel simulate --file`; models and choices are those of the command
($RECALLMODEL, or ./recallmodel). Here are only the products of queries and keys.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import io
import json
import math
import pathlib
import subprocess
import tempfile

import numpy

from saap_figures import PROGRAM, write

LAYERS = (2, 8, 15, 22, 28)
KS = (64, 128, 256, 512, 1024)


def ask(*arguments):
    """The rows of the CSV that the command prints."""
    text = subprocess.run([PROGRAM, *map(str, arguments), "--csv"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def short(value):
    return f"{value:.5g}"


class Rows:
    """Rows as a file that the command reads."""

    def __init__(self, rows):
        self.file = tempfile.NamedTemporaryFile(suffix=".npy")
        numpy.save(self.file, numpy.ascontiguousarray(rows, dtype=numpy.float32))
        self.file.flush()

    def simulate(self, k, *arguments):
        return ask("simulate", "--file", self.file.name, "--k", k, "--threads", 1, *arguments)

    def recalls(self, k, shapes, *arguments):
        return [float(self.simulate(k, "--b", b, "--kb", k_b, *arguments)[0]["recall_mean"])
                for b, k_b in shapes]


# ---- one head: logits of the last queries against all keys


class Head:
    def __init__(self, folder, head):
        about = json.loads((folder / "layer.json").read_text())
        key_head = head // (about["heads"] // about["kv_heads"])
        names = ("queries", "queries-unroped"), ("keys", "keys-unroped")
        (self.q, self.q_plain), (self.k, self.k_plain) = (
            [numpy.load(folder / f"{name}.npy")[at].astype(float) for name in kind]
            for kind, at in zip(names, (head, key_head)))
        self.n, self.d = self.k.shape
        self.theta = about["theta"]
        self.at = numpy.arange(self.n - len(self.q), self.n)

    def logits(self, q, k):
        """As the model scales them; -inf behind the query."""
        rows = q @ k.T / math.sqrt(self.d)
        rows[numpy.arange(self.n)[None] > self.at[:, None]] = -numpy.inf
        return rows

    def rotate(self, x, positions, theta):
        """RoPE; pair i is the elements i and i + d/2."""
        half = self.d // 2
        angle = positions[:, None] * theta ** (-numpy.arange(half) / half)
        c, s = numpy.cos(angle), numpy.sin(angle)
        return numpy.hstack([x[:, :half] * c - x[:, half:] * s, x[:, half:] * c + x[:, :half] * s])

    def with_theta(self, theta):
        return self.logits(self.rotate(self.q_plain, self.at, theta),
                           self.rotate(self.k_plain, numpy.arange(self.n), theta))

    def as_it_is(self):
        return self.logits(self.q, self.k)

    def without_rope(self):
        return self.logits(self.q_plain, self.k_plain)

    def without_pair(self, pair):
        q = self.q.copy()
        q[:, [pair, pair + self.d // 2]] = 0
        return self.logits(q, self.k)

    def wavelength(self, pair, theta=None):
        return 2 * math.pi * (theta or self.theta) ** (2 * pair / self.d)

    def theta_of(self, wavelength):
        """The theta that gives pair 1 this wavelength."""
        return (wavelength / 2 / math.pi) ** (self.d / 2)


# ---- the parts


def layer_files(document):
    """(name, rows) of each layer, and of the vocabulary."""
    for layer in LAYERS:
        yield f"{layer}", numpy.load(document / f"layer-{layer:02d}" / "logits.npy")
    yield "vocabulary", numpy.load(document / "vocabulary.npy")


def measure_loss(documents):
    """Loss over the model's, b k_b = k."""
    sums = {}

    def one(job):
        (name, rows), k = job
        return name, k, rows.simulate(k, "--kb", "1,4", "--assignment", "interleaved,contiguous")

    for document in documents:
        files = [(name, Rows(rows)) for name, rows in layer_files(document)]
        for name, k, found in POOL.map(one, [(file, k) for file in files for k in KS]):
            for row in found:
                key = name, k, row["k_b"], row["b"], row["assignment"]
                sums.setdefault(key, []).append(
                    [float(row[c]) for c in ("recall_mean", "model_recall", "mass_mean")])
    rows = []
    for (name, k, k_b, b, assignment), values in sums.items():
        recall, model, mass = numpy.mean(values, 0)
        rows.append({"layer": name, "k": k, "k_b": k_b, "b": b, "assignment": assignment,
                     "documents": len(values), "recall": short(recall), "mass": short(mass),
                     "model_recall": short(model), "loss_ratio": short((1 - recall) / (1 - model))})
    return rows


def measure_choices(documents):
    """Choices of select, run on the rows, without and with RoPE's wavelengths avoided."""
    chosen = {}
    for n in (8192, 49152):
        for k in KS:
            for target in (0.95, 0.99):
                for rope in (False, True):
                    more = ["--rope-theta", "1e5", "--head-dim", 64] if rope else []
                    found = ask("select", "--n", n, "--k", k, "--recall", target, "--kb-max", 16,
                                *more)
                    best = min(found, key=lambda row: (int(row["candidates"]), int(row["k_b"])))
                    chosen[n, k, target, rope] = best

    def one(job):
        document, name, rows, n, k, target, rope = job
        best = chosen[n, k, target, rope]
        results = rows.simulate(k, "--b", best["b"], "--kb", best["k_b"], "--assignment",
                                "interleaved,contiguous")
        recall = {row["assignment"]: float(row["recall_mean"]) for row in results}
        return {"document": document, "layer": name, "k": k, "target": target,
                "rope": "avoided" if rope else "ignored", "b": best["b"], "k_b": best["k_b"],
                "interleaved": short(recall["interleaved"]),
                "contiguous": short(recall["contiguous"])}

    rows = []
    for document in documents:
        files = [(name, Rows(x), x.shape[-1]) for name, x in layer_files(document)]
        jobs = [(document.name, name, file, n, k, target, rope) for name, file, n in files
                for k in KS for target in (0.95, 0.99) for rope in (False, True)
                if not (rope and name == "vocabulary")]
        rows += POOL.map(one, jobs)
    return rows


SHAPES = [(b, -(-150 // b)) for b in range(6, 41)]
WAVELENGTHS = (8.8, 8.85, 8.9, 8.93, 8.95, 8.97, 8.98, 8.99, 9, 9.01, 9.02, 9.03, 9.05, 9.07, 9.1,
               9.15, 9.2)


def mean_recalls(documents, layer, head, rows_of, k, shapes, *more):
    """The mean over documents of the recall of one head, for each shape."""
    def one(document):
        rows = Rows(rows_of(Head(document / f"layer-{layer:02d}", head)))
        return rows.recalls(k, shapes, *more)

    return numpy.mean(list(POOL.map(one, documents)), 0)


def shares_of_pairs(head, stretch):
    """The share of the variance of a row that cosines of the wavelengths explain, pair by pair, in
    the last elements before the queries; for the pairs with a wavelength of a quarter of that or
    less, fitted together. The mean over rows."""
    pairs = [i for i in range(head.d // 2) if head.wavelength(i) <= stretch / 4]
    j = numpy.arange(head.at[0] - stretch, head.at[0])
    angle = 2 * math.pi * j[:, None] / [head.wavelength(i) for i in pairs]
    waves = numpy.hstack([numpy.ones((len(j), 1)), numpy.cos(angle), numpy.sin(angle)])
    rows = head.as_it_is()[:, j].T
    fit = numpy.linalg.lstsq(waves, rows, rcond=None)[0][1:].reshape(2, len(pairs), -1)
    return numpy.mean((fit ** 2).sum(0) / 2 / rows.var(0), 1)


def stretch_of(head, k):
    """The distance from the query within which nine in ten of the top-k lie; the mean over rows."""
    top = numpy.argpartition(-head.as_it_is(), k, axis=1)[:, :k]
    return float(numpy.mean(numpy.quantile(head.at[:, None] - top, 0.9, axis=1)))


def wave_model(stretch, share, k, b, k_b, theta):
    """The recall of rows of noise and one wave, that of pair 1 of a head of 64."""
    found = ask("simulate", "--input", "rope", "--rope-theta", f"{theta:.15g}", "--head-dim", 64,
                "--rope-weights", "0,1", "--rope-share", f"{share:.6f}", "--n", stretch, "--k", k,
                "--b", b, "--kb", k_b, "--repetitions", 1)
    return float(found[0]["wave_recall"])


def stretch_and_share(documents, layer, head, pair, k):
    heads = [Head(document / f"layer-{layer:02d}", head) for document in documents]
    stretch = round(numpy.mean([stretch_of(h, k) for h in heads]))
    return stretch, float(numpy.mean([shares_of_pairs(h, stretch)[pair] for h in heads]))


CONDITIONS = {
    "as it is": (Head.as_it_is, ()), "without RoPE": (Head.without_rope, ()),
    "theta 1e4": (lambda h: h.with_theta(1e4), ()),
    "theta 5e4": (lambda h: h.with_theta(5e4), ()),
    "wavelength 10": (lambda h: h.with_theta(h.theta_of(10)), ()),
    "shuffled": (Head.as_it_is, ("--shuffle", "once"))}


def measure_resonance(documents):
    """Layer 2, head 1, k = 128: recall against b, with RoPE, without it, with others; then at b = 9
    with a theta that moves the second wavelength past it; and the models, one of them of rows of
    noise and the wave of pair 1, in the stretch where the top-k lie."""
    k, rows = 128, []
    stretch, share = stretch_and_share(documents, 2, 1, 1, k)

    def put(sweep, series, b, k_b, wavelength, recall):
        rows.append({"sweep": sweep, "series": series, "b": b, "k_b": k_b,
                     "wavelength": wavelength, "recall": short(recall)})

    for series, (rows_of, more) in CONDITIONS.items():
        recalls = mean_recalls(documents, 2, 1, rows_of, k, SHAPES, *more)
        for (b, k_b), recall in zip(SHAPES, recalls):
            put("b", series, b, k_b, "", recall)
    for b, k_b in SHAPES:
        found = ask("recall", "--n", 8192, "--k", k, "--b", b, "--kb", k_b)[0]["recall"]
        put("b", "model", b, k_b, "", float(found))
        put("b", "wave model", b, k_b, "", wave_model(stretch, share, k, b, k_b, 1e5))
    for wavelength in WAVELENGTHS:
        theta = (wavelength / 2 / math.pi) ** 32
        recall = mean_recalls(documents, 2, 1, lambda h, t=theta: h.with_theta(t), k, [(9, 17)])[0]
        put("wavelength", "measured", 9, 17, wavelength, recall)
        put("wavelength", "wave model", 9, 17, wavelength,
            wave_model(stretch, share, k, 9, 17, theta))
    print(f"nine in ten of the top-k lie within {stretch} elements, where the wave of pair 1 has a "
          f"share of {share:.3f}")
    return rows


def measure_shares(documents):
    """What the knobs of `simulate --input rope` stand for, in each layer: over the last 2048
    elements the share of the variance that all waves explain, the largest of one pair, and the
    standard deviation of the log of the shares of pairs."""
    rows = []
    for layer in LAYERS:
        found = []
        for document in documents:
            for head in range(9):
                shares = shares_of_pairs(Head(document / f"layer-{layer:02d}", head), 2048)
                found.append((shares.sum(), shares.max(), numpy.log(shares).std()))
        share, most, spread = numpy.mean(found, 0)
        rows.append({"layer": layer, "heads": len(found), "share": short(share),
                     "largest": short(most), "spread": short(spread)})
    return rows


def measure_width(documents):
    """Recall at b = 9 where theta moves the second wavelength past it."""
    rows, (stretch, share) = [], stretch_and_share(documents, 2, 1, 1, 128)
    for wavelength in (8.5, 8.7, 8.8, 8.9, 8.95, 8.98, 8.99, 9, 9.01, 9.02, 9.05, 9.1, 9.2, 9.3):
        recall = mean_recalls(documents, 2, 1,
                              lambda h, w=wavelength: h.with_theta(h.theta_of(w)), 128, [(9, 17)])
        theta = (wavelength / 2 / math.pi) ** 32
        rows.append({"wavelength": wavelength, "b": 9, "k_b": 17, "k": 128,
                     "drift": short(8192 / 9 * abs(9 / wavelength - 1)), "recall": short(recall[0]),
                     "wave model": short(wave_model(stretch, share, 128, 9, 17, theta)),
                     "stretch": stretch, "share": short(share)})
    return rows


def measure_pairs(documents):
    """Layer 22, head 1, k = 512: recall at b = 53 and beside it without one pair at a time."""
    shapes = [(b, -(-680 // b)) for b in (52, 53, 54, 106)]
    h = Head(documents[0] / "layer-22", 1)
    rows = []
    for pair in (None, 0, 1, 2, 3, 4, 5, 6, 7, 8):
        recalls = mean_recalls(
            documents, 22, 1,
            Head.as_it_is if pair is None else lambda h, p=pair: h.without_pair(p), 512, shapes)
        rows.append({"without": "none" if pair is None else pair,
                     "wavelength": "" if pair is None else short(h.wavelength(pair)),
                     "turns": "" if pair is None else short(53 / h.wavelength(pair)),
                     **{f"b = {b}": short(recall) for (b, _), recall in zip(shapes, recalls)}})
    return rows


def measure_windows(documents):
    """Loss over the model's where elements are shuffled within windows of a bucket each: what
    likeness along the row is worth, without any wave shorter than the window."""
    k, b, k_b = 256, 64, 4
    rows = []
    for layer in LAYERS:
        ratios = {}
        for document in documents:
            x = numpy.load(document / f"layer-{layer:02d}" / "logits.npy")
            x = x.reshape(-1, x.shape[-1])
            random = numpy.random.default_rng(1)
            for width in (1, b, 8 * b, x.shape[1]):
                order = random.permuted(
                    numpy.arange(x.shape[1]).reshape(-1, width), axis=1).ravel()
                found = Rows(x[:, order]).simulate(k, "--b", b, "--kb", k_b)[0]
                ratios.setdefault(width, []).append(
                    (1 - float(found["recall_mean"])) / (1 - float(found["model_recall"])))
        rows += [{"layer": layer, "k": k, "b": b, "k_b": k_b, "window": width,
                  "loss_ratio": short(numpy.mean(values))} for width, values in ratios.items()]
    return rows


PARTS = {"loss": measure_loss, "choices": measure_choices, "resonance": measure_resonance,
         "pairs": measure_pairs, "windows": measure_windows, "shares": measure_shares}
FILES = {"loss": "ours-real-rows/ours-real-rows.csv",
         "resonance": "ours-resonance/ours-resonance.csv"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tensors", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("-o", default="paper_figures", type=pathlib.Path, metavar="FOLDER")
    settings = parser.parse_args()
    documents = sorted(path.parent for path in settings.tensors.glob("*/document.json"))
    unknown = [part for part in settings.parts if part not in PARTS]
    if unknown or not documents:
        parser.error(f"{unknown[0]} is not one of {', '.join(PARTS)}" if unknown else
                     f"{settings.tensors} has no DOCUMENT/document.json; see make real-tensors")
    for part in settings.parts or PARTS:
        write(settings.o / FILES.get(part, f"ours-real-rows/{part}.csv"), PARTS[part](documents))


POOL = concurrent.futures.ThreadPoolExecutor(2)

if __name__ == "__main__":
    main()
