"""What the lost elements weigh: the command, digit for digit; and rows that are drawn.

Against: the command; softmax by NumPy. The tables of docs/quantised.md: the library.
"""
import csv
import doctest
import json
import os
import pathlib
import re
import subprocess

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _mass

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
TOP = pathlib.Path(__file__).parents[2]
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


def test_quantised_vectors(monkeypatch, capsys, tmp_path):
    """The script of the real tensors on normal ones, against the model; and numbers by hand."""
    monkeypatch.syspath_prepend(TOP / "tools")
    from real_tensors import quantised
    x = numpy.array([[448, 17, -18, 19, 0.0078125, 0.0009765625]])
    numpy.testing.assert_array_equal(quantised.store("f8e4m3", x),
                                     [[448, 16, -18, 20, 0.0078125, 0]])
    numpy.testing.assert_array_equal(quantised.store("int8", numpy.array([[254., 3, -5, 6.9]])),
                                     [[254, 4, -4, 6]])
    x = numpy.array([[7.9, 0.6, -2.5, 5.1] + [0] * 28])
    numpy.testing.assert_array_equal(quantised.store("mxfp4", x)[0, :4], [6, 0.5, -2, 6])
    numpy.testing.assert_allclose(quantised.store("nvfp4", x[:, :16] * 6 / 7.9)[0, :4],
                                  [6, 0.5, -2, 4])
    random = numpy.random.default_rng(1)
    folder = tmp_path / "normal" / "layer-00"
    folder.mkdir(parents=True)
    numpy.save(folder / "keys.npy", random.standard_normal((1, 2048, 64)))
    numpy.save(folder / "queries.npy", random.standard_normal((2, 64, 64)))
    monkeypatch.setattr("sys.argv", ["quantised.py", str(tmp_path)])
    quantised.main()
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 15
    for row in rows:  # 128 queries: the mean of k = 64 has a standard error of at most .005
        assert abs(float(row["kept"]) - float(row["kept_model"])) < 0.025
        assert abs(float(row["kept_buckets"]) - float(row["kept_buckets_model"])) < 0.025


def test_quantised_page():
    """The tables of docs/quantised.md, against the model and the file of the real tensors."""
    page = (TOP / "docs/quantised.md").read_text(encoding="utf-8")
    b = [rcm.smallest_b(131072, 2048, 2, target) for target in (0.99, 0.95)]
    rows = re.findall(r"\| `qk:(\w+)` \|.*\| (\.\d+) \| (\.\d+) \| (\.\d+) \|", page)
    assert len(rows) == 5
    for stored, *said in rows:
        shapes = [{}, dict(b=b[0], k_b=2), dict(b=b[1], k_b=2)]
        for number, shape in zip(said, shapes):
            assert f"{rcm.quantised_recall(131072, 2048, stored, **shape):.3f}"[1:] == number
    with open(TOP / "paper_figures/ours-quantised/quantised.csv", encoding="utf-8") as file:
        measured = [row for row in csv.DictReader(file) if row["k"] == "256"]
    rows = re.findall(r"\| (\w+) \| (\.\d+) \| (\.\d+) to (\.\d+) \|", page)
    assert len(rows) == 5
    for stored, model, low, high in rows:
        kept = [float(row["kept"]) for row in measured if row["stored"] == stored]
        assert f"{rcm.quantised_recall(8192, 256, stored, d=64):.3f}"[1:] == model
        for said, got in ((low, min(kept)), (high, max(kept))):
            assert abs(float(said) - got) < 5.1e-4


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
