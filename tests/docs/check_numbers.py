"""Numbers of the pages that the program or the header can say.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import os
import pathlib
import re
import tempfile

from pages import TOP, PROGRAM, FEW, notes, checks, text_of, run


def numbers(text):
    return {n.rstrip(".") for n in re.findall(r"(?<![\w.^])\d[\d.e-]*", text)}


def check_explained():
    """The numbers that README explains stand in the answer above."""
    before, after = text_of(TOP / "README.md").split("**How to read it.**")
    shown = before.rsplit("```", 2)[1]
    for number in sorted(numbers(re.sub(r"`[^`]*`", "", after.split("\n## ")[0]))):
        checks()
        if number not in numbers(re.sub(r"(\d)(us|x)\b", r"\1 ", shown)):
            yield f"README.md explains {number}, which the answer does not have"


def claim(page, said, got):
    checks()
    if " ".join(said.split()) not in " ".join(text_of(TOP / page).split()):
        yield f"{page} does not say '{said}', which is what {got}"


def check_claims():
    """Accuracies are those of the header, errors of the profile those that the command prints."""
    headers = "".join(map(text_of, sorted(TOP.glob("model/**/*.h"))))
    loss, sd = (re.search(rf"RCM_{name}_MAX_RELERR (\S+)", headers)[1] for name in ("LOSS", "SD"))
    yield from claim("README.md", f"The relative error of the loss is at most {loss}, that of the"
                     f" standard deviation {sd}", "the header promises")
    yield from claim("docs/library.md", f"`RCM_LOSS_MAX_RELERR` ({loss})", "the header promises")
    yield from claim("docs/library.md", f"`RCM_SD_MAX_RELERR` ({sd})", "the header promises")
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "recallmodel").symlink_to(PROGRAM)
        said = run("recallmodel predict --device h100-pcie --n 2^18 --k 1024 --kb 2", name).stdout
        median, most = re.search(r"not\s+seen\s+([\d.]+)\s+and\s+([\d.]+) %", said).groups()
        yield from claim("README.md", f"{median} % in the median, and below {most} % for 95 %",
                         "predict prints")
        yield from claim("docs/models.md", f"| each n left out in turn (532 cells) | {median} % |"
                         f" {most} % |", "predict prints")
        yield from published_claims(name)


def check_perplexity():
    """The table of docs/real-data.md is that of the measured losses."""
    with open(TOP / "paper_figures/ours-need/perplexity.csv", encoding="utf-8") as file:
        loss = {(row["document"], row["method"]): float(row["loss"])
                for row in csv.DictReader(file)}
    documents = ["essay", "bash-manual", "licences", "python-source", "c-sources"]
    for k_b, b in ((1, 4096), (4, 128), (1, 1024), (4, 64), (1, 256)):
        method = f"bucketed:k_b={k_b}:ratio={b * k_b // 256}"
        over = [1e3 * (loss[name, method] - loss[name, "topk"]) for name in documents]
        said = f"{sum(over) / len(over):.1f} ({min(over):.1f} to {max(over):.1f})"
        yield from claim("docs/real-data.md", f"| k_b = {k_b}, b = {b} | {said} |",
                         "the file says")
    cost = [1e3 * (loss[name, "topk"] - loss[name, "full"]) for name in documents]
    said = [f"{each:.0f}" for each in cost]
    yield from claim("docs/real-data.md", f"loses {', '.join(said[:-1])} and {said[-1]} more",
                     "the file says")


def check_token_change():
    """The table of docs/sampler.md is that of its figure."""
    with open(TOP / "paper_figures/ours-token-change/ours-token-change.csv",
              encoding="utf-8") as file:
        rows = {(row["b"], row["token_chain"]): row for row in csv.DictReader(file)
                if row["k_b"] == "4"}
    for b in "22", "38":
        for chain in "top-k", "top-p=0.9", "top-p=0.5":
            said = [f"{100 * float(rows[b, chain][name]):.2g} %".replace("0.", ".", 1)
                    for name in ("lost_mass", "token_total_variation", "token_quantile",
                                 "token_differs", "token_differs_by_rank",
                                 "token_differs_by_position")]
            yield from claim("docs/sampler.md", f"| `{chain}` | {' | '.join(said)} |",
                             "the figure has")


def published_claims(folder):
    """What a fit to the published runs says."""
    if FEW:
        notes.append("SKIPPED: regrets of the published runs (in make check-all)")
        return
    said = run("recallmodel calibrate keyetal/two-stage --exact keyetal/exact --cross-validate",
               folder).stdout
    parameters = re.search(r"(\d+) parameters", said)[1]
    together = said.split("Left out together")[1].split("Over all sizes")[0]
    table = dict(re.findall(r"^\*? +(\w+) +(\S+ +\S+ +\S+ +\S+) +\d+$", together, flags=re.M))
    mean, _, high, most = map(float, table["calibrated"].split())
    others = [float(table[name].split()[0]) for name in ("basic", "serial", "parallel")]
    yield from claim("README.md", f"{min(others):.1f} to {max(others):.1f} times as slow",
                     "calibrate prints")
    yield from claim("README.md", f"{mean:.3f} times as slow", "calibrate prints")
    yield from claim("README.md", f"A profile with {parameters} parameters", "calibrate prints")
    error, most_error = re.search(r"error (\S+) %, 95 % below (\S+) %", together).groups()
    yield from claim("docs/models.md", f"(228 cells) | {error} % | {most_error} % | {mean:.3f} |"
                     f" {high:.3f} | {most:.2f} |", "calibrate prints")
