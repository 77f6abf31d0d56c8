"""select: what the command says, over questions by chance on all devices.

Against: `recallmodel select --json`, of the same questions that the sentences and the page answer.
"""
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import warnings

import pytest

import recallmodel as rcm

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "programs" / "select"))
from random_questions import RARE, question  # noqa: E402

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
QUESTIONS = 100 if os.environ.get("CASES") == "few" else int(os.environ.get("QUESTIONS", 200))
CONTENDER = {field.name for field in dataclasses.fields(rcm.Contender)}
NUMBERS = {"d": int, "n": int, "k": int, "m": int, "align": int, "kb-max": int, "exact-us": float,
           "budget": float, "confidence": float}


def arguments(options):
    """Options of the command as arguments of rcm.select."""
    words, found = iter(options), {}
    for word in words:
        name = word[2:]
        value = True if name == "beyond-runs" else NUMBERS.get(name, str)(next(words))
        found[{"recall": "target", "kb-max": "k_b_max"}.get(name, name.replace("-", "_"))] = value
    return found


def asked(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which card is meant
        return rcm.select(**arguments(options))


def check_same(ours, theirs):
    choice = theirs["choice"] or {"b": None, "k_b": None}
    assert (ours.b, ours.k_b) == (choice["b"], choice["k_b"])
    for name in ("verdict", "deploy", "too_close", "cause", "exact_objective"):
        assert getattr(ours, name) == theirs[name], name
    assert len(ours.contenders) == len(theirs["contenders"])
    for one, other in zip(ours.contenders, theirs["contenders"]):
        assert CONTENDER == set(other) - {"shown"}  # the cells of the table
        for name in CONTENDER:
            want = other[name]
            assert getattr(one, name) == (
                pytest.approx(want, rel=1e-9) if isinstance(want, float) else want), name


@pytest.mark.parametrize("options", [
    "--n 1048576 --k 1024 --m 1024 --recall 0.99 --device h100-pcie --d 128",
    "--n 262144 --k 32768 --m 64 --recall 0.8 --device h100-pcie --d 128",
    "--n 1048576 --k 100 --recall 0.9 --device mi300x --d 128 --exact-us 9000",
    "--n 1048576 --k 100 --recall 0.9 --device mi300x --d 128"])
def test_products(options):
    done = subprocess.run([PROGRAM, "select", *options.split(), "--json", "--brief"],
                          capture_output=True, check=True)
    theirs, ours = json.loads(done.stdout), asked(options.split())
    check_same(ours, theirs)
    assert ours.product_share == pytest.approx(theirs["product_share"], rel=1e-9)
    fused = [c for c in ours.contenders if c.fused and c.kind == "exact"]
    assert len(fused) == 1 and fused[0].call is None


def test_the_command_and_python_say_the_same():
    devices = [device.name for device in rcm.devices()]
    seen, timed = set(), 0
    for i in range(QUESTIONS):
        options = (RARE[i].split() if i < len(RARE)
                   else [*map(str, question(random.Random(f"python {i}"), devices))])
        done = subprocess.run([PROGRAM, "select", *options, "--json", "--brief"],
                              capture_output=True, text=True)
        if done.returncode == 2:
            with pytest.raises(ValueError):
                asked(options)
            continue
        theirs, ours = json.loads(done.stdout), asked(options)
        try:
            check_same(ours, theirs)
        except AssertionError as error:
            raise AssertionError(" ".join(options)) from error
        seen.add(ours.verdict)
        timed += bool(ours.contenders)
    assert timed > QUESTIONS / 2 and seen >= {"exact", "buckets", "none"}, seen


def test_a_kernel_is_a_name():
    for device in (None, "h200"):
        with pytest.raises((TypeError, ValueError), match=r"kernel .*\[1, 2\]"):
            rcm.select(1000, 10, 0.9, device=device, kernel=[1, 2])
