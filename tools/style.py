#!/usr/bin/env python3
"""style.py - checks the style of the sources; prints FILE:LINE: what for each fault.

    tools/style.py [--no-format] [FILE ..]
    tools/style.py --format [FILE ..]

Without files it looks at all files of the repository that are not ignored. It exits with 1 if it
finds a fault. The rules:

- clang-format 14 does not change any C or CUDA file. A generated file says `clang-format off`.
- No line is longer than 100 bytes. There are no tabs (but in the Makefile) and no trailing blanks.
- No function has more than 60 lines and no file more than 400 lines of code, unless a comment says
  `long: reason`: directly above the function, or in the first 30 lines of the file. A C header may
  have more lines.
- An include in quotes names a file of the same folder.
- A script with pipefail does not pipe into `head` or `grep -q`, which stop reading early.
- A script of gnuplot has no font below 8: in a PDF that is 6 points.
- The subject of a commit after FIRST_COMMIT has at most 60 characters.

--no-format leaves clang-format out. --format lets it format the C and CUDA files and does not check
anything.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import ast
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

WIDTH = 100
FUNCTION_LINES = 60
FILE_LINES = 400
SUBJECT_LENGTH = 60
FIRST_COMMIT = "4783619"  # the last commit before these rules were checked

C_KINDS = (".c", ".h", ".cu", ".cuh", ".cc")
TEXT_KINDS = (*C_KINDS, ".inc", ".md", ".mk", ".sh", ".py", ".gp")
TEXT_NAMES = ("Makefile", ".ci/run")

# Files that may have longer lines, each with the reason. Empty is best.
WIDE = {}

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Digests of files that clang-format has found right.
FORMATTED = ROOT / "build/formatted"


def git(*arguments):
    """The output of a git command as lines; None where git or the repository is missing."""
    try:
        run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return run.stdout.splitlines() if run.returncode == 0 else None


def all_files():
    """Every file of the repository, relative to its top folder; without git, every file."""
    files = git("ls-files", "--cached", "--others", "--exclude-standard")
    if files is None:
        skipped = {"build", ".git", "__pycache__"}
        files = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_file() and not skipped & set(path.relative_to(ROOT).parts)]
    return sorted(name for name in set(files) if (ROOT / name).is_file())


def is_c(name):
    return name.endswith(C_KINDS)


def is_text(name):
    return name.endswith(TEXT_KINDS) or name in TEXT_NAMES


def line_faults(name, data):
    """Faults of single lines: width, tabs, trailing blanks, quoted includes, marks of a merge."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.startswith((b"<" * 7 + b" ", b">" * 7 + b" ")):
            yield number, "a mark that a merge left"
        if len(line) > WIDTH and name not in WIDE:
            yield number, f"{len(line)} bytes; a line has at most {WIDTH}"
        if b"\t" in line and not name.endswith(("Makefile", ".mk")):
            yield number, "has a tab"
        if line.rstrip() != line:
            yield number, "ends in a blank"
        quoted = re.match(rb'\s*#\s*include\s*"([^"]*/)', line)
        # An umbrella header includes its parts, name/part.h, in the tree and where it is installed.
        if is_c(name) and quoted and quoted[1].decode() != pathlib.Path(name).stem + "/":
            yield number, 'has a path in quotes; write #include <folder/file.h>'


def contract_faults(name, data):
    """Fields of a contract that stand in running text, where clang-format has joined its lines."""
    field = re.compile(rb"\s*/?\*+\s+\S.* (Domain|Returns|Accuracy|Source|Time|Method) {2,}\S")
    for number, line in enumerate(data.split(b"\n"), 1):
        if is_c(name) and field.match(line):
            yield number, "a field of a contract in running text; give it a line of its own"


def pipe_faults(name, text):
    """Pipes into a program that stops reading early, in a script where that is a failure."""
    stops = re.compile(r"(?<!\|)\|(?!\|)\s*(grep -\w*q|head -(n|\d))")
    if name.endswith(".sh") and ("pipefail" in text or "shell.sh" in text):
        for number, line in enumerate(text.split("\n"), 1):
            if stops.search(line) and not line.lstrip().startswith("#"):
                yield number, ("a pipe into head or grep -q may end the writer by SIGPIPE; "
                               "write sed -n 1p or prints")


def font_faults(name, lines):
    for number, line in enumerate(lines, 1):
        if name.endswith(".gp") and re.search(r'"[\w ]*,[1-7]"', line):
            yield number, "a font below 8, which is too small to read in a PDF"


def end_faults(data):
    """The end of a file: one newline."""
    if data and not data.endswith(b"\n"):
        yield data.count(b"\n") + 1, "the last line has no end"


# ---- functions


def c_functions(lines):
    """(first line, last line) of each function of a formatted C file; from 1, its head included."""
    opened = None
    for index, line in enumerate(lines):
        if line == "{":
            first = index
            while first > 0 and re.match(r"[A-Za-z_ )]", lines[first - 1]) and \
                    not lines[first - 1].endswith((";", "*/")):
                first -= 1
            head = lines[first] if first < index else ""
            opened = None if re.match(r"(namespace|extern|class|struct|union)\b", head) else first
        elif line.startswith("}") and opened is not None:
            yield opened + 1, index + 1
            opened = None


def python_functions(lines):
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno


def shell_functions(lines):
    opened = None
    for number, line in enumerate(lines, 1):
        if re.match(r"[a-z_0-9]+\(\) [{(]", line):
            opened = number
        if opened and re.match(r"[})]", line):
            yield opened, number
            opened = None


