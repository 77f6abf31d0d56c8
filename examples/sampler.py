"""Top-k sampling of logits with a recall, by itself and as a logits processor.

    vllm serve MODEL --logits-processors sampler:TopKOfVllm          # vLLM V1
    model.generate(.., logits_processor=[sampler.TopK(50)])          # Transformers

A token that buckets lose had a small probability, and the most likely one is never lost: it is the
best of its bucket. So a greedy choice stays what it was. How much the distribution of a drawn one
changes, with the steps that follow: recallmodel select --chain (docs/sampler.md).

Interfaces as in vllm-project/vllm at 05da17cdc63b (vllm/v1/sample/logits_processor/interface.py)
and transformers 4 (LogitsProcessor.__call__).

SPDX-License-Identifier: Apache-2.0
"""
import os

import torch

import recallmodel as rcm

try:  # vLLM takes subclasses of it alone
    from vllm.v1.sample.logits_processor import LogitsProcessor
except ImportError:
    LogitsProcessor = object


def sample(logits, k, *, recall=0.99, temperature=1.0, generator=None):
    """A token of each row of logits (.., vocabulary), drawn among about the k most likely."""
    values, indices = rcm.topk(logits, k, recall=recall, sorted=False)
    weights = torch.softmax(values.float() / temperature, dim=-1)
    drawn = torch.multinomial(weights.reshape(-1, k), 1, generator=generator)
    return indices.gather(-1, drawn.reshape(*values.shape[:-1], 1)).squeeze(-1)


class TopK:
    """Leaves about the k largest logits of each row, and sets the others to -inf."""

    def __init__(self, k, recall=0.99):
        self.k, self.recall = k, recall

    def __call__(self, input_ids, scores):
        k = min(self.k, scores.shape[-1])
        values, indices = rcm.topk(scores, k, recall=self.recall, sorted=False)
        return torch.full_like(scores, -torch.inf).scatter(-1, indices, values)


class TopKOfVllm(LogitsProcessor):
    """The same for vLLM. RCM_SAMPLER_K and RCM_SAMPLER_RECALL set it, for all requests."""

    @classmethod
    def validate_params(cls, sampling_params):
        """Any parameters will do."""

    def __init__(self, vllm_config, device, is_pin_memory):
        self.top_k = TopK(int(os.environ.get("RCM_SAMPLER_K", 50)),
                          float(os.environ.get("RCM_SAMPLER_RECALL", 0.99)))

    def apply(self, logits):
        return self.top_k(None, logits)

    def is_argmax_invariant(self):
        return True

    def update_state(self, batch_update):
        """Nothing of a request is kept."""
