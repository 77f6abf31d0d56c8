"""topk of rows of different lengths, padded or joined.

Against: NumPy's sort of each row, bucket by bucket; the model's recall by lengths, within 4
standard deviations; torch.topk of each row.
"""
import numpy
import pytest

import recallmodel as rcm

from test_topk import TYPES, keys_of, made


def kept(row, b, k_b):
    """The places that interleaved buckets keep."""
    if b is None or b * k_b >= len(row):
        return numpy.arange(len(row))
    order = numpy.argsort(-keys_of(row, True), kind="stable")
    return numpy.sort(numpy.concatenate([order[order % b == j][:k_b] for j in range(b)]))


def check_row(row, k, values, indices, fill=-1, b=None, k_b=None):
    count = min(k, len(row))
    places = kept(row, b, k_b)
    want = -numpy.sort(-keys_of(row[places], True))[:count]
    numpy.testing.assert_array_equal(keys_of(values[:count], True), want)
    numpy.testing.assert_array_equal(keys_of(row[indices[:count]], True), want)
    assert len(set(indices[:count].tolist())) == count
    assert numpy.all(indices[count:] == fill)
    worst = (numpy.iinfo(row.dtype).min if row.dtype.kind == "i" else -numpy.inf)
    assert numpy.all(values[count:].astype(float) == worst)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["normal", "ties", "nan"])
