#!/usr/bin/env python3
"""quantised.py - what top-k of products of quantised queries and keys has of the exact top-k, on
real tensors and by the model.

    PYTHONPATH=python tools/real_tensors/quantised.py build/real-tensors > quantised.csv

For each format, layer and k: the mean over documents, heads and queries of the share kept by exact
top-k of the products, and by interleaved buckets with the smallest b that keeps .95 by the model;
beside them what recallmodel.quantised_recall says of both. The tensors are those of `make
real-tensors`, after RoPE; keys behind a query are left out. Shares nothing with the library but the
two calls.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import pathlib
import sys

import numpy
import recallmodel

KS = [64, 256, 1024]
K_B = 2
BLOCKS = {"nvfp4": 16, "mxfp4": 32}


def to_float(x, fraction_bits, least, largest):
    """The nearest number, ties to even; `least` is the exponent of the smallest normal numbers."""
    exponent = numpy.maximum(numpy.frexp(x)[1] - 1, least)
    unit = numpy.ldexp(1.0, exponent - fraction_bits)
    return numpy.clip(numpy.rint(x / unit) * unit, -largest, largest)


def e4m3(x):
    return to_float(x, 3, -6, 448.0)


NUMBERS = {"f8e4m3": (448.0, e4m3), "f8e5m2": (57344.0, lambda x: to_float(x, 2, -14, 57344.0)),
           "int8": (127.0, numpy.rint), "nvfp4": (6.0, lambda x: to_float(x, 1, 0, 6.0)),
           "mxfp4": (6.0, lambda x: to_float(x, 1, 0, 6.0))}


def store(stored, x):
    """Rows of vectors, as the format `stored` keeps them."""
    largest, number = NUMBERS[stored]
    blocks = x.reshape(len(x), -1, BLOCKS.get(stored, x.shape[1]))
    most = numpy.abs(blocks).max(2, keepdims=True)
    if stored == "mxfp4":
        scale = numpy.exp2(numpy.floor(numpy.log2(most)) - 2)
    elif stored == "nvfp4":
        tensor = most.max() / (448 * 6)
        scale = e4m3(most / 6 / tensor) * tensor
    else:
        scale = most / largest
    return (scale * number(blocks / scale)).reshape(x.shape)


def top(rows, k):
    mask = numpy.zeros(rows.shape, bool)
    numpy.put_along_axis(mask, numpy.argpartition(-rows, k - 1, axis=1)[:, :k], True, 1)
    return mask


def of_buckets(rows, b):
    """All but the K_B largest of each interleaved bucket are -inf."""
    padded = numpy.full((len(rows), -(-rows.shape[1] // b) * b), -numpy.inf)
    padded[:, :rows.shape[1]] = rows
    buckets = padded.reshape(len(rows), -1, b)
    least = -numpy.partition(-buckets, K_B - 1, axis=1)[:, K_B - 1:K_B]
    return numpy.where(buckets >= least, buckets, -numpy.inf).reshape(padded.shape)[:,
                                                                                    :rows.shape[1]]


def heads(folder):
    """Queries and keys of each head of a layer, and which keys are behind a query."""
    keys, queries = (numpy.load(folder / f"{name}.npy").astype(float)
                     for name in ("keys", "queries"))
    n, n_q = keys.shape[1], queries.shape[1]
    behind = numpy.arange(n) > n - n_q + numpy.arange(n_q)[:, None]
    each = len(queries) // len(keys)
    for head, query in enumerate(queries):
        yield query, keys[head // each], behind


def measure(folder, sums):
    for query, key, behind in heads(folder):
        exact = numpy.where(behind, -numpy.inf, query @ key.T)
        tops = {k: top(exact, k) for k in KS}
        for stored in NUMBERS:
            scores = numpy.where(behind, -numpy.inf, store(stored, query) @ store(stored, key).T)
            for k in KS:
                b = recallmodel.smallest_b(len(key), k, K_B, 0.95)
                at = sums.setdefault((stored, folder.name, k, len(key), key.shape[1], b), [])
                at.append(((tops[k] & top(scores, k)).sum(1).mean() / k,
                           (tops[k] & top(of_buckets(scores, b), k)).sum(1).mean() / k))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path, help="what `make real-tensors` wrote")
    folder = parser.parse_args().folder
    layers = sorted(folder.glob("*/layer-*"))
    if not layers:
        parser.error(f"{folder} has no layers; give the folder that `make real-tensors` wrote")
    sums = {}
    for layer in layers:
        measure(layer, sums)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["stored", "layer", "k", "n", "d", "b", "k_b", "kept", "kept_model",
                  "kept_buckets", "kept_buckets_model"])
    for (stored, layer, k, n, d, b), means in sorted(sums.items()):
        all_kept, buckets = numpy.mean(means, axis=0)
        model = [recallmodel.quantised_recall(n, k, stored, d=d),
                 recallmodel.quantised_recall(n, k, stored, d=d, b=b, k_b=K_B)]
        out.writerow([stored, layer.removeprefix("layer-"), k, n, d, b, K_B, f"{all_kept:.4f}",
                      f"{model[0]:.4f}", f"{buckets:.4f}", f"{model[1]:.4f}"])


if __name__ == "__main__":
    main()
