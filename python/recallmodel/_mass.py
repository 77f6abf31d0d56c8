"""What the lost elements weigh, how that changes a sampler's token, what a selection by other
scores has, and routing by groups of experts: lost_mass.h, overlap.h, quantised.h, routing.h of
model/recallmodel; sim/sampler/rank_weights.h."""
from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, Literal, Optional

import numpy
from numpy import float64

from . import _library as lib
from ._arrays import count, in_domain, real, shape_of, shapes
from ._library import ffi, model, sim
from ._row_file import open_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCORE_SD_MOST = 16.0  # RCM_SCORE_SD_MOST
WEIGHTS_MOST = 2**22  # RCM_WEIGHTS_MOST

GroupScore = Literal["best", "two-best"]
ExpertScores = Literal["sigmoid", "softmax", "uniform"]


class _Weights:
    """struct rcm_weights, and the arrays that it points to."""

    def __init__(self, n, k, score_sd, weights):
        if (score_sd is None) == (weights is None):
            raise ValueError("give either score_sd, the standard deviation of the scores, or "
                             "weights, the mean share of each rank")
        if k > WEIGHTS_MOST:
            raise ValueError(f"k = {k} is too many to weigh by rank; give at most {WEIGHTS_MOST}")
        self._row = lib.new("rcm_weights", k=k, measured=weights is not None)
        self._share = numpy.empty(k)
        self._square = numpy.empty(k)
        if score_sd is not None:
            self._row.score_sd = real("score_sd", score_sd)
            if not 0 <= self._row.score_sd <= SCORE_SD_MOST:
                raise ValueError(f"score_sd = {score_sd} is not in 0 .. {SCORE_SD_MOST}")
            if model.rcm_weights_normal(n, k, self._row.score_sd, self._at(self._share),
                                        self._at(self._square)) != 0:
                raise ValueError(f"score_sd = {score_sd} is too much for rows of {n} elements")
            self._row.square = self._at(self._square)
        else:
            self._share[:] = numpy.asarray(weights, dtype=float64)
            if not numpy.all(self._share >= 0) or abs(self._share.sum() - 1) > 1e-6:
                raise ValueError("weights must be k shares of the mass, none below 0, that add up "
                                 f"to 1, not to {self._share.sum()}")
        self._row.share = self._at(self._share)

    @staticmethod
    def _at(array):
        return ffi.cast("double *", ffi.from_buffer(array))


@dataclasses.dataclass(frozen=True)
class LostMass:
    """What the lost elements of a row weigh, as a share of the softmax mass of its exact top-k.

    mean: over rows. For the rest the scores must be normal (None: they are not known):
    sd: the standard deviation over rows. quantile: what all but a share `rest` of the rows lose at
    most (known for score_sd 0, and from k = 16 on for 1.5 to 4). attention_error: the relative
    error of an attention output, where the values do not depend on the scores. topk_mass: the share
    of its row's mass that the exact top-k has.
    """
    mean: float
    sd: Optional[float]
    quantile: Optional[float]
    attention_error: Optional[float]
    topk_mass: Optional[float]


def normal_weights(n: int, k: int, score_sd: float) -> NDArray[float64]:
    """Mean shares of the softmax mass of the top-k, by rank, in rows of n normal scores.

    score_sd: the standard deviation of the scores; a temperature divides it. Returns k shares that
    add up to 1, of relative accuracy 1e-6.

        >>> import recallmodel as rcm
        >>> [round(float(share), 4) for share in rcm.normal_weights(1000, 4, 2.0)]
        [0.4303, 0.2424, 0.1802, 0.147]
    """
    n = count("n", n, 1, 2**53 - 1)
    return _Weights(n, count("k", k, 1, n), score_sd, None)._share


def lost_mass(n: int, k: int, b: int, k_b: int, *, score_sd: Optional[float] = None,
              weights: Optional[ArrayLike] = None, rest: float = 0.05) -> LostMass:
    """What a row loses of the softmax mass of its top-k. One shape, no arrays.

    score_sd: normal scores of this standard deviation, over the temperature. weights: instead of
    it, k mean shares by rank that add up to 1, the largest element first.
    rest: the share of rows that may lose more than the quantile, from 1e-3 on.
    """
    n = count("n", n, 1, 2**53 - 1)
    k = count("k", k, 1, n)
    p: Any = shape_of(in_domain(shapes(n=n, k=k, b=count("b", b), k_b=count("k_b", k_b))))
    if not 1e-3 <= real("rest", rest) < 1:
        raise ValueError(f"rest = {rest} is not in 0.001 .. 1")
    of = _Weights(n, k, score_sd, weights)
    mean = model.rcm_lost_mass(p, of._row)
    if score_sd is None:
        return LostMass(mean, None, None, None, None)
    sd = of._row.score_sd
    return LostMass(mean, *(None if numpy.isnan(value) else value for value in (
        model.rcm_lost_mass_normal(p, sd).sd, model.rcm_lost_mass_quantile(p, sd, rest),
        model.rcm_attention_error(p, of._row), model.rcm_topk_mass_normal(n, k, sd))))


