"""One worker of time_peers.py: top-k of the Python libraries of its environment, timed on request.

    worker.py FILE N    FILE: float32 values, rows of N elements

A request is a line CONTENDER K REPEATS. Calls take turns among the rows. The answer is the
microseconds of one call, and the sum of the values that are selected of the first row, in order.
LIST names the contenders and their versions, a tab between. A library that is not there has none.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import itertools
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import numpy as np  # noqa: E402  (the variables come first)

CONTENDERS = {}  # name: (version, the function that makes run(k) for a row)


def contender(name, version):
    def add(make):
        CONTENDERS[name] = (version, make)
        return make
    return add


@contender("numpy.argpartition", "numpy " + np.__version__)
def argpartition(row):
    def run(k):
        best = np.argpartition(row, row.size - k)[row.size - k:]
        return row[best], best
    return run


@contender("numpy.partition", "numpy " + np.__version__)
def partition(row):
    """Values alone."""
    def run(k):
        return np.partition(row, row.size - k)[row.size - k:], None
    return run


try:
    import torch
except ImportError:
    torch = None

if torch:
    torch.set_num_threads(1)

    def torch_topk(row, in_order):
        tensor = torch.from_numpy(row)

        def run(k):
            values, indices = torch.topk(tensor, k, sorted=in_order)
            return values.numpy(), indices
        return run

    contender("torch.topk", "torch " + torch.__version__)(lambda row: torch_topk(row, False))
    contender("torch.topk-sorted", "torch " + torch.__version__)(lambda row: torch_topk(row, True))

try:
    import jax
except ImportError:
    jax = None

if jax:
    @functools.cache
    def compiled(select, k):
        return jax.jit(functools.partial(select, k=k))

    def of_jax(select, row):
        held = jax.device_put(row)

        def run(k):
            return jax.block_until_ready(compiled(select, k)(held))
        return run

    contender("jax.lax.top_k", "jax " + jax.__version__)(functools.partial(of_jax, jax.lax.top_k))
    approx_max_k = functools.partial(jax.lax.approx_max_k, recall_target=0.95)
    contender("jax.lax.approx_max_k-0.95", "jax " + jax.__version__)(
        functools.partial(of_jax, approx_max_k))

try:
    import faiss
except ImportError:
    faiss = None

if faiss:
    faiss.omp_set_num_threads(1)

    @contender("faiss-heap", "faiss " + faiss.__version__)
    def heap(row):
        def run(k):
            values = np.empty(k, np.float32)
            ids = np.empty(k, np.int64)
            held = faiss.float_minheap_array_t()
            held.nh, held.k = 1, k
            held.val, held.ids = faiss.swig_ptr(values), faiss.swig_ptr(ids)
            held.heapify()
            held.addn(row.size, faiss.swig_ptr(row))
            return values, ids
        return run

    @contender("faiss-reservoir", "faiss " + faiss.__version__)
    def reservoir(row):
        """Through knn: inner products of vectors of one component with 1."""
        database, query = row.reshape(-1, 1), np.ones((1, 1), np.float32)

        def run(k):
            before = faiss.cvar.distance_compute_min_k_reservoir
            faiss.cvar.distance_compute_min_k_reservoir = 1
            values, ids = faiss.knn(query, database, k, faiss.METRIC_INNER_PRODUCT)
            faiss.cvar.distance_compute_min_k_reservoir = before
            return values[0], ids[0]
        return run

    def approximate(mode, row):
        """The smallest of the negated row: it takes distances."""
        negated = -row

        def run(k):
            values = np.full(k, np.finfo(np.float32).max, np.float32)
            ids = np.full(k, -1, np.int32)
            faiss.approx_topk_by_mode(mode, 1, row.size, faiss.swig_ptr(negated), k,
                                      faiss.swig_ptr(values), faiss.swig_ptr(ids))
            return -values, ids
        return run

    if hasattr(faiss, "approx_topk_by_mode"):
        for mode_name in ("B8_D3", "B32_D2"):
            contender(f"faiss-approximate-{mode_name}", "faiss " + faiss.__version__)(
                functools.partial(approximate, getattr(faiss, "APPROX_TOPK_BUCKETS_" + mode_name)))


def answer(runs, k, repeats):
    turns = list(itertools.islice(itertools.cycle(runs), repeats))
    begin = time.perf_counter()
    for run in turns:
        run(k)
    time_us = 1e6 * (time.perf_counter() - begin) / repeats
    values = np.sort(np.asarray(runs[0](k)[0], np.float64))
    return f"{time_us!r} {float(sum(values.tolist()))!r}"


def main():
    rows = np.fromfile(sys.argv[1], np.float32).reshape(-1, int(sys.argv[2]))
    runs = {}
    for line in sys.stdin:
        words = line.split()
        if words == ["LIST"]:
            for name, (version, _) in CONTENDERS.items():
                print(f"{name}\t{version}")
            print("END", flush=True)
            continue
        name, k, repeats = words[0], int(words[1]), int(words[2])
        if name not in runs:
            runs[name] = [CONTENDERS[name][1](row) for row in rows]
        print(answer(runs[name], k, repeats), flush=True)


if __name__ == "__main__":
    main()
