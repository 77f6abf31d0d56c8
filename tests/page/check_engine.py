#!/usr/bin/python3
"""check_engine.py - the engine in Chromium: every subcommand, help, errors, files, lanes.

SPDX-License-Identifier: Apache-2.0

every subcommand of the page with `--json`, its help, two dozen wrong command lines, profiles and
device files as text and as bytes, 300 runs on three lanes. Against: the command, byte by byte
where it prints no JSON.
"""
import pathlib
import re
import tempfile

from browser import ROOT, browser
from compare import check_same_run, native

# A question to each subcommand of the page; all must print JSON.
ASKED = {
    "recall": "--n 2^17 --k 2048 --b 512,1024 --kb 1..4",
    "ranks": "--n 4096 --k 64 --b 64 --kb 2",
    "cost": "--n 2^17 --k 2048",
    "bounds": "--n 2^17 --k 2048 --recall 0.95,0.99",
    "select": "--n 2^17 --k 2048 --m 16 --recall 0.9 --device h100-pcie",
    "exact": "--n 2^17 --k 2048 --quantile 1e-6",
    "distribution": "--n 2^16 --k 256 --b 256 --kb 2",
    "simulate": "--n 4096 --k 64 --kb 1,2 --input ar1 --rho 0.5 --repetitions 50",
    "predict": "--n 2^17 --k 2048 --b 1024 --kb 2 --device h100-pcie",
    "devices": "",
    "blocks": "--n 2^17 --k 2048 --recall 0.95",
}

BAD = (
    "select", "select --n 2^17", "select --n 2^17 --k x", "select --n 2^17 --k 0",
    "select --n 100 --k 200", "select --n 2^17 --k 64 --recall 1.5",
    "select --n 2^17 --k 64 --recall 0.9 --recall 0.8", "select --n 2^17 --k 64 --devise h100",
    "select --n 2^17 --k 64 --device h1000", "select --n 2^17 --k 64 --device no.profile",
    "select --n 2^17 --k 64 --dtype f17", "select --n 2^17 --k 64 --exact-us -3",
    "select --n 2^17 --k 64 --exact-kernel nobody", "select --n 2^17 --k 64 --kernel their",
    "select --n 2^17 --k 64 --json --csv", "select --n 2^17 --k 64 --confidence 1",
    "recall --n 2^17 --k 64 --b 1..0", "simulate --n 100 --k 5 --input iidd",
    "simulate --file none.npy --k 5", "slect --n 2^17 --k 64", "ranks --n 2^70 --k 3",
    "bounds --n 2^17 --k 64 --recall 0.9:0.1", "devices extra", "help select extra",
)


def page_commands():
    text = (ROOT / "deliver/page/commands.c").read_text()
    return re.findall(r"&command_(\w+)", text)


def check_commands(opened):
    names = page_commands()
    assert sorted(names) == sorted(name for name in ASKED if name in names)
    for name in names:
        for args in ([name, *ASKED[name].split(), "--json"], ["help", name], [name, "-h"]):
            want = native(args)
            assert want[0] == 0, f"{args}: {want[2]}"
            if args[0] == names[0] or args == ["help", names[0]]:
                want = (want[0], without_commands(want[1], names), want[2])
            check_same_run(" ".join(args), opened.run(args), want)
    check_same_run("--version", opened.run(["--version"]), native(["--version"]))
    return len(names)


def without_commands(text, names):
    """The first help, without the lines of the subcommands that the page does not have, and without
    the groups of which nothing is left."""
    head, found, tail = text.partition("\nSubcommands:\n")
    groups = []
    for group in tail.split("\n\n"):
        lines = [line for line in group.split("\n")
                 if not line.startswith("  ") or line.split()[0] in names]
        if len(lines) > 1 or group == lines[0]:
            groups.append("\n".join(lines))
    return head + found + "\n\n".join(groups)


def check_errors(opened):
    for line in BAD:
        want = native(line.split())
        assert want[0] == 2 and want[2].count("\n") == 1, f"{line}: {want}"
        check_same_run(line, opened.run(line.split()), want)
    got = opened.run("select --n 2^17 --k 64 --plot x.svg".split())
    assert got["status"] == 2 and "the page draws" in got["stderr"], got
    got = opened.run("simulate --input iid --n 2^31 --k 9".split())
    assert got["status"] == 2 and "GB of memory" in got["stderr"], got
    return len(BAD) + 2


def check_files(opened):
    """Profiles and device files come as text or bytes; a file that is not given is not there."""
    profile = (ROOT / "model/time/profiles/h100_pcie_graphcore_f16.profile").read_text()
    profile = re.sub(r"(?m)^name = .*", "name = mine", profile)
    device = "name = My GPU\nbandwidth_bytes_per_s = 3.35e12\nvector_rate_per_s = 16.7e12\n"
    args = "select --n 2^17 --k 2048 --m 64 --json --device".split()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("my.profile", profile), ("gpu.device", device),
                           ("folder/x.profile", profile),
                           ("bad.profile", profile + "nonsense = 3\n")):
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            want = native([*args, name], folder)
            assert (want[0] == 0) == (name != "bad.profile"), want[2]
            check_same_run(name, opened.run([*args, name], {name: text}), want)
            want = native([*args, f"./{name}"], folder)
            check_same_run(name, opened.run([*args, f"./{name}"], {name: text}), want)
    got = opened.settle("return await window.recallmodel.engine.run(args[0], "
                        "{files: {'my.profile': new TextEncoder().encode(args[1])}});",
                        [*args, "my.profile"], profile)
    assert got["status"] == 0, got
    got = opened.run([*args, "my.profile"])  # no run keeps the files of another
    assert got["status"] == 2 and "my.profile" in got["stderr"], got


def check_lanes(opened):
    """Three hundred runs, on three lanes side by side, keep their order and their answers."""
    got = opened.settle("""
        const order = [], runs = [];
        for (let i = 0; i < 300; i++) {
            const run = window.recallmodel.engine.run(
                ['select', '--n', String(1000 + i), '--k', '10', '--json'],
                {lane: 'lane' + i % 3});
            runs.push(run.then((result) => { order.push(i); return result; }));
        }
        const results = await Promise.all(runs);
        return {order, n: results.map((result) => JSON.parse(result.stdout).n)};
    """)
    assert got["n"] == [1000 + i for i in range(300)], got["n"]
    for lane in range(3):
        own = [i for i in got["order"] if i % 3 == lane]
        assert own == sorted(own), own
    assert opened.settle("return String(window.recallmodel.engine.cancel('nothing'));") == \
        "undefined"


def main():
    with browser() as opened:
        opened.open("bare.html")
        commands = check_commands(opened)
        errors = check_errors(opened)
        check_files(opened)
        check_lanes(opened)
        opened.check_quiet()
    print(f"{commands} subcommands, {errors} errors, files, lanes")


main()
