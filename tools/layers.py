#!/usr/bin/env python3
"""layers.py - draws who includes whom, and checks that the layers allow it.

    tools/layers.py            writes the diagram into CONTRIBUTING.md
    tools/layers.py --check    compares the diagram there with the includes
    tools/layers.py --print    prints it
    tools/layers.py --headers  prints a line LAYER HEADER yes|no for each pair: may it include that?

A layer is a folder; the Makefile's lists SEES_* say what each may include (`make print-layers`).
Some layers have rooms (ROOMS), of which only some may be included by others.
The diagram stands between <!-- layers --> and <!-- /layers -->. FILE as the last argument takes
the place of CONTRIBUTING.md. The exit status is 1 if the diagram is not current or if an include
is not allowed, whatever was asked for.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import textwrap

WIDTH = 98
BOXES = 3  # in one row of the diagram, at most
BEGIN, END = "<!-- layers -->", "<!-- /layers -->"
SOURCES = (".c", ".h", ".cu", ".cuh", ".cc")
HEADERS = (".h", ".cuh")

# Folders with rooms, and which of these all other rooms stand on, the lowest first. A room may
# include those below it and the files at the top of its folder, and no other room.
ROOMS = {"sim": ["rows", "selection", "tally"],
         "attention": ["partition", "training", "methods"],
         "calibrate": ["runs"],
         "programs/recallmodel": ["output", "question"]}

ROOT = pathlib.Path(__file__).resolve().parent.parent
Include = collections.namedtuple("Include", "file line header")


def read_layers():
    """{layer: what it may include besides itself}, from the Makefile, in its order."""
    without_make = {name: value for name, value in os.environ.items()
                    if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "BUILD")}
    lines = subprocess.run(["make", "-s", "print-layers"], cwd=ROOT, env=without_make, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {layer: seen.split() for layer, seen in (line.split(":", 1) for line in lines)}


def is_under(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path, layers):
    """The layer of a file or of a folder of files, or None."""
    found = [layer for layer in layers if is_under(path, layer)]
    return max(found, key=len) if found else None


def may_include(layer, header, layers):
    return any(is_under(header, seen) for seen in (layer, *layers[layer]))


def room_of(path, folder):
    parts = path[len(folder) + 1:].split("/")
    return parts[0] if len(parts) > 1 else None


def rooms_allow(name, header):
    for folder, shared in ROOMS.items():
        if is_under(name, folder) and is_under(header, folder):
            room, other = room_of(name, folder), room_of(header, folder)
            below = shared[:shared.index(room)] if room in shared else shared
            return room is None or other is None or other == room or other in below
    return True


def files_of(layers, kinds):
    """All files of the layers with one of these endings, from the top folder."""
    return sorted({str(path.relative_to(ROOT)) for layer in layers
                   for path in (ROOT / layer).rglob("*") if path.name.endswith(kinds)})


def includes(layers):
    """Every include of a header of this repository."""
    tops = {layer.split("/")[0] for layer in layers}
    for name in files_of(layers, SOURCES):
        for number, text in enumerate((ROOT / name).read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*(?:<(.*?)>|"(.*?)")', text)
            if not found:
                continue
            if found[2]:
                yield Include(name, number, os.path.normpath(f"{os.path.dirname(name)}/{found[2]}"))
            elif found[1].split("/")[0] in tops:
                yield Include(name, number, found[1])


def faults(found, layers):
    """What the layers do not allow, a line for each."""
    for include in found:
        layer = layer_of(include.file, layers)
        place = f"{include.file}:{include.line}"
        if not (ROOT / include.header).is_file():
            if not (ROOT / "build" / include.header).is_file() and layer_of(include.header, layers):
                if include.header.endswith(HEADERS):
                    yield f"{place}: there is no {include.header}"
        elif not may_include(layer, include.header, layers):
            yield f"{place}: the layer {layer} may not include {include.header}"
        elif not rooms_allow(include.file, include.header):
            yield f"{place}: this room may not include {include.header}"


# ---- the diagram


def levels(edges):
    """The nodes of {node: nodes that it includes}, the highest first; ValueError at a circle."""
    level = {}

    def visit(node, way):
        if node in way:
            raise ValueError("these include each other in a circle: " + " -> ".join([*way, node]))
        if node not in level:
            below = [visit(other, [*way, node]) for other in sorted(edges[node])]
            level[node] = 1 + max(below, default=-1)
        return level[node]

    for node in edges:
        visit(node, [])
    rows = collections.defaultdict(list)
    for node in sorted(edges):
        rows[level[node]].append(node)
    return [rows[number] for number in sorted(rows, reverse=True)]


def draw_row(nodes, edges, label):
    """Boxes side by side: a node's name, and what it includes."""
    width = (WIDTH - 2 * (len(nodes) - 1)) // len(nodes)
    boxes = []
    for node in nodes:
        below = ", ".join(label(node, other) for other in sorted(edges[node]))
        text = textwrap.wrap("includes " + below, width - 4, break_on_hyphens=False,
                             break_long_words=False) if below else ["includes none of them"]
        boxes.append([node, *text])
    height = max(map(len, boxes))
    edge = "  ".join("+" + "-" * (width - 2) + "+" for _ in boxes)
    yield edge
    for i in range(height):
        yield "  ".join(f"| {(box[i] if i < len(box) else ''):<{width - 4}} |" for box in boxes)
    yield edge


