"""Calls of librecallmodel-topk."""
import itertools
import threading

import numpy

from . import _library as lib
from ._library import ffi, model, text_of

# Rows that one call of the library cannot describe are read in pieces, but copied if a piece has
# fewer elements than this: then copying costs less than a call for each piece.
PIECE_LEAST = 4096
KEPT_MOST = 1 << 20  # a thread keeps its workspace for the next call up to this size, in bytes
CALL = ffi.typeof("struct rcm_top_k_call *")
new = ffi.new  # looked up once


def check(status):
    """ValueError if a status of the library is an error. The caller has checked the shape."""
    if status != 0:
        raise ValueError(f"librecallmodel-topk: {text_of(lib.topk().rcm_top_k_message(status))}")


def call_of(type, n, k, way, largest, sorted, wide, threads):
    """struct rcm_top_k_call without the rows and the outputs."""
    call = ffi.new(CALL)
    rows = call.rows
    rows.n, rows.type, rows.smallest, call.k = n, type, not largest, k
    call.method, call.b, call.k_b, call.assignment, _ = way
    call.sorted, call.wide, call.threads = bool(sorted), wide, threads
    return call


def address_of(array):
    """Where the elements lie. (array.ctypes.data takes three times as long.)"""
    return array.__array_interface__["data"][0]


class _Kept(threading.local):
    """What each thread keeps: its workspace, at a multiple of 64, and the function of C."""

    def __init__(self):
        self.at, self.room, self.memory = _memory(1 << 16)
        self.top_k = lib.topk().rcm_top_k


def _memory(size):
    try:
        memory = numpy.empty(size + 63, numpy.uint8)
    except MemoryError:
        raise MemoryError(f"top-k of these rows needs {size / 1e9:.3g} GB beside x and the results;"
                          f" give threads=1, a smaller k or shorter rows") from None
    at = ffi.cast("char *", -(-address_of(memory) // 64) * 64)
    return at, size, memory


_kept = _Kept()


def start(call):
    """Calls the library, with more workspace if it says that this is too small."""
    status = _kept.top_k(call, _kept.at, _kept.room)
    if status == 0:
        return
    if status == model.RCM_TOP_K_BAD_WORKSPACE:
        size = ffi.new("size_t *")
        check(lib.topk().rcm_top_k_workspace(call, size))
        at, room, memory = _memory(size[0])
        if room <= KEPT_MOST:
            _kept.at, _kept.room, _kept.memory = at, room, memory
        status = _kept.top_k(call, at, room)
        del memory  # until here C writes there
    check(status)


def merge(call):
    """Merges what parts of rows sent. Returns the status: one position may stand twice."""
    size, unproved_rows = ffi.new("size_t *"), ffi.new("uint64_t *")
    check(lib.topk().rcm_top_k_merge_workspace(call, size))
    at, room, memory = _memory(size[0])
    status = lib.topk().rcm_top_k_merge(call, at, room, unproved_rows)
    del memory  # until here C writes there
    return status


def run_whole(same, x, values, indices):
    """Calls the library for contiguous rows, from pointers; all else is as in the call `same`."""
    call = new(CALL, same)
    call.rows.x, call.values, call.indices = x, values, indices
    start(call)


def pieces(shape, strides, axis):
    """How the library reads an array: (m, row_stride, stride, outer), in elements; None: copy it.

    m rows are one call. outer: the lengths and strides of the leading axes that it does not cover.
    """
    n, stride = shape[axis], strides[axis]
    if stride == 0 and n > 1:
        return None
    outer = [(length, step) for i, (length, step) in enumerate(zip(shape, strides))
             if i != axis and length != 1]
    m, row_stride = 1, 0
    while outer and outer[-1][1] != 0 and (m == 1 or outer[-1][1] == m * row_stride):
        length, step = outer.pop()
        m, row_stride = m * length, step if m == 1 else row_stride
    if outer and m * n < PIECE_LEAST:
        return None
    return m, row_stride, stride if n > 1 else 1, outer


def run(call, item, address, m, row_stride, stride, outer, values, indices):
    """Calls the library for each piece of the rows. item: the bytes of an element. address, values,
    indices: addresses."""
    rows, cast = call.rows, ffi.cast
    rows.m, rows.row_stride, rows.stride = m, row_stride, stride
    for place in itertools.product(*(range(length) for length, _ in outer)) if outer else ((),):
        shift = sum(i * step for i, (_, step) in zip(place, outer)) if outer else 0
        rows.x = cast("void *", address + item * shift)
        call.values, call.indices = cast("void *", values), cast("void *", indices)
        start(call)
        values += m * call.k * item
        indices += m * call.k * (8 if call.wide else 4)
