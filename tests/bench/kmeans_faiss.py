"""Seconds of one iteration of faiss's k-means on random keys, one thread: kmeans_faiss.py N D C.

Two runs, of one and of three iterations; the difference is that of two iterations. CPU seconds,
because the machine may be shared. Without faiss (PyPI: faiss-cpu) it exits with status 3.

SPDX-License-Identifier: Apache-2.0
"""

import sys
import time

try:
    import faiss
    import numpy as np
except ImportError:
    sys.exit(3)

n, d, clusters = (int(text) for text in sys.argv[1:])
faiss.omp_set_num_threads(1)
keys = np.random.default_rng(1).random((n, d), dtype=np.float32)


def seconds_of(iterations):
    kmeans = faiss.Kmeans(d, clusters, niter=iterations, max_points_per_centroid=n, seed=1)
    start = time.process_time()
    kmeans.train(keys)
    return time.process_time() - start


print((seconds_of(3) - seconds_of(1)) / 2)
