"""The pictures of a figure, by gnuplot: SVG, PDF and, where asked for, PNG.

SPDX-License-Identifier: Apache-2.0
"""
import html
import os
import pathlib
import re
import shutil
import subprocess

# What is shorter in an SVG: numbers, the font's name (it stands at the top), SVG's defaults. Lines
# of text keep their blanks and numbers.
ROOT = '<svg font-family="DejaVu Sans, Verdana, sans-serif" xml:space="preserve"'
NOT_IN_TEXT = ((r"([0-9])\.00([^0-9])", r"\1\2"), (r"(\.[0-9])0([^0-9])", r"\1\2"),
               (r"^[ \t]+", ""), (r"[ \t]+$", ""), (r"  +", " "))
ANYWHERE = ((r' stroke-linecap="butt" stroke-linejoin="miter"', ""),
            (r' font-family="DejaVu Sans" *', " "), (r"<tspan >([^<]*)</tspan>", r"\1"),
            (r"rgb\( *([0-9]+), *([0-9]+), *([0-9]+)\)", r"rgb(\1,\2,\3)"),
            (r' class="gridline"', ""))


class NotDrawn(OSError):
    """What gnuplot said."""


def terminal(figure, kind):
    """gnuplot's terminal: png, or the same picture as svg or pdf. In all of them a font of 11 is
    1.5 % of the width. The smallest, 9, is 6.9 points in a PDF of 17.6 cm."""
    font = "font 'DejaVu Sans,11'"
    height = int(figure.remark("height", figure.gp) or 420)
    if kind == "svg":
        return f"svg size 1000,{height} {font} fontscale 1.15 background 'white'"
    if kind == "png":
        return f"pngcairo size 1000,{height} {font} background 'white'"
    if figure.remark("column", figure.gp) is not None:
        return f"pdfcairo size 12cm,8cm {font} fontscale 0.62 linewidth 0.8 pointscale 0.6"
    return (f"pdfcairo size 17.6cm,{height * 17.6 / 1000:g}cm {font} fontscale 0.57 linewidth 0.7 "
            "pointscale 0.6")


def draw_one(figure, kind, work):
    """Draws work/picture.KIND. A warning of gnuplot is an error, except about own runs that are
    missing."""
    inputs = "".join(f"{name}='{work}/{name}';" for name in ("csv", "published", "runs"))
    done = subprocess.run(
        ["gnuplot", "-e", inputs, "-e", f"set terminal {terminal(figure, kind)}; "
         f"set output '{work}/picture.{kind}'", "plots/style.gp", f"{work}/figure.gp"],
        capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines()
            if line.strip() and "Skipping data file with no valid points" not in line]
    if done.returncode or said:
        raise NotDrawn(f"gnuplot on {figure.name}: " + "\n".join(said[:5]))


def tidy(text, title):
    """A shorter SVG, with the title of the figure."""
    lines = []
    for line in text.splitlines():
        line = re.sub("^<svg *$", ROOT, line)
        for pattern, by in () if "<text" in line else NOT_IN_TEXT:
            line = re.sub(pattern, by, line)
        for pattern, by in ANYWHERE:
            line = re.sub(pattern, by, line)
        if line:
            lines.append(line + "\n")
    text = re.sub(r"<g [^>]*>\n</g>\n", "", "".join(lines))
    return re.sub("^<title>.*", lambda _: f"<title>{html.escape(title, quote=False)}</title>",
                  text, flags=re.M)


def draw(figure, into, work, published):
    """Draws a figure into its folder in `into`; with PNG=1 in the environment also as pixels."""
    target = figure.picture(into).with_suffix("")
    shutil.copyfile(figure.csv(into), work / "csv")
    (work / "figure.gp").write_text(figure.gp, encoding="utf-8")
    os.symlink(published, work / "published")
    kinds = ("pdf", "png") if os.environ.get("PNG") == "1" else ("pdf",)
    pathlib.Path(f"{target}.png").unlink(missing_ok=True)
    for kind in ("svg", *kinds):
        draw_one(figure, kind, work)
    text = tidy((work / "picture.svg").read_text(encoding="utf-8"), figure.title)
    pathlib.Path(f"{target}.svg").write_text(text, encoding="utf-8")
    for kind in kinds:
        shutil.move(work / f"picture.{kind}", f"{target}.{kind}")
