"""Recall, cost, time and selection: a function for each one of model/recallmodel.h."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union, overload

import numpy
from numpy import float64, int64

from . import _library as lib
from ._arrays import (Lengths, Numbers, Recall, count, counts, each, evaluate, fraction, fractions,
                      goal, in_domain, lengths_of, shape_of, shapes)
from ._library import Assignment, CostModel, Dtype, Path, ffi, model, rows_of, text_of
from ._profiles import Profile, _profile_of_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Targets = Union[Recall, Numbers]


def version() -> str:
    """The version of the C library."""
    return text_of(model.rcm_version())


# ---- recall

# Numbers give a number, arrays an array: a function has both signatures.


class _OfShapes(Protocol):
    @overload
    def __call__(self, n: int, k: int, b: int, k_b: int, *, valid: int = 0,
                 assignment: Assignment = "interleaved", lengths: Lengths = None) -> float: ...
    @overload
    def __call__(self, n: Numbers, k: Numbers, b: Numbers, k_b: Numbers, *, valid: Numbers = 0,
                 assignment: Assignment = "interleaved",
                 lengths: Lengths = None) -> NDArray[float64]: ...


def _shape_function(name: str, text: str, c_name: Optional[str] = None) -> _OfShapes:
    function = getattr(model, "rcm_" + (c_name or name))

    def of_shapes(n, k, b, k_b, *, valid=0, assignment="interleaved", lengths=None):
        own = lengths_of(lengths)
        return evaluate(function, in_domain(shapes(assignment, own, n=n, k=k, b=b, k_b=k_b,
                                                   valid=valid)))

    of_shapes.__name__ = of_shapes.__qualname__ = name
    of_shapes.__doc__ = f"""{text}

    n: elements in a row. k: elements wanted. b: buckets. k_b: elements kept per bucket. All are
    whole numbers or arrays of them, which are broadcast.
    valid: the number of elements of a row that exist; the rest is padding (0: all exist).
    assignment: interleaved, contiguous or contiguous-floor.
    lengths: in place of valid, the length of each row, from 0 to n; the result is of a row drawn
    from them (a recall is the mean). A row of at most k elements loses nothing. Of more than 256
    lengths, neighbours are put together, which moves a mean by less than 1/256.
    Returns float64 of the broadcast shape. Outside the domain (1 <= k <= n < 2^53, 1 <= b <= n,
    k_b >= 1): NaN in arrays, ValueError for numbers.
    """
    return of_shapes  # type: ignore[return-value]


recall = _shape_function(
    "recall",
    """Expected share of the true top-k that survives, if they lie anywhere with equal probability.

    Error below 2.2e-16.""",
    "recall_exact")
loss = _shape_function(
    "loss", "1 - recall, without the cancellation. Relative error below 1e-13.", "loss_exact")
recall_binomial = _shape_function(
    "recall_binomial",
    "The approximation of Key et al., Eq. (1). It does not depend on n and is at most the recall.")
loss_binomial = _shape_function("loss_binomial", "1 - recall_binomial, without the cancellation.")
loss_bound = _shape_function("loss_bound", "An upper bound on the loss, in closed form.")
recall_sd = _shape_function("recall_sd", "Standard deviation of the recall of one row.")
recall_worst_case = _shape_function(
    "recall_worst_case", "Recall if the top-k lie in as few buckets as possible.")
probability_exact = _shape_function("probability_exact", "Probability that a row loses nothing.")


@overload
def survival(n: int, k: int, b: int, k_b: int, rank: int) -> float: ...
@overload
def survival(n: Numbers, k: Numbers, b: Numbers, k_b: Numbers,
             rank: Numbers) -> NDArray[float64]: ...
def survival(n: Numbers, k: Numbers, b: Numbers, k_b: Numbers, rank: Numbers) -> Any:
    """Probability that the element of this rank (1: the largest, up to k) survives stage 1.

    Whole numbers or arrays, broadcast. Returns float64 of the broadcast shape. Outside the domain:
    NaN in arrays, ValueError for numbers.
    """
    (ranks,) = counts(rank=rank)
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b), ranks)
    if array.ndim == ranks.ndim == 0 and not 1 <= ranks <= array["k"]:
        raise ValueError(f"rank = {ranks} is larger than k = {array['k']}; give ranks from 1 to k"
                         if ranks else "rank is zero; give a whole number from 1 on")
    return each(lambda p, r: model.rcm_survival(p, int(r)), float, array, ranks)


def _one_shape(n, k, b, k_b, lengths=ffi.NULL):
    """struct rcm_topk of whole numbers, which are in the domain. lengths: of lengths_of."""
    named = {"n": n, "k": k, "b": b, "k_b": k_b}
    counted = {name: count(name, value) for name, value in named.items()}
    return shape_of(in_domain(shapes(lengths=lengths, **counted)))


def lost_distribution(n: int, k: int, b: int, k_b: int, *,
                      lengths: Lengths = None) -> tuple[NDArray[int64], NDArray[float64]]:
    """The distribution of the number of elements that one row loses. One shape, no arrays.

    lengths: the length of each row, as for recall; the row is drawn from them.
    Returns (lost, probability), two arrays of one dimension and of the same length. ValueError if
    the distribution is too wide or takes too long to compute.
    """
    own = lengths_of(lengths)
    dist, shape = lib.new("rcm_lost"), _one_shape(n, k, b, k_b, own)
    if model.rcm_lost(shape, dist) != 0:
        raise ValueError("the distribution of this shape is too wide, or would take too long")
    try:
        first = dist.first
        probability = numpy.array(ffi.unpack(dist.probability, dist.length))
    finally:
        model.rcm_lost_free(dist)
    probability = probability[:max(shape.k - first + 1, 0)]  # more than k are never lost
    return numpy.arange(first, first + len(probability)), probability


@overload
def recall_quantile(n: int, k: int, b: int, k_b: int, probability: float, m: int = 1, *,
                    lengths: Lengths = None) -> float: ...
@overload
def recall_quantile(n: Numbers, k: Numbers, b: Numbers, k_b: Numbers, probability: Numbers,
                    m: Numbers = 1, *, lengths: Lengths = None) -> NDArray[float64]: ...
def recall_quantile(n: Numbers, k: Numbers, b: Numbers, k_b: Numbers, probability: Numbers,
                    m: Numbers = 1, *, lengths: Lengths = None) -> Any:
    """The recall that all of m rows reach together with this probability, in (0, 1].

    lengths: the length of each row, as for recall; the m rows are drawn from them.
    Arrays are broadcast. NaN where the distribution is too wide to compute. Outside the
    domain: NaN in arrays, ValueError for numbers.
    """

    def one(p, probability):
        return model.rcm_recall_quantile(p, float(probability), max(p.m, 1))

    own = lengths_of(lengths)
    array = in_domain(shapes(lengths=own, n=n, k=k, b=b, k_b=k_b, m=m), probability)
    if array.ndim == 0 and numpy.ndim(probability) == 0:
        probability = fraction("probability", probability)
    return each(one, float, array, numpy.asarray(probability, dtype=float))


# ---- buckets for a target


def _target(recall, align=1, divisors=False):
    return lib.new("rcm_target", loss=goal("target", recall).loss, align=align,
                   divisors=bool(divisors))[0]


@overload
def smallest_b(n: int, k: int, k_b: int, target: Recall, *, align: int = 1,
               divisors: bool = False, lengths: Lengths = None) -> int64: ...
@overload
def smallest_b(n: Numbers, k: Numbers, k_b: Numbers, target: Numbers, *, align: int = 1,
               divisors: bool = False, lengths: Lengths = None) -> NDArray[int64]: ...
def smallest_b(n: Numbers, k: Numbers, k_b: Numbers, target: Targets, *, align: int = 1,
               divisors: bool = False, lengths: Lengths = None) -> Any:
    """The smallest b whose expected recall reaches `target`; 0 if there is none.

    target: a recall in (0, 1], a number or an array. align: b must be a multiple of it. divisors:
    b must divide n. lengths: the length of each row, as for recall, whose mean reaches the target.
    Returns int64 of the broadcast shape.
    """
    align, own = count("align", align), lengths_of(lengths)
    array = in_domain(shapes(lengths=own, n=n, k=k, k_b=k_b), target, b=1)
    return each(lambda p, r: model.rcm_smallest_b(p, _target(r, align, divisors)), numpy.int64,
                array, fractions("target", target))


@overload
def largest_k(n: int, b: int, k_b: int, target: Recall) -> int64: ...
@overload
def largest_k(n: Numbers, b: Numbers, k_b: Numbers, target: Numbers) -> NDArray[int64]: ...
def largest_k(n: Numbers, b: Numbers, k_b: Numbers, target: Targets) -> Any:
    """The largest k whose recall reaches `target` in rows of n, with b buckets of k_b; 0 if none.

    Returns int64 of the broadcast shape.
    """
    array = in_domain(shapes(n=n, b=b, k_b=k_b), target, k=1)
    return each(lambda p, r: model.rcm_largest_k(p, _target(r)), numpy.int64, array,
                fractions("target", target))


@overload
def largest_n(k: int, b: int, k_b: int, target: Recall) -> int64: ...
@overload
def largest_n(k: Numbers, b: Numbers, k_b: Numbers, target: Numbers) -> NDArray[int64]: ...
def largest_n(k: Numbers, b: Numbers, k_b: Numbers, target: Targets) -> Any:
    """The largest n in which b buckets of k_b keep k elements with a recall of `target`.

    It is 2^53 - 1 if every n reaches the target. Returns int64 of the broadcast shape.
    """
    array = in_domain(shapes(k=k, b=b, k_b=k_b), target, n=2**53 - 1)
    return each(lambda p, r: model.rcm_largest_n(p, _target(r)), numpy.int64, array,
                fractions("target", target))


@overload
def xla_b(n: int, k: int, target: Recall, m: int = 1, rank: Optional[int] = None) -> int64: ...
@overload
def xla_b(n: Numbers, k: Numbers, target: Numbers, m: Numbers = 1,
          rank: Optional[int] = None) -> NDArray[int64]: ...
def xla_b(n: Numbers, k: Numbers, target: Targets, m: Numbers = 1,
          rank: Optional[int] = None) -> Any:
    """The number of buckets that XLA's approx_max_k takes for this recall_target.

    0: it sorts the whole row. Returns int64 of the broadcast shape.
    rank: the rank of the array. A vector (1) has tiles of 1024, the rows of an array (2 or more)
    tiles of 128, so that short rows are not sorted and a small k takes fewer buckets. Without a
    rank, a single row (m = 1) is a vector.
    """
    if rank is not None:
        m = 2 if count("rank", rank, 1) > 1 else 1
    array = in_domain(shapes(n=n, k=k, b=1, k_b=1, m=m), target)
    return each(lambda p, r: model.rcm_xla_b(p, goal("target", r).loss), numpy.int64, array,
                fractions("target", target))


# ---- cost and time


def _row_named(registry, name, what):
    """A pointer to the row of this name in one of the library's registries."""
    rows = {text_of(row.name): row for row in rows_of(registry)}
    if not isinstance(name, str) or name not in rows:
        raise ValueError(f"{what} {name!r} is not known; there are {', '.join(rows)}")
    return rows[name]


