"""Groups of rows in Python: what the command says of them."""
import json
import os
import pickle
import subprocess

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def command(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True, timeout=100).stdout


def rows_in_groups():
    """Six groups of 20 rows, whose top-k lie the nearer to each other the later the group."""
    x = numpy.random.default_rng(8).standard_normal((6, 20, 256))
    x[:, :, :32] += 0.4 * numpy.arange(6)[:, None, None]
    return x


def test_groups_are_those_of_the_command(tmp_path):
    x, shape = rows_in_groups(), dict(k=16, b=[8, 16], k_b=2, assignment="contiguous")
    numpy.save(tmp_path / "x.npy", x)
    # In another order of rows, so that labels are not runs.
    order = numpy.random.default_rng(9).permutation(120)
    labels = numpy.array(["fedcba"[i // 20] for i in order])
    numpy.save(tmp_path / "mixed.npy", x.reshape(120, 256)[order])
    (tmp_path / "labels").write_text("".join(label + "\n" for label in labels))
    for file, more, source, groups in (
        ("x.npy", [], x, None), ("x.npy", [], tmp_path / "x.npy", 1),
        ("mixed.npy", ["--groups", tmp_path / "labels"], tmp_path / "mixed.npy", labels),
        ("mixed.npy", ["--groups", tmp_path / "labels"], tmp_path / "mixed.npy",
         labels.reshape(10, 12)),
    ):
        got = rcm.simulate(source, **shape, groups=groups)
        out = json.loads(
            command("simulate", "--file", tmp_path / file, *"--k 16 --b 8,16 --kb 2".split(), *more,
                    *"--assignment contiguous --recall 0.3 --json".split()))
        for i, row in enumerate(out["results"]):
            assert [group["label"] for group in row["groups"]] == list(got.groups)
            assert [group["rows"] for group in row["groups"]] == list(got.group_rows) == [20] * 6
            assert [group["recall"] for group in row["groups"]] == list(got.recall_groups[i])
            assert [group["mass"] for group in row["groups"]] == list(got.mass_groups[i])
            assert row["recall_se_groups"] == got.recall_se_groups[i]
            low, high = got.recall_interval()
            assert (row["recall_low_groups"], row["recall_high_groups"]) == (low[i], high[i])
            worst = got.recall_groups[i].argmin()
            assert row["worst_group"] == got.groups[worst]
            assert row["recall_worst_group"] == got.recall_groups[i, worst]
        model = out["choices"][0]["model"]
        assert got.recall_lower()[[8, 16].index(model["b"])] == model["recall_lower"]
        # By definition: the standard deviation of the means of the groups.
        want = got.recall_groups.std(axis=-1, ddof=1) / 6**0.5
        numpy.testing.assert_allclose(got.recall_se_groups, want, rtol=1e-12)
        assert (got.recall_se_groups > 2 * got.recall_stderr).all()
        copy = pickle.loads(pickle.dumps(got))
        numpy.testing.assert_array_equal(copy.recall_lower(), got.recall_lower())


def test_groups_and_no_groups():
    x = rows_in_groups()
    flat, alone = x.reshape(120, 256), rcm.simulate(x, 16, 8, 2, groups=0)
    plain = rcm.simulate(flat, 16, 8, 2)
    assert alone.groups is None and plain.groups is None and plain.recall_se_groups is None
    assert alone.recall_lower() == plain.recall_lower()
    assert rcm.simulate(x, 16, 8, 2).groups == tuple("012345")
    assert rcm.simulate(x[None], 16, 8, 2).groups == tuple(f"0,{i}" for i in range(6))
    assert len(rcm.simulate(x, 16, 8, 2, groups=2).groups) == 120
    few = rcm.simulate(flat, 16, 8, 2, groups=numpy.arange(120) % 4)
    assert few.groups == (0, 1, 2, 3) and numpy.isnan(few.recall_lower())
    assert numpy.isnan(few.recall_interval()).all() and few.recall_se_groups > 0
    part = rcm.simulate(x, 16, 8, 2, repetitions=110)
    assert list(part.group_rows) == [20] * 5 + [10]
    for error, call in (
        (ValueError, lambda: plain.recall_interval()),
        (ValueError, lambda: rcm.simulate("iid", 16, 8, 2, n=256, groups=1)),
        (ValueError, lambda: rcm.simulate(x, 16, 8, 2, groups=3)),
        (ValueError, lambda: rcm.simulate(flat, 16, 8, 2, groups=numpy.arange(119))),
        (ValueError, lambda: rcm.simulate(flat, 16, 8, 2, groups=numpy.zeros(120))),
        (TypeError, lambda: rcm.simulate(flat, 16, 8, 2, groups=0.5)),
    ):
        with pytest.raises(error):
            call()
