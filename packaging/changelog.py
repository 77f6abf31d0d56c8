#!/usr/bin/env python3
"""Debian's changelog from CHANGELOG.md.

    packaging/changelog.py CHANGELOG.md VERSION SECONDS > debian/changelog

A section "## 1.2.3 - 2026-01-31" becomes an entry of that version and day; "## Unreleased" one of
VERSION, with the time SECONDS (since 1970, that of the commit). A point becomes its first sentence.
DEBFULLNAME and DEBEMAIL say who maintains the packages.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import email.utils
import os
import re
import sys
import textwrap

FORM = """recallmodel ({version}-1) unstable; urgency=medium

{points}

 -- {name} <{address}>  {date}
"""


def points_of(text):
    """The first sentences of the points of a section."""
    for point in re.findall(r"^- (.*(?:\n  .*)*)", text, re.MULTILINE):
        sentence = re.split(r"(?<=[.])(?<! al[.])(?<!\bDr[.]) (?=[A-Z`])",
                            " ".join(point.split()))[0]
        yield textwrap.fill(sentence, 78, initial_indent="  * ",
                            subsequent_indent="    ", break_long_words=False)


def entries(text, version, seconds):
    """The entries, the latest first."""
    heads = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)[1:]
    for title, body in zip(heads[::2], heads[1::2]):
        number, _, day = title.strip("[] ").partition(" - ")
        when = seconds
        if day:
            noon = datetime.datetime.fromisoformat(day.strip() + "T12:00:00+00:00")
            when = noon.timestamp()
        points = "\n".join(points_of(body)) or "  * See CHANGELOG.md."
        yield FORM.format(version=version if number == "Unreleased" else number.strip("[]"),
                          points=points, date=email.utils.formatdate(when),
                          name=os.environ.get("DEBFULLNAME", "The recallmodel authors"),
                          address=os.environ.get("DEBEMAIL", "recallmodel@example.org"))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    made = list(entries(text, sys.argv[2], int(sys.argv[3])))
    if not made:
        sys.exit(f"{sys.argv[1]} has no section '## ..'")
    print("\n".join(made), end="")


if __name__ == "__main__":
    main()
