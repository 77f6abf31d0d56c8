"""torch.ops.recallmodel.topk: top-k of tensors, under autograd, torch.func.vmap and torch.compile.

register_torch imports this. PyTorch of version 2.5 or newer.
"""
import torch
from torch import library as registry

if not hasattr(registry, "register_vmap"):
    raise ImportError(f"PyTorch {torch.__version__} cannot register recallmodel::topk; install 2.5 "
                      "or newer, or give x.numpy()")

from torch.autograd import forward_ad
from torch.utils._python_dispatch import is_in_torch_dispatch_mode

from . import _topk, _topk_call, _topk_gpu, _topk_more
from ._library import ASSIGNMENTS, ffi, model

_NUMBERS = {torch.float32: model.RCM_TOP_K_F32, torch.float64: model.RCM_TOP_K_F64,
            torch.float16: model.RCM_TOP_K_F16, torch.bfloat16: model.RCM_TOP_K_BF16,
            torch.int8: model.RCM_TOP_K_I8, torch.int32: model.RCM_TOP_K_I32}
_INT32 = {None: False, "int64": False, "int32": True, torch.int64: False, torch.int32: True}

# Looked up once.
_is_compiling, _is_tracing = torch.compiler.is_compiling, torch._C._is_tracing
_Tensor, _strided = torch.Tensor, torch.strided
_run_whole, _cast, _POINTER = _topk_call.run_whole, ffi.cast, ffi.typeof("void *")
_INDICES = torch.int32, torch.int64  # by whether the call is wide

_library = registry.Library("recallmodel", "DEF")
_library.define(
    "topk(Tensor x, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *, "
    "float? recall=None, float? confidence=None, SymInt? b=None, SymInt? k_b=None, "
    "str assignment='interleaved', int threads=0, bool int32=False) -> "
    "(Tensor values, Tensor indices)", tags=(torch.Tag.pt2_compliant_tag,))


def _outputs(x, k, dim, int32):
    """The outputs, which are contiguous with `dim` last."""
    dim = dim % max(x.dim(), 1)
    size = [*x.shape[:dim], *x.shape[dim + 1:], k] if x.dim() > 0 else []
    return x.new_empty(size), x.new_empty(size, dtype=torch.int32 if int32 else torch.int64)


def _to_axis(x, dim, *outputs):
    if dim % max(x.dim(), 1) == max(x.dim(), 1) - 1:
        return outputs
    return tuple(out.movedim(-1, dim) for out in outputs)


def _check(x, k, dim):
    """The axis, its length, and k, or what topk of an array raises."""
    if x.dtype not in _NUMBERS and x.dtype not in _SMALL and x.dtype is not torch.int64:
        raise TypeError(f"x has elements of type {x.dtype}; topk takes {_topk._KNOWN}")
    axis = _topk.axis_of(dim, x.shape)
    n = x.shape[axis] if x.dim() > 0 else 1
    return axis, n, _topk.check_k(k, n, axis)


def _way(x, n, k, recall, confidence, b, k_b, assignment, profile=None):
    if k == 0:
        return _topk.EXACT
    goals = n, x.numel() // n, k, recall, confidence, b, k_b, assignment, profile
    if not x.is_cuda or profile is not None:
        return _topk.way_of(*goals)
    card = torch.cuda.get_device_name(x.device)
    dtype = _topk_gpu.NAMES.get(_NUMBERS.get(x.dtype), "f32")

    def choose(n, m, k, recall, confidence, _):
        return _topk_gpu.choose(n, m, k, recall, confidence, card, dtype)

    return _topk.way_of(*goals, choose)


def _on_cpu(x, k, dim=-1, largest=True, sorted=True, *, recall=None, confidence=None, b=None,
            k_b=None, assignment="interleaved", threads=0, int32=False):
    axis, n, k = _check(x, k, dim)
    _topk.check_indices(n, not int32)
    values, indices = _outputs(x, k, axis, int32)
    way = _way(x, n, k, recall, confidence, b, k_b, assignment)
    threads = _topk.whole("threads", threads, 0, 4096)
    if values.numel() > 0:
        rows = x.resolve_neg()
        layout = _topk_call.pieces(rows.shape or (1,), rows.stride() or (1,), axis)
        if layout is None:
            rows = rows.movedim(axis, -1).contiguous()
            layout = x.numel() // n, n, 1, ()
        call = _topk_call.call_of(_NUMBERS[x.dtype], n, k, way, largest, sorted, not int32, threads)
        _topk_call.run(call, x.element_size(), rows.data_ptr(), *layout, values.data_ptr(),
                  indices.data_ptr())
    return _to_axis(x, axis, values, indices)


