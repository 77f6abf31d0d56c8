#!/usr/bin/env bash
# The style of all sources (tools/style.py has the rules), and that each fault is found.
#
# Against: files with one fault each.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the style does not depend on the sanitizers"
needs_python

# lines COUNT TEXT: the text COUNT times.
lines() { for _ in $(seq "$1"); do printf '%s\n' "$2"; done; }

# finds FILE LINE TEXT: style.py finds this fault, and only this one, in the file given on stdin.
finds() {
    cat >"$folder/$1"
    tools/style.py --no-format "$folder/$1" >"$folder/out" && fail "$1: no fault was found"
    grep -q "$1:$2: .*$3" "$folder/out" || fail "$1:$2: not '$3' but $(cat "$folder/out")"
    grep -q ", 1 faults$" "$folder/out" || fail "$1: more than one fault: $(cat "$folder/out")"
    pass
}

# accepts FILE: style.py finds no fault in the file given on stdin.
accepts() {
    cat >"$folder/$1"
    tools/style.py --no-format "$folder/$1" >"$folder/out" || fail "$1: $(cat "$folder/out")"
    pass
}

function_of() { # the number of lines of a C function
    printf 'static int long_one(int x,\n                    int y)\n{\n'
    lines $(($1 - 5)) '    x += y;'
    printf '    return x;\n}\n'
}

finds wide.md 2 "101 bytes" < <(echo; lines 1 "$(printf '%101s' x | tr ' ' x)")
accepts wide.md < <(lines 1 "$(printf '%100s' x | tr ' ' x)")
finds bytes.md 1 "102 bytes" < <(printf 'µ%.0s' $(seq 51); echo)
finds tab.c 1 "has a tab" < <(printf 'int\tx;\n')
finds blank.sh 2 "ends in a blank" < <(printf 'true\ntrue \n')
finds quoted.c 1 "a path in quotes" < <(echo '#include "../model/shape.h"')
accepts quoted.c < <(printf '#include "shape.h"\n#include <model/recallmodel.h>\n')
finds contract.h 2 "a field of a contract" < <(printf '/* x\n * is above 0. Domain    x > 0. */\n')
accepts contract.h < <(printf '/* x\n * Domain    x > 0.\n * Returns   x. */\n')
finds end.md 1 "the last line has no end" < <(printf 'text')
finds pipe.sh 2 "may end the writer" < <(printf 'set -o pipefail\nls | %s\n' 'grep -q x')
finds pipe.sh 2 "may end the writer" < <(printf 'set -o pipefail\nls | %s\n' 'head -n 3')
accepts pipe.sh < <(printf 'set -o pipefail\nls x || %s\nls | sed -n 1p\n' 'grep -q x y')
finds small.gp 1 "a font below 8" < <(echo 'set label 1 "k" font ",7"')
accepts small.gp < <(echo 'set label 1 "k" font ",8"')
finds function.c 3 "a function of 61 lines" < <(printf '#include "a.h"\n\n'; function_of 61)
accepts function.c < <(function_of 60)
accepts reason.c < <(echo "/* A loop. long: one case a line */"; function_of 61)
finds reason.c 1 "a function of 61" < <(function_of 61; echo "/* long: this is below it */")
finds function.py 1 "a function of 61" < <(echo "def one():"; lines 60 "    pass")
finds function.sh 1 "a function of 62" < <(echo "one() {"; lines 60 "    true"; echo "}")
finds file.c 1 "401 lines of code" < <(echo "/* A file. */"; echo; lines 401 "int x;")
accepts file.c < <(lines 20 "/* A comment. */"; lines 400 "int x;")
accepts file.c < <(echo "/* long: a table */"; lines 401 "int x;")
accepts file.h < <(lines 401 "int x;")

# A subject that is too long, in a repository of the test's own.
if command -v git >/dev/null; then
    repository=$folder/repository
    mkdir -p "$repository/tools"
    ours() {
        git -C "$repository" -c user.name=test -c user.email=test@localhost "$@" >/dev/null 2>&1
    }
    commit() { ours commit --allow-empty -m "$1"; }
    ours init
    commit "the first"
    first=$(git -C "$repository" rev-parse HEAD)
    sed "s/^FIRST_COMMIT = .*/FIRST_COMMIT = \"$first\"/" \
        tools/style.py >"$repository/tools/style.py"
    commit "$(printf '%60s' x | tr ' ' x)"
    python3 "$repository/tools/style.py" --no-format >"$folder/out" || fail "$(cat "$folder/out")"
    commit "$(printf '%61s' x | tr ' ' x)"
    python3 "$repository/tools/style.py" --no-format >"$folder/out" && fail "a subject of 61"
    grep -q '^commit .*a subject of 61 characters' "$folder/out" || fail "$(cat "$folder/out")"
    pass
fi

# A file that is not formatted.
printf 'int x(void){return 1;}\n' >"$folder/format.c"
cp .clang-format "$folder"
if tools/style.py "$folder/format.c" >"$folder/out"; then
    grep SKIPPED "$folder/out" || fail "a file that is not formatted is not found"
else
    grep -q "format.c:1: is not formatted" "$folder/out" || fail "$(cat "$folder/out")"
    tools/style.py --format "$folder/format.c"
    tools/style.py "$folder/format.c" >"$folder/out" || fail "--format: $(cat "$folder/out")"
    pass
fi

tools/style.py || fail "the style of the sources; see above"
pass
finish
