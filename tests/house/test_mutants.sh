#!/usr/bin/env bash
# tools/mutants.py: what a line may become; texts and comments stay; which tests belong to a file;
# a survivor that is listed is not drawn. (make check-mutants makes the changes.)
#
# Against: lines and names written out here.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
PYTHONPATH=tools "$python" -B - <<'END' || fail "see above"
import mutants

def becomes(line):
    return sorted(mutants.changes_of(line))

assert becomes("    if (a < b && c)") == ["    if (a < b || c)", "    if (a <= b && c)"]
assert becomes("    x += y;") == ["    ;"] and becomes("    free(x);") == ["    ;"]
assert becomes('    puts("a < b"); /* 1 + 1 */') == []
assert becomes("    return (10 + 1.0);") == ["    return (10 + 2.0);", "    return (10 - 1.0);"]
tests = mutants.tests_of("model/shape/bisect.c")
assert tests[0] == "build/tests/model/shape/test_bisect" and len(tests) == len(set(tests)) > 20
assert "tests/programs/test_golden.sh" in mutants.tests_of("programs/recallmodel/topk/rounds.c")
places = list(mutants.lines_of(["model/shape/bisect.c"], None, mutants.ROOT))
text = (mutants.ROOT / "model/shape/bisect.c").read_text(encoding="utf-8").split("\n")
assert places and all(text[at].startswith("    ") for _, at in places)

class Given:
    files, since, seed = ["model/shape/bisect.c"], None, "1"

drawn = list(mutants.draw(Given, mutants.ROOT))
name, _, line, new = drawn[0]
mutants.allowed = lambda: {f"{name}: {line.strip()} -> {other.strip()}"
                           for other in mutants.changes_of(line)}
assert line not in [one[2] for one in mutants.draw(Given, mutants.ROOT)] and len(drawn) > 10
END
pass
# Each listed survivor is a line that stands in its file, with a reason.
while IFS= read -r line; do
    [[ $line =~ ^([^:]+):\ (.*)\ -\>\ .*:\ .+$ ]] || fail "tests/survivors.txt: $line"
    grep -qF -- "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}" || fail "is gone: $line"
done < <(grep -v '^#' tests/survivors.txt)
pass
finish
