"""Top-k by PyTorch's own functions, for CUDA tensors that the kernels of gpu/ do not take.

Rows are along the last axis. NaN comes last, as everywhere here. What differs from the kernels:
-0 is equal to +0, and of equal elements PyTorch takes those it likes, unless deterministic is set.
Nothing waits for the GPU.
"""
import torch


def _keys(x, largest):
    """Keys of x, and whether the largest of them are the best. For PyTorch NaN is above all, so it
    comes last where the smallest are looked for."""
    if x.dtype is torch.bool:
        return x.to(torch.uint8), largest
    return (x.neg(), False) if largest and x.is_floating_point() else (x, largest)


def exact(x, k, largest, sorted, deterministic):
    """Values and indices of the k best. deterministic: of equal ones the first."""
    keys, largest = _keys(x, largest)
    if deterministic:
        at = keys.sort(dim=-1, descending=largest, stable=True).indices[..., :k]
    else:
        at = keys.topk(k, dim=-1, largest=largest, sorted=sorted).indices
    return x.gather(-1, at), at


def bucketed(x, k, b, k_b, contiguous, largest, sorted, deterministic):
    """The same of the k_b best of each bucket."""
    size, more = divmod(x.shape[-1], b)  # so many buckets have one element more than the others

    def buckets(t):
        """The buckets of each size, as rows."""
        if contiguous:
            end = more * (size + 1)
            return (t[..., :end].unflatten(-1, (more, size + 1)) if more else None,
                    t[..., end:].unflatten(-1, (b - more, size)))
        even = t[..., :size * b].unflatten(-1, (size, b)).transpose(-1, -2)
        return (torch.cat((even[..., :more, :], t[..., size * b:, None]), -1) if more else None,
                even[..., more:, :])

    found = []
    for rows, places in zip(buckets(x), buckets(torch.arange(x.shape[-1], device=x.device))):
        if rows is not None:
            values, at = exact(rows, min(k_b, rows.shape[-1]), largest, True, deterministic)
            found.append((values.flatten(-2), places.expand(rows.shape).gather(-1, at).flatten(-2)))
    values, places = (torch.cat(parts, -1) for parts in zip(*found))
    values, at = exact(values, k, largest, sorted, deterministic)
    return values, places.gather(-1, at)


def worst(dtype, largest):
    """The value of a result where a row has no element."""
    if dtype.is_floating_point:
        return -torch.inf if largest else torch.inf
    limits = torch.iinfo(torch.uint8 if dtype is torch.bool else dtype)
    return limits.min if largest else limits.max


def ragged(x, k, lengths, starts, fill, largest):
    """The same, best first, of rows x[r, starts[r]:starts[r] + lengths[r]] of x, m x n."""
    at = torch.arange(x.shape[-1], device=x.device)
    if starts is not None:  # the rows are moved to the front
        x = x.gather(-1, (at + starts[:, None]).clamp(max=max(len(at) - 1, 0)))
    # The sort is stable, so what is beyond a row comes after all of the row, NaN too.
    last = torch.nan if x.is_floating_point() else worst(x.dtype, largest)
    values, indices = exact(x.masked_fill(at >= lengths[:, None], last), k, largest, True, True)
    beyond = at[:k] >= lengths[:, None]
    return (values.masked_fill(beyond, worst(x.dtype, largest)), indices.masked_fill(beyond, fill))
