"""topk in place of that of others: the rules of their own tests, written anew.

torch: test_topk* of test/test_sort_and_select.py and test/test_reductions.py of PyTorch 2.9. jax:
tests/lax_test.py and tests/ann_test.py of JAX 0.10. numpy: argpartition. Where PyTorch or JAX is
installed, it is asked too.

Against: sorting; PyTorch, where it is installed; the rules of their own tests.
"""
import math

import numpy
import pytest

import recallmodel as rcm

try:
    import torch
except ImportError:
    torch = None

GENERATOR = numpy.random.default_rng(20261124)
INTEGERS = "bool uint8 int8 int16 uint16 int32 uint32 int64 uint64".split()
FLOATS = "float16 float32 float64".split()


def made(dtype, shape, large=False):
    """Random rows; large: with the whole range of an integer type."""
    if dtype in FLOATS:
        return GENERATOR.normal(size=shape).astype(dtype)
    if dtype == "bool":
        return GENERATOR.integers(0, 2, shape).astype(bool)
    info = numpy.iinfo(dtype)
    low, high = (info.min, info.max) if large else (max(info.min, -50), 50)
    return GENERATOR.integers(low, high, shape, dtype=dtype)


def sorted_best(x, k, axis, largest):
    rising = numpy.sort(x, axis=axis)
    return numpy.take(numpy.flip(rising, axis) if largest else rising, range(k), axis=axis)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("large", [False, True])
def test_types_axes_and_k(dtype, large):
    """Every k from 0, both directions, every axis: values as sorted, indices to them."""
    x = made(dtype, (4, 30, 5), large)
    for axis in (0, 1, 2, -1, -3):
        for largest in (True, False):
            for k in (0, 1, 3, x.shape[axis]):
                values, indices = rcm.topk(x, k, axis, largest)
                assert values.dtype == x.dtype and indices.dtype == numpy.int64
                assert (values == sorted_best(x, k, axis, largest)).all()
                assert (numpy.take_along_axis(x, indices, axis) == values).all()
                rows = numpy.sort(indices, axis=axis)
                assert (numpy.diff(rows, axis=axis) > 0).all()
                if torch is None or dtype in ("uint16", "uint32", "uint64"):
                    continue
                tensor = torch.from_numpy(x)
                got = rcm.topk(tensor, k, dim=axis, largest=largest)
                assert got.values.dtype == tensor.dtype
                assert (got.values.numpy() == values).all()
                assert (tensor.gather(axis, got.indices) == got.values).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan(dtype):
    """last: behind all numbers; largest: above all numbers, as PyTorch has it."""
    x = made(dtype, (6, 40))
    x[0, 3] = x[0, 9] = x[1, 0] = x[4, :] = numpy.nan
    x[5, :39] = numpy.nan
    alone = rcm.topk(x[0], 4, nan="largest")
    assert numpy.isnan(alone.values).tolist() == [True, True, False, False]
    assert numpy.array_equal(x[0][alone.indices], alone.values, equal_nan=True)
    for axis in (0, 1):
        for largest in (True, False):
            for k in (1, 4, 6):
                values, indices = rcm.topk(x, k, axis, largest)
                there = numpy.moveaxis(numpy.isnan(values), axis, -1)
                assert (numpy.sort(there, axis=-1) == there).all()
                above = rcm.topk(x, k, axis, largest, nan="largest")
                assert numpy.array_equal(numpy.take_along_axis(x, above.indices, axis),
                                         above.values, equal_nan=True)
                keys = numpy.where(numpy.isnan(x), numpy.inf, x.astype("float64"))
                assert numpy.array_equal(
                    numpy.where(numpy.isnan(above.values), numpy.inf, above.values),
                    sorted_best(keys, k, axis, largest))
                if torch is not None:
                    tensor = torch.from_numpy(x)
                    wanted = torch.topk(tensor, k, axis, largest).values.numpy()
                    assert numpy.array_equal(above.values, wanted, equal_nan=True)
                    got = rcm.topk(tensor, k, axis, largest, nan="largest")
                    assert numpy.array_equal(got.values.numpy(), wanted, equal_nan=True)
                    assert numpy.array_equal(tensor.gather(axis, got.indices).numpy(), wanted,
                                             equal_nan=True)


