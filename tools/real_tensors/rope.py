"""Rotary position embedding (RoPE): frequencies, their scalings, and the rotation.

A vector of a head has d components in d / 2 pairs. At position p the pair i is turned by the angle
p f_i. Without scaling f_i = theta^(-2 i / d). The pair i is (i, i + d / 2) for the pairing "half"
(Hugging Face's files) and (2 i, 2 i + 1) for "interleaved" (GGUF files of Llama).

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

PAIRINGS = ("half", "interleaved")
# What each scaling needs.
SCALINGS = {
    "none": (),
    "linear": ("factor",),
    "llama3": ("factor", "low", "high", "original"),
    "yarn": ("factor", "original"),
}


def rope_frequencies(head_dim, theta, scaling="none", *, factor=None, low=None, high=None,
                     original=None, beta_fast=32.0, beta_slow=1.0):
    """The angles that a step of one position adds, [head_dim / 2], float64.

    none     f_i = theta^(-2 i / d)
    linear   f_i / factor
    llama3   with the wavelength w = 2 pi / f_i and the context L of the training (original): f_i if
             w < L / high, f_i / factor if w > L / low, and in between
             f_i ((1 - s) / factor + s), s = (L / w - low) / (high - low)
    yarn     f_i ((1 - r) + r / factor), r = 0 for pairs below the pair that turns beta_fast times
             in L positions (rounded down), r = 1 above the one that turns beta_slow times (rounded
             up), linear in i between. Multiply by rope_magnitude() after the rotation.
    Source   Llama 3.1's reference code; Peng et al., "YaRN", arXiv 2309.00071, section 3."""
    check_rope(head_dim, theta, scaling, dict(factor=factor, low=low, high=high,
                                              original=original))
    pairs = np.arange(head_dim // 2, dtype=np.float64)
    plain = theta ** (-2.0 * pairs / head_dim)
    if scaling == "none":
        return plain
    if scaling == "linear":
        return plain / factor
    if scaling == "llama3":
        share = (original * plain / (2.0 * math.pi) - low) / (high - low)
        share = np.clip(share, 0.0, 1.0)
    else:
        share = 1.0 - yarn_ramp(pairs, head_dim, theta, original, beta_fast, beta_slow)
    return plain * ((1.0 - share) / factor + share)


def yarn_ramp(pairs, head_dim, theta, original, beta_fast, beta_slow):
    """0 for the pairs that YaRN leaves alone, 1 for those that it divides, and between."""
    def pair_that_turns(times):
        return head_dim * math.log(original / (2.0 * math.pi * times)) / (2.0 * math.log(theta))

    first = max(math.floor(pair_that_turns(beta_fast)), 0)
    last = min(math.ceil(pair_that_turns(beta_slow)), head_dim - 1)
    return np.clip((pairs - first) / max(last - first, 1e-3), 0.0, 1.0)


def rope_magnitude(scaling="none", factor=None):
    """What a rotated vector is multiplied by: 1, or YaRN's 1 + 0.1 ln(factor)."""
    return 1.0 + 0.1 * math.log(factor) if scaling == "yarn" and factor > 1.0 else 1.0


def check_rope(head_dim, theta, scaling, given):
    """Raises ValueError with one line if the arguments fit no RoPE."""
    if head_dim < 2 or head_dim % 2:
        raise ValueError(f"RoPE: the head has {head_dim} components; it needs an even number")
    if not theta > 1.0:
        raise ValueError(f"RoPE: theta is {theta}; it must be above 1")
    if scaling not in SCALINGS:
        raise ValueError(f"RoPE: scaling {scaling}; known: {', '.join(SCALINGS)}")
    for name in SCALINGS[scaling]:
        if given[name] is None or not given[name] > 0.0:
            raise ValueError(f"RoPE: the scaling {scaling} needs {name} above 0")
    if scaling == "llama3" and not given["high"] > given["low"]:
        raise ValueError("RoPE: the scaling llama3 needs high above low")


def rotate(vectors, positions, frequencies, pairing="half", magnitude=1.0, inverse=False):
    """Vectors [.., n, d] at positions [n], with RoPE applied, or removed if inverse. float32."""
    angles = np.multiply.outer(np.asarray(positions, np.float64), frequencies)
    cos, sin = np.cos(angles), np.sin(angles)
    if inverse:
        cos, sin = cos / magnitude, -sin / magnitude
    else:
        cos, sin = cos * magnitude, sin * magnitude
    cos, sin = cos.astype(np.float32), sin.astype(np.float32)
    half = vectors.shape[-1] // 2
    if pairing == "half":
        first, second = slice(0, half), slice(half, None)
    elif pairing == "interleaved":
        first, second = slice(0, None, 2), slice(1, None, 2)
    else:
        raise ValueError(f"RoPE: pairing {pairing}; known: {', '.join(PAIRINGS)}")
    a, b = vectors[..., first], vectors[..., second]
    turned = np.empty(vectors.shape, np.float32)
    turned[..., first] = a * cos - b * sin
    turned[..., second] = b * cos + a * sin
    return turned


def to_half_pairs(weights, heads):
    """Rows of a projection to q or k, [heads d, width], from GGUF's order (interleaved pairs) to
    that of Hugging Face (halves). The rotation then pairs the same rows."""
    rows, width = weights.shape
    pairs = weights.reshape(heads, rows // heads // 2, 2, width)
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(rows, width)
