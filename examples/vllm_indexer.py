"""The top-k of vLLM's sparse indexer (DeepSeek V3.2 and later) by recallmodel.

    import vllm_indexer
    vllm_indexer.install()        # in each worker, before the model runs; a plugin of vLLM can

vllm/model_executor/layers/sparse_attn_indexer.py has one call for prefill and three for decode;
which of these runs depends on the card and on k. All write into topk_indices, int32, in any order:
positions counted from where the row starts, and -1 where it has fewer than k logits.

Signatures and meaning as in vllm-project/vllm at 006475fe481a (sparse_attn_indexer.py) and
030ea52effcb (csrc/libtorch_stable/sampler.cu). Each is one call of recallmodel, which waits for
nothing and may be captured in a CUDA graph.

SPDX-License-Identifier: Apache-2.0
"""
import torch

import recallmodel as rcm


def _select(logits, topk_indices, k, lengths, starts=None):
    rcm.topk(logits, k, sorted=False, lengths=lengths, starts=starts, values=False,
             index_dtype="int32", out=(None, topk_indices))


def top_k_per_row_prefill(logits, cu_seqlen_ks, cu_seqlen_ke, topk_indices, num_rows, stride0,
                          stride1, topk_tokens):
    """Row r has the logits from cu_seqlen_ks[r] on, up to cu_seqlen_ke[r]."""
    starts = cu_seqlen_ks[:num_rows]
    _select(logits[:num_rows], topk_indices[:num_rows], topk_tokens,
            (cu_seqlen_ke[:num_rows] - starts).clamp(min=0), starts)


def top_k_per_row_decode(logits, next_n, seq_lens, topk_indices, num_rows, stride0, stride1,
                         topk_tokens):
    """seq_lens with two axes has the length of each row. With one it has that of each request after
    its next_n tokens, and the row of an earlier token is shorter by as many as follow."""
    lengths = seq_lens.reshape(-1)
    if seq_lens.dim() == 1 and next_n > 1:
        later = torch.arange(next_n - 1, -1, -1, device=lengths.device, dtype=lengths.dtype)
        lengths = (lengths[:, None] - later).clamp(min=0).reshape(-1)
    _select(logits[:num_rows], topk_indices[:num_rows], topk_tokens, lengths[:num_rows])


def persistent_topk(logits, lengths, topk_indices, workspace, k, max_seq_len):
    """Also cooperative_topk, for few rows."""
    _select(logits, topk_indices, k, lengths.reshape(-1))


def install(custom_ops=None, namespace=None):
    """Puts them where vLLM looks for them: vllm._custom_ops and torch.ops._C."""
    if custom_ops is None:
        from vllm import _custom_ops as custom_ops
    namespace = torch.ops._C if namespace is None else namespace
    custom_ops.top_k_per_row_prefill = top_k_per_row_prefill
    custom_ops.top_k_per_row_decode = top_k_per_row_decode
    namespace.persistent_topk = namespace.cooperative_topk = persistent_topk
