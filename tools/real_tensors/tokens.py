"""The tokenizer in the metadata of a GGUF file: byte-level BPE, by the package `tokenizers`.

SPDX-License-Identifier: Apache-2.0
"""

# How texts are split before the merges, by the name in the metadata: is each digit alone?
SPLITS = {"smollm": True, "gpt-2": False}


def load_tokenizer(metadata):
    """A tokenizers.Tokenizer. Special tokens in a text are read as plain text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    if metadata.get("tokenizer.ggml.model") != "gpt2":
        raise ValueError("the tokenizer is not byte-level BPE (gpt2), which alone is known here")
    split = metadata.get("tokenizer.ggml.pre")
    if split not in SPLITS:
        raise ValueError(f"the tokenizer splits as {split}; known: {', '.join(SPLITS)}")
    vocabulary = {token: i for i, token in enumerate(metadata["tokenizer.ggml.tokens"])}
    merges = [tuple(line.split(" ")) for line in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    steps = [pre_tokenizers.Digits(individual_digits=True)] if SPLITS[split] else []
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
