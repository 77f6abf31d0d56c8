"""topk of CUDA tensors on a card: results, streams, CUDA graphs, no wait for the GPU.

Skipped without a GPU, and without PyTorch. gpu/run_plan.py runs it, too. Against: `torch.topk`, and
`topk` on a CPU.
"""
import pytest

torch = pytest.importorskip("torch", minversion="2.5")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)
from topk_of_tensors import FLOATS, REST, check, made  # noqa: E402

import recallmodel as rcm  # noqa: E402  (after torch, so that it registers the operator)
from recallmodel import _topk_by_torch, _topk_gpu  # noqa: E402


@pytest.fixture(autouse=True)
def with_kernels():
    if _topk_gpu.gpu() is None:
        pytest.skip("librecallmodel-gpu is missing")


@pytest.mark.parametrize("dtype", FLOATS + REST, ids=str)
def test_results(dtype):
    x = made(5, 3000, dtype=dtype).cuda()
    check(x, 64, rcm.topk(x, 64))
    check(x, 5, rcm.topk(x, 5, axis=0), 0)
    check(x, 64, rcm.topk(x, 64, largest=False), largest=False)
    check(x, 64, rcm.topk(x, 64, recall=0.9, sorted=False), sorted=False)
    lengths = torch.tensor([3000, 0, 10, 1000, 64], device="cuda")
    got = rcm.topk(x, 64, lengths=lengths, index_dtype="int32")
    want = _topk_by_torch.ragged(x, 64, lengths, None, -1, True)
    assert torch.equal(got.values, want[0])
    assert torch.equal((got.indices < 0).sum(-1), (want[1] < 0).sum(-1))
    if dtype in FLOATS:
        some = rcm.topk(x, 64, b=500, k_b=2)
        assert torch.equal(some.values, rcm.topk(x.cpu(), 64, b=500, k_b=2).values.cuda())


def test_deterministic():
    x = torch.randint(5, (64, 50000), generator=torch.Generator().manual_seed(2)).float().cuda()
    torch.use_deterministic_algorithms(True)
    try:
        got = rcm.topk(x, 300)
    finally:
        torch.use_deterministic_algorithms(False)
    order = x.sort(dim=-1, descending=True, stable=True)
    assert torch.equal(got.indices, order.indices[:, :300])


def test_streams():
    """The call is part of the current stream: it reads what that wrote before, and what comes later
    there reads it."""
    streams = [torch.cuda.Stream() for _ in range(3)]
    sources = [made(8, 200000, seed=seed).cuda() for seed in range(3)]
    torch.cuda.synchronize()
    results = []
    for _ in range(5):
        for stream, source in zip(streams, sources):
            with torch.cuda.stream(stream):
                x = torch.zeros_like(source)
                torch.cuda._sleep(2_000_000)
                x.copy_(source)
                results.append((source, rcm.topk(x, 100, sorted=True)))
                x.zero_()
    torch.cuda.synchronize()
    for source, got in results:
        check(source, 100, got)


def test_it_does_not_wait():
    x, lengths = made(8, 200000).cuda(), torch.full((8,), 1000, device="cuda")
    rcm.topk(x, 100)
    torch.cuda.set_sync_debug_mode("error")
    try:
        rcm.topk(x, 100, recall=0.9)
        rcm.topk(x, 100, lengths=lengths, starts=lengths, values=False, index_dtype="int32")
        rcm.topk(x.double(), 100, lengths=lengths)
        rcm.topk(x.long(), 100, b=1000, k_b=1)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("how", [dict(), dict(sorted=False), dict(deterministic=True),
                                 dict(b=2000, k_b=1), dict(lengths=True)], ids=str)
def test_graph(how):
    """A CUDA graph captures the call, and its replays read what lies there then."""
    x, lengths = made(8, 200000).cuda(), torch.full((8,), 5000, device="cuda", dtype=torch.int32)
    how = dict(how, lengths=lengths) if "lengths" in how else how
    own = torch.empty(8, 100, device="cuda"), torch.empty(8, 100, device="cuda", dtype=torch.int64)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        rcm.topk(x, 100, out=own, **how)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        rcm.topk(x, 100, out=own, **how)
    for seed in (5, 6):
        x.copy_(made(8, 200000, seed=seed))
        for one in own:
            one.zero_()
        graph.replay()
        torch.cuda.synchronize()
        want = rcm.topk(x, 100, **how)
        assert torch.equal(own[0].sort(-1).values, want.values.sort(-1).values)
        assert torch.equal(x.gather(-1, own[1]), own[0])


def test_a_graph_refuses_lengths_of_the_host():
    """Before anything is copied: the capture goes on."""
    x = made(8, 2000).cuda()
    rcm.topk(x, 10, lengths=list(range(10, 18)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(ValueError, match="give CUDA tensors"):
            rcm.topk(x, 10, lengths=list(range(10, 18)))
        got = rcm.topk(x, 10, lengths=300)
    graph.replay()
    check(x[:, :300], 10, got)
