"""topk of rows of different lengths, on a CPU."""
import sys

import numpy

from . import _library as lib
from . import _topk
from . import _topk_call as library
from . import _topk_more as more
from ._arrays import _whole, count, lengths_of
from ._library import ffi, model

_LONGEST = 2**53 - 1


def places(x_shape, lengths, starts):
    """(lead, row_stride, lengths, starts): the axes of the rows, the elements from a row to the
    next, and of each row its length and where it starts, as uint64."""
    width, lead, ends, step = x_shape[-1], x_shape[:-1], x_shape[-1], x_shape[-1]
    if len(x_shape) == 1 and starts is not None and numpy.ndim(starts) > 0:  # rows that are joined
        starts = _whole("starts", starts)
        if starts.ndim != 1 or (lengths is None and len(starts) == 0):
            raise ValueError("starts of joined rows must be a list, without lengths one that ends "
                             "with the end of the last row")
        lead, step = (len(starts) - (lengths is None),), 0
        if lengths is None:
            starts, ends = starts[:-1], starts[1:]
    try:
        starts = numpy.broadcast_to(_whole("starts", 0 if starts is None else starts), lead)
        if lengths is None:
            if numpy.any(starts > ends):
                raise ValueError(f"starts must not fall, or be larger than {width}, where x ends")
            lengths = ends - starts
        lengths = numpy.broadcast_to(_whole("lengths", lengths), lead)
    except ValueError as error:
        if "broadcast" not in str(error):
            raise
        raise ValueError(f"lengths and starts must have the shape {lead} of the rows") from None
    if numpy.any(lengths > width) or numpy.any(starts > width - lengths):
        raise ValueError(f"starts + lengths must be at most {width}, where the rows of x end")
    return (lead, step, *(numpy.ascontiguousarray(one, numpy.uint64) for one in (lengths, starts)))


def _way(n, m, k, recall, confidence, b, k_b, assignment, profile):
    if recall is not None and b is None and k_b is None and k >= n:
        _topk.check_goal(recall, confidence, max(k, 1))
        return _topk.EXACT
    return _topk.way_of(n if b is None else _LONGEST, m, k, recall, confidence, b, k_b, assignment,
                        profile)


def chosen(n, k, way, lengths):
    """The Chosen of a Way, whose recall is the mean over the rows. Buckets divide each row."""
    if way.method == model.RCM_TOP_K_EXACT or way.b >= n or k >= n:
        return _topk.chosen(n, max(k, 1), way)._replace(recall=1.0)
    own = lengths_of(lengths)
    p = lib.new("rcm_topk", n=n, k=k, b=way.b, k_b=way.k_b, lengths=own)
    return _topk.Chosen("bucketed", way.b, way.k_b, lib.ASSIGNMENTS[way.assignment],
                        model.rcm_recall_exact(p[0]), way.choice)


_KNOWN = "with lengths, give float32, float64, float16, bfloat16, int8 or int32"


def _torch_rows(x):
    """A tensor, contiguous, its number, and functions that make outputs and give an address."""
    from . import _topk_tensor as tensors
    torch = tensors.torch
    if x.dtype not in tensors.NUMBERS:
        raise TypeError(f"x has elements of type {x.dtype}; {_KNOWN}")

    def make(shape, wide=None):
        return torch.empty(shape, dtype=x.dtype if wide is None else tensors.INDICES[wide])

    return x.resolve_neg().contiguous(), tensors.NUMBERS[x.dtype], make, torch.Tensor.data_ptr


def _numpy_rows(x):
    array = numpy.ascontiguousarray(_topk._array_of(x))
    if array.dtype not in _topk._NUMBERS and array.dtype.name != "bfloat16":
        raise TypeError(f"x has elements of type {array.dtype}; {_KNOWN}")

    def make(shape, wide=None):
        return numpy.empty(shape, array.dtype if wide is None else f"int{64 if wide else 32}")

    return array, _topk._type_of(array), make, library.address_of


def topk(x, k, axis, lengths, starts, fill, largest, sorted, *, recall=None, confidence=None,
         b=None, k_b=None, assignment="interleaved", profile=None, threads=0, nan_largest=False,
         index_dtype=None, out=None, return_choice=False, is_tensor=False, with_values=True):
    """topk with lengths or starts."""
    jax = sys.modules.get("jax")
    is_jax = jax is not None and isinstance(x, getattr(jax, "Array", ()))
    rows, number, make, address = _torch_rows(x) if is_tensor else _numpy_rows(x)
    shape = tuple(rows.shape)
    if len(shape) == 0 or _topk.axis_of(axis, shape) != len(shape) - 1:
        raise ValueError("lengths and starts are of rows along the last axis; move it there")
    if nan_largest:
        raise ValueError("nan='largest' does not go with lengths and starts; leave it out")
    wide = not is_jax if index_dtype is None else _topk.is_wide(index_dtype)
    k, fill = count("k", k, 0, _LONGEST), int(fill)
    lead, step, lengths, starts = places(shape, lengths, starts)
    n = max(int(lengths.max(initial=0)), 1)
    _topk.check_indices(n, wide)
    way = _topk.EXACT if k == 0 else _way(n, max(lengths.size, 1), k, recall, confidence, b, k_b,
                                          assignment, profile)
    values, indices = make((*lead, k)), make((*lead, k), wide)
    if k > 0 and lengths.size > 0:
        call = library.call_of(number, n, k, way, largest, sorted, wide,
                               _topk.whole("threads", threads, 0, 4096))
        call.rows.m, call.rows.row_stride = lengths.size, step
        call.lengths = ffi.from_buffer("uint64_t[]", lengths)
        call.starts = ffi.from_buffer("uint64_t[]", starts)
        pointers = address(rows) or library.address_of(lengths), address(values), address(indices)
        call.rows.x, call.values, call.indices = (ffi.cast("void *", one) for one in pointers)
        library.start(call)
        if fill != -1:
            indices[indices < 0] = fill
    if is_jax:
        values, indices = jax.numpy.asarray(values), jax.numpy.asarray(indices)
    if not with_values:
        values = None
    if out is not None:
        values, indices = more.put_out(out, values, indices,
                                       type(x).copy_ if is_tensor else numpy.copyto)
    if return_choice:
        return _topk.TopKChosen(values, indices, chosen(n, k, way, lengths))
    return _topk.TopK(values, indices)
