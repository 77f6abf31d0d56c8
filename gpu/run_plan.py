#!/usr/bin/env python3
"""Runs the measurements of plan.ini on this machine's GPU, the most valuable first.

    python3 run_plan.py --seconds 480 --out results      # again: it goes on where it ended
    python3 run_plan.py --out results --only decode,hard-rows
    python3 run_plan.py --list
    python3 run_plan.py --out results --summary          # the figures, without a GPU

Each row has its seconds: then its command is stopped, and what it measured stays. The results are
NAME.csv and NAME.log in the folder of --out, and manifest.json: the card, its driver and clocks,
the commit, and what became of each row. The figures are the last lines, 40 at most.

It needs Python 3 alone, and recallmodel-bench beside it (make gpu-bundle), or in a checkout after
make gpu. PyTorch, pytest and Nsight Compute (ncu) are used if they are there.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import configparser
import datetime
import importlib.util
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
GRACE_S = 3  # from SIGTERM to SIGKILL; of the seconds of the row
ATTEMPTS = 8  # of a command that ends with an error and measured something
SANITIZER = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9"]
running = None  # the process of the command


class Wrong(Exception):
    """A fault of the user: one line, status 2."""


# ---- where things are: a bundle, or a checkout


def first_of(*places):
    return next((place for place in places if place.exists()), places[0])


BENCH = os.environ.get("BENCH") or str(
    first_of(HERE / "recallmodel-bench", HERE.parent / "build/gpu/recallmodel-bench"))
HOST = os.environ.get("HOST") or str(
    first_of(HERE / "recallmodel/_bench.py", HERE.parent / "python/recallmodel/_bench.py"))
TESTS = first_of(HERE / "tests", HERE.parent / "build/gpu/tests")
COMMAND = first_of(HERE / "recallmodel/bin/recallmodel", HERE.parent / "build/recallmodel")
PYTHON_TESTS = first_of(HERE / "tests/python", HERE.parent / "tests/python")
MODULE = first_of(HERE / "recallmodel", HERE.parent / "python/recallmodel").parent


def commands_of(row, folder, name):
    """The commands of a row, each a list of words."""
    output = ["-o", str(folder / f"{name}.csv")]
    for line in row["commands"].strip().splitlines():
        words = shlex.split(line)
        first, rest = words[0], [word.replace("{folder}", str(folder)) for word in words[1:]]
        if first == "{tests}":
            for test in sorted(TESTS.glob("test_*")):
                if test.is_file() and os.access(test, os.X_OK) and not test.suffix:
                    yield [str(test)]
                    if shutil.which(SANITIZER[0]) and "exact" in test.name:
                        yield [*SANITIZER, str(test)]
        elif first == "{ncu}":
            if shutil.which("ncu"):
                report = ["ncu", "--set", "full", "--csv", "--page", "raw", "--log-file",
                          str(folder / f"ncu-{rest[0]}.csv")]
                yield [*report, BENCH, *rest[1:]]
        elif first == "{pytest}":
            if all(map(importlib.util.find_spec, ("torch", "pytest"))):
                yield [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                       "-o", f"pythonpath={MODULE}", str(PYTHON_TESTS / rest[0])]
        elif first == "{python}":
            yield [sys.executable, HOST, "--on", "gpu", *rest, *output]
        elif first == "{tune}":
            yield [str(COMMAND), "tune", "--on", "gpu", "--seconds", "3", "--wisdom",
                   str(folder / f"{name}.csv"), *rest]
        elif first == "{bench}":
            yield [BENCH, *rest, *output]
        else:
            yield [first, *rest]


# ---- the manifest


def card():
    """The name of the GPU, as the benchmark says it."""
    try:
        said = subprocess.run([BENCH, "device"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Wrong(f"{BENCH} does not run: {error}") from None
    if said.returncode:
        raise Wrong((said.stderr.strip() or "no GPU").splitlines()[-1])
    return said.stdout.strip()


def smi(what):
    """What nvidia-smi says; empty without it."""
    try:
        return subprocess.run(
            ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"], timeout=20,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def commit():
    recorded = HERE / "commit"
    if recorded.exists():
        return recorded.read_text().strip()
    said = subprocess.run(["git", "-C", str(HERE), "describe", "--always", "--dirty"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return said.stdout.strip()


class Manifest:
    def __init__(self, folder):
        self.path = folder / "manifest.json"
        self.rows, self.about = {}, {}
        try:
            read = json.loads(self.path.read_text())
            self.rows, self.about = dict(read["rows"]), dict(read["about"])
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError):
            self.path.replace(self.path.with_suffix(".damaged"))
            print(f"run_plan.py: {self.path} was damaged; it is begun anew, the CSVs stay",
                  file=sys.stderr)

    def begin(self):
        name = card()
        if self.about.get("card", name) != name:
            raise Wrong(f"{self.path} is of another card, {self.about['card']}; give another --out")
        self.about.update(
            card=name, driver=smi("driver_version"), memory=smi("memory.total"),
            clocks=smi("clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem"), commit=commit(),
            date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"))

    def note(self, name, **what):
        row = self.rows.setdefault(name, {"seconds": 0.0})
        row.update(what, seconds=round(row["seconds"] + what.get("seconds", 0.0), 1))
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"about": self.about, "rows": self.rows}, indent=1) + "\n")
        part.replace(self.path)

    def is_done(self, name):
        return self.rows.get(name, {}).get("state") == "done"


# ---- a row


def end_command(process, by):
    """Sends the whole group of a command a signal; the group may have ended."""
    try:
        os.killpg(process.pid, by)
    except ProcessLookupError:
        pass


def run_command(words, log, seconds):
    """Runs a command for at most so many seconds. Returns its status; None: it was stopped."""
    global running
    end = time.monotonic() + seconds
    with open(log, "a") as file:
        file.write("$ " + shlex.join(words) + "\n")
        file.flush()
        environment = {**os.environ, "CK_FORK": "no", "CASES": "few",
                       "RECALLMODEL_PYTHON": sys.executable}
        for name, place in (("LD_LIBRARY_PATH", COMMAND.parent), ("PYTHONPATH", MODULE)):
            environment[name] = ":".join(filter(None, (str(place), os.environ.get(name))))
        running = subprocess.Popen(words, stdout=file, stderr=file, stdin=subprocess.DEVNULL,
                                   start_new_session=True, env=environment)
        try:
            return running.wait(max(0.1, seconds - GRACE_S))
        except subprocess.TimeoutExpired:
            end_command(running, signal.SIGTERM)
            try:
                running.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            return None
        finally:
            end_command(running, signal.SIGKILL)
            running.wait()
            running = None


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def last_line(log):
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def run_row(name, row, folder, seconds):
    """Runs the commands of a row. Returns (state, why)."""
    end, log, output = time.monotonic() + seconds, folder / f"{name}.log", folder / f"{name}.csv"
    commands, state, why = list(commands_of(row, folder, name)), "done", ""
    if not commands:
        return "left out", "what it needs is not here"
    for words in commands:
        for _ in range(ATTEMPTS):
            left = end - time.monotonic()
            if left < 1:
                return "stopped", "its seconds were over"
            before = size_of(output)
            try:
                code = run_command(words, log, left)
            except OSError as error:
                code, why = 127, str(error)
            if code is None:
                return "stopped", "its seconds were over"
            if code == 0:
                break
            # A peer may end the program, which then leaves that cell out when it runs again.
            if size_of(output) <= before:
                break
        if code != 0:
            state, why = "failed", why or f"status {code}: {last_line(log)}"
    return state, why


def run_plan(plan, only, folder, seconds):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Wrong(f"{folder}: {error.strerror}") from None
    manifest, end = Manifest(folder), time.monotonic() + seconds
    manifest.begin()
    for name in plan.sections():
        if only and name not in only:
            continue
        left = end - time.monotonic()
        if manifest.is_done(name):
            continue
        if left < 5:
            manifest.note(name, state="left out", why="no time was left")
            continue
        start = time.monotonic()
        print(f"{name:18} {plan[name]['decides']}", flush=True)
        try:
            allowed = min(left, plan[name].getfloat("seconds"))
            state, why = run_row(name, plan[name], folder, allowed)
        except KeyboardInterrupt:
            manifest.note(name, state="stopped", why="Ctrl-C", seconds=time.monotonic() - start)
            raise
        manifest.note(name, state=state, why=why, seconds=time.monotonic() - start)
        if state != "done":
            print(f"{'':18} {state}: {why}", flush=True)
    return manifest


# ---- the options


def read_plan(path):
    plan = configparser.ConfigParser(interpolation=None)
    try:
        with open(path, encoding="utf-8") as file:
            plan.read_file(file)
        for name in plan.sections():
            if not 0 < plan[name].getfloat("seconds") < 1e6 or not plan[name]["commands"].strip() \
                    or not plan[name]["decides"].strip():
                raise Wrong(f"{path}: [{name}] needs seconds, decides and commands")
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    except (configparser.Error, KeyError, ValueError, TypeError) as error:
        raise Wrong(f"{path}: {str(error).splitlines()[0]}") from None
    return plan


def stop(*_):
    """What ends a process in a queue (SIGTERM) ends this as Ctrl-C does."""
    raise KeyboardInterrupt


def positive(text):
    value = float(text)
    if not 0 < value < 1e9:
        raise ValueError
    return value


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0],
                                     epilog="\n".join(__doc__.splitlines()[2:-2]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=positive, default=720.0, help="in all (default 720)")
    parser.add_argument("--out", type=pathlib.Path, help="the folder of the results")
    parser.add_argument("--only", default="", help="rows of the plan, with commas")
    parser.add_argument("--plan", default=str(HERE / "plan.ini"))
    parser.add_argument("--list", action="store_true", help="print the rows, run nothing")
    parser.add_argument("--summary", action="store_true", help="print the figures, run nothing")
    parser.add_argument("--predicted", type=pathlib.Path,
                        help="a CSV of predictions to hold the times against")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    plan, only = read_plan(options.plan), set(filter(None, options.only.split(",")))
    unknown = sorted(only - set(plan.sections()))
    if unknown:
        raise Wrong(f"the plan has no row '{unknown[0]}'; its rows are "
                    + " ".join(plan.sections()))
    if options.list:
        for name in plan.sections():
            print(f"{name:18} {plan[name].getint('seconds'):4} s  {plan[name]['decides']}")
        return 0
    if not options.out:
        raise Wrong("--out DIR is needed: where the results go")
    try:
        if not options.summary:
            run_plan(plan, only, options.out, options.seconds)
    finally:
        if (options.out / "manifest.json").exists():
            from plan_figures import print_figures
            print_figures(options.out, options.predicted)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as error:
        print(f"run_plan.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("run_plan.py: stopped; the same command goes on", file=sys.stderr)
        sys.exit(130)
