"""Commands, answers, targets of make, the C program and the Python sessions of the pages.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import doctest
import importlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from pages import (TOP, BUILD, PROGRAM, CC, PAGES, notes, checks, name_of, text_of, blocks,
                   commands, run)


def stand_in(path, rows, n):
    """A .npy file of float32 rows with all values different."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {n}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [float(i * 2654435761 % 2**24) for i in range(1, rows * n + 1)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{rows * n}f", *values))


def furnish(folder):
    """The files that commands of the pages read: rows, measured runs and a profile."""
    (folder / "recallmodel").symlink_to(PROGRAM)
    for name in ("logits.npy", "rows.npy", "scores.npy"):
        stand_in(folder / name, 4, 8192)
    (folder / "documents.txt").write_text("one\ntwo\none\ntwo\n", encoding="utf-8")
    (folder / "tests").symlink_to(TOP / "tests")
    shutil.copytree(TOP / "runs", folder / "runs")
    for letter, name in (("q", "queries"), ("k", "keys"), ("v", "values")):
        for number in ("", "1", "2"):
            (folder / f"{letter}{number}.npy").symlink_to(
                TOP / f"tests/programs/attention/sparse/{name}.npy")
    (folder / "my.profile").write_bytes(next(TOP.glob("model/**/*.profile")).read_bytes())
    made = run("recallmodel predict --device h100-pcie --n 1024,16384,65536,262144 --k 16,64"
               " --kb 1..4 --m 64 --csv", folder).stdout
    rows = list(csv.DictReader(made.splitlines()))
    for name, columns in (("runs.csv", "n k b k_b m predicted_us"),
                          ("exact.csv", "n k m exact_us")):
        lines = dict.fromkeys(",".join([*(row[c] for c in columns.split()), "float16"])
                              for row in rows)
        head = re.sub(r"\w+_us", "time_us_median", columns).replace(" ", ",") + ",dtype"
        (folder / name).write_text("\n".join([head, *lines, ""]), encoding="utf-8")


def check_commands():
    """Commands of recallmodel in blocks and in the table of README run."""
    found = {}
    for page in PAGES:
        text = text_of(page)
        listed = list(commands(text))
        if page.name == "README.md":
            listed += re.findall(r"^\|[^|]*\| `([^`]*)` \|", text, flags=re.M)
        for command in listed:
            if re.match(r"(\./)?recallmodel\s", command):
                found.setdefault(command, name_of(page))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        furnish(folder)
        for command, page in found.items():
            checks()
            # not the profile of whoever runs this; a grid of seconds, warm rows and few steps,
            # which run the same code
            short = ""
            if command.endswith("bench --calibrate"):
                short = " --grid cpu-tiny"
            elif re.search(r"recallmodel bench .*--on cpu", command) and "--load" not in command:
                short = " --seconds 0.01" + " --cache warm" * ("--cache" not in command)
            elif "--train-keys" in command:
                short = " --train-steps 20"
            # runs of one's own are added to a copy
            done = run(f"export XDG_CONFIG_HOME={folder}/config RECALLMODEL_RUNS={folder}/runs; "
                       f"{command}{short}", folder)
            if done.returncode != 0:
                yield f"{page}: {command}: status {done.returncode}, {done.stderr.strip()[:200]}"


def check_targets():
    """Every make TARGET of the pages is one."""
    found = {}
    for page in PAGES:
        text = text_of(page)
        asked = [c for c in commands(text) if c.startswith("make")]
        asked += [" ".join(c.split()) for c in re.findall(r"`(make\s[^`]*)`", text)]
        for command in asked:
            words = re.split(r"[&|;#]", command)[0].split()[1:]
            for target in words:
                if re.fullmatch(r"[a-z][a-z0-9/-]*", target) and "NAME" not in command:
                    found.setdefault(target, name_of(page))
    checks(len(found))
    # MAKE=: so that no make in the recipe of a target runs
    ask = ["make", "-n", "MAKE=:", f"BUILD={os.environ.get('BUILD', 'build')}"]
    if subprocess.run([*ask, *found], cwd=TOP, capture_output=True, check=False).returncode == 0:
        return
    for target, page in found.items():
        done = subprocess.run([*ask, target], cwd=TOP, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            yield f"{page}: make {target}: {done.stderr.strip()[:200]}"


def check_answers():
    """Commands with their output print that output today."""
    script = next(TOP.glob("tests/**/answers.sh"))
    for page in PAGES:
        text = text_of(page)
        number = len(re.findall(r"^```\n\$ (?:\./)?recallmodel ", text, flags=re.M))
        if page.name == "choosing.md" or number == 0: # test_choosing.sh
            continue
        checks(number)
        done = subprocess.run([script, name_of(page)], cwd=TOP, capture_output=True, text=True,
                              env={**os.environ, "RECALLMODEL": str(PROGRAM)}, check=False)
        if done.returncode != 0:
            yield f"{name_of(page)}: {done.stderr.strip()}"
        for line, today in zip(text.splitlines(), done.stdout.splitlines()):
            if line != today:
                yield (f"{name_of(page)} has '{line}', today it is '{today}';"
                       " make docs-answers writes it anew")
                break
        else:
            if text != done.stdout:
                yield f"{name_of(page)} is not as long as what is printed; make docs-answers"


def check_c_examples():
    """The programs of docs/library.md, compiled against an installed copy, print what it shows."""
    found = list(blocks(text_of(TOP / "docs/library.md")))
    places = [i for i, (language, _) in enumerate(found) if language == "c"]
    checks(len(places))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run(["make", "-s", f"BUILD={os.environ.get('BUILD', 'build')}",
                               f"PREFIX={folder}/prefix", "install"], cwd=TOP, check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            yield f"make install: {done.stderr[-200:]}"
            return
        for place in places:
            command, *shown = found[place + 1][1]
            source = re.match(r"\$ cc (\w+\.c) ", command)[1]
            (folder / source).write_text("\n".join(found[place][1]) + "\n", encoding="utf-8")
            command = command.replace("$ cc ", f"{CC} -Wall -Wextra -Werror ")
            done = run(f"export PKG_CONFIG_PATH={folder}/prefix/lib/pkgconfig"
                       f" LD_LIBRARY_PATH={folder}/prefix/lib; {command}", name)
            if done.returncode != 0 or done.stdout.splitlines() != shown:
                yield f"docs/library.md: {source} prints {done.stdout!r} {done.stderr[:300]!r}"


def check_python():
    """Python sessions of the pages, as doctests."""
    try:
        importlib.import_module("numpy")
    except ImportError:
        notes.append("SKIPPED: Python sessions: there is no numpy (Debian: python3-numpy)")
        return
    os.environ["RECALLMODEL_LIBRARY"] = str(next(BUILD.glob("librecallmodel.so.*")))
    sys.path.insert(0, str(TOP / "python"))
    sessions = 0
    for page in PAGES:
        text = "\n".join("\n".join(lines) + "\n" for language, lines in blocks(text_of(page))
                         if language == "python" and lines[0].startswith(">>> "))
        test = doctest.DocTestParser().get_doctest(text, {}, name_of(page), None, 0)
        said = []
        result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        checks(result.attempted)
        sessions += result.attempted > 0
        if result.failed:
            yield f"{name_of(page)}: " + "".join(said)
    checks()
    if sessions < 2:
        yield f"only {sessions} pages have a Python session"
