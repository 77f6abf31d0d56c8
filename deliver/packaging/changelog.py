#!/usr/bin/env python3
"""Debian's changelog from CHANGELOG.md.

    deliver/packaging/changelog.py CHANGELOG.md VERSION SECONDS > debian/changelog

A section "## 1.2.3 (2026-01-31)" becomes an entry of that version and day, and "## Unreleased" one
with the time SECONDS (since 1970, that of the commit). What is not released is version VERSION, or
VERSION+gitDAY if VERSION has a section. A point becomes its first sentence. DEBFULLNAME and
DEBEMAIL say who maintains the packages.

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
    released = {title.split()[0] for title in heads[::2]}
    for title, body in zip(heads[::2], heads[1::2]):
        number, *_ = title.split()
        day = re.search(r"\d{4}-\d\d-\d\d", title)
        when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        if day:
            when = datetime.datetime.fromisoformat(day.group(0) + "T12:00:00+00:00")
        if number == "Unreleased":
            number = version + (when.strftime("+git%Y%m%d") if version in released else "")
        yield FORM.format(version=number, points="\n".join(points_of(body)),
                          date=email.utils.format_datetime(when),
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
