"""The installed module against known values; run by deliver/packaging/test_wheel.sh.

    module.py PLACE ROWS: the folder that the module must lie in, and where rows are written as .npy
"""
import sys

import numpy

import recallmodel as rcm
from recallmodel import _openblas

place, rows_file = sys.argv[1:]
assert rcm.__file__.startswith(place), rcm.__file__
assert f"{rcm.recall(262144, 1024, b=512, k_b=4):.6f}" == "0.962957"
choice = rcm.select(131072, 2048, 0.95, m=64, profile="H100-PCIe")
assert (choice.verdict, choice.contenders[0].name, choice.b, choice.k_b) == (
    "exact", "recallmodel", 2048, 3)
assert rcm.topk(numpy.array([2.5, 4.5, 3.5]), 2).indices.tolist() == [1, 2]
assert len(rcm.read_runs("keyetal/two-stage")["n"]) == 1932

rows = numpy.random.default_rng(1).standard_normal((64, 8192), dtype="float32")
numpy.save(rows_file, rows)
assert abs(rcm.simulate(rows, 512, b=256, k_b=4).recall_mean - 0.96850586) < 1e-8

# Attention in NumPy, key by key: budget 1 reads all.
q, k, v = numpy.random.default_rng(2).standard_normal((3, 2, 300, 16), dtype="float32")
logits = numpy.einsum("hqd,hkd->hqk", q[:, -10:], k) / 4
for i in range(10):
    logits[:, i, 300 - 10 + i + 1:] = -numpy.inf
weights = numpy.exp(logits - logits.max(axis=2, keepdims=True))
want = numpy.einsum("hqk,hkd->hqd", weights / weights.sum(axis=2, keepdims=True), v)
# NumPy keeps its threads, also where its OpenBLAS is the one that is used.
threads = _openblas._threads()
before = threads[0]() if threads else None
got = rcm.sparse_attention(q[:, -10:], k, v, "topk", budget=1.0, sink=0, window=1).output
assert numpy.abs(got - want).max() < 1e-5, numpy.abs(got - want).max()
assert threads is None or threads[0]() == before
print("module", rcm.__version__, "numpy", numpy.__version__, "python", sys.version.split()[0])
