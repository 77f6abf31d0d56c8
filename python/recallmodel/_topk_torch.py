"""torch.ops.recallmodel.topk: top-k of tensors, under autograd, torch.func.vmap and torch.compile.

register_torch imports this. PyTorch of version 2.5 or newer.
"""
import numpy
import torch
from torch import library as registry

if not hasattr(registry, "register_vmap"):
    raise ImportError(f"PyTorch {torch.__version__} cannot register recallmodel::topk; install 2.5 "
                      "or newer, or give x.numpy()")

from torch.autograd import forward_ad
from torch.utils._python_dispatch import is_in_torch_dispatch_mode

from . import _topk, _topk_call, _topk_more, _topk_ragged
from ._library import ASSIGNMENTS, ffi
from ._topk_tensor import INDICES, SMALL, check, on_cpu, on_cuda, outputs, to_axis, way_of

_INT32 = {None: False, "int64": False, "int32": True, torch.int64: False, torch.int32: True}

# Looked up once.
_is_compiling, _is_tracing = torch.compiler.is_compiling, torch._C._is_tracing
_Tensor, _strided = torch.Tensor, torch.strided
_run_whole, _cast, _POINTER = _topk_call.run_whole, ffi.cast, ffi.typeof("void *")

_library = registry.Library("recallmodel", "DEF")
# Tensors are no keyword arguments, which autograd and vmap of a library do not know.
_library.define(
    "topk(Tensor x, SymInt k, int dim=-1, bool largest=True, bool sorted=True, "
    "Tensor? lengths=None, Tensor? starts=None, *, "
    "float? recall=None, float? confidence=None, SymInt? b=None, SymInt? k_b=None, "
    "str assignment='interleaved', int threads=0, bool int32=False, "
    "bool? deterministic=None, int fill=-1, bool values=True) -> "
    "(Tensor values, Tensor indices)", tags=(torch.Tag.pt2_compliant_tag,))
_library.impl("topk", on_cpu, "CPU")
_library.impl("topk", on_cuda, "CUDA")


@registry.register_fake("recallmodel::topk", lib=_library)
def _fake(x, k, dim=-1, largest=True, sorted=True, lengths=None, starts=None, *, int32=False,
          values=True, **more):
    axis = _topk.axis_of(dim, x.shape)
    # A length that torch.compile leaves open has no value to compare with.
    if isinstance(k, int) and isinstance(x.shape[axis] if x.dim() > 0 else 1, int):
        check(x, k, dim, lengths is not None)
    return to_axis(x, dim, *outputs(x, k, dim, int32, values))


# ---- autograd and vmap


def _refuse_ragged(lengths):
    if lengths is not None:
        raise TypeError("topk with lengths has no derivative, and torch.func does not take it; "
                        "give x.detach(), outside of torch.func")


def _save(ctx, inputs, keyword_only_inputs, output):
    _refuse_ragged(inputs[5])
    ctx.dim, ctx.shape = inputs[2], inputs[0].shape
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])


def _backward(ctx, grad, _):
    indices, = ctx.saved_tensors
    zeros = grad.new_zeros(ctx.shape)
    return (zeros.scatter(ctx.dim, indices.long(), grad), *[None] * 6)


def _vmap(info, in_dims, x, k, dim=-1, largest=True, sorted=True, lengths=None, starts=None,
          **more):
    _refuse_ragged(lengths)
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
    if (_is_compiling() or type(x) is not _Tensor or x.requires_grad
            or not (x.is_cpu or x.is_cuda) or x.layout is not _strided
            or is_in_torch_dispatch_mode() or _is_tracing() or forward_ad._current_level >= 0):
        return False
    try:
        x.data_ptr()
    except RuntimeError:  # inside torch.func.vmap, for example
        return False
    return True


def is_whole(x):
    """May the library of the CPU read all of x at once, in its order?"""
    return _is_plain(x) and x.is_cpu and x.is_contiguous() and not x.is_neg()


def of_whole(x, shape, same):
    """The outputs, of that shape, of a call that is as the call `same`."""
    values, indices = x.new_empty(shape), x.new_empty(shape, dtype=INDICES[same.wide])
    _run_whole(same, _cast(_POINTER, x.data_ptr()), _cast(_POINTER, values.data_ptr()),
               _cast(_POINTER, indices.data_ptr()))
    return values, indices


def _nan_first(x, k, axis, found):
    """NaN of a row before its other elements, in results that are sorted."""
    rows, values, indices = (t.movedim(axis, -1) for t in (x, *found))
    places = rows.isnan().to(torch.int8).topk(k).indices.to(indices.dtype)
    count = rows.isnan().sum(-1, keepdim=True)
    at = torch.arange(k, device=x.device).expand(values.shape)
    others = indices.gather(-1, (at - count).clamp(min=0))
    indices = torch.where(at < count, places, others)
    return to_axis(x, axis, rows.gather(-1, indices.long()), indices)


def _of_integers(x, k, axis, int32, recall, b, k_b, largest, sorted, more):
    """topk of integers that the library does not take; exact of int64 is PyTorch's own."""
    if x.dtype in SMALL:
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


