"""topk of JAX arrays on the CPU. Skipped where JAX is absent."""
import numpy
import pytest

jax = pytest.importorskip("jax")
import recallmodel as rcm  # noqa: E402
from recallmodel import _topk_call  # noqa: E402


@pytest.fixture(autouse=True)
def on_the_cpu():
    with jax.default_device(jax.devices("cpu")[0]):
        yield


def made(*shape, dtype="float32"):
    x = 30 * numpy.random.default_rng(1).standard_normal(shape)
    return jax.numpy.asarray(x.astype("float32")).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "int32"])
def test_as_lax_top_k(dtype):
    x = made(5, 700, dtype=dtype)
    got, want = rcm.topk(x, 9), jax.lax.top_k(x, 9)
    assert isinstance(got.values, jax.Array) and isinstance(got.indices, jax.Array)
    assert (got.values.dtype, got.indices.dtype) == (x.dtype, numpy.int32)
    numpy.testing.assert_array_equal(got.values, want[0])
    numpy.testing.assert_array_equal(jax.numpy.take_along_axis(x, got.indices, 1), want[0])
    columns = rcm.topk(x, 2, axis=0, largest=False).values
    numpy.testing.assert_array_equal(columns, jax.numpy.sort(x, axis=0)[:2])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_no_copy(monkeypatch, dtype):
    seen, real = [], _topk_call.run
    monkeypatch.setattr(_topk_call, "run", lambda call, item, at, *more: (seen.append(at),
                                                              real(call, item, at, *more)))
    x = made(8, 3000, dtype=dtype)
    for axis in (0, 1):
        rcm.topk(x, 3, axis=axis)
    assert seen == [x.unsafe_buffer_pointer()] * 2


def test_choice():
    got = rcm.topk(made(3, 4096), 60, recall=0.9, return_choice=True)
    assert got.choice.recall >= 0.9 and got.values.shape == (3, 60)


def test_inside_jit():
    with pytest.raises(TypeError, match="pure_callback"):
        jax.jit(lambda x: rcm.topk(x, 3).values)(made(9))
    shapes = [jax.ShapeDtypeStruct((2, 3), kind) for kind in ("float32", "int32")]
    function = jax.jit(lambda x: jax.pure_callback(
        lambda x: tuple(rcm.topk(numpy.asarray(x), 3, index_dtype="int32")), shapes, x))
    x = made(2, 500)
    numpy.testing.assert_array_equal(function(x)[0], jax.lax.top_k(x, 3)[0])
