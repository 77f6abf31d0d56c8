#!/usr/bin/env python3
"""Times a call on torch tensors at the shapes of `recallmodel calibrate --plan`.

docs/calibrating.md says how these times lead to a choice.

    python3 time_calls.py shapes.csv runs.csv my_file:my_topk [--dtype float16]
    python3 time_calls.py shapes.csv exact.csv torch:topk --exact

The call is my_topk(x, k, b, k_b), where x has m rows of n values; with --exact it is topk(x, k).

A time is the median of several calls, each between two events, after other data has filled the
cache. On a CPU the clock is read.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, csv, importlib, statistics, sys, time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("files", nargs=3, metavar=("SHAPES", "OUTPUT", "CALL"),
                    help="the CSV of shapes, the CSV to write, MODULE:CALL")
parser.add_argument("--dtype", default="float32")
parser.add_argument("--exact", action="store_true")
options = parser.parse_args()
try:
    import torch
except ImportError:
    parser.error("there is no torch: pip install torch")
sys.path.insert(0, ".")
on_gpu = torch.cuda.is_available()
device, dtype = "cuda" if on_gpu else "cpu", getattr(torch, options.dtype)
# Larger than the L2 cache of a GPU.
cache_filler = torch.ones((256 if on_gpu else 1) << 18, dtype=torch.float32, device=device)


def time_us(run):
    """The time of run() in microseconds."""
    cache_filler.add_(1.0)
    start = time.perf_counter()
    if on_gpu:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(1_000_000)  # in this time Python launches the call
        begin.record(), run(), end.record(), end.synchronize()
        return 1e3 * begin.elapsed_time(end)
    run()
    return 1e6 * (time.perf_counter() - start)


def call_named(text):
    module, _, name = text.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        parser.error(f"{text}: {error}; write {module or 'mine'}.py here, with a function "
                     f"{name or 'my_topk'}(x, k{'' if options.exact else ', b, k_b'})")


def median_us(call, shape):
    """The median time of a call on n, .., m; None, with a line on stderr, if it refuses."""
    try:
        x = torch.randn(shape[-1], shape[0], device=device).to(dtype)
        times, start = [], time.monotonic()
        for sample in range(103):
            times.append(time_us(lambda: call(x, *shape[1:-1])))
            if sample > 10 and time.monotonic() - start > 0.5:
                break
    except Exception as error:  # the call refuses the shape, or memory runs out
        why = (str(error) or repr(error)).splitlines()[0]
        names = BUCKETS if len(shape) == len(BUCKETS) else EXACT
        print("left out", dict(zip(names, shape)), "-", why, file=sys.stderr)
        return None
    return statistics.median(times[3:])  # the first three warm up


def shapes_of(rows, columns):
    return list(dict.fromkeys(tuple(int(row[c]) for c in columns) for row in rows))


BUCKETS, EXACT = ["n", "k", "b", "k_b", "m"], ["n", "k", "m"]


shapes_file, output, call = options.files
call, columns = call_named(call), EXACT if options.exact else BUCKETS
with open(shapes_file, newline="") as file:
    try:
        shapes = shapes_of(csv.DictReader(file), columns)
    except (KeyError, TypeError, ValueError):
        shapes = []
if not shapes:
    parser.error(f"{shapes_file} has no shapes; write it: recallmodel calibrate --plan > "
                 f"{shapes_file}")
with open(output, "w", buffering=1) as file:
    print(*columns, "dtype", "time_us_median", sep=",", file=file)
    for shape in shapes:
        us = median_us(call, shape)
        if us is not None:
            print(*shape, options.dtype, f"{us:.6g}", sep=",", file=file)
