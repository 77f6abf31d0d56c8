"""topk of a tensor: on a CPU, and on a GPU by the kernels of gpu/ or by PyTorch.

These functions are the operator torch.ops.recallmodel.topk on each device, with `out` beside its
arguments. Of CUDA tensors they only start work in the current stream: nothing waits for the GPU,
and all memory is of PyTorch's allocator, so that a CUDA graph may capture them.
"""
import math

import torch

from . import _topk, _topk_by_torch, _topk_call, _topk_gpu
from ._library import model

NUMBERS = {torch.float32: model.RCM_TOP_K_F32, torch.float64: model.RCM_TOP_K_F64,
           torch.float16: model.RCM_TOP_K_F16, torch.bfloat16: model.RCM_TOP_K_BF16,
           torch.int8: model.RCM_TOP_K_I8, torch.int32: model.RCM_TOP_K_I32}
SMALL = torch.bool, torch.uint8, torch.int16  # int32 has all their values
INDICES = torch.int32, torch.int64  # by whether they are wide
_LONGEST = 2**53 - 1


def check(x, k, dim, is_ragged=False):
    """The axis, its length, and k, or what topk of an array raises."""
    if x.dtype not in NUMBERS and x.dtype not in SMALL and x.dtype is not torch.int64:
        raise TypeError(f"x has elements of type {x.dtype}; topk takes {_topk._KNOWN}")
    axis = _topk.axis_of(dim, x.shape)
    n = x.shape[axis] if x.dim() > 0 else 1
    if is_ragged:
        if x.dim() == 0 or axis != x.dim() - 1:
            raise ValueError("lengths and starts are of rows along the last axis; move it there")
        return axis, n, _topk.whole("k", k, 0, _LONGEST)
    return axis, n, _topk.check_k(k, n, axis)


def outputs(x, k, dim, int32, values=True, out=None):
    """Where to write, contiguous with `dim` last: into those of `out` that are so, or into new
    tensors. Without `values` they have no elements."""
    dim = dim % max(x.dim(), 1)
    size = [*x.shape[:dim], *x.shape[dim + 1:], k] if x.dim() > 0 else []

    def place(own, dtype, size):
        if own is not None and own.dtype is dtype and own.device == x.device:
            own = own.movedim(dim, -1) if 0 < own.dim() == x.dim() else own
            if list(own.shape) == size and own.is_contiguous():
                return own
        return x.new_empty(size, dtype=dtype)

    own = out or (None, None)
    return place(own[0], x.dtype, size if values else [0]), place(own[1], INDICES[not int32], size)


def to_axis(x, dim, *outputs):
    """The outputs with their last axis at `dim`; those without values stay as they are."""
    def moved(out):
        if out.dim() < x.dim() or dim % max(x.dim(), 1) == max(x.dim(), 1) - 1:
            return out
        # gather of PyTorch 2.5 is wrong for the strides that movedim gives an axis of length 1.
        return out.squeeze(-1).unsqueeze(dim) if out.shape[-1] == 1 else out.movedim(-1, dim)

    return tuple(map(moved, outputs))


def _card_of(x):
    """The name of the card of a CUDA tensor, and the type for its profiles; two empty names if our
    kernels do not run there."""
    dtype = _topk_gpu.NAMES.get(NUMBERS.get(x.dtype))
    if dtype is None or _topk_gpu.gpu() is None:
        return "", "f32"
    return torch.cuda.get_device_name(x.device), dtype


def way_of(x, n, k, recall=None, confidence=None, b=None, k_b=None, assignment="interleaved",
           profile=None, is_ragged=False):
    """How to run: by the profile of the card of a CUDA tensor, or as topk of an array."""
    goals = n, x.numel() // max(n, 1), k, recall, confidence, b, k_b, assignment, profile
    if is_ragged:
        if recall is None or b is not None or k_b is not None:
            return _topk.way_of(_LONGEST, *goals[1:])
        _topk.check_goal(recall, confidence, max(k, 1))
        return _topk.EXACT  # the kernels that profiles know read no lengths
    if k == 0:
        return _topk.EXACT
    if not x.is_cuda:
        return _topk.way_of(*goals)
    card, dtype = _card_of(x)

    def choose(n, m, k, recall, confidence, profile):
        return _topk_gpu.choose(n, m, k, recall, confidence, profile if card else None, card, dtype)

    return _topk.way_of(*goals, choose)


# ---- on a CPU


