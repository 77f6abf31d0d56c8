"""librecallmodel-gpu: top-k by the CUDA kernels of gpu/topk_gpu.h.

The library works on device memory, so NumPy and PyTorch have no part here.
"""
import functools
import warnings

from . import _topk
from ._library import ffi, load, model, new, text_of
from ._profiles import _device_meant, _profile_for
from ._select import select

NAMES = {model.RCM_TOP_K_F32: "f32", model.RCM_TOP_K_F16: "f16", model.RCM_TOP_K_BF16: "bf16"}
DTYPES = {model.RCM_TOP_K_F32: model.RCM_GPU_F32, model.RCM_TOP_K_F16: model.RCM_GPU_F16,
          model.RCM_TOP_K_BF16: model.RCM_GPU_BF16}

# What the kernels do not run, so that another way is taken; any other status is a fault.
_REFUSED = (model.RCM_GPU_NO_DEVICE, model.RCM_GPU_BAD_SHAPE, model.RCM_GPU_BAD_TYPE,
            model.RCM_GPU_UNSUPPORTED)


class Refused(Exception):
    """The kernels do not run this call."""


@functools.lru_cache(maxsize=None)
def warn(why):
    """Says once why PyTorch's own functions run in place of the kernels."""
    warnings.warn(f"topk of this CUDA tensor is by torch.topk, not by our kernels: {why}",
                  RuntimeWarning, stacklevel=2)


@functools.lru_cache(maxsize=None)
def gpu():
    """The library; None, and a warning, where there is none that loads."""
    try:
        return load("librecallmodel-gpu")
    except (ImportError, OSError) as error:
        mend = "" if "[cuda]" in str(error) else "; pip install 'recallmodel[cuda]'"
        warn(f"{error}{mend}")
        return None


@functools.lru_cache(maxsize=4096)
def choose(n, m, k, recall, confidence, profile, card, dtype):
    """The Way on a card with the name that CUDA gives it, or on that of a profile: the verdict of
    select between our kernels and torch.topk. Exact where our kernels are not known to run."""
    _topk.check_goal(recall, confidence, k)
    row, others = _device_meant(card)
    if profile is None and (row is None or others
                            or _profile_for(row, None, "ours", dtype) is None):
        return _topk.EXACT
    if k >= n or float(recall) == 1.0:  # nothing to search
        return _topk.EXACT
    where = (dict(device=text_of(row.name), kernel="ours") if profile is None
             else dict(profile=profile))
    choice = select(n, k, recall, m=m, confidence=confidence, objective="time", dtype=dtype,
                    have=["recallmodel"], **where)
    if choice.verdict != "buckets":
        return _topk.EXACT._replace(choice=choice)
    return _topk.Way(model.RCM_TOP_K_BUCKETED, choice.b, choice.k_b, model.RCM_INTERLEAVED, choice)


def topk(library, rows, k, way, allocate, stream=0, **fields):
    """Starts top-k of the rows, a dict of struct rcm_gpu_rows. Refused: the kernels do not run it.

    fields: of struct rcm_gpu_exact and rcm_gpu_two_stage alike; stream and those that are pointers
    are addresses. allocate(bytes): memory of the device at a multiple of 256, as its address and
    what keeps it.
    """
    call = dict(rows={**rows, "x": ffi.cast("void *", rows["x"])}, k=k, **fields)
    for name in ("values", "indices", "lengths", "starts"):
        call[name] = ffi.cast("void *", call.get(name, 0))
    if way.method == model.RCM_TOP_K_EXACT:
        call = new("rcm_gpu_exact", **call)
        needs, run = library.rcm_gpu_exact_workspace, library.rcm_gpu_exact
    else:
        call = new("rcm_gpu_two_stage", **call, b=way.b, k_b=way.k_b, assignment=way.assignment)
        needs, run = library.rcm_gpu_two_stage_workspace, library.rcm_gpu_two_stage
    size = ffi.new("size_t *")
    status = needs(call, size)
    if status == 0:
        workspace, keep = allocate(size[0]) if size[0] else (0, None)
        status = run(call, ffi.cast("void *", workspace), size[0],
                     ffi.cast("rcm_gpu_stream", stream))
        del keep  # the allocator of PyTorch gives it only to later work of the same stream
    if status in _REFUSED:
        raise Refused(text_of(library.rcm_gpu_message(status)))
    if status != 0:
        raise RuntimeError(f"librecallmodel-gpu: {text_of(library.rcm_gpu_message(status))}")
