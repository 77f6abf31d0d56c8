"""The C reference: a page for each header, from the contracts in it.

SPDX-License-Identifier: Apache-2.0
"""
import re
import textwrap

import headers
from sources import TOP, prose, write

# The headers in the order in which they build on each other; docs/library.md introduces them.
FOLDER = "model/recallmodel/"
HEADERS = (*(FOLDER + name for name in ("shape.h", "recall.h", "rope.h", "blocks.h", "lost_mass.h",
                                        "parts.h", "cost.h", "time.h", "profile_text.h",
                                        "provider.h", "measured.h", "select.h", "answer.h",
                                        "threshold_bin.h", "rounding.h", "filter.h",
                                        "overlap.h", "routing.h", "quantised.h")),
           "topk/topk.h", "gpu/topk_gpu.h")
LEFT_OUT = {FOLDER + "linkage.h"}  # what makes names visible, nothing to call


def page_of(header):
    return header.rsplit("/", 1)[-1].replace(".h", ".md")


def anchor(name):
    return name.replace(" ", "-")


def sections():
    """The anchor of each section of docs/models.md, by its number."""
    text = (TOP / "docs/models.md").read_text(encoding="utf-8")
    found = {}
    for heading in re.findall(r"^## (.*)$", text, flags=re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[heading.split(".")[0]] = anchor
    return found


class Page:
    """One header as Markdown. known: the page of every name of every header."""

    def __init__(self, header, known, models):
        self.header, self.known, self.models = header, known, models
        self.shown = set()

    def linked(self, text, own=()):
        """Prose with links to functions, and to the pages that it names."""
        def link(match):
            word = match[0]
            if match["page"]:
                page = f"../{match['page']}.md"
                anchor = self.models.get(match["section"]) if match["page"] == "models" else None
                if anchor:
                    return f"[{word}]({page}#{anchor})"
                return f"[docs/{match['page']}.md]({page})" + word.split(".md", 1)[1]
            label = next((label for label in (word, f"struct {word}", f"enum {word}")
                          if label in self.known), None)
            return f"[`{word}`]({self.known[label]})" if label and word not in own else f"`{word}`"

        pattern = (r"docs/(?P<page>[\w-]+)\.md(?: (?P<section>\d+))?"
                   r"|\b(?:(?:struct|enum) )?(?:rcm|RCM)_\w+(?![\w*])")
        done, at = "", 0
        for match in re.finditer(pattern, text):
            done += prose(text[at:match.start()]) + link(match)
            at = match.end()
        return done + prose(text[at:])

    def prose(self, comment, own=()):
        """A comment as Markdown."""
        text = ""
        for kind, what in headers.parts(comment):
            if kind == "text":
                text += textwrap.fill(self.linked(what, own), 98, break_long_words=False,
                                      break_on_hyphens=False) + "\n\n"
            elif kind == "shown":
                shown = textwrap.dedent("\n".join(what))
                text += f"```text\n{shown}\n```\n\n"
            else:
                lines = [f"{name}\n:   {self.linked(value, own)}\n" for name, value in what]
                text += '<div class="fields" markdown>\n\n' + "\n".join(lines) + "\n</div>\n\n"
        return text

    def item(self, item):
        """A comment with its code: a heading with the names, the prototypes, the contract."""
        own = headers.names(item.code)
        text = ""
        if own:
            shown = [name for name in own if not name.startswith("RCM_")] or own
            heading = ", ".join(f"`{name}`" for name in shown)
            text += f"### {heading} {{#{anchor(own[0])}}}\n\n"
            text += "".join(f'<a id="{anchor(name)}"></a>' for name in own[1:])
            text += "\n\n" if own[1:] else ""
        text += "```c\n" + "\n".join(item.code) + "\n```\n\n"
        return text + self.prose(item.comment, own)

    def markdown(self, found):
        head, *rest = found
        title, first = re.match(r"(?:\S+/)?(\S+\.h) - (.*)", head.comment[0]).groups()
        said = [line for line in [first, *head.comment[1:]] if "SPDX" not in line]
        said[0] = said[0][:1].upper() + said[0][1:]
        text = f"# {title}\n\n{self.prose(said)}"
        include = "recallmodel.h" if self.header.startswith("model/") else title
        text += f"```c\n#include <{include}>\n```\n\n"
        for item in rest:
            if item.heading:
                text += f"## {prose(item.heading)}\n\n"
                if not item.code:
                    text += self.prose(item.comment)
                    continue
            text += self.item(item)
        return text


def make(into):
    """Writes the pages; returns the number of names."""
    models = sections()
    there = {str(path.relative_to(TOP)) for path in TOP.glob(FOLDER + "*.h")}
    unlisted = there - set(HEADERS) - LEFT_OUT
    if unlisted:
        raise SystemExit("deliver/site/c_reference.py: HEADERS lacks "
                         f"{', '.join(sorted(unlisted))}")
    read = {header: headers.items((TOP / header).read_text(encoding="utf-8"))
            for header in HEADERS}
    known, constants = {}, {}
    for header, found in read.items():
        for item in found[1:]:
            for name in headers.names(item.code):
                known[name] = f"{page_of(header)}#{anchor(name)}"
            for name, enumeration in headers.constants(item.code):
                constants[name] = f"{page_of(header)}#{anchor(enumeration)}"
    places = {**constants, **known}
    for header, found in read.items():
        write(into, f"c/{page_of(header)}", Page(header, places, models).markdown(found))
    main = headers.items((TOP / "model/recallmodel.h").read_text(encoding="utf-8"))
    text = Page("model/recallmodel.h", places, models).markdown(main)
    text += "## Headers\n\nHow to call it from a program: [From C and C++](../library.md).\n\n"
    for header in HEADERS:
        first = read[header][0].comment[0].split(" - ", 1)[1]
        text += f"- [{header.rsplit('/', 1)[-1]}]({page_of(header)}): {prose(first)}\n"
    text += "\n## Names\n\n"
    text += ",\n".join(f"[`{name}`]({known[name]})" for name in sorted(known)) + "\n"
    write(into, "c/index.md", text)
    return len(known)
