"""What the tests of topk of CUDA tensors share: rows, and whether a result is right."""
import torch

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
REST = [torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool]


def made(*shape, dtype=torch.float32, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return (30 * torch.randn(*shape, generator=generator)).to(dtype)


def check(x, k, got, axis=-1, largest=True, sorted=True):
    """Values and indices are those of the k best, in order if sorted."""
    values, indices = got[:2]
    want = torch.topk(x.long() if x.dtype is torch.bool else x, k, axis, largest).values.to(x.dtype)
    assert torch.equal(x.gather(axis, indices.long()) if x.dim() else x, values)
    if not sorted:
        values = values.long() if x.dtype is torch.bool else values
        values = torch.topk(values, k, axis, largest).values.to(x.dtype)
    assert torch.equal(values, want)
    if x.dim():
        assert (indices.sort(axis).values.diff(dim=axis) > 0).all()  # each only once
