"""The measured runs, by name: what the command lists and prints.

Against: the command.
"""
import csv
import doctest
import json
import os
import shutil
import subprocess
import sys

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _runs

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def command(*arguments):
    return subprocess.run([PROGRAM, "runs", *arguments], check=True, capture_output=True,
                          text=True).stdout


def test_the_list_is_that_of_the_command():
    said = json.loads(command("--json"))
    ours = rcm.runs()
    assert len(ours) >= 24 and len(said["runs"]) == len(ours)
    for one, row in zip(ours, said["runs"]):
        assert {name: getattr(one, name) for name in row} == row
        assert os.path.samefile(one.path, f"{said['folder']}/{one.name}.csv")
        assert one.source().startswith(json.loads(command(one.name, "--json"))["source"][:60])


def test_columns_are_those_of_the_command():
    for one in rcm.runs():
        columns = rcm.read_runs(one.name)
        rows = list(csv.DictReader(command(one.name, "--csv").splitlines()))
        assert len(rows) == one.rows and list(columns) == list(rows[0])
        for name, values in columns.items():
            assert len(values) == one.rows
            for value, row in zip(values, rows):
                if values.dtype.kind in "if":
                    assert value == float(row[name] or "nan") or not row[name]
                else:
                    assert value == row[name]


def test_types_of_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('# a remark\nn,us,gap,text,big\n1,2.5,,"a, b",1\n\n2,3,4,nan?,1e3\n',
                    encoding="utf-8")
    columns = rcm.read_runs(path)
    kinds = {name: values.dtype.kind for name, values in columns.items()}
    assert kinds == {"n": "i", "us": "f", "gap": "f", "text": "U", "big": "f"}
    assert columns["n"].tolist() == [1, 2] and columns["text"].tolist() == ["a, b", "nan?"]
    assert numpy.isnan(columns["gap"][0]) and columns["gap"][1] == 4
    path.write_text("n,k\n1,2\n", encoding="utf-8-sig")  # with a byte order mark
    assert list(rcm.read_runs(path)) == ["n", "k"]
    path.write_text("n,k\n1,2\n3\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a row has 1 columns, the header has 2"):
        rcm.read_runs(str(path))


def test_a_file_comes_before_a_name(tmp_path, monkeypatch):
    (tmp_path / "keyetal").mkdir()
    (tmp_path / "keyetal/exact").write_text("n\n7\n", encoding="utf-8")
    monkeypatch.setenv(_runs.VARIABLE, os.path.abspath("runs"))
    monkeypatch.chdir(tmp_path)
    assert rcm.read_runs("keyetal/exact")["n"].tolist() == [7]
    assert len(rcm.read_runs("keyetal/argmax")["n"]) == 280


def test_what_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="did you mean 'keyetal/two-stage'"):
        rcm.read_runs("keyetal/twostage")
    with pytest.raises(ValueError, match="lists the names"):
        rcm.read_runs("qqqq")
    with pytest.raises(FileNotFoundError):
        rcm.read_runs("./keyetal/two-stage")
    monkeypatch.setenv(_runs.VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=_runs.VARIABLE):
        rcm.runs()


def test_the_folder(tmp_path, monkeypatch):
    """That of the variable, beside the module, or share/ of this Python."""
    shutil.copytree("runs", tmp_path / "share/recallmodel/runs")
    monkeypatch.setenv(_runs.VARIABLE, str(tmp_path / "share/recallmodel/runs"))
    assert rcm.runs()[0].path == tmp_path / "share/recallmodel/runs/keyetal/two-stage.csv"
    monkeypatch.delenv(_runs.VARIABLE)
    monkeypatch.setattr(_runs, "__file__", str(tmp_path / "python/recallmodel/_runs.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert rcm.runs()[0].path == tmp_path / "share/recallmodel/runs/keyetal/two-stage.csv"
    os.rename(tmp_path / "share/recallmodel/runs", tmp_path / "runs")
    assert rcm.runs()[0].path == tmp_path / "runs/keyetal/two-stage.csv"
    os.makedirs(tmp_path / "python/recallmodel")
    os.rename(tmp_path / "runs", tmp_path / "python/recallmodel/runs")
    assert rcm.runs()[0].path == tmp_path / "python/recallmodel/runs/keyetal/two-stage.csv"


def test_examples_in_docstrings():
    assert doctest.testmod(_runs).failed == 0
