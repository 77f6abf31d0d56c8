#!/usr/bin/env python3
"""Times torch.topk, sorted and not, on the cells that `recallmodel-bench ... --list` prints, by the same rules, into the same CSV.

    recallmodel-bench exact --grid key-15 --list > cells
    python3 gpu/torch_topk.py cells -o torch.csv

Rules: inputs are normal; between two events, behind a kernel that waits, after other data has gone through the cache; or CUDA graphs of 16
calls that take turns among inputs of three times the cache's size. A cell stops when the standard deviation of its samples is below 0.5 %
of their mean, or after 0.15 s, with at least 7 samples. Slow-downs of the card are not looked for. The file is gone on with if it is there.

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
KEY = ["work", "kernel", "dtype", "assignment", "input", "n", "k", "b", "k_b", "m", "d", "cache", "timing"]
COLUMNS = KEY + [
    "samples", "stop", "dropped", "time_us_median", "time_us_low", "time_us_high", "noise", "bytes", "bandwidth_bytes_per_s",
    "roof_us_median", "bandwidth_share", "roof_kernel", "flops_per_s", "recall", "recall_model", "z", "predicted_us", "cost_basic", "cost_serial", "cost_parallel",
    "sm_clock_mhz", "power_capped",
]


def fail(message, status):
    print(f"torch_topk.py: {message}", file=sys.stderr)
    sys.exit(status)


def summary(times):
    """Median and the interval of order statistics that holds it with probability 0.95."""
    ordered, n = sorted(times), len(times)
    below = max(math.floor((n - 1.96 * math.sqrt(n)) / 2), 1) - 1
    above = min(math.ceil((n + 1.96 * math.sqrt(n)) / 2), n - 1)
    return statistics.median(ordered), ordered[below], ordered[above]


def noise_of(times):
    return statistics.stdev(times) / statistics.fmean(times) if len(times) > 1 else math.inf


class Timer:
    def __init__(self, torch):
        self.torch = torch
        properties = torch.cuda.get_device_properties(0)
        self.cache = getattr(properties, "L2_cache_size", 64 << 20)
        self.other = torch.ones(2 * self.cache // 4, dtype=torch.int32, device="cuda")
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def one(self, work, flush):
        if flush:
            self.other.sum()
        self.torch.cuda._sleep(DELAY_CYCLES)
        self.begin.record()
        work()
        self.end.record()
        self.end.synchronize()
        return 1000.0 * self.begin.elapsed_time(self.end)

    def graph(self, work):
        """work(call) for 16 calls, as a graph."""
        stream = self.torch.cuda.Stream()
        with self.torch.cuda.stream(stream):
            for call in range(GRAPH_CALLS):
                work(call)
        stream.synchronize()
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for call in range(GRAPH_CALLS):
                work(call)
        return graph

    def sample(self, cell, rows, work):
        """work(x) on rows, by the cell's rules. Returns the times of a call and why it stopped."""
        if cell["timing"] == "graph":
            graph = self.graph(lambda call: work(rows[call % len(rows)]))
            run = lambda: self.one(graph.replay, cell["cache"] == "cold") / GRAPH_CALLS
        else:
            run = lambda: self.one(lambda: work(rows[0]), cell["cache"] == "cold")
        for _ in range(4):
            run()
        times, start = [], time.monotonic()
        while True:
            times.append(run())
            if len(times) >= LEAST and (len(times) < 50 or len(times) % 50 == 0) and noise_of(times) < NOISE:
                return times, "noise"
            if len(times) >= LEAST and time.monotonic() - start >= SECONDS:
                return times, "time"


def cells_of(path):
    """The distinct cells of exact top-k among those that are listed: buckets play no part."""
    with open(path, newline="") as file:
        for line in csv.DictReader(line for line in file if not line.startswith("#")):
            yield {**line, "work": "exact", "assignment": "interleaved", "b": "1", "k_b": line["k"], "d": "0"}


def done_in(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb+") as file:
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)  # a killed run may have left half a line
    lines = [line for line in text[: text.rfind(b"\n") + 1].decode().splitlines() if not line.startswith("#")]
    if lines and lines[0] != ",".join(COLUMNS):
        fail(f"{path} has other columns than this writes; name another file", 1)
    return {tuple(line.split(",")[: len(KEY)]) for line in lines[1:]} if lines else None


def main():
    parser = argparse.ArgumentParser(description="Times torch.topk on the cells that recallmodel-bench --list prints.")
    parser.add_argument("cells")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing more after so long")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        fail("there is no PyTorch here", 3)
    if not torch.cuda.is_available():
        fail("there is no GPU here, or no driver for it", 3)

    types = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    timer, start = Timer(torch), time.monotonic()
    done = done_in(options.output)
    seen = set()
    with open(options.output, "a", buffering=1) as file:
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        file.write(f'# torch_topk.py date={now} gpu="{torch.cuda.get_device_name(0)}" torch={torch.__version__} cuda_runtime={torch.version.cuda}\n')
        if done is None:
            file.write(",".join(COLUMNS) + "\n")
        rows, of = None, None
        for cell in cells_of(options.cells):
            if cell["input"] != "normal":
                continue
            n, k, m = (int(cell[name]) for name in ("n", "k", "m"))
            dtype = types[cell["dtype"]]
            size = m * n * dtype.itemsize
            sets = 1
            while cell["timing"] == "graph" and cell["cache"] == "cold" and sets < GRAPH_CALLS and sets * size < 3 * timer.cache:
                sets *= 2
            for kernel, in_order in (("torch.topk", True), ("torch.topk-unsorted", False)):
                cell["kernel"] = kernel
                key = tuple(cell[name] for name in KEY)
                if key in seen or (done and key in done):
                    continue
                if time.monotonic() - start > 60 * options.minutes:
                    print("torch_topk.py: time is up; the same command goes on", file=sys.stderr)
                    return
                seen.add(key)
                try:
                    if of != (n, m, dtype, sets):
                        rows = of = None  # give the memory back first
                        rows = [torch.randn(m, n, device="cuda", dtype=torch.float32).to(dtype) for _ in range(sets)]
                        of = (n, m, dtype, sets)
                    times, stop = timer.sample(cell, rows, lambda x: torch.topk(x, k, dim=-1, sorted=in_order))
                except torch.cuda.OutOfMemoryError:
                    print(f"torch_topk.py: left out {','.join(key)}: not enough memory on the device", file=sys.stderr)
                    rows = of = None
                    torch.cuda.empty_cache()
                    continue
                median, low, high = summary(times)
                moved = size + m * k * (dtype.itemsize + 8)  # torch's indices have 8 bytes
                values = dict(cell, samples=len(times), stop=stop, time_us_median=f"{median:.6g}", time_us_low=f"{low:.6g}",
                              time_us_high=f"{high:.6g}", noise=f"{noise_of(times):.4g}", bytes=moved,
                              bandwidth_bytes_per_s=f"{moved / (1e-6 * median):.9g}")
                file.write(",".join(str(values.get(name, "")) for name in COLUMNS) + "\n")
                print(f"{kernel:20} {cell['dtype']:8} n {n:8} k {k:7} m {m:5} {median:12.2f} us", flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        fail("stopped; the same command goes on", 130)
