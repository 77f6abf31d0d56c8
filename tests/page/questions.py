"""questions.py - sixty-one questions to `recallmodel select`, as the options that they give.

SPDX-License-Identifier: Apache-2.0
"""

# n, k, m of sampling, sparse attention, retrieval, sharded search and small rows.
SHAPES = (("128256", "50", "64"), ("151936", "64", "1"), ("2^15", "2048", "8"),
          ("2^17", "2048", "64"), ("2^20", "1024", "1"), ("1e6", "100", "128"),
          ("10M", "1000", "1"), ("1000", "10", "4"), ("2^16", "1", "16"), ("262144", "16384", "2"))

# What is asked of a shape.
ASKED = (
    {"recall": "0.95"},
    {"recall": "0.99", "device": "h100-pcie", "dtype": "f16"},
    {"recall": "0.9", "confidence": "0.95"},
    {"recall": "0.95", "device": "a100-sxm", "exact-us": "150"},
    {"recall": "0.98", "device": "b200", "exact-kernel": "sglang_v2_b200"},
)

# What the shapes above leave out: other devices, kernels, types and options.
MORE = (
    {"n": "2^17", "k": "64", "m": "8", "device": "V100S", "dtype": "f32", "kernel": "any"},
    {"n": "2^18", "k": "512", "device": "cpu-epyc-zen4", "recall": "0.99"},
    {"n": "2^17", "k": "2048", "recall": "0.999", "confidence": "0.99", "kernel": "ours"},
    {"n": "2^17", "k": "128", "m": "32", "budget": "4096"},
    {"n": "2^20", "k": "2048", "device": "tpuv5e", "recall": "0.95"},
    {"n": "2^17", "k": "1024", "m": "256", "d": "128", "device": "h100-sxm", "exact-us": "900"},
    {"n": "2^16", "k": "512", "rope-theta": "10000", "head-dim": "64", "recall": "0.97"},
    {"n": "2^17", "valid": "100000", "k": "300", "assignment": "contiguous", "align": "128"},
    {"n": "2^17", "k": "2048", "m": "16", "kb-max": "8", "objective": "roofline",
     "device": "mi300x", "recall": "0.995"},
    {"n": "2^16", "k": "256", "m": "8", "lost-mass": "0.01", "score-sd": "2", "rounding": "bf16"},
    {"n": "1e9", "k": "100", "m": "1", "device": "H200", "recall": "0.9"},
)


def questions():
    """A list of 61 {option: value}."""
    asked = [{"n": n, "k": k, "m": m, **more} for n, k, m in SHAPES for more in ASKED]
    return [*asked, *MORE]


def arguments(question):
    return ["select", *(word for name, value in question.items()
                        for word in (f"--{name}", value))]
