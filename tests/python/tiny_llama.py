#!/usr/bin/env python3
"""tiny_llama.py - writes tiny_llama.gguf, a Llama with random weights for the tests.

    tests/python/tiny_llama.py [FILE]

Two layers, width 32, 4 query heads on 2 key heads of 8, feed-forward 64, 42 tokens. Its tensors
have every type that the reader knows. `write_gguf` writes any metadata and tensors.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import struct
import sys

import numpy as np

PATH = pathlib.Path(__file__).with_suffix(".gguf")
ALIGNMENT = 32
TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}
MERGES = ("t h", "th e", "\u0120 a", "\u0120 the", "i n", "e r", "in g")
TOKENS = (*"abcdefghijklmnopqrstuvwxyz", "\u0120", "\u010a", *".,-01234",
          *(line.replace(" ", "") for line in MERGES))
METADATA = {
    "general.architecture": "llama",
    "general.name": "tiny",
    "llama.block_count": 2,
    "llama.context_length": 64,
    "llama.embedding_length": 32,
    "llama.feed_forward_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.freq_base": 1000.0,
    "llama.rope.dimension_count": 8,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.merges": MERGES,
}
# Name, rows, columns (0: a vector), type.
LAYER = (("attn_norm", 32, 0, "F32"), ("attn_q", 32, 32, "Q4_1"), ("attn_k", 16, 32, "Q8_0"),
         ("attn_v", 16, 32, "Q4_1"), ("attn_output", 32, 32, "Q4_0"), ("ffn_norm", 32, 0, "F32"),
         ("ffn_gate", 64, 32, "Q4_1"), ("ffn_up", 64, 32, "Q4_0"), ("ffn_down", 32, 64, "F16"))


def string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def value(item):
    """A metadata value with its type in front."""
    if isinstance(item, str):
        return struct.pack("<I", 8) + string(item)
    if isinstance(item, int):
        return struct.pack("<II", 4, item)
    if isinstance(item, float):
        return struct.pack("<If", 6, item)
    return struct.pack("<IIQ", 9, 8, len(item)) + b"".join(string(text) for text in item)


def random_tensor(draw, rows, columns, kind):
    """The bytes of a tensor whose values have a standard deviation near a quarter (a vector: are
    near 1)."""
    if not columns:
        return (1.0 + 0.2 * draw.standard_normal(rows)).astype("<f4").tobytes()
    if kind in ("F32", "F16"):
        values = 0.25 * draw.standard_normal((rows, columns))
        return values.astype("<f4" if kind == "F32" else "<f2").tobytes()
    data = []
    for _ in range(rows * columns // 32):
        if kind == "Q8_0":
            scale, low = 0.0035 * draw.uniform(0.5, 1.5), ()
            packed = draw.randint(-127, 128, 32).astype(np.int8).tobytes()
        else:
            scale = 0.055 * draw.uniform(0.5, 1.5)
            low = (-7.5 * scale + 0.05 * draw.standard_normal(),) if kind == "Q4_1" else ()
            packed = draw.randint(0, 256, 16).astype(np.uint8).tobytes()
        data.append(np.array([scale, *low], "<f2").tobytes() + packed)
    return b"".join(data)


def tiny_tensors(seed=1):
    """[(name, shape with the slowest axis first, type, bytes)]."""
    draw = np.random.RandomState(seed)  # its numbers are the same in every version of NumPy
    rows = [("token_embd.weight", len(TOKENS), 32, "Q8_0"), ("output_norm.weight", 32, 0, "F32")]
    rows += [(f"blk.{layer}.{name}.weight", *row) for layer in range(2) for name, *row in LAYER]
    return [(name, (first, second) if second else (first,), kind,
             random_tensor(draw, first, second, kind)) for name, first, second, kind in rows]


def write_gguf(path, metadata, tensors):
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(string(key) + value(item) for key, item in metadata.items())
    data = b""
    for name, shape, kind, content in tensors:
        head += string(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", length) for length in reversed(shape))
        head += struct.pack("<IQ", TYPES[kind], len(data))
        data += content + bytes(-len(content) % ALIGNMENT)
    pathlib.Path(path).write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)


if __name__ == "__main__":
    write_gguf(sys.argv[1] if len(sys.argv) > 1 else PATH, METADATA, tiny_tensors())
