"""Recall, cost, time and selection: a function for each one of model/recallmodel.h."""
import ctypes
import dataclasses
from ctypes import byref

import numpy

from . import _library as lib
from ._arrays import (count, counts, each, evaluate, fraction, fractions, goal, in_domain, shapes)
from ._profiles import _profile_of_any, _profile_pointer, _rows_of


def version():
    """The version of the C library."""
    return lib.version().decode()


# ---- recall


def _shape_function(name, text, c_name=None):
    function = lib.address("rcm_" + (c_name or name))

    def of_shapes(n, k, b, k_b, *, valid=0, assignment="interleaved"):
        array = shapes(assignment, n=n, k=k, b=b, k_b=k_b, valid=valid)
        return evaluate(function, in_domain(array))

    of_shapes.__name__ = of_shapes.__qualname__ = name
    of_shapes.__doc__ = f"""{text}

    n: elements in a row. k: elements wanted. b: buckets. k_b: elements kept per bucket. All are
    whole numbers or arrays of them, which are broadcast.
    valid: the number of elements of a row that exist; the rest is padding (0: all exist).
    assignment: interleaved, contiguous or contiguous-floor.
    Returns float64 of the broadcast shape. Outside the domain (1 <= k <= n < 2^53, 1 <= b <= n,
    k_b >= 1): NaN in arrays, ValueError for numbers.
    """
    return of_shapes


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


def survival(n, k, b, k_b, rank):
    """Probability that the element of this rank (1: the largest, up to k) survives stage 1.

    Whole numbers or arrays, broadcast. Returns float64 of the broadcast shape. Outside the domain:
    NaN in arrays, ValueError for numbers.
    """
    (rank,) = counts(rank=rank)
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b), rank)
    if array.ndim == rank.ndim == 0 and not 1 <= rank <= array["k"]:
        raise ValueError(f"rank = {rank} is larger than k = {array['k']}; give ranks from 1 to k"
                         if rank else "rank is zero; give a whole number from 1 on")
    return each(lambda p, r: lib.survival(p, int(r)), float, array, rank)


def lost_law(n, k, b, k_b):
    """The law (distribution) of the number of elements that one row loses. One shape, no arrays.

    Returns (lost, probability), two arrays of one dimension and of the same length. ValueError if
    the law is too wide or takes too long to compute.
    """
    law = lib.Lost()
    shape = lib.Topk(n=count("n", n), k=count("k", k), b=count("b", b), k_b=count("k_b", k_b))
    in_domain(shapes(n=n, k=k, b=b, k_b=k_b))
    if lib.lost(shape, byref(law)) != 0:
        raise ValueError("the law of this shape is too wide, or would take too long")
    try:
        probability = numpy.ctypeslib.as_array(law.probability, (law.length,)).copy()
    finally:
        first = law.first
        lib.lost_free(byref(law))
    probability = probability[:max(shape.k - first + 1, 0)]  # more than k are never lost
    return numpy.arange(first, first + len(probability)), probability


def recall_quantile(n, k, b, k_b, probability, m=1):
    """The recall that all of m rows reach together with this probability, in (0, 1].

    Arrays are broadcast. NaN where the law (distribution) is too wide to compute. Outside the
    domain: NaN in arrays, ValueError for numbers.
    """

    def one(p, probability):
        law = lib.Lost()
        if lib.lost(p, byref(law)) != 0:
            return numpy.nan
        quantile = lib.lost_recall_quantile(byref(law), p.k, float(probability), max(p.m, 1))
        lib.lost_free(byref(law))
        return quantile

    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b, m=m), probability)
    if array.ndim == 0 and numpy.ndim(probability) == 0:
        probability = fraction("probability", probability)
    return each(one, float, array, numpy.asarray(probability, dtype=float))


# ---- buckets for a target


def _target(recall, align=1, divisors=False):
    return lib.Target(goal("target", recall).loss, align, divisors)


def smallest_b(n, k, k_b, target, *, align=1, divisors=False):
    """The smallest b whose expected recall reaches `target`; 0 if there is none.

    target: a recall in (0, 1], a number or an array. align: b must be a multiple of it. divisors:
    b must divide n. Returns int64 of the broadcast shape.
    """
    align = count("align", align)
    array = in_domain(shapes(n=n, k=k, k_b=k_b), target, b=1)
    return each(lambda p, r: lib.smallest_b(p, _target(r, align, divisors)), numpy.int64, array,
                fractions("target", target))


def largest_k(n, b, k_b, target):
    """The largest k whose recall reaches `target` in rows of n, with b buckets of k_b; 0 if none.

    Returns int64 of the broadcast shape.
    """
    array = in_domain(shapes(n=n, b=b, k_b=k_b), target, k=1)
    return each(lambda p, r: lib.largest_k(p, _target(r)), numpy.int64, array,
                fractions("target", target))


def largest_n(k, b, k_b, target):
    """The largest n in which b buckets of k_b keep k elements with a recall of `target`.

    It is 2^53 - 1 if every n reaches the target. Returns int64 of the broadcast shape.
    """
    array = in_domain(shapes(k=k, b=b, k_b=k_b), target, n=2**53 - 1)
    return each(lambda p, r: lib.largest_n(p, _target(r)), numpy.int64, array,
                fractions("target", target))


def xla_b(n, k, target, m=1, rank=None):
    """The number of buckets that XLA's approx_max_k takes for this recall_target.

    0: it sorts the whole row. Returns int64 of the broadcast shape.
    rank: the rank of the array. A vector (1) has tiles of 1024, the rows of an array (2 or more)
    tiles of 128, so that short rows are not sorted and a small k takes fewer buckets. Without a
    rank, a single row (m = 1) is a vector.
    """
    if rank is not None:
        m = 2 if count("rank", rank, 1) > 1 else 1
    array = in_domain(shapes(n=n, k=k, b=1, k_b=1, m=m), target)
    return each(lambda p, r: lib.xla_b(p, goal("target", r).loss), numpy.int64, array,
                fractions("target", target))


