#!/usr/bin/env bash
# Every test says what it tests. CONTRIBUTING.md: promised accuracies are those of the header.
#
# Against: sources, public headers.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
tools/list_tests.py --check
"$python" - "${1:-CONTRIBUTING.md}" <<'END'
import pathlib
import re
import sys

wrong = []
page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
header = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path("model").rglob("*.h"))
promises = {"loss": "LOSS", "binomial loss": "LOSS", "survival of rank k": "SURVIVAL",
            "standard deviation": "SD"}
rows = [line for line in page.splitlines() if line.startswith("| ")]
for row in rows:
    cells = [cell.strip() for cell in row.split("|")]
    if cells[1] in promises:
        named = rf"RCM_{promises.pop(cells[1])}_MAX_RELERR (\S+)"
        constant = re.search(named, header).group(1)
        if cells[2] != constant:
            wrong.append(f"{cells[1]}: the page promises {cells[2]}, the header {constant}")
wrong += [f"{name}: no promise on the page" for name in promises]

agree = f"{len(rows)} rows agree"
print("\n".join(f"FAIL: {line}" for line in wrong) or agree)
sys.exit(bool(wrong))
END
