"""The forward pass of a Llama model in NumPy, float32, with a cache of keys and values.

    model = Llama.load("model.gguf")
    hidden = model.forward(tokens[:7168])                    # dense; the cache grows
    dense = model.tail_losses(tokens, 7168)                  # of the other tokens
    sparse = model.tail_losses(tokens, 7168, attention=mine) # the same with your own attention
    perplexity = numpy.exp(sparse.mean())

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses

import numpy as np

from . import rope
from .gguf_file import GgufError, GgufFile

QUERIES = 128       # positions whose attention is computed at once
POSITIONS = 1024    # positions that go through the feed-forward part at once
LOGIT_ROWS = 256    # rows of vocabulary logits in memory at once


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of a model. frequencies: RoPE's, [head_dim / 2]; magnitude: rope_magnitude()."""
    name: str
    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    context: int
    epsilon: float
    theta: float
    scaling: str
    frequencies: np.ndarray
    magnitude: float

    @staticmethod
    def of(gguf):
        """The shape of the model in a GgufFile."""
        data = gguf.metadata
        kind = data.get("general.architecture")
        if kind != "llama":
            raise GgufError(f"{gguf.path}: the model is {kind}; only llama is known")
        try:
            heads = data["llama.attention.head_count"]
            width = data["llama.embedding_length"]
            config = dict(
                layers=data["llama.block_count"], width=width, heads=heads,
                inner=data["llama.feed_forward_length"],
                kv_heads=data.get("llama.attention.head_count_kv", heads),
                head_dim=data.get("llama.attention.key_length", width // heads),
                context=data["llama.context_length"],
                epsilon=data["llama.attention.layer_norm_rms_epsilon"])
        except KeyError as error:
            raise GgufError(f"{gguf.path}: the metadata lack {error}") from error
        except (TypeError, ZeroDivisionError) as error:
            raise GgufError(f"{gguf.path}: {width} components in {heads} heads") from error
        numbers = {key: value for key, value in config.items() if key != "epsilon"}
        if not all(isinstance(value, int) and value > 0 for value in numbers.values()):
            raise GgufError(f"{gguf.path}: the metadata give the sizes {numbers}")
        if heads % config["kv_heads"]:
            raise GgufError(f"{gguf.path}: {heads} query heads, {config['kv_heads']} key heads")
        if data.get("llama.rope.dimension_count", config["head_dim"]) != config["head_dim"]:
            raise GgufError(f"{gguf.path}: RoPE of a part of the head is not known here")
        return Config(name=data.get("general.name", "?"), **config,
                      **rope_of(gguf, config["head_dim"]))


def rope_of(gguf, head_dim):
    """The fields of Config that say how the model rotates."""
    data = gguf.metadata
    theta = data.get("llama.rope.freq_base", 10000.0)
    scaling = data.get("llama.rope.scaling.type", "none")
    factor = data.get("llama.rope.scaling.factor")
    frequencies = rope.rope_frequencies(
        head_dim, theta, scaling, factor=factor,
        original=data.get("llama.rope.scaling.original_context_length"))
    if "rope_freqs.weight" in gguf.shapes:  # Llama 3's scaling: what each frequency is divided by
        frequencies = frequencies / gguf.tensor("rope_freqs.weight")
        scaling = "llama3"
    return dict(theta=theta, scaling=scaling, frequencies=frequencies,
                magnitude=rope.rope_magnitude(scaling, factor))


def normalise(x, weight, epsilon):
    """x over its root mean square, times weight."""
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + np.float32(epsilon)) * weight


def silu_times(gate, up):
    """gate / (1 + exp(-gate)) * up, in the memory of gate."""
    with np.errstate(over="ignore"):  # exp(-gate) may be infinite; the quotient is then 0
        divisor = np.exp(-gate)
    divisor += 1.0
    gate /= divisor
    gate *= up
    return gate


