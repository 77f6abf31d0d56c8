"""Links, the index, paths, the width of lines, CITATION.cff.

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import json
import re
import subprocess

from pages import TOP, PROGRAM, PAGES, notes, checks, name_of, text_of

README_LINES = 120
WIDTH = 100


def anchors(page):
    """The anchors that GitHub gives to headings."""
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, flags=re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        yield re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def check_links():
    """Relative links and their anchors."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text_of(page), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            checks()
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{name_of(page)}: {link} leads nowhere"
            elif anchor and anchor not in anchors(target):
                yield f"{name_of(page)}: {link}: no such heading"


def check_index():
    """Every page stands in docs/index.md, and every term in its glossary."""
    text = text_of(TOP / "docs/index.md")
    for page in (TOP / "docs").glob("*.md"):
        checks()
        if page.name != "index.md" and f"]({page.name})" not in text:
            yield f"docs/index.md does not list {page.name}"
    glossary = text.split("## Glossary")[1].split("\n## ")[0].lower()
    for term in ("stage 1", "stage 2", "bucket", "candidate", "recall", "loss", "distribution",
                 "profile", "regime", "regret"):
        checks()
        if f"**{term}**" not in glossary:
            yield f"docs/index.md: the glossary has no {term}"


def check_picture():
    """The picture of the page shows today's answer: deliver/packaging/first_page.py notes its
    text in it."""
    checks()
    found = re.search(rb"iTXtDescription\0{5}(.*?)....\0\0\0\0IEND",
                      (TOP / "docs/page.png").read_bytes(), re.S)
    text = " ".join(found[1].decode().split()) if found else ""
    asked = re.search('^QUESTION = "(.*)"$', text_of(TOP / "deliver/packaging/first_page.py"), re.M)
    words = [word for pair in asked[1].split("&") for word in ("--" + pair).split("=")]
    answer = json.loads(subprocess.run([PROGRAM, "select", *words, "--json"],
                                       capture_output=True).stdout)
    cells = [cell for one in answer["contenders"] for cell in one["shown"]]
    for line in (answer["headline"], *cells):
        if " ".join(line.split()) not in text:
            yield f"docs/page.png does not show '{line}': make transcripts"
            return


def check_paths():
    """Files and folders that pages name in backticks are there, from the top folder on."""
    made = re.compile(r"NAME|RUNS|gpu/runs|^build/|^/|^\./|\.\.|paper_figures/$")
    for page in PAGES:
        for path in re.findall(r"`([\w./-]+/[\w./-]*)`", text_of(page)):
            if not made.search(path):
                checks()
                named = TOP / "runs" / f"{path}.csv"  # the name of measured runs
                if not (TOP / path).exists() and not named.exists():
                    yield f"{name_of(page)}: {path} is not there"


def check_registries():
    """The registries to which CONTRIBUTING.md adds rows are in the files that it names."""
    text = " ".join(text_of(TOP / "CONTRIBUTING.md").split())
    found = re.findall(r"row of `(\w+\[)\]` in `([\w./-]+)`", text)
    checks(1 + len(found))
    if len(found) < 6:
        yield f"CONTRIBUTING.md: only {len(found)} registries were found"
    for registry, path in found:
        folder, name = path.split("/")[0], path.split("/")[-1]
        if not any(registry in text_of(file) for file in TOP.glob(f"{folder}/**/{name}")):
            yield f"CONTRIBUTING.md: there is no {registry}] in {path}"


def check_widths():
    """Lines of at most 100 bytes, but for what a program prints; README of at most 120 lines."""
    for page in PAGES:
        printed = fence = False
        wide = []
        for number, line in enumerate(text_of(page).splitlines(), 1):
            if line.startswith("```"):
                fence, printed = not fence, False
            elif fence and line.startswith("$ "):
                printed = True
            if not printed and len(line.encode()) > WIDTH:
                wide.append(f"{name_of(page)}:{number}: {len(line.encode())} bytes")
        checks()
        yield from wide
    checks(2)
    readme = text_of(TOP / "README.md")
    if readme.count("\n") > README_LINES:
        yield f"README.md has {readme.count(chr(10))} lines, more than {README_LINES}"
    for target in ("demo", "check"):
        if f"make {target}" not in readme:
            yield f"README.md does not name make {target}"


def check_citation():
    """CITATION.cff is YAML with the keys of the format, and of this version."""
    text = text_of(TOP / "CITATION.cff")
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    checks(2)
    said = re.search(r"^version: (\S+)$", text, flags=re.M)
    if not said or said[1] != version.stdout.split()[-1]:
        yield f"CITATION.cff is of another version than {version.stdout.strip()}"
    built_on = text_of(TOP / "README.md").split("Planned")[0]
    for number in re.findall(r"arXiv (\d{4}\.\d{5})\]", built_on):
        checks()
        if f"arXiv:{number}" not in text or f"abs/{number}" not in text:
            yield f"CITATION.cff does not name {number}"
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        notes.append("SKIPPED: CITATION.cff as YAML: no yaml module (Debian: python3-yaml)")
        return
    try:
        cited = yaml.safe_load(text)
    except yaml.YAMLError as error:
        yield f"CITATION.cff: {error}"
        return
    wanted = {"cff-version", "message", "title", "authors", "version", "license", "references"}
    if not isinstance(cited, dict) or wanted - set(cited):
        yield f"CITATION.cff lacks {wanted - set(cited or ())}"
    elif cited["license"] != "Apache-2.0" or str(cited["cff-version"]) != "1.2.0":
        yield "CITATION.cff: the licence or the version of the format"
    elif any(not {"type", "title", "authors"} <= set(r) for r in cited["references"]):
        yield "CITATION.cff: a reference lacks its type, title or authors"
