"""How the attention of recorded layers is spread.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

WINDOW = 128
TOPS = (64, 256, 1024)
NAMES = ("sink", f"last {WINDOW}", *(f"top {k}" for k in TOPS))


def attention_masses(logits):
    """Mean shares of attention, in the order of NAMES: of position 0, of the last WINDOW positions
    (the query's own included), and of the largest k of TOPS. logits: [heads, n_q, n], -inf behind
    the query; the queries are the last positions."""
    heads, n_q, n = logits.shape
    weights = np.exp(logits - logits.max(-1, keepdims=True)).astype(np.float64)
    weights /= weights.sum(-1, keepdims=True)
    back = np.arange(n - n_q, n)[:, None] - np.arange(n)
    shares = [weights[..., 0].mean(), (weights * ((back >= 0) & (back < WINDOW))).sum(-1).mean()]
    ranked = -np.sort(-weights, -1)
    shares += [ranked[..., :k].sum(-1).mean() for k in TOPS]
    return shares
