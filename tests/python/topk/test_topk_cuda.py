"""topk of CUDA tensors without a card: by the kernels of gpu/, and by PyTorch without them.

The kernels run in their emulation, on memory of the CPU, as PyTorch's functions do; tensors on a
GPU that is not there have no elements. Skipped where PyTorch is absent. Against: `topk` on a CPU,
which has its own tests, and `torch.topk`. What needs a card is in test_topk_card.py.
"""
import os
import pathlib
import types
import warnings

import pytest

torch = pytest.importorskip("torch", minversion="2.5")
from topk_of_tensors import FLOATS, REST, check, made  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import recallmodel as rcm  # noqa: E402  (after torch, so that it registers the operator)
from recallmodel import _library, _topk, _topk_gpu, _topk_tensor, _topk_torch  # noqa: E402

rcm.register_torch()  # before anything is replaced here


def emulated():
    """The library of the emulated kernels."""
    build = pathlib.Path(os.environ.get("RECALLMODEL", "build/recallmodel")).parent
    path = build / "gpu/librecallmodel-gpu-emulated.so"
    if not path.exists():
        pytest.skip(f"{path} was not built")
    return _library.ffi.dlopen(str(path.resolve()))


@pytest.fixture(params=["kernels", "torch"])
def by(request, monkeypatch):
    """What runs: the emulated kernels, and nothing else; or PyTorch."""
    library = emulated() if request.param == "kernels" else None
    monkeypatch.setattr(_topk_gpu, "gpu", lambda: library)
    if library is not None:
        monkeypatch.setattr(_topk_tensor, "_by_torch", None)
    return request.param


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """rcm.topk takes tensors of a CPU as those of a GPU."""
    monkeypatch.setattr(_topk, "_is_whole", lambda x: False)
    monkeypatch.setattr(_topk_torch, "_way_to", lambda x: _topk_tensor.on_gpu)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_every_argument(by, as_on_a_gpu, dtype):
    x = made(3, 4, 130, dtype=dtype)
    for one, axis in ((x, -1), (x, 0), (x[:, :, 5:100], 2), (x.transpose(0, 2), 0), (x[0, 0], 0),
                      (x[:1].expand(5, 4, 130), -1), (x[0, 0].expand(4, 130), 1),
                      (x.as_strided((9, 50), (3, 1)), 1), (x._neg_view(), -1), (x[0, 0, 7], 0)):
        for largest in (True, False):
            for in_order in (True, False):
                for wide in (torch.int32, torch.int64):
                    k = 3 if one.dim() and one.shape[axis] >= 3 else 1
                    how = dict(axis=axis, largest=largest, sorted=in_order, index_dtype=wide)
                    got = rcm.topk(one, k, **how)
                    check(one, k, got, axis, largest, in_order)
                    assert got.indices.dtype is wide and got.values.dtype is dtype
                    alone = rcm.topk(one, k, values=False, **how, deterministic=True)
                    assert alone.values is None and alone.indices.dtype is wide
                    check(one, k, (one.gather(axis, alone.indices.long()) if one.dim() else one,
                                   alone.indices), axis, largest, in_order)
    assert rcm.topk(x[:0], 7).values.shape == (0, 4, 7) and rcm.topk(x, 0).indices.numel() == 0
    for k in (1, 129, 130):
        check(x, k, rcm.topk(x, k, return_choice=True))


def test_out(by, as_on_a_gpu):
    x = made(5, 200)
    want = torch.topk(x, 9)
    for index_type in (torch.int32, torch.int64):
        own = torch.empty(5, 9), torch.empty(5, 9, dtype=index_type)
        got = rcm.topk(x, 9, out=own, index_dtype=index_type)
        assert got.values is own[0] and got.indices is own[1]
        assert torch.equal(own[0], want.values) and torch.equal(own[1].long(), want.indices)
        wide = torch.full((5, 20), 77.0), torch.full((20, 5), 77, dtype=index_type).t()
        parts = [one[:, 3:12] for one in wide]
        rcm.topk(x, 9, out=parts, index_dtype=index_type)
        assert torch.equal(parts[0], want.values) and torch.equal(parts[1].long(), want.indices)
        assert all((one[:, :3] == 77).all() and (one[:, 12:] == 77).all() for one in wide)
    first = torch.empty(9, 5), torch.empty(9, 5, dtype=torch.int64)
    rcm.topk(x.t(), 9, axis=0, out=first)
    assert torch.equal(first[0], want.values.t()) and torch.equal(first[1], want.indices.t())
    indices = torch.empty(5, 9, dtype=torch.int64)
    got = rcm.topk(x, 9, out=(None, indices), values=False)
    assert got.values is None and got.indices is indices and torch.equal(indices, want.indices)
    for wrong in ((torch.empty(5, 8), indices), (own[0].double(), indices), (own[0], own[0])):
        with pytest.raises(ValueError, match="out of"):
            rcm.topk(x, 9, out=wrong)


