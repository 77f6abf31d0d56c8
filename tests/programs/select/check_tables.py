"""select with lists of n, k, m and devices: each row of the table is the answer to its question
alone (test_select_lists.sh).

SPDX-License-Identifier: Apache-2.0
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys

PROGRAM = os.environ["RECALLMODEL"]
UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def run(*arguments):
    done = subprocess.run([PROGRAM, "select", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


ROW = re.compile(r" *(?P<device>[A-Za-z]\S* +)?(?P<n>\d+) +(?P<k>\d+) +(?P<m>\d+ +)?"
                 r"(?P<deploy>[a-z][a-z ]*(?:> [\d.]+ \w+)?) +(?P<b>\d+|-) +(?P<k_b>\d+|-) ")


def verdict(answer, text):
    """What the answer alone says, from its JSON and its sentence."""
    said = " ".join(text.split("\n\n")[0].split())
    if re.search(r"Nothing stays within", said):
        return "nothing"
    if "No timed buckets keep the recall" in said:
        return "time some"
    if answer["too_close"] and answer["budget"] is None:
        assert answer["deploy"] in ("exact", "threshold"), said
        assert re.search(r"Buckets may take (as long|less)", said), said
    found = re.search(r"if your exact top-k takes longer than ([\d.]+ \w+):", said)
    return f"if exact > {found[1]}" if found else answer["deploy"]


def check(options, lists):
    """One table; lists: what varies, a list of values for each option."""
    together = [part for name, values in lists.items() for part in (name, ",".join(values))]
    table = run(*options, *together).split("\n")
    head = next(i for i, line in enumerate(table) if re.search(r"\bn +k +(m +)?deploy", line))
    devices = lists.get("--device", [None])
    rows = table[head + 1:]
    order = itertools.product(devices, lists.get("--m", [None]), lists["--n"], lists["--k"])
    for row, (device, m, n, k) in zip(rows, order):
        alone = [*options, "--n", n, "--k", k]
        alone += ["--device", device] if device else []
        alone += ["--m", m] if m else []
        answer, text = json.loads(run(*alone, "--json", "--brief")), run(*alone)
        got = ROW.match(row)
        assert got and (got["n"], got["k"]) == (n, k), (row, alone)
        assert len(lists.get("--m", [])) < 2 or got["m"].strip() == m, (row, alone)
        assert len(devices) < 2 or got["device"].strip() == answer["device"], (row, alone)
        want = verdict(answer, text)
        assert got["deploy"].strip() == want, (alone, row, want)
        choice = answer["choice"]
        shape = (str(choice["b"]), str(choice["k_b"])) if choice else ("-", "-")
        assert (got["b"], got["k_b"]) == shape, f"{alone}: {row}"
        yield want.split(" >")[0]
        if answer["too_close"]:
            assert want in ("exact", "threshold") or answer["budget"] is not None, (alone, want)
            yield "close"


def main():
    generator = random.Random(20261124)
    every = ["h100-pcie", "b200", "l4", "v100s", "tpuv5e", "cpu"]
    seen = {}
    for i in range(16 if os.environ.get("CASES") == "few" else 60):
        n = generator.sample(["2048", "65536", "128256", "1048576"], 2)
        k = generator.sample(["1", "16", "50", "256", "1024"], 2)
        lists = {"--n": n, "--k": k}
        if generator.random() < .6:
            lists["--m"] = generator.sample(["1", "8", "64", "256"], generator.randint(1, 2))
        options = []
        if i % 4 != 1:
            lists["--device"] = generator.sample(every, generator.randint(1, 2))
            options += generator.choice([[], [], ["--exact-us", "9000"]])
            if "cpu" not in lists["--device"]:
                options += generator.choice([[], ["--objective", "roofline"]])
        else:
            options += ["--kernel", "cpu", "--recall", ".999"]  # exact top-k by threshold
        if "--recall" in options:
            pass
        elif generator.random() < .3:
            options += ["--budget", generator.choice(["4", "20", "100", "3000"])]
        else:
            options += ["--recall", generator.choice([".8", ".95", ".999"])]
        for want in check(options, lists):
            seen[want] = seen.get(want, 0) + 1
    missing = {"bucketed", "exact", "threshold", "if exact", "nothing", "close"} - set(seen)
    assert not missing, (missing, seen)
    print(f"{sum(seen.values())} rows, each asked alone: {seen}")
    return 0


sys.exit(main())
