"""The forward pass of tiny_llama.gguf with loops over single numbers, without a cache. It unpacks
the tensors' bytes one by one and rotates interleaved pairs, as GGUF stores them.

SPDX-License-Identifier: Apache-2.0
"""
import math
import struct

import numpy as np

import tiny_llama

D = 8  # components of a head


def half(data, at):
    return struct.unpack_from("<e", data, at)[0]


def value_of(kind, data, i):
    """The value i of a tensor's bytes."""
    if kind in ("F32", "F16"):
        return struct.unpack_from("<f" if kind == "F32" else "<e", data, i * int(kind[1:]) // 8)[0]
    block, i = divmod(i, 32)
    if kind == "Q8_0":
        return half(data, 34 * block) * struct.unpack_from("<b", data, 34 * block + 2 + i)[0]
    at = block * (20 if kind == "Q4_1" else 18)
    first = at + (4 if kind == "Q4_1" else 2)
    nibble = data[first + i] % 16 if i < 16 else data[first + i - 16] // 16
    if kind == "Q4_1":
        return half(data, at) * nibble + half(data, at + 2)
    return half(data, at) * (nibble - 8)


def plain_weights():
    """{name: rows of numbers}."""
    weights = {}
    for name, shape, kind, data in tiny_llama.tiny_tensors():
        values = [value_of(kind, data, i) for i in range(math.prod(shape))]
        weights[name] = values if len(shape) == 1 else [
            values[r * shape[1]:(r + 1) * shape[1]] for r in range(shape[0])]
    return weights


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def times(rows, x):
    return [dot(row, x) for row in rows]


def plain_norm(x, weight):
    size = math.sqrt(dot(x, x) / len(x) + 1e-5)
    return [value / size * factor for value, factor in zip(x, weight)]


def turn_interleaved(x, position):
    """RoPE on the pairs (2 i, 2 i + 1) of a head."""
    out = list(x)
    for i in range(D // 2):
        angle = position * 1000.0 ** (-2 * i / D)
        a, b = x[2 * i], x[2 * i + 1]
        out[2 * i] = a * math.cos(angle) - b * math.sin(angle)
        out[2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return out


def plain_attention(queries, keys, values, position):
    """One head's attention of the query at `position`, with all keys up to it."""
    scores = [dot(queries[position], keys[j]) / math.sqrt(D) for j in range(position + 1)]
    weights = [math.exp(score - max(scores)) for score in scores]
    return [dot(weights, [values[j][c] for j in range(position + 1)]) / math.fsum(weights)
            for c in range(D)]


def plain_forward(weights, tokens):
    """The final hidden states, and of each layer (q, k, v): [position][head], pairs interleaved."""
    states, seen = [list(weights["token_embd.weight"][token]) for token in tokens], []
    for layer in range(2):
        w = {name: weights[f"blk.{layer}.{name}.weight"] for name, *_ in tiny_llama.LAYER}

        def heads(name, x, position=None):
            flat = times(w[name], x)
            parts = [flat[at:at + D] for at in range(0, len(flat), D)]
            return parts if position is None else [turn_interleaved(p, position) for p in parts]

        inner = [plain_norm(x, w["attn_norm"]) for x in states]
        q = [heads("attn_q", x, at) for at, x in enumerate(inner)]
        k = [heads("attn_k", x, at) for at, x in enumerate(inner)]
        v = [heads("attn_v", x) for x in inner]
        seen.append((q, k, v))
        for at, x in enumerate(states):
            mixed = [part for head in range(4) for part in plain_attention(
                [row[head] for row in q], [row[head // 2] for row in k],
                [row[head // 2] for row in v], at)]
            x = [a + b for a, b in zip(x, times(w["attn_output"], mixed))]
            inner_x = plain_norm(x, w["ffn_norm"])
            gate, up = times(w["ffn_gate"], inner_x), times(w["ffn_up"], inner_x)
            gated = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up)]
            states[at] = [a + b for a, b in zip(x, times(w["ffn_down"], gated))]
    return [plain_norm(x, weights["output_norm.weight"]) for x in states], seen


def to_halves(vectors):
    """[position][head] with interleaved pairs as an array [head, position, d] with halves."""
    array = np.array(vectors).transpose(1, 0, 2)
    return np.concatenate([array[..., 0::2], array[..., 1::2]], -1)
