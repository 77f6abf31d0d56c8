"""prepare.py - makes the pages of the site, as Markdown, from what the repository has.

    deliver/site/prepare.py FOLDER

Copies docs/, README.md (the home page), CONTRIBUTING.md and CHANGELOG.md with their links led to
the pages of the site, and generates the references, the figures and the notebooks. BUILD is the
folder of what was built, with the pages of `make reference`; RECALLMODEL_LIBRARY: the library.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import sys

import c_reference
import command_reference
import figures
import notebooks
import python_reference
from sources import TOP, Missing, copy_page, for_python_markdown, with_links, write

KATEX = pathlib.Path("/usr/share/javascript/katex")  # libjs-katex and fonts-katex of Debian


def home(into, page):
    """README.md, led by the page that answers in the browser."""
    readme = TOP / "README.md"
    text = for_python_markdown(with_links(readme.read_text(encoding="utf-8"), readme, "index.md",
                                          into))
    lead = "".join(f"[{title}]({page}){{ .md-button }}\n" for title, page in (
        ("Install", "packages.md"), ("Quick start", "quick-start.md"), ("Choosing", "choosing.md")))
    if page:
        button = "{ .md-button .md-button--primary }"
        lead = f"[Answer a question](page/recallmodel.html){button}\n{lead}"
    else:
        lead += "\nThe page that answers in the browser is not in this copy (`make page`).\n"
    first, second, rest = text.split("\n\n", 2)
    write(into, "index.md", f"{first}\n\n{second}\n\n{lead}\n{rest}")


def assets(into):
    """Styles, scripts and KaTeX with its fonts."""
    shutil.copytree(TOP / "deliver/site/assets", into / "assets", dirs_exist_ok=True)
    katex = into / "assets/katex"
    (katex / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copyfile(KATEX / name, katex / name)
    for font in sorted((KATEX / "fonts").glob("*.woff2")):
        shutil.copyfile(font, katex / "fonts" / font.name)
    style = (katex / "katex.min.css").read_text(encoding="utf-8")
    # Every browser reads woff2.
    style = re.sub(r",url\([^)]*\) format\('(woff|truetype)'\)", "", style)
    (katex / "katex.min.css").write_text(style, encoding="utf-8")


def main():
    into = pathlib.Path(sys.argv[1]).resolve()
    build = (TOP / os.environ.get("BUILD", "build")).resolve()
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    assets(into)
    page = build / "page/recallmodel.html"
    if page.exists():
        (into / "page").mkdir()
        shutil.copyfile(page, into / "page/recallmodel.html")
    done = {"notebooks": notebooks.make(into), "figures": figures.make(into),
            "commands": command_reference.make(into, build / "reference/commands"),
            "names in C": c_reference.make(into),
            "names in Python": python_reference.make(into)}
    home(into, page.exists())
    for source in sorted((TOP / "docs").glob("*.md")):
        copy_page(f"docs/{source.name}",
                  "overview.md" if source.name == "index.md" else source.name, into)
    copy_page("CONTRIBUTING.md", "contributing.md", into)
    copy_page("CHANGELOG.md", "changelog.md", into)
    print(", ".join(f"{number} {what}" for what, number in done.items()))


if __name__ == "__main__":
    try:
        main()
    except Missing as error:
        sys.exit(f"deliver/site/prepare.py: {error}")
