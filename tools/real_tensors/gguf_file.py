"""Reads GGUF files: the metadata, and tensors of the types F32, F16, Q4_0, Q4_1 and Q8_0.

Source: the description of the format in the repository of ggml (docs/gguf.md). Little-endian files
of version 2 and 3.

SPDX-License-Identifier: Apache-2.0
"""

import math
import mmap
import struct

import numpy as np

MAGIC = b"GGUF"
STRING, ARRAY = 8, 9
# Types of metadata values, by number: their struct formats.
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
           12: "d"}


class GgufError(ValueError):
    """A file that is not GGUF, is cut short, or has what this reader does not know."""


def unpack_q4_0(blocks):
    """32 values: a float16 scale d, then 16 bytes; a value is d (nibble - 8)."""
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return scale * (nibbles(blocks[:, 2:]) - 8.0)


def unpack_q4_1(blocks):
    """32 values: float16 d and m, then 16 bytes; a value is d nibble + m."""
    scale = blocks[:, :4].copy().view("<f2").astype(np.float32)
    return scale[:, :1] * nibbles(blocks[:, 4:]) + scale[:, 1:]


def unpack_q8_0(blocks):
    """32 values: a float16 scale d, then 32 signed bytes; a value is d byte."""
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return scale * blocks[:, 2:].view(np.int8).astype(np.float32)


def nibbles(data):
    """The low nibbles of all bytes of a block, then the high ones."""
    return np.concatenate([data & 15, data >> 4], axis=1).astype(np.float32)


def unpack_plain(dtype):
    return lambda blocks: blocks.copy().view(dtype).astype(np.float32)


# Types of tensors, by number: name, values in a block, bytes of a block, unpacker.
TYPES = {
    0: ("F32", 1, 4, unpack_plain("<f4")),
    1: ("F16", 1, 2, unpack_plain("<f2")),
    2: ("Q4_0", 32, 18, unpack_q4_0),
    3: ("Q4_1", 32, 20, unpack_q4_1),
    8: ("Q8_0", 32, 34, unpack_q8_0),
}


class GgufFile:
    """A GGUF file. metadata: a dictionary; shapes: a dictionary of the tensors' shapes, the
    slowest axis first (as NumPy has it; the file lists the fastest first)."""

    def __init__(self, path):
        self.path = str(path)
        with open(path, "rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:
                raise GgufError(f"{path}: the file is empty") from error
        self._at = 0
        self.metadata = {}
        self.shapes = {}
        self._places = {}
        try:
            self._read_header()
        except (struct.error, UnicodeDecodeError, RecursionError) as error:
            raise GgufError(f"{path}: the file is cut short or damaged ({error})") from error

    def _take(self, form):
        values = struct.unpack_from("<" + form, self._data, self._at)
        self._at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def _string(self):
        length = self._take("Q")
        if length > len(self._data) - self._at:
            raise GgufError(f"{self.path}: a string is longer than the file")
        self._at += length
        return self._data[self._at - length:self._at].decode()

    def _value(self, kind):
        if kind == STRING:
            return self._string()
        if kind in SCALARS:
            return self._take(SCALARS[kind])
        if kind != ARRAY:
            raise GgufError(f"{self.path}: metadata of the unknown type {kind}")
        inner, count = self._take("IQ")
        if count > len(self._data):
            raise GgufError(f"{self.path}: an array is longer than the file")
        return [self._value(inner) for _ in range(count)]

    def _read_header(self):
        if self._data[:4] != MAGIC:
            raise GgufError(f"{self.path}: not a GGUF file")
        self._at = 4
        version, tensors, pairs = self._take("IQQ")
        if version not in (2, 3):
            raise GgufError(f"{self.path}: GGUF version {version}; 2 and 3 are known")
        for _ in range(pairs):
            key = self._string()
            self.metadata[key] = self._value(self._take("I"))
        for _ in range(tensors):
            name = self._string()
            shape = [self._take("Q") for _ in range(self._take("I"))]
            self.shapes[name] = tuple(reversed(shape))
            self._places[name] = self._take("IQ")
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1:
            raise GgufError(f"{self.path}: general.alignment is {alignment}")
        self._base = -(-self._at // alignment) * alignment

    def type_name(self, name):
        kind = self._places[name][0]
        return TYPES[kind][0] if kind in TYPES else f"type {kind}"

    def tensor(self, name, wanted=None):
        """The tensor as a float32 array of its own. wanted: the shape that it must have."""
        if name not in self._places:
            raise GgufError(f"{self.path}: there is no tensor {name}")
        if wanted is not None and self.shapes[name] != wanted:
            raise GgufError(f"{self.path}: {name} is {self.shapes[name]}, not {wanted}")
        kind, offset = self._places[name]
        if kind not in TYPES:
            known = ", ".join(row[0] for row in TYPES.values())
            raise GgufError(f"{self.path}: {name} has the unknown type {kind}; known: {known}")
        _, values, size, unpack = TYPES[kind]
        shape = self.shapes[name]
        if shape and shape[-1] % values:
            raise GgufError(f"{self.path}: {name}: rows of {shape[-1]}, not a multiple of {values}")
        count = math.prod(shape) // values
        start = self._base + offset
        if start + count * size > len(self._data):
            raise GgufError(f"{self.path}: {name} ends behind the end of the file")
        data = np.frombuffer(self._data, np.uint8, count * size, start)
        return unpack(data.reshape(count, size)).reshape(shape)