def test_random_batches(dtype, kind):
    rng = numpy.random.default_rng(1)
    for case in range(40):
        m, n = int(rng.integers(1, 8)), int(rng.integers(1, 200))
        x = made((m, n), kind, dtype, case)
        lengths = rng.integers(0, n + 1, m)
        starts = rng.integers(0, n + 1 - lengths)
        k = int(rng.integers(1, 2 * n + 1))
        k_b = int(rng.integers(1, min(k, 4) + 1))
        shape = {} if case % 2 else {"b": -(-k // k_b) + case % 3, "k_b": k_b}
        rows = [x[r, starts[r]:starts[r] + lengths[r]] for r in range(m)]
        padded = rcm.topk(x, k, lengths=lengths, starts=starts.astype("int32"), fill=-2, **shape)
        joined = rcm.topk(numpy.concatenate(rows), k, index_dtype="int32",
                          starts=numpy.concatenate([[0], numpy.cumsum(lengths)]), **shape)
        assert joined.indices.dtype == numpy.int32 and padded.indices.dtype == numpy.int64
        assert padded.values.shape == joined.indices.shape == (m, k)
        assert padded.values.dtype == joined.values.dtype == x.dtype
        for r, row in enumerate(rows):
            check_row(row, k, padded.values[r], padded.indices[r], -2, **shape)
            check_row(row, k, joined.values[r], joined.indices[r], **shape)


def test_shapes_and_defaults():
    x = made((2, 3, 50))
    got = rcm.topk(x, 5, lengths=[[50], [7]])
    numpy.testing.assert_array_equal(got.indices[0], rcm.topk(x[0], 5).indices)
    numpy.testing.assert_array_equal(got.indices[1], rcm.topk(x[1, :, :7], 5).indices)
    late = rcm.topk(x, 5, starts=20)
    numpy.testing.assert_array_equal(late.indices, rcm.topk(x[..., 20:], 5).indices)
    one = rcm.topk(x[0, 0], 5, lengths=3)
    assert one.indices.shape == (5,) and one.indices.tolist()[3:] == [-1, -1]
    least = rcm.topk(x[0], 60, lengths=50, largest=False)
    assert numpy.all(least.values[:, 50:] == numpy.inf)
    assert rcm.topk(x[:0], 5, lengths=4).values.shape == (0, 3, 5)
    assert rcm.topk(x, 0, lengths=4).values.shape == (2, 3, 0)
    assert rcm.topk(numpy.empty(0, "f4"), 2, starts=[0, 0]).indices.tolist() == [[-1, -1]]
    overlapping = rcm.topk(x[0, 0], 3, starts=[0, 10], lengths=30)
    numpy.testing.assert_array_equal(overlapping.indices[1], rcm.topk(x[0, 0, 10:40], 3).indices)
    backward = x[:, :, ::-1]
    numpy.testing.assert_array_equal(rcm.topk(backward, 5, lengths=9).values,
                                     rcm.topk(backward[..., :9], 5).values)
    out = numpy.empty((2, 3, 5), "f4"), numpy.empty((2, 3, 5), "i8")
    assert rcm.topk(x, 5, lengths=9, out=out).values is out[0]
    numpy.testing.assert_array_equal(out[1], rcm.topk(x, 5, lengths=9).indices)


@pytest.mark.parametrize("assignment", ["interleaved", "contiguous"])
def test_keeps_the_recall_of_the_model(assignment):
    rng = numpy.random.default_rng(2)
    x, lengths = made((3000, 400)), rng.integers(0, 401, 3000)
    shape = dict(lengths=lengths, b=20, k_b=1, assignment=assignment)
    got = rcm.topk(x, 20, return_choice=True, **shape)
    exact = rcm.topk(x, 20, lengths=lengths)
    lost = sum(len(set(e.tolist()) - set(g.tolist()))
               for e, g in zip(exact.indices, got.indices)) / (3000 * 20)
    one = rcm.recall(400, 20, 20, 1)
    assert got.choice.recall > one + 0.01  # shorter rows lose less
    assert abs(1 - lost - got.choice.recall) < 4 * 0.15 / 3000**0.5


def test_a_recall_is_promised_for_the_longest():
    x = made((4, 1000))
    got = rcm.topk(x, 10, recall=0.9, lengths=[5, 10, 700, 1000], return_choice=True)
    assert got.choice.recall >= 0.9
    assert rcm.topk(x, 2000, recall=0.9, lengths=5, return_choice=True).choice.method == "exact"


@pytest.mark.parametrize("options, says", [
    (dict(lengths=[1, 2]), r"shape \(3,\)"), (dict(lengths=11), "at most 10"),
    (dict(lengths=-1), "not be negative"), (dict(lengths=1.5), "whole numbers"),
    (dict(starts=11), "larger than 10"), (dict(lengths=5, starts=6), "at most 10"),
    (dict(lengths=2, axis=0), "last axis"), (dict(lengths=2, nan="largest"), "leave it out"),
    (dict(lengths=2, b=2, k_b=1), "fewer than k"), (dict(lengths=2, b=2), "belong together"),
    (dict(lengths=2, recall=2), "recall"), (dict(lengths=2, k=-1), "k"),
])
def test_refused(options, says):
    options = {"k": 4, **options}
    with pytest.raises((ValueError, TypeError), match=says) as error:
        rcm.topk(made((3, 10)), **options)
    assert "\n" not in str(error.value)


def test_joined_rows_refused():
    x = made(10)
    for starts, says in (([0, 5, 4, 10], "fall"), ([0, 11], "the rows of x end"), ([], "a list"),
                         ([[0, 10]], "a list")):
        with pytest.raises(ValueError, match=says):
            rcm.topk(x, 2, starts=starts)
    with pytest.raises(TypeError, match="with lengths, give"):
        rcm.topk(numpy.arange(10), 2, lengths=3)


def test_tensors():
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(made((5, 64), "ties"))
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        lengths = torch.tensor([0, 3, 64, 10, 33], dtype=torch.int32)
        values, indices = rcm.topk(x.to(kind), 8, lengths=lengths)
        assert values.dtype == kind and indices.dtype == torch.int64
        for r, length in enumerate(lengths.tolist()):
            count = min(8, length)
            want = torch.topk(x.to(kind)[r, :length], count).values
            assert torch.equal(values[r, :count], want)
            assert torch.equal(x.to(kind)[r][indices[r, :count]], want)
            assert torch.all(indices[r, count:] == -1)
    with pytest.raises(TypeError, match="detach"):
        rcm.topk(x.clone().requires_grad_(), 8, lengths=3)
    with pytest.raises(TypeError, match="with lengths, give"):
        rcm.topk(x.long(), 8, lengths=3)


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(made((3, 20)))
    values, indices = rcm.topk(x, 4, lengths=[0, 2, 20])
    assert isinstance(values, jax.Array) and indices.dtype == jax.numpy.int32
    assert indices[1].tolist()[2:] == [-1, -1] and indices[0].tolist() == [-1] * 4
