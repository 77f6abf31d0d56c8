#!/usr/bin/env bash
# The notebooks as they are committed: a title each, links to files that exist, outputs of one run
# from the first cell. `make notebooks` executes them and compares what they print.
#
# Against: tools/notebook_outputs.py on outputs that were changed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
"$python" - notebooks/*.ipynb <<'END'
import json
import pathlib
import re
import sys

named = pathlib.Path("docs/quick-start.md").read_text(encoding="utf-8")
for name in sys.argv[1:]:
    cells = json.load(open(name, encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert text.startswith("# "), f"{name} does not begin with a title"
    assert name in named, f"docs/quick-start.md does not name {name}"
    for link in re.findall(r"\]\(([^)]*)\)", text):
        assert (pathlib.Path(name).parent / link).exists(), f"{name}: {link} does not exist"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 3, f"{name} has hardly any code"
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), \
        f"{name} was not executed from its first cell; run make notebook-outputs"
    for cell in code:
        source, outputs = "".join(cell["source"]), cell["outputs"]
        assert cell["metadata"] == {}, f"{name} has metadata of a run: {cell['metadata']}"
        kinds = {output["output_type"] for output in outputs}
        assert kinds <= {"stream", "display_data"}, f"{name} has outputs {kinds}"
        prints = re.search(r"^ *print\(", source, re.M) and not re.match(r"def ", source)
        assert not prints or "stream" in kinds, f"{name} prints, and no text is committed"
        draws = re.search(r"plt\.subplots|plt\.plot\(", source)
        assert not draws or "display_data" in kinds, f"{name} draws, and no picture is committed"
END
pass

# compares FROM BY: what `make notebooks` says where the text FROM were BY in the executed notebook.
compares() {
    sed "s/$1/$2/" notebooks/1-choosing.ipynb >"$folder/1-choosing.ipynb"
    cmp -s notebooks/1-choosing.ipynb "$folder/1-choosing.ipynb" && fail "no notebook has '$1'"
    "$python" tools/notebook_outputs.py "$folder/1-choosing.ipynb" 2>"$folder/out"
}
"$python" tools/notebook_outputs.py notebooks/*.ipynb || fail "notebooks differ from themselves"
compares "mean 0.950062" "mean 0.950063" || fail "a last digit that rounds otherwise is refused"
compares "mean 0.950062" "mean 0.950065" && fail "another number is not noticed"
compares "candidates: buckets" "candidates: exact" && fail "another word is not noticed"
compares "b = 65536, k_b = 1:" "b = 65537, k_b = 1:" && fail "another whole number is not noticed"
compares "import numpy as np" "import numpy" && fail "a cell that was not executed is not noticed"
grep -q "notebooks/1-choosing.ipynb: the cells .*make notebook-outputs" "$folder/out" ||
    fail "the mend is not named: $(cat "$folder/out")"
pass
finish