def test_out_on_a_cpu():
    """It is written there, without a copy."""
    x, own = made(5, 200), (torch.empty(5, 9), torch.empty(5, 9, dtype=torch.int64))
    seen = Recorder()
    with seen:
        _topk_torch._is_plain, real = (lambda x: True), _topk_torch._is_plain
        try:
            rcm.topk(x, 9, out=own)
        finally:
            _topk_torch._is_plain = real
    check(x, 9, own)
    assert "copy_" not in seen.names
    assert rcm.topk(x, 9, values=False).values is None
    assert rcm.topk(x.numpy(), 9, values=False).values is None
    assert rcm.topk(x.numpy(), 9, values=False).indices.tolist() == own[1].tolist()
    assert rcm.topk(x.numpy(), 9, values=False, lengths=50).values is None


class Recorder(TorchDispatchMode):
    """The names of PyTorch's operators that ran."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.names.append(function._schema.name.partition("::")[2])
        return function(*arguments, **(named or {}))


def test_one_call_of_c(monkeypatch):
    """Between the call of Python and the kernels PyTorch allocates, and does nothing else: neither
    a copy, nor a launch, nor a wait."""
    calls, real = [], emulated()

    def run(call, workspace, size, stream):
        calls.append((call[0].sorted, call[0].deterministic, call[0].index_bytes,
                      bool(call[0].values), bool(call[0].lengths), stream))
        return real.rcm_gpu_exact(call, workspace, size, stream)

    library = types.SimpleNamespace(rcm_gpu_exact_workspace=real.rcm_gpu_exact_workspace,
                                    rcm_gpu_exact=run)
    monkeypatch.setattr(_topk_gpu, "gpu", lambda: library)
    x, lengths = made(4, 6, 100), torch.full((4, 6), 50, dtype=torch.int32)
    views = {"new_empty", "empty", "view", "reshape", "movedim", "permute", "detach", "alias",
             "_reshape_alias", "as_strided"}
    for how in (dict(), dict(sorted=False), dict(int32=True), dict(values=False),
                dict(lengths=lengths), dict(lengths=lengths, starts=lengths, values=False),
                dict(deterministic=True)):
        with Recorder() as seen:
            _topk_tensor.on_gpu(x, 8, **how)
        assert set(seen.names) <= views, how
        *got, stream = calls.pop()
        assert got == [how.get("sorted", True), how.get("deterministic", False),
                       4 if how.get("int32") else 8, how.get("values", True), "lengths" in how]
        assert not calls
    torch.use_deterministic_algorithms(True)
    try:
        for asked, want in ((None, True), (False, False), (True, True)):
            _topk_tensor.on_gpu(x, 8, deterministic=asked)
            assert calls.pop()[1] is want
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ties_and_nan(by, as_on_a_gpu, dtype):
    """NaN last; deterministic: of equal elements the first, in order."""
    x = torch.randint(5, (6, 500), generator=torch.Generator().manual_seed(2)).to(dtype)
    for largest in (True, False):
        got = rcm.topk(x, 200, largest=largest, deterministic=True)
        order = x.sort(dim=-1, descending=largest, stable=True)
        assert torch.equal(got.indices, order.indices[:, :200])
        check(x, 200, rcm.topk(x, 200, largest=largest), largest=largest)
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[0.5, nan, -inf, 5.0, -0.5, inf, -nan, -3.0]], dtype=dtype)
    for largest in (True, False):
        order = [5, 3, 0, 4, 7, 2] if largest else [2, 7, 4, 0, 3, 5]
        for k in (4, 6, 8):
            got = rcm.topk(x, k, largest=largest)
            assert got.indices[0, :6].tolist() == order[:k] and got.values[0, 6:].isnan().all()
            assert sorted(got.indices[0, 6:].tolist()) == [1, 6][:max(k - 6, 0)]
    first = rcm.topk(x, 4, nan="largest").indices[0].tolist()
    assert sorted(first[:2]) == [1, 6] and first[2:] == [5, 3]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_lengths(by, as_on_a_gpu, dtype):
    x = made(5, 2, 90, dtype=dtype)
    x[1, :, 40:60], x[2, :, ::3] = float("nan"), float("nan")
    lengths = torch.tensor([[90, 0], [30, 1], [25, 61], [7, 13], [3, 88]])
    starts = torch.minimum(torch.tensor([[0, 90], [35, 2], [4, 20], [83, 0], [80, 2]]),
                           90 - lengths)
    for how in (dict(lengths=lengths), dict(starts=starts), dict(lengths=lengths, starts=starts),
                dict(lengths=20), dict(lengths=lengths.int().numpy(), starts=starts.tolist()),
                dict(starts=3, fill=0), dict(lengths=lengths, fill=-7)):
        for k in (1, 10, 90, 95):
            for largest in (True, False):
                with pytest.MonkeyPatch.context() as real:
                    real.setattr(_topk_torch, "_way_to", lambda x: _topk_tensor.on_cpu)
                    want = rcm.topk(x, k, largest=largest, **how)
                got = rcm.topk(x, k, largest=largest, **how, return_choice=True)
                assert got.choice.method == "exact"
                torch.testing.assert_close(got.values, want.values, rtol=0, atol=0, equal_nan=True)
                numbers = ~got.values.isnan()
                assert torch.equal(got.indices[numbers], want.indices[numbers])
                assert torch.equal(got.indices.sort(-1).values, want.indices.sort(-1).values)
                alone = rcm.topk(x, k, largest=largest, **how, values=False, sorted=False,
                                 index_dtype="int32").indices
                assert alone.dtype is torch.int32
                if k >= 90:  # all elements, in any order
                    assert torch.equal(alone.long().sort(-1).values, want.indices.sort(-1).values)
    row = x[0, 0]
    assert torch.equal(rcm.topk(row, 4, lengths=50).values, torch.topk(row[:50], 4).values)
    assert rcm.topk(x[:, :, :0], 4, lengths=0).indices.eq(-1).all()
    # No profile knows the buckets of rows of different lengths, which b and k_b alone ask for.
    row = made(6, 90, dtype=dtype)
    how = dict(lengths=[90, 3, 40, 41, 0, 77], starts=[0, 80, 50, 9, 0, 0])
    assert torch.equal(rcm.topk(row, 4, **how, recall=0.1).values, rcm.topk(row, 4, **how).values)
    for assignment in ("interleaved", "contiguous"):
        with pytest.MonkeyPatch.context() as real:
            real.setattr(_topk_torch, "_way_to", lambda x: _topk_tensor.on_cpu)
            want = rcm.topk(row, 25, b=30, k_b=1, assignment=assignment, **how)
        got = rcm.topk(row, 25, b=30, k_b=1, assignment=assignment, **how, return_choice=True)
        if by == "torch":  # exact
            want = rcm.topk(row, 25, **how)
        assert torch.equal(got.values, want.values) and torch.equal(got.indices, want.indices)


def test_wrong_lengths(by, as_on_a_gpu):
    x = made(5, 90)
    for what, says in ((dict(lengths=91), "at most 90"), (dict(lengths=[1, 2]), "the shape"),
                       (dict(lengths=5, axis=0), "last axis"), (dict(starts=[80] * 5, lengths=20),
                                                                "at most 90"),
                       (dict(lengths=5, nan="largest"), "nan='largest'"),
                       (dict(lengths=5, recall=2.0), "recall = 2.0"),
                       (dict(lengths=5, b=9), "give both"),
                       (dict(x=x[0], starts=[0, 50, 90]), "joined"),
                       (dict(x=x[0, 0], lengths=1), "last axis")):
        with pytest.raises(ValueError, match=says):
            rcm.topk(**{"x": x, "k": 3, **what})


def test_lengths_elsewhere(by):
    """They go to where x lies. (Those of meta have no values to copy.)"""
    with pytest.raises(NotImplementedError):
        _topk_tensor.on_gpu(made(5, 90), 3, lengths=torch.ones(5, dtype=torch.int32, device="meta"))


def test_buckets(by, as_on_a_gpu):
    x = made(3, 500)
    for n, b, k_b, k in ((500, 50, 2, 40), (500, 50, 2, 100), (499, 64, 3, 100), (499, 64, 1, 64),
                         (130, 100, 2, 130), (497, 497, 1, 20), (77, 1, 9, 9)):
        for assignment in ("interleaved", "contiguous"):
            for largest in (True, False):
                how = dict(b=b, k_b=k_b, assignment=assignment, largest=largest)
                got = rcm.topk(x[:, :n], k, **how, return_choice=True)
                want = _topk_tensor.on_cpu(x[:, :n], k, **how)
                assert torch.equal(got.values, want[0]) and torch.equal(got.indices, want[1])
                assert got.choice[:4] == ("bucketed", b, k_b, assignment)


@pytest.mark.parametrize("dtype", REST, ids=str)
def test_types_without_a_kernel(monkeypatch, as_on_a_gpu, dtype):
    """PyTorch takes them, and nobody is warned."""
    monkeypatch.setattr(_topk_gpu, "warn", None)
    library = emulated()
    monkeypatch.setattr(_topk_gpu, "gpu", lambda: library)
    x = made(4, 120, dtype=dtype)
    way_of = _topk_tensor.way_of
    monkeypatch.setattr(_topk_tensor, "way_of", lambda x, *rest, **more: way_of(
        types.SimpleNamespace(is_cuda=True, numel=x.numel, dtype=x.dtype), *rest, **more))
    for largest in (True, False):
        got = _topk_tensor.on_gpu(x, 9, largest=largest)
        check(x, 9, got, largest=largest)
        some = _topk_tensor.on_gpu(x, 9, largest=largest, b=40, k_b=2)
        assert torch.equal(x.gather(-1, some[1]), some[0])
        part = _topk_tensor.on_gpu(x, 9, -1, largest, lengths=torch.tensor([120, 3, 0, 60]))
        assert part[1][1, 3:].eq(-1).all() and part[1][2].eq(-1).all()
        check(x[3, :60], 9, (part[0][3], part[1][3]), largest=largest)
    assert torch.equal(_topk_tensor.on_gpu(x, 9, recall=0.5)[0], _topk_tensor.on_gpu(x, 9)[0])


def test_where_the_library_is_missing(monkeypatch, as_on_a_gpu):
    """PyTorch's top-k and one warning, which names the mend."""
    def missing(name):
        raise ImportError(f"{name} is not there")

    _topk_gpu.gpu.cache_clear()
    _topk_gpu.warn.cache_clear()
    monkeypatch.setattr(_topk_gpu, "load", missing)
    x = made(3, 100)
    try:
        with pytest.warns(RuntimeWarning, match=r"pip install 'recallmodel\[cuda\]'") as said:
            check(x, 5, rcm.topk(x, 5))
            check(x, 5, rcm.topk(x, 5, recall=1.0))
        assert len(said) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check(x, 5, rcm.topk(x, 5))
    finally:
        _topk_gpu.gpu.cache_clear()
        _topk_gpu.warn.cache_clear()


