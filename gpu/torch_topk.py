#!/usr/bin/env python3
"""Times torch.topk on the cells that `recallmodel-bench ... --list` prints.

    recallmodel-bench exact --grid key-15 --list > cells
    python3 gpu/torch_topk.py cells -o torch.csv

The output is a CSV with the columns of recallmodel-bench. Each cell is timed with sorted results
and with unsorted ones. If the output exists, the cells in it are not timed again.

The rules are those of recallmodel-bench. Inputs are normal. A call is timed between two events,
behind a kernel that waits, after other data has filled the cache; or a CUDA graph of 16 calls is
timed, which take turns among inputs of three times the cache's size. A cell ends when the standard
deviation of its samples is below 0.5 % of their mean, or after 0.15 s, with at least 7 samples.
Unlike recallmodel-bench, this does not look for slow-downs of the card.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import csv
import datetime
import math
import os
import statistics
import sys
import time

NOISE, SECONDS, LEAST, GRAPH_CALLS = 0.005, 0.15, 7, 16
DELAY_CYCLES = 2_000_000  # some 1 ms: torch.topk launches many kernels, from Python
KERNELS = (("torch.topk", True), ("torch.topk-unsorted", False))  # name, sorted
KEY = [
    "work", "kernel", "dtype", "assignment", "input", "n", "k", "b", "k_b", "m", "d", "cache",
    "timing",
]
COLUMNS = KEY + [
    "samples", "stop", "dropped", "time_us_median", "time_us_low", "time_us_high", "noise",
    "bytes", "bandwidth_bytes_per_s", "roof_us_median", "bandwidth_share", "roof_kernel",
    "flops_per_s", "recall", "recall_model", "z", "predicted_us", "cost_basic", "cost_serial",
    "cost_parallel", "sm_clock_mhz", "power_capped",
]


def fail(message, status):
    print(f"torch_topk.py: {message}", file=sys.stderr)
    sys.exit(status)


def summary(times):
    """The median, and the interval of order statistics that holds it with probability 0.95."""
    ordered, n = sorted(times), len(times)
    below = max(math.floor((n - 1.96 * math.sqrt(n)) / 2), 1) - 1
    above = min(math.ceil((n + 1.96 * math.sqrt(n)) / 2), n - 1)
    return statistics.median(ordered), ordered[below], ordered[above]


def noise_of(times):
    return statistics.stdev(times) / statistics.fmean(times) if len(times) > 1 else math.inf


def is_quiet(times):
    """Is the noise low enough? Past 50 samples, only every 50th asks."""
    return (len(times) < 50 or len(times) % 50 == 0) and noise_of(times) < NOISE


class Timer:
    def __init__(self, torch, seconds):
        self.torch, self.seconds = torch, seconds
        properties = torch.cuda.get_device_properties(0)
        self.cache = getattr(properties, "L2_cache_size", 64 << 20)
        self.filler = torch.ones(2 * self.cache // 4, dtype=torch.int32, device="cuda")
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_us(self, run, flush):
        """The time of run() in microseconds; with flush, after other data has filled the cache."""
        if flush:
            self.filler.sum()
        self.torch.cuda._sleep(DELAY_CYCLES)
        self.begin.record()
        run()
        self.end.record()
        self.end.synchronize()
        return 1000.0 * self.begin.elapsed_time(self.end)

    def graph(self, run):
        """run(call) for 16 calls, as a graph."""
        stream = self.torch.cuda.Stream()
        with self.torch.cuda.stream(stream):
            for call in range(GRAPH_CALLS):
                run(call)
        stream.synchronize()
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for call in range(GRAPH_CALLS):
                run(call)
        return graph

    def sampler(self, cell, inputs, run):
        """A function that takes one sample of run(x): the time of a call in microseconds."""
        flush = cell["cache"] == "cold"
        if cell["timing"] == "graph":
            graph = self.graph(lambda call: run(inputs[call % len(inputs)]))
            return lambda: self.time_us(graph.replay, flush) / GRAPH_CALLS
        return lambda: self.time_us(lambda: run(inputs[0]), flush)

    def sample(self, cell, inputs, run):
        """Times run(x) on the inputs by the rules of the cell: the samples, and why they ended."""
        take_sample = self.sampler(cell, inputs, run)
        for _ in range(4):
            take_sample()
        times, start = [], time.monotonic()
        while True:
            times.append(take_sample())
            if len(times) >= LEAST and is_quiet(times):
                return times, "noise"
            if len(times) >= LEAST and time.monotonic() - start >= self.seconds:
                return times, "time"


class Inputs:
    """The inputs of a cell; cells of the same shape share them."""

    def __init__(self, torch, cache):
        self.torch, self.cache = torch, cache
        self.tensors = self.shape = None

    def of_cell(self, cell, m, n, dtype):
        sets, size = 1, m * n * dtype.itemsize
        if cell["timing"] == "graph" and cell["cache"] == "cold":
            while sets < GRAPH_CALLS and sets * size < 3 * self.cache:
                sets *= 2
        if self.shape != (n, m, dtype, sets):
            self.free()
            randn, float32 = self.torch.randn, self.torch.float32
            self.tensors = [
                randn(m, n, device="cuda", dtype=float32).to(dtype) for _ in range(sets)
            ]
            self.shape = (n, m, dtype, sets)
        return self.tensors

    def free(self):
        self.tensors = self.shape = None


def cells_of(path):
    """The cells of exact top-k among those in the file. Buckets do not matter here."""
    with open(path, newline="") as file:
        for line in csv.DictReader(line for line in file if not line.startswith("#")):
            exact = {"work": "exact", "assignment": "interleaved", "b": "1", "d": "0"}
            if line["input"] == "normal":
                yield {**line, **exact, "k_b": line["k"]}


def keys_in(path):
    """The cells that the output holds already; None if it holds no header."""
    if not os.path.exists(path):
        return None
    with open(path, "rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        file.truncate(end)  # an interrupted run may have left half a line
    lines = [line for line in content[:end].decode().splitlines() if not line.startswith("#")]
    if lines and lines[0] != ",".join(COLUMNS):
        fail(f"{path} has other columns than this writes; name another file", 1)
    return {tuple(line.split(",")[: len(KEY)]) for line in lines[1:]} if lines else None


def write_head(file, torch, with_columns):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    gpu, cuda = torch.cuda.get_device_name(0), torch.version.cuda
    print(f'# torch_topk.py date={now} gpu="{gpu}" torch={torch.__version__} cuda_runtime={cuda}',
          file=file)
    if with_columns:
        print(",".join(COLUMNS), file=file)


def write_row(file, cell, times, stop, moved):
    median, low, high = summary(times)
    values = dict(
        cell, samples=len(times), stop=stop, time_us_median=f"{median:.6g}",
        time_us_low=f"{low:.6g}", time_us_high=f"{high:.6g}", noise=f"{noise_of(times):.4g}",
        bytes=moved, bandwidth_bytes_per_s=f"{moved / (1e-6 * median):.9g}",
    )
    print(",".join(str(values.get(name, "")) for name in COLUMNS), file=file)
    print(f"{cell['kernel']:20} {cell['dtype']:8} n {cell['n']:>8} k {cell['k']:>7} "
          f"m {cell['m']:>5} {median:12.2f} us", flush=True)


def time_cell(file, torch, timer, inputs, cell, in_order):
    """Times a cell and writes its row; leaves it out if the device has too little memory."""
    n, k, m = (int(cell[name]) for name in ("n", "k", "m"))
    dtype = getattr(torch, cell["dtype"])
    try:
        tensors = inputs.of_cell(cell, m, n, dtype)
        times, stop = timer.sample(
            cell, tensors, lambda x: torch.topk(x, k, dim=-1, sorted=in_order))
    except torch.cuda.OutOfMemoryError:
        key = ",".join(cell[name] for name in KEY)
        print(f"torch_topk.py: left out {key}: not enough memory on the device", file=sys.stderr)
        inputs.free()
        torch.cuda.empty_cache()
        return
    # The indices of torch have 8 bytes.
    write_row(file, cell, times, stop, m * n * dtype.itemsize + m * k * (dtype.itemsize + 8))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="start no cell after this time")
    parser.add_argument("--seconds", type=float, default=SECONDS,
                        help="of a cell, at most (default 0.15)")
    return parser.parse_args()


def main():
    options = parse_options()
    try:
        import torch
    except ImportError:
        fail("there is no PyTorch here", 3)
    if not torch.cuda.is_available():
        fail("there is no GPU here, or no driver for it", 3)

    timer, start = Timer(torch, options.seconds), time.monotonic()
    inputs = Inputs(torch, timer.cache)
    keys = keys_in(options.output)
    seen = set(keys or ())
    with open(options.output, "a", buffering=1) as file:
        write_head(file, torch, keys is None)
        for cell in cells_of(options.cells):
            for kernel, in_order in KERNELS:
                cell["kernel"] = kernel
                key = tuple(cell[name] for name in KEY)
                if key in seen:
                    continue
                if time.monotonic() - start > 60 * options.minutes:
                    print("torch_topk.py: time is up; run the same command again to continue",
                          file=sys.stderr)
                    return
                seen.add(key)
                time_cell(file, torch, timer, inputs, cell, in_order)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        fail("stopped; run the same command again to continue", 130)