@dataclasses.dataclass(frozen=True)
class TokenChange:
    """How the distribution of the token that a sampler draws changes; means over rows.

    total_variation: half the sum over the tokens of the differences of their probabilities, with
    its standard error. quantile: what all but a share `rest` of the rows do not exceed. differs:
    how likely another token is drawn with the same noise for each token (Gumbel, or exponential);
    differs_by_rank, differs_by_position: with the same number, looked up in sums of the
    probabilities in that order. kl: the mean log(q/p) of a token of q, the changed distribution, of
    the rows where it is finite; kl_infinite: the share of the others. kl_exact_infinite: the share
    of rows where a token of p is not in q. lost_mass: the probability of the lost tokens.
    """
    total_variation: float
    error: float
    quantile: float
    differs: float
    differs_by_rank: float
    differs_by_position: float
    kl: Optional[float]
    kl_infinite: float
    kl_exact_infinite: float
    lost_mass: float


_SEED = 1  # of the command
_CHANGE_K_MOST = 65536


def _weigh(n, k, chain, score_sd, rows, dtype, probabilities, stack):
    """struct rank_weights of normal scores, or of rows."""
    error = ffi.new("char[]", 400)
    if not isinstance(chain, str):
        raise TypeError(f"chain must be a text such as 'top-k,top-p=0.9', not {chain!r}")
    scores = lib.new("rank_scores", change=True, probabilities=probabilities)
    if sim().chain_read(ffi.addressof(scores.chain), chain.encode(), (error, len(error))) != 0:
        raise ValueError(f"chain {chain!r} {lib.text_of(error).replace('--k', 'k')}")
    if (score_sd is None) == (rows is None):
        raise ValueError("give either score_sd, the standard deviation of the scores, or rows")
    if rows is None:
        if n is None:
            raise ValueError("give n, the elements of a row, beside score_sd")
        scores.score_sd = real("score_sd", score_sd)
        sd = scores.score_sd / sim().chain_temperature(ffi.addressof(scores.chain))
        if not 0 <= sd <= SCORE_SD_MOST:
            raise ValueError(f"score_sd over the temperature = {sd} is not in 0 .. {SCORE_SD_MOST}")
    else:
        scores.file = open_rows(rows, dtype, stack)
        if n is not None and n != scores.file.row:
            raise ValueError(f"n = {n}, but the rows have {scores.file.row} elements")
        n = scores.file.row
    scores.n = count("n", n, 1, 2**53 - 1)
    weights = lib.new("rank_weights")
    stack.callback(sim().rank_weights_free, weights)
    if sim().rank_weights(weights, scores, count("k", k, 1, min(scores.n, _CHANGE_K_MOST)),
                          (error, len(error))) != 0:
        raise ValueError(f"the row {lib.text_of(error)}")
    return scores, weights


def token_change(k: int, b: int, k_b: int, *, chain: str = "top-k", n: Optional[int] = None,
                 score_sd: Optional[float] = None, rows: Any = None, dtype: Optional[str] = None,
                 probabilities: bool = False, rest: float = 0.05) -> TokenChange:
    """How buckets change the token that a sampler draws, by drawn rows. One shape, no arrays.

    chain: the sampler's steps in order, of temperature=T, top-k, top-p=P, min-p=P and typical=P;
    top-k comes first if it is not named. score_sd: normal scores of this standard deviation, in
    rows of n. rows: instead of both, an array or the path of a file, as in simulate(); dtype, of a
    file without one. probabilities: the rows are these, not scores. rest: the share of rows that
    may exceed the quantile.

        >>> import recallmodel as rcm
        >>> change = rcm.token_change(50, 22, 4, chain="top-k,top-p=0.5", n=32000, score_sd=3)
        >>> round(change.total_variation, 3)
        0.004
    """
    if not 0 < real("rest", rest) < 1:
        raise ValueError(f"rest = {rest} is not between 0 and 1")
    with contextlib.ExitStack() as stack:
        scores, weights = _weigh(n, k, chain, score_sd, rows, dtype, probabilities, stack)
        p: Any = shape_of(in_domain(shapes(n=scores.n, k=k, b=count("b", b),
                                           k_b=count("k_b", k_b))))
        each = ffi.new("struct rank_changed[]", sim().RANK_DRAWS)
        length = sim().rank_change(weights, ffi.addressof(scores.chain), (p.b, p.k_b, _SEED),
                                   len(each), each)
        if length == 0:
            raise MemoryError("the rows do not fit into memory")
        drawn = [model.rcm_token_change(one.exact, one.approximate, one.common)
                 for one in each[0:length]]
        share = numpy.array([one.share for one in each[0:length]])
        errors = ffi.new("double *")

        def mean(values: Any) -> float:
            column = numpy.array(list(values))
            return float(sim().rank_change_mean(weights, each, length, _Weights._at(column), 1,
                                                errors))

        total_variation = mean(one.total_variation for one in drawn)
        error = errors[0]
        draws = ffi.new("struct rank_draw[]", [(one.total_variation, weight)
                                               for one, weight in zip(drawn, share)])
        loss = lib.new("rank_loss", each=draws, length=length)
        sim().rank_loss_sort(loss)
        kl = numpy.array([one.kl for one in drawn])
        infinite = min(float(share[numpy.isinf(kl)].sum()), 1.0)
        finite = float((share * numpy.where(numpy.isinf(kl), 0, kl)).sum())
        gone = numpy.array([one.common < one.exact for one in each[0:length]])
        means = numpy.array(ffi.unpack(weights.share, k))
        of = _Weights(scores.n, k, None, means / means.sum())
        return TokenChange(
            total_variation=total_variation, error=error,
            quantile=sim().rank_loss_quantile(loss, rest),
            differs=mean(one.differs for one in drawn),
            differs_by_rank=mean(one.by_rank for one in each[0:length]),
            differs_by_position=mean(one.by_position for one in each[0:length]),
            kl=finite / (1 - infinite) if infinite < 1 else None, kl_infinite=infinite,
            kl_exact_infinite=min(float(share[gone].sum()), 1.0),
            lost_mass=model.rcm_lost_mass(p, of._row))


