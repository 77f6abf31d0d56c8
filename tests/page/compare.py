"""compare.py - the answer of the page beside that of the command.

SPDX-License-Identifier: Apache-2.0
"""
import json
import math
import subprocess

from browser import PROGRAM

# The arithmetic is the same; exp() and erfc() of two C libraries differ in their last digits.
RELATIVE = 1e-12
# The least absolute error that a header promises for such a number: model/recallmodel/recall.h.
ABSOLUTE = {"probability": 1e-12, "at_most": 1e-12}


def native(args, folder=None):
    """The command's (status, stdout, stderr)."""
    run = subprocess.run([PROGRAM, *args], capture_output=True, text=True, cwd=folder, timeout=120)
    return run.returncode, run.stdout, run.stderr


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def differences(ours, theirs, path=""):
    """Yields (path, ours, theirs) where two JSON values differ by more than is promised."""
    if is_number(ours) and is_number(theirs):
        whole = isinstance(ours, int) and isinstance(theirs, int)
        absolute = ABSOLUTE.get(path.split(".")[-1].split("[")[0], 0.0)
        if ours != theirs and (whole or not math.isclose(ours, theirs, rel_tol=RELATIVE,
                                                         abs_tol=absolute)):
            yield path, ours, theirs
    elif isinstance(ours, dict) and isinstance(theirs, dict) and list(ours) == list(theirs):
        for key in ours:
            yield from differences(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, pair in enumerate(zip(ours, theirs)):
            yield from differences(*pair, f"{path}[{i}]")
    elif ours != theirs or type(ours) is not type(theirs):
        yield path, ours, theirs


def largest_difference(ours, theirs):
    """The largest relative difference of two numbers at the same place."""
    if is_number(ours) and is_number(theirs):
        return abs(ours - theirs) / max(abs(ours), abs(theirs)) if ours != theirs else 0.0
    if isinstance(ours, dict):
        return max((largest_difference(ours[key], theirs[key]) for key in ours), default=0.0)
    if isinstance(ours, list):
        return max(map(largest_difference, ours, theirs), default=0.0)
    return 0.0


def check_same_json(what, got, want):
    """Both are texts of JSON. Returns the largest relative difference."""
    got, want = json.loads(got), json.loads(want)
    found = list(differences(got, want))
    assert not found, f"{what}: {len(found)} differences, the first: {found[0]}"
    return largest_difference(got, want)


def check_same_run(what, got, want):
    """`got` is a result of the engine, `want` (status, stdout, stderr) of the command. JSON may
    differ in last digits; all other text may not. Returns the largest relative difference."""
    status, stdout, stderr = want
    assert got["status"] == status, f"{what}: status {got['status']}, not {status}: {got['stderr']}"
    assert got["stderr"] == stderr, f"{what}: stderr {got['stderr']!r}, not {stderr!r}"
    if stdout.startswith(("{", "[")):
        return check_same_json(what, got["stdout"], stdout)
    assert got["stdout"] == stdout, f"{what}: {got['stdout']!r}, not {stdout!r}"
    return 0.0
