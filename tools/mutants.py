#!/usr/bin/env python3
"""mutants.py - changes lines of C at random, one at a time, and says which test notices each.

    tools/mutants.py [--count N] [--seed S] [--since COMMIT] [FILE ..]

The lines are drawn from the named files, or from all of LIBRARY; with --since from those that
differ from COMMIT. Each gets one change: an operator, a number, true or false, a statement that is
left out. The changes are made in a copy of the tree, build/mutants/, that is built again after
each. The tests of its folder run, that of its name first, in their short form, until one fails: by
its status, by a crash, or after ten times as long as without the change.

What survives is printed, with its line. tests/survivors.txt lists survivors that are right so, as

    FILE: the line as it was -> the line as it is: the reason

and tools/mutants.py skips them. The exit status is 1 if more than half survive.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/mutants"
BUILD_LIMIT_S = 900
LIBRARY = ("base", "model", "sim", "attention", "topk", "calibrate", "programs/recallmodel")
CHANGES = [(r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "),
           (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
           (r" \+ ", " - "), (r" - ", " + "), (r" \* (?=[\w(])", " / "), (r" / ", " * "),
           (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\bcontinue;", "break;"),
           (r"\+\+", "--"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])0(?![\w.])", "1"),
           (r"\b1\.0\b", "2.0"), (r"\bfmin\b", "fmax"), (r"\bfmax\b", "fmin"),
           (r"^( +)[\w.>\[\]*-]+ [-+*/|&]?= [^;]*;$", r"\1;"), (r"^( +)\w+\([^;]*\);$", r"\1;")]


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout


def run(command, limit=None, **more):
    """The exit status; None if it took longer than the limit. What it started ends with it."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD", "SANITIZE")}
    with subprocess.Popen(command, cwd=COPY, env={**kept, "CASES": "few", "BUILD": "build", **more},
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def build(tests, flags=()):
    """Does it compile? A change may leave a variable unused, which is an error elsewhere."""
    return run(["make", f"-j{os.environ.get('JOBS', '2')}", "WARNINGS=-w", "build-tests",
                f"RUN={' '.join(tests)}", *flags], BUILD_LIMIT_S) == 0


def lines_of(files, since, top=COPY):
    """(file, number from 0) of the lines that may change."""
    for name in files:
        text = (top / name).read_text(encoding="utf-8").split("\n")
        changed = range(len(text))
        if since:
            hunks = re.findall(r"^@@ \S+ \+(\d+)(?:,(\d+))? @@",
                               git("diff", "-U0", since, "--", name), re.M)
            changed = [int(at) - 1 + i for at, count in hunks for i in range(int(count or 1))]
        for at in changed:
            line = text[at]
            if line.startswith("    ") and not re.match(r"\s*(/?\*|//|#|static_assert)", line):
                yield name, at


def changes_of(line):
    """What the line may become. Texts and comments stay."""
    code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?(\*/|$)', lambda found: "\0" * len(found[0]), line)
    for pattern, text in CHANGES:
        for found in re.finditer(pattern, code):
            yield line[:found.start()] + found.expand(text) + line[found.end():]


def tests_of(name):
    """The tests of the file's folder and of its room, that of its name first."""
    path = pathlib.Path(name)
    parts = [part for part in path.parts[:-1] if part != "recallmodel"]
    below = "test_*" if parts[0] == "programs" else "**/test_*"  # the rest of that room is slow
    found = [*(ROOT / "tests").joinpath(*parts).glob("test_*"),
             *(ROOT / "tests" / parts[0]).glob(below)]
    found = sorted(test for test in found if test.suffix in (".c", ".sh"))
    found.sort(key=lambda test: (test.stem != f"test_{path.stem}", test.parent.name != parts[-1]))
    sources = dict.fromkeys(str(test.relative_to(ROOT)) for test in found)
    return [f"build/{test[:-2]}" if test.endswith(".c") else test for test in sources]


def copy_tree():
    """The tree as it is, with what was built of it."""
    shutil.rmtree(COPY, ignore_errors=True)
    rooms = {name.split("/")[0] for name in git("ls-files").split()}
    ours = [path for path in (ROOT / "build").iterdir()
            if path.is_file() or path.name in rooms] if (ROOT / "build").is_dir() else []
    (COPY / "build").mkdir(parents=True)
    subprocess.run(["cp", "-a", *map(str, ours), str(COPY / "build")], check=True)
    subprocess.run(["cp", "-a", *(str(ROOT / name) for name in sorted(rooms)), str(COPY)],
                   check=True)


class Tests:
    """How long each takes without a change; None: it does not pass there, and is left out."""

    def __init__(self):
        self.seconds = {}

    def passes(self, test):
        limit = 10.0 + 10.0 * self.seconds[test] if test in self.seconds else None
        return run([test], limit, RECALLMODEL="build/recallmodel", JOBS="2") == 0

    def of(self, name):
        """Those of a file. What has not run yet runs, without a change."""
        for test in tests_of(name):
            if test not in self.seconds:
                begin = time.monotonic()
                passes = self.passes(test)
                self.seconds[test] = time.monotonic() - begin if passes else None
                if not passes:
                    print(f"left out, because it fails without a change: {test}", flush=True)
        return [test for test in tests_of(name) if self.seconds[test] is not None]


def notices(name, at, line, tests):
    """The test that notices the change; "" if none does, None if it does not compile."""
    mine = tests.of(name)
    if not mine:
        sys.exit(f"no test of {name} passes without a change")
    path = COPY / name
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[at] = line
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        # Three instruction sets are compiled from these: a minute at -O2, some seconds at -O0.
        if not build(mine, ["CFLAGS=-O0"] if path.suffix == ".inc" else []):
            return None
        return next((test for test in mine if not tests.passes(test)), "")
    finally:
        path.write_text(text, encoding="utf-8")


def allowed():
    listed = (ROOT / "tests/survivors.txt").read_text(encoding="utf-8").split("\n")
    return {line.rpartition(": ")[0] for line in listed if line and not line.startswith("#")}


def draw(given, top=COPY):
    """(file, line number from 0, the line, what it becomes), in a random order."""
    files = given.files or git("ls-files", *(f"{room}/*.{kind}" for room in LIBRARY
                                             for kind in ("c", "inc"))).split()
    places = sorted(lines_of(files, given.since, top))
    order, skip = random.Random(given.seed), allowed()
    order.shuffle(places)
    for name, at in places:
        line = (top / name).read_text(encoding="utf-8").split("\n")[at]
        becomes = [new for new in changes_of(line) if new != line and
                   f"{name}: {line.strip()} -> {new.strip()}" not in skip]
        if becomes and tests_of(name):
            yield name, at, line, order.choice(becomes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", default=git("rev-parse", "HEAD").strip(), help="(HEAD)")
    parser.add_argument("--since", help="only lines that differ from this commit")
    parser.add_argument("files", nargs="*", metavar="FILE")
    given = parser.parse_args()
    copy_tree()
    tests, made, survivors = Tests(), 0, []
    for name, at, line, new in draw(given):
        if made == given.count:
            break
        if not build(tests_of(name)):
            sys.exit("it does not compile without a change")
        found = notices(name, at, new, tests)
        if found is None:
            continue
        made += 1
        print(f"[{made}/{given.count}] {name}:{at + 1}: {line.strip()} -> {new.strip()}: "
              f"{found or 'SURVIVES'}", flush=True)
        if not found:
            survivors.append(name)
    print(f"{made - len(survivors)} of {made} changes were noticed")
    return int(made == 0 or 2 * len(survivors) > made)


if __name__ == "__main__":
    sys.exit(main())
