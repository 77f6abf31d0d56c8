#!/usr/bin/env python3
"""notebook_outputs.py - compares the outputs of executed notebooks with the committed ones.

    tools/notebook_outputs.py EXECUTED.ipynb ..            are the texts the same?
    tools/notebook_outputs.py --write EXECUTED.ipynb ..    commit these outputs

The committed notebook is notebooks/NAME.ipynb, with the same cells. The words of the texts must be
equal, and numbers with a point may differ by one in the last digit: another libm may round them
otherwise. Pictures are not compared, because they depend on the version of Matplotlib; there must
be as many.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import sys

COMMITTED = pathlib.Path(__file__).resolve().parents[1] / "notebooks"
DECIMAL = re.compile(r"[-+]?\d+\.\d+(?:e[-+]\d+)?")


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text(cell):
    """What a cell prints, and a line for each picture."""
    return "".join("".join(out["text"]) if out["output_type"] == "stream" else
                   "[picture]\n" if "image/png" in out.get("data", {}) else f"{out}\n"
                   for out in cell["outputs"])


def last_digit(number):
    """One in the last digit of a number as it is printed."""
    digits, _, power = number.partition("e")
    return 10.0**(int(power or 0) - len(digits.partition(".")[2]))


def agree(before, now):
    if DECIMAL.sub("#", before) != DECIMAL.sub("#", now):
        return False
    return all(abs(float(a) - float(b)) <= 1.01 * last_digit(a)
               for a, b in zip(DECIMAL.findall(before), DECIMAL.findall(now)))


def difference(committed, executed):
    """The first difference of two notebooks; None if they agree."""
    pairs = list(zip(cells(committed), cells(executed)))
    if [c["source"] for c in cells(committed)] != [c["source"] for c in cells(executed)]:
        return "the cells are not those that were executed"
    for number, (cell, now) in enumerate(pairs, 1):
        lines, others = text(cell).splitlines(), text(now).splitlines()
        if len(lines) != len(others):
            return f"code cell {number} prints {len(others)} lines, committed are {len(lines)}"
        for was, line in zip(lines, others):
            if not agree(was, line):
                return f"code cell {number} prints '{line}', committed is '{was}'"
    return None


def write(path, executed):
    """The outputs without what changes with each run: times, versions."""
    for cell in executed["cells"]:
        cell["metadata"] = {}
    executed["metadata"]["language_info"] = {"name": "python"}
    path.write_text(json.dumps(executed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments):
    writes = arguments[:1] == ["--write"]
    status = 0
    for name in arguments[writes:]:
        committed, executed = COMMITTED / pathlib.Path(name).name, read(name)
        if writes:
            write(committed, executed)
        elif said := difference(read(committed), executed):
            print(f"notebooks/{committed.name}: {said}; if that is right, run make "
                  "notebook-outputs", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
