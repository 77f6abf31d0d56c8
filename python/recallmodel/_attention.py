"""Sparse attention: the output of one layer when queries read only what a method chooses."""
from __future__ import annotations

import dataclasses
import itertools
import os
from typing import TYPE_CHECKING, Any, Optional

import numpy

from . import _library as lib
from ._arrays import count, fraction, real, unmasked
from ._library import Path, attention, ffi, text_of
from ._long import run_stoppable
from ._openblas import one_thread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclasses.dataclass(frozen=True, eq=False)
class SparseAttention:
    """What sparse_attention returns.

    output: float32 [query heads, n_q, d_v]. visited: the mean share of the n keys that a query
    visits outside of the dense part (sink and window). selectivity: the same with the dense part.
    knob: the setting of the method, None if it has none. bytes_read: the bytes of index, keys and
    values that a query reads, as float16. index_bytes: those of the index alone.
    """
    output: NDArray[numpy.float32]
    visited: float
    selectivity: float
    knob: Optional[int]
    bytes_read: float
    index_bytes: float

    def __repr__(self) -> str:
        return (f"SparseAttention(visited={self.visited:.4g}, selectivity={self.selectivity:.4g}, "
                f"output={self.output.dtype}{list(self.output.shape)})")


def _rows(table, more):
    """The rows of a table of C, up to the one that ends it."""
    return itertools.takewhile(more, (table[i] for i in itertools.count()))


def attention_methods() -> tuple[str, ...]:
    """The names of the methods that sparse_attention takes."""
    return tuple(text_of(row.name) for row in _rows(attention().methods, bool))


def _tensor(name, value):
    """A contiguous float32 array of three axes."""
    array = unmasked(name, value)
    if array.dtype.kind != "f":
        raise TypeError(f"{name} must be floats, not {array.dtype}")
    if array.ndim != 3 or array.size == 0:
        raise ValueError(f"{name} has the shape {list(array.shape)}; give [heads, positions, d]")
    return numpy.ascontiguousarray(array, numpy.float32)


def _like(name, value, other, shape):
    """A tensor that must have this shape, which is that of `other`; None stays None."""
    if value is None:
        return None
    array = _tensor(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {list(array.shape)}, but {other} has "
                         f"{list(shape)}; give the same")
    return array


def _context(queries, keys, values, queries_unroped, keys_unroped):
    """Pointers to the tensors, which hold them, and their struct context."""
    q, k, v = (_tensor(*pair) for pair in (("queries", queries), ("keys", keys),
                                           ("values", values)))
    if v.shape[:2] != k.shape[:2]:
        raise ValueError(f"values has {v.shape[0]} heads of {v.shape[1]} positions, but keys has "
                         f"{k.shape[0]} of {k.shape[1]}; give the same")
    if q.shape[2] != k.shape[2]:
        raise ValueError(f"queries has d = {q.shape[2]}, but keys has d = {k.shape[2]}; give the "
                         "same")
    if q.shape[0] % k.shape[0]:
        raise ValueError(f"{q.shape[0]} query heads are not a multiple of {k.shape[0]} key heads")
    if q.shape[1] > k.shape[1]:
        raise ValueError(f"there are {q.shape[1]} queries, but {k.shape[1]} keys; queries are "
                         "those of the last positions")
    q_unroped = _like("queries_unroped", queries_unroped, "queries", q.shape)
    k_unroped = _like("keys_unroped", keys_unroped, "keys", k.shape)
    tensors = (q, k, v, q_unroped, k_unroped)
    if max(max(x.shape) for x in tensors[:3]) > 2**30:
        raise ValueError("an axis is longer than 2^30; give shorter arrays")
    names = ("queries", "keys", "values", "queries_unroped", "keys_unroped")
    pointers = {name: ffi.from_buffer("float[]", x) for name, x in zip(names, tensors)
                if x is not None}
    return pointers, lib.new("context", query_heads=len(q), key_heads=len(k), n=k.shape[1],
                             n_q=q.shape[1], d=k.shape[2], d_v=v.shape[2], **pointers)[0]


