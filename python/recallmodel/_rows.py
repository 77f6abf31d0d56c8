"""The simulation: bucketed top-k on generated rows or on your own."""
from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy

from . import _library as lib
from ._arrays import Lengths, Numbers, count, counts, fraction, real, rope_of
from ._library import INPUTS, Assignment, Input, Path, RowDtype, Shuffle, Weights, ffi, sim, text_of
from ._long import run_stoppable
from ._row_file import groups_of, lengths_of, look_at, open_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# A measured quantity: an array of the broadcast shape of b and k_b, or a number.
Floats = Any


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """What `rows` rows lost.

    Each measured quantity is a float64 array of the broadcast shape of b and k_b, or a number. It
    is NaN where it is not known.

    recall_mean: mean recall of the rows. recall_sd: standard deviation of the recall of a row, with
    rows - 1. recall_stderr: standard error of the mean. recall_worst: the smallest recall.
    recall_p01, recall_p05, recall_p50: the recall that 1, 5 and 50 % of the rows do not exceed.
    recall_value_mean: mean recall if any of several equal values counts.
    exact_rows: share of rows that lost nothing. certified_rows: share of rows whose kept values
    prove that they lost nothing.
    mass_mean, mass_worst: kept share of the softmax mass of the exact top-k: its mean and its
    smallest value. value_mean, value_worst: the same for the sum of the exact top-k, over rows
    where no value in that sum is negative.
    reaching_mean, reaching_sd, reaching_worst: the rank in its row of the k-th largest candidate:
    mean, standard deviation and largest.

    With groups of rows, otherwise None: groups: their labels, a tuple; for leading axes their
    indices. group_rows: the rows of each. recall_groups, mass_groups: the mean recall and the mean
    kept share of the mass of each group, along a last axis. recall_se_groups: standard error of
    recall_mean over groups, where rows of one group may be alike.
    """
    rows: int
    k: int
    recall_mean: Floats
    recall_sd: Floats
    recall_stderr: Floats
    recall_worst: Floats
    recall_p01: Floats
    recall_p05: Floats
    recall_p50: Floats
    recall_value_mean: Floats
    exact_rows: Floats
    certified_rows: Floats
    mass_mean: Floats
    mass_worst: Floats
    value_mean: Floats
    value_worst: Floats
    reaching_mean: Floats
    reaching_sd: Floats
    reaching_worst: Floats
    groups: Optional[tuple[Any, ...]]
    group_rows: Optional[NDArray[numpy.int64]]
    recall_groups: Optional[NDArray[numpy.float64]]
    mass_groups: Optional[NDArray[numpy.float64]]
    recall_se_groups: Floats
    # Of each configuration: what each group lost in all; (first, counts, most) of struct sim_lost.
    _lost_of_groups: Optional[tuple[Any, ...]]
    _lost: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"Simulation(rows={self.rows}, k={self.k}, recall_mean={self.recall_mean!r}, ..)"

    def recall_lower(self, confidence: float = 0.95,
                     comparisons: Optional[int] = None) -> Floats:
        """A lower bound on the expected recall of each shape.

        With this confidence, all of `comparisons` bounds hold together (default: the number of
        shapes here). This is true for any number of rows and for any loss, if the rows are
        independent and have the same distribution: docs/simulation.md.

        With groups it needs only the groups to be independent. It then bounds the mean over the
        rows of new groups like these; a single group may have less. It is nan below 5 groups.
        """
        alpha = 1.0 - fraction("confidence", confidence)
        if comparisons is None:
            comparisons = numpy.size(self.recall_mean)
        comparisons = count("comparisons", comparisons, 1)
        bounds = []
        for i, (first, counts, most) in enumerate(self._lost):
            if self.groups is not None:
                bounds.append(sim().sim_recall_lower_groups(
                    self._group_lost(i), len(self.groups), most, self.k, alpha, comparisons))
                continue
            values = ffi.new("uint64_t[]", counts)
            lost = lib.new("sim_lost", first=first, length=len(counts), count=values, most=most)
            bounds.append(sim().sim_recall_lower(lost, self.k, alpha, comparisons))
        return numpy.reshape(bounds, numpy.shape(self.recall_mean))[()]

    def recall_interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Student's interval of the mean recall over groups: its two ends, for each shape alone.

        It assumes that the recalls of groups are near normal. It is nan below 5 groups and where
        all groups have the same recall.
        """
        alpha = 1.0 - fraction("confidence", confidence)
        if self.groups is None:
            raise ValueError("the rows are not in groups; give groups to simulate")
        over = [sim().sim_over_groups(self._group_lost(i), len(self.groups), self.k, alpha)
                for i in range(len(self._lost))]
        low, high = (numpy.reshape(ends, numpy.shape(self.recall_mean))[()]
                     for ends in zip(*((one.recall_low, one.recall_high) for one in over)))
        return low, high

    def _group_lost(self, i):
        """An array of struct sim_group_lost of the i-th configuration."""
        return _lost_array(self.group_rows, self._lost_of_groups[i])


# The numbers of struct sim_result.
MEASURED = [name for name, field in ffi.typeof("struct sim_result").fields
            if field.type.cname == "double"]


def _lost_array(rows, lost):
    """An array of struct sim_group_lost."""
    return ffi.new("struct sim_group_lost[]", [(int(x), int(y)) for x, y in zip(rows, lost)])


def _result_of(simulation, shape, groups):
    """Of a shape: its struct sim_result; (first, counts, most) of its struct sim_lost; its groups.

    The counts are copied, because they belong to the simulation.
    """
    result = sim().simulation_result(simulation, 0, 0, shape)
    lost = result.lost
    each = tuple(sim().simulation_group(simulation, 0, 0, shape, i) for i in range(groups))
    return result, (lost.first, tuple(lost.count[0:lost.length]), lost.most), each


def _run(spec, stack):
    """Runs a spec, returns the results of all its shapes and closes the stack, which holds what
    the spec points to.

    If the wait is interrupted, the simulation stops after the current block of rows.
    """
    limit = sim().simulation_limit(spec)
    if limit:
        raise ValueError(text_of(limit))
    error = ffi.new("char[]", 800)
    simulation = sim().simulation_new(spec, (error, len(error)))
    if not simulation:
        raise MemoryError(text_of(error))
    groups = spec.groups.groups if spec.groups else 0
    owned = stack.pop_all()

    def work(tick):
        if sim().simulation_run(simulation, tick, ffi.NULL, (error, len(error))) != 0:
            raise OSError(text_of(error))
        return [_result_of(simulation, i, groups) for i in range(spec.shapes)]

    def clean_up():
        sim().simulation_free(simulation)
        owned.close()

    return run_stoppable(work, clean_up)


def _rho_of(rows, rho):
    """The correlation of neighbours; ValueError if the rows have none and one is given."""
    if rho is None:
        return 0.5
    if not sim().sim_input_has_rho(lib.number_of(rows, Input, "rows")):
        names = ", ".join(x for i, x in enumerate(INPUTS) if sim().sim_input_has_rho(i))
        raise ValueError(f"rho is a correlation of neighbours; give it with rows={names}")
    return real("rho", rho)


def _check_settings(n, b, k_b, rho, temperature):
    """ValueError if one of these settings is outside its domain."""
    if b.size == 0 or numpy.any((b < 1) | (b > n) | (k_b < 1)):
        raise ValueError("1 <= b <= n and k_b >= 1 must hold for every shape")
    if not 0 <= rho < 1:
        raise ValueError(f"rho = {rho} is not in [0, 1), where the correlation of neighbours lies")
    if not 0 < temperature < numpy.inf:
        raise ValueError(f"temperature = {temperature} is not positive")


def _check_generated(rows, n, groups):
    """ValueError if rows of this name cannot be generated with these arguments."""
    if n is None:
        raise ValueError(f"rows={rows!r} needs n, the length of a row")
    if rows == "file":
        raise ValueError("rows='file' names no file; give the path of the file")
    if groups is not None:
        raise ValueError("groups belong to rows of an array or a file; leave groups out")


def _rope(rows, stack, theta, head_dim, share, spread, weights):
    """The struct sim_rope of these rows; NULL if they are not of the input rope.

    The stack holds what it points to.
    """
    given = dict(rope_theta=theta, head_dim=head_dim, rope_share=share, rope_spread=spread,
                 rope_weights=weights)
    if rows != "rope":
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"{name} describes the rows of the input rope; give rows='rope'")
        return ffi.NULL
    usual = sim().sim_rope_default
    theta, head_dim = rope_of(usual.theta if theta is None else theta,
                              usual.head_dim if head_dim is None else head_dim)
    share = usual.share if share is None else real("rope_share", share)
    if not 0 <= share <= 1:
        raise ValueError(f"rope_share = {share} is not in [0, 1]")
    if spread is not None and weights is not None:
        raise ValueError("rope_spread draws weights, and rope_weights gives them; leave one out")
    spread = usual.spread if spread is None else real("rope_spread", spread)
    if not 0 <= spread < numpy.inf:
        raise ValueError(f"rope_spread = {spread} is not a number from 0 on")
    rope = lib.new("sim_rope", theta=theta, head_dim=head_dim, share=share, spread=spread)
    if weights is not None:
        values = numpy.asarray(weights, dtype=float).ravel()
        if len(values) > head_dim // 2:
            raise ValueError(f"rope_weights has {len(values)} weights, and a head of {head_dim} "
                             f"has {head_dim // 2} pairs; give at most that many")
        if not (numpy.all((values >= 0) & (values < numpy.inf)) and values.sum() > 0):
            raise ValueError("rope_weights must be numbers from 0 on, one of them above 0")
        weight = ffi.new("double[]", values.tolist())
        stack.callback(lambda: weight)  # until the simulation has ended
        rope.weight, rope.weights = weight, len(values)
    return rope


def _shapes_of(b, k_b, assignment):
    """An array of struct sim_shape."""
    number = lib.number_of(assignment, Assignment, "assignment")
    shapes = [(int(x), int(y), number) for x, y in zip(b.flat, k_b.flat)]
    return ffi.new("struct sim_shape[]", shapes)


def _over_groups(labels, groups, k, shape):
    """The fields of a Simulation over groups: of each configuration its struct sim_group."""
    if labels is None:
        return dict.fromkeys(("groups", "group_rows", "recall_groups", "mass_groups",
                              "recall_se_groups", "_lost_of_groups"))
    rows = numpy.array([group.lost.rows for group in groups[0]])
    lost = tuple(tuple(group.lost.lost for group in each) for each in groups)
    errors = [sim().sim_over_groups(_lost_array(rows, each), len(rows), k, 0.05).recall_se
              for each in lost]
    means = {name: numpy.reshape([[getattr(group, field) for group in each] for each in groups],
                                 (*shape, len(rows)))
             for name, field in (("recall_groups", "recall_mean"), ("mass_groups", "mass_mean"))}
    return dict(groups=labels, group_rows=rows, **means, _lost_of_groups=lost,
                recall_se_groups=numpy.reshape(errors, shape)[()])


# long: half of it is the docstring.
def simulate(rows: Union[ArrayLike, Path, Input], k: int, b: Numbers, k_b: Numbers, *,
             n: Optional[int] = None, rho: Optional[float] = None,
             assignment: Assignment = "interleaved", shuffle: Shuffle = "none", valid: int = 0,
             repetitions: Optional[int] = None,
             seed: int = 1, temperature: float = 1.0, threads: int = 0,
             dtype: Optional[RowDtype] = None,
             mask_below: Optional[float] = None, weights_are: Optional[Weights] = None,
             groups: Optional[Union[int, Sequence[Any], NDArray[Any]]] = None,
             rope_theta: Optional[float] = None, head_dim: Optional[int] = None,
             rope_share: Optional[float] = None, rope_spread: Optional[float] = None,
             rope_weights: Optional[Numbers] = None, lengths: Lengths = None,
             offsets: Optional[Numbers] = None) -> Simulation:
    """Runs bucketed top-k on rows and returns a Simulation, which says what they lose.

    It uses no function of the model.

    rows: an array whose last axis is the row (float16, bfloat16, float32, float64 or float8; all
    other axes together count the rows), the path of a .npy or .safetensors file, or the name of an
    input to generate:
    placement (a random top-k, no values), iid, ar1 (neighbours with correlation rho, usually 0.5),
    lognormal, uniform, ties, sorted, constant or rope (noise, and a cosine for each pair of a head
    that RoPE rotates). n: the length of a generated row.
    k: elements wanted. b, k_b: whole numbers or arrays of them, which are broadcast.
    assignment: interleaved, contiguous or contiguous-floor. shuffle: none, row (a permutation for
    each row) or once (one for all rows).
    valid: the number of elements of a row that exist; the rest is padding (0: all exist).
    lengths: in place of valid, that number for each row of an array or a file; a generated row
    draws one of them. A row of at most k elements comes back whole. offsets: rows of an array or a
    file that are joined, whatever its shape: row i is from offsets[i] to before offsets[i + 1]; n
    is then the longest. With both, reaching is not measured, and shuffle is none.
    repetitions: the number of rows to run (default: all rows of an array or a file, 100 generated
    ones). temperature: that of the softmax whose mass is counted.
    threads: 0 is all. dtype: bf16, f8e4m3 or f8e5m2 if a .npy file or an array of void or
    integers holds that, which it cannot say.
    mask_below: elements of this value and less are masks, as -inf is: they never count as lost.
    weights_are: scores (an element x weighs exp(x)) or probabilities (x). A UserWarning says where
    rows seem to have masks or probabilities and neither was given.
    groups: which rows of an array or a file belong together, such as those of one document: the
    number of leading axes that name the group (0: rows are independent), or a label for each row.
    The default is 1 if there are more than two axes, else 0; axes of length 1 are passed over.
    For rope: rope_theta, head_dim: the base of RoPE and the elements of a head. rope_share: the
    share of the variance that is periodic. rope_spread: how unequal the wavelengths are.
    rope_weights: instead of it, the relative variances of the first wavelengths. The defaults are
    those of the command.
    The same seed gives the same rows, which are also those of `recallmodel simulate`.
    """
    every_b, every_k_b = counts(b=b, k_b=k_b)
    generated = isinstance(rows, str) and rows in INPUTS
    with contextlib.ExitStack() as stack:
        rope = _rope(rows if generated else "file", stack, theta=rope_theta, head_dim=head_dim,
                     share=rope_share, spread=rope_spread, weights=rope_weights)
        if generated:
            _check_generated(rows, n, groups)
            file, row_groups, labels = ffi.NULL, ffi.NULL, None
            n = count("n", n, 1, 2**53 - 1)
            of_row = lengths_of(lengths, offsets, file, n, stack)
            repetitions = 100 if repetitions is None else repetitions
        else:
            file = open_rows(rows, dtype, stack)
            of_row = lengths_of(lengths, offsets, file, file.row, stack)
            if n is not None and n != file.row:
                raise ValueError(f"n = {n}, but the rows have {file.row} elements")
            if mask_below is not None:
                file.mask_below = real("mask_below", mask_below)
            n, repetitions = file.row, file.rows if repetitions is None else repetitions
            row_groups, labels = groups_of(file, groups, stack)
        repetitions = count("repetitions", repetitions, 1, file.rows if file else 2**63 - 1)
        valid = count("valid", valid, 0, n)
        ragged: dict[str, Any] = {}
        k = count("k", k, 1, valid or n)
        if of_row is not None:
            if valid:
                raise ValueError("valid is of rows of one length; leave it or lengths, offsets out")
            of_row = of_row[:repetitions] if file else of_row
            ragged = dict(length=ffi.from_buffer("uint64_t[]", of_row), lengths=len(of_row))
            valid = max(k, int(of_row.max()))
        input_name = rows if generated else "file"
        rho, temperature = _rho_of(input_name, rho), real("temperature", temperature)
        _check_settings(n, every_b, every_k_b, rho, temperature)
        pointers = dict(
            shape=_shapes_of(every_b, every_k_b, assignment), rho=ffi.new("double[]", [rho]),
            file=file, groups=row_groups, rope=rope, shuffle=ffi.new("enum sim_shuffle[]", [
                lib.number_of(shuffle, Shuffle, "shuffle")]), **ragged)
        spec = lib.new(
            "sim_spec", **pointers, n=n, k=k, valid=valid or n, rhos=1, shuffles=1,
            shapes=every_b.size, input=lib.number_of(input_name, Input, "rows"),
            reaching=not ragged,
            weights=not (generated and rows == "placement"), temperature=temperature,
            probabilities=weights_are == "probabilities",
            seed=count("seed", seed), repetitions=repetitions,
            threads=count("threads", threads, 0, 4096))
        stack.callback(lambda: (spec, pointers))  # until the simulation has ended
        weights = lib.number_of(weights_are or "unsaid", Weights, "weights_are")
        if file:
            look_at(spec, weights)
        elif weights or mask_below is not None:
            raise ValueError("mask_below and weights_are are of rows of an array or a file; leave "
                             "them out")
        results = _run(spec, stack)
    shape = every_b.shape
    measured: dict[str, Any] = {
        name: numpy.reshape([getattr(result, name) for result, *_ in results], shape)[()]
        for name in MEASURED}
    return Simulation(rows=results[0][0].rows, k=k, **measured,
                      **_over_groups(labels, [each for *_, each in results], k, shape),
                      _lost=tuple(lost for _, lost, _ in results))
