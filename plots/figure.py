"""figure.py - a figure: the files of paper_figures/NAME/ and what they say (plots/make.py --help).

SPDX-License-Identifier: Apache-2.0
"""
import re

from program import ROOT, read

FIGURES = ROOT / "paper_figures"


def known():
    """The names of all figures."""
    return sorted(path.stem for path in FIGURES.glob("*/*.txt") if path.stem == path.parent.name)


def text_of(name, ending):
    path = FIGURES / name / f"{name}.{ending}"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def caption_and_commands(name):
    """The two parts of NAME.txt, with an empty line between them."""
    caption, _, commands = text_of(name, "txt").partition("\n\n")
    return caption.rstrip("\n") + "\n", commands


class Figure:
    """The sources of a figure, and what they say."""

    def __init__(self, name):
        self.name = name
        self.caption, self.data = caption_and_commands(name)
        self.gp = text_of(name, "gp")
        other = self.remark("numbers of")
        self.numbers_of = other or name
        if other:
            self.data += caption_and_commands(other)[1]

    def csv(self, into=FIGURES):
        """The file of its numbers, which may be that of another figure."""
        return into / self.numbers_of / f"{self.numbers_of}.csv"

    def rows(self, into=FIGURES):
        """Its numbers, as texts."""
        return read(self.csv(into))

    def picture(self, into=FIGURES):
        return into / self.name / f"{self.name}.svg"

    @property
    def title(self):
        return self.caption.split("\n")[0]

    def published(self):
        """What the caption says of the folders of runs/ whose numbers it has."""
        for source in self.sources():
            first = (ROOT / "runs" / source / "SOURCE").read_text(encoding="utf-8").split("\n")[0]
            yield f"Published: runs/{source} ({re.sub(r'(,|[.]$).*', '', first)}).\n"

    def caption_in(self, folder):
        """The caption, with what the numbers in this folder add to it."""
        added = folder / "caption.txt"
        return self.caption + (added.read_text(encoding="utf-8") if added.exists() else "") + \
            "".join(self.published())

    def listing(self):
        """The commands as they stand in NAME.txt."""
        return "".join(line + "\n" for line in self.data.splitlines() if not line.startswith("#"))

    def commands(self):
        return [line for line in self.listing().replace("\\\n", "").splitlines() if line.strip()]

    def of_program(self):
        """Are its numbers those that recallmodel prints, which other options change?"""
        commands = self.commands()
        return bool(commands) and all(line.startswith("recallmodel ") for line in commands)

    def remark(self, name, text=None):
        found = re.search(rf"^# {name}(?: (.*))?$", self.data if text is None else text, re.M)
        return found and (found[1] or "")

    def table(self, into=FIGURES):
        """The columns that its remarks name, as texts: their names and each row; else nothing."""
        columns = ",".join(re.findall(r"^# columns (.*)$", self.data, re.M)).split(",")
        if columns == [""]:
            return []
        return [columns] + [[f"{float(row[name]):.6g}" if re.fullmatch(r"\d+\.\d+", row[name])
                             else row[name] for name in columns] for row in self.rows(into)]

    def drawn_from(self):
        """NAME.gp and what it loads."""
        loaded = re.findall(r'^load "(.*)"$', self.gp, re.M)
        return self.gp + "".join((ROOT / file).read_text(encoding="utf-8") for file in loaded)

    def sources(self):
        """The folders of runs/ whose published numbers it has."""
        text = self.data + self.drawn_from()
        listed = (self.remark("sources", text) or "").split()
        code = re.findall(r"^[^#]*", text, re.M)
        return [folder.name for folder in sorted((ROOT / "runs").iterdir())
                if folder.is_dir() and (folder.name in listed or any(
                    re.search(rf"[ /]{re.escape(folder.name)}/", line) for line in code))]

    def reads(self):
        """The parts of own runs that it draws."""
        return set(re.findall(r'runs\."/([a-z0-9_-]*)\.csv', self.drawn_from())) if self.gp else ()

    def parts(self):
        """The rows of gpu/plan.ini that its numbers are."""
        return re.findall(r"^recallmodel-bench .*--grid ([a-z0-9-]*)", self.data, re.M)

    def captions(self):
        """(script, what) of the commands whose script also prints a caption."""
        return re.findall(r"^(plots/(?:cpu|tradeoff)\.py) ([a-z]*)$", self.data, re.M)

    def of_cpu(self):
        return any(script.endswith("/cpu.py") or what == "cpu" for script, what in self.captions())
