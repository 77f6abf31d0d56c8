#!/usr/bin/env python3
"""sample_failures.py - how often the sample of `radix` misleads it (docs/gpu.md 4).

    tools/sample_failures.py [--rows 600] [--seeds 8] [-o FILE] [LOGITS.npy ..]

Draws samples from rows of many kinds, and from those of the files (float32, the last axis is the
row), by the rule as sim/threshold_sample.c states it. Prints CSV: how often fewer than k elements
reached the threshold, and more than the list holds lay above it, with one try and with two.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import ctypes
import math
import pathlib
import sys

import numpy

BUILD = pathlib.Path(__file__).parents[1] / "build"
SIM = ctypes.CDLL(max(BUILD.glob("librecallmodel-sim.so.*")))
FEW, MANY = 10.31, 6.0  # RCM_GPU_SAMPLE_FEW and RCM_GPU_SAMPLE_MANY
IID, AR1, SORTED = 2, 3, 7  # enum sim_input
GRID = {16384: (512,), 65536: (256, 1024, 2048), 131072: (2048,), 262144: (1024,), 1 << 20: (100,)}
COLUMNS = ("rows", "n", "k", "type", "piece", "sample", "rank", "most", "draws", "above_mean",
           "few_1", "few_2", "many_1", "many_2")
LARGE_MOST = 1 << 18  # rows that are longer: a fifth as many
# elements of 4 and 2 bytes; of 2 bytes in pieces of 16 bytes and of 8
SAMPLES = [(kind, piece, size) for kind, piece in (("f32", 4), ("f16", 8), ("f16", 4))
           for size in (2048, 4096)]


class Sample(ctypes.Structure):
    _fields_ = [("log2_pieces", ctypes.c_uint), ("piece", ctypes.c_uint)]


class Rope(ctypes.Structure):
    _fields_ = [("theta", ctypes.c_double), ("head_dim", ctypes.c_uint), ("share", ctypes.c_double),
                ("spread", ctypes.c_double), ("weight", ctypes.c_void_p),
                ("weights", ctypes.c_size_t)]


SIM.sim_sample_rank.restype = SIM.sim_sample_most.restype = ctypes.c_double
SIM.sim_sample_seed.restype = ctypes.c_uint32
SIM.sim_sample_threshold.restype = ctypes.c_uint64


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def generated(function, n, row, *arguments):
    x, words = numpy.empty(n), numpy.empty(n + 1, dtype=numpy.uint64)
    function(*arguments, ctypes.c_uint64(60), ctypes.c_uint64(row), pointer(x), ctypes.c_size_t(n),
             pointer(words))
    return x


def of_input(kind, rho=0.0):
    return lambda n, row: generated(SIM.row_generate, n, row, kind, ctypes.c_double(rho))


def of_rope(share):
    rope = Rope(10000.0, 128, share, 1.1, None, 0)
    return lambda n, row: generated(SIM.rope_generate, n, row, ctypes.byref(rope))


normals = of_input(IID)


def padded(n, row):
    x = normals(n, row)
    x[n // 4:] = -math.inf
    return x


KINDS = {"independent": normals,
         "ar .9": of_input(AR1, 0.9),
         "ar .99": of_input(AR1, 0.99),
         "rope .15": of_rope(0.15),  # share of the variance that is waves
         "rope .99": of_rope(0.99),
         "equal 32s": lambda n, row: numpy.repeat(normals(n // 32, row), 32),
         "relu": lambda n, row: numpy.maximum(normals(n, row), 0.0),
         "eight bits": lambda n, row: numpy.rint(normals(n, row) * 32.0),
         "rising": lambda n, row: of_input(SORTED)(n, row) / n,
         "padded": padded}


def keys_of(x):
    """As sim/selection/key.h has them, without NaN."""
    bits = (x + 0.0).view(numpy.uint64)
    sign = numpy.uint64(1 << 63)
    return numpy.where(bits & sign, ~bits, bits | sign)


class Tally:
    """What the samples of the rows of one kind did."""

    def __init__(self, n, k, piece, size):
        self.sample = Sample((size // piece).bit_length() - 1, piece)
        numbers = ctypes.c_double(n), ctypes.c_double(k)
        self.k, rank = k, SIM.sim_sample_rank(self.sample, *numbers, ctypes.c_double(FEW))
        self.rank, self.most = int(rank), int(SIM.sim_sample_most(
            self.sample, numbers[0], ctypes.c_double(rank), ctypes.c_double(MANY)))
        self.draws, self.listed, self.faults = 0, 0, dict.fromkeys(COLUMNS[-4:], 0)
        self.scratch = numpy.empty(2 * size, dtype=numpy.uint64)

    def attempt(self, keys, largest, before, seed):
        threshold = numpy.uint64(SIM.sim_sample_threshold(
            self.sample, self.rank, seed, pointer(keys), ctypes.c_size_t(keys.size),
            ctypes.c_size_t(before), pointer(self.scratch),
            pointer(numpy.empty(self.scratch.size // 2, dtype=numpy.uint32))))
        reach, above = (largest.size - int(numpy.searchsorted(largest, threshold, side))
                        for side in ("left", "right"))
        self.listed += above
        return "few" if reach < self.k else "many" if above > self.most else ""

    def add(self, keys, largest, row, seeds):
        for call in range(seeds):
            self.draws += 1
            for attempt in range(2):
                fault = self.attempt(keys, largest, row % self.sample.piece,
                                     SIM.sim_sample_seed(call, ctypes.c_uint64(row), attempt))
                if not fault:
                    break
                self.faults[f"{fault}_{attempt + 1}"] += 1


def tallied(name, n, ks, rows, seeds):
    """The CSV rows of a kind; `rows` are arrays of float64."""
    tallies = {(k, *sample): Tally(n, k, *sample[1:]) for k in ks for sample in SAMPLES
               if n >= 2 * sample[2]}
    seen = min(n - 1, 2 * max(tally.most for tally in tallies.values()))
    for row, x in enumerate(rows):
        for kind, to in (("f32", numpy.float32), ("f16", numpy.float16)):
            with numpy.errstate(over="ignore"):
                keys = keys_of(x.astype(to).astype(numpy.float64))
            largest = numpy.sort(numpy.partition(keys, n - seen)[n - seen:])
            for (_, of_kind, *_), tally in tallies.items():
                if of_kind == kind:
                    tally.add(keys, largest, row, seeds)
    for (k, kind, piece, size), tally in tallies.items():
        yield {"rows": name, "n": n, "k": k, "type": kind, "piece": piece, "sample": size,
               "rank": tally.rank, "most": tally.most, "draws": tally.draws,
               "above_mean": f"{tally.listed / tally.draws:.0f}", **tally.faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=600, help="rows of each kind (600)")
    parser.add_argument("--seeds", type=int, default=8, help="samples of each row (8)")
    parser.add_argument("-o", "--output", type=argparse.FileType("w"), default=sys.stdout)
    parser.add_argument("logits", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    writer = csv.DictWriter(options.output, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for path in options.logits:
        x = numpy.load(path)
        x = x.reshape(-1, x.shape[-1])[:options.rows]
        writer.writerows(tallied("/".join(path.parts[-3:]), x.shape[1], (256, 1024),
                                 (row.astype(numpy.float64) for row in x), options.seeds))
    for n, ks in GRID.items():
        rows = options.rows if n <= LARGE_MOST else max(1, options.rows // 5)
        for name, generate in KINDS.items():
            writer.writerows(tallied(name, n, ks, (generate(n, row) for row in range(rows)),
                                     options.seeds))
            options.output.flush()


if __name__ == "__main__":
    main()
