"""paper_figures/index.html: every figure, with its caption and its commands, or what it waits for.

SPDX-License-Identifier: Apache-2.0
"""
import html

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


def table(figure, into):
    """The columns that a remark in NAME.txt names."""
    lines = []
    for row in figure.table(into):
        cell = "td" if lines else "th"
        lines.append("<tr>" + "".join(f"<{cell}>{escape(x)}</{cell}>" for x in row) + "</tr>\n")
    return "<table>\n" + "".join(lines) + "</table>\n" if lines else ""


def entry(figure, into, waits):
    """One figure."""
    name, numbers = figure.name, figure.csv(into)
    text = f'<h2 id="{name}">{escape(figure.title)}</h2>\n'
    if not numbers.exists():
        said = f"Waits for {waits}." if waits else f"Not made yet: make figures/{name}."
        return text + f"<p>{said}</p>\n"
    files = [path for path in (numbers, figure.picture(into)) if path.exists()]
    if len(files) == 2:
        text += f'<p><img src="{name}/{name}.svg" alt="{html.escape(figure.title)}"></p>\n'
    text += table(figure, into)
    without_title = figure.caption_in(into / name).partition("\n")[2].strip()
    text += f"<p>{escape(without_title)}</p>\n"
    text += "<p>" + ", ".join(f'<a href="{path.relative_to(into)}">{path.name}</a>'
                              for path in files) + "</p>\n"
    return text + (f"<pre>{escape(figure.listing())}</pre>\n" if figure.commands() else "")


def write(into, figures, waits_for):
    """Writes the page."""
    text = HEAD + "".join(f'<li><a href="#{figure.name}">{escape(figure.title)}</a></li>\n'
                          for figure in figures) + "</ul>\n"
    text += "".join(entry(figure, into, waits_for(figure)) for figure in figures)
    (into / "index.html").write_text(text + "</body></html>\n", encoding="utf-8")
