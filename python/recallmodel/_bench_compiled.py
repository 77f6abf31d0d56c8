"""_bench_compiled.py - a peer of _bench.py: torch.topk by torch.compile: seconds a shape.

SPDX-License-Identifier: Apache-2.0
"""
import functools

from _bench import version
from _bench_torch import returning, torch


@functools.lru_cache(maxsize=None)
def compiled():
    return torch().compile(lambda x, k: torch().topk(x, k, sorted=False))


def peers():
    return [returning("torch.topk-compiled", version("torch"), "torch.compile of torch.topk",
                      lambda x, k: compiled()(x, k))]