def _in_order(values, indices, largest):
    """Best first, by keys that are ordered as the values, -0 below +0 and NaN last."""
    bits = values.view(torch.int32 if values.element_size() == 4 else torch.int16)
    limits = torch.iinfo(bits.dtype)
    keys = bits ^ ((bits >> (limits.bits - 1)) & limits.max)
    keys = (keys if largest else ~keys).masked_fill(values.isnan(), limits.min)
    order = keys.argsort(dim=-1, descending=True, stable=True)
    return values.gather(-1, order), indices.gather(-1, order)


def _by_kernels(x, k, dim=-1, largest=True, sorted=True, *, recall=None, confidence=None, b=None,
                k_b=None, assignment="interleaved", threads=0, int32=False, stream=0):
    """topk by the kernels of gpu/. x lies where they work: on the current device."""
    axis, n, k = _check(x, k, dim)
    if _NUMBERS[x.dtype] not in _topk_gpu.DTYPES:
        raise TypeError(f"x has elements of type {x.dtype}; the kernels of the GPU take float32, "
                        "float16 and bfloat16: x.float(), for example")
    way = _way(x, n, k, recall, confidence, b, k_b, assignment)
    empty, _ = _outputs(x, k, axis, int32)
    if empty.numel() == 0:
        return _to_axis(x, axis, empty, empty.to(torch.int32 if int32 else torch.int64))
    rows = (x if x.dim() > 0 else x.reshape(1)).movedim(axis, -1).reshape(-1, n)
    if rows.stride(1) != 1 or rows.stride(0) < n:
        rows = rows.contiguous()
    m = rows.shape[0]
    values, indices = rows.new_empty(m, k), rows.new_empty(m, k, dtype=torch.int32)

    def allocate(size):
        memory = rows.new_empty(size + 255, dtype=torch.uint8)
        return -(-memory.data_ptr() // 256) * 256, memory

    what = dict(x=rows.data_ptr(), m=m, n=n, stride=rows.stride(0) if m > 1 else n,
                dtype=_topk_gpu.DTYPES[_NUMBERS[x.dtype]], smallest=not largest)
    _topk_gpu.topk(what, k, way, (values.data_ptr(), indices.data_ptr()), allocate, stream)
    if sorted:
        values, indices = _in_order(values, indices, largest)
    values, indices = (out.reshape(empty.shape) for out in (values, indices))
    return _to_axis(x, axis, values, indices if int32 else indices.long())


def _on_cuda(x, *arguments, **named):
    with torch.cuda.device(x.device):
        stream = torch.cuda.current_stream().cuda_stream
        return _by_kernels(x, *arguments, **named, stream=stream)


_library.impl("topk", _on_cpu, "CPU")
_library.impl("topk", _on_cuda, "CUDA")


@registry.register_fake("recallmodel::topk", lib=_library)
def _fake(x, k, dim=-1, largest=True, sorted=True, *, recall=None, confidence=None, b=None,
          k_b=None, assignment="interleaved", threads=0, int32=False):
    axis = _topk.axis_of(dim, x.shape)
    # A length that torch.compile leaves open has no value to compare with.
    if isinstance(k, int) and isinstance(x.shape[axis] if x.dim() > 0 else 1, int):
        _check(x, k, dim)
    values, indices = _outputs(x, k, dim, int32)
    return _to_axis(x, dim, values, indices)


# ---- autograd and vmap


def _save(ctx, inputs, keyword_only_inputs, output):
    ctx.dim, ctx.shape = inputs[2], inputs[0].shape
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])


def _backward(ctx, grad, _):
    indices, = ctx.saved_tensors
    zeros = grad.new_zeros(ctx.shape)
    return (zeros.scatter(ctx.dim, indices.long(), grad), *[None] * 4)


def _vmap(info, in_dims, x, k, dim=-1, largest=True, sorted=True, **more):
    if in_dims[0] is None:
        return torch.ops.recallmodel.topk(x, k, dim, largest, sorted, **more), (None, None)
    x = x.movedim(in_dims[0], 0)
    dim = dim % max(x.dim() - 1, 1) + 1
    if x.dim() > 1:
        return torch.ops.recallmodel.topk(x, k, dim, largest, sorted, **more), (0, 0)
    found = torch.ops.recallmodel.topk(x.unsqueeze(1), k, 1, largest, sorted, **more)
    return tuple(out.squeeze(1) for out in found), (0, 0)


registry.register_autograd("recallmodel::topk", _backward, setup_context=_save, lib=_library)
registry.register_vmap("recallmodel::topk", _vmap, lib=_library)


def _in_forward_mode():
    return forward_ad._current_level >= 0


def _is_of_func(x):
    """Is x inside a transform of torch.func?"""
    return torch._C._functorch.is_functorch_wrapped_tensor(x)


def _by_gather(x, k, axis, largest, sorted, **more):
    """topk whose values have derivatives of every kind. The operator has those of the reverse mode;
    the forward mode would take its values as constants, and torch.func.grad raises an error."""
    indices = torch.ops.recallmodel.topk(x.detach(), k, axis, largest, sorted, **more)[1]
    return x.gather(axis, indices.long()), indices


