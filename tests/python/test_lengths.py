"""Rows of different lengths: lengths= of the model, of select and simulate, and offsets=.

Against: the command, digit for digit; means of calls with valid= for each length; for offsets the
same rows padded.
"""
import json
import warnings

import numpy
import pytest

import recallmodel as rcm

from test_recallmodel import command, rows
from test_select import check_same

LENGTHS = [0, 32, 100, 100, 333, 700]
MEANS = ("recall", "loss", "recall_binomial", "loss_binomial", "loss_bound", "probability_exact")
SIMULATED = ("recall_mean", "recall_sd", "recall_worst", "exact_rows", "mass_mean", "value_mean",
             "certified_rows", "reaching_mean")


def text_of(lengths):
    return ",".join(map(str, lengths))


def of_each(name, length, k, b, k_b, assignment):
    """The function of rows of one length, of which one of at most k elements comes back whole."""
    if length <= k:
        return float(not name.startswith(("loss", "recall_sd")))
    return getattr(rcm, name)(700, k, b, k_b, valid=length, assignment=assignment)


@pytest.mark.parametrize("assignment", ["interleaved", "contiguous", "contiguous-floor"])
def test_the_model(assignment):
    table = rows("--n", 700, "--k", 32, "--b", "20,64", "--kb", "2,3", "--lengths",
                 text_of(LENGTHS), "--assignment", assignment)
    b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("b", "k_b"))
    own = dict(lengths=numpy.array(LENGTHS, numpy.int32), assignment=assignment)
    for name in (*MEANS, "recall_sd", "recall_worst_case"):
        got = getattr(rcm, name)(700, 32, b, k_b, **own)
        numpy.testing.assert_array_equal(got, [float(row[name]) for row in table], err_msg=name)
        assert isinstance(getattr(rcm, name)(700, 32, 20, 2, **own), float)
    for b in (20, 64):
        each = {name: numpy.array([of_each(name, length, 32, b, 2, assignment)
                                   for length in LENGTHS]) for name in (*MEANS, "recall_sd")}
        for name in MEANS:
            assert getattr(rcm, name)(700, 32, b, 2, **own) == pytest.approx(
                each[name].mean(), rel=1e-13), name
        variance = (each["recall_sd"]**2).mean() + each["recall"].var()
        assert rcm.recall_sd(700, 32, b, 2, **own) == pytest.approx(variance**0.5, rel=1e-10)


def test_the_distribution():
    lost, probability = rcm.lost_distribution(700, 32, 20, 2, lengths=LENGTHS)
    want = numpy.zeros(33)
    want[0] = 2 / 6
    for length in LENGTHS[2:]:
        one, share = rcm.lost_distribution(length, 32, 20, 2)
        want[one] += share / 6
    numpy.testing.assert_allclose(probability, want[lost], rtol=0, atol=1e-12)
    assert want[lost].sum() == pytest.approx(1, abs=1e-12)
    for m in (1, 3):
        (row,) = rows("--n", 700, "--k", 32, "--b", 20, "--kb", 2, "--m", m, "--quantile", 0.05,
                      "--lengths", text_of(LENGTHS))
        got = rcm.recall_quantile(700, 32, 20, 2, [0.95, 0.5], m, lengths=LENGTHS)
        assert got[0] == float(row["recall_quantile" if m == 1 else "recall_quantile_all"])
        cumulative = probability.cumsum()[numpy.searchsorted(lost, 32 - 32 * got)]
        assert (cumulative**m >= [0.95, 0.5]).all()


def test_more_lengths_than_are_kept(tmp_path):
    lengths = numpy.random.default_rng(5).integers(0, 4097, (40, 25))
    numpy.save(tmp_path / "lengths.npy", lengths.ravel())
    (row,) = rows("--n", 4096, "--k", 64, "--b", 64, "--kb", 2, "--lengths",
                  tmp_path / "lengths.npy")
    got = rcm.recall(4096, 64, 64, 2, lengths=lengths)
    assert got == float(row["recall"])
    each = [1 if one <= 64 else rcm.recall(int(one), 64, 64, 2) for one in lengths.flat]
    assert abs(got - numpy.mean(each)) < 1e-5


def test_the_smallest_b():
    for k_b in (1, 2):
        b = rcm.smallest_b(700, 32, k_b, 0.97, lengths=LENGTHS)
        reached = rcm.recall(700, 32, [b - 1, b], k_b, lengths=LENGTHS)
        assert reached[0] < 0.97 <= reached[1] and b < rcm.smallest_b(700, 32, k_b, 0.97)
    several = rcm.smallest_b(700, 32, [1, 2], 0.97, lengths=LENGTHS)
    assert several[1] == b and several.shape == (2,)


