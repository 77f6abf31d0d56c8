"""_bench_torch.py - peers of _bench.py that need PyTorch: torch.topk, and what else is installed.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import functools
import importlib
import importlib.util

import _bench
from _bench import BF16, F16, F32, F64, I8, I32, peer, version

# PyTorch's, one of whole numbers of the same size, and its code.
TYPES = {F32: ("float32", "int32", "<i4"), F16: ("float16", "int16", "<i2"),
         BF16: ("bfloat16", "int16", "<i2"), F64: ("float64", "int64", "<i8"),
         I8: ("int8", "int8", "|i1"), I32: ("int32", "int32", "<i4")}
LONG = ("int64", "int64", "<i8")


def torch():
    """The module, which takes seconds to import: only what is asked for imports it."""
    return importlib.import_module("torch")


@functools.lru_cache(maxsize=None)
def on_host():
    """Is the memory of a call that of the host? So it is where a GPU is emulated."""
    return _bench.device == "cpu" or not torch().cuda.is_available()


class Memory:
    """Device memory as a tensor, without a copy."""

    def __init__(self, address, shape, code):
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": code, "version": 2}


def tensor_at(address, shape, kind, made={}):
    """The tensor of that shape and kind (a row of TYPES) at an address. Kept: a call is timed."""
    key = address, shape, kind[0]
    if key not in made:
        if len(made) > 300:
            made.clear()
        if on_host():
            whole = getattr(torch(), kind[1])
            count = shape[0] * shape[1] * whole.itemsize
            raw = torch().frombuffer((ctypes.c_byte * count).from_address(address), dtype=whole)
            raw = raw.view(shape)
        else:
            raw = torch().as_tensor(Memory(address, shape, kind[2]), device="cuda")
        made[key] = raw.view(getattr(torch(), kind[0]))
    return made[key]


def rows(call):
    return tensor_at(call.x, (call.m, call.n), TYPES[call.dtype])


def outputs(call):
    return (tensor_at(call.values, (call.m, call.k), TYPES[call.dtype]),
            tensor_at(call.indices, (call.m, call.k), LONG))


def on_stream(work):
    """work(call) as a function of (call, stream) that runs it on the stream."""
    streams = {}

    def run(call, stream):
        if on_host():
            work(call)
            return
        if stream not in streams:
            streams[stream] = torch().cuda.ExternalStream(stream)
        with torch().cuda.stream(streams[stream]):
            work(call)
    return run


def take_threads(call, stream):
    if call.threads:
        torch().set_num_threads(call.threads)


def torch_peer(name, package, source, run, needs="torch", **options):
    """A peer that PyTorch runs, on a CPU with the threads of the cell and for all types."""
    if _bench.device == "cpu":
        options.setdefault("dtypes", TYPES)
    return peer(name, package, source, on_stream(run), prepare=take_threads, needs=needs,
                **options)


def returning(name, package, source, function, **options):
    """A peer whose function (x, k) returns new tensors of values and indices."""
    last = []

    def run(call):
        last[:] = function(rows(call), call.k)

    def collect(call):
        for to, result in zip(outputs(call), last):
            to.copy_(result.view(to.shape))
    return torch_peer(name, package, source, run, collect=on_stream(collect), no_graph=True,
                      **options)


def of_package(name, package, module, function, **options):
    """The peer of a function of another package, in a list that is empty where there is none."""
    if not importlib.util.find_spec(module):
        return []
    return [returning(name, version(package), f"{module}.{function}",
                      lambda x, k: getattr(importlib.import_module(module), function)(x, k),
                      needs=module, **options)]


def peers():
    if not importlib.util.find_spec("torch"):
        raise ImportError("there is no torch")

    def topk(in_order):
        return lambda call: torch().topk(rows(call), call.k, sorted=in_order, out=outputs(call))

    def argmax(call):
        torch().max(rows(call), 1, keepdim=True, out=outputs(call))
    found = [
        torch_peer("torch.topk", version("torch"), "torch.topk", topk(True), sorted=True),
        torch_peer("torch.topk-unsorted", version("torch"), "torch.topk sorted=False", topk(False)),
        torch_peer("torch.max", version("torch"), "torch.max of dim 1", argmax, sorted=True,
                   refusal=lambda call: None if call.k == 1 else "torch.max has k = 1 alone")]
    if _bench.device == "gpu":
        found += of_package("flashinfer.top_k", "flashinfer-python", "flashinfer", "top_k")
        found += of_package("rcm.topk", "recallmodel", "recallmodel", "topk", sorted=True)
    return found
