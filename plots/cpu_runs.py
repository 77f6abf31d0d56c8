"""cpu_runs.py - the measured runs of a CPU that figures and texts take.

The folder is $CPU_RUNS, or of runs/cpu-* the one whose cpu-small.csv is the newest (the date in its
first line; of equal ones the last by name). Of it cpu-small.csv (make bench-cpu) is read and, where
it is there, cpu-calibrate.csv (recallmodel bench two-stage --on cpu --grid cpu-calibrate). It needs
only the standard library.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import tempfile

from program import ROOT, RUNS, ask, joined, read, write_file

FILES = "cpu-small.csv", "cpu-calibrate.csv"
WAITS = "a run on a CPU: make bench-cpu"
# As in tools/cpu_profile.sh: a row whose interval is wider than this factor was disturbed, and
# until this day another kernel took fewer buckets.
DISTURBED = 1.5
FEW_SINCE, FEW = "2026-11-25", 16
# What virtual machines call a CPU does not tell which it is: by family and model.
KINDS = {("6", "207"): "Emerald Rapids", ("25", "17"): "Zen 4", ("26", "2"): "Zen 5"}


def remark(path, name):
    """The value NAME=VALUE or NAME="VALUE" in the first line of a file of runs, or ''."""
    with open(path, encoding="utf-8") as file:
        found = re.search(rf'\b{name}=(?:"([^"]*)"|(\S+))', file.readline())
    return (found.group(1) or found.group(2)) if found else ""


def folder():
    """The folder of runs, or None if there is none."""
    given = os.environ.get("CPU_RUNS")
    folders = [pathlib.Path(given)] if given else sorted(RUNS.glob("cpu-*"))
    there = [path for path in folders if (path / FILES[0]).is_file() and read(path / FILES[0])]
    return max(there, key=lambda path: (remark(path / FILES[0], "date"), path.name), default=None)


class Runs:
    """The rows that figures draw: float32 normal numbers, interleaved buckets, one row, one thread,
    warm. Of a cell that was measured twice the first file has it."""

    def __init__(self, where):
        self.where = where
        self.files = [name for name in FILES if (where / name).is_file()]
        self.left_out = 0
        cells = {}
        for name in self.files:
            old = remark(where / name, "date") < FEW_SINCE
            for row in read(where / name):
                few = old and row["work"] == "two-stage" and int(row["b"]) < FEW
                if not few and self.is_drawn(row):
                    cells.setdefault(tuple(row[c] for c in ("work", "n", "k", "b", "k_b")), row)
        self.rows = [numbers(row) for row in cells.values()]
        self.rows.sort(key=lambda r: (r["n"], r["k"], r["time_us_median"], r["b"], r["k_b"]))
        self.exact = {(r["n"], r["k"]): r for r in self.rows if r["work"] == "exact"}

    def is_drawn(self, row):
        wanted = {"dtype": "float32", "assignment": "interleaved", "input": "normal", "m": "1",
                  "d": "0", "cache": "warm", "threads": "1"}
        if row["work"] not in ("exact", "two-stage") or any(row[c] != wanted[c] for c in wanted):
            return False
        disturbed = float(row["time_us_high"]) > DISTURBED * float(row["time_us_low"])
        self.left_out += disturbed
        return not disturbed

    def cells(self):
        """(n, k) and the runs of both stages, for each (n, k) of which exact top-k was measured."""
        for at in self.exact:
            stages = [r for r in self.rows if (r["n"], r["k"]) == at and r["work"] == "two-stage"]
            if stages:
                yield at, stages

    def cpu(self):
        """The CPU in words."""
        first = self.where / self.files[0]
        name = re.sub(r"\((R|TM)\)", "", remark(first, "cpu")).replace(" Processor", "")
        kind = KINDS.get((remark(first, "family"), remark(first, "model")))
        return f"{name} ({kind})" if kind else name

    def about(self):
        """Where and when the runs were measured, for a caption."""
        first = self.where / self.files[0]
        inside = self.where.resolve().is_relative_to(ROOT)
        place = self.where.resolve().relative_to(ROOT) if inside else self.where.name
        text = (f"Measured: {remark(first, 'cpu')} ({self.where.name}, {remark(first, 'isa')}), "
                f"{remark(first, 'date')[:10]}, one thread, float32, one row, warm; "
                f"{' and '.join(self.files)} in {place}.")
        if self.left_out:
            text += (f" {self.left_out} disturbed {'row' if self.left_out == 1 else 'rows'} "
                     f"(interval wider than a factor of {DISTURBED}) left out.")
        return text


def numbers(row):
    real = ("time_us_median", "time_us_low", "time_us_high", "cost_basic", "cost_serial",
            "cost_parallel")
    to = {c: int(row[c]) for c in ("n", "k", "b", "k_b")} | {c: float(row[c]) for c in real}
    exact = row["work"] == "exact"
    return to | {"work": row["work"], "level": row["level"],
                 "recall": 1.0 if exact else float(row["recall"]),
                 "recall_model": 1.0 if exact else float(row["recall_model"])}


# ---- the time model


class Profile:
    """The profile of these runs: the shipped one of that name, or else a fit to the runs."""

    def __init__(self, runs):
        name = runs.where.name
        shipped = ROOT / "model/time/profiles" / f"{name.replace('-', '_')}_f32.profile"
        self.shipped = shipped.is_file()
        if self.shipped:
            self.path = shipped
        else:
            self.folder = tempfile.TemporaryDirectory()
            self.path = pathlib.Path(self.folder.name) / "fitted.profile"
            ask("calibrate", self.write(runs.rows, "runs.csv"), "--kernel", "cpu", "--dtype", "f32",
                "--name", name, "-o", self.path)
        self.name = f"the profile {name}" if self.shipped else "a profile fitted to these runs"

    def write(self, rows, name):
        if not hasattr(self, "folder"):
            self.folder = tempfile.TemporaryDirectory()
        return write_file(pathlib.Path(self.folder.name) / name, ({"m": 1, **row} for row in rows),
                          ("work", "n", "k", "b", "k_b", "m", "time_us_median"))

    def of_runs(self, rows):
        """The predicted time of each row, in us."""
        answer = ask("predict", "--device", self.path, "--runs", self.write(rows, "shapes.csv"))
        return [float(row["predicted_us"]) for row in answer]

    def of_shapes(self, n, ks, k_bs):
        """Rows k, b, k_b, recall, predicted_us, exact_us: a selection of b for each k and k_b, but
        for what the profile has no parameters for."""
        rows = ask("predict", "--device", self.path, "--n", n, "--k", joined(ks), "--kb",
                   joined(k_bs))
        return [row for row in rows if row["predicted_us"] and row["exact_us"]]
