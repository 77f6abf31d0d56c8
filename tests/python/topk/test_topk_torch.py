"""topk of tensors: torch.topk, gradients, vmap, torch.compile. Skipped where PyTorch is absent.

`topk` of tensors and of JAX arrays: types, axes, no copy, derivatives, vmap, traces, meta
tensors, `torch.compile`. Skipped where PyTorch or JAX is absent, as in `make check`. Against:
`torch.topk`, `jax.lax.top_k`, PyTorch's own checks of an operator.
"""
import subprocess
import sys

import numpy
import pytest

torch = pytest.importorskip("torch", minversion="2.5")
import recallmodel as rcm  # noqa: E402  (after torch, so that it registers the operator)
from recallmodel import _library, _topk, _topk_call, _topk_torch  # noqa: E402

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int32]


def made(*shape, dtype=torch.float32, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return (30 * torch.randn(*shape, generator=generator)).to(dtype)


def check(x, k, got, axis=-1, largest=True):
    values, indices = got[:2]
    want = torch.topk(x, k, dim=axis, largest=largest)
    assert values.dtype == x.dtype and torch.equal(values, want.values)
    there = x.gather(axis, indices.long()) if x.dim() else x
    assert torch.equal(there, values) and indices.shape == values.shape


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_as_torch_topk(dtype):
    x = made(3, 40, 70, dtype=dtype)
    for axis in range(-3, 3):
        for largest in (True, False):
            check(x, 3, rcm.topk(x, 3, axis=axis, largest=largest), axis, largest)
    for one in (x.transpose(0, 2), x[1:, ::3, 5:60], x[0, 0], x[:, 0].expand(3, 70),
                torch.tensor(2, dtype=dtype)):
        check(one, 1, rcm.topk(one, 1))
    assert rcm.topk(x[:0], 4, axis=2, recall=0.9).values.shape == (0, 40, 4)


def test_kinds_and_choice():
    x = made(20, 4096)
    got = rcm.topk(x, 50, recall=0.9, index_dtype=torch.int32, return_choice=True)
    assert type(got) is _topk.TopKChosen and got.indices.dtype == torch.int32
    array = rcm.topk(x.numpy(), 50, recall=0.9, index_dtype="int32", return_choice=True)
    assert got.choice == array.choice
    numpy.testing.assert_array_equal(got.indices.numpy(), array.indices)
    by_profile = rcm.topk(x, 50, recall=0.9, profile="H100-PCIe", return_choice=True)
    if by_profile.choice.method == "bucketed":
        same = rcm.topk(x, 50, b=by_profile.choice.b, k_b=by_profile.choice.k_b)
        assert torch.equal(same.indices, by_profile.indices)
    assert rcm.topk(x, 50).indices.dtype == torch.int64
    assert rcm.topk(x, 50, index_dtype=numpy.int32).indices.dtype == torch.int32


def test_no_copy(monkeypatch):
    seen, real = [], _topk_call.start
    monkeypatch.setattr(_topk_call, "start", lambda call: (
        seen.append(int(_library.ffi.cast("uintptr_t", call.rows.x))), real(call)))
    x = made(40, 300)
    for one in (x, x.t(), x[:, 50:], x[::2, ::3]):
        for axis in (0, 1):
            rcm.topk(one, 2, axis=axis)
            torch.ops.recallmodel.topk(one, 2, axis)
            assert seen[-2:] == [one.data_ptr()] * 2
    assert len(seen) == 16


def test_plans():
    """What is kept for the next call of a contiguous tensor does not outlive its arguments."""
    x = made(6, 80)
    k, recall = torch.tensor(2), torch.tensor(0.5)
    for now in (2, 3):
        k.fill_(now)
        check(x, now, rcm.topk(x, k))
        assert rcm.topk(x.numpy(), k).values.shape == (6, now)
    rcm.topk(x, 4, recall=recall)
    recall.fill_(2.0)
    with pytest.raises(ValueError, match="recall"):
        rcm.topk(x, 4, recall=recall)
    for one in (x, x.numpy(), x.double(), x._neg_view(), x.t(), x[0]):
        want = torch.topk(torch.as_tensor(one), 4)
        got = rcm.topk(one, 4, index_dtype="int32")
        assert type(got.values) is type(one) and str(got.indices.dtype)[-5:] == "int32"
        assert got.values.tolist() == want.values.tolist()
    with torch.inference_mode():
        check(x, 4, rcm.topk(x, 4))


def test_operator():
    op = torch.ops.recallmodel.topk.default
    leaf = made(5, 7, 90).requires_grad_()
    for args, named in [((made(3, 50), 5), {}), ((made(30, 50), 5, 0), dict(recall=0.9)),
                        ((made(3, 50, 4), 5, 1, False, False), dict(int32=True)),
                        ((leaf, 3, 1), {}), ((leaf, 30), dict(b=45, k_b=2)),
                        ((torch.tensor(1.0), 1), {}), ((made(0, 9, dtype=torch.int8), 2), {})]:
        tests = ("test_schema", "test_autograd_registration", "test_faketensor")
        _topk_torch.registry.opcheck(op, args, named, test_utils=tests)


def test_gradient():
    x = made(4, 30, dtype=torch.float64).requires_grad_()
    for axis in (0, 1):
        assert torch.autograd.gradcheck(lambda x: rcm.topk(x, 3, axis=axis).values, (x,))
    rcm.topk(x, 3).values.sum().backward()
    wanted = torch.zeros_like(x).scatter(1, torch.topk(x, 3).indices, 1.0)
    assert torch.equal(x.grad, wanted)
    assert not rcm.topk(x, 3).indices.requires_grad


def test_every_derivative():
    def function(x):
        return rcm.topk(x, 3, axis=0).values

    x, along = made(9, 5), made(9, 5, seed=2)
    wanted = torch.topk(x, 3, dim=0)
    tangent = along.gather(0, wanted.indices)
    with torch.autograd.forward_ad.dual_level():
        got = torch.autograd.forward_ad.unpack_dual(
            function(torch.autograd.forward_ad.make_dual(x, along)))
    assert torch.equal(got.primal, wanted.values) and torch.equal(got.tangent, tangent)
    assert torch.equal(torch.func.jvp(function, (x,), (along,))[1], tangent)
    ones = torch.zeros_like(x).scatter(0, wanted.indices, 1.0)
    assert torch.equal(torch.func.grad(lambda x: function(x).sum())(x), ones)
    each = torch.func.vmap(torch.func.grad(lambda x: function(x).sum()), 1, 1)(x)
    assert torch.equal(each, ones)
    assert torch.equal(torch.func.jacrev(function)(x), torch.func.jacfwd(function)(x))
    x = made(4, 5, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x: function(x)**2, (x,))


@pytest.mark.filterwarnings("ignore")  # torch.jit is deprecated
def test_trace():
    traced = torch.jit.trace(lambda x: rcm.topk(x, 3).values, made(4, 50))
    x = made(4, 50, seed=2)
    assert torch.equal(traced(x), torch.topk(x, 3).values)


def test_vmap():
    x = made(6, 5, 40)
    for axis in (0, 1, -1):
        for batch in (0, 1, 2):
            got = torch.func.vmap(lambda x: rcm.topk(x, 3, axis=axis), batch)(x)
            check(x.movedim(batch, 0), 3, got, axis + (axis >= 0))
    got = torch.func.vmap(lambda x: rcm.topk(x, 1).indices)(x[0, 0])
    assert torch.equal(got, torch.zeros(40, dtype=torch.int64))


def test_compile():
    def function(x):
        some = rcm.topk(x, 30, recall=0.9, index_dtype="int32")
        return rcm.topk(2 * x, 5, axis=0).values + 1, some

    # The back end without a C++ compiler; the operator is opaque to all of them.
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    for n in (400, 500, 600):
        x = made(8, n)
        for got, want in zip(torch.utils._pytree.tree_leaves(compiled(x)),
                             torch.utils._pytree.tree_leaves(function(x))):
            assert torch.equal(got, want)


def test_registration():
    code = ("import sys, recallmodel as rcm; assert 'torch' not in sys.modules\n"
            "import torch; assert not hasattr(torch.ops.recallmodel, 'topk')\n"
            "if len(sys.argv) > 1:\n"
            "    rcm.register_torch(); rcm.register_torch()\n"
            "else:\n"
            "    rcm.topk(torch.arange(9.), 2)\n"
            "assert torch.ops.recallmodel.topk(torch.arange(9.), 2)[1].tolist() == [8, 7]\n")
    for arguments in ([], ["register"]):
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, timeout=100)


