#!/usr/bin/env bash
# The claims of the papers, one by one: docs/claims.md says what the runs, the figures and the
# command say of each, and docs/choosing.md what they say of the best k_b. No line stays as it is
# if the numbers that it reads are others.
#
# Against: published runs, figures and the command; a copy with five numbers changed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "what the command prints does not depend on the sanitizers"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python

# written TOP: the pages of that tree, written anew, are as they were.
written() {
    cp "$1"/docs/claims.md "$1"/docs/choosing.md "$folder"
    "$python" "$1/tests/claims/claims.py" --write "$folder/claims.md" &&
        "$python" "$1/plots/best_kb.py" text \
            "$1/paper_figures/ours-best-kb/ours-best-kb.csv" --write "$folder/choosing.md" &&
        diff "$1/docs/claims.md" "$folder/claims.md" &&
        diff "$1/docs/choosing.md" "$folder/choosing.md"
}
written . >"$folder/out" 2>&1 ||
    fail "not what the numbers say; CONTRIBUTING.md, Add a claim: $(cat "$folder/out")"
pass

"$python" tests/claims/claims.py --disturbed >"$folder/out" 2>&1 ||
    fail "these lines depend on no number: $(cat "$folder/out")"
pass

# A copy in which one number is another: the line is noticed.
mkdir "$folder/top"
cp -r plots runs docs paper_figures "$folder/top"
mkdir "$folder/top/tests"
cp -r tests/claims "$folder/top/tests"
find tests -name 'test_*' -not -path 'tests/claims/*' | while read -r test; do
    mkdir -p "$folder/top/$(dirname "$test")"
    touch "$folder/top/$test"
done
# change FILE SED: changes a number in the copy.
change() {
    cmp -s <(sed "$2" "$folder/top/$1") "$folder/top/$1" && fail "'$2' changes nothing in $1"
    sed -i "$2" "$folder/top/$1"
}
# noticed LINE: the difference has it.
noticed() { grep -q -- "$1" "$folder/out" || fail "not noticed: $1: $(cat "$folder/out")"; }

change docs/claims.md 's/27 parallel/28 parallel/; s/become 27/become 28/'
change runs/keyetal/sparq-shapes.csv '/^1409,96,48,2,1,1,interleaved,/s/,[^,]*,\([^,]*\)$/,3.0,\1/'
change runs/samaga/table-2.csv '/,8192,1,8,0\.942/s/0\.942/0.952/'
change paper_figures/saap-03/saap-03.csv '/^256,outside,topk,9,/s/0\./0.0/'
change paper_figures/ours-best-kb/ours-best-kb.csv '/^measured,n\/4,.*,0\.8,4,1,/s/,4,1,/,4,2,/'
written "$folder/top" >"$folder/out" 2>&1 && fail "numbers that have changed are not noticed"
noticed '^< .*become 28'
noticed '^> .*4\.9 (SQuAD)'
noticed '^> .*recalls of 20 rows.*16 are'
noticed '^> .*more than half in 251 of 261'
"$python" plots/best_kb.py text "$folder/top/paper_figures/ours-best-kb/ours-best-kb.csv" \
    >"$folder/out"
noticed 'k_b = 4 is the fastest in 0 of 14 cases'
pass

# Bad arguments: one line, status 2, nothing on stdout.
refuses() {
    local status=0
    "$python" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] ||
        fail "$*: status $status, $(cat "$folder/out" "$folder/err")"
}
refuses tests/claims/claims.py --write
refuses tests/claims/claims.py docs/claims.md
refuses plots/best_kb.py
refuses plots/best_kb.py text
refuses plots/best_kb.py text FILE docs/choosing.md
pass
finish