def _machine(profile=None, device=None, dtype="f32"):
    """struct rcm_machine. It points to the profile and the device, so the caller must keep both."""
    return lib.new("rcm_machine", dtype=lib.number_of(dtype, Dtype, "dtype"),
                   profile=ffi.NULL if profile is None else profile._row,
                   device=ffi.NULL if device is None else device)


@overload
def cost(model: CostModel, n: int, k: int, b: int, k_b: int, m: int = 1) -> float: ...
@overload
def cost(model: CostModel, n: Numbers, k: Numbers, b: Numbers, k_b: Numbers,
         m: Numbers = 1) -> NDArray[float64]: ...
def cost(model: CostModel, n: Numbers, k: Numbers, b: Numbers, k_b: Numbers, m: Numbers = 1) -> Any:
    """Cost of both stages in a cost model (basic, serial or parallel), in the unit of that model.

    Arrays are broadcast. Returns float64.
    """
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b, m=m))
    _row_named(lib.model.rcm_cost_model, model, "cost model")
    return evaluate(_row_named(lib.model.rcm_objective, model, "objective"), array)


@overload
def predict_us(profile: Union[Profile, Path], n: int, k: int, b: int, k_b: int,
               m: int = 1) -> float: ...
@overload
def predict_us(profile: Union[Profile, Path], n: Numbers, k: Numbers, b: Numbers, k_b: Numbers,
               m: Numbers = 1) -> NDArray[float64]: ...