def overlap(share: float, visited: float, correlation: float) -> float:
    """What a selection by other scores has of the top-k: its recall.

    share: k/n. visited: the share of the elements that the other scores select. correlation: of
    both scores, which are bivariate normal. Numbers, no arrays.

        >>> import recallmodel as rcm
        >>> round(rcm.overlap(1024 / 8192, 2048 / 8192, 0.8), 4)
        0.8254
    """
    value = model.rcm_overlap(real("share", share), real("visited", visited),
                              real("correlation", correlation))
    if numpy.isnan(value):
        raise ValueError(f"share = {share}, visited = {visited}: give shares between 0 and 1 and a "
                         f"correlation from -1 to 1, not {correlation}")
    return value


@dataclasses.dataclass(frozen=True)
class Routing:
    """What routing by groups keeps of the top-k of all experts, on average over rows.

    recall: the share of the top-k. weight_lost: the expected weight of those that are lost, over
    that of the top-k.
    """
    recall: float
    weight_lost: float


def routing(n: int, k: int, blocks: int, *, block: int, by: GroupScore = "best",
            scores: ExpertScores = "sigmoid", score_sd: float = 1.0) -> Routing:
    """Keep the best `blocks` groups of `block` experts each, then the top-k of these experts.

    by: the score of a group, its best or the sum of its two-best. scores: how they come from
    normal logits of standard deviation score_sd; a bias is not modelled (`recallmodel blocks
    --bias-sd` draws rows). Numbers, no arrays. Error at most 1e-6 for score_sd up to 4, beyond
    1e-5. ValueError outside the domain, which routing.h states.

        >>> import recallmodel as rcm
        >>> kept = [rcm.routing(256, 8, 4, block=32, by=by) for by in ("best", "two-best")]
        >>> [round(of.recall, 4) for of in kept]
        [0.8095, 0.8219]
    """
    groups = {"n": count("n", n), "k": count("k", k), "size": count("block", block),
              "kept": count("blocks", blocks)}
    asked: Any = lib.new("rcm_routing", groups=groups, logit_sd=real("score_sd", score_sd),
                         by=lib.number_of(by, GroupScore, "by"),
                         scores=lib.number_of(scores, ExpertScores, "scores"))[0]
    text = ffi.new("char[]", 200)
    if model.rcm_routing_wrong(asked, text, len(text)) > 0:
        raise ValueError(lib.text_of(text).replace("score-sd", "score_sd"))
    lost = model.rcm_routing_loss(asked)
    return Routing(1.0 - lost.experts, lost.weight)


def quantised_recall(n: int, k: int, stored: str, *, d: int = 128, b: int = 1,
                     k_b: Optional[int] = None) -> float:
    """What the top-k of products of quantised queries and keys has of the exact top-k.

    stored: f8e4m3, f8e5m2, int8 (a real scale for each vector), nvfp4 or mxfp4. d: elements of a
    vector, which are normal. With b and k_b, of bucketed top-k on these products. Numbers, no
    arrays.

        >>> import recallmodel as rcm
        >>> round(rcm.quantised_recall(131072, 2048, "f8e4m3"), 3)
        0.963
        >>> round(rcm.quantised_recall(131072, 2048, "f8e4m3", b=912, k_b=4), 3)
        0.937
    """
    row = model.rcm_quantised_by_name(str(stored).encode())
    if not row:
        names: list[str] = []
        while model.rcm_quantised(len(names)):
            names.append(ffi.string(model.rcm_quantised(len(names)).name).decode())
        raise ValueError(f"stored = {stored!r} is none of {', '.join(names)}")
    n = count("n", n, 1, 2**53 - 1)
    k = count("k", k, 1, n)
    p = shape_of(in_domain(shapes(n=n, k=k, b=count("b", b), k_b=count("k_b", k if k_b is None
                                                                        else k_b))))
    d = count("d", d, 16, 2**32 - 1)
    correlation = model.rcm_quantised_correlation(row, d, k / n) if k < n else 1.0
    return model.rcm_overlap_bucketed(p, correlation)
