"""The command reference: a page for each subcommand.

A page is build/reference/commands/NAME.md, which `make reference` makes from the option tables;
where there is none, what `recallmodel help NAME` prints.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess

from sources import TOP, plain, write


def printed(*arguments):
    program = TOP / os.environ.get("RECALLMODEL", "build/recallmodel")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "100"}).stdout


def subcommands():
    """(name, summary) of each subcommand, as `recallmodel help` lists them."""
    listed = printed("help").partition("\nSubcommands:\n")[2].split("\n\n")[0]
    return re.findall(r"^  (\S+) +(.*(?:\n {4,}.*)*)$", listed, flags=re.M)


def page(name, summary):
    """The page of a subcommand from its help."""
    said = printed("help", name)
    usage, _, rest = said.partition("\n\n")
    example = re.search(r"^Examples?:\n((?:  .*\n)+)", rest, flags=re.M)
    text = f"# recallmodel {name}\n\n{plain(summary[:1].upper() + summary[1:])}.\n\n"
    text += f"```text\n{usage}\n```\n\n"
    if example:
        rest = rest.replace(example[0], "").strip()
        lines = "\n".join(line[2:] for line in example[1].splitlines())
        text += f"## Example\n\n```\n{lines}\n```\n\n"
    rest = rest.split("\nSubcommands:\n")[0].rstrip()
    return text + f"## Options\n\n```text\n{rest}\n```\n"


def unescaped(text):
    """The text without the escapes that Python-Markdown does not know, such as those of ^ and ~."""
    def char(match):
        return match[0] if match[1] is None else match[1]

    return re.sub(r"^```.*?^```|`[^`\n]*`|\\([^\w\s\\`*_{}\[\]()>#+.!|-])", char, text,
                  flags=re.M | re.S)


def make(into, reference):
    """Writes the pages, those of the folder `reference` where it has some; returns how many."""
    made = sorted(reference.glob("*.md"))
    if made:
        for path in made:
            write(into, f"commands/{path.name}", unescaped(path.read_text(encoding="utf-8")))
        return len(made)
    found = subcommands()
    for name, summary in found:
        write(into, f"commands/{name}.md", page(name, " ".join(summary.split())))
    return len(found)
