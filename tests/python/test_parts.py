"""A row in parts: the command, digit for digit; and merging real rows.

Against: the command; numpy.lexsort of whole rows.
"""
import importlib.util
import json
import os
import subprocess

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
SIZES = [100, 500, 100, 200, 100, 7]


def command(*arguments):
    done = subprocess.run([PROGRAM, "parts", *map(str, arguments), "--json"], check=True,
                          capture_output=True, text=True, timeout=100)
    return json.loads(done.stdout)


@pytest.mark.parametrize("options, arguments", [
    ("--n 1048576 --k 2048 --parts 8", dict(n=1048576, k=2048, parts=8)),
    ("--n 1000003 --k 999 --parts 7 --lose-at-most 1e-6",
     dict(n=1000003, k=999, parts=7, lose_at_most=1e-6)),
    ("--n 1000003 --k 999 --parts 7 --recall 0.99", dict(n=1000003, k=999, parts=7, recall=0.99)),
    ("--n 1000003 --k 999 --parts 7 --lose-at-most 1e-6 --least sum",
     dict(n=1000003, k=999, parts=7, lose_at_most=1e-6, least="sum")),
    ("--k 100 --sizes 100,500,100,200,100,7 --least sum", dict(n=SIZES, k=100, least="sum")),
    ("--k 100 --sizes 100,500,100,200,100,7 --lose-at-most 1e-3 --least sum",
     dict(n=SIZES, k=100, lose_at_most=1e-3, least="sum")),
    ("--k 100 --sizes 100,500,100,200,100,7 --send 30,80,30,40,30,7",
     dict(n=SIZES, k=100, send=[30, 80, 30, 40, 30, 7])),
    ("--k 100 --sizes 100,500,100,200,100,7 --send 80", dict(n=SIZES, k=100, send=80)),
])
def test_as_the_command(options, arguments):
    want, got = command(*options.split()), rcm.parts(**arguments)
    for name in ("sent", "sent_full", "recall", "recall_sd", "loss", "probability_lost",
                 "probability_unproved", "expected_sent"):
        assert getattr(got, name) == want[name], name
    if want["k_part"] is None:
        assert got.k_parts.tolist() == want["k_parts"]
    else:
        assert got.k_parts.max() == want["k_part"]
    assert got.k_parts.sum() == want["sent"]


@pytest.mark.parametrize("arguments, message", [
    (dict(n=10, k=10), "give parts, or n as a list"), (dict(n=[], k=2), "from 1 on"),
    (dict(n=5, k=10, parts=6), "more than n"), (dict(n=5, k=10, parts=2), "larger than n"),
    (dict(n=[4, 0], k=2), "from 1 on"),
    (dict(n=[4, 5], k=2, send=[5, 5]), "cannot send 5"),
    (dict(n=[4, 5], k=2, send=1, recall=0.5), "exclude"),
    (dict(n=[4, 5], k=2, least="cost"), "largest, sum"),
    (dict(n=[4, 5], k=2, lose_at_most=2.0), "lose_at_most"),
    (dict(n=[4, 5], k=2, second_round=-1), "from 0 on"),
    (dict(n=[2**53, 8], k=2), "more than 2"), (dict(n=[2**63, 2**63], k=2), "more than 2")])
def test_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        rcm.parts(**arguments)


def rows_of(kind, rng, rows, n):
    x = rng.standard_normal((rows, n)).astype(numpy.float32)
    if kind == "ties":
        x = numpy.round(x)
    if kind == "nan":
        x[rng.random(x.shape) < 0.3] = numpy.nan
    if kind == "one part":
        x[:, ::8] += 100
    return x


@pytest.mark.parametrize("kind", ["normal", "ties", "nan", "one part"])
def test_two_rounds_are_exact(kind):
    """As docs/models.md 22 says it: send, merge, ask the parts in the way, merge again."""
    rng = numpy.random.default_rng(7)
    n, k, parts = 4096, 256, 8
    x = rows_of(kind, rng, 40, n)
    send = int(rcm.parts(n, k, parts=parts).k_parts[0])
    values, places = [], []
    for i in range(parts):
        top = rcm.topk(x[:, i::parts], send, sorted=True)
        values.append(top.values)
        places.append(top.indices * parts + i)
    first = rcm.merge_parts(values, places, k, by_position=True)
    again = first.unproved.any(axis=1)
    values, places = [v[again] for v in values], [p[again] for p in places]
    for i in range(parts):
        top = rcm.topk(x[again][:, i::parts], k, sorted=True)
        values[i], places[i] = top.values, top.indices * parts + i
    second = rcm.merge_parts(values, places, k, by_position=True)
    assert not second.unproved.any()
    first.values[again], first.indices[again] = second.values, second.indices
    bad = numpy.isnan(x)
    order = numpy.lexsort((numpy.broadcast_to(numpy.arange(n), x.shape),
                           -numpy.where(bad, 0, x), bad), axis=1)[:, :k]
    assert (first.indices == order).all()
    assert (first.values.view(numpy.uint32)
            == numpy.take_along_axis(x, order, 1).view(numpy.uint32)).all()
    assert again.all() if kind == "one part" else again.mean() < 0.2


