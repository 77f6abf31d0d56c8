"""program.py - what the scripts of figures share: the command, the files of runs, CSV, pages.

The command is $RECALLMODEL (./recallmodel). It needs only the standard library.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "runs"
SCRIPT = pathlib.Path(sys.argv[0]).name


# ---- the command


def answer(*arguments):
    """What recallmodel does with these arguments: its status, stdout and stderr."""
    command = os.environ.get("RECALLMODEL", ROOT / "recallmodel")
    return subprocess.run([command, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def tell(*arguments):
    """What recallmodel prints. An error of it ends the script."""
    said = answer(*arguments)
    if said.returncode:
        sys.exit(f"{SCRIPT}: recallmodel {arguments[0]}: {said.stderr.strip()}")
    return said.stdout


def ask(*arguments):
    """The rows of the CSV that recallmodel prints."""
    return list(csv.DictReader(io.StringIO(tell(*arguments, "--csv"))))


def ask_json(*arguments):
    """The JSON that recallmodel prints, or None where it has no answer."""
    said = answer(*arguments, "--json")
    return None if said.returncode else json.loads(said.stdout)


def joined(items):
    """A list, as options take it."""
    return ",".join(map(str, items))


# ---- CSV


def read(path):
    """The rows of a CSV file, such as a file of runs: dictionaries of texts."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))
    except OSError as error:
        wrong(f"{path}: {error.strerror}")


def runs(name):
    """The rows of the measured runs of that name, such as keyetal/exact."""
    return read(RUNS / f"{name}.csv")


def write(rows, file=None, columns=None):
    """Writes rows as CSV, to stdout without a file; all columns of the first row, or these."""
    rows = list(rows)
    writer = csv.DictWriter(file or sys.stdout, columns or rows[0].keys(), lineterminator="\n",
                            extrasaction="ignore" if columns else "raise")
    writer.writeheader()
    writer.writerows(rows)


def write_file(path, rows, columns):
    """The same into a new file, for an option that takes one. Returns the path."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        write(rows, file, columns)
    return path


def short(value):
    return f"{value:.10g}"


# ---- texts


def fill(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def marked(page, texts, some=False):
    """The text of a page with these texts, {NAME: text}, between its lines <!-- NAME --> and
    <!-- /NAME -->. With some it may lack names."""
    whole = page.read_text(encoding="utf-8")
    for name, text in texts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        if whole.count(begin) == whole.count(end) == 1:
            before, after = whole.split(begin)[0], whole.split(end)[1]
            whole = f"{before}{begin}\n{text}\n\n{end}{after}"
        elif not some:
            sys.exit(f"{SCRIPT}: {page} lacks the lines {begin.strip()} and {end.strip()}")
    return whole


def write_page(page, texts, some=False):
    page = pathlib.Path(page)
    page.write_text(marked(page, texts, some), encoding="utf-8")


# ---- the command line


def wrong(text):
    """Ends with status 2: the arguments are wrong."""
    print(f"{SCRIPT}: {text}; --help says more", file=sys.stderr)
    sys.exit(2)


def words():
    """The arguments. --help prints what the script says of itself, and ends."""
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(sys.modules["__main__"].__doc__.split("\n\nSPDX")[0])
        sys.exit(0)
    return sys.argv[1:]


def print_table(tables):
    """The command line of a script whose one argument is the name of a table: prints its CSV."""
    given = words()
    if len(given) != 1 or given[0] not in tables:
        wrong(f"give {' or '.join(tables)}")
    write(tables[given[0]]())
