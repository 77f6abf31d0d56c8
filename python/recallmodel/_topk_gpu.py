"""ctypes for librecallmodel-gpu: top-k by the CUDA kernels of gpu/topk_gpu.h.

The library is a part of `make gpu`. It works on device memory, so NumPy has no part here.
"""
import ctypes
import functools
import types
from ctypes import (Structure, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p)

from . import _library as lib
from . import _topk_library as tk

DTYPES = {0: 0, 2: 1, 3: 2}  # of enum rcm_top_k_type the enum rcm_gpu_dtype: f32, f16, bf16


class Rows(Structure):
    """struct rcm_gpu_rows"""
    _fields_ = [("x", c_void_p), ("m", c_uint64), ("n", c_uint64), ("stride", c_uint64),
                ("dtype", c_uint), ("smallest", c_bool)]


class Exact(Structure):
    """struct rcm_gpu_exact"""
    _fields_ = [("rows", Rows), ("k", c_uint64), ("kernel", c_uint), ("labels", c_void_p),
                ("deterministic", c_bool), ("bits", c_uint), ("unroll", c_uint),
                ("binary_search", c_bool), ("values", c_void_p), ("indices", c_void_p)]


class TwoStage(Structure):
    """struct rcm_gpu_two_stage"""
    _fields_ = [("rows", Rows), ("k", c_uint64), ("b", c_uint64), ("k_b", c_uint64),
                ("assignment", c_uint), ("stage1", c_uint), ("stage2", c_uint),
                ("deterministic", c_bool), ("values", c_void_p), ("indices", c_void_p)]


def functions_of(library):
    """The functions that topk calls."""
    sized = (c_int, c_void_p, c_void_p)
    started = (c_int, c_void_p, c_void_p, c_size_t, c_void_p)
    names = {"message": lib._declare(library, "rcm_gpu_message", c_char_p, c_uint)}
    for name in ("exact", "two_stage"):
        names[name] = lib._declare(library, f"rcm_gpu_{name}", *started)
        names[name + "_workspace"] = lib._declare(library, f"rcm_gpu_{name}_workspace", *sized)
    return types.SimpleNamespace(**names)


@functools.lru_cache(maxsize=None)
def gpu():
    """The functions of the library; RuntimeError if it was not built."""
    try:
        return functions_of(lib._load("librecallmodel-gpu"))
    except ImportError:
        raise RuntimeError("x is a CUDA tensor, but librecallmodel-gpu.so was not built: run make "
                           "gpu in the source tree (it needs nvcc), or give x.cpu()") from None


def topk(rows, k, way, outputs, allocate, stream=None, functions=None):
    """Starts top-k of the rows (struct rcm_gpu_rows). The outputs come in the order of the indices.

    outputs: the addresses of m x k values and of as many int32. allocate(bytes): memory of the
    device at a multiple of 256, as its address and what keeps it.
    """
    functions = functions or gpu()
    values, indices = outputs
    if tk.METHODS[way.method] == "exact":
        name = "exact"
        call = Exact(rows=rows, k=k, deterministic=True, values=values, indices=indices)
    else:
        name = "two_stage"
        call = TwoStage(rows=rows, k=k, b=way.b, k_b=way.k_b, assignment=way.assignment,
                        deterministic=True, values=values, indices=indices)
    size, at = ctypes.c_size_t(), ctypes.addressof(call)
    status = getattr(functions, name + "_workspace")(at, ctypes.addressof(size))
    if status == 0:
        workspace, keep = allocate(size.value) if size.value else (None, None)
        status = getattr(functions, name)(at, workspace, size.value, stream)
        del keep  # the allocator of PyTorch gives it only to later work of the same stream
    if status != 0:
        raise ValueError(f"librecallmodel-gpu: {functions.message(status).decode()}; see "
                         "gpu/topk_gpu.h, or give x.cpu()")