def test_parts_of_one_row_and_of_none():
    merged = rcm.merge_parts([[3.0, 1.0], [2.0]], [[5, 0], [1]], 2, all=[False, True])
    assert merged.values.tolist() == [3.0, 2.0] and merged.indices.tolist() == [5, 1]
    assert merged.unproved.tolist() == [False, False]
    empty = rcm.merge_parts([numpy.empty((0, 3))], [numpy.empty((0, 3), int)], 2)
    assert empty.values.shape == (0, 2)
    assert rcm.merge_parts([[1.0, 2.0]], [[0, 1]], 1, largest=False).values.tolist() == [1.0]


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"])
def test_integers(dtype, largest):
    """All types of topk, beyond 2^53 too."""
    rng, n, k = numpy.random.default_rng(3), 400, 60
    bits = 8 * numpy.dtype(dtype).itemsize
    x = rng.integers(0, 2**bits, (20, n), dtype=f"u{bits // 8}").view(
        "u1" if dtype == "bool" else dtype)
    x = (x % 2).astype(bool) if dtype == "bool" else x
    sent = [rcm.topk(x[:, i::4], k, largest=largest, sorted=True) for i in range(4)]
    merged = rcm.merge_parts([s.values for s in sent],
                             [s.indices * 4 + i for i, s in enumerate(sent)], k, largest=largest)
    rising = numpy.sort(x, axis=1)
    assert merged.values.dtype == x.dtype and not merged.unproved.any()
    assert (merged.values == (rising[:, ::-1] if largest else rising)[:, :k]).all()
    assert (numpy.take_along_axis(x, merged.indices, 1) == merged.values).all()
    assert rcm.merge_parts([[3, 1], [2]], [[5, 0], [1.0]], 2).values.tolist() == [3, 2]


def test_parts_not_in_order():
    """argpartition's order: every proved row is exact, and some are proved."""
    merged = rcm.merge_parts([[1.0, 9.0, 0.0], [5.0, 4.0, 2.0]], [[7, 3, 5], [10, 12, 11]], 2)
    assert merged.values.tolist() == [9, 5] and merged.indices.tolist() == [3, 10]
    rng = numpy.random.default_rng(1)
    n, k, parts, send = 4096, 512, 8, 80
    x = rng.standard_normal((100, n)).astype(numpy.float32)
    values, places = [], []
    for i in range(parts):
        at = numpy.argpartition(-x[:, i::parts], send - 1, axis=1)[:, :send] * parts + i
        places.append(at)
        values.append(numpy.take_along_axis(x, at, 1))
    merged = rcm.merge_parts(values, places, k)
    proved = ~merged.unproved.any(axis=1)
    assert 20 < proved.sum() < 100
    assert (merged.indices[proved] == numpy.argsort(-x, axis=1, kind="stable")[proved, :k]).all()


@pytest.mark.parametrize("pad", [-numpy.inf, numpy.finfo(numpy.float32).min, 99.0])
def test_padding_is_no_element(pad):
    """As faiss pads: -1, whatever the value; the part has sent all that it has."""
    merged = rcm.merge_parts([numpy.float32([[3, pad, pad], [9, 8, 7]]),
                              numpy.float32([[2, 1, pad], [6, 5, 4]])],
                             [[[5, -1, -1], [1, 2, 3]], [[0, 7, -1], [4, 6, 8]]], 4)
    assert merged.indices.tolist() == [[5, 0, 7, -1], [1, 2, 3, 4]]
    assert merged.values[0, :3].tolist() == [3, 2, 1]
    assert merged.unproved.tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize("values, positions, k, message", [
    ([], [], 1, "one of each"), ([[1.0]], [[0, 1]], 1, "one shape"),
    ([[9, 1], [9, 0]], [[3, 7], [3, 8]], 2, "row 0: position 3 was sent twice"),
    ([[[2.0, 1.0], [2.0, 1.0]]] * 2, [[[0, 1], [5, 1]], [[2, 3], [0, 1]]], 4,
     "row 1: position 1 was sent twice"),
    ([[1.0]], [[7.5]], 1, r"positions\[0\] must be whole"),
    ([[1.0]], [[numpy.nan]], 1, "must be whole"), ([[1.0]], [["1"]], 1, "must be whole"),
    ([[1.0]], numpy.array([[2**63]], numpy.uint64), 1, "must be whole"),
    ([[1.0]], [[0]], 2, "more than the 1"), ([[1.0], [[1.0]]], [[0], [[1]]], 1, "different rows")])
def test_what_is_wrong_with_parts(values, positions, k, message):
    with pytest.raises(ValueError, match=message):
        rcm.merge_parts(values, positions, k)


@pytest.mark.parametrize("rho, parts, block",
                         [(0.9, 8, 1), (0.9, 8, 16), (0.99, 4, 8), (0.5, 3, 4)])
def test_spread_of_pairs(tmp_path, rho, parts, block):
    """tools/real_tensors/parts.py predicts the spread of AR(1) rows from the distances of pairs."""
    spec = importlib.util.spec_from_file_location("parts_of_rows", "tools/real_tensors/parts.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    rng = numpy.random.default_rng(4)
    x = rng.standard_normal((300, 1200))
    for i in range(1, x.shape[1]):
        x[:, i] = rho * x[:, i - 1] + (1 - rho * rho) ** 0.5 * x[:, i]
    numpy.save(tmp_path / "rows.npy", x.astype(numpy.float32))
    found = command("--file", tmp_path / "rows.npy", "--k", 120, "--parts", parts, "--deal", block,
                    "--send", 60)["rows"][0]
    pairs = tool.pairs_by_distance(x, 120)
    assert pairs[0] == pytest.approx(120) and 2 * pairs[1:].sum() == pytest.approx(120 * 119)
    spread = tool.spread_of_pairs(pairs, 120, parts, block)
    assert spread == pytest.approx(found["spread"], rel=0.08)
