"""The pages of the notebooks, with their outputs.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import json
import re

from sources import TOP, plain, with_links, write


def title_of(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return re.match(r"# (.*)", "".join(cells[0]["source"]))[1]


def fenced(text, language="text"):
    """Text as a block of code."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text).rstrip()
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}\n\n"


def output(data, name, into, alt):
    """One output of a cell; a picture becomes a file."""
    if data["output_type"] == "stream":
        return fenced("".join(data["text"]))
    if data["output_type"] == "error":
        return fenced("\n".join(data["traceback"]))
    shown = data["data"]
    for kind, suffix in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in shown:
            content = "".join(shown[kind])
            path = into / "notebooks" / f"{name}.{suffix}"
            path.write_bytes(content.encode() if suffix == "svg" else base64.b64decode(content))
            return f"![{plain(alt)}]({path.name})\n\n"
    return fenced("".join(shown.get("text/plain", "")))


def page(path, into):
    """A notebook as Markdown."""
    text, alt, count = "", "", 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = re.findall(r"^#+ (.*)$", source, flags=re.M)
            alt = heading[-1] if heading else alt
            text += with_links(source, path, f"notebooks/{path.stem}.md", into) + "\n\n"
            continue
        text += fenced(source, "python")
        for data in cell["outputs"]:
            count += 1
            text += output(data, f"{path.stem}-{count}", into, alt)
    return text


def make(into):
    """Writes the pages; returns their number."""
    (into / "notebooks").mkdir(parents=True, exist_ok=True)
    text = "# Notebooks\n\nQuestions, answered step by step with the Python module.\n\n"
    sources = sorted(TOP.glob("notebooks/*.ipynb"))
    for source in sources:
        write(into, f"notebooks/{source.stem}.md", page(source, into))
        text += f"- [{plain(title_of(source))}]({source.stem}.md)\n"
    write(into, "notebooks/index.md", text)
    return len(sources)
