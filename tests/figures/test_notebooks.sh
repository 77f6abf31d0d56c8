#!/usr/bin/env bash
# The notebooks as they are committed: no outputs, a title each, and links to files that exist.
# `make notebooks` executes them.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
"$python" - notebooks/*.ipynb <<'END'
import json
import pathlib
import re
import sys

for name in sys.argv[1:]:
    cells = json.load(open(name, encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert text.startswith("# "), f"{name} does not begin with a title"
    assert sum(cell["cell_type"] == "code" for cell in cells) > 3, f"{name} has hardly any code"
    for cell in cells:
        empty = not cell.get("outputs") and cell.get("execution_count") is None
        assert empty, f"{name} is committed with outputs; clear them"
    for link in re.findall(r"\]\(([^)]*)\)", text):
        assert (pathlib.Path(name).parent / link).exists(), f"{name}: {link} does not exist"
assert len(sys.argv) == 7, f"{len(sys.argv) - 1} notebooks"
print("6 passed, 0 failed")
END