def on_cpu(x, k, dim=-1, largest=True, sorted=True, lengths=None, starts=None, *, threads=0,
           int32=False, deterministic=None, fill=-1, values=True, out=None, **goals):
    axis, n, k = check(x, k, dim, lengths is not None)
    if lengths is not None:
        from . import _topk_ragged
        found = _topk_ragged.topk(x, k, -1, lengths, starts, fill, largest, sorted, **goals,
                                  threads=threads, index_dtype="int32" if int32 else "int64",
                                  is_tensor=True)
        return found[0] if values else x.new_empty(0), found[1]
    _topk.check_indices(n, not int32)
    own = outputs(x, k, axis, int32, True, out)
    way = way_of(x, n, k, **goals)
    threads = _topk.whole("threads", threads, 0, 4096)
    if own[1].numel() > 0:
        rows = x.resolve_neg()
        layout = _topk_call.pieces(rows.shape or (1,), rows.stride() or (1,), axis)
        if layout is None:
            rows = rows.movedim(axis, -1).contiguous()
            layout = x.numel() // n, n, 1, ()
        call = _topk_call.call_of(NUMBERS[x.dtype], n, k, way, largest, sorted, not int32, threads)
        _topk_call.run(call, x.element_size(), rows.data_ptr(), *layout, own[0].data_ptr(),
                       own[1].data_ptr())
    return to_axis(x, axis, own[0] if values else x.new_empty(0), own[1])


# ---- on a GPU


def _by_kernels(rows, k, way, values, indices, largest, stream, lengths, starts, **fields):
    """Writes into values (with no elements: not wanted) and indices. Refused: see _topk_gpu."""
    m, n = rows.shape
    if rows.dtype not in NUMBERS or NUMBERS[rows.dtype] not in _topk_gpu.DTYPES:
        raise _topk_gpu.Refused
    library = _topk_gpu.gpu()
    if library is None:
        raise _topk_gpu.Refused
    if rows.stride(1) != 1 or (m > 1 and rows.stride(0) < n):
        rows = rows.contiguous()

    def allocate(size):
        memory = rows.new_empty(size + 255, dtype=torch.uint8)
        return -(-memory.data_ptr() // 256) * 256, memory

    what = dict(x=rows.data_ptr(), m=m, n=n, stride=rows.stride(0) if m > 1 else n,
                dtype=_topk_gpu.DTYPES[NUMBERS[rows.dtype]], smallest=not largest)
    try:
        _topk_gpu.topk(library, what, k, way, allocate, stream, values=values.data_ptr(),
                       indices=indices.data_ptr(), index_bytes=indices.element_size(),
                       lengths=0 if lengths is None else lengths.data_ptr(),
                       starts=0 if starts is None else starts.data_ptr(), **fields)
    except _topk_gpu.Refused as why:
        _topk_gpu.warn(str(why))
        raise


def _by_torch(rows, k, way, largest, sorted, deterministic, lengths, starts, fill):
    if lengths is not None:
        return _topk_by_torch.ragged(rows, k, lengths, starts, fill, largest)
    if way.method == model.RCM_TOP_K_EXACT:
        return _topk_by_torch.exact(rows, k, largest, sorted, deterministic)
    return _topk_by_torch.bucketed(rows, k, way.b, way.k_b,
                                   way.assignment == model.RCM_CONTIGUOUS, largest, sorted,
                                   deterministic)


def on_gpu(x, k, dim=-1, largest=True, sorted=True, lengths=None, starts=None, *, threads=0,
           int32=False, deterministic=None, fill=-1, values=True, out=None, stream=0, **goals):
    """topk where x lies, on the current device and in that stream."""
    axis, n, k = check(x, k, dim, lengths is not None)
    way = way_of(x, n, k, **goals, is_ragged=lengths is not None)
    if deterministic is None:
        deterministic = torch.are_deterministic_algorithms_enabled()
    own = outputs(x, k, axis, int32, values, out)
    if own[1].numel() > 0:
        lead = x.shape[:axis] + x.shape[axis + 1:]
        rows = x.resolve_neg().reshape(x.shape or (1,)).movedim(axis, -1).reshape(math.prod(lead),
                                                                                  n)
        lengths, starts = (
            one if one is None else one.reshape(-1).to(x.device, torch.int32).contiguous()
            for one in (lengths, starts))
        most = min(k, n)  # more have no place in a row of this width
        part = own if most == k else outputs(x, most, axis, int32, values)
        try:
            if most > 0:
                _by_kernels(rows, most, way, *part, largest, stream, lengths, starts, fill=fill,
                            sorted=bool(sorted), deterministic=bool(deterministic))
        except _topk_gpu.Refused:
            part = _by_torch(rows, most, way, largest, sorted, deterministic, lengths, starts, fill)
        if part is not own:
            for to, found, rest in zip(own, part, (_topk_by_torch.worst(x.dtype, largest), fill)):
                if to.numel() > 0:
                    to = to.view(-1, k)
                    to[:, :most] = found.reshape(len(rows), most)
                    to[:, most:] = rest
    return to_axis(x, axis, *own)


def on_cuda(x, *arguments, **named):
    with torch.cuda.device(x.device):
        stream = torch.cuda.current_stream().cuda_stream
        return on_gpu(x, *arguments, **named, stream=stream)
