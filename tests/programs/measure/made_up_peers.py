"""Peers for test_gpu_plan.sh, in NumPy over the emulated device: one is right, the others have a
fault each. They stand in for recallmodel/_bench_torch.py.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import signal
import time

import numpy
from _bench import F32, peer

TYPES = {"<f4": ctypes.c_float, "<i4": ctypes.c_int32, "<i8": ctypes.c_int64}


def array(address, shape, code):
    kind = ctypes.POINTER(TYPES[code])
    return numpy.ctypeslib.as_array(ctypes.cast(address, kind), shape)


def select(call, code="<i8"):
    x = array(call.x, (call.m, call.n), "<f4")
    best = numpy.argsort(-x, axis=1, kind="stable")[:, :call.k]
    array(call.indices, best.shape, code)[:] = best
    array(call.values, best.shape, "<f4")[:] = numpy.take_along_axis(x, best, 1)


def right(call, stream):
    select(call)


def indices_alone(call, stream):
    select(call, "<i4")
    array(call.values, (call.m, call.k), "<f4")[:] = 7.0  # not what it gives


def one_row_wrong(call, stream):
    select(call)
    x = array(call.x, (call.m, call.n), "<f4")
    array(call.indices, (call.m, call.k), "<i8")[0, 0] = worst = x[0].argmin()
    array(call.values, (call.m, call.k), "<f4")[0, 0] = x[0, worst]


def raises(call, stream):
    raise RuntimeError("this peer has a fault")


def ends(call, stream):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(call, stream):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)


def elsewhere(call, stream):
    elsewhere.last = array(call.x, (call.m, call.n), "<f4").copy()


def collect(call, stream):
    best = numpy.argsort(-elsewhere.last, axis=1, kind="stable")[:, :call.k]
    array(call.indices, best.shape, "<i8")[:] = best
    array(call.values, best.shape, "<f4")[:] = numpy.take_along_axis(elsewhere.last, best, 1)


def peers():
    def of(name, run, **options):
        return peer(name, "test 1.0", name, run, dtypes=(F32,), **options)
    return [
        peer("torch.topk", "test 1.0", "torch.topk", right, sorted=True),
        of("torch.max", right, refusal=lambda call: None if call.k == 1 else "k must be 1"),
        of("indices-alone", indices_alone, index_bytes=4, no_values=True),
        of("one-row-wrong", one_row_wrong),
        of("elsewhere", elsewhere, collect=collect, no_graph=True),
        *([of("raises", raises)] if "raises" in os.environ.get("FAULTS", "") else []),
        *([of("ends", ends)] if "ends" in os.environ.get("FAULTS", "") else []),
        *([of("hangs", hangs)] if "hangs" in os.environ.get("FAULTS", "") else []),
    ]
