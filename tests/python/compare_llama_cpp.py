#!/usr/bin/env python3
"""compare_llama_cpp.py - compares the forward pass of tools/real_tensors with that of llama.cpp.

    tests/python/compare_llama_cpp.py TEXT TOKENS [FOLDER]

It needs PyPI's package xllamacpp (measured with 2026.10.11549) and the model that `make
real-tensors` installs. llama.cpp rounds activations to 8 bits where weights are packed, so the
weights are unpacked to float32 first, into FOLDER (540 MB). Prints the relative difference of the
final hidden states, and perplexities. No test runs it.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import struct
import sys
import urllib.request

import numpy as np

import tiny_llama

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from real_tensors.gguf_file import GgufFile  # noqa: E402
from real_tensors.model import Llama  # noqa: E402
from real_tensors.package import find_model  # noqa: E402
from real_tensors.tokens import Tokenizer  # noqa: E402


def unpack(gguf, path):
    """Writes the model with float32 weights."""
    plain = tiny_llama.value

    def value(item):
        if isinstance(item, bool):
            return struct.pack("<I?", 7, item)
        if isinstance(item, list) and item and isinstance(item[0], int):
            return struct.pack("<IIQ", 9, 5, len(item)) + np.array(item, "<i4").tobytes()
        return plain(item)

    tiny_llama.value = value
    tiny_llama.write_gguf(path, {**gguf.metadata, "general.file_type": 0}, [
        (name, shape, "F32", gguf.tensor(name).tobytes()) for name, shape in gguf.shapes.items()])


def states_of_llama_cpp(path, tokens):
    """Final hidden states [m, width]: the "embeddings" of a server without pooling."""
    import xllamacpp
    options = xllamacpp.CommonParams()
    options.model.path = str(path)
    options.n_ctx = options.n_batch = options.n_ubatch = 8192
    options.n_parallel, options.warmup = 1, False
    options.embedding, options.embd_normalize = True, -1
    options.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_NONE
    options.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    options.cache_type_k = options.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(options)
    body = json.dumps({"content": tokens, "embd_normalize": -1}).encode()
    request = urllib.request.Request(server.listening_address + "/embedding", body,
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3600) as answer:
        return np.array(json.load(answer)[0]["embedding"], np.float32)


def main(text, count, folder="build"):
    gguf, path = GgufFile(find_model()), pathlib.Path(folder) / "unpacked.gguf"
    tokens = Tokenizer(gguf.metadata).encode(pathlib.Path(text).read_text())[:int(count)]
    unpack(gguf, path)
    theirs = states_of_llama_cpp(path, tokens)
    model = Llama.load(path)
    ours = model.forward(tokens)
    print(f"hidden states differ by {np.linalg.norm(ours - theirs) / np.linalg.norm(ours):.2e}")
    losses = [model.losses(states[:-1], tokens[1:]) for states in (ours, theirs)]
    print(f"a loss differs by at most {np.abs(losses[0] - losses[1]).max():.2e}; perplexities"
          f" {np.exp(losses[0].mean()):.4f} {np.exp(losses[1].mean()):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
