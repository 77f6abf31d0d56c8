#!/usr/bin/python3
"""check_controls.py - what a visitor moves: examples, sliders, pictures, files, tabs.

SPDX-License-Identifier: Apache-2.0

what a visitor moves on the page: every example with its call, sliders, the data and the drawings
that the pictures save, the point, arrow keys, a profile and rows of the visitor's. Against: the
command line that the page shows, `recall`, `distribution`, `simulate`.
"""
import csv
import io
import json
import pathlib
import shlex
import tempfile
import time
import xml.etree.ElementTree as xml

import numpy
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import ROOT, browser
from compare import check_same_json, native
from visit import PAGE, ask

QUESTION = {"n": "2^17", "k": "2048", "m": "64", "recall": "0.95", "device": "H100-PCIe"}
PICTURES = ("recall", "distribution", "time", "ranks")

# Waits until an answer is there, with its words and pictures.
SETTLED = """
const box = document.getElementById('answer');
const end = performance.now() + 30000;
const busy = () => box.dataset.state === 'computing' || document.querySelector('.picture.late') ||
    document.body.classList.contains('words-late');
await new Promise((resolve) => setTimeout(resolve, 250));
while (busy()) {
    if (performance.now() > end)
        throw new Error('not settled');
    await new Promise((resolve) => setTimeout(resolve, 10));
}
return JSON.stringify(window.recallmodel.answer);
"""
MOVE = """
const slider = document.getElementById(args[0]);
slider.value = args[1];
slider.dispatchEvent(new Event('input', {bubbles: true}));
""" + SETTLED


def find(opened, selector):
    return opened.driver.find_element(By.CSS_SELECTOR, selector)


def press(opened, element):
    """A click; the head of the pictures, which stays, may lie above the place of one."""
    opened.driver.execute_script("arguments[0].scrollIntoView({block: 'center'});", element)
    element.click()


def text(opened, selector):
    return find(opened, selector).get_attribute("textContent")


def rows_of(text_of_csv):
    return list(csv.DictReader(io.StringIO(text_of_csv)))


def check_examples(opened):
    """Each answers as its own command line does, with a call that is not empty."""
    buttons = opened.driver.find_elements(By.CSS_SELECTOR, "#presets button")
    kinds = set()
    for button in buttons:
        press(opened, button)
        got = opened.settle(SETTLED)
        command = shlex.split(text(opened, "#command"))
        assert command[:2] == ["recallmodel", "select"], command
        want = native([*command[1:], "--json", "--brief"])
        assert want[0] == 0, (button.text, want[2])
        check_same_json(button.text, got, json.dumps(json.loads(want[1])))
        assert button.get_attribute("aria-pressed") == "true", button.text
        answer = json.loads(got)
        kinds.add(find(opened, "#answer").get_attribute("data-verdict"))
        if "usage" in answer:
            assert text(opened, "#call") in [each for each in answer["usage"].values() if each]
            said = text(opened, "#text-answer")
            assert text(opened, "#call").splitlines()[-1] in said, button.text
    assert len(buttons) >= 10 and kinds >= {"no", "perhaps"}, (len(buttons), kinds)
    print(f"{len(buttons)} examples as their command lines")


def check_sliders(opened):
    for name, place, want in (("n", 20, "2^20"), ("k", 5, "32"), ("m", 8, "2^8")):
        answer = json.loads(opened.settle(MOVE, f"{name}-slider", place))
        assert find(opened, f"#{name}").get_attribute("value") == want
        assert answer[name] == 2 ** place, (name, answer[name])
    answer = json.loads(opened.settle(MOVE, "recall-slider", 12))
    assert answer["recall_target"] == 0.99
    ask(opened, {**QUESTION, "n": "1e6"})  # a slider follows what the command has read
    opened.settle(SETTLED)
    assert find(opened, "#n-slider").get_attribute("value") == "20"


def saved(opened, folder, name, kind):
    """The file that a button of a picture saves."""
    path = folder / f"recallmodel-{name}.{kind.lower()}"
    buttons = find(opened, f"#picture-{name} .picture-buttons").find_elements(By.TAG_NAME, "button")
    press(opened, next(button for button in buttons if button.text == kind))
    end = time.time() + 10
    while not path.exists() and time.time() < end:
        time.sleep(0.05)
    time.sleep(0.1)
    return path.read_text()


