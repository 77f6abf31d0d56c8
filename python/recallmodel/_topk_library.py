"""ctypes for librecallmodel-topk: the structures of topk/topk.h and its functions.

tests/python/test_recallmodel.py compares the layout of each structure with that of the C compiler.
"""
import ctypes
import functools
import struct
import types
from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint, c_uint64, c_void_p)

from . import _library as lib

TYPES = ("f32", "f64", "f16", "bf16", "i8", "i32")  # enum rcm_top_k_type
METHODS = ("exact", "bucketed")                     # enum rcm_top_k_method
ASSIGNMENTS = lib.ASSIGNMENTS[:2]                   # those that the kernels know
NO_CHOICE = 5                                       # of enum rcm_top_k_status


class Rows(Structure):
    """struct rcm_top_k_rows"""
    _fields_ = [("x", c_void_p), ("m", c_uint64), ("n", c_uint64), ("row_stride", c_int64),
                ("stride", c_int64), ("type", c_int), ("smallest", c_bool)]


class Call(Structure):
    """struct rcm_top_k_call"""
    _fields_ = [("rows", Rows), ("k", c_uint64), ("method", c_int), ("b", c_uint64),
                ("k_b", c_uint64), ("assignment", c_int), ("sorted", c_bool), ("wide", c_bool),
                ("threads", c_uint), ("values", c_void_p), ("indices", c_void_p)]


# The bytes of a struct rcm_top_k_call, of its fields in their order: filling a Structure takes ten
# times as long. The numbers are aligned as in C.
pack = struct.Struct("@QQQqqi?QiQQi??IQQ").pack


@functools.lru_cache(maxsize=None)
def topk():
    """The functions of the library, loaded at the first call: the model works without them."""
    library = lib._load("librecallmodel-topk")
    return types.SimpleNamespace(
        workspace=lib._declare(library, "rcm_top_k_workspace", c_int, c_void_p, c_void_p),
        run=lib._declare(library, "rcm_top_k", c_int, c_void_p, c_void_p, c_size_t),
        choose=lib._declare(library, "rcm_top_k_choose", c_int, POINTER(Call), c_double, c_double,
                            c_void_p, POINTER(lib.Choice)),
        message=lib._declare(library, "rcm_top_k_message", c_char_p, c_int),
        isa=lib._declare(library, "rcm_top_k_isa", c_char_p, c_size_t),
        isa_in_use=lib._declare(library, "rcm_top_k_isa_in_use", c_char_p),
        use_isa=lib._declare(library, "rcm_top_k_use_isa", c_bool, c_char_p))


def check(status):
    """ValueError if a status of the library is an error. The caller has checked the shape."""
    if status != 0:
        raise ValueError(f"librecallmodel-topk: {topk().message(status).decode()}")
