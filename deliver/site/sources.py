"""Where a file of the repository is on the site, and the links between pages written for there.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil

TOP = pathlib.Path(__file__).resolve().parents[2]
RENAMED = {"README.md": "index.md", "docs/index.md": "overview.md",
           "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
HEADERS = {"topk/topk.h": "c/topk.md", "gpu/topk_gpu.h": "c/topk_gpu.md",
           "model/recallmodel.h": "c/index.md"}

# The titles of pages in the navigation.
TITLES = {page: title for title, page in re.findall(
    r"^ +- ([^*\n]+): (\S+\.md)$",
    (TOP / "deliver/site/mkdocs.yml").read_text(encoding="utf-8"), re.M)}


class Missing(Exception):
    """A link leads to a file that is not there."""


def place_of(source, into):
    """Where a file of the repository is below the folder of the site; copies what is no page."""
    name = source.relative_to(TOP).as_posix()
    if name in RENAMED:
        return RENAMED[name]
    if name in HEADERS:
        return HEADERS[name]
    if name.startswith("model/recallmodel/") and name.endswith(".h"):
        return f"c/{source.stem}.md"
    if name.startswith("docs/") and name.endswith(".md"):
        return source.name
    if name.startswith("notebooks/"):
        return f"notebooks/{source.stem}.md"
    if not source.is_file():
        raise Missing(name)
    if "." not in source.name or source.suffix == ".cff":
        name += ".txt"  # so that a browser shows it
    target = into / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return name


def with_links(text, source, page, into):
    """The text of the page `source`, its links led to where their targets are on the site."""

    def titled(match):
        name = match[2].rsplit("/", 1)[-1]
        title = TITLES.get(RENAMED.get(f"docs/{name}", name)) if name == match[1] else None
        return f"[{title}]({match[2]}" if title else match[0]

    def led(match):
        if match[1] is None:
            return match[0]  # code
        path, hash_, at = match[1].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        target = (source.parent / path).resolve()
        try:
            place = place_of(target, into)
        except (Missing, ValueError) as error:
            raise Missing(f"{source.relative_to(TOP)}: {match[1]} leads nowhere") from error
        return f"]({os.path.relpath(place, os.path.dirname(page) or '.')}{hash_}{at})"

    # A link that shows the name of the file shows the title of its page on the site.
    text = re.sub(r"\[(?:docs/)?([\w-]+\.md)\]\(((?:docs/)?[\w-]+\.md)", titled, text)
    return re.sub(r"^```.*?^```|`[^`]*`|\]\(([^)\s]+)\)", led, text, flags=re.M | re.S)


def for_python_markdown(text):
    """The same Markdown for Python-Markdown, which wants paragraphs of an item indented by 4."""
    lines, fence, within = [], False, 0
    for line in text.splitlines():
        if re.match(r" *```", line):
            fence = not fence
            within = 0 if line.startswith("`") else within
        item = re.match(r"([-*]|\d+\.) +", line)
        if item and not fence:
            within = len(item[0])
        elif line and not line.startswith(" ") and not fence:
            within = 0
        elif within and line.startswith(" " * within):
            line = " " * (4 - within) + line
        lines.append(line)
    return "\n".join(lines) + "\n"


def write(into, page, text):
    """Writes a page of the site."""
    target = into / page
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def copy_page(name, page, into):
    """Copies a page of the repository; returns what was written."""
    source = TOP / name
    text = for_python_markdown(with_links(source.read_text(encoding="utf-8"), source, page, into))
    write(into, page, text)
    return text


def plain(text):
    """Text that Markdown shows as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_{}\[\]#$])", r"\\\1", text)


def prose(text):
    """The same, but what stands in backticks stays code."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if at % 2 else plain(part) for at, part in enumerate(parts))
