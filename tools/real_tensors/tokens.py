"""The tokenizer in the metadata of a GGUF file, by the package tokenizers: byte-level BPE, as GPT-2
has it. Special tokens in a text are read as plain text.

SPDX-License-Identifier: Apache-2.0
"""

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

# By the name in the metadata: what splits a text into words.
BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
SPLITS = {"smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(True), BYTES]), "gpt-2": BYTES}


class Tokenizer:
    """encode(text) gives numbers of tokens; decode(numbers) gives a text."""

    def __init__(self, metadata):
        if metadata.get("tokenizer.ggml.model") != "gpt2":
            raise ValueError("the model's tokenizer is not byte-level BPE (gpt2), which alone is"
                             " known here")
        split = metadata.get("tokenizer.ggml.pre")
        if split not in SPLITS:
            raise ValueError(f"the model's tokenizer splits as {split}; known: {', '.join(SPLITS)}")
        for key in ("tokenizer.ggml.tokens", "tokenizer.ggml.merges"):
            if not isinstance(metadata.get(key), list):
                raise ValueError(f"the model's metadata lack {key}")
        numbers = {token: i for i, token in enumerate(metadata["tokenizer.ggml.tokens"])}
        merges = [tuple(line.split(" ")) for line in metadata["tokenizer.ggml.merges"]]
        self._tokenizer = tokenizers.Tokenizer(models.BPE(numbers, merges))
        self._tokenizer.pre_tokenizer = SPLITS[split]
        self._tokenizer.decoder = decoders.ByteLevel()

    def encode(self, text):
        text = text.encode("utf-8", "replace").decode()
        numbers = self._tokenizer.encode(text, add_special_tokens=False).ids
        if self.decode(numbers) != text:  # the package leaves out what it has no token for
            raise ValueError("the model's vocabulary has no token for a byte of the text")
        return numbers

    def decode(self, numbers):
        return self._tokenizer.decode(numbers, skip_special_tokens=False)