def test_wrong_arguments():
    x = made(3, 100)
    for what, says, kind in [(dict(k=101), "k = 101 is not in 0 .. 100", ValueError),
                             (dict(axis=2), "axis = 2", ValueError),
                             (dict(recall=2.0), "recall", ValueError),
                             (dict(b=10), "give both", ValueError),
                             (dict(index_dtype="int8"), "int32 or int64", ValueError),
                             (dict(index_dtype=[1]), "int32 or int64", ValueError),
                             (dict(recall="high"), "recall = 'high'", ValueError),
                             (dict(recall=[0.9]), "recall must be one number", TypeError),
                             (dict(x=torch.zeros(9, dtype=torch.complex64)), "topk takes",
                              TypeError),
                             (dict(x=torch.zeros(3, 0)), "not in 0 .. 0", ValueError)]:
        with pytest.raises(kind, match=says):
            rcm.topk(**{"x": x, "k": 5, **what})
    if not torch.cuda.is_available():
        with pytest.raises(NotImplementedError):
            rcm.topk(x.to("meta").to_sparse(), 5)
    meta = x.to("meta")
    assert rcm.topk(meta, 5, axis=-1).values.shape == (3, 5)
    for what, says, kind in [(dict(k=101), "k = 101 is not", ValueError),
                             (dict(k=-1), "k = -1 is not", ValueError),
                             (dict(axis=2), "axis = 2", ValueError),
                             (dict(x=meta.cfloat()), "topk takes", TypeError),
                             (dict(x=meta[:, :0]), "not in 0 .. 0", ValueError)]:
        with pytest.raises(kind, match=says):
            rcm.topk(**{"x": meta, "k": 5, **what})
