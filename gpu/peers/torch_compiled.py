"""torch_compiled.py - a peer of bench.py: torch.topk by torch.compile, which takes seconds a shape.

SPDX-License-Identifier: Apache-2.0
"""
import torch
from torch_peers import returning


def peers():
    compiled = torch.compile(lambda x, k: torch.topk(x, k, sorted=False))
    return [returning("torch.topk-compiled", f"torch {torch.__version__}",
                      "torch.compile of torch.topk", compiled)]