# ---- cost and time


def _row_named(registry, name, what):
    """A pointer to the row of this name in one of the library's registries."""
    rows = list(_rows_of(registry))
    for row in rows:
        if row.name.decode() == name:
            return ctypes.pointer(row)
    names = ", ".join(row.name.decode() for row in rows)
    raise ValueError(f"{what} {name!r} is not known; there are {names}")


def _machine(profile=None, device=None, dtype="f32"):
    """struct rcm_machine. It points to the profile and the device, so the caller must keep both."""
    machine = lib.Machine(dtype=lib.number_of(dtype, lib.DTYPES, "dtype"))
    if profile is not None:
        machine.profile = ctypes.cast(_profile_pointer(profile), ctypes.c_void_p)
    if device is not None:
        machine.device = device
    return machine


def cost(model, n, k, b, k_b, m=1):
    """Cost of both stages in a cost model (basic, serial or parallel), in the unit of that model.

    Arrays are broadcast. Returns float64.
    """
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b, m=m))
    _row_named(lib.cost_model, model, "cost model")
    return evaluate(_row_named(lib.objective, model, "objective"), array)


def predict_us(profile, n, k, b, k_b, m=1):
    """Predicted time of both stages in microseconds. Arrays are broadcast.

    NaN where the profile predicts no time. Outside the domain: NaN in arrays, ValueError for
    numbers. profile: a Profile, the name of a device that has one, or the path of a file.
    """
    array = in_domain(shapes(n=n, k=k, b=b, k_b=k_b, m=m))
    profile = _profile_of_any(profile)
    return evaluate(_row_named(lib.objective, "time", "objective"), array, _machine(profile))


def exact_time_us(profile, n, k, m=1):
    """Predicted time of the exact top-k in microseconds; the rest is as for predict_us.

    NaN also if the runs of the profile have no exact top-k among them.
    """
    row = _profile_pointer(_profile_of_any(profile))
    array = in_domain(shapes(n=n, k=k, b=1, k_b=1, m=m))
    return each(lambda p: lib.predict_exact(row, p), float, array)


# ---- exact top-k by threshold


@dataclasses.dataclass(frozen=True)
class Reaching:
    """The number of elements of a row that are at least the k-th largest candidate.

    mean, sd: of this number. quantile: all rows but the given share have at most so many (None:
    not known).
    """
    mean: float
    sd: float
    quantile: int


def reaching(n, k, b, k_b, share=1e-6):
    """How many elements exact top-k by threshold collects in its second pass. One shape, no arrays.

    share: the share of rows that may collect more elements than the quantile. ValueError if fewer
    than k elements survive stage 1, so that there is no threshold, or if the law (distribution) is
    too wide to compute.
    """
    shape = lib.Topk(n=count("n", n), k=count("k", k), b=count("b", b), k_b=count("k_b", k_b))
    in_domain(shapes(n=n, k=k, b=b, k_b=k_b))
    if numpy.isnan(lib.reaching_above(shape, 0)):
        raise ValueError(f"b = {b} with k_b = {k_b} keeps fewer than k = {k} elements of n = {n}")
    found = lib.reaching(shape)
    if numpy.isnan(found.mean):
        raise ValueError(f"b = {b} with k_b = {k_b}: the distribution is too wide to compute")
    quantile = lib.reaching_quantile(shape, fraction("share", share))
    return Reaching(found.mean, found.sd, quantile or None)


# ---- the best blocks, then the top-k inside them


def _of_blocks(function, result, *arrays):
    """function(struct rcm_blocks, ..) for each element of n, k, block, blocks and more arrays."""
    arrays = numpy.broadcast_arrays(*arrays)
    out = numpy.empty(arrays[0].shape, dtype=result)
    for place in numpy.ndindex(out.shape):
        n, k, block, blocks = (int(values[place]) for values in arrays[:4])
        shape = lib.Blocks(n, k, block, blocks)
        status = lib.blocks_check(shape)
        if status != 0 and out.ndim == 0:
            text = ctypes.create_string_buffer(200)
            lib.blocks_status_text(status, shape, text, len(text))
            raise ValueError(text.value.decode())
        out[place] = function(shape, *(float(values[place]) for values in arrays[4:]))
    return out[()]


def _blocks_function(name, text):
    function = getattr(lib, name)

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
    return of_blocks


blocks_recall = _blocks_function(
    "blocks_recall", "Expected recall of the exact top-k inside the best blocks.")
blocks_loss = _blocks_function(
    "blocks_loss", "1 - blocks_recall, without the cancellation. Relative error below 1e-12.")
blocks_sd = _blocks_function(
    "blocks_sd", "Standard deviation of the recall of one row, if the best blocks are kept.")


def blocks_smallest(n, k, target, *, block=8):
    """The fewest blocks to keep whose expected recall (blocks_recall) reaches `target`.

    target: a recall in (0, 1], a number or an array. Returns int64 of the broadcast shape; 0 in
    arrays outside the domain, ValueError for numbers.
    """
    n, k, block = counts(n=n, k=k, block=block)
    wanted = fractions("target", target)
    losses = numpy.array([goal("target", r).loss for r in wanted.flat]).reshape(wanted.shape)
    fewest = (numpy.maximum(k, 1) - 1) // numpy.maximum(block, 1) + 1
    return _of_blocks(lib.blocks_smallest, numpy.int64, n, k, block, fewest, losses)
