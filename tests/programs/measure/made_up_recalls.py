"""Writes runs with recalls that are drawn by chance, for plots/measured_recall.py.

    made_up_recalls.py FOLDER [FAULT]

Where the top k of a row lie is a sample without replacement; what is above k_b in a bucket is lost.
FAULT is one of
    biased     buckets are a third fewer than the row says
    outlier    one cell loses four more
    model      one recall of the model is 1e-6 off
    sign       one z has the other sign
$RECALLMODEL is the command.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import io
import math
import os
import pathlib
import random
import subprocess
import sys

COLUMNS = "work assignment n k b k_b m recall recall_model z".split()


def models(n, k):
    text = subprocess.run([os.environ["RECALLMODEL"], "--n", str(n), "--k", str(k), "--b",
                           "40,100,256,700", "--kb", "1,2,4", "--csv"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def lost(chance, n, k, b, k_b):
    buckets = collections.Counter(x % b for x in chance.sample(range(n), k))
    return sum(max(0, count - k_b) for count in buckets.values())


def rows(fault):
    chance = random.Random(1)
    for n in (3000, 4096, 20000, 100000):
        for k in (20, 40, 100):
            for said in models(n, k):
                b, k_b, sd = int(said["b"]), int(said["k_b"]), float(said["recall_sd"])
                m = 1 + 3 * (k == 40)
                if b * k_b < k or sd == 0:
                    continue
                gone = sum(lost(chance, n, k, b * 2 // 3 if fault == "biased" else b, k_b)
                           for _ in range(m))
                at = n, k, b, k_b
                gone += 4 * (fault == "outlier" and at == (20000, 20, 700, 4))
                recall, model = 1 - gone / (m * k), float(said["recall"])
                z = (recall - model) / (sd / math.sqrt(m))
                model += 1e-6 * (fault == "model" and at == (4096, 40, 256, 2))
                z *= -1 if fault == "sign" and at == (4096, 40, 40, 1) else 1
                yield dict(zip(COLUMNS, ("two-stage", "interleaved", *at, m, f"{recall:.9g}",
                                         f"{model:.9g}", f"{z:.9g}")))


def main():
    with open(pathlib.Path(sys.argv[1]) / "cpu-small.csv", "w", newline="",
              encoding="utf-8") as file:
        file.write("# recalls are made up\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows(sys.argv[2] if len(sys.argv) > 2 else ""):
            writer.writerow(row)
            writer.writerow(row)  # as if with two threads


if __name__ == "__main__":
    main()
