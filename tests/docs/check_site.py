"""Checks what the documentation site is made of. tests/docs/test_site.sh runs it.

    check_site.py FOLDER

FOLDER/symbols has the public functions of the libraries, as nm lists them; FOLDER/reference the
pages of the commands. The pages of the site are written below FOLDER.

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import pathlib
import re
import subprocess
import sys

import command_reference
import c_reference
import figures
import headers
import sources
from pages import TOP, PROGRAM

checked = 0


def anchors(folder):
    """(page, anchor) for each anchor that the pages of a folder set."""
    for page in sorted(folder.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for anchor in re.findall(r"\{#([\w.-]+)\}|<a id=\"([\w.-]+)\">", text):
            yield page.name, anchor[0] or anchor[1]


def repeated(folder):
    """An anchor that stands twice on a page."""
    seen = set()
    for place in anchors(folder):
        if place in seen:
            yield f"{place[0]} has the anchor {place[1]} twice"
        seen.add(place)


def check_c(into):
    """Every function that a library exports, and every function of the header for GPUs."""
    c_reference.make(into)
    known = {anchor for _, anchor in anchors(into / "c")}
    symbols = set((into / "symbols").read_text(encoding="utf-8").split())
    gpu = (TOP / "gpu/topk_gpu.h").read_text(encoding="utf-8")
    symbols |= set(re.findall(r"^[a-z].*\b(rcm_gpu_\w+)\(", gpu, flags=re.M))
    if len(symbols) < 100:
        yield f"only {len(symbols)} public functions were found"
    for symbol in sorted(symbols):
        yield None
        if symbol not in known:
            yield f"the C reference has no {symbol}"
    yield from repeated(into / "c")
    there = set(anchors(into / "c"))
    for page in sorted((into / "c").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for place in re.findall(r"\]\((\w+\.md)#([\w-]+)\)", text):
            yield None
            if place not in there:
                yield f"{page.name} leads to {'#'.join(place)}, which is not there"


def check_contract(_):
    """A contract by hand: the fields of a comment, and a struct beside its function."""
    text = """/* a.h - what it is. */
/* Finds it.
 * Domain    n >= 1,
 *           k <= n.
 * Accuracy  exact. */
double rcm_find(struct rcm_it p);

/* What is sought. */
struct rcm_it {
    int n; /* a; b */
};
int rcm_it(void);
"""
    _, find, it = headers.items(text)
    yield None
    if headers.parts(find.comment) != [("text", "Finds it."), ("fields", [
            ["Domain", "n >= 1, k <= n."], ["Accuracy", "exact."]])]:
        yield f"a contract reads as {headers.parts(find.comment)}"
    if headers.names(find.code) + headers.names(it.code) != ["rcm_find", "rcm_it", "struct rcm_it"]:
        yield f"names read as {headers.names(find.code)}, {headers.names(it.code)}"


def check_python(into):
    """Every name of the module."""
    try:
        importlib.import_module("numpy")
    except ImportError:
        print("SKIPPED: the Python reference: there is no numpy (Debian: python3-numpy)")
        return
    reference = importlib.import_module("python_reference")
    reference.make(into)
    known = {anchor for _, anchor in anchors(into / "python_reference")}
    for name in importlib.import_module("recallmodel").__all__:
        yield None
        if name not in known:
            yield f"the Python reference has no {name}"
    yield from repeated(into / "python_reference")


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def check_commands(into):
    """Every subcommand, with every option that its help names."""
    command_reference.make(into, into / "reference")
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (into / "commands").glob("*")}
    names = re.findall(r"^  ([a-z]\S+) +\S", printed("help").partition("\nSubcommands:\n")[2], re.M)
    if len(names) < 10:
        yield f"recallmodel help lists {names}"
    for name in names:
        for option in re.findall(r"^  (--[a-z-]+)", printed("help", name), re.M):
            yield None
            if option not in pages.get(name, ""):
                yield f"the page of recallmodel {name} has no {option}"


def check_figures(into):
    """Every figure: its title, its picture and its numbers."""
    figures.make(into)
    text = "".join(page.read_text(encoding="utf-8")
                   for page in sorted((into / "paper_figures").glob("*.md")))
    for name in figures.known():
        yield None
        if f"{{#{name}}}" not in text:
            yield f"no page has the figure {name}"
        figure = figures.Figure(name)
        for path in (figure.picture(), figure.csv()):
            at = path.relative_to(figures.FIGURES)
            if path.exists() and not (f"({at})" in text
                                      and (into / "paper_figures" / at).is_file()):
                yield f"the page of the figure {name} has no {path.suffix[1:]}"


def check_navigation(into):
    """Every page of docs/ and of the references, and links between them."""
    menu = (TOP / "deliver/site/mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    for written in sorted(into.glob("c/*.md")) + sorted(into.glob("python_reference/*.md")):
        yield None
        if not re.search(rf"[ /]{re.escape(str(written.relative_to(into)))}$", menu, flags=re.M):
            yield f"deliver/site/mkdocs.yml: nav has no {written.relative_to(into)}"
    names = {f"docs/{path.name}" for path in (TOP / "docs").glob("*.md")}
    for name in sorted(names | {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}):
        page = sources.place_of(TOP / name, into)
        yield None
        if not re.search(rf"[ /]{re.escape(page)}$", menu, flags=re.M):
            yield f"deliver/site/mkdocs.yml: nav has no {page}"
        text = sources.copy_page(name, page, into)
        picture = r"(?![\w-]+\.png\))"  # stands there, under the same name
        if re.search(rf"\]\(\.\./(docs/{picture}|README|CONTRIBUTING)|\]\(docs/{picture}", text):
            yield f"{name}: a link still leads to a file of the repository"


def check_inline_formulas(_):
    """No backslash before punctuation in a formula between dollar signs: forges take it away."""
    for page in sorted((TOP / "docs").glob("*.md")):
        text = re.sub(r"^ *```.*?^ *```|`[^`\n]*`|^    [^\n]*$", "",
                      page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for formula in re.findall(r"\$[^$]+\$", text):
            yield None
            if re.search(r"\\[^A-Za-z]", formula):
                yield f"docs/{page.name}: a backslash before punctuation in {formula}"


def main():
    global checked
    if not PROGRAM.exists():
        sys.exit(f"there is no {PROGRAM}")
    into, failures = pathlib.Path(sys.argv[1]), []
    for check in (check_contract, check_c, check_python, check_commands, check_figures,
                  check_navigation, check_inline_formulas):
        for line in check(into):
            checked += line is None
            failures += [line] if line else []
    print("\n".join([f"FAIL: {line}" for line in failures]
                    + [f"{checked} places checked, {len(failures)} failed"]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
