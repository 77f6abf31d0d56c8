"""The pages that people read, their blocks and commands; what the checks here share.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = (TOP / os.environ.get("BUILD", "build")).resolve()
PROGRAM = (TOP / os.environ.get("RECALLMODEL", "build/recallmodel")).resolve()
CC = os.environ.get("CC") or "cc"
FEW = os.environ.get("CASES") == "few"
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md",
         *sorted((TOP / "docs").glob("*.md"))]

checked = 0
notes = []


def checks(number=1):
    global checked
    checked += number


def name_of(page):
    return str(page.relative_to(TOP))


def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(text):
    """Fenced and indented blocks as (language, lines); an indented block follows an empty line."""
    fence, block, before = None, [], ""
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            if fence is None:
                fence, block = line[3:], []
            else:
                yield fence, block
                fence, block = None, []
        elif fence is not None:
            block.append(line)
        elif line.startswith("    ") and (block or not before.strip()):
            block.append(line[4:])
        elif block and line.strip():
            yield "", block
            block = []
        before = line


def commands(text):
    """The commands of blocks, each in one line; not those whose output the page shows."""
    for language, lines in blocks(text):
        if language in ("c", "python") or (lines and lines[0].startswith("$ ")):
            continue
        for command in "\n".join(lines).replace("\\\n", " ").splitlines():
            yield command.strip()


def run(command, folder, seconds=300):
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, "PATH": path})
