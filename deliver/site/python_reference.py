"""The Python reference: what `import recallmodel` offers, from its docstrings and signatures.

It imports the module, which loads the built library (RECALLMODEL_LIBRARY).

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import inspect
import re
import sys

import sources
from sources import TOP, plain, write

# The pages, in this order: the module, its name on the site.
MODULES = (("_model", "model"), ("_parts", "parts"), ("_mass", "mass"), ("_select", "select"),
           ("_profiles", "profiles"), ("_rows", "rows"),
           ("_attention", "attention"), ("_topk", "topk"), ("_tune", "tune"), ("_runs", "runs"))


NAMES = r"[a-z](?:\w|\\_)*(?:, [a-z](?:\w|\\_)*)*"  # of arguments, before a colon
OUTCOME = r"Returns |Raises |\w*Error |NaN "


def described(block):
    """A paragraph of a docstring: what describes arguments as a list."""
    lines = []
    for line in block.splitlines():
        line = re.sub(rf"(^|(?<=\. ))({NAMES}):(?= )", "\n- **\\2**:", line).split("\n")
        if lines and not line[0] and len(line) > 1:
            line = line[1:]
        elif re.match(OUTCOME, line[0]) and any(known.startswith("- ") for known in lines):
            line[0] = "\n" + line[0]
        lines += line
    text = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"^((?!- )[^\n]+(?:\n(?!- )[^\n]+)*)\n- ", r"\1\n\n- ", text).strip()


def prose(docstring):
    """A docstring as Markdown: sessions as code, arguments as lists."""
    text, session = "", []

    def flush():
        nonlocal text, session
        if session:
            text += "```pycon\n" + "\n".join(session) + "\n```\n\n"
            session = []

    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        if block.lstrip().startswith(">>>"):
            session += inspect.cleandoc(block).splitlines()
            continue
        flush()
        text += described(sources.prose(block)) + "\n\n"
    flush()
    return text


def signature(thing):
    try:
        said = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(..)"
    said = re.sub(r"recallmodel\._\w+\.|typing\.", "", said)
    said = re.sub(r"(: |-> )'([^']*)'", r"\1\2", said)
    return re.sub(r"<([^ >]*) at 0x[^>]*>", r"\1", said)


def wrapped(name, said):
    """A signature in lines of at most 88."""
    if len(name + said) <= 88:
        return name + said
    inside, after = said[1:].rsplit(")", 1)
    parts, depth, at = [], 0, 0
    for i, letter in enumerate(inside):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(inside[at:i].strip())
            at = i + 1
    parts.append(inside[at:].strip())
    lines = [name + "("]
    for part in parts:
        if len(lines[-1]) + len(part) > 84 or lines[-1].endswith("("):
            lines.append("    ")
        lines[-1] += part + ", "
    lines[-1] = lines[-1].rstrip(", ") + ")" + after
    return "\n".join(line.rstrip() for line in lines)


def one(name, thing, level="##"):
    """A function or a class as Markdown."""
    label = name.rsplit(".", 1)[-1]
    text = f"{level} `{label}` {{#{name}}}\n\n"
    head = "class " if inspect.isclass(thing) else ""
    text += f"```python\n{wrapped(head + label, signature(thing))}\n```\n\n"
    text += prose(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        for inner, value in vars(thing).items():
            if inner.startswith("_") or not getattr(value, "__doc__", None):
                continue
            if inspect.isfunction(value):
                text += one(f"{name}.{inner}", value, level + "#")
            elif isinstance(value, property) and value.__doc__:
                text += f"{level}# `{inner}` {{#{name}.{inner}}}\n\n{prose(value.__doc__)}"
    return text


def make(into):
    """Writes the pages; returns the number of names."""
    sys.path.insert(0, str(TOP / "python"))
    sys.dont_write_bytecode = True
    module = importlib.import_module("recallmodel")
    left = {name for name in module.__all__ if hasattr(getattr(module, name), "__module__")}
    count = len(left)
    index = "# The module recallmodel\n\n" + prose(module.__doc__)
    index += "[From Python](../library.md#from-python) leads through it.\n\n"
    for source, page in MODULES:
        inner = importlib.import_module(f"recallmodel.{source}")
        ours = [name for name in vars(inner)
                if name in left and getattr(inner, name) is getattr(module, name)]
        ours = [name for name in ours
                if getattr(getattr(inner, name), "__module__", "") == inner.__name__]
        left -= set(ours)
        first = inner.__doc__.split(":")[0].rstrip(".")
        text = f"# {plain(first)}\n\n{sources.prose(inspect.cleandoc(inner.__doc__))}\n\n"
        write(into, f"python_reference/{page}.md",
              text + "".join(one(name, getattr(module, name)) for name in ours))
        index += f"## [{plain(first)}]({page}.md)\n\n"
        index += ",\n".join(f"[`{name}`]({page}.md#{name})" for name in ours) + "\n\n"
    if left:
        raise SystemExit(f"deliver/site/python_reference.py: MODULES lacks that of {sorted(left)}")
    write(into, "python_reference/index.md", index)
    return count