def _ragged(x, axis, lengths, starts):
    """Lengths and starts (None: 0) as int32 tensors where x lies, one for each row. What lies on
    the host is checked; tensors on a GPU are not, which would wait for it."""
    check(x, 0, axis, True)
    lead, width = x.shape[:-1], x.shape[-1]
    if x.dim() == 1 and starts is not None and numpy.ndim(starts) > 0:
        raise ValueError("rows that are joined are read on a CPU alone; give rows of one width "
                         "with lengths, or x.cpu()")
    given = [one for one in (lengths, starts) if one is not None]
    is_there = any(isinstance(one, _Tensor) and not one.is_cpu for one in given)
    if not is_there and not _is_compiling():
        _, _, *given = _topk_ragged.places(tuple(x.shape), lengths, starts)
        if x.is_cuda and torch.cuda.is_current_stream_capturing() and any(
                numpy.ndim(one) > 0 for one in (lengths, starts) if one is not None):
            raise ValueError("a CUDA graph cannot capture lengths and starts from the host; give "
                             "CUDA tensors")
        found = [torch.full(lead, int(one.flat[0]), dtype=torch.int32, device=x.device)
                 if one.size > 0 and (one == one.flat[0]).all()
                 else torch.as_tensor(one.astype(numpy.int32)).to(x.device) for one in given]
        return found if starts is not None else [found[0], None]
    found = []
    for name, one in (("lengths", width - starts if lengths is None else lengths),
                      ("starts", starts)):
        if one is not None:
            one = torch.as_tensor(one, device=x.device)
            if one.is_floating_point() or one.is_complex():
                raise TypeError(f"{name} must be integers, not {one.dtype}")
            one = one.to(torch.int32).expand(lead).contiguous()
        found.append(one)
    return found


def _copy(own, result):
    """Copies a result into that of out, unless it was written there."""
    if _is_compiling() or own.data_ptr() != result.data_ptr():
        own.copy_(result)


def of_tensor(x, k, recall, axis, largest, sorted, confidence, b, k_b, assignment, profile, threads,
              index_dtype, return_choice, nan_largest=False, out=None, deterministic=None,
              values=True, ragged=None):
    """topk of a tensor. ragged: lengths, starts and fill."""
    if isinstance(index_dtype, (str, torch.dtype, type(None))):
        if index_dtype not in _INT32:
            raise ValueError(f"index_dtype = {index_dtype!r} must be int32 or int64")
        int32 = _INT32[index_dtype]
    else:
        int32 = not _topk.is_wide(index_dtype)
    more = {}
    if ragged is not None and _way_to(x) is on_cpu:
        return _topk_ragged.topk(
            x, k, axis, *ragged, largest, sorted, recall=recall, confidence=confidence, b=b,
            k_b=k_b, assignment=assignment, profile=profile, threads=threads,
            nan_largest=nan_largest, index_dtype="int32" if int32 else "int64", out=out,
            return_choice=return_choice, is_tensor=True, with_values=values)
    if ragged is not None:
        if nan_largest:
            raise ValueError("nan='largest' does not go with lengths and starts; leave it out")
        if not _is_compiling() and (_in_forward_mode() or _is_of_func(x)):
            _refuse_ragged(ragged)
        more["lengths"], more["starts"] = _ragged(x, axis, *ragged[:2])
        more["fill"] = int(ragged[2])
    if profile is not None or return_choice:
        _, n, k = check(x, k, axis, ragged is not None)
        way = way_of(x, n, k, recall, confidence, b, k_b, assignment, profile, ragged is not None)
        choice = (_topk.chosen(n, k, way) if ragged is None else
                  _topk_ragged.chosen(n, k, way, numpy.array([n])))
        if profile is not None:
            recall = confidence = None  # it has chosen
            if way.b > 0:
                b, k_b, assignment = way.b, way.k_b, ASSIGNMENTS[way.assignment]
    if recall is not None and type(recall) is not float:
        _topk.goal("recall", recall)  # says what is wrong
        recall = float(recall)
    nan_first = nan_largest and largest and x.is_floating_point()
    if (x.dtype in SMALL or x.dtype is torch.int64) and not x.is_cuda:
        axis, _, k = check(x, k, axis)
        found = _of_integers(x, k, axis, int32, recall, b, k_b, largest, sorted,
                             (confidence, b, k_b, assignment, None, threads, index_dtype, False))
    else:
        if _is_plain(x):  # these write into out
            more["out"] = None if nan_first else out
        found = _way_to(x)(x, k, axis, largest, sorted or nan_first, recall=recall,
                           confidence=confidence, b=b, k_b=k_b, assignment=assignment,
                           threads=threads, int32=int32, deterministic=deterministic,
                           values=values or nan_first, **more)
    if nan_first and x.dim() > 0:
        found = _nan_first(x, k, _topk.axis_of(axis, x.shape), found)
    if not values:
        found = None, found[1]
    if out is not None:
        found = _topk_more.put_out(out, *found, _copy)
    return _topk.TopKChosen(*found, choice) if return_choice else _topk.TopK(*found)


def _way_to(x):
    """The function that calls the library for x."""
    if _is_plain(x):
        return on_cpu if x.is_cpu else on_cuda
    if not torch.compiler.is_compiling() and (_in_forward_mode() or _is_of_func(x)):
        return _by_gather
    return torch.ops.recallmodel.topk