def predict_us(profile: Union[Profile, Path], n: Numbers, k: Numbers, b: Numbers, k_b: Numbers,
               m: Numbers = 1) -> Any:
    """Predicted time of both stages in microseconds. Arrays are broadcast.

    NaN where the profile predicts no time. Outside the domain: NaN in arrays, ValueError for
    numbers. profile: a Profile, the name of a device that has one, or the path of a file.
    """
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b, m=m))
    profile = _profile_of_any(profile)
    return evaluate(_row_named(model.rcm_objective, "time", "objective"), array, _machine(profile))


@overload
def exact_time_us(profile: Union[Profile, Path], n: int, k: int, m: int = 1) -> float: ...
@overload
def exact_time_us(profile: Union[Profile, Path], n: Numbers, k: Numbers,
                  m: Numbers = 1) -> NDArray[float64]: ...
def exact_time_us(profile: Union[Profile, Path], n: Numbers, k: Numbers, m: Numbers = 1) -> Any:
    """Predicted time of the exact top-k in microseconds; the rest is as for predict_us.

    Where rows padded to a longer n take less, it is their time.

    NaN also if the runs of the profile have no exact top-k among them.
    """
    own = _profile_of_any(profile)
    array = in_domain(shapes(n=n, k=k, b=1, k_b=1, m=m))
    return each(lambda p: model.rcm_predict_exact(own._row, p), float, array)


