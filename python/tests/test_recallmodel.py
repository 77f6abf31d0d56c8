"""The Python module says what the command says."""
import csv
import io
import json
import os
import subprocess

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def command(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(command(*arguments, "--csv"))))


def test_same_numbers_as_the_command():
    table = rows("--n", 262144, "--k", 1024, "--kb", "1,2,4,8", "--quantile", "0.05")
    assert len(table) > 40
    n, k, b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("n", "k", "b", "k_b"))
    for name, got in {
        "recall": rcm.recall(n, k, b, k_b), "loss": rcm.loss(n, k, b, k_b), "recall_sd": rcm.recall_sd(n, k, b, k_b),
        "recall_binomial": rcm.recall_binomial(n, k, b, k_b), "loss_binomial": rcm.loss_binomial(n, k, b, k_b),
        "loss_bound": rcm.loss_bound(n, k, b, k_b), "recall_worst_case": rcm.recall_worst_case(n, k, b, k_b),
        "probability_exact": rcm.probability_exact(n, k, b, k_b), "recall_quantile": rcm.recall_quantile(n, k, b, k_b, 0.95),
        "cost_basic": rcm.cost("basic", n, k, b, k_b), "cost_serial": rcm.cost("serial", n, k, b, k_b),
        "cost_parallel": rcm.cost("parallel", n, k, b, k_b),
    }.items():
        want = numpy.array([float(row[name]) for row in table])
        numpy.testing.assert_array_equal(got, want, err_msg=name)


def test_broadcasting():
    got = rcm.recall(262144, 1024, numpy.array([512, 1024, 2048]), numpy.array([[1], [4]]))
    assert got.shape == (2, 3)
    assert got[1, 0] == rcm.recall(262144, 1024, 512, 4)
    assert isinstance(rcm.recall(262144, 1024, 512, 4), float)
    assert rcm.smallest_b(262144, 1024, [1, 2, 4], 0.95).tolist() == [int(rcm.smallest_b(262144, 1024, k_b, 0.95)) for k_b in (1, 2, 4)]


def test_outside_the_domain():
    assert numpy.isnan(rcm.recall(10, 20, 5, 1))
    assert numpy.isnan(rcm.recall(10, 2, [0, 11], 1)).all()
    with pytest.raises(TypeError):
        rcm.recall(10.5, 2, 2, 1)
    with pytest.raises(ValueError):
        rcm.recall(10, 2, -2, 1)
    with pytest.raises(ValueError):
        rcm.cost("cheap", 10, 2, 2, 1)
    with pytest.raises(ValueError):
        rcm.select(100, 10, 0.9, objective="time")
    with pytest.raises(ValueError):
        rcm.lost_law(10, 20, 5, 1)


def test_law():
    lost, probability = rcm.lost_law(4096, 64, 16, 8)
    assert abs(probability.sum() - 1) < 1e-12
    assert abs((lost * probability).sum() / 64 - rcm.loss(4096, 64, 16, 8)) < 1e-12
    assert abs(probability[lost == 0].sum() - rcm.probability_exact(4096, 64, 16, 8)) < 1e-12


def test_survival():
    ranks = numpy.arange(1, 65)
    assert abs(rcm.survival(4096, 64, 16, 8, ranks).mean() - rcm.recall(4096, 64, 16, 8)) < 1e-14


@pytest.mark.parametrize("objective", ["candidates", "basic", "serial", "parallel", "time"])
def test_select(objective):
    profile = rcm.profiles()[0] if objective == "time" else None
    more = ["--device", profile.name, "--m", 64] if profile else ["--m", 64]
    want = json.loads(command("select", "--n", 131072, "--k", 2048, "--recall", 0.95, "--objective", objective, "--json", *more))["choice"]
    got = rcm.select(131072, 2048, 0.95, m=64, objective=objective, profile=profile)
    assert (got.b, got.k_b, got.candidates, got.recall, got.objective) == tuple(want[name] for name in ("b", "k_b", "candidates", "recall", "objective"))


def test_select_with_confidence():
    want = json.loads(command("select", "--n", 16384, "--k", 256, "--recall", 0.97, "--confidence", 0.99, "--json"))["choice"]
    got = rcm.select(16384, 256, 0.97, confidence=0.99)
    assert (got.b, got.k_b) == (want["b"], want["k_b"])
    assert rcm.select(1000, 500, 0.9999, kernel="xla") is None


def test_reverse():
    assert json.loads(command("select", "--n", 262144, "--b", 512, "--kb", 4, "--recall", 0.95, "--json"))["k"] == rcm.largest_k(262144, 512, 4, 0.95)
    assert rcm.largest_n(1024, 512, 4, 0.95) == 2**53 - 1
    assert rcm.xla_b(131072, 2048, 0.95) == 65536


def test_predictions():
    profile = rcm.profiles()[0]
    table = rows("predict", "--device", profile.name, "--n", 2**18, "--k", 1024, "--kb", "1,2,4", "--m", 64)
    b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("b", "k_b"))
    numpy.testing.assert_array_equal(rcm.predict_us(profile, 2**18, 1024, b, k_b, 64), [float(row["predicted_us"]) for row in table])
    assert rcm.exact_time_us(profile, 2**18, 1024, 64) == float(table[0]["exact_us"])
    assert numpy.isnan(rcm.predict_us(profile, 2**18, 1024, 1024, 8))


def test_every_public_name_says_what_it_is():
    for name in rcm.__all__:
        assert getattr(rcm, name).__doc__
