#!/usr/bin/env python3
"""The k best of 8 shards of faiss: with full k from each, and with k_i and the proof.

    build/peers/requirements/bin/python tools/peers/faiss_shards.py [--n N] [--d D] [--k K] [--hnsw]

The same shards are asked for k, and faiss.merge_knn_results merges; and for what recallmodel.parts
says, and recallmodel.merge_parts merges and proves, with a second round where it cannot. It prints
the elements that move, the CPU time of one thread, and whether the results are the same. --hnsw:
graphs in place of flat indexes, which search as widely whatever they return (efSearch = 2 k).
Needs faiss (make peers) and the Python module (make).
"""
import argparse
import pathlib
import sys
import time

import faiss
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import recallmodel as rcm  # noqa: E402

SHARDS = 8


def seconds_of(work, rounds=7):
    """The median CPU time of a call, and what it returned."""
    took = []
    for _ in range(rounds):
        start = time.thread_time()
        result = work()
        took.append(time.thread_time() - start)
    return sorted(took)[rounds // 2], result


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, value in (("n", 200000), ("d", 16), ("k", 2048), ("queries", 64)):
        options.add_argument(f"--{name}", type=int, default=value)
    options.add_argument("--hnsw", action="store_true")
    given = options.parse_args()
    faiss.omp_set_num_threads(1)
    rng = numpy.random.default_rng(1)
    vectors = rng.standard_normal((given.n, given.d), dtype=numpy.float32)
    queries = rng.standard_normal((given.queries, given.d), dtype=numpy.float32)
    shards = []
    for r in range(SHARDS):  # dealt out one by one
        shard = (faiss.IndexHNSWFlat(given.d, 16, faiss.METRIC_INNER_PRODUCT) if given.hnsw
                 else faiss.IndexFlatIP(given.d))
        if given.hnsw:
            shard.hnsw.efSearch = 2 * given.k
        shard.add(vectors[r::SHARDS])
        shards.append(shard)

    def ask(queries, count):
        found = [shard.search(queries, count) for shard in shards]
        return [v for v, _ in found], [i * SHARDS + r for r, (_, i) in enumerate(found)]

    plan = rcm.parts(given.n, given.k, parts=SHARDS)
    send = int(plan.k_parts[0])
    search_full, (values, ids) = seconds_of(lambda: ask(queries, given.k), 3)
    stacked, places = numpy.stack(values), numpy.stack(ids)
    faiss_merge, full = seconds_of(
        lambda: faiss.merge_knn_results(stacked, places, keep_max=True))
    search_few, few = seconds_of(lambda: ask(queries, send), 3)
    merge_few, merged = seconds_of(lambda: rcm.merge_parts(*few, given.k))
    again = merged.unproved.any(axis=1)
    if again.any():
        more = rcm.merge_parts(*ask(queries[again], given.k), given.k)
        merged.values[again], merged.indices[again] = more.values, more.indices
    same = ((merged.values == full[0]).all()
            and (numpy.sort(merged.indices, 1) == numpy.sort(full[1], 1)).all())
    moved = SHARDS * (send * given.queries + given.k * int(again.sum()))
    print(f"faiss {faiss.__version__}, {SHARDS} shards, n = {given.n}, d = {given.d}, "
          f"k = {given.k}, {given.queries} queries, {'HNSW' if given.hnsw else 'flat'}")
    print(f"full k:   {SHARDS * given.k * given.queries} elements, search {1e3 * search_full:.1f} "
          f"ms, merge {1e3 * faiss_merge:.2f} ms (faiss.merge_knn_results)")
    print(f"{send} each: {moved} elements, search {1e3 * search_few:.1f} ms, merge and proof "
          f"{1e3 * merge_few:.2f} ms; second round {int(again.sum())} of {given.queries}, "
          f"{plan.probability_unproved * given.queries:.2f} expected")
    print(f"times fewer: {SHARDS * given.k * given.queries / moved:.2f}; merge "
          f"{faiss_merge / merge_few:.2f} times as fast; the same results: {bool(same)}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