def test_what_the_kernels_refuse(monkeypatch, as_on_a_gpu):
    """Another way is taken, and once it is said why; a fault is an error."""
    status, real = [0], emulated()
    library = types.SimpleNamespace(
        rcm_gpu_exact_workspace=lambda call, size: status[0], rcm_gpu_exact=None,
        rcm_gpu_message=real.rcm_gpu_message)
    monkeypatch.setattr(_topk_gpu, "gpu", lambda: library)
    x, model = made(3, 100), _library.model
    for one in (model.RCM_GPU_NO_DEVICE, model.RCM_GPU_BAD_SHAPE, model.RCM_GPU_BAD_TYPE,
                model.RCM_GPU_UNSUPPORTED):
        status[0] = one
        _topk_gpu.warn.cache_clear()
        says = _library.text_of(real.rcm_gpu_message(one))
        with pytest.warns(RuntimeWarning) as said:
            check(x, 5, rcm.topk(x, 5))
            check(x, 5, rcm.topk(x, 5))
        assert len(said) == 1 and says in str(said[0].message)
    for one in (model.RCM_GPU_BAD_POINTER, model.RCM_GPU_BAD_WORKSPACE, model.RCM_GPU_ERROR):
        status[0] = one
        with pytest.raises(RuntimeError, match="librecallmodel-gpu: "):
            rcm.topk(x, 5)


