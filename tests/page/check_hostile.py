#!/usr/bin/python3
"""check_hostile.py - what is late, malicious or odd: words of an older question, files
that come while another is read, markup in names and values, rows of every layout; and that the
verdict, the headline and the table of contenders are those of the command.

SPDX-License-Identifier: Apache-2.0

Against: `select`, `simulate`.
"""
import itertools
import json
import pathlib
import tempfile

import numpy
from selenium.webdriver.common.by import By

from browser import ROOT, browser
from compare import native
from questions import arguments
from visit import PAGE, ask

BASE = {"n": "151936", "k": "50", "m": "64", "recall": "0.99", "device": "H100-PCIe"}
MARKUP = "<img src=x onerror='window.broken=1'>\"'</script><script>window.broken=1</script>"

# A question, and the kind of its verdict.
VERDICTS = (
    ({}, "no"), ({"k": "1"}, "no"), ({"exact-us": "100"}, "yes"), ({"m": "1e9"}, "no"),
    ({"n": "2^31", "k": "1000", "m": "1"}, "no"),
    ({"n": "3e6", "k": "100", "m": "1", "device": "V100S"}, "no"),
    ({"objective": "candidates"}, "perhaps"), ({"objective": "roofline"}, "perhaps"),
    ({"device": "GH200"}, "no"), ({"device": "GH200", "exact-us": "500"}, "yes"),
    ({"device": "GH200", "exact-us": "3"}, "no"), ({"exact-us": "3"}, "no"),
    ({"d": "128", "m": "1024"}, "no"), ({"d": "128", "k": "16384", "recall": "0.8"}, "perhaps"),
    ({"recall": "1"}, "no"), ({"dtype": "f32"}, "no"),
    ({"n": "64", "k": "64"}, "no"), ({"k": "10,100"}, "perhaps"),
    ({"device": "B200", "exact-kernel": "gvr_v2_b200"}, "no"),
)

# Runs on the lane args[0] take args[1] ms longer.
SLOW = """
const engine = window.recallmodel.engine, run = Object.getPrototypeOf(engine).run;
engine.run = async (args_, settings) => {
    if (settings?.lane === args[0])
        await new Promise((resolve) => setTimeout(resolve, args[1]));
    return run.call(engine, args_, settings);
};
"""

def find(opened, selector):
    return opened.driver.find_element(By.CSS_SELECTOR, selector)


def text(opened, selector):
    return find(opened, selector).get_attribute("textContent")


# The rows of the table as they are seen.
TABLE = """return document.getElementById('contenders').checkVisibility() ? [...document
    .querySelectorAll('#contender-rows tr')].map((row) => row.innerText) : [];"""


def words(line):
    return " ".join(line.split())


def table_of_command(question):
    """The rows below the heading in the text answer, with their words alone."""
    lines = iter(native(arguments(question))[1].splitlines())
    if not any(line.startswith("  contender ") for line in lines):
        return []
    return [words(line.lstrip("*")) for line in itertools.takewhile(str.strip, lines)]


def check_verdicts(opened):
    tables = 0
    for more, kind in VERDICTS:
        question = {**BASE, **more}
        got = ask(opened, question)
        answer = json.loads(got["answer"])
        assert got["state"] == "ready" and got["verdict"] == kind, (more, got["text"])
        rows = [words(row) for row in opened.driver.execute_script(TABLE)]
        assert rows == table_of_command(question), (more, rows)
        tables += len(rows) > 1  # a heading, and contenders
        if kind == "yes":
            assert answer["verdict"] == "buckets" and answer["objective"] == "time", more
        if "headline" in answer:
            assert text(opened, "#headline") == answer["headline"], more
            assert not text(opened, "#why"), more
    assert tables >= 8, tables
    ask(opened, {**BASE, "m": "1e9"})
    opened.wait("document.getElementById('notes').innerText.includes('the H100-PCIe has 80 GB')")


def check_late_words(opened):
    """The words of an older question are not to be read beside a new answer."""
    ask(opened, {**BASE, "d": "128", "m": "1024"})
    opened.wait("!document.body.classList.contains('words-late')")
    assert "fused" in text(opened, "#notes")
    opened.settle(SLOW, "words", 900)
    ask(opened, {**BASE, "device": "TPUv4"})
    seen = opened.settle("""await new Promise((resolve) => setTimeout(resolve, 250));
        return ['notes', 'text-answer'].map((id) =>
            getComputedStyle(document.getElementById(id)).visibility);""")
    assert seen == ["hidden", "hidden"], seen
    ask(opened, {**BASE, "n": "x"})  # an error does not lose the words of the answer that stays
    opened.wait("!document.body.classList.contains('words-late')")
    assert "fused" not in text(opened, "#notes") and "TPUv4" in text(opened, "#text-answer")
    opened.settle(SLOW, "words", 0)


def check_markup(opened):
    """Values of the address and of files are text, however long, on a phone, too."""
    opened.driver.set_window_size(500, 900)
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"
    for name in ("n", "device", "exact-kernel", "kernel", "confidence"):
        for value in (MARKUP, "--help", "x" * 9000, "1\n2", "12\0" + "345"):
            got = ask_raw(opened, {**BASE, name: value})
            assert got == "error", (name, value[:40], got)
            assert opened.driver.execute_script(wide) <= 0, (name, value[:40])
    opened.driver.execute_script(
        "location.hash = arguments[0]",
        "n=8192&k=64&" + "<b>" * 3000 + "=1&__proto__=2&constructor=3")
    opened.wait("window.recallmodel.question.n === '8192'")
    assert opened.driver.execute_script(wide) <= 0
    assert opened.driver.execute_script("return window.broken") is None
    opened.driver.set_window_size(1400, 1000)


