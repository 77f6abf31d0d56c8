"""torch_peers.py - peers of bench.py that need PyTorch: torch.topk, and what else is installed.

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import importlib.metadata

import torch
from bench import BF16, F16, F32, peer

TYPES = {F32: (torch.float32, torch.int32, "<i4"), F16: (torch.float16, torch.int16, "<i2"),
         BF16: (torch.bfloat16, torch.int16, "<i2")}
LONG = (torch.int64, torch.int64, "<i8")
EMULATED = not torch.cuda.is_available()  # then device memory is memory of the host


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
        if EMULATED:
            import ctypes
            count = shape[0] * shape[1] * kind[1].itemsize
            raw = torch.frombuffer((ctypes.c_byte * count).from_address(address), dtype=kind[1])
            raw = raw.view(shape)
        else:
            raw = torch.as_tensor(Memory(address, shape, kind[2]), device="cuda")
        made[key] = raw.view(kind[0])
    return made[key]


def rows(call):
    return tensor_at(call.x, (call.m, call.n), TYPES[call.dtype])


def outputs(call):
    return (tensor_at(call.values, (call.m, call.k), TYPES[call.dtype]),
            tensor_at(call.indices, (call.m, call.k), LONG))


def on_stream(work):
    """work(call) as a function of (call, stream) that runs it on the stream."""
    if EMULATED:
        return lambda call, stream: work(call)
    streams = {}

    def run(call, stream):
        if stream not in streams:
            streams[stream] = torch.cuda.ExternalStream(stream)
        with torch.cuda.stream(streams[stream]):
            work(call)
    return run


def returning(name, package, source, function, **options):
    """A peer whose function (x, k) returns new tensors of values and indices."""
    last = []

    def run(call):
        last[:] = function(rows(call), call.k)

    def collect(call):
        for to, result in zip(outputs(call), last):
            to.copy_(result.view(to.shape))
    return peer(name, package, source, on_stream(run), collect=on_stream(collect), no_graph=True,
                **options)


def installed():
    """Peers of other packages, of those that are here: (package, module, how to make it)."""
    def flashinfer(module):
        return returning("flashinfer.top_k", version("flashinfer-python"), "flashinfer.top_k",
                         module.top_k)

    def recallmodel(module):
        return returning("rcm.topk", version("recallmodel"), "recallmodel.topk", module.topk,
                         sorted=True)

    for name, make in (("flashinfer", flashinfer), ("recallmodel", recallmodel)):
        try:
            yield make(importlib.import_module(name))
        except (ImportError, AttributeError, OSError) as error:
            import sys
            print(f"torch_peers.py: {name} is left out: {str(error).splitlines()[0]}",
                  file=sys.stderr)


def version(package):
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return package


def peers():
    torch_version = f"torch {torch.__version__}"

    def topk(in_order):
        return on_stream(
            lambda call: torch.topk(rows(call), call.k, sorted=in_order, out=outputs(call)))

    def argmax(call):
        torch.max(rows(call), 1, keepdim=True, out=outputs(call))
    return [
        peer("torch.topk", torch_version, "torch.topk", topk(True), sorted=True),
        peer("torch.topk-unsorted", torch_version, "torch.topk sorted=False", topk(False)),
        peer("torch.max", torch_version, "torch.max of dim 1", on_stream(argmax), sorted=True,
             refusal=lambda call: None if call.k == 1 else "torch.max has k = 1 alone"),
        *installed(),
    ]
