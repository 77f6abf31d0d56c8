#!/usr/bin/python3
"""check_visit.py - the page itself, from disk: sixty-one questions in the address, errors beside
their fields, and an address that holds the whole question. No request leaves it.

SPDX-License-Identifier: Apache-2.0

the page itself: the sixty-one questions in its address, errors beside their fields in the command's
words, an address that is changed, copied and opened again; every request in the browser's log,
and five ways to make one that the policy stops. Against: the command.
"""
import json
import statistics
import time
from urllib.parse import unquote

from selenium.webdriver.common.by import By

from browser import PAGE as FOLDER
from browser import browser
from compare import check_same_json, native
from questions import arguments, questions
from visit import PAGE, ask, hash_of

# A question, and the option beside whose field its error stands.
BAD = (
    ({"n": "x", "k": "64"}, "n"), ({"n": "2^17", "k": "0"}, "k"),
    ({"n": "2^17", "k": "64", "recall": "1.5"}, "recall"),
    ({"n": "2^17", "k": "64", "recall": "0.9", "confidence": "2"}, "confidence"),
    ({"n": "2^17", "k": "64", "device": "h100-pcie", "exact-us": "-3"}, "exact-us"),
    ({"n": "2^17", "k": "64", "device": "nothing"}, "device"),
    ({"n": "2^17", "k": "64", "m": "1.5"}, "m"),
    ({"n": "2^17", "k": "64", "kb-max": "1e9"}, "kb-max"),
)

# Clicks an example, and waits for its answer and until the page is idle again.
CLICK = """
const page = window.recallmodel, box = document.getElementById('answer');
document.querySelectorAll('#presets button')[args[0]].click();
const end = performance.now() + 30000;
while (box.dataset.state !== 'ready') {
    if (performance.now() > end || box.dataset.state === 'error')
        throw new Error('example ' + args[0] + ': ' + box.dataset.state);
    await new Promise((resolve) => setTimeout(resolve, 5));
}
const ms = page.ms;
await new Promise((resolve) => setTimeout(resolve, 700));
return ms;
"""

ADDRESS = "return location.hash.slice(1);"


def check_questions(opened):
    largest, ms = 0.0, []
    for question in questions():
        got = ask(opened, question)
        want = json.loads(native([*arguments(question), "--json", "--brief"])[1])
        what = hash_of(question)
        assert got["state"] == "ready", f"{what}: {got['state']}"
        # The browser reads 1.0 as 1: a number without a fraction is one and the same there.
        largest = max(largest, check_same_json(what, got["answer"], json.dumps(want)))
        choice = want.get("choice") or want
        assert got["deploy"] == want.get("deploy", ""), (what, got["deploy"])
        if got["deploy"] == "bucketed":
            assert (got["b"], got["kb"]) == (str(choice["b"]), str(choice["k_b"])), (what, got)
        ms.append(got["ms"])
    print(f"61 questions in the address: largest relative difference {largest:.2g}; from the "
          f"change to the answer: median {statistics.median(ms):.0f} ms, slowest {max(ms):.0f}, "
          f"{sum(each > 50 for each in ms)} above 50")


def check_presets(opened):
    """Every example is answered; the time is that from the click."""
    names = opened.settle("return [...document.querySelectorAll('#presets button')].map("
                          "(button) => button.textContent);")
    ms = {name: opened.settle(CLICK, number) for number, name in enumerate(names)}
    assert len(ms) == 10, names
    print("the examples, from the click to the answer, ms:",
          ", ".join(f"{name}: {each:.0f}" for name, each in ms.items()))


def check_errors(opened):
    for question, option in BAD:
        got = ask(opened, question)
        status, _, stderr = native(arguments(question))
        assert status == 2 and got["state"] == "error", (question, got["state"])
        field = opened.driver.find_element(By.CSS_SELECTOR, f'[data-option="{option}"]')
        message = field.find_element(By.CSS_SELECTOR, ".field-error").text
        line = stderr.strip().removeprefix("recallmodel: ")
        assert message.casefold() == line.casefold() or line.casefold().endswith(
            message.casefold().rstrip(".")), f"{question}: {message!r}, the command says {line!r}"
        shown = opened.driver.find_elements(By.CSS_SELECTOR, ".field-error")
        assert len(shown) == 1, [each.text for each in shown]
    got = ask(opened, {"n": "2^17", "k": "64"})
    assert got["state"] == "ready"
    assert not opened.driver.find_elements(By.CSS_SELECTOR, ".field-error")


def check_address(opened):
    """A question survives: address, fields, a change of a field, address, another page."""
    for question in questions()[::7]:
        first = ask(opened, question)
        for name, value in question.items():
            field = opened.driver.find_element(By.ID, name).get_attribute("value")
            assert field.casefold() == value.casefold(), (name, field, value)
        opened.settle("""
            const field = document.getElementById('m');
            field.value = '12';
            field.dispatchEvent(new Event('input', {bubbles: true}));
        """)
        opened.wait("new URLSearchParams(location.hash.slice(1)).get('m') === '12'")
        address = opened.driver.execute_script(ADDRESS)
        changed = {**question, "m": "12"}
        # The list of devices writes a name as the command does.
        assert sorted(address.casefold().split("&")) == \
            sorted(hash_of(changed).casefold().split("&")), address
        held = dict(part.split("=", 1) for part in unquote(address).split("&"))
        second = ask(opened, held)
        opened.open("bare.html")
        opened.open(PAGE, address)
        third = ask(opened, held)
        time.sleep(0.5)  # the page writes its address a little after the answer
        assert second["answer"] == third["answer"] != first["answer"]
        assert json.loads(third["answer"])["m"] == 12


def check_offline(opened, asked):
    """Nothing but the page itself, from disk, and what it makes was asked for; the policy forbids
    more."""
    wrong = [url for url in asked if not url.startswith(("file:", "blob:", "data:", "chrome:"))]
    assert not wrong and any(url.startswith("file:") for url in asked), wrong
    policy = (FOLDER / PAGE).read_text().split('Content-Security-Policy" content="')[1]
    assert policy.startswith("default-src 'none'; ")
    opened.check_quiet()
    for script in ("await fetch('https://example.com/');",
                   "await fetch(location.href);",
                   "await new Promise((done, failed) => { const image = new Image();"
                   "image.onload = done; image.onerror = failed;"
                   "image.src = 'https://example.com/x.png'; });",
                   "await new Promise((done, failed) => { const x = new XMLHttpRequest();"
                   "x.onload = done; x.onerror = failed; x.open('GET', 'https://example.com/');"
                   "x.send(); });",
                   "await new Promise((done, failed) => { const worker = new Worker(URL."
                   "createObjectURL(new Blob([`fetch('https://example.com/').then(() => "
                   "postMessage(1), () => postMessage(0))`]))); worker.onmessage = ({data}) => "
                   "data ? done() : failed(); });"):
        refused = opened.settle(f"try {{ {script} return false; }} catch {{ return true; }}")
        assert refused, f"not refused: {script}"
    left = [url for url in opened.requests() if url.startswith("http")]
    assert not left, left
    assert any("Content Security Policy" in line for line in opened.complaints())


def main():
    with browser() as opened:
        opened.open(PAGE, hash_of(questions()[0]))
        check_presets(opened)
        check_questions(opened)
        check_errors(opened)
        check_address(opened)
        check_offline(opened, opened.requests())
    print(f"{len(BAD)} errors beside their fields, addresses, no request")


main()
