"""librecallmodel-gpu: top-k by the CUDA kernels of gpu/topk_gpu.h.

The library is a part of `make gpu`. It works on device memory, so NumPy has no part here.
"""
import dataclasses
import functools
import math

from . import _topk
from ._arrays import goal
from ._library import ffi, load, model, new, text_of
from ._model import _machine, _row_named
from ._profiles import _device_meant, _profile_for
from ._select import _choice_of, _contender_of

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


# ---- what to run

PACKAGES = {"recallmodel", "torch"}  # of the exact kernels that are here; the buckets are ours


def _judge(selection, found):
    """The verdict between what is here, as deploy and the like of struct rcm_choice. Returns the
    contenders, that of the verdict first."""
    answer, first = new("rcm_answer"), ffi.new("size_t *")
    model.rcm_answer(selection, found, answer)
    here = [one for one in answer.of[0:answer.count]
            if one.kind == model.RCM_CONTENDER_BUCKETS or text_of(one.package) in PACKAGES]
    of = ffi.new("struct rcm_contender[]", here)
    verdict = model.rcm_verdict(of, len(here), first)
    best = of + first[0]
    exact = min((one.time_us for one in here if one.callable and one.loss == 0), default=math.nan)
    buckets = next(one for one in of if one.kind == model.RCM_CONTENDER_BUCKETS)
    found.exact_objective, found.over_exact = exact, found.objective / exact
    found.deploy = (model.RCM_DEPLOY_BUCKETED if verdict == model.RCM_VERDICT_BUCKETS
                    else model.RCM_DEPLOY_EXACT)
    found.too_close = (verdict == model.RCM_VERDICT_EXACT
                       and not model.rcm_surely_faster(best, ffi.addressof(buckets)))
    found.reason = model.RCM_REASON_TOO_CLOSE if found.too_close else model.RCM_REASON_LEAST
    rest = [one for i, one in enumerate(here) if i != first[0]]
    return [_contender_of(one) for one in (best[0], *rest)]


@functools.lru_cache(maxsize=4096)
def choose(n, m, k, recall, confidence, card, dtype):
    """The Way on a card with the name that CUDA gives it: the verdict of the model between our
    kernels and torch.topk. Exact where there is no profile of our kernels on the card."""
    row, others = _device_meant(card)
    profile = _profile_for(row, None, "ours", dtype) if row is not None and not others else None
    call, found = _topk.found_for(n, m, k, recall, confidence, profile)
    if profile is None or call.method == model.RCM_TOP_K_EXACT:
        return _topk.EXACT
    machine = _machine(profile, row, dtype)
    selection = new("rcm_selection", p=dict(n=n, k=k, m=m), machine=machine[0],
                    target=dict(loss=goal("recall", recall, k).loss),
                    objective=_row_named(model.rcm_objective, "time", "objective"),
                    kernel=profile._row.kernel)
    contenders = tuple(_judge(selection, found))
    choice = dataclasses.replace(_choice_of(selection, found, profile), contenders=contenders)
    if choice.verdict != "buckets":
        return _topk.EXACT._replace(choice=choice)
    return _topk.Way(call.method, call.b, call.k_b, call.assignment, choice)


def topk(rows, k, way, outputs, allocate, stream=0, library=None):
    """Starts top-k of the rows, a dict of struct rcm_gpu_rows. The outputs come in the order of the
    indices.

    rows["x"], outputs (m x k values and as many int32), stream: addresses. allocate(bytes): memory
    of the device at a multiple of 256, as its address and what keeps it.
    """
    library = library or gpu()
    values, indices = outputs
    call = dict(rows={**rows, "x": ffi.cast("void *", rows["x"])}, k=k, deterministic=True,
                values=ffi.cast("void *", values), indices=ffi.cast("int32_t *", indices))
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
