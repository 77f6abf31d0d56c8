"""Arguments as arrays: checks, broadcasting, and the call of the library for each element."""
from __future__ import annotations

import decimal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

import numpy

from . import _library as lib
from ._library import ffi, model

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOPK = lib.dtype_of("rcm_topk")


class _Array(Protocol):
    def __array__(self) -> NDArray[Any]: ...


# What numpy.asarray makes numbers of. ArrayLike would take a text, too.
Numbers = Union[float, "numpy.number[Any]", _Array, Sequence[float], Sequence[Sequence[float]]]
Recall = Union[float, str, decimal.Decimal]
Lengths = Optional[Numbers]  # of each row; None: rows of one length


def unmasked(name: str, value: Any) -> NDArray[Any]:
    """numpy.asarray; TypeError if elements are masked, because it would drop the mask silently."""
    if numpy.ma.is_masked(value):
        raise TypeError(f"{name} is masked; fill it first, such as with {name}.filled(0)")
    if str(getattr(value, "dtype", "")).startswith(("torch.bfloat16", "torch.float8")):
        value = value.detach().float()  # NumPy has no such type
    return numpy.asarray(value)


def _whole(name, value):
    """The argument as an array of uint64; TypeError or ValueError if that would change a value."""
    array = unmasked(name, value)
    kind = array.dtype.kind
    if kind not in "iu" and not (kind == "f" and numpy.all(array == numpy.floor(array))
                                 and numpy.all(array < 2.0**64)):
        raise TypeError(f"{name} must be whole numbers below 2^64, "
                        f"not {value if array.ndim == 0 else array.dtype}")
    if numpy.any(array < 0):
        raise ValueError(f"{name} must not be negative")
    return array.astype(numpy.uint64)


def counts(**named):
    """The arguments, whole numbers, as arrays of one shape."""
    return numpy.broadcast_arrays(*(_whole(name, value) for name, value in named.items()))


