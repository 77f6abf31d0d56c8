#!/usr/bin/env python3
"""How much slower than the fastest is what was chosen, on random questions?

    tune_regret.py RECALLMODEL [QUESTIONS [SEED]]

For each question all contenders of `tune` are timed for long, in 15 rounds. Then three choices are
looked up among these times: that of `select` by the profile of another CPU, that of `tune`, and
that of `select --device this` when all other questions had been tuned. Last the share of
predictions of the third whose band holds the time. It runs beside nothing else.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

PROGRAM, COUNT = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
DRAW = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
ROUNDS = 15
Question = collections.namedtuple("Question", "n k m recall")


def drawn():
    """n of 256 to 2^20 and at most 2^22 elements in all, k up to n/8, evenly in the logarithm."""
    n = round(2 ** DRAW.uniform(8, 20))
    m = round(2 ** DRAW.uniform(0, min(10, 22 - (n - 1).bit_length())))
    k = round(2 ** DRAW.uniform(2, min(11, (n // 8).bit_length() - 1)))
    return Question(n, k, m, DRAW.choice(["0.9", "0.95", "0.99"]))


def run(*arguments, folder):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "XDG_CONFIG_HOME": str(folder)})
    if done.returncode:
        sys.exit(f"tune_regret.py: {arguments}: {done.stderr}")
    return done.stdout


def asked(q):
    return [f"--{name}={value}" for name, value in q._asdict().items()]


def answer(*arguments, folder):
    return json.loads(run(*arguments, "--json", folder=folder))


def choice(a):
    """(b, k_b), or None: exact."""
    first = a["contenders"][0]
    return (first["b"], first["k_b"]) if first["kind"] == "buckets" else None


def contenders(a):
    found = {(c["b"], c["k_b"]) if c["kind"] == "buckets" else None for c in a["contenders"]}
    return found | {(p["b"], p["k_b"]) for p in a.get("alternatives") or []}


def times(q, shapes, threads, folder):
    """The median of the rounds of each."""
    cells, out = folder / "cells.csv", folder / "out.csv"
    with open(cells, "w", encoding="utf-8") as file:
        print("work,kernel,n,k,b,k_b,m,cache,threads", file=file)
        for shape in shapes:
            what = f"two-stage,auto,{q.n},{q.k},{shape[0]},{shape[1]}" if shape else (
                f"exact,threshold,{q.n},{q.k},,")
            print(f"{what},{q.m},warm,{threads}", file=file)
    for old in folder.glob("out.csv*"):
        old.unlink()
    run("bench", "cells", "--file", cells, "-o", out, "--rounds", ROUNDS, "--seconds", 0.02,
        folder=folder)
    found = collections.defaultdict(list)
    for path in folder.glob("out.csv*"):
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if line[0] != "#"):
                shape = None if row["work"] == "exact" else (int(row["b"]), int(row["k_b"]))
                found[shape].append(float(row["time_us_median"]))
    return {shape: statistics.median(values) for shape, values in found.items()}


def wisdom(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    none, each = folder / "none", [folder / str(i) for i in range(COUNT)]
    questions, known = [drawn() for _ in each], []
    for i, (q, own) in enumerate(zip(questions, each)):
        before = answer("select", *asked(q), "--device=cpu-epyc-zen4", folder=none)
        tuned = answer("tune", *asked(q), "--peers=none", folder=own)
        rows = wisdom(own / "recallmodel" / "wisdom.csv")
        shapes = {(int(r["b"]), int(r["k_b"])) if r["b"] else None for r in rows}
        shapes |= {choice(before), None}
        known.append((q, before, tuned, rows, times(q, shapes, rows[0]["threads"], folder)))
        print(f"{i + 1} of {COUNT}", end="\r", file=sys.stderr)
    regrets, inside = collections.defaultdict(list), []
    for i, (q, before, tuned, _, us) in enumerate(known):
        others = folder / "others"
        (others / "recallmodel").mkdir(parents=True, exist_ok=True)
        rows = [row for j, one in enumerate(known) if j != i and one[0] != q for row in one[3]]
        with open(others / "recallmodel" / "wisdom.csv", "w", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        after = answer("select", *asked(q), "--device=this", folder=others)
        shape = choice(after)
        if shape not in us:
            us = {**us, **times(q, {shape}, known[i][3][0]["threads"], folder)}
        first = after["contenders"][0]
        inside.append(first["low_us"] <= us[shape] <= first["high_us"])
        for name, a in (("select, another CPU", before), ("tune", tuned),
                        ("select, the others tuned", after)):
            regrets[name].append(us[choice(a)] / min(us.values()) - 1.0)
        worst = max(regrets["tune"])
        if regrets["tune"][-1] == worst and worst > 0.03:
            print(q, {str(s): round(t, 3) for s, t in us.items()}, "tune:", choice(tuned))
    print(f"{'choice':26} {'median':>8} {'95 %':>8} {'most':>8} {'within 3 %':>11}")
    for name, values in regrets.items():
        values.sort()
        share = sum(value <= 0.03 for value in values) / len(values)
        print(f"{name:26} {values[len(values) // 2]:8.1%} {values[len(values) * 95 // 100]:8.1%} "
              f"{values[-1]:8.1%} {share:11.1%}")
    print(f"bands of select that hold the time, others tuned: {sum(inside) / len(inside):.1%}")


if __name__ == "__main__":
    main()
