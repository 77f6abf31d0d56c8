"""RoPE in Python's simulate() and select(): the command's numbers, and wrong input.

Against: the command.
"""
import csv
import io
import json
import os
import subprocess

import pytest

import recallmodel as rcm
from recallmodel import _library, _select

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def command(*words):
    return subprocess.check_output([PROGRAM, *words], text=True)


@pytest.mark.parametrize("options", [
    {}, dict(rope_theta=1e5), dict(head_dim=64), dict(rope_share=0.6), dict(rope_spread=0),
    dict(rope_theta=1e5, head_dim=32, rope_share=1, rope_weights=[0, 1, 0.5])],
    ids=lambda options: " ".join(options) or "defaults")
def test_rows_are_those_of_the_command(options):
    words = []
    for name, value in options.items():
        value = ",".join(map(str, value)) if isinstance(value, list) else f"{value:g}"
        words += ["--" + name.replace("_", "-"), value]
    rows = csv.DictReader(io.StringIO(command(
        "simulate", "--input", "rope", "--n", "2048", "--k", "64", "--b", "18,25", "--kb", "4",
        "--repetitions", "40", "--csv", *words)))
    want = [float(row["recall_mean"]) for row in rows]
    got = rcm.simulate("rope", 64, [18, 25], 4, n=2048, repetitions=40, **options)
    assert list(got.recall_mean) == want and len(want) == 2


def test_every_option_changes_the_rows():
    def loss(**options):
        return rcm.simulate("rope", 64, 18, 4, n=2048, repetitions=40, rope_share=0.9,
                            **options).recall_mean

    changed = [loss(), loss(rope_theta=1e5), loss(head_dim=64), loss(rope_spread=0),
               loss(rope_weights=[1])]
    assert len(set(changed)) == len(changed), changed


def test_select_keeps_away_from_resonance():
    """64 candidates of 8192 where the second wavelength is near b."""
    differ = 0
    for k in (64, 128, 256, 512, 1024):
        words = ["select", "--n", "8192", "--k", str(k), "--recall", "0.95", "--json"]
        rope = ["--rope-theta", "1e5", "--head-dim", "64"]
        for more, options in (([], {}), (rope, dict(rope_theta=1e5, head_dim=64)),
                              (rope[:2], dict(rope_theta=1e5))):
            choice = json.loads(command(*words, *more))["choice"]
            got = rcm.select(8192, k, 0.95, **options)
            assert (got.b, got.k_b) == (choice["b"], choice["k_b"]), (k, more)
        plain, kept_away = rcm.select(8192, k, 0.95), rcm.select(8192, k, 0.95, rope_theta=1e5,
                                                                 head_dim=64)
        differ += (plain.b, plain.k_b) != (kept_away.b, kept_away.k_b)
    assert differ > 0


def test_wrong_rope():
    for call, words in (
        (dict(rope_theta=1), "not above 1"), (dict(rope_theta=float("nan")), "rope_theta"),
        (dict(head_dim=63), "not even"), (dict(head_dim=2000), "head_dim"),
        (dict(rope_share=1.1), r"not in \[0, 1\]"), (dict(rope_spread=-1), "from 0 on"),
        (dict(rope_spread=1, rope_weights=[1]), "leave one out"),
        (dict(rope_weights=[0, 0]), "above 0"), (dict(rope_weights=[-1, 2]), "from 0 on"),
        (dict(head_dim=2, rope_weights=[1, 1]), "has 1 pairs"),
    ):
        with pytest.raises(ValueError, match=words):
            rcm.simulate("rope", 20, 10, 2, n=100, **call)
    with pytest.raises(ValueError, match="give rows='rope'"):
        rcm.simulate("iid", 20, 10, 2, n=100, rope_theta=1e4)
    with pytest.raises(ValueError, match="give rope_theta too"):
        rcm.select(8192, 64, 0.95, head_dim=64)
    with pytest.raises(ValueError, match="not even"):
        rcm.select(8192, 64, 0.95, rope_theta=1e4, head_dim=63)


def test_the_default_head_is_that_of_the_simulation():
    assert _library.sim().sim_rope_default.head_dim == _select.HEAD_DIM
