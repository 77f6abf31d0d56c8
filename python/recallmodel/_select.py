"""What to deploy: rcm_select of model/recallmodel/select.h."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy

from . import _library as lib
from ._arrays import (
    Lengths, Recall, count, fraction, goal, in_domain, lengths_of, real, rope_of, shapes)
from ._library import (
    Deploy, Dtype, Kind, Objective, Path, Ties, Verdict, ffi, model, rows_of, text_of)
from ._mass import _Weights
from ._model import _machine, _row_named
from ._profiles import (
    Device, Profile, _device_or_profile, _profile_for, _profile_of_any, profile_of_copy)
from ._tune import here_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

HEAD_DIM = 128  # of sim_rope_default


@dataclasses.dataclass(frozen=True)
class Threshold:
    """Exact top-k by threshold with its best shape.

    reaching: how many elements its second pass collects on average. objective: in the objective's
    own unit.
    """
    b: int
    k_b: int
    reaching: float
    objective: float


@dataclasses.dataclass(frozen=True)
class Beyond:
    """Buckets beyond the runs of a profile, with their predicted time and its band."""
    b: int
    k_b: int
    time_us: float
    low_us: float
    high_us: float


@dataclasses.dataclass(frozen=True)
class Contender:
    """What can find the top k, and how long it takes: a row of the command's table.

    kind: exact, threshold or buckets. name: as people call it: "torch.topk"; "yours" of exact_us;
    None: of anybody. b, k_b: None if exact. objective: its value; of a bound with a launch (None:
    not known). time_us: the same where it is a time of a call for all m rows; otherwise None.
    bound: nothing takes less.
    low_us, high_us: 9 in 10 times (None: the error is not known); of what was measured on this
    machine (measured), an interval that holds the median. fitted: predicted, and fitted to what was
    measured of rows like these. at_most: it was measured for
    larger k or longer rows alone, and takes at most time_us. padded_n: the time is of rows padded
    to so many elements, which take less (None: of n). beyond: no run was of such rows.
    other_type: it reads values of another width. loses: 1 - recall; 0: exact.
    callable: can anybody call it? left_out: one could, and `have` does not name it.
    basis: where its value comes from, in words: "H200, carried".
    package: that one installs (None: nobody can, or it is yours).
    call: how (None: as b and k_b say). fault: that is known of it, or None.
    profile: that predicts the time, or None. card: where that was measured. carried: from that card
    to this one.
    """
    name: Optional[str]
    kind: Kind
    b: Optional[int]
    k_b: Optional[int]
    objective: Optional[float]
    time_us: Optional[float]
    bound: bool
    fused: bool
    low_us: Optional[float]
    high_us: Optional[float]
    measured: bool
    fitted: bool
    at_most: bool
    padded_n: Optional[int]
    beyond: bool
    other_type: bool
    loses: float
    basis: str
    callable: bool
    left_out: bool
    package: Optional[str]
    call: Optional[str]
    fault: Optional[str]
    profile: Optional[str]
    card: Optional[str]
    carried: bool


@dataclasses.dataclass(frozen=True)
class Choice:
    """The choice of select.

    verdict: what to call: exact, threshold, buckets, or none. Lossless wins: it is buckets only
    where they are faster than every lossless contender that can be called, by more than the errors
    of both.
    contenders: all that can find the top k. The first is that of the verdict; then the others that
    can be called, the fastest first; then those that nobody can call. Unless the objective is a
    time by a profile there are three at most: exact top-k, a threshold, buckets of anybody.

    b, k_b, candidates, recall, objective: the best buckets, even if something else is to be
    deployed; None if no buckets reach the recall.
    deploy: the verdict, with bucketed for buckets.
    objective, exact_objective, threshold.objective: in the objective's own unit (candidates,
    operations, steps, us). exact_objective, if a time, is that of the fastest that can be called;
    None if it is not known.
    over_exact: objective over exact_objective.
    product_share: with d, the least share that the product has of the time of exact top-k after it
    (None: not known): what no top-k can win.
    low_us, high_us: if the objective is a time, its band, as of a Contender (None: not known).
    stand_in: the card whose profile answered for a card that has none (None: its own did).
    beyond: buckets beyond the runs of the profile, which were not considered although their band
    ends below the objective (None: there are none).
    too_close: what is deployed loses nothing, but buckets may take as long or less,
    by the errors of both.
    cause, reason: why, as a word and as a sentence: least (what is deployed has the least
    objective), too_close, no_exact (what exact top-k takes is not known), or what forbids all
    buckets: recall, runs, options (align, divisors), kernel, ties.
    """
    b: Optional[int]
    k_b: Optional[int]
    candidates: Optional[int]
    recall: Optional[float]
    objective: Optional[float]
    deploy: Deploy
    verdict: Verdict
    contenders: tuple[Contender, ...]
    exact_objective: Optional[float]
    over_exact: Optional[float]
    product_share: Optional[float]
    low_us: Optional[float]
    high_us: Optional[float]
    stand_in: Optional[str]
    threshold: Optional[Threshold]
    beyond: Optional[Beyond]
    too_close: bool
    cause: str
    reason: str


def _finite_or_none(value):
    return value if numpy.isfinite(value) else None


def _beyond_of(point, profile):
    if not numpy.isfinite(point.objective):
        return None
    r = model.rcm_predict(profile._row, point.p)
    return Beyond(point.p.b, point.p.k_b, r.time_us, r.low_us, r.high_us)


def _contender_of(c):
    """struct rcm_contender as a Contender."""
    shape = c.kind != model.RCM_CONTENDER_EXACT
    texts = {name: text_of(getattr(c, name)) or None
             for name in ("name", "package", "call", "fault", "profile", "card")}
    numbers = {name: _finite_or_none(getattr(c, name))
               for name in ("objective", "time_us", "low_us", "high_us")}
    basis = ffi.new("char[]", model.RCM_BASIS_TEXT)
    model.rcm_basis(ffi.addressof(c), basis)
    return Contender(
        kind=text_of(model.rcm_contender_kind_name(c.kind)), b=c.p.b if shape else None,
        k_b=c.p.k_b if shape else None, basis=text_of(basis), bound=c.bound,
        fused=c.fused,
        measured=c.measured, fitted=c.fitted, at_most=c.at_most,
        padded_n=c.padded_n or None, beyond=c.beyond, other_type=c.other_type, loses=c.loss,
        callable=c.callable, left_out=c.left_out, carried=c.carried, **numbers, **texts)


def _choice_of(selection, choice, profile=None):
    """struct rcm_choice of a selection as a Choice. profile: that predicts its time."""
    answer = lib.new("rcm_answer")
    model.rcm_answer(selection, choice, answer)
    p, t = choice.p, choice.threshold
    found = numpy.isfinite(choice.objective)
    band = None
    if profile and found:
        band = (model.rcm_predict_here(selection, p) if selection.machine.profile
                else model.rcm_predict(profile._row, p))
    return Choice(
        b=p.b if found else None,
        k_b=p.k_b if found else None,
        candidates=min(p.b * p.k_b, p.n) if found else None,
        recall=model.rcm_recall_exact(p) if found else None,
        objective=_finite_or_none(choice.objective),
        deploy=text_of(model.rcm_deployed(choice)),
        verdict=text_of(model.rcm_verdict_name(answer.verdict)),
        contenders=tuple(map(_contender_of, answer.of[0:answer.count])),
        exact_objective=_finite_or_none(choice.exact_objective),
        over_exact=_finite_or_none(choice.over_exact),
        product_share=_finite_or_none(answer.product_share),
        low_us=_finite_or_none(band.low_us) if band else None,
        high_us=_finite_or_none(band.high_us) if band else None,
        stand_in=profile.name if profile and profile.stands_in_for else None,
        threshold=(Threshold(t.p.b, t.p.k_b, choice.reaching, t.objective)
                   if numpy.isfinite(t.objective) else None),
        beyond=_beyond_of(choice.beyond, profile),
        too_close=choice.too_close,
        cause=text_of(model.rcm_reason_name(choice.reason)),
        reason=text_of(model.rcm_reason_text(choice.reason)))


def _compare(selection, exact_us, exact_kernel):
    """Sets what the exact top-k takes: the caller's time, or that of a kernel, whose Profile it
    returns; the selection points to it."""
    if exact_us is not None:
        if exact_kernel is not None:
            raise ValueError("exact_us and exact_kernel both say what exact top-k takes; give only "
                             "one")
        selection.exact_us = real("exact_us", exact_us)
        if not 0 < selection.exact_us < numpy.inf:
            raise ValueError(f"exact_us = {exact_us} is not a time above 0, in microseconds")
    if exact_kernel is None:
        return None
    kernel, p = _profile_of_any(exact_kernel), selection.p
    model.rcm_compare_exact(selection, kernel._row)
    if not selection.exact_us > 0:
        raise ValueError(f"exact_kernel {kernel.name} has no time for n = {p.n}, k = {p.k}"
                         + ("; give a k below n, because k = n selects nothing"
                            if p.k >= p.n else ""))
    return kernel


def _bits_of(have):
    """The member `have` of a selection. ValueError if a name is not known."""
    bits = 0
    if isinstance(have, str) or (have is not None and len(have) == 0):
        raise ValueError(f"have = {have!r} is not a list of names")
    for name in have or ():
        found = model.rcm_providers_named(str(name).encode())
        if not found:
            names = ", ".join(text_of(row.kernel) for row in rows_of(model.rcm_provider)
                              if row.package)
            raise ValueError(f"have: {name!r} is not known; give one of {names}, or the beginning "
                             "of some")
        bits |= found
    return bits


def _check(selection, exact_kernel):
    """ValueError where rcm_selection_check refuses."""
    objective = text_of(selection.objective.name)
    why = {
        model.RCM_SELECTION_OK: None,
        model.RCM_SELECTION_KERNEL: "kernel only finds the exact top-k; give it as exact_kernel",
        model.RCM_SELECTION_NO_PROFILE:
            f"objective={objective!r} needs a profile, such as profile='H100-PCIe'",
        model.RCM_SELECTION_NO_DEVICE:
            f"objective={objective!r} needs a device, such as device='H100-PCIe'",
        model.RCM_SELECTION_NO_RATES: f"objective={objective!r} needs the bandwidth of the device",
        model.RCM_SELECTION_D:
            "d predicts a time on a device; give device='H100-PCIe' or another",
        model.RCM_SELECTION_EXACT_US:
            f"{'exact_us' if exact_kernel is None else 'exact_kernel'} is compared with a time; "
            "give a profile or a device",
        model.RCM_SELECTION_EXACT_CPU:
            "one of exact_kernel and the profile is of a CPU, the other of a GPU; give exact_us",
        model.RCM_SELECTION_HAVE_CPU:
            "have does not name recallmodel, which alone runs on a CPU; leave it out",
        model.RCM_SELECTION_ROPE: "rope_theta is for interleaved buckets",
        model.RCM_SELECTION_FLOOR:
            f"{'exact_us' if exact_kernel is None else 'exact_kernel'} or a time of the profile is "
            "less than every kernel takes on the device to read the rows; give microseconds",
    }[model.rcm_selection_check(selection)]
    if why:
        raise ValueError(why)


# long: an argument of select is a member of struct rcm_selection.
def select(n: int, k: int, target: Optional[Recall] = None, *, m: int = 1,
           budget: Optional[float] = None, confidence: Optional[float] = None,
           lost_mass: Optional[float] = None,
           score_sd: Optional[float] = None, weights: Optional[ArrayLike] = None,
           objective: Optional[Objective] = None, profile: Optional[Union[Profile, Path]] = None,
           device: Optional[Union[Device, str]] = None, dtype: Optional[Dtype] = None,
           exact_us: Optional[float] = None, exact_kernel: Optional[Union[Profile, Path]] = None,
           kernel: Optional[str] = None, k_b_max: int = 4, align: int = 1, divisors: bool = False,
           rope_theta: Optional[float] = None, head_dim: Optional[int] = None,
           d: Optional[int] = None, beyond_runs: bool = False, ties: Ties = "any",
           have: Optional[Sequence[str]] = None, lengths: Lengths = None) -> Choice:
    """What to deploy for a recall: bucketed top-k, exact top-k, or exact top-k by threshold.

    Returns a Choice: its verdict and its contenders are those of the command. One n and one k, no
    arrays.

    target: the recall to reach; a str or Decimal as it is written, a float as Python prints it. It
    is the mean or, with confidence, the recall that a row reaches with that probability.
    budget: instead of a target, the most that the objective may be, for the most recall.
    lost_mass: instead of a target, the share of the softmax mass of the top-k that may be lost, on
    average or in a row. What elements weigh: score_sd or weights, as in lost_mass().
    objective: candidates, basic, serial, parallel, time (needs a profile, and uses its kernel) or
    roofline (needs a device). The default is time with a profile or a device (without one for the
    kernel: roofline), and otherwise candidates.
    profile: a Profile, the name of a device that has one, a path, or "this": the profile of this
    machine that recallmodel bench --calibrate stored. device: a Device, or what the command's
    --device takes ("this": what tune() measured here, or its file); if profile is not given, the
    profile of the device answers, or else the one that stands in for it. Without a device it is
    that of the profile.
    dtype: the type of the values. A profile of another width is carried to it, and the Choice says
    so (stand_in, with the wide band of one).
    exact_us: the measured time of your own exact top-k, in place of the predicted one.
    exact_kernel: a kernel of exact top-k, which alone is compared with: a Profile, a prefix of its
    name ("gvr_v2"), or a path. Without it and exact_us: all that run on the device.
    d: the values are inner products of vectors of d elements, and stage 1 is fused into their
    kernel, or exact top-k with a threshold. Their times are lower bounds by the roofline of the
    device. exact_us is then the time of the product and exact top-k.
    kernel: None (any), ours, graphcore, xla and so on. k_b_max: the largest k_b.
    align: b must be a multiple of it. divisors: b must divide n.
    rope_theta, head_dim: the rows are logits after RoPE of this base, with heads of so many
    elements (default 128): avoid b that resonate with one of its wavelengths, if possible.
    ties: which of equal elements must be taken: any, repeatable (the same each time) or position
    (the first); only kernels that do so are compared.
    have: whose exact kernels can be called beside torch.topk: names such as "flashinfer" or
    "sglang"; the others, and this project's buckets without "recallmodel", are never chosen. None:
    all.
    beyond_runs: also consider buckets beyond the runs of the profile, by the upper end of their
    band.
    lengths: the length of each row, from 0 to n: the recall is that of a row drawn from them, and
    times are those of rows padded to n. Not with lost_mass and rope_theta.
    """
    n, m, k = count("n", n, 1, 2**53 - 1), count("m", m), count("k", k, 1, n)
    own_lengths = lengths_of(lengths)
    in_domain(shapes(lengths=own_lengths, n=n, k=k, b=1, k_b=1))
    if lengths is not None and (lost_mass is not None or rope_theta is not None):
        raise ValueError("lost_mass and rope_theta are about rows of one length; leave them or "
                         "lengths out")
    if [target, lost_mass, budget].count(None) != 2:
        raise ValueError("give one of target, a recall, lost_mass, a share of the softmax mass, "
                         "and budget")
    held: Any = None  # owns the weights
    if lost_mass is None and (score_sd is not None or weights is not None):
        raise ValueError("score_sd and weights say what lost_mass weighs; give it, too")
    if budget is not None:
        if confidence is not None:
            raise ValueError("budget asks for the highest recall; leave confidence out")
        loss, most_lost = 0.0, 0
        if not 0.0 < real("budget", budget) < numpy.inf:
            raise ValueError(f"budget = {budget} is not a number above 0")
    elif lost_mass is None:
        wanted = goal("target", target, k)
        loss, most_lost = wanted.loss, wanted.most_lost
    else:
        held = _Weights(n, k, score_sd, weights)
        loss, most_lost = fraction("lost_mass", lost_mass), 0
        if weights is not None and confidence is not None:
            raise ValueError("confidence needs the distribution of the lost mass of a row, which "
                             "is known for normal scores: score_sd")
        known = model.rcm_lost_mass_distribution_known(k, held._row.score_sd)
        if confidence is not None and not known:
            raise ValueError("confidence needs the distribution of the lost mass of a row, which "
                             "is known from k = 16 on for score_sd 1.5 to 4; recallmodel select "
                             "draws rows for the others")
    here = here_of(device) if profile is None else None
    row, own = ((here.row, here.own) if here else
                (None, None) if device is None else _device_or_profile(device))
    own = own if profile is None else _profile_of_any(profile)
    if own is not None and own._row.kernel.model == model.RCM_TIME_EXACT:
        raise ValueError(f"{own.name}: an exact kernel's profile has no stage 1; give it as "
                         "exact_kernel")
    fitting: Any = None
    if here is not None and kernel is None:
        fitting = here.profile_for(kernel, dtype)
    elif own is not None:
        fitting = _profile_for(row, own, kernel, dtype)
        if fitting is None:
            raise ValueError(f"the profile of {own.name} is of kernel {own.kernel!r} and dtype "
                             f"{own.dtype!r}, and cannot answer for {kernel!r}, {dtype!r}")
    elif row is not None:
        fitting = _profile_for(row, None, kernel, dtype)
    if d is not None and fitting is not None and fitting._row.stands_in_for:
        fitting = None  # the product is a bound, and a stand-in's error would hide in it
    if d is not None and exact_kernel is not None:
        raise ValueError("exact_kernel reads values from memory, and d computes them; give one")
    if row is None and own is not None:
        row = model.rcm_device_by_name(own.name.encode()) or own._device or None
    machine = _machine(fitting, row, dtype or (fitting.dtype if fitting is not None else "f32"))
    machine.beyond_runs = bool(beyond_runs)
    machine.d = 0 if d is None else count("d", d)
    chosen = (_row_named(model.rcm_objective, objective, "objective") if objective
              else model.rcm_usual_objective(machine))
    selection = lib.new(
        "rcm_selection", p=dict(n=n, k=k, m=m, lengths=own_lengths),
        target=dict(loss=loss, align=count("align", align, 1, n), divisors=bool(divisors),
                                       weights=ffi.NULL if held is None else held._row),
        k_b_max=count("k_b_max", k_b_max, 1, 4096), objective=chosen, machine=machine[0])
    selection.ties = lib.number_of(ties, Ties, "ties")
    selection.have = _bits_of(have)
    exact = _compare(selection, exact_us, exact_kernel)  # owns its row
    if confidence is not None:
        selection.confidence = fraction("confidence", confidence)
        selection.most_lost = most_lost
    if kernel is not None:
        selection.kernel = _row_named(model.rcm_kernel, kernel, "kernel")
    if rope_theta is not None:
        selection.rope.theta, selection.rope.head_dim = rope_of(
            rope_theta, HEAD_DIM if head_dim is None else head_dim)
    elif head_dim is not None:
        raise ValueError("head_dim is a parameter of RoPE; give rope_theta too")
    _check(selection, exact_kernel)
    by_profile = chosen.need == model.RCM_NEEDS_PROFILE and d is None
    if by_profile:
        if kernel not in (None, "any", fitting.kernel):
            raise ValueError(f"kernel = {kernel!r}, but the profile is of {fitting.kernel!r}")
        if own is None and here is None:
            faster = model.rcm_faster_profile(selection, budget or 0.0)
            fitting = profile_of_copy(faster, row, (row, fitting))
            machine.profile = selection.machine.profile = fitting._row
        if here is not None:
            selection.measured, selection.measured_count = here.rows, here.count
            fitting = here.fitted(fitting, selection)
            machine.profile = selection.machine.profile = fitting._row
        selection.kernel = fitting._row.kernel
    choice = ffi.new("struct rcm_choice *",
                     model.rcm_select(selection) if budget is None
                     else model.rcm_best_recall(selection, budget, ffi.NULL))
    found = _choice_of(selection, choice, fitting if by_profile else None)
    del exact, held, own_lengths
    return found
