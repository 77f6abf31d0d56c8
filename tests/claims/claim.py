"""claim.py - what the lists of claims share: a claim, the numbers that it reads, its line.

A claim is a function that reads runs, figures or answers of the command and returns what it found:

    @claim("D.3", "The time of torch.topk grows with n once the device is full.", "key-15")
    def grows():
        ..
        return slopes[-1] > 0.9, f"For m = 256 and k = 256 the slope rises to {slopes[-1]:.2f}."

The first is whether the claim is so, or a tuple: whether each part of it is. The last argument of
claim() names what shows it: a figure, tests beside this one, a command.

Every number passes through value(). With disturbed() it is another one, so that a line that stays
the same depends on nothing (claims.py --disturbed).

SPDX-License-Identifier: Apache-2.0
"""
import functools
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plots"))

import program
from figure import Figure

VERDICTS = "Agrees", "In part", "Does not agree"
found = {}  # paper: [(place, claim, what shows it, function)]
state = {"paper": None, "disturbed": False, "read": 0}


def paper(name):
    """The claims that follow are of this paper."""
    state["paper"] = name
    found[name] = []


def claim(place, says, shown):
    def keep(function):
        found[state["paper"]].append((place, says, shown, function))
        return function
    return keep


def disturbed(on):
    """Whether value() changes what it is given."""
    state["disturbed"], state["read"] = on, 0


def value(number):
    state["read"] += 1
    return float(number) * (1 + .17 * (state["read"] % 7 + 1) if state["disturbed"] else 1)


def verdict(parts):
    parts = parts if isinstance(parts, tuple) else (parts,)
    return VERDICTS[0] if all(parts) else VERDICTS[1] if any(parts) else VERDICTS[2]


def answer(function):
    """Its verdict and what it found."""
    parts, text = function()
    return verdict(parts), text


FIGURE = re.compile(r"\b(?:key|samaga|saap|blog|ours)-[\w-]+")


def linked(shown):
    """With a link to each figure that is a picture."""
    def link(name):
        at = f"paper_figures/{name[0]}/{name[0]}.svg"
        return f"[{name[0]}](../{at})" if (ROOT / at).exists() else name[0]
    return FIGURE.sub(link, shown)


def line(place, says, shown, function):
    """The claim as an item of a list."""
    word, text = answer(function)
    return textwrap.fill(f"- *{place}*: {says} **{word}.** {text} ({linked(shown)})", 100,
                         subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


# ---- what claims read


@functools.cache
def runs(name):
    return program.runs(name)


@functools.cache
def figure(name):
    return Figure(name).rows()


@functools.cache
def beside(name):
    """The rows of a CSV file that was measured for a figure, FIGURE/FILE."""
    return program.read(ROOT / "paper_figures" / f"{name}.csv")


@functools.cache
def ask(*arguments):
    return program.ask(*arguments)


@functools.cache
def ask_json(*arguments):
    return program.ask_json(*arguments)


joined = program.joined


def number(row, column):
    return value(row[column])


def pick(rows, **wanted):
    """The rows that have these values, as text."""
    return [row for row in rows if all(row[name] == str(of) for name, of in wanted.items())]


def one(rows, **wanted):
    row, = pick(rows, **wanted)
    return row


def recalls(n, k, k_b, bs):
    """{b: the row that `recall` prints}."""
    return {int(row["b"]): row for row in
            ask("recall", "--n", n, "--k", k, "--kb", k_b, "--b", joined(bs))}


def ranks(values):
    """The ranks of the values, for Spearman's correlation; equal ones share theirs."""
    return [sum((other < x) + (other == x) / 2 for other in values) for x in values]


def span(values, form=".2f"):
    return f"{min(values):{form}} to {max(values):{form}}"
