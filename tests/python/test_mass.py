"""What the lost elements weigh: the command, digit for digit; and rows that are drawn.

Against: the command; softmax by NumPy.
"""
import doctest
import json
import os
import subprocess

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _mass

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
SHAPE = dict(n=4096, k=64, b=37, k_b=4)


def command(subcommand, *arguments):
    done = subprocess.run([PROGRAM, subcommand, *map(str, arguments), "--json"], check=True,
                          capture_output=True, text=True, timeout=100)
    return json.loads(done.stdout)


def test_examples():
    assert doctest.testmod(_mass).failed == 0


def test_as_the_command():
    want = command("recall", "--n", 4096, "--k", 64, "--b", 37, "--kb", 4, "--score-sd", 1.5,
                   "--quantile", 0.05)
    shape = want["configurations"][0]
    got = rcm.lost_mass(**SHAPE, score_sd=1.5)
    assert got == rcm.LostMass(shape["lost_mass"], shape["lost_mass_sd"],
                               shape["lost_mass_quantile"], shape["attention_error"],
                               want["topk_mass"])


def test_weights_of_rows():
    scores = numpy.random.default_rng(5).normal(0, 1.5, (2000, 4096))
    top = -numpy.partition(-scores, 63, axis=1)[:, :64]
    weights = numpy.exp(numpy.sort(top, axis=1)[:, ::-1])
    share = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    normal = rcm.normal_weights(4096, 64, 1.5)
    assert normal.sum() == pytest.approx(1, abs=1e-12)
    assert numpy.abs(share / normal - 1).max() < 0.03
    by_rows = rcm.lost_mass(**SHAPE, weights=share)
    assert by_rows.mean == pytest.approx(rcm.lost_mass(**SHAPE, score_sd=1.5).mean, rel=0.01)
    assert by_rows.sd is by_rows.quantile is None
    assert by_rows.mean == pytest.approx(
        (share * (1 - rcm.survival(**SHAPE, rank=numpy.arange(1, 65)))).sum(), rel=1e-9)


@pytest.mark.parametrize("confidence", [None, 0.99])
def test_select(confidence):
    asked = ["--n", 4096, "--k", 64, "--lost-mass", 0.01, "--score-sd", 1.5]
    asked += [] if confidence is None else ["--confidence", confidence]
    want = command("select", *asked, "--brief")["choice"]
    got = rcm.select(4096, 64, lost_mass=0.01, score_sd=1.5, confidence=confidence)
    assert (got.b, got.k_b) == (want["b"], want["k_b"])
    if confidence is None:
        weights = rcm.normal_weights(4096, 64, 1.5)
        assert rcm.select(4096, 64, lost_mass=0.01, weights=weights).b == got.b


@pytest.mark.parametrize("arguments, message", [
    (dict(), "either score_sd"), (dict(score_sd=1, weights=[1.0]), "either score_sd"),
    (dict(score_sd=17), "0 .. 16"), (dict(score_sd=-1), "0 .. 16"),
    (dict(score_sd=1, rest=1e-4), "rest"), (dict(weights=numpy.ones(64)), "add up to 1"),
    (dict(weights=-numpy.ones(64)), "none below 0")])
def test_bad_weights(arguments, message):
    with pytest.raises(ValueError, match=message):
        rcm.lost_mass(**SHAPE, **arguments)


@pytest.mark.parametrize("arguments, message", [
    (dict(), "one of target"), (dict(target=0.9, lost_mass=0.1, score_sd=1), "one of target"),
    (dict(target=0.9, budget=3), "one of target"), (dict(budget=0.0), "above 0"),
    (dict(budget=3, confidence=0.9), "leave confidence out"),
    (dict(target=0.9, score_sd=1), "give it, too"), (dict(lost_mass=0.1), "either score_sd"),
    (dict(lost_mass=1.5, score_sd=1), "lost_mass must be"),
    (dict(lost_mass=0.1, weights=numpy.full(64, 1 / 64), confidence=0.9), "score_sd"),
    (dict(lost_mass=0.1, score_sd=1, confidence=0.9), "1.5 to 4")])
def test_bad_targets(arguments, message):
    with pytest.raises(ValueError, match=message):
        rcm.select(4096, 64, **arguments)


def test_ties():
    asked = dict(n=131072, k=2048, target=0.95, m=64, profile="H100-PCIe")
    free, choice = rcm.select(**asked), rcm.select(**asked, ties="position")
    assert {"recallmodel", "graphcore"} <= {c.name for c in free.contenders if c.callable}
    assert (choice.deploy, choice.cause) == ("exact", "ties")
    assert [c.name for c in choice.contenders] == ["torch.topk"]
    with pytest.raises(ValueError, match="any, repeatable, position"):
        rcm.select(**asked, ties="first")


def test_overlap():
    assert rcm.overlap(0.5, 0.5, 0.5) == pytest.approx(2 / 3, abs=1e-14)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rcm.overlap(0.5, 0.5, 2)


def test_quantised_recall():
    """Against the command: its columns, and its own loss of exact top-k."""
    for stored, d in (("f8e4m3", 128), ("int8", 64), ("mxfp4", 128)):
        shape = dict(n=4096, k=64, b=128, k_b=2)
        asked = command("recall", "--n", 4096, "--k", 64, "--b", 128, "--kb", 2,
                        "--rounding", f"qk:{stored}/{d}")
        assert (asked["rounding"], asked["rounding_d"]) == (f"qk:{stored}", d)
        assert rcm.quantised_recall(4096, 64, stored, d=d) == 1 - asked["rounding_loss"]
        assert rcm.quantised_recall(**shape, stored=stored, d=d) == \
            asked["configurations"][0]["recall_rounded"]
        choice = command("select", "--n", 4096, "--k", 64, "--rounding", f"qk:{stored}",
                         "--device", "h100-sxm", "--d", d)
        assert choice["rounding_loss"] == asked["rounding_loss"] and choice["rounding_d"] == d
    assert rcm.quantised_recall(64, 64, "int8") == 1
    for wrong, words in ((dict(stored="int4"), "int8, nvfp4"), (dict(d=15), "16"),
                         (dict(k=0), "k = 0"), (dict(b=4097), "b")):
        with pytest.raises(ValueError, match=words):
            rcm.quantised_recall(**{**dict(n=4096, k=64, stored="int8"), **wrong})


def test_rare_confidences(tmp_path):
    """Rows of equal elements, which are drawn, against the exact distribution of lost elements: the
    same buckets but for what 20000 draws leave open, and more where these show few such rows."""
    numpy.save(tmp_path / "equal.npy", numpy.zeros((200, 512)))
    before = 0
    for digits in range(1, 8):
        asked = ["--n", 512, "--k", 32, "--kb-max", 2, "--confidence", "0." + "9" * digits]
        drawn, exact = (command("select", *asked, *target)["choice"]["b"] for target in (
            ["--lost-mass", 0.1, "--weights", tmp_path / "equal.npy"], ["--recall", 0.9]))
        assert 0.97 * exact < drawn < (1.03 if digits < 5 else 1.5) * exact
        assert drawn > before
        before = drawn
