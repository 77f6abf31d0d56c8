#!/usr/bin/python3
"""first_page.py - opens the built page from disk with a question in its address, prints the seconds
until the answer stands there, and what it is: "1.2 b k_b". With a file name, it also writes a
picture of the answer (PNG), which holds the text of the answer too, so that a test can tell whether
it is of today (tests/docs/check_form.py).

SPDX-License-Identifier: Apache-2.0
"""
import base64
import pathlib
import struct
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/page"))

from browser import browser  # noqa: E402

QUESTION = "n=2^17&k=2048&m=64&recall=0.95&device=H100-PCIe"
WIDTH = 1400
READY = """
const box = document.getElementById('answer');
while (box.dataset.state !== 'ready')
    await new Promise((resolve) => setTimeout(resolve, 5));
return [box.dataset.b, box.dataset.kb];
"""
TEXT = "return document.getElementById('answer').innerText;"
BOTTOM = "return document.getElementById('answer').getBoundingClientRect().bottom + scrollY;"


def with_text(png, text):
    """The picture with a text chunk (iTXt, UTF-8) before its end."""
    chunk = b"iTXtDescription\0\0\0\0\0" + text.encode()
    end = png.rindex(b"IEND") - 4
    return b"".join((png[:end], struct.pack(">I", len(chunk) - 4), chunk,
                     struct.pack(">I", zlib.crc32(chunk)), png[end:]))


def picture(opened, path):
    opened.command("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": "light"}])
    opened.command("Emulation.setDeviceMetricsOverride", width=WIDTH, height=900,
                   deviceScaleFactor=1, mobile=False)
    opened.settle("await new Promise((resolve) => setTimeout(resolve, 1000));"
                  "document.activeElement.blur(); scrollTo(0, 0);")
    shot = opened.command("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={
        "x": 0, "y": 0, "width": WIDTH, "height": opened.settle(BOTTOM) + 12, "scale": 1})
    data = with_text(base64.b64decode(shot["data"]), opened.settle(TEXT))
    assert len(data) <= 200_000, f"the picture has {len(data)} bytes"
    pathlib.Path(path).write_bytes(data)


def main():
    begin = time.monotonic()
    with browser() as opened:
        opened.open("recallmodel.html", QUESTION)
        b, kept = opened.settle(READY)
        print(f"{time.monotonic() - begin:.1f} {b} {kept}")
        for path in sys.argv[1:]:
            picture(opened, path)


main()