def _options(sink, window, d, given):
    """struct method_options with the dense part and the options by name."""
    options = attention().method_options_default()
    options.dense.sink = count("sink", sink, 0, 2**30)
    options.dense.window = count("window", window, 0, 2**30)
    options.components = min(options.components, d)
    rows = _rows(attention().method_option_rows, lambda row: row.name)
    kinds = {text_of(row.name): row.kind for row in rows}
    for name, value in given.items():
        if name == "assignment":
            value = lib.number_of(value, lib.Assignment, name)
        elif name == "seed":
            value = count(name, value, 0, 2**64 - 1)
        elif name not in kinds:
            known = ", ".join(("seed", "assignment", *kinds))
            raise ValueError(f"there is no option {name}; give one of {known}")
        elif kinds[name] == attention().METHOD_OPTION_WHOLE:
            value = count(name, value, 0, 2**30)
        elif kinds[name] == attention().METHOD_OPTION_FLAG:
            value = bool(value)
        else:
            value = real(name, value)
        setattr(options, name, value)
    return options


# long: half of it is the docstring.
def sparse_attention(queries: ArrayLike, keys: ArrayLike, values: ArrayLike, method: str = "topk",
                     budget: float = 0.05, sink: int = 1, window: int = 128, *,
                     queries_unroped: Optional[ArrayLike] = None,
                     keys_unroped: Optional[ArrayLike] = None, index: Optional[Path] = None,
                     layer: Optional[int] = None, share: bool = False, threads: int = 0,
                     **options: Any) -> SparseAttention:
    """The attention of one layer in which each query reads only the keys that a method chooses.

    queries: [query heads, n_q, d], of the last n_q of n positions, after RoPE. keys: [key heads, n,
    d], after RoPE. values: [key heads, n, d_v]. Floats of any size; the work is float32. The query
    heads are a multiple of the key heads; neighbours share one. Query i has the position n - n_q +
    i and reads no key after it. Logits are q . k / sqrt(d).
    method: one of attention_methods(). budget: the share of the n keys that queries visit, in (0,
    1]. A method takes the largest knob with which queries do not visit more than that, on average.
    Beside these keys, every query reads the first `sink` and the last `window` keys.
    queries_unroped, keys_unroped: queries and keys before RoPE, for methods that work on these.
    index: a file that `recallmodel sparse --save` wrote. Methods that cluster keys take the
    centroids, and the query models, that it has for `layer`, a whole number; without `layer` those
    of an unknown one. Others ignore it.
    share: query heads that share a key head choose the same keys, if the method can. threads: 0 is
    all. options: those of the methods, as `recallmodel sparse` has them: seed, k_b, ratio,
    assignment, components, mean_value, clusters, iterations, spherical, inside, page, block,
    block_factor, lag, bits, tables, chunk, element_bytes, int8_keys, batch.

    Returns a SparseAttention: output, float32 [query heads, n_q, d_v], and what was read. The same
    arguments give the same bits for any number of threads.
    ValueError, with what to do, for shapes that do not fit, numbers that are not finite, an unknown
    method or option, and an index that cannot be read or does not fit.
    Ctrl-C ends it within a second. The OpenBLAS of the system is set to one thread in the whole
    process; where there is none, that of NumPy's wheel has one during the call.

        >>> import numpy, recallmodel as rcm
        >>> x = numpy.random.default_rng(1).standard_normal((2, 1000, 16), dtype="float32")
        >>> rcm.sparse_attention(x[:, -10:], x, x, "topk", budget=0.1)
        SparseAttention(visited=0.1, selectivity=0.229, output=float32[2, 10, 16])
    """
    row = attention().method_by_name(str(method).encode())
    if not row:
        raise ValueError(f"method {method!r} is not known; give one of "
                         f"{', '.join(attention_methods())}")
    tensors, context = _context(queries, keys, values, queries_unroped, keys_unroped)
    number_of_layer = 2**32 - 1 if layer is None else count("layer", layer, 0, 2**32 - 2)
    path = ffi.NULL if index is None else ffi.new("char[]", os.fsencode(index))
    spec = lib.new("outputs_spec", context=context, layer=number_of_layer, method=row, index=path,
                   budget=fraction("budget", budget), share=bool(share),
                   options=_options(sink, window, context.d, options),
                   threads=count("threads", threads, 0, 4096))
    out = numpy.empty((context.query_heads, context.n_q, context.d_v), numpy.float32)
    report, error = lib.new("outputs_report"), ffi.new("char[]", 400)

    def work(tick):
        spec.watch.stop = tick
        return attention().sparse_outputs(spec, ffi.from_buffer("float[]", out), report,
                                          (error, len(error)))

    # Until it has returned, also after Ctrl-C, C reads the tensors.
    with one_thread:
        status = run_stoppable(work, lambda: (tensors, path))
    if status != 0:
        raise ValueError(text_of(error))
    return SparseAttention(out, report.visited, report.selectivity,
                           None if report.knob == 2**32 - 1 else report.knob, report.bytes_read,
                           report.index_bytes)