def ask_raw(opened, question):
    """Any value at all; returns the state."""
    return opened.settle("""
        const hash = Object.entries(args[0]).map(([name, value]) =>
            name + '=' + encodeURIComponent(value)).join('&');
        const page = window.recallmodel, before = page.question;
        location.hash = hash;
        while (page.question === before ||
            document.getElementById('answer').dataset.state === 'computing')
            await new Promise((resolve) => setTimeout(resolve, 5));
        return document.getElementById('answer').dataset.state;""", question)


def check_profiles(opened, folder):
    """A profile whose file is named like a device is the file; markup in one is text."""
    shipped = (ROOT / "model/time/profiles/h100_pcie_graphcore_f16.profile").read_text()
    ask(opened, BASE)
    for name, content, state, device in (
            ("H200", shipped, "ready", "H200.profile"),
            ("--json.profile", shipped, "ready", "_-json.profile"),
            ("a'\"<b>&.profile", shipped, "ready", "a___b__.profile"),
            ("markup.profile", shipped.replace("graphcore", MARKUP), "error", "markup.profile"),
            ("nul.profile", "a\0b\n", "error", "nul.profile"),
            ("empty.profile", "", "error", "empty.profile")):
        (folder / name).write_text(content)
        find(opened, "#profile").send_keys(str(folder / name))
        opened.wait(f"window.recallmodel.question.device === {json.dumps(device)} && "
             f"document.getElementById('answer').dataset.state === '{state}'")
        if state == "ready":
            answer = opened.settle("return window.recallmodel.answer;")
            assert answer["objective"] == "time" and answer["device"] == "H100-PCIe", name
    assert opened.driver.execute_script("return window.broken") is None
    (folder / "large.profile").write_bytes(b"x" * 2000000)
    find(opened, "#profile").send_keys(str(folder / "large.profile"))
    opened.wait("document.getElementById('toast').textContent.includes('is no profile')")
    assert opened.settle("return window.recallmodel.question.device;") == "empty.profile"


def check_changed_file(opened, folder):
    """A file that comes while another is read does not lend its name or its rows."""
    rng = numpy.random.default_rng(3)
    for name in ("first.npy", "second.npy"):
        numpy.save(folder / name, rng.standard_normal((40, 2000), dtype=numpy.float32))
    find(opened, "#tab-rows").click()
    find(opened, "#rows-file").send_keys(str(folder / "first.npy"))
    opened.settle(SLOW, "rows", 400)
    find(opened, "#rows-run").click()
    find(opened, "#rows-file").send_keys(str(folder / "second.npy"))
    opened.wait("document.getElementById('rows-words')?.textContent")
    want = native(["simulate", "--file", "first.npy", "--k", "64", "--kb", "1,2,4", "--recall",
                   "0.95", "--assignment", "interleaved"], folder)[1]
    assert text(opened, "#rows-words") == want
    assert "--file first.npy" in text(opened, "#rows-result .code")
    assert "late" in find(opened, "#rows-result").get_attribute("class"), "not of the new file"
    opened.wait("!document.getElementById('rows-run').disabled")
    opened.settle(SLOW, "rows", 0)


def layouts(folder):
    """Files of rows in every layout, and some that are none."""
    rows = numpy.random.default_rng(4).standard_normal((6, 5, 512))
    single = rows.astype(numpy.float32)
    for name, array in (
            ("one", single[0, 0]), ("two", single[0]), ("three", single), ("double", rows[0]),
            ("half", rows[0].astype(numpy.float16)), ("fortran", numpy.asfortranarray(single[0])),
            ("big", single[0].astype(">f4")), ("whole", (rows[0] * 9).astype(numpy.int32)),
            ("bits", single[0].view(numpy.uint16)), ("none", single[:0]),
            ("scalar", numpy.float32(3))):
        numpy.save(folder / f"{name}.npy", array)
        yield f"{name}.npy"
    whole = (folder / "two.npy").read_bytes()
    for name, content in (("empty", b""), ("cut", whole[:5000]), ("head", whole[:90]),
                          ("other", b"PK\3\4" + b"\0" * 200)):
        (folder / f"{name}.npy").write_bytes(content)
        yield f"{name}.npy"


def check_layouts(opened, folder):
    answered = refused = 0
    for name in layouts(folder):
        opened.driver.execute_script("document.getElementById('rows-result').replaceChildren();")
        find(opened, "#rows-file").send_keys(str(folder / name))
        find(opened, "#rows-run").click()
        opened.wait("!document.getElementById('rows-run').disabled")
        status, words, line = native(
            ["simulate", "--file", name, "--k", "64", "--kb", "1,2,4", "--recall", "0.95",
             "--assignment", "interleaved"], folder)
        if status == 0:
            assert text(opened, "#rows-words") == words, name
            answered += 1
        else:
            shown = opened.driver.execute_script(
                "return [...document.querySelectorAll('#rows-form .field-error, #rows-error')]"
                ".map((each) => each.textContent).join('');")
            assert shown and shown in line, (name, shown, line)
            refused += 1
    assert answered >= 5 and refused >= 5, (answered, refused)
    print(f"rows: {answered} layouts answered, {refused} refused, as by the command")


def main():
    with tempfile.TemporaryDirectory() as made, browser() as opened:
        folder = pathlib.Path(made)
        opened.driver.set_window_size(1400, 1000)
        opened.open(PAGE)
        for check in (check_verdicts, check_late_words, check_markup):
            check(opened)
        for check in (check_profiles, check_changed_file, check_layouts):
            check(opened, folder)
        opened.check_quiet()
    print(f"{len(VERDICTS)} verdicts, late words, markup, profiles, a file that changes")


main()