def near(got, want):
    return abs(float(got) - float(want)) <= 1e-11 * abs(float(want)) + 1e-13


def check_pictures(opened, folder):
    """Their data are the command's; SVG stands alone; the point moves and goes back."""
    opened.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    ask(opened, QUESTION)
    answer = json.loads(opened.settle(SETTLED))
    choice, data = answer["choice"], {}
    for name in PICTURES:
        data[name] = rows_of(saved(opened, folder, name, "CSV"))
        drawing = xml.fromstring(saved(opened, folder, name, "SVG"))
        drawn = "".join(drawing.itertext())
        assert text(opened, f"#picture-{name} h3") in drawn and drawing.get("viewBox"), name
        assert not [each for each in drawing.iter() if each.get("class")], name
        press(opened, find(opened, f"#picture-{name} summary"))
        opened.wait(f"document.querySelector('#picture-{name} tbody tr')")
        cells = opened.driver.find_elements(By.CSS_SELECTOR, f"#picture-{name} tbody tr")
        assert len(cells) == len(data[name]), (name, len(cells), len(data[name]))
    shape = ["--n", "2^17", "--k", "2048"]
    point = [*shape, "--b", str(choice["b"]), "--kb", str(choice["k_b"])]
    for name, args, columns in (
            ("recall", ["recall", *shape, "--kb", "1,2,3,4"], ("b", "k_b", "recall")),
            ("distribution", ["distribution", *point],
             ("lost", "lost_to", "recall", "probability"))):
        want = rows_of(native([*args, "--csv"])[1])
        assert len(want) == len(data[name]) > 20, name
        for got, wanted in zip(data[name], want):
            assert all(near(got[each], wanted[each]) for each in columns), (name, got, wanted)
    timed = [row for row in data["time"] if row["k_b"] == str(choice["k_b"])][::5]
    for row in timed:  # of the kernel whose buckets answered
        want = rows_of(native(["predict", *shape, "--m", QUESTION["m"], "--device",
                               QUESTION["device"], "--kernel", answer["kernel"], "--b", row["b"],
                               "--kb", row["k_b"], "--csv"])[1])[0]
        assert near(row["predicted_us"], want["predicted_us"]), (row, want)
    assert len(timed) > 3 and answer["kernel"] == "ours", timed
    assert {row["b"] for row in data["ranks"]} >= {str(choice["b"])}
    assert text(opened, "#point").startswith("Chosen: ")
    opened.settle(MOVE, "b-slider", 150)
    assert text(opened, "#point").startswith("Explored: ")
    moved = rows_of(saved_again(opened, folder, "distribution"))
    assert moved[0]["b"] == text(opened, "#b-value") != str(choice["b"])
    press(opened, find(opened, "#chosen"))
    opened.settle(SETTLED)
    assert text(opened, "#point").startswith(f"Chosen: b = {choice['b']}")


def saved_again(opened, folder, name):
    (folder / f"recallmodel-{name}.csv").unlink()
    return saved(opened, folder, name, "CSV")


def check_keys(opened):
    """Pictures and tabs without a pointer."""
    drawing = find(opened, "#picture-recall .plot svg")
    seen = set()
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN):
        drawing.send_keys(key)
        seen.add(text(opened, "#picture-recall .tip"))
    assert len(seen) == 3 and all("candidates" in each for each in seen), seen
    find(opened, "#tab-ask").send_keys(Keys.ARROW_RIGHT)
    assert opened.driver.switch_to.active_element.get_attribute("id") == "tab-rows"
    opened.wait("location.hash.includes('tab=rows')")
    press(opened, find(opened, "#theme"))
    assert opened.driver.execute_script("return document.documentElement.dataset.theme") == "light"
    press(opened, find(opened, "#tab-ask"))


