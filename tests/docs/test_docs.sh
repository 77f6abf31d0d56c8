#!/usr/bin/env bash
# Every test says what it tests. docs/testing.md: promised accuracies are those of the header; every
# case that a deliberate fault names is there.
#
# Against: sources, public headers.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 0; }
tools/list_tests.py --check
python3 - "${1:-docs/testing.md}" <<'END'
import pathlib
import re
import sys

wrong = []
tests = [path for path in sorted(pathlib.Path("tests").rglob("*")) if path.is_file()]
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
page, _, faults = text.partition("## Deliberate faults")


def entries_of(part):
    """The items of lists as (head, whole), each on one line; the head ends at the first colon
    behind a name: "- `test_a`, `test_b.sh`: what they test"."""
    items = re.findall(r"^- (.*(?:\n  .*)*)", part, re.MULTILINE)
    whole = [" ".join(item.split()) for item in items]
    return [(re.split(r": ", item, maxsplit=1)[0], item) for item in whole]


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

sources = [path for path in tests if path.suffix in (".c", ".cc", ".py")]
sources += pathlib.Path("python").rglob("test_*.py")
source = "".join(path.read_text(encoding="utf-8") for path in sources)
cases = set(re.findall(r"(?:START_TEST\(|\bdef )(\w+)", source))
found = entries_of(faults)
for _, fault in found:
    _, noticed, by = fault.partition("oticed")
    if not noticed and "ends with status" not in fault:
        wrong.append(f"what noticed this fault is not said: {fault}")
    for name in re.findall(r"`(\w+)`", by):
        if name not in cases:
            wrong.append(f"no test has the case {name}, named by: {fault}")

if len(found) < 70:
    wrong.append(f"only {len(found)} faults were found")
agree = f"{len(rows)} rows and {len(found)} faults agree"
print("\n".join(f"FAIL: {line}" for line in wrong) or agree)
sys.exit(bool(wrong))
END
