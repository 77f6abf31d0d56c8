"""The command reference: the pages that `make reference` makes from the tables of options.

SPDX-License-Identifier: Apache-2.0
"""
import re

from sources import write


def unescaped(text):
    """The text without the escapes that Python-Markdown does not know, such as those of ^ and ~."""
    def char(match):
        return match[0] if match[1] is None else match[1]

    return re.sub(r"^```.*?^```|`[^`\n]*`|\\([^\w\s\\`*_{}\[\]()>#+.!|-])", char, text,
                  flags=re.M | re.S)


def make(into, reference):
    """Writes the pages of the folder `reference`; returns how many subcommands there are."""
    made = sorted(reference.glob("*.md"))
    if not made:
        raise SystemExit(f"there are no pages in {reference}; run make reference")
    for path in made:
        write(into, f"commands/{path.name}", unescaped(path.read_text(encoding="utf-8")))
    return sum(path.stem != "index" for path in made)
