#!/usr/bin/env python3
"""build.py - makes one HTML file from the parts of the page.

    deliver/page/build.py --ui FOLDER --script FILE.js --notice FILE .. -o FILE.html

FOLDER has an index.html. In it
- `<link rel="stylesheet" href="NAME">` becomes the style sheet itself;
- `<!-- NAME.html -->` becomes that file;
- `<!-- notices -->` becomes the texts of --notice: the licences of what is compiled in;
- `<script type="module" src="NAME">` becomes the script FILE.js, into which esbuild has put all
  modules and the WebAssembly (page.mk).
A Content-Security-Policy forbids the page every connection, and every script but this one.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import base64
import gzip
import hashlib
import html
import pathlib
import re
import sys

MOST_BYTES = 3_000_000


def for_html(script):
    """The script as it may stand in HTML: a string may name the tags that would end it."""
    return script.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def policy(script):
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return ("default-src 'none'; "
            f"script-src 'sha256-{digest}' 'wasm-unsafe-eval'; worker-src blob:; "
            "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'; "
            "form-action 'none'; base-uri 'none'")


def notices(paths):
    """The texts one below the other, closed until somebody opens them."""
    texts = "\n\n".join(path.read_text(encoding="utf-8").strip() for path in paths)
    return ("<details class=\"notices\">\n<summary>Licences of what is compiled in</summary>\n"
            f"<pre>{html.escape(texts)}</pre>\n</details>")


def assemble(ui, script, notice):
    page = (ui / "index.html").read_text()
    page = page.replace("<!-- notices -->", notices(notice))
    page = re.sub(r"<!-- ([\w-]+\.html) -->", lambda found: (ui / found[1]).read_text(), page)
    page = re.sub(r'<link rel="stylesheet" href="([^"]+)">',
                  lambda found: f"<style>\n{(ui / found[1]).read_text()}</style>", page)
    entry = re.findall(r'<script type="module" src="([^"]+)"></script>', page)
    if len(entry) != 1:
        sys.exit(f"{ui}/index.html: it must have one <script type=\"module\" src=..>")
    script = for_html(script)
    page = re.sub(r'<script type="module" src="[^"]+"></script>',
                  lambda _: f'<script type="module">{script}</script>', page)
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy(script)}">'
    page = page.replace('<meta charset="utf-8">', '<meta charset="utf-8">\n' + head, 1)
    if head not in page:
        sys.exit(f'{ui}/index.html: it must have <meta charset="utf-8">')
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ui", type=pathlib.Path, required=True)
    parser.add_argument("--script", type=pathlib.Path, required=True)
    parser.add_argument("--notice", type=pathlib.Path, action="extend", nargs="+", default=[])
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    given = parser.parse_args()
    page = assemble(given.ui, given.script.read_text(encoding="utf-8"), given.notice).encode()
    given.output.write_bytes(page)
    print(f"{given.output}: {len(page)} bytes, {len(gzip.compress(page))} with gzip")
    if len(page) > MOST_BYTES:
        sys.exit(f"{given.output}: above {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
