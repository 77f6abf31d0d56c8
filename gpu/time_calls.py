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
import torch

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
for name in ("shapes", "output", "call"):
    parser.add_argument(name)
parser.add_argument("--dtype", default="float32")
parser.add_argument("--exact", action="store_true")
options = parser.parse_args()
sys.path.insert(0, ".")
module, _, name = options.call.partition(":")
call, on_gpu = getattr(importlib.import_module(module), name), torch.cuda.is_available()
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


columns = ["n", "k", "m"] if options.exact else ["n", "k", "b", "k_b", "m"]
with open(options.shapes, newline="") as file:
    rows = csv.DictReader(file)
    shapes = list(dict.fromkeys(tuple(int(row[c]) for c in columns) for row in rows))
with open(options.output, "w", buffering=1) as file:
    print(*columns, "dtype", "time_us_median", sep=",", file=file)
    for shape in shapes:
        try:
            x = torch.randn(shape[-1], shape[0], device=device).to(dtype)
            times, start = [], time.monotonic()
            for sample in range(103):
                times.append(time_us(lambda: call(x, *shape[1:-1])))
                if sample > 10 and time.monotonic() - start > 0.5:
                    break
        except Exception as error:  # the call refuses the shape, or memory runs out
            why = (str(error) or repr(error)).splitlines()[0]
            print("left out", dict(zip(columns, shape)), "-", why, file=sys.stderr)
            continue
        median = statistics.median(times[3:])  # the first three warm up
        print(*shape, options.dtype, f"{median:.6g}", sep=",", file=file)