def attention_logits(q, k):
    """Scaled logits [heads, m, n] of the last m positions' queries [heads, m, d] and the keys
    [kv_heads, n, d]; -inf for keys behind the query's position. Consecutive query heads share a
    key head."""
    heads, m, d = q.shape
    kv_heads, n, _ = k.shape
    group = heads // kv_heads
    stacked = q.reshape(kv_heads, group * m, d) * np.float32(d ** -0.5)
    logits = np.matmul(stacked, k.transpose(0, 2, 1)).reshape(kv_heads, group, m, n)
    hidden = np.arange(n - m + 1, n) > np.arange(n - m, n)[:, None]
    logits[..., n - m + 1:][..., hidden] = -np.inf
    return logits.reshape(heads, m, n)


def dense_attention(q, k, v, block=QUERIES):
    """Attention of the last m positions to all positions up to each: [heads, m, d]."""
    heads, m, d = q.shape
    kv_heads, n, _ = k.shape
    out = np.empty((heads, m, d), np.float32)
    for start in range(0, m, block):
        stop = min(start + block, m)
        seen = n - m + stop
        weights = attention_logits(q[:, start:stop], k[:, :seen])
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, out=weights)
        sums = weights.sum(-1, keepdims=True)
        weights = weights.reshape(kv_heads, -1, seen)
        mixed = np.matmul(weights, v[:, :seen]).reshape(heads, stop - start, d)
        out[:, start:stop] = mixed / sums
    return out


