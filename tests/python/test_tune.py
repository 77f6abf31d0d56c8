"""tune() and what select and topk make of its times.

Against: the command on the same file; topk with the b and k_b that were measured.
"""
import csv
import decimal
import fractions
import json
import subprocess
import sys

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _tune


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    _tune._tuned.cache_clear()
    return tmp_path


def of_command(*arguments):
    done = subprocess.run([sys.executable, "-m", "recallmodel", "select", *arguments, "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_tune_is_kept_and_select_answers_from_it(own_folder):
    with pytest.raises(ValueError, match="nothing was measured on this machine"):
        rcm.select(3000, 20, 0.9, device="this")
    choice = rcm.tune(3000, 20, recall=0.9, seconds=2)
    names = {c.name for c in choice.contenders}
    assert {"recallmodel", "numpy.argpartition"} <= names
    assert all(c.measured and c.low_us <= c.time_us <= c.high_us for c in choice.contenders)
    assert rcm.wisdom_path() == own_folder / "recallmodel" / "wisdom.csv"
    with open(rcm.wisdom_path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["kernel"] for row in rows} == {"recallmodel", "numpy.argpartition"} | (
        names & {"torch.topk"})
    assert rcm.select(3000, 20, 0.9, device="this") == choice
    assert rcm.select(3000, 20, 0.9, device=str(rcm.wisdom_path())) == choice
    near = rcm.select(3100, 20, 0.9, device="this")
    assert near.contenders[0].fitted and not near.contenders[0].measured


def test_python_says_what_the_command_says():
    rcm.tune(5000, 40, 2, 0.95, seconds=2, peers="none")
    for n, k, m in ((5000, 40, 2), (5000, 41, 2), (70000, 100, 1), (1000, 16, 64)):
        ours = rcm.select(n, k, 0.95, m=m, device="this")
        theirs = of_command(f"--n={n}", f"--k={k}", f"--m={m}", "--recall=0.95", "--device=this")
        assert ours.verdict == theirs["verdict"]
        assert [(c.name, c.kind, c.b, c.measured, c.fitted) for c in ours.contenders] == [
            (c["name"], c["kind"], c["b"], c["measured"], c["fitted"])
            for c in theirs["contenders"]]
        for one, other in zip(ours.contenders, theirs["contenders"]):
            assert one.time_us == pytest.approx(other["time_us"], rel=1e-12)
            assert one.low_us == pytest.approx(other["low_us"], rel=1e-12)


@pytest.mark.parametrize("wrong, says", [
    (dict(n=10, k=20), "at most"), (dict(n=100, k=5, on="gpu"), "no driver of NVIDIA"),
    (dict(n=100, k=5, dtype="f31"), "f31"), (dict(n=100, k=5, recall=1.5), "recall")])
def test_what_is_wrong_is_said(wrong, says):
    with pytest.raises(ValueError, match=says):
        rcm.tune(**wrong)


def test_what_cannot_be_kept_is_said(own_folder):
    with pytest.warns(RuntimeWarning, match="No such file.* is not kept"):
        choice = rcm.tune(3000, 20, recall=0.9, seconds=1, peers="none",
                          wisdom=own_folder / "none" / "x.csv")
    assert not choice.contenders[0].measured


@pytest.mark.parametrize("wrong", [
    dict(axis=7), dict(axis="a"), dict(axis=None), dict(axis=0, dim=1), dict(k=-1), dict(k=51),
    dict(k="a"), dict(k=2.5), dict(recall=1.5)])
def test_topk_says_the_same_with_and_without_tune(wrong):
    x, given = numpy.zeros((4, 50), "f4"), {**dict(k=5, recall=0.9), **wrong}
    with pytest.raises((TypeError, ValueError)) as plain:
        rcm.topk(x, **given)
    with pytest.raises(plain.type) as tuned:
        rcm.topk(x, **given, tune=True)
    assert str(tuned.value) == str(plain.value)


def test_topk_tunes_once(monkeypatch):
    calls = []
    tune = _tune.tune
    monkeypatch.setattr(_tune, "tune", lambda *a, **b: calls.append(a) or tune(
        *a, **b, seconds=2, peers="none"))
    x = numpy.random.default_rng(1).standard_normal((4, 5000), dtype="float32")
    first = rcm.topk(x, 32, recall=0.9, tune=True)
    again = rcm.topk(x, 32, recall=0.9, tune=True)
    assert len(calls) == 1
    choice = rcm.select(5000, 32, "0.9", m=4, device="this")
    shape = dict(b=choice.b, k_b=choice.k_b) if choice.verdict == "buckets" else {}
    want = rcm.topk(x, 32, **shape)
    for found in (first, again):
        assert numpy.array_equal(found.values, want.values)
    _tune._tuned.cache_clear()  # another process
    rcm.topk(x, 32, recall=0.9, tune=True)
    rcm.topk(x.T, 32, axis=0, recall=0.9, tune=True)
    assert len(calls) == 1
    rcm.topk(x[:, :16], 16, recall=0.9, tune=True)  # nothing to choose
    assert len(calls) == 1
    for wrong in (dict(), dict(recall=0.9, b=64, k_b=1), dict(recall=0.9, profile="H200"),
                  dict(recall=0.9, lengths=[5, 6, 7, 8])):
        with pytest.raises(ValueError, match="tune=True measures for a recall"):
            rcm.topk(x, 32, tune=True, **wrong)
    with pytest.raises(TypeError, match="int64.*tune=True takes float32"):
        rcm.topk(x.astype("int64"), 32, recall=0.9, tune=True)


def test_numbers_of_any_type_are_recalls():
    for recall in (fractions.Fraction(9, 10), decimal.Decimal("0.9"), numpy.float64(0.9), " 0.9"):
        assert rcm.tune(300, 5, 1, recall, seconds=0.5, peers="none",
                        confidence=fractions.Fraction(1, 2)).contenders[0].measured
    with pytest.raises(ValueError, match="recall"):
        rcm.tune(300, 5, 1, float("nan"))


def test_a_band_is_that_of_the_measurement():
    choice = rcm.tune(3000, 20, recall=0.9, seconds=1, peers="none")
    buckets, = [c for c in choice.contenders if c.kind == "buckets"]
    assert (choice.objective, choice.low_us, choice.high_us) == (
        buckets.time_us, buckets.low_us, buckets.high_us)


def test_lines_that_are_none_are_left_out(own_folder):
    rcm.tune(3000, 20, recall=0.9, seconds=1, peers="none")
    text = rcm.wisdom_path().read_bytes()
    damaged = own_folder / "damaged.csv"
    lines = text.split(b"\n")
    for exact in (lines[1] + b"\0", b"\0" + lines[1], lines[1] + b"\rjunk", b"#" + lines[1]):
        damaged.write_bytes(b"\n".join([lines[0], exact, *lines[2:]]))
        ours = rcm.select(3000, 20, 0.9, device=str(damaged))
        theirs = of_command("--n=3000", "--k=20", "--recall=0.9", f"--device={damaged}")
        assert [c.measured for c in ours.contenders] == [c["measured"] for c in
                                                         theirs["contenders"]]
        assert not all(c.measured for c in ours.contenders)
