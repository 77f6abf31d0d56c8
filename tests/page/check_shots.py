#!/usr/bin/python3
"""check_shots.py - pictures of the page at three widths, light and dark, into build/page/shots.

They are compared loosely: there is something to see, in the colours that were asked for; nothing is
wider than the window; no two fields or texts lie on each other; the answer is the same in all.

SPDX-License-Identifier: Apache-2.0
"""
import base64

from browser import PAGE as FOLDER
from browser import browser
from visit import PAGE, ask

WIDTHS = (360, 800, 1400)
TABS = ("ask", "rows", "help")
QUESTION = {"n": "2^17", "k": "2048", "m": "64", "recall": "0.95", "device": "H100-PCIe"}

# What stands on one another: pairs of visible elements that hold a text or are a field, neither in
# the other, whose boxes share more than a pixel each way.
OVERLAPS = """
const leaves = [...document.querySelectorAll('body *')].filter((each) => {
    if (each.closest('svg') || !each.checkVisibility({visibilityProperty: true,
        opacityProperty: true}))
        return false;
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    return (own || /^(INPUT|SELECT|BUTTON|PROGRESS)$/.test(each.tagName)) && box.width > 2 &&
        box.height > 2 && style.position !== 'fixed' && style.clip === 'auto' &&
        style.display !== 'inline' && !each.closest('.skip, .toast, [aria-hidden=true]');
});
const fixed = (each) => each && (getComputedStyle(each).position === 'fixed' ||
    getComputedStyle(each).position === 'sticky' || fixed(each.parentElement));
/* What scrolls in a box of its own is cut off by it. */
const cut = (each) => {
    let box = each.getBoundingClientRect();
    let {left, right, top, bottom} = box;
    for (let up = each.parentElement; up; up = up.parentElement)
        if (getComputedStyle(up).overflow !== 'visible' && up !== document.body &&
            up !== document.documentElement) {
            box = up.getBoundingClientRect();
            left = Math.max(left, box.left); right = Math.min(right, box.right);
            top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
        }
    return {left, right, top, bottom};
};
const boxes = leaves.filter((each) => !fixed(each)).map((each) => [each, cut(each)]);
const found = [], name = (each) => each.tagName + '#' + each.id + '.' + each.className + ' ' +
    each.textContent.trim().slice(0, 30);
boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    if (!one.contains(other) && !other.contains(one) &&
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
        found.push(name(one) + ' | ' + name(other));
}));
return {found, looked: boxes.length, wide: document.documentElement.scrollWidth,
    inner: innerWidth, high: document.documentElement.scrollHeight,
    headline: document.getElementById('headline').textContent};
"""

# Mean brightness, the share of the commonest colour, and how many colours there are.
LOOK = """
const bytes = Uint8Array.from(atob(args[0]), (letter) => letter.charCodeAt(0));
const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext('2d');
pen.drawImage(image, 0, 0);
const {data} = pen.getImageData(0, 0, image.width, image.height), count = new Map();
let sum = 0;
for (let i = 0; i < data.length; i += 4) {
    const colour = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
    count.set(colour, (count.get(colour) || 0) + 1);
    sum += (data[i] + data[i + 1] + data[i + 2]) / 765;
}
return {bright: 4 * sum / data.length, common: 4 * Math.max(...count.values()) / data.length,
    colours: count.size, width: image.width};
"""


def show(opened, width, theme, tab):
    opened.command("Emulation.setDeviceMetricsOverride", width=width, height=800,
                   deviceScaleFactor=1, mobile=width < 500)
    opened.command("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": theme}])
    opened.settle(f"document.getElementById('tab-{tab}').click();"
                  "await new Promise((resolve) => setTimeout(resolve, 400));"
                  "document.activeElement.blur(); scrollTo(0, 0);")


def check_one(opened, width, theme, tab):
    what = f"{tab}-{width}-{theme}"
    show(opened, width, theme, tab)
    page = opened.settle(OVERLAPS)
    assert page["looked"] > 5, what
    assert page["wide"] <= page["inner"], f"{what}: {page['wide']} wide in {page['inner']}"
    assert not page["found"], f"{what}: {page['found'][:5]}"
    shot = opened.command("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": width, "height": page["high"],
                                "scale": 1})["data"]
    (FOLDER / "shots" / f"{what}.png").write_bytes(base64.b64decode(shot))
    look = opened.settle(LOOK, shot)
    assert look["width"] == width and look["colours"] > 50 and look["common"] < 0.97, (what, look)
    assert look["bright"] < 0.35 if theme == "dark" else look["bright"] > 0.65, (what, look)
    return page["headline"]


def main():
    (FOLDER / "shots").mkdir(exist_ok=True)
    with browser() as opened:
        opened.open(PAGE)
        ask(opened, QUESTION)
        opened.settle("await new Promise((resolve) => setTimeout(resolve, 3000));")  # pictures
        headlines = {check_one(opened, width, theme, tab)
                     for width in WIDTHS for theme in ("light", "dark") for tab in TABS}
        assert len(headlines) == 1 and headlines != {""}, headlines
        opened.check_quiet()
    print(f"{len(WIDTHS) * 2 * len(TABS)} pictures in {FOLDER / 'shots'}")


main()
