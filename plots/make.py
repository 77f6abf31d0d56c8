#!/usr/bin/env python3
"""make.py - makes figures into paper_figures/.

    plots/make.py [--csv | --redraw] [FIGURE ..]
    plots/make.py --vary FIGURE OPTION=VALUE ..     such as N=8192 RHO=0:0.1:0.9
    plots/make.py --agree OLD.csv NEW.csv

Makes all figures, or those named, as many at once as there are cores; a line says that one is done.
--csv: only the numbers; --redraw: only the pictures.

A figure NAME is a folder paper_figures/NAME. Its sources:
  NAME.txt      the caption, whose first line is the title; after an empty line the commands that
                print its numbers, one a line; a line that ends in a backslash continues. All
                commands of a figure print the same columns. A line "plots/SCRIPT.py WHAT .." runs a
                script that prints CSV from the program's numbers and the runs in runs/. A line
                "recallmodel-bench .. --grid PART" is what a row of gpu/plan.ini measured; without
                it the figure waits. With a remark "# numbers of OTHER" the numbers and commands are
                those of that figure, and there is no NAME.csv. With remarks "# columns a,b,c" the
                page shows these columns as a table. The caption names the folders of runs/ that the
                commands and NAME.gp name, and those of a remark "# sources keyetal helion" (for
                what a script reads).
  NAME.gp       the gnuplot program that draws the picture (a table has none). It draws NAME.csv,
                with columns by name, the published numbers in runs/ (the variable published), and
                own runs where there are some (the variable runs). Remarks: "# height N" (the width
                is 1000), "# column" (the PDF is readable at the width of one column).
What is made of them, NAME.csv and NAME.svg, stands beside them; also caption.txt, where the numbers
add something to the caption (whose runs they are). Without a command NAME.csv is a source, too: it
was measured and committed.

What has not changed is kept: a CSV file whose numbers agree to 1e-9 (--agree). The SVG does not
depend on the fonts of the machine.

--vary writes the figure with other numbers into build/figures/FIGURE. OPTION is one of its
commands, as it is or in capitals, but none by which the picture picks rows; of its lines it can
draw fewer. What a figure cannot take it refuses, and says what it takes. The axes follow the
numbers. Published points are left out: they belong to the numbers of the paper.

Variables:
  RUNS=DIR          measured runs (gpu/runs).
  CPU_RUNS=DIR      measured runs of a CPU (the newest of runs/cpu-*).
  FIGURES=DIR       the folder to write to (paper_figures; --vary: build/figures).
  RECALLMODEL=FILE  the command.
  JOBS=N            so many figures at once (nproc).
  PNG=1             also as PNG.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import page
import svg
from figure import Figure, known
from program import ROOT

CORES = len(os.sched_getaffinity(0))
VALUE = r"[A-Za-z0-9.,:^][A-Za-z0-9.,:^-]*"  # of an option of --vary
RUN = re.compile(r"-(\d{4}-\d\d-\d\d)-([a-z0-9-]*)\.csv$")


class Stop(Exception):
    """A figure could not be made: a line for people."""


class Wrong(Stop):
    """The arguments are wrong."""


# What stops one figure and not the others.
FAULTS = (Stop, OSError, ValueError, LookupError)


class Maker:
    """What all figures share: the program, the folders, the measured runs."""

    def __init__(self, into, mode="both", published="runs"):
        self.program = os.path.realpath(os.environ.get("RECALLMODEL") or ROOT / "recallmodel")
        self.into, self.mode, self.published = into, mode, pathlib.Path(published).resolve()
        if mode != "redraw" and not os.access(self.program, os.X_OK):
            raise Wrong(f"there is no program {self.program}; run make, or set RECALLMODEL=PATH")
        self.pictures = mode != "csv" and bool(shutil.which("gnuplot"))
        if mode != "csv" and not self.pictures:
            print("figures: gnuplot was not found; only the CSV files are made. Install gnuplot "
                  "(Debian: gnuplot-nox) for pictures.", file=sys.stderr)
        self.environment = {**os.environ, "RECALLMODEL": self.program,
                            "OMP_NUM_THREADS": str(CORES), "PYTHONDONTWRITEBYTECODE": "1",
                            "RECALLMODEL_RUNS": str(ROOT / "runs")}
        self.runs, self.about, self.printed, self.locks = {}, {}, {}, {}
        self.cpu_runs = self.run_python("plots/cpu.py", "folder", check=False).strip()

    def run_python(self, *arguments, check=True):
        done = subprocess.run([sys.executable, *arguments], env=self.environment,
                              capture_output=True, text=True)
        if done.returncode and check:
            raise Stop(f"{' '.join(arguments)}: {(done.stderr.splitlines() or [''])[-1]}")
        return "" if done.returncode else done.stdout

    def find_runs(self, folder, work):
        """Measured runs: files DEVICE-YYYY-MM-DD-PART.csv or, by gpu/run_plan.py, PART.csv in a
        folder DEVICE-YYYY-MM-DD. For each part, the newest file that has rows is copied, without
        remarks and with one header, to where figures read it."""
        (work / "runs").mkdir()
        found = [(part[2], part[1], path)
                 for path in [*folder.glob("*.csv"), *folder.glob("*/*.csv")]
                 if (part := RUN.search("-".join(path.relative_to(folder).parts)))]
        for part, _, path in sorted(found):
            lines = path.read_text(encoding="utf-8").splitlines()
            rows = [line for line in lines if not line.startswith("#")]
            rows = rows[:1] + [line for line in rows[1:] if line != rows[0]]
            if len(rows) < 2:
                continue
            self.runs[part] = "\n".join(rows) + "\n"
            (work / f"runs/{part}.csv").write_text(self.runs[part], encoding="utf-8")
            told = re.search(r'date=([0-9-]*).* gpu="([^"]*)"', lines[0])
            self.about[part] = (f"{told[2]}, {told[1]} " if told else " ") + \
                f"({path.relative_to(folder)})"

    def waits_for(self, figure):
        """What a figure waits for; None if it can be made."""
        for part in figure.parts():
            if part not in self.runs:
                return f"a run on a GPU: make gpu-run PARTS={part}"
        if figure.of_cpu() and not self.cpu_runs:
            return "a run on a CPU: make bench-cpu"
        return None

    def output_of(self, line):
        """What one command of a figure prints."""
        if line.startswith("plots/"):
            return self.run_python(*line.split())
        if line.startswith("recallmodel-bench"):
            return self.runs[re.search(r"--grid ([a-z0-9-]*)", line)[1]]
        done = subprocess.run([self.program, *shlex.split(line)[1:]], env=self.environment,
                              capture_output=True, text=True)
        if done.returncode:
            raise Stop(f"{line}: {(done.stderr.splitlines() or [''])[-1]}")
        return done.stdout

    def numbers(self, figure):
        """The CSV of a figure: what all its commands print, with the header of the first; without
        commands what was measured."""
        if figure.numbers_of not in self.printed:
            outputs = [self.output_of(line) for line in figure.commands()] or \
                [figure.csv().read_text(encoding="utf-8")]
            self.printed[figure.numbers_of] = outputs[0] + "".join(
                text.partition("\n")[2] for text in outputs[1:])
        return self.printed[figure.numbers_of]

    def write_numbers(self, figure, file):
        text = self.numbers(figure)
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or difference(file.read_text(encoding="utf-8"), text):
            file.write_text(text, encoding="utf-8")

    def caption(self, figure, file, before):
        """What the numbers add to the caption: whose runs they are. Without the runs of a CPU the
        one before stays: it says what was measured."""
        if figure.of_cpu() and not self.cpu_runs:
            return before.read_text(encoding="utf-8")
        text = ""
        for script, what in figure.captions():
            text += self.run_python(script, "caption", what, str(file))
        for part in figure.parts():
            text += f"Measured: {self.about[part]}.\n"
        return text + "".join(sorted({
            f"Our runs: {self.about[part]}.\n" if part in self.runs else
            f"Our runs: none so far (make gpu-run PARTS={part.removeprefix('torch-')}).\n"
            for part in figure.reads()}))

    def make(self, figure, work):
        """Makes a figure; returns what it did."""
        start, folder = time.monotonic(), self.into / figure.name
        file, waits = figure.csv(self.into), self.waits_for(figure)
        if self.mode == "redraw" and file.exists():
            pass
        elif waits:
            return (f"kept as it is; to make it again you need {waits}" if file.exists()
                    else f"waits for {waits}")
        else:
            # Figures with the same numbers wait for the first of them.
            with self.locks.setdefault(figure.numbers_of, threading.Lock()):
                self.write_numbers(figure, file)
        folder.mkdir(exist_ok=True)
        caption = folder / "caption.txt"
        text = self.caption(figure, file, caption)
        if text:
            caption.write_text(text, encoding="utf-8")
        else:
            caption.unlink(missing_ok=True)
        if self.pictures and figure.gp:
            svg.draw(figure, self.into, work, self.published)
        rows = len(file.read_text(encoding="utf-8").splitlines()) - 1
        return f"{rows:6d} rows {time.monotonic() - start:6.1f} s"

    def make_all(self, names, jobs, work):
        """Makes figures, some at once, and prints a line for each; returns the exit status."""
        status, jobs = 0, min(jobs, len(names))
        self.environment["OMP_NUM_THREADS"] = str(max(1, CORES // jobs))
        self.find_runs(pathlib.Path(os.environ.get("RUNS") or "gpu/runs"), work)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            tasks = {pool.submit(self.make_one, name, work): (i, name)
                     for i, name in enumerate(names, 1)}
            try:
                for task in concurrent.futures.as_completed(tasks):
                    number, name = tasks[task]
                    try:
                        said = task.result()
                    except FAULTS as error:
                        print(f"figures: {error}", file=sys.stderr)
                        said, status = "could not be made", 1
                    print(f"[{number}/{len(names)}] {name:<22}{said}", flush=True)
            except KeyboardInterrupt:  # what has not begun does not begin
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return status

    def make_one(self, name, work):
        place = work / name
        place.mkdir()
        os.symlink(work / "runs", place / "runs")
        return self.make(Figure(name), place)


def difference(old, new):
    """The first difference of two CSV texts: another header, another text, or a number that differs
    by more than 1e-9. Another machine may round the last digits differently, and that is no other
    result. None if they agree."""
    def agree(a, b):
        try:
            x, y = float(a), float(b)
        except ValueError:
            return a == b
        return a == b or x != 0 and abs(x - y) <= 1e-9 * abs(x) + 1e-15

    before, after = old.splitlines(), new.splitlines()
    for number, (was, line) in enumerate(zip(before, after), 1):
        was, fields = was.split(","), line.split(",")
        if len(was) != len(fields):
            return f"line {number}: {line}"
        for column, (a, b) in enumerate(zip(fields, was), 1):
            if not agree(a, b):
                return f"line {number}, column {column}: {a}, before {b}"
    return f"{len(after)} lines, before {len(before)}" if len(before) != len(after) else None


def make_figures(arguments, work):
    mode = arguments.pop(0)[2:] if arguments[:1] in (["--csv"], ["--redraw"]) else "both"
    jobs = os.environ.get("JOBS") or str(CORES)
    if not re.fullmatch("[1-9][0-9]*", jobs):
        raise Wrong(f"JOBS: '{jobs}' is no number from 1 on")
    for name in arguments:
        if name not in known():
            raise Wrong(f"there is no figure '{name}'; there are {' '.join(known())}")
    arguments = list(dict.fromkeys(arguments))
    into = pathlib.Path(os.environ.get("FIGURES") or "paper_figures").resolve()
    into.mkdir(parents=True, exist_ok=True)
    maker = Maker(into, mode)
    status = maker.make_all(arguments or known(), int(jobs), work)
    page.write(into, [Figure(name) for name in known()], maker.waits_for)
    return status


def options_taken(figure):
    """The options that can be varied, and for each the values that it can have (None: any). The
    picture picks rows by some: of those that tell its lines (i) apart it can draw fewer, the others
    are fixed."""
    fixed, of_lines = set(), set()
    for column, by in re.findall(r'col(?:umn)?\("(\w+)"\) (?:==|eq) ([^&?:\n]*)',
                                 figure.drawn_from()):
        options = {"k_b": ("kb", "kb-max"), "limit": ("lose-at-most",),
                   "lost_mass_target": ("lost-mass",)}.get(column, (column,))
        (of_lines if re.search(r"\bi\b", by) else fixed).update(options)
    given = {}
    for option, value in re.findall(rf" --([a-z-]+) ({VALUE})(?!\S)",
                                    "\n".join(figure.commands())):
        given.setdefault(option, {}).update(dict.fromkeys(value.split(",")))
    return {option: list(values) if option in of_lines else None
            for option, values in sorted(given.items()) if option not in fixed}


def takes(figure):
    """options_taken in words."""
    return "it takes " + " ".join(f"--{option}" + (f" (of {','.join(values)})" if values else "")
                                  for option, values in options_taken(figure).items())


def changed(figure, name, value):
    """The commands of a figure with another value of an option."""
    taken = options_taken(figure)
    if name not in taken or taken[name] and not set(value.split(",")) <= set(taken[name]):
        has = re.search(f" --{name} ", figure.data)
        raise Wrong(f"{figure.name} {'cannot draw' if has else 'has no'} --{name}"
                    f"{f' {value}' if has else ''}; {takes(figure)}")
    return re.sub(rf"( --{name}) {VALUE}", rf"\1 {value}", figure.data)


def varied(figure, changes):
    """The figure with other values of the options of its commands."""
    if not figure.of_program():
        raise Wrong(f"{figure.name} is of measured runs, which have no other numbers; vary one "
                    "such as key-06")
    figure.data = "".join(re.sub(" +", " ", line) + "\n" for line in figure.commands())
    said = []
    for change in changes:
        name, _, value = change.partition("=")
        name = name.lower().replace("_", "-")
        if not re.fullmatch(VALUE, value):
            raise Wrong(f"'{change}' is not OPTION=VALUE, such as N=8192")
        figure.data = changed(figure, name, value)
        said.append(f"--{name} {value}")
    figure.numbers_of = figure.name
    figure.gp = re.sub(r"^ *set ((x|y|x2|y2)range |[xy]tics .*[0-9]).*\n", "",
                       figure.gp.replace("\\\n", ""), flags=re.M)
    figure.caption = figure.title + "\n" + textwrap.fill(
        f"Varied: {', '.join(said)}. All else is as in the figure {figure.name}. Words and numbers "
        "inside the picture that are not of an axis are those of that figure. No published points.",
        100) + "\n"
    return figure


def vary(arguments, work):
    if len(arguments) < 2:
        raise Wrong("give a figure and what to change: make figure FIGURE=key-06 N=8192")
    name, *changes = arguments
    if name not in known():
        raise Wrong(f"there is no figure '{name}'; make figures lists them")
    figure = varied(Figure(name), changes)
    # Of the published runs the first lines, so that no point is drawn.
    for path in pathlib.Path("runs").glob("**/*.csv"):
        copy = work / "headers" / path.relative_to("runs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines()
        copy.write_text("".join([line + "\n" for line in lines if not line.startswith("#")][:1]))
    into = pathlib.Path(os.environ.get("FIGURES") or "build/figures").resolve()
    (work / "runs").mkdir()
    try:
        Maker(work / "made", published=work / "headers").make(figure, work)
    except svg.NotDrawn:
        raise Wrong(f"{name}: with {' '.join(changes)} a part of the picture has nothing to draw; "
                    f"{takes(figure)}") from None
    (work / "made" / name / f"{name}.txt").write_text(f"{figure.caption}\n{figure.data}",
                                                      encoding="utf-8")
    shutil.rmtree(into / name, ignore_errors=True)
    into.mkdir(parents=True, exist_ok=True)
    shutil.move(work / "made" / name, into / name)
    print(into / name)
    return 0


def main(arguments):
    if arguments[:1] == ["--help"]:
        print(__doc__.partition("SPDX")[0].strip())
        return 0
    if arguments[:1] == ["--agree"] and len(arguments) == 3:
        old, new = (pathlib.Path(path).read_text(encoding="utf-8") for path in arguments[1:])
        said = difference(old, new)
        print(said or "", end="\n" if said else "")
        return 1 if said else 0
    for name in ("RUNS", "CPU_RUNS", "FIGURES", "RECALLMODEL"):
        if os.environ.get(name):
            os.environ[name] = os.path.realpath(os.environ[name])
    os.chdir(ROOT)
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        # gnuplot's programs see only this folder, and no name that the user chose.
        if not re.fullmatch(r"[a-zA-Z0-9_./+-]*", str(work)):
            raise Wrong(f"TMPDIR: {work} has letters that gnuplot would interpret; give another")
        if arguments[:1] == ["--vary"]:
            return vary(arguments[1:], work)
        return make_figures(arguments, work)
    except FAULTS as error:
        print(f"{'figure' if arguments[:1] == ['--vary'] else 'figures'}: {error}", file=sys.stderr)
        return 2 if isinstance(error, Wrong) else 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
