#!/usr/bin/python3
"""check_rows.py - files of rows in Chromium: against the command, by slices, progress, cancel.

SPDX-License-Identifier: Apache-2.0

`.npy` files of float32, float16 and bfloat16, a damaged one; one of 200 MiB for which the page
may grow by 100 MiB at most; progress; a run that is cancelled ends within a second and takes no
more time of the processor. Against: `simulate --json`.
"""
import pathlib
import tempfile
import time

import numpy

from browser import browser
from compare import check_same_run, native

MB = 1 << 20
BIG_ROWS, BIG_N = 400, 131072  # 200 MiB of float32

CHOOSE = """
document.body.append(Object.assign(document.createElement('input'), {type: 'file', id: 'file'}));
"""
RUN = """
const file = document.getElementById('file').files[0];
const progress = [];
const result = await window.recallmodel.engine.run(args[0],
    {files: {[file.name]: file}, lane: 'rows', onProgress: (each) => progress.push(each)});
return {...result, progress};
"""


def draw(rows, n):
    """Rows whose neighbours are alike, the same at every run."""
    x = numpy.random.default_rng(19).standard_normal((rows, n), dtype=numpy.float32)
    x[:, 1:] += 0.9 * x[:, :-1]
    return x


def choose(opened, path):
    opened.driver.find_element("id", "file").send_keys(str(path))


def check_types(opened, folder):
    rows = draw(60, 4000)
    top_half = (rows.view(numpy.uint32) >> 16).astype(numpy.uint16)
    for name, values, more in (("f32", rows, []), ("f16", rows.astype(numpy.float16), []),
                               ("bf16", top_half, ["--dtype", "bf16"])):
        path = folder / f"{name}.npy"
        numpy.save(path, values)
        args = ["simulate", "--file", path.name, "--k", "50", "--kb", "1,2,4", "--recall", "0.95",
                "--assignment", "interleaved,contiguous", "--json", *more]
        want = native(args, folder)
        assert want[0] == 0 and '"mass_mean"' in want[1], want[2]
        choose(opened, path)
        check_same_run(name, opened.settle(RUN, args), want)
    damaged = folder / "damaged.npy"
    damaged.write_bytes((folder / "f32.npy").read_bytes()[:-7])
    args = ["simulate", "--file", damaged.name, "--k", "50"]
    choose(opened, damaged)
    check_same_run("damaged", opened.settle(RUN, args), native(args, folder))


def renderers(opened):
    """The processes of the browser that run pages."""
    parents, pages = {}, []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name_ends = (text := status.read_text()).rindex(")")
            parents[int(status.parent.name)] = int(text[name_ends + 2:].split()[1])
            if b"--type=renderer" in (status.parent / "cmdline").read_bytes():
                pages.append(int(status.parent.name))
        except OSError:
            continue

    def is_ours(process):
        while process and process != opened.driver.service.process.pid:
            process = parents.get(process, 0)
        return process
    return [process for process in pages if is_ours(process)]


def peak_bytes(opened):
    """The most memory that the pages have had."""
    total = 0
    for process in renderers(opened):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        total += int(status.split("VmHWM:")[1].split()[0]) << 10
    assert total > 0
    return total


def cpu_seconds(opened):
    total = 0
    for process in renderers(opened):
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
        total += sum(map(int, text[text.rindex(")") + 2:].split()[11:13]))
    return total / 100


def check_big(opened, folder):
    """200 MiB are read by slices, with progress, and with the answer of the command."""
    path = folder / "big.npy"
    numpy.save(path, draw(BIG_ROWS, BIG_N))
    assert path.stat().st_size > 200 * MB
    args = ["simulate", "--file", path.name, "--k", "512", "--kb", "2", "--json"]
    choose(opened, path)
    before = peak_bytes(opened)
    got = opened.settle(RUN, args)
    grown = peak_bytes(opened) - before
    begin = time.perf_counter()
    want = native([*args, "--threads", "1"], folder)
    seconds = time.perf_counter() - begin
    check_same_run("200 MiB", got, want)
    assert grown < 100 * MB, f"the page grew by {grown / MB:.0f} MiB"
    done = [each["done"] for each in got["progress"]]
    assert len(done) >= 3 and done == sorted(done) and done[-1] <= BIG_ROWS, done
    assert all(each["total"] == BIG_ROWS for each in got["progress"])
    print(f"200 MiB: {got['ms'] / 1e3:.1f} s in Chromium, {seconds:.1f} s by the command on one "
          f"thread; {len(done)} reports of progress; the page grew by {grown / MB:.0f} MiB")


def check_cancel(opened):
    """A cancelled run rejects within a second, its worker stops, and the lane works again."""
    got = opened.settle("""
        const engine = window.recallmodel.engine;
        const long = 'simulate --input iid --n 2^17 --k 64 --repetitions 1000000 --json';
        let seen = 0;
        const run = engine.run(long.split(' '), {lane: 'rows', onProgress: () => seen++});
        await new Promise((resolve) => setTimeout(resolve, 2000));
        const begin = performance.now();
        engine.cancel('rows');
        let cancelled = false;
        try { await run; } catch (error) { cancelled = error.cancelled; }
        const ms = performance.now() - begin;
        const again = await engine.run(['--version'], {lane: 'rows'});
        return {seen, cancelled, ms, again};
    """)
    assert got["cancelled"] is True and got["ms"] < 1000, got
    assert got["seen"] >= 1 and got["again"]["status"] == 0, got
    # An idle page uses 0.02 s, a little more while it frees memory; a worker that goes on gets its
    # share of the machine, every time.
    used = []
    while not used or min(used) > 0.1 and len(used) < 8:
        before = cpu_seconds(opened)
        time.sleep(2.0)
        used.append(round(cpu_seconds(opened) - before, 2))
    assert min(used) <= 0.1, f"the cancelled page uses {used} s in 2 s each"
    print(f"cancel: {got['ms']:.1f} ms")


def main():
    with tempfile.TemporaryDirectory() as name, browser() as opened:
        folder = pathlib.Path(name)
        opened.open("bare.html")
        opened.driver.execute_script(CHOOSE)
        check_types(opened, folder)
        check_big(opened, folder)
        check_cancel(opened)
        opened.check_quiet()


main()