def _is_plain(x):
    """May the library read x at once, without the dispatcher of PyTorch? That takes far longer than
    the call for a short row. (torch.compile follows this code, so it asks first.)"""
    if (_is_compiling() or type(x) is not _Tensor or x.requires_grad or not x.is_cpu
            or x.layout is not _strided or is_in_torch_dispatch_mode() or _is_tracing()
            or forward_ad._current_level >= 0):
        return False
    try:
        x.data_ptr()
    except RuntimeError:  # inside torch.func.vmap, for example
        return False
    return True


def is_whole(x):
    """May the library read all of x at once, in its order?"""
    return _is_plain(x) and x.is_contiguous() and not x.is_neg()


def of_whole(x, shape, same):
    """The outputs, of that shape, of a call that is as the call `same`."""
    values, indices = x.new_empty(shape), x.new_empty(shape, dtype=_INDICES[same.wide])
    _run_whole(same, _cast(_POINTER, x.data_ptr()), _cast(_POINTER, values.data_ptr()),
               _cast(_POINTER, indices.data_ptr()))
    return values, indices


_SMALL = (torch.bool, torch.uint8, torch.int16)  # int32 has all their values


def _nan_first(x, k, axis, found):
    """NaN of a row before its other elements, in results that are sorted."""
    rows, values, indices = (t.movedim(axis, -1) for t in (x, *found))
    places = rows.isnan().to(torch.int8).topk(k).indices.to(indices.dtype)
    count = rows.isnan().sum(-1, keepdim=True)
    at = torch.arange(k, device=x.device).expand(values.shape)
    others = indices.gather(-1, (at - count).clamp(min=0))
    indices = torch.where(at < count, places, others)
    return tuple(t.movedim(-1, axis) for t in (rows.gather(-1, indices.long()), indices))


def _of_integers(x, k, axis, int32, recall, b, k_b, largest, sorted, more):
    """topk of integers that the library does not take; exact of int64 is PyTorch's own."""
    if x.dtype in _SMALL:
        known = x.to(torch.int32)
    elif recall is None and b is None and k_b is None:
        values, indices = torch.topk(x, k, axis, largest, sorted)
        return values, indices.int() if int32 else indices
    elif x.numel() == 0 or (int(x.max()) <= 2**53 and int(x.min()) >= -2**53):
        known = x.double()
    else:
        raise ValueError("x has integers beyond 2**53, which bucketed top-k cannot take; leave "
                         "recall, b and k_b out, or give smaller ones")
    indices = of_tensor(known, k, recall, axis, largest, sorted, *more)[1]
    if x.dim() == 0:
        return x.expand(indices.shape).clone(), indices
    return x.gather(axis, indices.long()), indices


def of_tensor(x, k, recall, axis, largest, sorted, confidence, b, k_b, assignment, profile, threads,
              index_dtype, return_choice, nan_largest=False, out=None):
    """topk of a tensor."""
    if isinstance(index_dtype, (str, torch.dtype, type(None))):
        if index_dtype not in _INT32:
            raise ValueError(f"index_dtype = {index_dtype!r} must be int32 or int64")
        int32 = _INT32[index_dtype]
    else:
        int32 = not _topk.is_wide(index_dtype)
    way = None
    if profile is not None or return_choice:
        _, n, k = _check(x, k, axis)
        way = _way(x, n, k, recall, confidence, b, k_b, assignment, profile)
    if profile is not None:
        recall = confidence = None  # it has chosen
        if way.b > 0:
            b, k_b, assignment = way.b, way.k_b, ASSIGNMENTS[way.assignment]
    if recall is not None and type(recall) is not float:
        _topk.goal("recall", recall)  # says what is wrong
        recall = float(recall)
    nan_first = nan_largest and largest and x.is_floating_point()
    if x.dtype in _SMALL or x.dtype is torch.int64:
        axis, _, k = _check(x, k, axis)
        found = _of_integers(x, k, axis, int32, recall, b, k_b, largest, sorted,
                             (confidence, b, k_b, assignment, None, threads, index_dtype, False))
    else:
        found = _way_to(x)(x, k, axis, largest, sorted or nan_first, recall=recall,
                           confidence=confidence, b=b, k_b=k_b, assignment=assignment,
                           threads=threads, int32=int32)
    if nan_first and x.dim() > 0:
        found = _nan_first(x, k, _topk.axis_of(axis, x.shape), found)
    if out is not None:
        found = _topk_more.put_out(out, *found, torch.Tensor.copy_)
    if return_choice:
        return _topk.TopKChosen(*found, _topk.chosen(n, k, way))
    return _topk.TopK(*found)


def _way_to(x):
    """The function that calls the library for x."""
    if _is_plain(x):
        return _on_cpu
    if not torch.compiler.is_compiling() and (_in_forward_mode() or _is_of_func(x)):
        return _by_gather
    return torch.ops.recallmodel.topk
