"""Arguments of topk as NumPy names them, and memory that is not there.

Against: NumPy's sort, and the same call by PyTorch's names.
"""
import numpy
import pytest

import recallmodel as rcm
from recallmodel import _topk_call


def test_mode():
    """That of NumPy's top_k(a, k, /, *, axis=-1, mode="largest", sorted=True)."""
    rng = numpy.random.default_rng(3)
    for x in rng.integers(-9, 9, (7, 50)).astype("f"), [[3, 1, 2, 5, 4, 0]]:
        for mode in "largest", "smallest":
            want = rcm.topk(x, 5, largest=mode == "largest")
            rising = numpy.sort(x, axis=-1)
            best = rising[:, ::-1] if mode == "largest" else rising
            assert numpy.array_equal(want.values, best[:, :5])
            for more in {}, {"largest": mode == "largest"}, {"largest": None}:
                found = rcm.topk(x, 5, mode=mode, **more)
                assert all(map(numpy.array_equal, found, want))


@pytest.mark.parametrize("what, error, says", [
    (dict(mode="min"), ValueError, "'largest' or 'smallest'"),
    (dict(mode=[1]), ValueError, "'largest' or 'smallest'"),
    (dict(mode="smallest", largest=True), ValueError, "contradict"),
    (dict(mode="largest", largest=False), ValueError, "contradict"),
    (dict(axis=None), TypeError, "axis = None is no axis; give one"),
    (dict(axis=1, dim=0), TypeError, "two names"),
])
def test_wrong_arguments(what, error, says):
    with pytest.raises(error, match=says) as found:
        rcm.topk(numpy.zeros((2, 9), "f"), 3, **what)
    assert "\n" not in str(found.value)


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError, match=r"needs 1.15e\+09 GB beside x .*; give threads=1"):
        _topk_call._memory(1 << 60)
