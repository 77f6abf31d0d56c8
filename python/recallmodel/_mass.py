"""What the lost elements weigh, and what a selection by other scores has: lost_mass.h, overlap.h of
model/recallmodel."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Optional

import numpy
from numpy import float64

from . import _library as lib
from ._arrays import count, in_domain, real, shape_of, shapes
from ._library import ffi, model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCORE_SD_MOST = 16.0  # RCM_SCORE_SD_MOST
WEIGHTS_MOST = 2**22  # RCM_WEIGHTS_MOST


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