class Llama:
    """A model and its cache. `length` positions have gone through it."""

    def __init__(self, config, embedding, output, final_norm, blocks):
        self.config = config
        self.embedding = embedding
        self.output = output
        self.final_norm = final_norm
        self.blocks = blocks
        self.length = 0
        self._cache = None

    @staticmethod
    def load(path):
        """The model in a GGUF file. The rows of q and k are put into the order of halves."""
        gguf = GgufFile(path)
        config = Config.of(gguf)
        embedding = gguf.tensor("token_embd.weight")
        tied = "output.weight" not in gguf.shapes
        if embedding.shape[1:] != (config.width,):
            raise GgufError(f"{gguf.path}: token_embd.weight has rows of {embedding.shape[1:]}")
        blocks = [load_block(gguf, config, layer) for layer in range(config.layers)]
        return Llama(config, embedding,
                     embedding if tied else gguf.tensor("output.weight", embedding.shape),
                     gguf.tensor("output_norm.weight", (config.width,)), blocks)

    def truncate(self, length):
        """Forgets the positions from `length` on."""
        if not 0 <= length <= self.length:
            raise ValueError(f"truncate: {length} is not in 0 to {self.length}")
        self.length = length

    def cache(self, layer):
        """Views of a layer's keys after RoPE, values and keys before RoPE: [kv_heads, length, d]
        each."""
        return tuple(self._cache[:, layer, :, :self.length])

    def all_caches(self):
        """A copy of what the positions so far left behind, for fill_cache()."""
        return self._cache[:, :, :, :self.length].copy()

    def fill_cache(self, caches):
        """Continues from what all_caches() returned."""
        self.length = 0
        self._reserve(max(caches.shape[3], self.config.context))
        self._cache[:, :, :, :caches.shape[3]] = caches
        self.length = caches.shape[3]

    def _reserve(self, length):
        shape = (3, self.config.layers, self.config.kv_heads, length, self.config.head_dim)
        if self._cache is None or self._cache.shape[3] < length:
            grown = np.empty(shape, np.float32)
            if self.length:
                grown[:, :, :, :self.length] = self._cache[:, :, :, :self.length]
            self._cache = grown

    def forward(self, tokens, attention=None, progress=None):
        """The final hidden states [m, width] of m new tokens, which are added to the cache.

        attention   a function of (layer, q, k, v, q_unroped, k_unroped) that returns the attention
                    of the new positions, [heads, m, d]. q and q_unroped, after and before RoPE,
                    are [heads, m, d]; k, v and k_unroped, of all positions, are [kv_heads, n, d];
                    the query i is at position n - m + i. It returns None for dense attention.
        progress    is called with the number of each layer that is done, from 1."""
        tokens = np.asarray(tokens, np.int64)
        self._reserve(max(self.length + len(tokens), min(self.config.context, 2 * self.length)))
        x = self.embedding[tokens]
        self.length += len(tokens)
        for layer, block in enumerate(self.blocks):
            x += self._attend(layer, block, x, attention)
            for start in range(0, len(x), POSITIONS):
                part = x[start:start + POSITIONS]
                inner = normalise(part, block["ffn_norm"], self.config.epsilon)
                gated = silu_times(inner @ block["ffn_gate"].T, inner @ block["ffn_up"].T)
                part += gated @ block["ffn_down"].T
            if progress:
                progress(layer + 1)
        return normalise(x, self.final_norm, self.config.epsilon)

    def _attend(self, layer, block, x, attention):
        """What the attention of a layer adds to the states x of the new positions."""
        config, first = self.config, self.length - len(x)
        inner = normalise(x, block["attn_norm"], config.epsilon)

        def heads_of(name):
            product = inner @ block[name].T
            return product.reshape(len(x), -1, config.head_dim).transpose(1, 0, 2)

        def turn(vectors):
            return rope.rotate(vectors, np.arange(first, self.length), config.frequencies,
                               magnitude=config.magnitude)

        q_unroped, k_new = np.ascontiguousarray(heads_of("attn_q")), heads_of("attn_k")
        k, v, k_unroped = self.cache(layer)
        k[:, first:], v[:, first:], k_unroped[:, first:] = turn(k_new), heads_of("attn_v"), k_new
        q = turn(q_unroped)
        mixed = attention(layer, q, k, v, q_unroped, k_unroped) if attention else None
        if mixed is None:
            mixed = dense_attention(q, k, v)
        return mixed.transpose(1, 0, 2).reshape(len(x), -1) @ block["attn_output"].T

    def logits(self, hidden):
        """Vocabulary logits [m, vocabulary] of final hidden states [m, width]."""
        return hidden @ self.output.T

    def losses(self, hidden, following):
        """-ln p of the token that follows each state: [m], float64."""
        losses = np.empty(len(hidden))
        for start in range(0, len(hidden), LOGIT_ROWS):
            rows = self.logits(hidden[start:start + LOGIT_ROWS])
            top = rows.max(-1)
            sums = np.exp(rows - top[:, None]).sum(-1, dtype=np.float64)
            taken = rows[np.arange(len(rows)), following[start:start + LOGIT_ROWS]]
            losses[start:start + LOGIT_ROWS] = np.log(sums) + top - taken
        return losses

    def tail_losses(self, tokens, first, attention=None):
        """-ln p of tokens[first + 1:], when the positions from `first` on go through `attention`
        and those before, which are in the cache, went through what they went through."""
        self.truncate(first)
        hidden = self.forward(tokens[first:], attention)
        return self.losses(hidden[:-1], tokens[first + 1:])

    def continue_greedily(self, token, count):
        """The `count` most likely tokens after `token`, which is appended to the cache first."""
        found = []
        for _ in range(count):
            token = int(self.logits(self.forward([token])).argmax())
            found.append(token)
        return found


def load_block(gguf, config, layer):
    """The weights of a layer by their names in GGUF, without the prefix and suffix."""
    width, inner = config.width, config.inner
    q, k = config.heads * config.head_dim, config.kv_heads * config.head_dim
    shapes = dict(attn_norm=(width,), attn_q=(q, width), attn_k=(k, width), attn_v=(k, width),
                  attn_output=(width, q), ffn_norm=(width,), ffn_gate=(inner, width),
                  ffn_up=(inner, width), ffn_down=(width, inner))
    block = {name: gguf.tensor(f"blk.{layer}.{name}.weight", shape)
             for name, shape in shapes.items()}
    block["attn_q"] = rope.to_half_pairs(block["attn_q"], config.heads)
    block["attn_k"] = rope.to_half_pairs(block["attn_k"], config.kv_heads)
    return block
