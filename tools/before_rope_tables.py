#!/usr/bin/env python3
"""before_rope_tables.py - the tables of docs/real-data.md, and the numbers of its figure.

    tools/before_rope_tables.py [FOLDER]          prints the tables
    tools/before_rope_tables.py --figure [FOLDER] writes FOLDER/ours-before-rope.csv
    tools/before_rope_tables.py --write PAGE [FOLDER]  puts the tables into the page, where a
                                                  remark "<!-- table NAME -->" stands before each

FOLDER (paper_figures/ours-before-rope) has the CSV files that tools/before_rope.py wrote.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import pathlib
import re
import sys


def rows_of(folder, name, **wanted):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file)
                if all(row[column] == value for column, value in wanted.items())]


def error(text):
    """Two significant digits, without the 0 before the point."""
    if not text:
        return "-"
    value = float(f"{float(text):.2g}")
    return f"{value:.6f}".rstrip("0").rstrip(".").removeprefix("0") or "0"


def ratio(row, name):
    if not row[name]:
        return "-"
    def short(text):
        value = float(text)
        return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else \
            f"{value:.2f}"
    if not row[f"{name}_low"]:
        return short(row[name])
    return f"{short(row[name])} ({short(row[f'{name}_low'])} to {short(row[f'{name}_high'])})"


# name: (what the first column is called, its name in the file)
TABLES = {"length": ("n", "n"), "transfer": ("centroids from", "centroids")}
MEASURED = ("after", "before", "before / after", "by oracle")


def lines_of(head, body):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in body:
        yield "| " + " | ".join(row) + " |"


def measured(row):
    return (error(row["after"]), error(row["before"]), ratio(row, "ratio"),
            ratio(row, "oracle_ratio"))


def table(folder, name):
    """The lines of a table of docs/real-data.md."""
    head, column = TABLES[name]
    return lines_of((head, *MEASURED),
                    ((row[column], *measured(row)) for row in rows_of(folder, name, share="0.05")
                     if name != "length" or row["clusters"] == "128"))


def write_page(page, folder):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"<!-- table ([a-z]+) -->", text):
        text = re.sub(rf"\n*(<!-- table {name} -->\n)\n*(\|[^\n]*\n)*",
                      lambda m, n=name: f"\n\n{m.group(1)}\n" + "\n".join(table(folder, n)) + "\n",
                      text)
    page.write_text(text, encoding="utf-8")


def write_figure(folder):
    rows = []

    def add(panel, series, x, row, name):
        if row[name]:
            rows.append({"panel": panel, "series": series, "x": x, "ratio": row[name],
                         "low": row.get(f"{name}_low", ""), "high": row.get(f"{name}_high", "")})
    kinds = (("", "ratio"), (" by oracle", "oracle_ratio"))
    for kind, name in kinds:
        for row in rows_of(folder, "length", share="0.05", clusters="128"):
            add("length", "real" + kind, row["n"], row, name)
        for row in rows_of(folder, "generated", share="0.05", clusters="128", theta="100000",
                           window="128"):
            add("length", row["setting"] + kind, row["n"], row, name)
        for row in rows_of(folder, "position"):
            add("time share", row["source"] + kind, row["time_share"], row, name)
    with open(folder / "ours-before-rope.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--figure", action="store_true", help="write FOLDER/ours-before-rope.csv")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into this page")
    parser.add_argument("folder", nargs="?", default="paper_figures/ours-before-rope")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    if not (folder / "length.csv").exists():
        print(f"before_rope_tables.py: {folder} has no length.csv", file=sys.stderr)
        sys.exit(2)
    if options.figure:
        write_figure(folder)
    elif options.write:
        write_page(pathlib.Path(options.write), folder)
    else:
        for name in TABLES:
            print(f"\n{name}\n\n" + "\n".join(table(folder, name)))


if __name__ == "__main__":
    main()
