"""The pages of the figures: every figure with its picture, caption, numbers and commands.

They hold what paper_figures/index.html holds (plots/make.py).

SPDX-License-Identifier: Apache-2.0
"""
import html
import re
import shutil
import sys

from sources import TOP, plain, write

sys.path.append(str(TOP / "plots"))
from figure import FIGURES, Figure, known

# Pages, by how the names of their figures begin; "" takes the rest.
PAGES = (("key", "Key et al.", "key-"),
         ("samaga", "Samaga et al.", "samaga-"),
         ("saap", "Asymmetric partitions (SAAP)", "saap-"),
         ("ours", "Our own", "ours-"),
         ("others", "Other sources", ""))


def order(name):
    """key-2 before key-10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def table(figure):
    """The columns that a remark "# columns a,b,c" in NAME.txt names, as a table."""
    rows = figure.table()
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in rows]
    lines[1:1] = ["|" + "--:|" * len(row) for row in rows[:1]]
    return "\n".join(lines) + "\n\n" if rows else ""


def described(figure, into):
    """One figure as Markdown; copies its files."""
    name, title = figure.name, plain(figure.title)
    text = f"## {title} {{#{name}}}\n\n"
    if not figure.csv().exists():
        return text + f"Not made yet: `make figures/{name}`.\n\n"
    links = []
    for path in (figure.picture(), figure.csv()):
        if path.exists():
            at = path.relative_to(FIGURES)
            target = into / "paper_figures" / at
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            links.append(f"[{path.suffix[1:].upper()}]({at})")
    if figure.picture().exists():
        text += f'[![{title}]({name}/{name}.svg){{.figure loading=lazy}}]({name}/{name}.svg)\n\n'
    caption = figure.caption_in(FIGURES / name).splitlines()[1:]
    text += table(figure) + plain("\n".join(caption)) + "\n\n" + " · ".join(links) + "\n\n"
    if not figure.commands():
        return text
    return text + f'??? note "Commands"\n\n    ```\n{indented(figure.listing())}\n    ```\n\n'


def indented(text):
    return "\n".join("    " + line if line else "" for line in text.splitlines())


def make(into):
    """Writes the pages and their index; returns the number of figures."""
    names = sorted(known(), key=order)
    index = ("# Figures\n\nEvery figure and table: numbers by recallmodel, pictures by gnuplot."
             " `make figures` makes them anew; [how](../claims.md#the-figures).\n\n")
    left = list(names)
    for page, title, begin in PAGES:
        ours = [name for name in left if name.startswith(begin)]
        left = [name for name in left if name not in ours]
        if not ours:
            continue
        body, shown, tables = f"# {title}\n\n", [], []
        for figure in sorted(map(Figure, ours), key=lambda figure: not figure.csv().exists()):
            name, heading = figure.name, figure.title
            body += described(figure, into)
            if figure.picture().exists():
                alt = html.escape(heading, quote=True)
                shown.append(f'<a href="{page}.html#{name}"><img src="{name}/{name}.svg"'
                             f' alt="{alt}" loading="lazy">{html.escape(heading)}</a>')
            else:
                tables.append(f"- [{plain(heading)}]({page}.md#{name})")
        write(into, f"paper_figures/{page}.md", body)
        index += f"## [{title}]({page}.md)\n\n"
        if shown:
            index += '<div class="figures">\n' + "\n".join(shown) + "\n</div>\n\n"
        index += "\n".join(tables) + "\n\n"
    write(into, "paper_figures/index.md", index)
    return len(names)
