"""SGLang's top-k for the sparse attention of DeepSeek V3.2 by recallmodel.

    import sglang_topk
    sglang_topk.install()         # in each worker, before the attention back end is imported

sgl_kernel has three functions, for k = 2048 alone: positions; entries of a page table; positions in
joined keys. These take any k. All return int32 in any order, and -1 where a row has fewer than k
scores. Row r has lengths[r] scores from row_starts[r] on.

Signatures and meaning as in sgl-project/sglang at 12008ef922f0 (sgl-kernel/python/sgl_kernel/
top_k.py) and 06c48ca8da0b (sgl-kernel/csrc/elementwise/topk.cu). Nothing waits for the GPU.

SPDX-License-Identifier: Apache-2.0
"""
import torch

import recallmodel as rcm


def fast_topk_v2(score, lengths, topk, row_starts=None):
    """Positions, counted from where the row starts."""
    return rcm.topk(score, topk, sorted=False, lengths=lengths, starts=row_starts, values=False,
                    index_dtype="int32").indices


def fast_topk_transform_fused(score, lengths, page_table_size_1, cu_seqlens_q, topk,
                              row_starts=None):
    """What stands there in the page table of the request to which the row belongs: i, with
    cu_seqlens_q[i] <= row < cu_seqlens_q[i + 1]."""
    found = fast_topk_v2(score, lengths, topk, row_starts)
    rows = torch.arange(len(found), device=score.device, dtype=cu_seqlens_q.dtype)
    request = torch.searchsorted(cu_seqlens_q, rows, right=True) - 1
    pages = page_table_size_1[request[:, None], found.clamp(min=0).long()]
    return torch.where(found < 0, found, pages)


def fast_topk_transform_ragged_fused(score, lengths, topk_indices_offset, topk, row_starts=None):
    """The same positions, each plus the offset of its row."""
    found = fast_topk_v2(score, lengths, topk, row_starts)
    return torch.where(found < 0, found, found + topk_indices_offset[:, None])


def install(sgl_kernel=None):
    """Puts them where SGLang imports them from."""
    if sgl_kernel is None:
        import sgl_kernel
    for function in (fast_topk_v2, fast_topk_transform_fused, fast_topk_transform_ragged_fused):
        setattr(sgl_kernel, function.__name__, function)