def test_lists_and_numbers():
    assert [out.tolist() for out in rcm.topk([3, 1, 2], 2)] == [[3, 2], [0, 2]]
    assert [out.tolist() for out in rcm.topk([[2**60, 2**60 + 1]], 1)] == [[[2**60 + 1]], [[1]]]
    assert [out.tolist() for out in rcm.topk(5, 1)] == [5, 0]
    assert rcm.topk(numpy.zeros((3, 0)), 0).values.shape == (3, 0)
    assert rcm.topk(numpy.zeros((0, 7)), 3).indices.shape == (0, 3)


def test_third_is_the_axis():
    x = made("float32", (8, 9))
    assert (rcm.topk(x, 2, 0).values == sorted_best(x, 2, 0, True)).all()
    assert (rcm.topk(x, 2, 1).values == sorted_best(x, 2, 1, True)).all()
    assert (rcm.topk(x, 2, dim=0).values == rcm.topk(x, 2, axis=0).values).all()
    assert (numpy.sort(rcm.topk(x, 4, 1, True, False).values) ==
            numpy.sort(sorted_best(x, 4, 1, True))).all()
    with pytest.raises(TypeError):
        rcm.topk(x, 2, 0, True, True, 0.9)  # a recall has a name


def test_out():
    x = made("float32", (3, 20))
    own = numpy.zeros((3, 4), "float32"), numpy.zeros((3, 4), "int64")
    got = rcm.topk(x, 4, out=own)
    assert got.values is own[0] and got.indices is own[1]
    assert (own[0] == rcm.topk(x, 4).values).all()
    if torch is not None:
        own = torch.zeros(3, 4), torch.zeros(3, 4, dtype=torch.int64)
        got = rcm.topk(torch.from_numpy(x), 4, out=own)
        assert got.values is own[0] and torch.equal(own[0], torch.topk(torch.from_numpy(x), 4)[0])


@pytest.mark.skipif(torch is None, reason="there is no torch")
def test_simulate_takes_bfloat16():
    x = torch.from_numpy(made("float32", (50, 400))).bfloat16()
    got = rcm.simulate(x, 16, 32, 2)
    assert got.recall_mean == rcm.simulate(x.float().numpy(), 16, 32, 2).recall_mean


def test_argpartition_and_argmax():
    """NumPy's rule: the first k of argpartition are the k smallest, in any order."""
    x = made("float64", (7, 100))
    for k in (1, 5, 99):
        ours = rcm.topk(x, k, -1, False, False)
        theirs = numpy.take_along_axis(x, numpy.argpartition(x, k, axis=-1)[:, :k], -1)
        assert (numpy.sort(ours.values) == numpy.sort(theirs)).all()
    assert (rcm.topk(x, 1).indices[:, 0] == x.argmax(-1)).all()


@pytest.mark.parametrize("shape, k, recall", [
    ((50, 500), 10, 0.9), ((10, 2000), 25, 0.95), ((100, 5000), 50, 0.8)])
def test_recall_of_a_batch(shape, k, recall):
    """JAX's rule is that a batch keeps at least the target; on average half do, so it is asked with
    a confidence."""
    missed = 0
    for _ in range(20):
        x = GENERATOR.normal(size=shape).astype("float32")
        got = rcm.topk(x, k, recall=recall, confidence=0.999)
        least = numpy.sort(x, axis=-1)[:, -k:-k + 1]
        missed += int((got.values >= least).sum()) < math.ceil(recall * k * shape[0])
    assert missed == 0
