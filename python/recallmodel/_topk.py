"""Top-k of arrays on a CPU: exact, bucketed, or what the library chooses for a recall."""
from __future__ import annotations

import collections
import functools
import math
import sys
from collections.abc import Sequence
from typing import (TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Optional, TypedDict, TypeVar,
                    Union, overload)

import numpy

from . import _library as lib
from . import _topk_call as library
from . import _topk_more as _more
from ._arrays import Recall, fraction, goal, real, unmasked
from ._library import KernelAssignment, Path, ffi, model
from ._profiles import Profile, _profile_of_any, _warn_of_another_cpu
from ._select import Choice, _choice_of
from ._topk_more import axis_of, check_indices, check_k, is_wide, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

# register_torch adds the types of PyTorch.
_NUMBERS: dict[Any, int] = {
    numpy.dtype("float32"): model.RCM_TOP_K_F32, numpy.dtype("float64"): model.RCM_TOP_K_F64,
    numpy.dtype("float16"): model.RCM_TOP_K_F16, numpy.dtype("int8"): model.RCM_TOP_K_I8,
    numpy.dtype("int32"): model.RCM_TOP_K_I32}
_KNOWN = "float32, float64, float16, bfloat16, integers of 8 to 64 bits and bool"
_CPU_DEVICES = (1, 3, 11, 13)  # of DLPack: the CPU, and memory of GPUs that a CPU reads
from_buffer = ffi.from_buffer  # looked up once

# Results of the kind of the argument: NumPy, PyTorch or JAX; of numbers and lists they are arrays.
_Kind = TypeVar("_Kind")
NanOrder = Literal["last", "largest"]
Mode = Literal["largest", "smallest"]
Array = Any  # of NumPy, PyTorch or JAX, or what they take
_Lists = Union[float, Sequence[float], Sequence[Sequence[float]]]

if TYPE_CHECKING:
    class TopK(NamedTuple, Generic[_Kind]):
        values: _Kind
        indices: _Kind

    class TopKChosen(NamedTuple, Generic[_Kind]):
        values: _Kind
        indices: _Kind
        choice: Chosen
else:  # before Python 3.11 a NamedTuple cannot be Generic
    TopK = collections.namedtuple("TopK", ("values", "indices"))
    TopKChosen = collections.namedtuple("TopKChosen", ("values", "indices", "choice"))
    TopK.__doc__ = "What topk returns: the best elements, and their positions along the axis."
    TopKChosen.__doc__ = "What topk returns with return_choice=True."


class Chosen(NamedTuple):
    """How topk ran.

    method: exact or bucketed. b, k_b, assignment: those of the buckets, None if exact. recall: what
    the model expects of them on rows whose top-k lie anywhere with equal probability; 1.0 if exact.
    select: the Choice behind it; None if nothing was chosen.
    """
    method: str
    b: Optional[int]
    k_b: Optional[int]
    assignment: Optional[str]
    recall: float
    select: Optional[Choice]


# ---- what to run


class Way(NamedTuple):
    """The method of a call as the library takes it, and the Choice behind it."""
    method: int
    b: int
    k_b: int
    assignment: int
    choice: Optional[Choice]


EXACT = Way(0, 0, 0, 0, None)


def check_goal(recall, confidence, k):
    """ValueError unless a row can be asked for this."""
    goal("recall", recall, k)
    if confidence is not None and fraction("confidence", confidence) == 1.0:
        raise ValueError("confidence = 1.0 must be below 1; recall=1 is exact in every row")


@functools.lru_cache(maxsize=4096)
def _choose(n, m, k, recall, confidence, profile):
    """The Way that the library chooses for a recall."""
    check_goal(recall, confidence, k)
    profile = None if profile is None else _profile_of_any(profile)
    if profile is not None:
        _warn_of_another_cpu(profile)
    row = ffi.NULL if profile is None else profile._row
    call, found = lib.new("rcm_top_k_call", k=k, rows=dict(n=n, m=m)), lib.new("rcm_choice")
    status = lib.topk().rcm_top_k_choose(call, float(recall), float(confidence or 0.0), row, found)
    if status == model.RCM_TOP_K_NO_CHOICE:
        raise ValueError(f"no buckets are known for recall = {recall}: the profile cannot predict; "
                         "give another profile, or b and k_b")
    library.check(status)
    # Recall 1 is exact without a search: then there is no shape. The library compares its own two
    # ways alone, by their times: no provider is a contender.
    asked = lib.new("rcm_selection", objective=model.rcm_objective_by_name(b"time"))
    choice = _choice_of(asked, found, profile) if found.p.n else None
    return Way(call.method, call.b, call.k_b, call.assignment, choice)