def test_recall_is_chosen_by_the_card(monkeypatch):
    """What stands in for a tensor has the shape, type and device of one."""
    asked = []
    monkeypatch.setattr(_topk_gpu, "gpu", object)
    monkeypatch.setattr(torch.cuda, "get_device_name",
                        lambda device: asked.append(device) or "NVIDIA H200")
    x = types.SimpleNamespace(is_cuda=True, device="cuda:1", dtype=torch.float16,
                              numel=lambda: 2**23)
    goals = 2**20, 16, 0.9
    way = _topk_tensor.way_of(x, *goals)
    assert way == _topk_gpu.choose(*goals[:1], 8, *goals[1:], None, None, "NVIDIA H200", "f16")
    assert way.choice.verdict == "buckets" and asked == ["cuda:1"]
    assert _topk.chosen(2**20, 16, way).method == "bucketed"
    # A profile is that of a GPU too, beside what can be called there.
    named = _topk_tensor.way_of(x, *goals, profile="H200")
    assert {one.name for one in named.choice.contenders if one.callable} <= {
        "ours", "recallmodel", "torch.topk"}
    assert (named.b, named.k_b) == (way.b, way.k_b)
    # Without our kernels there is nothing to choose from.
    x.dtype = torch.float64
    assert _topk_tensor.way_of(x, *goals) == _topk.EXACT
    x.dtype = torch.float16
    monkeypatch.setattr(_topk_gpu, "gpu", lambda: None)
    assert _topk_tensor.way_of(x, *goals, profile="H200") == _topk.EXACT
    with pytest.raises(ValueError, match="recall = 2.0"):
        _topk_tensor.way_of(x, 2**20, 16, 2.0)
    x.is_cuda = False
    assert _topk_tensor.way_of(x, *goals)[:3] != way[:3] and asked == ["cuda:1"] * 2


