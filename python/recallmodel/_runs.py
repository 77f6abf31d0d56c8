"""The measured runs that come with the project: their list, and their columns as arrays."""
from __future__ import annotations

import csv
import dataclasses
import difflib
import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any

import numpy

from ._library import Path

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIABLE = "RECALLMODEL_RUNS"


@dataclasses.dataclass(frozen=True)
class Runs:
    """A file of measured runs: its name, its rows, what was measured on which device, the types of
    the values and the licence, as `recallmodel runs` lists them, and its path. How it was timed:
    what a time is (median, mean), the cache (warm, cold), whether the launch is in it (with,
    without), and the lengths of the rows of a call (equal); empty where it is not stated.
    """
    name: str
    rows: int
    what: str
    device: str
    dtype: str
    licence: str
    statistic: str
    cache: str
    launch: str
    lengths: str
    path: pathlib.Path

    def source(self) -> str:
        """The text that says where the runs come from, and what was left out."""
        return (self.path.parent / "SOURCE").read_text(encoding="utf-8-sig")


def _folder():
    """The folder of the measured runs. FileNotFoundError if there is none.

    It is that of RECALLMODEL_RUNS if this is set; otherwise runs/ beside this file (pip install) or
    of the source tree; otherwise share/recallmodel/runs of this Python or below /usr/local (make
    install). programs/common/runs_folder.h is the rule of the command.
    """
    given = os.environ.get(VARIABLE)
    here = pathlib.Path(__file__).resolve().parent
    share = "share/recallmodel/runs"
    tried = [pathlib.Path(given)] if given else [
        here / "runs", here.parents[1] / "runs", pathlib.Path(sys.prefix) / share,
        pathlib.Path("/usr/local") / share, pathlib.Path("/usr") / share]
    for folder in tried:
        if (folder / "index.csv").is_file():
            return folder
    raise FileNotFoundError(f"{VARIABLE}: there is no index.csv in {given}" if given else
                            f"the measured runs were not found; set {VARIABLE} to their folder")


def _rows_of(path):
    """The header of a CSV file and its rows, without empty lines and remarks."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    header, *rows = csv.reader(lines)
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"{path}: a row has {len(row)} columns, the header has {len(header)}: "
                             f"{','.join(row)[:60]}")
    return header, rows


def runs() -> list[Runs]:
    """The measured runs that come with the project, in the order of `recallmodel runs`."""
    folder = _folder()
    header, rows = _rows_of(folder / "index.csv")
    entries = (dict(zip(header, row)) for row in rows)
    return [Runs(**{**entry, "rows": int(entry["rows"])}, path=folder / f"{entry['name']}.csv")
            for entry in entries]


def _path_of(name_or_path):
    """As the command: what exists, begins with / or has a point is a path, the rest a name."""
    path = pathlib.Path(name_or_path)
    text = os.fspath(name_or_path)
    if path.exists() or text.startswith("/") or "." in text:
        return path
    known = {one.name: one.path for one in runs()}
    if text not in known:
        near = difflib.get_close_matches(text, known, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else "recallmodel.runs() lists the names"
        raise ValueError(f"there is no file {text!r}, and no measured runs have that name; {hint}")
    return known[text]


def _array_of(texts):
    """int64 if all are integers; float64 if all are numbers or empty (NaN); otherwise str."""
    for read, kind in ((int, "int64"), (lambda text: float(text or "nan"), "float64")):
        try:
            return numpy.array([read(text) for text in texts], dtype=kind)
        except (ValueError, OverflowError):
            pass
    return numpy.array(texts, dtype=str)


def read_runs(name_or_path: Path) -> dict[str, NDArray[Any]]:
    """The columns of measured runs, by their names: a dict of arrays of one length.

    name_or_path: a name that runs() lists, such as "keyetal/two-stage", or a CSV file. A column is
    of int64 if it has only integers, of float64 if it has numbers (NaN where a field is empty), and
    otherwise of str.

    >>> import recallmodel as rcm
    >>> runs = rcm.read_runs("keyetal/two-stage")
    >>> len(runs["n"]), float(runs["time_us_median"].min())
    (1932, 2.454)
    """
    header, rows = _rows_of(_path_of(name_or_path))
    return {name: _array_of([row[i] for row in rows]) for i, name in enumerate(header)}