def way_of(n, m, k, recall, confidence, b, k_b, assignment, profile, choose=_choose):
    """The Way of the arguments of topk, by `choose` for a recall. ValueError, with the mend."""
    if b is None and k_b is None:
        if recall is None:
            if confidence is not None:
                raise ValueError("confidence belongs to a recall; give recall=0.95, for example")
            return EXACT
        if not isinstance(recall, (float, int, str)):
            recall = format(recall, "f") if type(recall).__name__ == "Decimal" else (
                real("recall", recall))
        if confidence is not None:
            confidence = real("confidence", confidence)
        if getattr(profile, "__hash__", None) is None:
            _profile_of_any(profile)  # says what is wrong
        return choose(n, max(m, 1), k, recall, confidence, profile)
    if recall is not None or confidence is not None:
        raise ValueError("recall chooses b and k_b; give either recall or b and k_b")
    if b is None or k_b is None:
        raise ValueError("b and k_b belong together; give both")
    b = whole("b", b, 1, n)
    k_b = whole("k_b", k_b, 1, min(k, (n - 1) // b + 1))
    if b * k_b < k:
        raise ValueError(f"{b} buckets of {k_b} hold {b * k_b} elements, fewer than k = {k}; give "
                         "more")
    return Way(1, b, k_b, lib.number_of(assignment, KernelAssignment, "assignment"), None)


@functools.lru_cache(maxsize=4096)
def chosen(n, k, way):
    """The Chosen of a Way."""
    if way.method == model.RCM_TOP_K_EXACT:
        return Chosen("exact", None, None, None, 1.0, way.choice)
    p = lib.new("rcm_topk", n=n, k=k, b=way.b, k_b=way.k_b, assignment=way.assignment)
    return Chosen("bucketed", way.b, way.k_b, lib.ASSIGNMENTS[way.assignment],
                  model.rcm_recall_exact(p[0]), way.choice)


# ---- arrays


def _array_of(x):
    """x as a NumPy array that shares its memory where that is possible."""
    if type(x) is numpy.ndarray:
        return x
    device = getattr(x, "__dlpack_device__", None)
    if device is not None and device()[0] not in _CPU_DEVICES:
        raise TypeError(f"x is on device {device()[0]} of DLPack; topk takes what lies on the CPU, "
                        "and CUDA tensors of PyTorch; copy x to the CPU first")
    if (device is not None and not hasattr(x, "__array_interface__")
            and not hasattr(x, "__array__")):
        return numpy.from_dlpack(x)
    return unmasked("x", x)


def _type_of(array):
    number = _NUMBERS.get(array.dtype)
    if number is None:
        if array.dtype.name == "bfloat16":
            return model.RCM_TOP_K_BF16
        mend = "" if array.dtype.isnative else ": x.astype(x.dtype.newbyteorder('='))"
        raise TypeError(f"x has elements of type {array.dtype}; topk takes {_KNOWN}{mend}")
    return number


def _rows_of(array, axis):
    """The array, or a copy where its layout needs one, and the last arguments of run()."""
    item, n = array.itemsize, array.shape[axis]
    if axis == array.ndim - 1 and array.flags.c_contiguous:
        return array, (array.size // n, n, 1, ())
    layout = None
    if not any(step % item for step in array.strides):
        layout = library.pieces(array.shape, [step // item for step in array.strides], axis)
    if layout is None:
        array = numpy.ascontiguousarray(numpy.moveaxis(array, axis, -1))
        layout = array.size // n, n, 1, ()
    return array, layout


def _of_array(array, k, recall, axis, largest, sorted, confidence, b, k_b, assignment, profile,
              threads, wide):
    """topk of a NumPy array: values, indices, and a function that returns the Chosen."""
    number = _type_of(array)
    axis, shape = axis_of(axis, array.shape), array.shape or (1,)
    n = shape[axis]
    k = check_k(k, n, axis) if array.ndim else whole("k of a single number", k, 1, 1)
    check_indices(n, wide)
    lead = shape[:axis] + shape[axis + 1:]
    threads = whole("threads", threads, 0, 4096)
    way = EXACT if k == 0 else way_of(n, array.size // n, k, recall, confidence, b, k_b,
                                       assignment, profile)
    values = numpy.empty((*lead, k), array.dtype)
    indices = numpy.empty((*lead, k), numpy.int64 if wide else numpy.int32)
    if values.size > 0:
        rows, layout = _rows_of(array if array.ndim else array.reshape(1), axis)
        call = library.call_of(number, n, k, way, largest, sorted, wide, threads)
        library.run(call, rows.itemsize, library.address_of(rows), *layout,
                    library.address_of(values), library.address_of(indices))
    if array.ndim == 0:
        values, indices = values.reshape(()), indices.reshape(())
    elif axis != array.ndim - 1:
        values, indices = numpy.moveaxis(values, -1, axis), numpy.moveaxis(indices, -1, axis)
    return values, indices, lambda: chosen(n, k, way)


def _of_any_array(array, k, recall, axis, largest, sorted, confidence, b, k_b, assignment, profile,
                  threads, wide, nan_largest):
    """The same, also of types that the library does not take, and with NaN first."""
    known = array if array.dtype in _NUMBERS else _more.of_known_type(array)
    if known is array and not nan_largest:
        return _of_array(array, k, recall, axis, largest, sorted, confidence, b, k_b, assignment,
                         profile, threads, wide)
    if known is None:
        if recall is not None or b is not None or k_b is not None:
            raise ValueError("x has integers beyond 2**53, which bucketed top-k cannot take; leave "
                             "recall, b and k_b out, or give smaller ones")
        axis = axis_of(axis, array.shape)
        n = array.shape[axis] if array.ndim else 1
        rows = array if array.ndim else array.reshape(1)
        indices = _more.by_numpy(rows, check_k(k, n, axis), axis, largest)
        values = numpy.take_along_axis(rows, indices, axis)
        if array.ndim == 0:
            values, indices = values.reshape(()), indices.reshape(())
        return values, indices.astype(numpy.int64 if wide else numpy.int32), lambda: chosen(
            n, k, EXACT)
    floats = known.dtype.kind not in "iu"
    nan_first = nan_largest and largest and floats and numpy.isnan(known).any()
    values, indices, choice = _of_array(known, k, recall, axis, largest, sorted or nan_first,
                                        confidence, b, k_b, assignment, profile, threads, wide)
    if known is not array:
        values = (numpy.take_along_axis(array, indices, axis_of(axis, array.shape)) if array.ndim
                  else values.astype(array.dtype))
    if nan_first and array.ndim:
        _more.put_nan_first(array, axis_of(axis, array.shape), values, indices)
    return values, indices, choice


# ---- the call


# The class of tensors and functions of _topk_torch; register_torch sets them.
tensor: Any = ()
of_tensor: Any = None
_is_whole: Any = None
_of_whole: Any = None


def register_torch() -> None:
    """Registers torch.ops.recallmodel.topk. It may be called again.

    This happens by itself if PyTorch was imported before recallmodel, and at the first topk of a
    tensor. Call it where the operator is used directly, or where torch.compile comes before all of
    these. ImportError without PyTorch of version 2.5 or newer.
    """
    global tensor, of_tensor, _is_whole, _of_whole
    if of_tensor is None:
        from . import _topk_tensor, _topk_torch
        _NUMBERS.update(_topk_tensor.NUMBERS)
        _is_whole, _of_whole = _topk_torch.is_whole, _topk_torch.of_whole
        tensor, of_tensor = _topk_torch.torch.Tensor, _topk_torch.of_tensor


@functools.lru_cache(maxsize=4096, typed=True)
def _plan(dtype, shape, k, axis, largest, sorted, dim, recall, confidence, b, k_b, assignment,
          profile, threads, nan, index_dtype):
    """What topk of a contiguous array or tensor needs to know: the shape of the outputs, the type
    of the indices and struct rcm_top_k_call. None: it takes the long way."""
    if any(hasattr(one, "__dlpack__") for one in (k, axis, largest, sorted, dim, recall, confidence,
                                                  b, k_b, threads)):
        return None  # a tensor may change while the plan is kept
    axis, nan_largest = _more.checked_axis(axis, dim), _more.checked_nan(nan)
    if (dtype not in _NUMBERS or nan_largest or not math.prod(shape) or not shape or not k
            or axis_of(axis, shape) != len(shape) - 1):
        return None
    wide = index_dtype is None or is_wide(index_dtype)
    n, m = shape[-1], math.prod(shape[:-1])
    k = check_k(k, n, axis)
    check_indices(n, wide)
    way = way_of(n, m, k, recall, confidence, b, k_b, assignment, profile)
    call = library.call_of(_NUMBERS[dtype], n, k, way, largest, sorted, wide,
                           whole("threads", threads, 0, 4096))
    call.rows.m = m
    return (*shape[:-1], k), numpy.dtype(numpy.int64 if wide else numpy.int32), call[0]


class _Options(TypedDict, total=False):
    dim: Optional[int]
    mode: Optional[Mode]
    recall: Optional[Recall]
    confidence: Optional[float]
    b: Optional[int]
    k_b: Optional[int]
    assignment: KernelAssignment
    profile: Optional[Union[Profile, Path]]
    threads: int
    nan: NanOrder
    index_dtype: Any
    out: Optional[tuple[Array, Array]]
    lengths: Any
    starts: Any
    fill: int
    deterministic: Optional[bool]
    values: bool
    tune: bool


@overload
def topk(x: _Lists, k: int, axis: int = -1, largest: Optional[bool] = None,
         sorted: bool = True, *, return_choice: Literal[False] = False,
         **options: Unpack[_Options]) -> TopK[NDArray[Any]]: ...
@overload
def topk(x: _Lists, k: int, axis: int = -1, largest: Optional[bool] = None,
         sorted: bool = True, *, return_choice: Literal[True],
         **options: Unpack[_Options]) -> TopKChosen[NDArray[Any]]: ...
@overload
def topk(x: _Kind, k: int, axis: int = -1, largest: Optional[bool] = None,
         sorted: bool = True, *, return_choice: Literal[False] = False,
         **options: Unpack[_Options]) -> TopK[_Kind]: ...
@overload
def topk(x: _Kind, k: int, axis: int = -1, largest: Optional[bool] = None,
         sorted: bool = True, *, return_choice: Literal[True],
         **options: Unpack[_Options]) -> TopKChosen[_Kind]: ...
# long: an argument of topk is one of torch.topk, or of what the library chooses from.
def topk(x: Array, k: int, axis: int = -1, largest: Optional[bool] = None, sorted: bool = True, *,
         dim: Optional[int] = None, mode: Optional[Mode] = None, recall: Optional[Recall] = None,
         confidence: Optional[float] = None, b: Optional[int] = None, k_b: Optional[int] = None,
         assignment: KernelAssignment = "interleaved",
         profile: Optional[Union[Profile, Path]] = None, threads: int = 0, nan: NanOrder = "last",
         index_dtype: Any = None, out: Optional[tuple[Array, Array]] = None,
         return_choice: bool = False, lengths: Any = None, starts: Any = None, fill: int = -1,
         deterministic: Optional[bool] = None,
         values: bool = True, tune: bool = False) -> Union[TopK[Any], TopKChosen[Any]]:
    """The k largest elements of x along an axis, and their positions.

    x: a NumPy array, a PyTorch tensor, a JAX array on the CPU, or anything with the array interface
    or DLPack; float32, float64, float16, bfloat16, integers and bool. Any axis and any strides are
    read where they are, without a copy, unless the rows lie in many short pieces or are integers
    other than int8 and int32. A CUDA tensor goes to the kernels of gpu/ or, where these are missing
    or do not take its type, to PyTorch's own functions (docs/library.md).
    k: how many elements, 0 <= k <= length of the axis. axis: the last by default; dim is another
    name of it. largest: False selects the smallest; mode: "largest" or "smallest", as for NumPy's
    top_k. sorted: best first; False is faster, and the order is then not defined.

    Without recall, b and k_b, topk is exact.
    recall: the library takes buckets that keep this share of the top-k on average, if its model
    predicts that they are faster than exact top-k by more than the errors of both; otherwise it
    takes exact top-k. About half of all batches keep less.
    confidence: all rows of x together keep that recall with at least this probability. The recall
    is that of rows whose top-k lie anywhere with equal probability. A choice takes up to some
    milliseconds, and is kept for the next call of the same shape.
    profile: the machine to predict for: a Profile, a name or a path; None: a CPU, or the GPU of x.
    tune: for a recall, measure what is fastest here, by tune(): some seconds at the first call of a
    shape, unless it was measured before.
    b, k_b, assignment: bucketed top-k with these; assignment is interleaved or contiguous.
    threads: at most this many; 0: one for each 4 MiB of x, at most one for each processor.
    nan: "last": NaN comes last, whatever `largest` is; "largest": NaN is above all numbers, as for
    PyTorch.
    index_dtype: int32 or int64. The default is int64, for JAX int32.
    out: a pair of arrays or tensors, for values and indices, of the right shapes and types.
    values: False for the indices alone; `values` of the result is then None, and that of out is not
    looked at. On a GPU it saves memory and writing.
    deterministic: True takes the first of equal elements on a GPU, always in the same order; False
    takes any of them. The default is False, unless torch.use_deterministic_algorithms is set. A CPU
    takes the same ones each time.

    lengths: how many elements each row has (of the shape of x without its last axis, or a number),
    if rows along the last axis differ. starts: where each begins, 0 by default. If x has one axis,
    the rows are joined: starts says where each begins and, without lengths, where the last ends.
    Indices count from the start of the row. Where a row has fewer than k elements, all come back,
    and then the index `fill` with the value -inf (+inf if the smallest are wanted; of integers the
    least, the largest). k may be larger than any length. A recall is promised for the longest row;
    shorter ones lose no more; on a GPU they are exact then, b and k_b divide each row. There, rows
    are not joined, and lengths and starts that are CUDA tensors are not checked. No derivatives.

    Returns a tuple TopK(values, indices), whose axis has the length k. They are arrays of the kind
    of x (NumPy, PyTorch, JAX), otherwise NumPy's. return_choice=True: TopKChosen(values, indices,
    choice), where choice, a Chosen, says how it ran.
    -0 is just below +0. Any of several equal elements may be returned. On a CPU the same call gives
    the same bits with any number of threads.
    TypeError or ValueError, which says what to give instead, for arguments that do not fit.

        >>> import numpy, recallmodel as rcm
        >>> x = numpy.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]], dtype="float32")
        >>> values, indices = rcm.topk(x, 2)
        >>> values.tolist(), indices.tolist()
        ([[5.0, 4.0], [9.0, 6.0]], [[4, 2], [0, 2]])
    """
    if mode is not None or largest is None:
        largest = _more.checked_largest(largest, mode)
    if tune:
        from . import _tune
        b, k_b = _tune.of_topk(x, k, _more.checked_axis(axis, dim), recall, confidence, b, profile,
                               lengths is None and starts is None)
        recall = confidence = None
    is_array, is_ragged = type(x) is numpy.ndarray, lengths is not None or starts is not None
    if out is None and values and not is_ragged and not return_choice and (
            x.flags.c_contiguous if is_array else type(x) is tensor and _is_whole(x)):
        try:
            plan = _plan(x.dtype, x.shape, k, axis, largest, sorted, dim, recall, confidence, b,
                         k_b, assignment, profile, threads, nan,  # type: ignore[arg-type]
                         index_dtype)
        except (TypeError, ValueError):
            plan = None  # the long way says what is wrong
        if plan is not None:
            shape, index_type, same = plan
            if not is_array:
                return tuple.__new__(TopK, _of_whole(x, shape, same))
            best, indices = numpy.empty(shape, x.dtype), numpy.empty(shape, index_type)
            library.run_whole(same, from_buffer(x), from_buffer(best), from_buffer(indices))
            return tuple.__new__(TopK, (best, indices))
    is_jax, axis, nan_largest = False, _more.checked_axis(axis, dim), _more.checked_nan(nan)
    if not is_array:
        if of_tensor is None and type(x).__module__.partition(".")[0] == "torch":
            register_torch()
        if isinstance(x, tensor):
            return of_tensor(x, k, recall, axis, largest, sorted, confidence, b, k_b, assignment,
                             profile, threads, index_dtype, return_choice, nan_largest, out,
                             deterministic, values,
                             (lengths, starts, fill) if is_ragged else None)
        jax: Any = sys.modules.get("jax")
        is_jax = jax is not None and isinstance(x, getattr(jax, "Array", ()))
    if is_jax and isinstance(x, jax.core.Tracer):
        raise TypeError("x is traced by JAX, which topk cannot compile; call it outside of jit, or "
                        "inside jax.pure_callback")
    if is_ragged:
        from . import _topk_ragged
        return _topk_ragged.topk(
            x, k, axis, lengths, starts, fill, largest, sorted, recall=recall,
            confidence=confidence, b=b, k_b=k_b, assignment=assignment, profile=profile,
            threads=threads, nan_largest=nan_largest, index_dtype=index_dtype, out=out,
            return_choice=return_choice, with_values=values)
    wide = not is_jax if index_dtype is None else is_wide(index_dtype)
    best, indices, choice = _of_any_array(_array_of(x), k, recall, axis, largest, sorted,
                                          confidence, b, k_b, assignment, profile, threads, wide,
                                          nan_largest)
    if is_jax:
        best, indices = jax.numpy.asarray(best), jax.numpy.asarray(indices)
    first = best if values else None
    if out is not None:
        first, indices = _more.put_out(out, first, indices, numpy.copyto)
    return TopKChosen(first, indices, choice()) if return_choice else TopK(first, indices)


if "torch" in sys.modules:
    try:
        register_torch()
    except ImportError:  # an older PyTorch; topk of a tensor says so
        pass
