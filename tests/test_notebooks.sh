#!/usr/bin/env bash
# The notebooks as they are committed: without outputs, each a title and links that lead somewhere. `make notebooks` executes them.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 0; }
python3 - notebooks/*.ipynb <<'END'
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
        assert not cell.get("outputs") and cell.get("execution_count") is None, f"{name} is committed with outputs; clear them"
    for link in re.findall(r"\]\(([^)]*)\)", text):
        assert (pathlib.Path(name).parent / link).exists(), f"{name}: {link} is not there"
assert len(sys.argv) == 6, f"{len(sys.argv) - 1} notebooks"
print("5 passed, 0 failed")
END
