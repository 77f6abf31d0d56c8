"""A row in parts that each send their best: how many, and the merge."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional, Union, get_args

import numpy

from . import _library as lib
from . import _topk, _topk_call
from ._arrays import Recall, count, counts, fraction, goal, real, unmasked
from ._library import ffi, model

if TYPE_CHECKING:
    from numpy.typing import NDArray

Least = Literal["largest", "sum"]
LOSS, LOST, COST = 0, 1, 2  # enum rcm_parts_goal
PART = lib.dtype_of("rcm_part")


@dataclasses.dataclass(frozen=True)
class Parts:
    """What each part of a row sends, and what the merge loses.

    k_parts: for each part.
    sent, sent_full: elements in all; if each part sends min(k, its size).
    recall, recall_sd, loss: of one row.
    probability_lost: that a row loses anything.
    probability_unproved: that the merge cannot prove its answer (merge_parts).
    expected_sent: elements a row in the mean, if every merge that is not proved is followed by a
    second round, in which all parts send min(k, their size): then the answer is exact.
    A number that would take too long is NaN.
    """
    k_parts: NDArray[numpy.int64]
    sent: int
    sent_full: int
    recall: float
    recall_sd: float
    loss: float
    probability_lost: float
    probability_unproved: float
    expected_sent: float


def _sizes_of(n, parts):
    """The size of each part as an array."""
    if parts is None:
        (sizes,) = counts(n=n)
        if sizes.ndim != 1 or sizes.size == 0 or not sizes.all():
            raise ValueError("give parts, or n as a list: the elements of each part, from 1 on")
        if sum(map(int, sizes)) >= 2**53:
            raise ValueError("the sizes add up to more than 2^53 - 1")
        return sizes.astype(numpy.uint64)
    n, parts = count("n", n, 1, 2**53 - 1), count("parts", parts, 1)
    if parts > n:
        raise ValueError(f"parts = {parts} is more than n = {n}")
    sizes = numpy.full(parts, n // parts, numpy.uint64)
    sizes[:n % parts] += numpy.uint64(1)
    return sizes


def _goal_of(k, send, recall, lose_at_most, second_round, sent_full):
    """(goal, at_most) of rcm_parts_choose; None if `send` is given."""
    given = [name for name, value in (("send", send), ("recall", recall),
                                      ("lose_at_most", lose_at_most)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} exclude each other; give one of them")
    if send is not None:
        return None
    if recall is not None:
        return LOSS, goal("recall", recall, k).loss
    if lose_at_most is not None:
        return LOST, fraction("lose_at_most", lose_at_most)
    if second_round is None:
        return COST, float(sent_full)
    price = real("second_round", second_round)
    if not 0.0 <= price < float("inf"):
        raise ValueError(f"second_round = {price} must be a number from 0 on")
    return COST, price


def _chosen(k, entries, goal_, least):
    """The entries, with what they send."""
    of = ffi.new("struct rcm_part[]", len(entries) + 1)
    ffi.memmove(of, entries, entries.nbytes)
    equal = model.RCM_PARTS_UNEQUAL if least == "sum" else model.RCM_PARTS_EQUAL
    length = model.rcm_parts_choose(k, of, len(entries), *goal_, equal)
    if length == 0:
        raise ValueError("a probability that the choice needs would take too long to compute")
    return numpy.frombuffer(ffi.buffer(of), PART, length).copy()


def _in_order(sizes, entries):
    """What each part sends: those of one size take its entries one after the other."""
    order = numpy.argsort(sizes, kind="stable")
    by_size = entries[numpy.argsort(entries["size"], kind="stable")]
    sends = numpy.empty(len(sizes), numpy.uint64)
    sends[order] = numpy.repeat(by_size["send"], by_size["count"].astype(int))
    return sends


def parts(n: Union[int, Sequence[int], NDArray[Any]], k: int, *, parts: Optional[int] = None,
          send: Optional[Union[int, Sequence[int], NDArray[Any]]] = None,
          recall: Optional[Recall] = None, lose_at_most: Optional[float] = None,
          least: Least = "largest", second_round: Optional[float] = None) -> Parts:
    """How many of its best each part of a row must send, so that the k best of the row are found.

    The parts are shards, ranks, segments or the like. Their elements are dealt out at random: the
    top k lie anywhere with equal probability.

    n: the elements of the row, of which `parts` makes equal parts, the first n mod parts of them
    one longer; or, without `parts`, a list: the elements of each part.
    send: what they send, one number or one for each part; or recall, the mean recall to reach; or
    lose_at_most, the share of rows that may lose anything. Without these the answer is exact with
    a second round where the merge cannot prove it, at the least mean cost; second_round: the price
    of that round in elements (default: what full k from each part is).
    least: "largest", one number for all parts, or "sum", a number for each, of the least sum.

    ValueError if the parts do not fit together, or where a probability would take too long.
    """
    k = count("k", k, 1)
    if least not in get_args(Least):
        raise ValueError(f"least {least!r} is not known; give one of {', '.join(get_args(Least))}")
    sizes = _sizes_of(n, parts)
    if k > int(sizes.sum()):
        raise ValueError(f"k = {k} is larger than n = {int(sizes.sum())}; give at most that")
    if send is None:
        sends = numpy.zeros(len(sizes), numpy.uint64)
    else:
        (sends,) = counts(send=send)
        one = sends.ndim == 0
        sends = numpy.broadcast_to(sends, sizes.shape).astype(numpy.uint64)
        if one:
            sends = numpy.minimum(sends, sizes)
        if (sends > sizes).any():
            at = int(numpy.argmax(sends > sizes))
            raise ValueError(f"part {at} has {sizes[at]} elements and cannot send {sends[at]}")
    pairs, number = numpy.unique(numpy.stack([sizes, sends], axis=1), axis=0, return_counts=True)
    pairs, number = pairs[::-1], number[::-1]  # the largest first, as the command has them
    entries = numpy.zeros(len(pairs), PART)
    entries["size"], entries["send"], entries["count"] = pairs[:, 0], pairs[:, 1], number
    sent_full = int(numpy.minimum(sizes, numpy.uint64(k)).sum())
    goal_ = _goal_of(k, send, recall, lose_at_most, second_round, sent_full)
    if goal_:
        entries = _chosen(k, entries, goal_, least)
        sends = _in_order(sizes, entries)
    of = ffi.from_buffer("struct rcm_part[]", entries)
    row = lib.new("rcm_parts", k=k, of=of, length=len(entries))[0]
    sent = model.rcm_parts_sent(row)
    unproved = model.rcm_parts_probability_unproved(row)
    return Parts(sends.astype(numpy.int64), sent, sent_full, model.rcm_parts_recall(row),
                 model.rcm_parts_sd(row), model.rcm_parts_loss(row),
                 model.rcm_parts_probability_lost(row), unproved, sent + unproved * sent_full)


# ---- the merge


class Merged(NamedTuple):
    """What merge_parts returns.

    values, indices: the k best of what was sent, the best first; -1 where fewer were sent.
    unproved: for each row and part, whether this part is in the way of a proof that these are the k
    best of the whole row.
    """
    values: NDArray[Any]
    indices: NDArray[numpy.int64]
    unproved: NDArray[numpy.bool_]


def _sent_by(i, values, positions):
    values, positions = unmasked(f"values[{i}]", values), unmasked(f"positions[{i}]", positions)
    if values.ndim not in (1, 2) or positions.shape != values.shape:
        raise ValueError(f"part {i}: values and positions must be rows of one shape, not "
                         f"{values.shape} and {positions.shape}")
    with numpy.errstate(invalid="ignore"):  # of NaN
        whole = positions.astype(numpy.int64) if positions.dtype.kind in "iuf" else None
    if whole is None or (whole != positions).any() or (
            positions.dtype.kind == "u" and (whole < 0).any()):
        raise ValueError(f"positions[{i}] must be whole numbers below 2^63, not those of type "
                         f"{positions.dtype} here")
    return numpy.ascontiguousarray(values), numpy.ascontiguousarray(whole)


def _by_rank(sent):
    """Integers that the library does not take: the values of all parts, rising; and what was sent,
    with the rank of each value among these."""
    arrays = [array for array, _ in sent]
    values, ranks = numpy.unique(numpy.concatenate(arrays, axis=-1), return_inverse=True)
    ends = numpy.cumsum([array.shape[-1] for array in arrays])
    ranks = ranks.reshape(*arrays[0].shape[:-1], ends[-1]).astype(float)
    return values, [(numpy.ascontiguousarray(part), place) for part, (_, place) in zip(
        numpy.split(ranks, ends[:-1], axis=-1), sent)]


def _sent_twice(indices):
    """ValueError that names the position that a row has twice."""
    rising = numpy.sort(indices.reshape(-1, indices.shape[-1]))
    row, at = numpy.argwhere((rising[:, 1:] == rising[:, :-1]) & (rising[:, 1:] >= 0))[0]
    return ValueError(f"row {row}: position {rising[row, at]} was sent twice; give positions in "
                      "the whole row, not in a part, and each element once")


def merge_parts(values: Sequence[Any], positions: Sequence[Any], k: int, *,
                all: Any = False, largest: bool = True, by_position: bool = False) -> Merged:
    """The k best of what the parts of each row sent, and whether they are those of the whole row.

    values, positions: for each part an array of (rows, count) or (count,): its best elements, in
    any order, and their positions in the whole row, no two alike. The counts may differ. A position
    below 0, as faiss pads, is no element, whatever its value: the part sent all that it has.
    all: whether a part sent all it has, one bool or one for each part.
    by_position: the parts took the first of equal elements, as topk does; then more rows with equal
    elements are proved. Leave it out for torch.topk and numpy.argpartition.

    A row is proved if no part is in the way: the worst element of each part comes after the k-th,
    or the part sent k or all it has. Ask the parts in the way for k elements and merge again.
    """
    if len(values) != len(positions) or len(values) == 0:
        raise ValueError(f"{len(values)} values and {len(positions)} positions; give one of each "
                         "for each part")
    k = count("k", k, 1)
    sent = [_sent_by(i, *part) for i, part in enumerate(zip(values, positions))]
    shapes = {array.shape[:-1] for array, _ in sent}
    types = {array.dtype for array, _ in sent}
    if len(shapes) > 1 or len(types) > 1:
        raise ValueError("the parts have different rows or types")
    (outer,), (dtype,) = shapes, types
    ranked = None
    if dtype.kind in "iub" and dtype not in _topk._NUMBERS:
        ranked, sent = _by_rank(sent)
        dtype = numpy.dtype(float)
    rows = outer[0] if outer else 1
    total = sum(array.shape[-1] for array, _ in sent)
    if k > total:
        raise ValueError(f"k = {k} is more than the {total} elements that were sent")
    whole = numpy.broadcast_to(numpy.asarray(all, bool), len(sent))
    of = ffi.new("struct rcm_top_k_part[]", len(sent))
    for i, (array, place) in enumerate(sent):
        of[i].values = ffi.from_buffer(array)
        of[i].positions = ffi.from_buffer(place)
        of[i].count, of[i].all = array.shape[-1], bool(whole[i])
    out = numpy.empty((*outer, k), dtype)
    indices = numpy.full((*outer, k), -1, numpy.int64)
    unproved = numpy.zeros((*outer, len(sent)), bool)
    if rows:
        call = lib.new("rcm_top_k_merge_call", parts=of, length=len(sent), m=rows, k=k,
                       type=_topk._type_of(out), smallest=not largest, wide=True,
                       by_position=bool(by_position), values=ffi.from_buffer(out),
                       indices=ffi.from_buffer(indices),
                       unproved=ffi.cast("bool *", ffi.from_buffer(unproved)))
        status = _topk_call.merge(call)
        if status == model.RCM_TOP_K_BAD_POSITIONS:
            raise _sent_twice(indices)
        _topk_call.check(status)
    return Merged(out if ranked is None else ranked[out.astype(int)], indices, unproved)