def test_tensors_without_elements():
    """On a GPU that is not there."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        x = torch.empty(3, 7, 5000, device="cuda", dtype=torch.bfloat16)
        got = rcm.topk(x, 9, recall=0.9, index_dtype="int32", deterministic=True)
        for one, dtype in zip(got, (torch.bfloat16, torch.int32)):
            assert one.device.type == "cuda" and one.shape == (3, 7, 9) and one.dtype is dtype
        lengths = torch.empty(3, 7, device="cuda", dtype=torch.int64)
        got = rcm.topk(x, 9000, lengths=lengths, starts=lengths, values=False)
        assert got.values is None and got.indices.shape == (3, 7, 9000)
        assert rcm.topk(x, 6, axis=1, b=3, k_b=2).values.shape == (3, 6, 5000)
        with pytest.raises(TypeError, match="lengths must be integers"):
            rcm.topk(x, 9, lengths=lengths.float())
        assert rcm.topk(x.to(torch.int16), 9).values.dtype is torch.int16


def test_operator():
    op, x = torch.ops.recallmodel.topk.default, made(4, 90)
    lengths = torch.tensor([5, 90, 0, 33], dtype=torch.int32)
    for args, named in [((x, 7, -1, True, True, lengths), dict(fill=0)),
                        ((x, 100, -1, False, False, lengths // 2, lengths // 2), dict(int32=True)),
                        ((x, 7), dict(values=False, deterministic=True)),
                        ((x.t(), 7, 0), dict(values=False))]:
        tests = ("test_schema", "test_autograd_registration", "test_faketensor")
        _topk_torch.registry.opcheck(op, args, named, test_utils=tests)
    leaf = x.clone().requires_grad_()
    for call in (lambda: op(leaf, 7, -1, True, True, lengths),
                 lambda: rcm.topk(leaf, 3, lengths=5)):
        with pytest.raises(TypeError, match="x.detach"):
            call()
        with torch.no_grad():
            call()
    with pytest.raises(TypeError, match="torch.func"):
        torch.func.vmap(lambda x: op(x, 7, -1, True, True, lengths))(x[None])


def test_compile():
    """The graph does not break, and a length of another call is not kept."""
    def function(x, lengths):
        found = rcm.topk(x, 6, lengths=lengths, starts=90 - lengths, values=False)
        rest = rcm.topk(x, 6, lengths=12, sorted=False, deterministic=True)
        return found.indices, *rest

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    for lengths in ([5, 90, 0, 33], [90, 1, 2, 3]):
        given = made(4, 90), torch.tensor(lengths)
        for got, want in zip(compiled(*given), function(*given)):
            assert torch.equal(got, want)
