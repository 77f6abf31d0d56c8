"""The tokenizer in the metadata of a GGUF file: byte-level BPE, as GPT-2 has it.

A text is split into words (letters, digits, other signs, each with the blank before it; blanks).
The bytes of a word stand for one letter each. While two neighbours are in the list of merges, the
pair that is first in the list becomes one piece. What is left are the tokens.

Source: Radford et al., "Language models are unsupervised multitask learners" (2019), 2.2, and the
pattern of its published code. Special tokens in a text are read as plain text.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import re
import sys
import unicodedata

# By the name in the metadata: is each digit split from its neighbours first?
SPLITS = {"smollm": True, "gpt-2": False}


@functools.lru_cache(maxsize=None)
def class_of(letter):
    """The inside of a character class: all characters of a Unicode category, L or N."""
    ranges, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == letter
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)


@functools.lru_cache(maxsize=None)
def pattern():
    """The words of GPT-2."""
    letters, numbers = class_of("L"), class_of("N")
    return re.compile("'s|'t|'re|'ve|'m|'ll|'d"
                      f"| ?[{letters}]+| ?[{numbers}]+| ?[^\\s{letters}{numbers}]+"
                      "|\\s+(?!\\S)|\\s+")


def byte_letters():
    """The letter that stands for each byte: itself if printable, otherwise one from 256 on."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


class Tokenizer:
    """encode(text) gives numbers of tokens; decode(numbers) gives a text."""

    def __init__(self, metadata):
        if metadata.get("tokenizer.ggml.model") != "gpt2":
            raise ValueError("the model's tokenizer is not byte-level BPE (gpt2), which alone is"
                             " known here")
        split = metadata.get("tokenizer.ggml.pre")
        if split not in SPLITS:
            raise ValueError(f"the model's tokenizer splits as {split}; known: {', '.join(SPLITS)}")
        self._single_digits = SPLITS[split]
        for key in ("tokenizer.ggml.tokens", "tokenizer.ggml.merges"):
            if not isinstance(metadata.get(key), list):
                raise ValueError(f"the model's metadata lack {key}")
        self._tokens = metadata["tokenizer.ggml.tokens"]
        self._numbers = {token: number for number, token in enumerate(self._tokens)}
        merges = metadata["tokenizer.ggml.merges"]
        self._ranks = {tuple(line.split(" ")): rank for rank, line in enumerate(merges)}
        self._letters = byte_letters()
        self._bytes = {letter: byte for byte, letter in enumerate(self._letters)}
        self._known = {}

    def words(self, text):
        parts = [text]
        if self._single_digits:
            numbers = class_of("N")
            parts = re.findall(f"[{numbers}]|[^{numbers}]+", text)
        return [word for part in parts for word in pattern().findall(part)]

    def _merge(self, word):
        """The tokens of a word."""
        pieces = [self._letters[byte] for byte in word.encode("utf-8", "replace")]
        while len(pieces) > 1:
            rank, pair = min((self._ranks.get(pair, len(self._ranks)), pair)
                             for pair in zip(pieces, pieces[1:]))
            if rank == len(self._ranks):
                break
            merged, at = [], 0
            while at < len(pieces):
                if tuple(pieces[at:at + 2]) == pair:
                    merged.append(pieces[at] + pieces[at + 1])
                    at += 2
                else:
                    merged.append(pieces[at])
                    at += 1
            pieces = merged
        try:
            return [self._numbers[piece] for piece in pieces]
        except KeyError as error:
            raise ValueError(f"the model's vocabulary has no token {error}") from error

    def encode(self, text):
        tokens = []
        for word in self.words(text):
            if word not in self._known:
                self._known[word] = self._merge(word)
            tokens += self._known[word]
        return tokens

    def decode(self, numbers):
        data = bytes(self._bytes[letter] for number in numbers for letter in self._tokens[number]
                     if letter in self._bytes)
        return data.decode("utf-8", "replace")
