"""paper_figures/index.html: every figure, with its caption and its commands, or what it waits for.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import html
import re

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>recallmodel: figures</title>
<style>
body{font:16px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}
img{max-width:100%}pre{background:#f4f4f4;padding:.6em;overflow:auto;font-size:13px}
h2{margin-top:2.5em}table{border-collapse:collapse}
td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd;font-weight:normal}
</style></head><body><h1>Figures</h1>
<p>Made by <code>make figures</code>: numbers by recallmodel, pictures by gnuplot.</p><ul>
"""


def escape(text):
    return html.escape(text, quote=False)


def table(figure, file):
    """The columns that a remark in FIGURE.data names."""
    columns = re.findall(r"^# columns (.*)$", figure.data, re.M)
    if not columns:
        return ""
    columns = ",".join(columns).split(",")
    lines = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in columns) + "</tr>"]
    with open(file, encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            cells = (f"{float(row[name]):.6g}" if re.fullmatch(r"\d+\.\d+", row[name])
                     else escape(row[name]) for name in columns)
            lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>\n"


def entry(figure, folder, waits):
    """One figure."""
    name = figure.name
    text = f'<h2 id="{name}">{escape(figure.title)}</h2>\n'
    if not (folder / f"{name}.csv").exists():
        said = f"Waits for {waits}." if waits else f"Not made yet: make figures/{name}."
        return text + f"<p>{said}</p>\n"
    if (folder / f"{name}.svg").exists():
        text += f'<p><img src="{name}/{name}.svg" alt="{html.escape(figure.title)}"></p>\n'
    text += table(figure, folder / f"{name}.csv")
    added = folder / "caption.txt"
    caption = added.read_text(encoding="utf-8") if added.exists() else figure.caption
    without_title = caption.partition("\n")[2].strip()
    text += f"<p>{escape(without_title)}</p>\n"
    files = [f"{name}{end}" for end in (".csv", ".svg") if (folder / f"{name}{end}").exists()]
    text += "<p>" + ", ".join(f'<a href="{name}/{file}">{file}</a>' for file in files) + "</p>\n"
    return text + f"<pre>{escape(figure.listing())}</pre>\n"


def write(into, figures, waits_for):
    """Writes the page."""
    text = HEAD + "".join(f'<li><a href="#{figure.name}">{escape(figure.title)}</a></li>\n'
                          for figure in figures) + "</ul>\n"
    text += "".join(entry(figure, into / figure.name, waits_for(figure)) for figure in figures)
    (into / "index.html").write_text(text + "</body></html>\n", encoding="utf-8")
