#!/usr/bin/env python3
"""list_tests.py - what each test tests, from the head of its source.

    tools/list_tests.py [WORD ..]   as Markdown, a heading a folder; only tests that have each WORD
    tools/list_tests.py --check     whether each test says what it tests

The head is the first comment, without its file name and its licence.

SPDX-License-Identifier: Apache-2.0
"""
import itertools
import pathlib
import re
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST = 30  # characters of a head


def head_of(path):
    """The head as one line."""
    lines = itertools.dropwhile(lambda line: line.startswith("#!"),
                                path.read_text(encoding="utf-8").splitlines())
    if path.suffix == ".py":
        text = re.match(r'\s*"""(.*?)"""', "\n".join(lines), re.S)[1]
    elif path.suffix == ".sh":
        text = "\n".join(line.lstrip("#") for line in
                         itertools.takewhile(lambda line: line.startswith("#"), lines))
    else:
        text = re.match(r"/\*(.*?)\*/", "\n".join(lines), re.S)[1]
        text = re.sub(r"^ \*", "", text, flags=re.M)
    text = text.partition("SPDX-License-Identifier")[0]
    return re.sub(rf"^{re.escape(path.name)} - ", "", " ".join(text.split()))


def tests():
    """(path from the top, head) of each, in order."""
    for path in sorted((ROOT / "tests").rglob("test_*")):
        if path.suffix in (".c", ".cc", ".sh", ".py"):
            yield path.relative_to(ROOT), head_of(path)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that goes away, as head does
    if sys.argv[1:] == ["--check"]:
        short = [str(path) for path, head in tests() if len(head) < LEAST]
        if short:
            sys.exit("these tests do not say what they test: " + " ".join(short))
        return
    for folder, found in itertools.groupby(tests(), lambda test: test[0].parent):
        chosen = [(path, head) for path, head in found
                  if all(word.lower() in f"{path} {head}".lower() for word in sys.argv[1:])]
        if chosen:
            print(f"## {folder}\n")
            for path, head in chosen:
                print(f"- `{path.name}`: {head[:1].upper()}{head[1:]}")
            print()


if __name__ == "__main__":
    main()