@pytest.mark.parametrize("more", [{}, {"confidence": 0.9}, {"device": "H200", "m": 64}])
def test_select(more):
    lengths = [500, 1000, 4096, 65536]
    options = [word for name, value in more.items() for word in (f"--{name}", value)]
    want = json.loads(command("select", "--n", 65536, "--k", 512, "--recall", 0.97, "--lengths",
                              text_of(lengths), *options, "--json"))
    got = rcm.select(65536, 512, 0.97, lengths=lengths, **more)
    check_same(got, want)
    assert got.recall == want["choice"]["recall"] == rcm.recall(65536, 512, got.b, got.k_b,
                                                                lengths=lengths)


def of_command(*arguments):
    return json.loads(command("simulate", "--k", 32, "--b", "20,64", "--kb", 2, *arguments,
                              "--json"))["results"]


def check_simulated(got, want):
    for name in SIMULATED:
        if name in want[0]:
            numpy.testing.assert_array_equal(
                getattr(got, name), [numpy.nan if row[name] is None else row[name]
                                     for row in want], err_msg=name)


@pytest.mark.parametrize("rows_of", ["placement", "iid", "ar1"])
def test_simulate_rows_that_are_made(rows_of):
    got = rcm.simulate(rows_of, 32, [20, 64], 2, n=700, lengths=LENGTHS, repetitions=400, seed=2)
    more = [] if rows_of == "placement" else ["--temperature", 1]
    check_simulated(got, of_command("--n", 700, "--input", rows_of, "--lengths", text_of(LENGTHS),
                                    "--repetitions", 400, "--seed", 2, *more))
    if rows_of != "ar1":
        sd = rcm.recall_sd(700, 32, [20, 64], 2, lengths=LENGTHS)
        far = (got.recall_mean - rcm.recall(700, 32, [20, 64], 2, lengths=LENGTHS)) / sd * 20
        assert numpy.abs(far).max() < 4.5  # 7e-6 by chance; the seed is fixed


def test_value_of_rows_shorter_than_k():
    """A row of fewer than k elements is kept whole, and counts as any other in the value."""
    x = numpy.random.default_rng(3).random((8, 64)) + .1
    lengths = [4] * 6 + [64, 40]
    want = []
    for row, length in zip(x, lengths):
        there = row[:length]
        top = numpy.argsort(-there)[:16]
        kept = {bucket + 16 * int(there[bucket::16].argmax()) for bucket in range(min(16, length))}
        want.append(sum(there[i] for i in top if i in kept) / there[top].sum())
    got = rcm.simulate(x, 16, 16, 1, lengths=lengths)
    assert abs(got.value_mean - numpy.mean(want)) < 1e-12


def test_simulate_own_rows(tmp_path):
    rng = numpy.random.default_rng(6)
    x, lengths = rng.standard_normal((4, 30, 300)), rng.integers(0, 301, (4, 30))
    lengths[0, :3] = 0, 32, 300
    joined = numpy.concatenate([row[:length] for row, length in
                                zip(x.reshape(120, 300), lengths.flat)])
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)])
    for name, array in dict(x=x, lengths=lengths, joined=joined, offsets=offsets).items():
        numpy.save(tmp_path / f"{name}.npy", array)
    padded = of_command("--file", tmp_path / "x.npy", "--lengths", tmp_path / "lengths.npy")
    for source in (x, tmp_path / "x.npy"):
        got = rcm.simulate(source, 32, [20, 64], 2, lengths=lengths)
        check_simulated(got, padded)
        assert got.rows == 120 and len(got.groups) == 4 and numpy.isnan(got.reaching_mean).all()
    cut = rcm.simulate(joined, 32, [20, 64], 2, n=300, offsets=offsets.astype(numpy.int32))
    check_simulated(cut, of_command("--file", tmp_path / "joined.npy", "--offsets",
                                    tmp_path / "offsets.npy"))
    numpy.testing.assert_array_equal(cut.recall_mean, got.recall_mean)
    assert cut.groups is None
    labels = numpy.arange(120) // 30
    labelled = rcm.simulate(joined, 32, [20, 64], 2, offsets=offsets, groups=labels)
    numpy.testing.assert_array_equal(labelled.recall_groups, got.recall_groups)
    # What stands behind the end of a row is neither a mask nor a probability.
    weights = numpy.exp(x) * (numpy.arange(300) < lengths[..., None])
    weights /= weights.sum(-1, keepdims=True) + 1e-99
    weights[numpy.arange(300) >= lengths[..., None]] = -1e9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = rcm.simulate(weights, 32, [20, 64], 2, lengths=lengths, weights_are="probabilities")
    numpy.testing.assert_array_equal(same.recall_mean, got.recall_mean)
    few = rcm.simulate(x, 32, [20, 64], 2, lengths=lengths, repetitions=7)
    check_simulated(few, of_command("--file", tmp_path / "x.npy", "--lengths",
                                    tmp_path / "lengths.npy", "--repetitions", 7))
    # Of the rows that are taken, none can lose anything.
    whole = rcm.simulate(x, 32, 20, 2, lengths=lengths, repetitions=2, groups=0)
    assert whole.recall_lower() == 1