# ---- exact top-k by threshold


@dataclasses.dataclass(frozen=True)
class Reaching:
    """The number of elements of a row that are at least the k-th largest candidate.

    mean, sd: of this number. quantile: all rows but the given share have at most so many (None:
    not known).
    """
    mean: float
    sd: float
    quantile: Optional[int]


def reaching(n: int, k: int, b: int, k_b: int, share: float = 1e-6) -> Reaching:
    """How many elements exact top-k by threshold collects in its second pass. One shape, no arrays.

    share: the share of rows that may collect more elements than the quantile. ValueError if fewer
    than k elements survive stage 1, so that there is no threshold, or if the distribution is
    too wide to compute.
    """
    shape = _one_shape(n, k, b, k_b)
    if numpy.isnan(model.rcm_reaching_above(shape, 0)):
        raise ValueError(f"b = {b} with k_b = {k_b} keeps fewer than k = {k} elements of n = {n}")
    found = model.rcm_reaching(shape)
    if numpy.isnan(found.mean):
        raise ValueError(f"b = {b} with k_b = {k_b}: the distribution is too wide to compute")
    quantile = model.rcm_reaching_quantile(shape, fraction("share", share))
    return Reaching(found.mean, found.sd, quantile or None)


# ---- the best blocks, then the top-k inside them


def _of_blocks(function, result, *arrays):
    """function(struct rcm_blocks, ..) for each element of n, k, block, blocks and more arrays."""
    arrays = numpy.broadcast_arrays(*arrays)
    out = numpy.empty(arrays[0].shape, dtype=result)
    for place in numpy.ndindex(out.shape):
        n, k, block, blocks = (int(values[place]) for values in arrays[:4])
        shape = lib.new("rcm_blocks", n=n, k=k, size=block, kept=blocks)[0]
        status = model.rcm_blocks_check(shape)
        if status != 0 and out.ndim == 0:
            text = ffi.new("char[]", 200)
            model.rcm_blocks_status_text(status, shape, text, len(text))
            raise ValueError(text_of(text))
        out[place] = function(shape, *(float(values[place]) for values in arrays[4:]))
    return out[()]


class _OfBlocks(Protocol):
    @overload
    def __call__(self, n: int, k: int, blocks: int, *, block: int = 8) -> float: ...
    @overload
    def __call__(self, n: Numbers, k: Numbers, blocks: Numbers, *,
                 block: Numbers = 8) -> NDArray[float64]: ...


def _blocks_function(name: str, text: str) -> _OfBlocks:
    function = getattr(model, "rcm_" + name)

    def of_blocks(n, k, blocks, *, block=8):
        return _of_blocks(function, float, *counts(n=n, k=k, block=block, blocks=blocks))

    of_blocks.__name__ = of_blocks.__qualname__ = name
    of_blocks.__doc__ = f"""{text}

    A row of n keys is cut into blocks of `block` neighbours; the last one may have fewer. As many
    blocks as `blocks` says are kept, those with the largest maxima. The answer is the exact top-k
    of the keys inside them. The top-k lie anywhere in the row with equal probability.
    Whole numbers or arrays, broadcast. Returns float64 of the broadcast shape. Outside the domain
    (1 <= k <= blocks * block): NaN in arrays, ValueError for numbers.
    """
    return of_blocks  # type: ignore[return-value]


blocks_recall = _blocks_function(
    "blocks_recall", "Expected recall of the exact top-k inside the best blocks.")
blocks_loss = _blocks_function(
    "blocks_loss", "1 - blocks_recall, without the cancellation. Relative error below 1e-12.")
blocks_sd = _blocks_function(
    "blocks_sd", "Standard deviation of the recall of one row, if the best blocks are kept.")


@overload
def blocks_smallest(n: int, k: int, target: float, *, block: int = 8) -> int64: ...
@overload
def blocks_smallest(n: Numbers, k: Numbers, target: Numbers, *,
                    block: Numbers = 8) -> NDArray[int64]: ...
def blocks_smallest(n: Numbers, k: Numbers, target: Targets, *, block: Numbers = 8) -> Any:
    """The fewest blocks to keep whose expected recall (blocks_recall) reaches `target`.

    target: a recall in (0, 1], a number or an array. Returns int64 of the broadcast shape; 0 in
    arrays outside the domain, ValueError for numbers.
    """
    n, k, block = counts(n=n, k=k, block=block)
    wanted = fractions("target", target)
    losses = numpy.array([goal("target", r).loss for r in wanted.flat]).reshape(wanted.shape)
    fewest = (numpy.maximum(k, 1) - 1) // numpy.maximum(block, 1) + 1
    return _of_blocks(model.rcm_blocks_smallest, numpy.int64, n, k, block, fewest, losses)
