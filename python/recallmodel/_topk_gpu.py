"""librecallmodel-gpu: top-k by the CUDA kernels of gpu/topk_gpu.h.

The library is a part of `make gpu`. It works on device memory, so NumPy has no part here.
"""
import functools

from . import _topk
from ._library import ffi, load, model, new, text_of
from ._profiles import _device_meant, _profile_for
from ._select import select

NAMES = {model.RCM_TOP_K_F32: "f32", model.RCM_TOP_K_F16: "f16", model.RCM_TOP_K_BF16: "bf16"}
DTYPES = {model.RCM_TOP_K_F32: model.RCM_GPU_F32, model.RCM_TOP_K_F16: model.RCM_GPU_F16,
          model.RCM_TOP_K_BF16: model.RCM_GPU_BF16}


@functools.lru_cache(maxsize=None)
def gpu():
    """The library; RuntimeError if it was not built."""
    try:
        return load("librecallmodel-gpu")
    except ImportError:
        raise RuntimeError("x is a CUDA tensor, but librecallmodel-gpu.so was not built: run make "
                           "gpu in the source tree (it needs nvcc), or give x.cpu()") from None


@functools.lru_cache(maxsize=4096)
def choose(n, m, k, recall, confidence, card, dtype):
    """The Way on a card with the name that CUDA gives it: the verdict of select between our kernels
    and torch.topk. Exact where our kernels are not known to run."""
    _topk.check_goal(recall, confidence, k)
    row, others = _device_meant(card)
    if row is None or others or _profile_for(row, None, "ours", dtype) is None:
        return _topk.EXACT
    if k >= n or float(recall) == 1.0:  # nothing to search
        return _topk.EXACT
    choice = select(n, k, recall, m=m, confidence=confidence, device=text_of(row.name),
                    kernel="ours", objective="time", dtype=dtype, have=["recallmodel"])
    if choice.verdict != "buckets":
        return _topk.EXACT._replace(choice=choice)
    return _topk.Way(model.RCM_TOP_K_BUCKETED, choice.b, choice.k_b, model.RCM_INTERLEAVED, choice)


def topk(rows, k, way, outputs, allocate, stream=0, library=None, lengths=0, starts=0):
    """Starts top-k of the rows, a dict of struct rcm_gpu_rows. The outputs come in the order of the
    indices.

    rows["x"], outputs (m x k values and as many int32), stream, lengths and starts (of each row; 0:
    none): addresses. allocate(bytes): memory of the device at a multiple of 256, as its address and
    what keeps it.
    """
    library = library or gpu()
    values, indices = outputs
    call = dict(rows={**rows, "x": ffi.cast("void *", rows["x"])}, k=k, deterministic=True,
                values=ffi.cast("void *", values), indices=ffi.cast("void *", indices),
                lengths=ffi.cast("int32_t *", lengths), starts=ffi.cast("int32_t *", starts))
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
    if status != 0:
        raise ValueError(f"librecallmodel-gpu: {text_of(library.rcm_gpu_message(status))}; see "
                         "gpu/topk_gpu.h, or give x.cpu()")
