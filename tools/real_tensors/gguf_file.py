"""A GGUF file by the package gguf: its metadata, and its tensors as float32.

SPDX-License-Identifier: Apache-2.0
"""

import gguf
import numpy as np


class GgufError(ValueError):
    """A file that is not GGUF, is cut short, or has what the package or this model cannot use."""


class GgufFile:
    """A GGUF file. metadata: a dictionary; shapes: a dictionary of the tensors' shapes, the
    slowest axis first (as NumPy has it; the file lists the fastest first)."""

    def __init__(self, path):
        self.path = str(path)
        try:
            reader = gguf.GGUFReader(path)
            self.metadata = {key: field.contents() for key, field in reader.fields.items()}
        except (ValueError, LookupError, OverflowError) as error:
            raise GgufError(f"{path}: not a GGUF file, cut short or damaged ({error})") from error
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}
        self.shapes = {name: tuple(int(size) for size in reversed(tensor.shape))
                       for name, tensor in self._tensors.items()}

    def type_name(self, name):
        return self._tensors[name].tensor_type.name

    def tensor(self, name, wanted=None):
        """The tensor as a float32 array of its own. wanted: the shape that it must have."""
        if name not in self._tensors:
            raise GgufError(f"{self.path}: there is no tensor {name}")
        if wanted is not None and self.shapes[name] != wanted:
            raise GgufError(f"{self.path}: {name} is {self.shapes[name]}, not {wanted}")
        tensor = self._tensors[name]
        try:
            values = gguf.dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            raise GgufError(f"{self.path}: {name} has the type {self.type_name(name)}, which the "
                            "package gguf cannot read") from error
        return np.array(values, np.float32).reshape(self.shapes[name])
