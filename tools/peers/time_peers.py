#!/usr/bin/env python3
"""Times top-k of others beside ours on this CPU, one thread, in one run.

    time_peers.py WORKER [PYTHON ..] [-o FILE] [--shapes NxK,..] [--seconds S] [--seed N]
                  [--load N [--tail N]]

WORKER is the program that tests/bench/peers.cc makes; each PYTHON an interpreter of `make peers`.
Each is a process of its own that holds the rows and answers requests, so that two versions of a
library can take part. The contenders take turns, sample by sample; a sample is as many calls as
take a millisecond. Short rows are made several times, and calls take turns among them: a branch
predictor learns a row that it sees again and again. All run on one core. A contender whose values
are not the top k is left out, unless it is approximate.

Columns: the median, an interval around it (order statistics, 95 %); `times_ours`, its ratio to that
of `ours`; `exact`, whether it selected the top k (by the sum of the values). `max` is reading the
row once.

With --load each sample is one call, 10,000 (--tail) of them beside N busy processes, on any core;
more columns have the time that 99 %, 99.9 % and all of them take at most.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

COLUMNS = ("n,k,dtype,threads,contender,version,samples,time_us_median,time_us_low,time_us_high,"
           "times_ours,exact")
SAMPLE_US = 1000.0
TAIL = 10_000  # samples with --load
TURNS = 1 << 16  # elements of the short rows among which calls take turns, as in the bench
LEAST = 7
SHAPES = ("64x4,1024x16,1024x256,4096x64,65536x64,131072x50,131072x1024,131072x8192,131072x32768,"
          "1048576x64,1048576x1024,1048576x65536,16777216x1024,16777216x1048576")
APPROXIMATE = ("jax.lax.approx_max_k", "faiss-approximate")
KNOWN = ("numpy", "jax", "faiss", "torch")
WORKER = pathlib.Path(__file__).with_name("worker.py")


class Worker:
    """A process that holds a row."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.contenders = {}
        self.ask("LIST")
        while (line := self.process.stdout.readline().rstrip("\n")) not in ("END", ""):
            name, version = line.split("\t")
            self.contenders[name] = version

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def sample(self, name, k, repeats):
        self.ask(f"{name} {k} {repeats}")
        line = self.process.stdout.readline()
        if len(line.split()) != 2:
            raise ValueError(f"{name} for k = {k} ended: {line.strip() or 'no answer'}")
        return tuple(map(float, line.split()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Contender:
    """One to be timed: its worker, its samples."""

    def __init__(self, worker, name, version, k):
        self.worker, self.name, self.version, self.k = worker, name, version, k
        self.times, self.repeats, self.sum = [], 1, math.nan

    @property
    def is_approximate(self):
        return self.name.startswith(APPROXIMATE)

    def warm_up(self, sample_us):
        """Finds how many calls make a sample; the first call may compile something."""
        self.worker.sample(self.name, self.k, 1)
        for _ in range(4):
            time_us, self.sum = self.worker.sample(self.name, self.k, self.repeats)
            self.repeats = max(1, math.ceil(sample_us / time_us))

    def sample(self):
        self.times.append(self.worker.sample(self.name, self.k, self.repeats)[0])


def interval(times):
    """The order statistics around the median, as those of the bench."""
    ordered, n = sorted(times), len(times)
    below = math.floor((n - 1.96 * math.sqrt(n)) / 2)
    above = math.ceil((n + 1.96 * math.sqrt(n)) / 2)
    return ordered[max(below, 1) - 1], ordered[min(above, n - 1)]


def log(text):
    print(f"time_peers.py: {text}", file=sys.stderr, flush=True)


def prepare(workers, k, sample_us):
    """The contenders that answer, and rightly."""
    found = []
    for worker in workers:
        for name, version in worker.contenders.items():
            contender = Contender(worker, name, version, k)
            try:
                contender.warm_up(sample_us)
            except (ValueError, OSError) as problem:
                log(problem)
                return []
            found.append(contender)
    truth = next(c.sum for c in found if c.name == "ours")
    right = []
    for contender in found:
        same = math.isclose(contender.sum, truth, rel_tol=1e-12)
        if same or contender.is_approximate or contender.name == "max":
            right.append(contender)
        else:
            log(f"WRONG: {contender.name} selects values of sum {contender.sum}, not {truth}")
    return right


def tail(times):
    ordered = sorted(times)
    return "".join(f",{ordered[math.ceil(share * len(ordered)) - 1]:.6g}"
                   for share in (0.99, 0.999, 1))


def time_shape(workers, n, k, options, file):
    """Rows of the CSV of a shape."""
    loaded = options.load is not None
    contenders = prepare(workers, k, 0.0 if loaded else SAMPLE_US)
    if not contenders:
        return False
    least = options.tail if loaded else LEAST
    end = time.monotonic() + (0.0 if loaded else options.seconds * len(contenders))
    while time.monotonic() < end or len(contenders[0].times) < least:
        for contender in contenders:
            contender.sample()
    medians = {id(c): statistics.median(c.times) for c in contenders}
    ours = next(c for c in contenders if c.name == "ours")
    for c in contenders:
        low, high = interval(c.times)
        exact = "" if c.name == "max" else int(math.isclose(c.sum, ours.sum, rel_tol=1e-12))
        print(f"{n},{k},float32,1,{c.name},{c.version},{len(c.times)},{medians[id(c)]:.6g},"
              f"{low:.6g},{high:.6g},{medians[id(c)] / medians[id(ours)]:.4g},{exact}"
              f"{tail(c.times) if loaded else ''}",
              file=file, flush=True)
    return True


@contextlib.contextmanager
def busy(count):
    """Processes that use processors meanwhile."""
    children = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def shape_of(text):
    n, k = text.split("x")
    return int(n), int(k)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("worker")
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    parser.add_argument("-o", "--output")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each contender and shape")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--load", type=int, metavar="N")
    parser.add_argument("--tail", type=int, default=TAIL)
    options = parser.parse_args()
    try:
        shapes = [shape_of(text) for text in options.shapes.split(",")]
    except ValueError:
        parser.error(f"--shapes '{options.shapes}' is not a list such as 4096x64,131072x50")
    if options.load is None:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    whole, seen = True, set()
    with tempfile.TemporaryDirectory() as folder, busy(options.load or 0):
        file = open(options.output, "w", encoding="utf-8") if options.output else sys.stdout
        print(COLUMNS + (",time_us_99,time_us_999,time_us_max" if options.load is not None else ""),
              file=file)
        for n, k in shapes:
            row = f"{folder}/row"
            rows = max(1, min(16, TURNS // n))
            subprocess.run([options.worker, "--make", row, str(n), str(rows), str(options.seed)],
                           check=True)
            workers = [Worker([options.worker, row, str(n)])]
            workers += [Worker([python, str(WORKER), row, str(n)]) for python in options.pythons]
            seen |= {version.split()[0] for w in workers for version in w.contenders.values()}
            whole &= time_shape(workers, n, k, options, file)
            for worker in workers:
                worker.close()
        missing = [name for name in KNOWN if name not in seen]
        if missing:
            log("not at hand: " + ", ".join(missing) + " (make peers installs them; torch only "
                "with TORCH=1)")
        if options.output:
            file.close()
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
