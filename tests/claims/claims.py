#!/usr/bin/env python3
"""claims.py - what the papers claim, held against runs, figures and the command.

    tests/claims/claims.py                 prints the list
    tests/claims/claims.py --write PAGE    writes it between the marks of the page
    tests/claims/claims.py --disturbed     the claims whose line stays as it is if every number that
                                           it reads is another: there should be none

SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import re
import sys

import claim
import program

import of_key
import of_key_costs
import of_samaga
import of_notes
import of_saap


def counts():
    """A table: of how many claims of each paper each verdict is."""
    lines = [f"| | claims | {' | '.join(word.lower() for word in claim.VERDICTS)} |",
             "|---|---|---|---|---|"]
    for paper, rows in claim.found.items():
        words = collections.Counter(claim.answer(function)[0] for *_, function in rows)
        of = " | ".join(str(words[word]) for word in claim.VERDICTS)
        lines.append(f"| {paper.partition(' (')[0]} | {len(rows)} | {of} |")
    return "\n".join(lines)


def listed():
    return "\n\n".join(f"## {paper}\n\n" + "\n".join(claim.line(*row) for row in rows)
                       for paper, rows in claim.found.items())


def unmoved():
    """The claims that do not depend on what they read. One that cannot be computed does."""
    for rows in claim.found.values():
        for row in rows:
            claim.disturbed(False)
            before = claim.line(*row)
            claim.disturbed(True)
            try:
                after = claim.line(*row)
            except (ArithmeticError, LookupError, ValueError):
                after = None
            if after == before:
                yield before
    claim.disturbed(False)


def missing():
    """Figures and tests that a claim names and that are not there."""
    for rows in claim.found.values():
        for place, _, shown, _ in rows:
            for name in re.findall(r"\btest_\w+", shown):
                if not list((claim.ROOT / "tests").rglob(f"{name}.*")):
                    yield f"{place}: there is no {name}"
            for name in claim.FIGURE.findall(shown):
                if not (claim.ROOT / "paper_figures" / name).is_dir():
                    yield f"{place}: there is no figure {name}"


def main(arguments):
    wrong = list(missing())
    if arguments == ["--disturbed"]:
        wrong += unmoved()
    elif arguments[:1] == ["--write"] and len(arguments) == 2:
        program.write_page(arguments[1], {"counts": counts(), "claims": listed()})
    elif not arguments:
        print(counts() + "\n\n" + listed())
    else:
        program.wrong("give nothing, --write PAGE or --disturbed")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(program.words())