def functions(name, lines):
    """(first line, last line) of each function of a file."""
    if is_c(name):
        return c_functions(lines)
    if name.endswith(".py"):
        return python_functions(lines)
    if name.endswith(".sh") or name == ".ci/run":
        return shell_functions(lines)
    return ()


def comment_above(lines, first):
    """The text of the comment that ends directly above line `first` (from 1), or an empty text."""
    index = first - 2
    if index >= 0 and lines[index].startswith("#"):
        begin = index
        while begin > 0 and lines[begin - 1].startswith("#"):
            begin -= 1
    elif index >= 0 and lines[index].endswith("*/"):
        begin = index
        while begin > 0 and "/*" not in lines[begin]:
            begin -= 1
    else:
        return ""
    return "\n".join(lines[begin:index + 1])


def has_reason(text):
    return re.search(r"\blong: \w", text) is not None


def function_faults(name, lines):
    for first, last in functions(name, lines):
        length = last - first + 1
        if length > FUNCTION_LINES and not has_reason(comment_above(lines, first)):
            yield first, (f"a function of {length} lines; it has at most {FUNCTION_LINES}, "
                          "or a comment above it says `long: reason`")


# ---- files


def code_lines(name, text):
    """The number of lines that are neither blank nor only a comment."""
    if is_c(name):
        text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), text,
                      flags=re.DOTALL)
        text = re.sub(r"//.*", "", text)
    else:
        text = re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)
    return sum(1 for line in text.split("\n") if line.strip())


def file_faults(name, text):
    if name.endswith((".h", ".cuh", ".md")):
        return
    count = code_lines(name, text)
    if count > FILE_LINES and not has_reason("\n".join(text.split("\n")[:30])):
        yield 1, (f"{count} lines of code; a file has at most {FILE_LINES}, "
                  "or a comment at its head says `long: reason`")


def format_program():
    """The name of a clang-format 14, or None."""
    for program in ("clang-format-14", "clang-format"):
        if shutil.which(program):
            version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if re.search(r"version 14\.", version):
                return program
    return None


def format_faults(names):
    """(file, line, what) for each place that clang-format would change."""
    program = format_program()
    if program is None:
        print("SKIPPED: the format of C and CUDA files (Debian 12: clang-format, version 14)")
        return
    version = subprocess.run([program, "--version"], capture_output=True).stdout
    rules = version + (ROOT / ".clang-format").read_bytes()
    digests = {name: hashlib.sha256(rules + (ROOT / name).read_bytes()).hexdigest()
               for name in names}
    known = set(FORMATTED.read_text().split()) if FORMATTED.exists() else set()
    names = [name for name in names if digests[name] not in known]
    wrong = set()
    for begin in range(0, len(names), 50):
        run = subprocess.run([program, "--dry-run", "-Werror", *names[begin:begin + 50]], cwd=ROOT,
                             capture_output=True, text=True)
        faults = re.findall(r"^(.*?):(\d+):\d+: error: ", run.stderr, re.MULTILINE)
        if run.returncode and not faults:
            raise SystemExit(f"{program}: {run.stderr}")
        for name, line in faults:
            wrong.add(name)
            yield name, int(line), "is not formatted; run make format"
    if FORMATTED.parent.is_dir():
        known.update(digest for name, digest in digests.items() if name not in wrong)
        FORMATTED.write_text("\n".join(known))


def format_files(names):
    """Formats the files; returns the exit status."""
    program = format_program()
    if program is None:
        print("style.py: there is no clang-format 14 (Debian 12: clang-format)", file=sys.stderr)
        return 2
    return subprocess.run([program, "-i", *names], cwd=ROOT).returncode


def subject_faults():
    """(commit, what) for each subject that is too long."""
    commits = git("log", "--no-merges", "--format=%h %s", f"{FIRST_COMMIT}..HEAD")
    if commits is None:
        print(f"SKIPPED: the subjects of commits (no git here, or no commit {FIRST_COMMIT})")
        return
    for line in commits:
        commit, subject = line.split(" ", 1)
        if len(subject) > SUBJECT_LENGTH:
            yield commit, (f"a subject of {len(subject)} characters; it has at most "
                           f"{SUBJECT_LENGTH}: {subject}")


def faults_of(name):
    """(line, what) for each fault of one file."""
    data = (ROOT / name).read_bytes()
    text = data.decode(errors="replace")
    lines = text.split("\n")
    yield from line_faults(name, data)
    yield from contract_faults(name, data)
    yield from end_faults(data)
    yield from pipe_faults(name, text)
    yield from font_faults(name, lines)
    yield from function_faults(name, lines)
    yield from file_faults(name, text)


def main():
    parser = argparse.ArgumentParser(usage="tools/style.py [--no-format | --format] [FILE ..]")
    parser.add_argument("--format", action="store_true")
    parser.add_argument("--no-format", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    # A name from the top folder; a file elsewhere keeps its full name.
    names = [os.path.relpath(name, ROOT) for name in options.files] or all_files()
    if options.format:
        return format_files(list(filter(is_c, names)))
    names = list(filter(is_text, names))
    count = 0
    for name in names:
        for line, what in faults_of(name):
            print(f"{name}:{line}: {what}")
            count += 1
    if not options.no_format:
        for name, line, what in format_faults(list(filter(is_c, names))):
            print(f"{name}:{line}: {what}")
            count += 1
    if not options.files:
        for commit, what in subject_faults():
            print(f"commit {commit}: {what}")
            count += 1
    print(f"{len(names)} files, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
