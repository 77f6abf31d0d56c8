#!/usr/bin/env python3
"""threshold_bin.py - how many elements of real rows lie in the bin of the k-th largest, which a
histogram kernel must sort.

    tools/real_tensors/threshold_bin.py build/real-tensors > threshold-bin.csv

A bin is the first 9 or 11 bits of the float16 of a value, sign first, in the order of the values.
The rows: the logits of the last positions over the vocabulary, and the attention logits of each
layer that was written. `over` is the share of rows with more than 3072 elements in the bin.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import pathlib
import sys

import numpy

BITS = 9, 11
KS = 64, 512, 2048
PLACES = 3072


def keys(values):
    """float16 as 16 bits in the order of the values."""
    bits = values.astype(numpy.float16).view(numpy.uint16)
    return numpy.where(bits >> 15, ~bits, bits | 0x8000).astype(numpy.uint16)


def in_bin(rows, k, bits):
    """Of each row: the elements in the bin of its k-th largest."""
    bins = keys(rows) >> (16 - bits)
    kth = numpy.partition(bins, bins.shape[1] - k, axis=1)[:, [bins.shape[1] - k]]
    return (bins == kth).sum(1)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    options.add_argument("folder", type=pathlib.Path)
    folder = options.parse_args().folder
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("document kind n k bits count mean most over".split())
    for path in sorted([*folder.glob("*/vocabulary.npy"), *folder.glob("*/layer-*/logits.npy")]):
        rows = numpy.load(path)
        rows = rows.reshape(-1, rows.shape[-1])
        document, kind = path.relative_to(folder).parts[:2]
        kind = kind.removesuffix(".npy")
        rows = numpy.where(numpy.isfinite(rows), rows, -numpy.inf)
        for k in KS:
            for bits in BITS:
                found = in_bin(rows, k, bits)
                out.writerow([document, kind, rows.shape[1], k, bits, len(rows),
                              f"{found.mean():.6g}", found.max(), f"{(found > PLACES).mean():.6g}"])


if __name__ == "__main__":
    main()
