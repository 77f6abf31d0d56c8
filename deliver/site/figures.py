"""The pages of the figures: every figure of plots/ with its picture, caption, numbers and commands.

A figure is plots/ROOM/NAME.txt (title and caption) and paper_figures/NAME/ (plots/make.py). The
pages hold what paper_figures/index.html holds.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import html
import re
import shutil

from sources import TOP, plain, write

# Pages, by how the names of their figures begin; "" takes the rest.
PAGES = (("key", "Key et al.", "key-"),
         ("samaga", "Samaga et al.", "samaga-"),
         ("saap", "Asymmetric partitions (SAAP)", "saap-"),
         ("ours", "Our own", "ours-"),
         ("others", "Other sources", ""))
KINDS = (".svg", ".csv")


def order(name):
    """key-2 before key-10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def described(name, kind):
    """NAME.data or NAME.txt; a figure stands in the folder of the first part of its name."""
    return (TOP / "plots" / name.split("-")[0] / f"{name}.{kind}").read_text(encoding="utf-8")


def table(name, rows):
    """The columns that a remark "# columns a,b,c" in NAME.data names, as a table."""
    data = described(name, "data")
    columns = [c for line in re.findall(r"^# columns (.*)$", data, flags=re.M)
               for c in line.split(",")]
    if not columns:
        return ""

    def cell(value):
        short = f"{float(value):.6g}" if re.fullmatch(r"\d+\.\d+", value) else value
        return plain(short)

    lines = ["| " + " | ".join(plain(c) for c in columns) + " |", "|" + "--:|" * len(columns)]
    lines += ["| " + " | ".join(cell(row[c]) for c in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n\n"


def figure(name, folder, into):
    """One figure as Markdown; copies its files."""
    title, *caption = described(name, "txt").splitlines()
    text = f"## {plain(title)} {{#{name}}}\n\n"
    if not made(name):
        return title, text + f"Not made yet: `make figures/{name}`.\n\n", False
    if (folder / "caption.txt").exists():
        caption = (folder / "caption.txt").read_text(encoding="utf-8").splitlines()[1:]
    target = into / "paper_figures" / name
    target.mkdir(parents=True, exist_ok=True)
    links = []
    for kind in KINDS:
        path = folder / f"{name}{kind}"
        if path.exists():
            shutil.copyfile(path, target / path.name)
            links.append(f"[{kind[1:].upper()}]({name}/{path.name})")
    drawn = (target / f"{name}.svg").exists()
    if drawn:
        text += (f'[![{plain(title)}]({name}/{name}.svg){{.figure loading=lazy}}]'
                 f"({name}/{name}.svg)\n\n")
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        text += table(name, csv.DictReader(file))
    text += plain("\n".join(caption)) + "\n\n" + " · ".join(links) + "\n\n"
    commands = "\n".join(line for line in described(name, "data").splitlines()
                         if not line.startswith("#"))
    return title, text + f'??? note "Commands"\n\n    ```\n{indented(commands)}\n    ```\n\n', drawn


def made(name):
    return (TOP / f"paper_figures/{name}/{name}.csv").exists()


def indented(text):
    return "\n".join("    " + line if line else "" for line in text.splitlines())


def make(into):
    """Writes the pages and their index; returns the number of figures."""
    names = sorted((path.stem for path in TOP.glob("plots/*/*.txt")), key=order)
    index = ("# Figures\n\nEvery figure and table: numbers by recallmodel, pictures by gnuplot."
             " `make figures` makes them anew; [how](../claims.md#the-figures).\n\n")
    left = list(names)
    for page, title, begin in PAGES:
        ours = [name for name in left if name.startswith(begin)]
        left = [name for name in left if name not in ours]
        if not ours:
            continue
        body, shown, tables = f"# {title}\n\n", [], []
        for name in sorted(ours, key=lambda name: not made(name)):
            heading, text, drawn = figure(name, TOP / "paper_figures" / name, into)
            body += text
            link = f"{page}.md#{name}"
            if drawn:
                alt = html.escape(heading, quote=True)
                shown.append(f'<a href="{page}.html#{name}"><img src="{name}/{name}.svg"'
                             f' alt="{alt}" loading="lazy">{html.escape(heading)}</a>')
            else:
                tables.append(f"- [{plain(heading)}]({link})")
        write(into, f"paper_figures/{page}.md", body)
        index += f"## [{title}]({page}.md)\n\n"
        if shown:
            index += '<div class="figures">\n' + "\n".join(shown) + "\n</div>\n\n"
        index += "\n".join(tables) + "\n\n"
    write(into, "paper_figures/index.md", index)
    return len(names)
