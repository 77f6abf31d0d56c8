"""Writes what a forward pass shows: tensors of layers, rows of logits, and what they are.

A folder of a layer is complete when its layer.json is there, and that of a document when its
document.json is there; each file is written under another name first and then renamed.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib

import numpy as np

from .model import attention_logits

# What a folder of a layer holds: file, axes, meaning.
FILES = {
    "queries.npy": "[heads, n_q, d] queries of the last n_q positions, after RoPE",
    "queries-unroped.npy": "[heads, n_q, d] the same before RoPE",
    "queries-all.npy": "[heads, n, d] queries of all positions, after RoPE",
    "queries-all-unroped.npy": "[heads, n, d] the same before RoPE",
    "keys.npy": "[kv_heads, n, d] keys after RoPE",
    "keys-unroped.npy": "[kv_heads, n, d] keys before RoPE",
    "values.npy": "[kv_heads, n, d] values",
    "logits.npy": "[heads, n_q, n] scaled attention logits of queries.npy; -inf behind the query",
}
# What the folder of a document holds besides.
DOCUMENT_FILES = {
    "tokens.npy": "[n] numbers of the tokens",
    "losses.npy": "[n - 1] -ln p of each token but the first; the perplexity is exp of their mean",
    "vocabulary.npy": "[n_q, vocabulary] logits of what follows the last n_q positions",
}


def save(path, array):
    """Writes an array as a C-contiguous .npy file, whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    with open(partial, "wb") as file:
        np.save(file, np.ascontiguousarray(array))
    os.replace(partial, path)


def save_json(path, data):
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(partial, path)


def read_json(path):
    """What a JSON file says; {} where it is missing or damaged."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


class Recorder:
    """An `attention` for Llama.forward() that computes nothing and writes the tensors of the
    chosen layers as the pass reaches them. The pass must begin with an empty cache.

    facts   what layer.json says besides: model, document, n_q, theta, ..
    wanted  the names of FILES to write"""

    def __init__(self, folder, layers, wanted, facts):
        self.folder = pathlib.Path(folder)
        self.layers = layers
        self.wanted = [name for name in FILES if name in wanted]
        self.facts = facts

    def place(self, layer):
        return self.folder / f"layer-{layer:02d}"

    def is_written(self, layer):
        """Are the files of a layer there, for the same model, document and queries?"""
        found = read_json(self.place(layer) / "layer.json")
        same = all(found.get(key) == value for key, value in self.facts.items())
        return same and set(self.wanted) <= set(found.get("files", {}))

    def missing(self):
        return [layer for layer in self.layers if not self.is_written(layer)]

    def __call__(self, layer, q, k, v, q_unroped, k_unroped):
        if layer not in self.layers or self.is_written(layer):
            return
        place, last = self.place(layer), slice(-self.facts["n_q"], None)
        place.mkdir(parents=True, exist_ok=True)
        (place / "layer.json").unlink(missing_ok=True)
        arrays = {
            "queries.npy": lambda: q[:, last],
            "queries-unroped.npy": lambda: q_unroped[:, last],
            "queries-all.npy": lambda: q,
            "queries-all-unroped.npy": lambda: q_unroped,
            "keys.npy": lambda: k,
            "keys-unroped.npy": lambda: k_unroped,
            "values.npy": lambda: v,
            "logits.npy": lambda: attention_logits(q[:, last], k),
        }
        for name in self.wanted:
            save(place / name, arrays[name]())
        shape = dict(layer=layer, heads=len(q), kv_heads=len(k), head_dim=q.shape[2])
        files = {name: FILES[name] for name in self.wanted}
        save_json(place / "layer.json", {**self.facts, **shape, "files": files})
