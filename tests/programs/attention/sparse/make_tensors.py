"""Writes the small tensors of test_sparse_*.sh, of the golden files and of docs/sparse.md.

    python3 tests/programs/attention/sparse/make_tensors.py [FOLDER]

Two heads of 256 keys, two query heads on each, the queries of the last eight positions, float16.
Keys lie in eight clusters, queries point to one or two of them, and key 0 is a sink.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import sys

import numpy

KEY_HEADS, GROUP, N, N_Q, D, D_V = 2, 2, 256, 8, 8, 4


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    normal = numpy.random.default_rng(16).standard_normal
    centres = 2.0 * normal((KEY_HEADS, 8, D))
    keys = centres[:, numpy.arange(N) * 5 % 8] + 0.7 * normal((KEY_HEADS, N, D))
    towards = numpy.repeat(centres[:, 2:6].reshape(KEY_HEADS, GROUP, 2, D), N_Q // 2, axis=2)
    queries = towards.reshape(KEY_HEADS * GROUP, N_Q, D) + normal((KEY_HEADS * GROUP, N_Q, D))
    keys[:, 0] = 2.0 * centres.mean(axis=1) + centres[:, 3]
    values = normal((KEY_HEADS, N, D_V))
    for name, array in (("queries", queries), ("keys", keys), ("values", values)):
        numpy.save(folder / f"{name}.npy", array.astype(numpy.float16))


main()
