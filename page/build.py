#!/usr/bin/env python3
"""build.py - makes one HTML file from the parts of the page.

    page/build.py --ui FOLDER --wasm FILE.wasm --notice FILE .. -o FILE.html

FOLDER has an index.html. In it
- `<link rel="stylesheet" href="NAME">` becomes the style sheet itself;
- `<!-- NAME.html -->` becomes that file;
- `<!-- notices -->` becomes the texts of --notice: the licences of what is compiled in;
- `<script type="module" src="NAME">` becomes that module and all that it imports. A module becomes
  a function that is called once and returns what it exports, so that two may use one name.
The module page/engine/embedded.js is made here: the WebAssembly in base64 and the source of the
worker. A Content-Security-Policy forbids the page every connection, and every script but this one.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import base64
import gzip
import hashlib
import html
import json
import pathlib
import re
import sys

ENGINE = pathlib.Path(__file__).resolve().parent / "engine"
MOST_BYTES = 3_000_000

IMPORT = re.compile(r"^import\s+(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+['\"]([^'\"]+)['\"];\n",
                    re.M)
EXPORT = re.compile(r"^export\s+(?=(?:async\s+)?(?:function\*?|class|const|let)\s+(\w+))", re.M)


class Bundle:
    """Modules, each after those that it imports."""

    def __init__(self, embedded):
        self.embedded = embedded  # {path: text} of files that exist here alone
        self.names = {}  # path: the variable that holds what it exports
        self.parts = []

    def text_of(self, path):
        return self.embedded[path] if path in self.embedded else path.read_text()

    def add(self, path, importers=()):
        """Adds a module. Returns its variable."""
        if path in importers:
            sys.exit(f"{path}: imports itself through {importers[-1].name}")
        if path in self.names:
            return self.names[path]
        text = self.text_of(path)

        def variable(found):
            whole, names, source = found.groups()
            other = self.add((path.parent / source).resolve(), (*importers, path))
            renamed = re.sub(r"\s+as\s+", ": ", names or "")
            return f"const {whole or '{' + renamed + '}'} = {other};\n"

        text = IMPORT.sub(variable, text)
        exported = EXPORT.findall(text)
        text = EXPORT.sub("", text)
        wrong = re.search(r"^(import|export)\b.*", text, re.M)
        if wrong:
            sys.exit(f"{path}: build.py does not know this form: {wrong[0]}")
        self.names[path] = f"module{len(self.names)}_{re.sub(r'[^a-z0-9]', '_', path.stem)}"
        self.parts.append(f"/* {path.name} */\nconst {self.names[path]} = (() => {{\n{text}\n"
                          f"return {{{', '.join(exported)}}};\n}})();\n")
        return self.names[path]

    def source(self):
        return "'use strict';\n" + "".join(self.parts)


def script_of(entry, embedded):
    bundle = Bundle(embedded)
    bundle.add(entry.resolve())
    return bundle.source()


def embedded_modules(wasm):
    worker = script_of(ENGINE / "worker.js", {})
    text = (f"export const moduleBase64 = '{base64.b64encode(wasm).decode()}';\n"
            f"export const workerSource = {json.dumps(worker)};\n")
    return {ENGINE / "embedded.js": text}


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


def assemble(ui, wasm, notice):
    page = (ui / "index.html").read_text()
    page = page.replace("<!-- notices -->", notices(notice))
    page = re.sub(r"<!-- ([\w-]+\.html) -->", lambda found: (ui / found[1]).read_text(), page)
    page = re.sub(r'<link rel="stylesheet" href="([^"]+)">',
                  lambda found: f"<style>\n{(ui / found[1]).read_text()}</style>", page)
    entry = re.findall(r'<script type="module" src="([^"]+)"></script>', page)
    if len(entry) != 1:
        sys.exit(f"{ui}/index.html: it must have one <script type=\"module\" src=..>")
    script = for_html(script_of(ui / entry[0], embedded_modules(wasm)))
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
    parser.add_argument("--wasm", type=pathlib.Path, required=True)
    parser.add_argument("--notice", type=pathlib.Path, action="extend", nargs="+", default=[])
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    given = parser.parse_args()
    wasm = given.wasm.read_bytes()
    page = assemble(given.ui, wasm, given.notice).encode()
    given.output.write_bytes(page)
    print(f"{given.output}: {len(page)} bytes, {len(gzip.compress(page))} with gzip; of these "
          f"WebAssembly {len(wasm)}, {len(gzip.compress(wasm))} with gzip, "
          f"{len(base64.b64encode(wasm))} in base64")
    if len(page) > MOST_BYTES:
        sys.exit(f"{given.output}: above {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