def count(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """One argument as an int; an error if it is an array or not in least .. most."""
    array = _whole(name, value)
    if array.ndim > 0:
        raise TypeError(f"{name} must be one number, not an array")
    if not least <= int(array) <= most:
        raise ValueError(f"{name} = {int(array)} is not in {least} .. {most}")
    return int(array)


def real(name: str, value: Any) -> float:
    """One argument as a float; TypeError for an array or a text."""
    if isinstance(value, str) or numpy.ndim(value) > 0:
        raise TypeError(f"{name} must be one number, not {value!r}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} must be one number, not {value!r}") from None


def fractions(name, value):
    """Real numbers as an array; ValueError if one is not in (0, 1]."""
    array = numpy.asarray(unmasked(name, value), dtype=float)
    if not numpy.all((array > 0) & (array <= 1)):
        raise ValueError(f"{name} must be in (0, 1]; write 0.95 for 95 %")
    return array


def fraction(name: str, value: Any) -> float:
    """One argument as a float; ValueError if it is not in (0, 1]."""
    return float(fractions(name, real(name, value)))


def whole_rows(name, value):
    """A whole number for each row, in one axis; ValueError without any."""
    of_row = numpy.ascontiguousarray(_whole(name, value).ravel())
    if of_row.size == 0:
        raise ValueError(f"{name} is empty; give a number for each row")
    return of_row


def lengths_of(lengths):
    """struct rcm_lengths of the length of each row; NULL of None. The caller keeps it as long as a
    shape points to it."""
    if lengths is None:
        return ffi.NULL
    of_row, own = whole_rows("lengths", lengths), lib.new("rcm_lengths")
    if of_row.max() > 2**53 - 1:
        raise ValueError(f"lengths = {of_row.max()} is larger than 2^53 - 1; give at most n")
    if model.rcm_lengths_of(ffi.from_buffer("uint64_t[]", of_row), of_row.size, own) != 0:
        raise MemoryError("the lengths take more memory than there is")
    return ffi.gc(own, model.rcm_lengths_free)


def shapes(assignment="interleaved", lengths=ffi.NULL, **named):
    """An array of struct rcm_topk: n, k, b, .., broadcast. An argument that is not given is 0.

    lengths: of lengths_of.
    """
    arrays = counts(**named)
    array = numpy.zeros(arrays[0].shape, dtype=TOPK)
    for name, values in zip(named, arrays):
        array[name] = values
    array["assignment"] = lib.number_of(assignment, lib.Assignment, "assignment")
    array["lengths"] = int(ffi.cast("uintptr_t", lengths))
    if lengths and array["valid"].any():
        raise ValueError("lengths and valid exclude each other; give one")
    return array


def shape_of(element):
    """An element of such an array as a struct rcm_topk."""
    shape = lib.new("rcm_topk")
    ffi.memmove(shape, element[()].tobytes(), ffi.sizeof("struct rcm_topk"))
    return shape[0]


def in_domain(array, *more, **stand_ins):
    """Returns the array of shapes. A single shape must be in the domain of the library; otherwise
    ValueError, with the message of the command.

    more: other arguments of the call; if one is an array, so is the result, and no shape is
    checked. stand_ins: values for the fields of a shape that the call does not take.
    """
    if array.ndim == 0 and all(numpy.ndim(value) == 0 for value in more):
        p = shape_of(array)
        for name, value in stand_ins.items():
            setattr(p, name, value)
        status = model.rcm_check(p)
        if status != 0:
            text = ffi.new("char[]", 200)
            model.rcm_status_text(status, p, text, len(text))
            raise ValueError(lib.text_of(text))
    return array


def evaluate(function, array, machine=None):
    """The function of each shape, as an array of float64 of the same shape, or a number.

    function: one of the library, or a row of the objectives. machine: what that objective needs.
    """
    out = numpy.empty(array.shape)
    where = (ffi.from_buffer("struct rcm_topk[]", array), array.size,
             ffi.from_buffer("double[]", out))
    if ffi.typeof(function).kind == "function":
        model.rcm_each(function, *where)
    else:
        model.rcm_each_objective(function, machine or lib.new("rcm_machine"), *where)
    return out[()]


def rope_of(theta, head_dim):
    """The base of RoPE and the elements of a head, which are in their domain."""
    theta = real("rope_theta", theta)
    if not 1 < theta < numpy.inf:
        raise ValueError(f"rope_theta = {theta} is not above 1; give the base of RoPE, such as "
                         "10000 or 500000")
    head_dim = count("head_dim", head_dim, 2, model.RCM_HEAD_DIM_MOST)
    if head_dim % 2:
        raise ValueError(f"head_dim = {head_dim} is not even; give the elements of a head that "
                         "RoPE rotates, such as 64 or 128")
    return theta, head_dim


def decimal_text(name, value):
    """A str or Decimal as it is written, another number as Python prints it as a float."""
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return value.strip() if isinstance(value, str) else repr(real(name, value))


def goal(name, value, k=1):
    """struct rcm_goal of a recall. ValueError if it is not in (0, 1] or has more than 18 digits
    after the point."""
    text = decimal_text(name, value)
    found = lib.new("rcm_goal")
    if model.rcm_goal(text.encode(), k, found) != 0:
        raise ValueError(f"{name} = {value!r} must be in (0, 1], with at most 18 digits after the "
                         "point; write 0.95 for 95 %")
    return found


def each(function, result, array, *more):
    """function(shape, value, ..) for each element of the array of shapes and of the arrays that
    broadcast with it: an array of this type, or a number.
    """
    array, *more = numpy.broadcast_arrays(array, *more)
    out = numpy.empty(array.shape, dtype=result)
    for place in numpy.ndindex(out.shape):
        out[place] = function(shape_of(array[place]), *(values[place] for values in more))
    return out[()]