@pytest.mark.parametrize("error, says, call", [
    (ValueError, "valid", lambda: rcm.recall(99, 9, 9, 2, valid=50, lengths=LENGTHS)),
    (ValueError, "valid", lambda: rcm.loss(99, 9, [9], 2, valid=[50], lengths=[9])),
    (ValueError, "lengths = 100 is larger than n = 99", lambda: rcm.recall(99, 9, 9, 2,
                                                                           lengths=[9, 100])),
    (ValueError, "lengths is empty", lambda: rcm.recall_sd(99, 9, 9, 2, lengths=[])),
    (ValueError, "negative", lambda: rcm.recall(99, 9, 9, 2, lengths=[-1])),
    (ValueError, "larger than 2", lambda: rcm.recall(99, 9, 9, 2, lengths=[2**53])),
    (TypeError, "whole numbers", lambda: rcm.smallest_b(99, 9, 2, 0.9, lengths=[1.5])),
    (ValueError, "lengths = 100", lambda: rcm.smallest_b(99, 9, 2, 0.9, lengths=100)),
    (ValueError, "lengths = 100", lambda: rcm.lost_distribution(99, 9, 9, 2, lengths=100)),
    (ValueError, "lengths = 100", lambda: rcm.recall_quantile(99, 9, 9, 2, 0.9, lengths=100)),
    (ValueError, "lengths = 100", lambda: rcm.select(99, 9, 0.9, lengths=[9, 100])),
    (ValueError, "lost_mass", lambda: rcm.select(99, 9, lost_mass=0.1, score_sd=2, lengths=9)),
    (ValueError, "rope_theta", lambda: rcm.select(99, 9, 0.9, rope_theta=1e4, lengths=9)),
    (ValueError, "lengths = 100", lambda: rcm.simulate("iid", 9, 9, 2, n=99, lengths=[9, 100])),
    (ValueError, "give lengths", lambda: rcm.simulate("iid", 9, 9, 2, n=99, offsets=[0, 9])),
    (ValueError, "shuffle", lambda: rcm.simulate("iid", 9, 9, 2, n=99, lengths=9, shuffle="row")),
    (ValueError, "valid", lambda: rcm.simulate("iid", 9, 9, 2, n=99, lengths=9, valid=50)),
    (ValueError, "3 rows; give one", lambda: rcm.simulate(numpy.ones((3, 99)), 9, 9, 2,
                                                          lengths=[9, 9])),
    (ValueError, "give one", lambda: rcm.simulate(numpy.ones(99), 9, 9, 2, offsets=[0, 99],
                                                  lengths=[99])),
    (ValueError, "offsets does not begin with 0 and end with 99, the number of elements",
     lambda: rcm.simulate(numpy.ones(99), 9, 9, 2, offsets=[0, 98])),
    (ValueError, "offsets falls from row 1", lambda: rcm.simulate(numpy.ones(99), 9, 9, 2,
                                                                  offsets=[0, 50, 40, 99])),
    (ValueError, "end of the last row", lambda: rcm.simulate(numpy.ones(99), 9, 9, 2, offsets=0)),
])
def test_refused(error, says, call):
    with pytest.raises(error, match=says) as refusal:
        call()
    assert "\n" not in str(refusal.value)


def test_arrays_outside_the_domain():
    got = rcm.recall([99, 100], 9, 9, 2, lengths=[9, 100])
    assert numpy.isnan(got[0]) and got[1] == rcm.recall(100, 9, 9, 2, lengths=[9, 100])