def draw(edges, label):
    for row in levels(edges):
        for begin in range(0, len(row), BOXES):
            yield from draw_row(row[begin:begin + BOXES], edges, label)


def layer_edges(found, layers):
    edges = {layer: set() for layer in layers}
    for include in found:
        layer, other = layer_of(include.file, layers), layer_of(include.header, layers)
        if other and other != layer:
            edges[layer].add(other)
    return edges


def folder_edges(found, top):
    """The same for the folders in one layer, without the headers above them."""
    folders = sorted(path.name for path in (ROOT / top).iterdir()
                     if path.is_dir() and any(path.glob("*.c")))
    edges = {folder: set() for folder in folders}
    for include in found:
        here, there = include.file.split("/"), include.header.split("/")
        if here[0] == there[0] == top and here[1] in edges and there[1] in edges:
            edges[here[1]].add(there[1])
        edges.get(here[1], set()).discard(here[1])
    return edges


def diagram(found, layers):
    """The text between the marks."""
    def label(layer, other):
        # Of some layers only single headers may be seen, the public ones.
        return other if may_include(layer, other, layers) or layer == "tests" else other + "*"

    text = ["", "A layer includes only layers below it. `*`: only the public headers.", "", "```"]
    text += draw(layer_edges(found, layers), label)
    text += ["```", "", "The folders in `model/`; all of them also include the public headers.", "",
             "```"]
    text += draw(folder_edges(found, "model"), lambda _, other: other)
    return "\n".join(line.rstrip() for line in [*text, "```", ""]) + "\n"


def put(path, text, check):
    """Writes the text between the marks of the file, or compares; returns what is wrong, or ''."""
    page = path.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        return f"{path}: lacks {BEGIN} and {END}"
    head, tail = page[:page.index(BEGIN)], page[page.index(END):]
    wanted = head + BEGIN + "\n" + text + tail
    if check:
        return "" if page == wanted else f"{path}: the diagram is not current; run tools/layers.py"
    path.write_text(wanted)
    return ""


def main():
    parser = argparse.ArgumentParser(usage="tools/layers.py [--check | --print | --headers] [FILE]")
    for option in ("--check", "--print", "--headers"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("file", nargs="?", default=ROOT / "CONTRIBUTING.md", type=pathlib.Path)
    options = parser.parse_args()
    layers = read_layers()
    if options.headers:
        for layer in layers:
            for header in files_of(layers, HEADERS):
                print(layer, header, "yes" if may_include(layer, header, layers) else "no")
        return 0
    found = list(includes(layers))
    wrong = list(faults(found, layers))
    try:
        text = diagram(found, layers)
        if options.print:
            print(text, end="")
        else:
            wrong += filter(None, [put(options.file, text, options.check)])
    except ValueError as circle:
        wrong.append(str(circle))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