def check_profile(opened, folder):
    """A profile of the visitor's answers as the command does, and the page says that a link
    cannot hold it."""
    profile = folder / "my.profile"
    shipped = ROOT / "model/time/profiles/h100_pcie_graphcore_f16.profile"
    profile.write_text(shipped.read_text())
    find(opened, "#profile").send_keys(str(profile))
    got = opened.settle(SETTLED)
    command = shlex.split(text(opened, "#command"))
    assert "my.profile" in command
    check_same_json("profile", got, json.dumps(json.loads(
        native([*command[1:], "--json", "--brief"], folder)[1])))
    assert "not your profile" in text(opened, "#hash-note")
    assert "my.profile is used" in text(opened, "#toast")


def check_refused(opened, folder):
    """A CSV of runs is no profile: the page says so, and where; on a low screen the place is in
    sight. A link with a fault says what is wrong where the answer would be."""
    runs = folder / "t.csv"
    runs.write_text("n,k,b,k_b,m,time_us\n4096,64,128,2,1,20\n")
    opened.driver.set_window_size(1280, 900)
    find(opened, "#profile").send_keys(str(runs))
    opened.wait("document.getElementById('toast').textContent.includes('t.csv is refused: ')")
    error = "document.querySelector('[data-option=device] .field-error')"
    opened.wait(f"((box) => box && box.top >= 0 && box.bottom <= innerHeight)"
                f"({error}?.getBoundingClientRect())")
    assert opened.driver.execute_script(
        "const form = document.querySelector('.question');"
        "return form.scrollHeight <= form.clientHeight + 1"), "the form scrolls by itself"
    opened.driver.set_window_size(400, 800)
    opened.driver.get("about:blank")  # so that the page begins anew
    opened.open(PAGE, "n=12&k=50")
    opened.wait("document.querySelector('.field-error')")
    assert text(opened, "#verdict") == "No answer"
    assert "--k 50 is larger than n = 12" in text(opened, "#why"), text(opened, "#why")
    assert text(opened, "#dock") == "No answer: The question has a fault"
    opened.driver.set_window_size(1400, 1000)


def check_rows(opened, folder):
    rows = numpy.random.default_rng(5).standard_normal((120, 3000), dtype=numpy.float32)
    numpy.save(folder / "scores.npy", rows)
    press(opened, find(opened, "#tab-rows"))
    press(opened, find(opened, "#rows-run"))
    opened.wait("document.querySelector('#drop .field-error')")
    assert "drop a .npy file" in text(opened, '#drop .field-error')
    find(opened, "#rows-file").send_keys(str(folder / "scores.npy"))
    press(opened, find(opened, "#rows-run"))
    opened.wait("document.getElementById('rows-words')?.textContent")
    args = ["simulate", "--file", "scores.npy", "--k", "64", "--kb", "1,2,4", "--recall", "0.95",
            "--assignment", "interleaved"]
    want = json.loads(native([*args, "--json"], folder)[1])["choices"][0]["measured"]
    assert text(opened, "#rows-headline") == f"b = {want['b']}, k_b = {want['k_b']}"
    advice = native(args, folder)[1].strip().split("\n\n")[-1]
    assert "".join(text(opened, "#rows-why").split()) == "".join(advice.split())
    assert len(opened.driver.find_elements(By.CSS_SELECTOR, "#rows-result .shape")) > 20
    find(opened, "#rows-k").clear()
    find(opened, "#rows-k").send_keys("4000")
    press(opened, find(opened, "#rows-run"))
    opened.wait("document.querySelector('#rows-form [data-option=k] .field-error')")
    assert "larger than n = 3000" in text(opened, '#rows-form [data-option=k] .field-error')


def main():
    with tempfile.TemporaryDirectory() as made, browser() as opened:
        folder = pathlib.Path(made)
        opened.driver.set_window_size(1400, 1000)
        opened.open(PAGE)
        opened.settle(SETTLED)
        check_examples(opened)
        check_sliders(opened)
        check_pictures(opened, folder)
        check_keys(opened)
        check_profile(opened, folder)
        check_rows(opened, folder)
        check_refused(opened, folder)
        assert not opened.complaints(), opened.complaints()
    print("sliders, pictures with their files, keys, a profile, rows")


main()
