#!/usr/bin/env bash
# The trade-off curves: the committed CSV files, captions and the table of docs/runs.md against the
# runs, in another way than plots/tradeoff.py. test_figures.sh shows that these files are what it
# prints today.
#
# Against: `tradeoff_check.py`, which compares each pair of configurations and takes recalls as
# fractions; the published costs; the costs and recalls that the runs of a CPU print, and a fit to
# half of their sizes; the regrets of ours-regret; changed numbers.
#
# Slow: 5 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python
figures=(key-tradeoff ours-cpu drtopk-tradeoff ours-regret)

check() { python3 tests/figures/tradeoff_check.py "$@" >"$folder/out" 2>&1; }

check paper_figures docs/runs.md || fail "$(cat "$folder/out")"
pass

# The check finds what has changed: a number of a CSV, a caption, the page.
copy() {
    rm -rf "$folder/changed"
    mkdir "$folder/changed"
    for figure in "${figures[@]}"; do cp -r "paper_figures/$figure" "$folder/changed"; done
}

# changed FIGURE COLUMN VALUE CONDITION PATTERN: with that value (an expression of awk) in the first
# row where the condition holds, the check prints the pattern.
changed() {
    copy
    awk -F, -v OFS=, -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && !done && '"$4"' { $at[column] = '"$3"'; done = 1 }
        { print }' "paper_figures/$1/$1.csv" >"$folder/changed/$1/$1.csv"
    ! cmp -s "$folder/changed/$1/$1.csv" "paper_figures/$1/$1.csv" || fail "no change of $2"
    check "$folder/changed" docs/runs.md "$1" && fail "a change of $2 in $1 is not noticed"
    prints "^FAIL: $1: $5" <"$folder/out" || fail "$1, $2: $(cat "$folder/out")"
}
at='$at["recall"] > .5'
changed key-tradeoff frontier 1 '$at["frontier"] == 0' "n = .*: frontier"
changed key-tradeoff time_us '$at["time_us"] * 1.01' "$at" "the rows are not the"
changed key-tradeoff cost_parallel 1 '$at["chosen_by_parallel"] == 0' "n = .*: parallel"
changed key-tradeoff basic_us '$at["basic_us"] * 1.01' "$at" "n = .*: basic"
changed ours-cpu recall '$at["recall"] * .9999' "$at" "recall of"
changed ours-cpu k_b 99 '$at["panel"] > 0' "k_b = 99 of panel .* has no mark"
changed drtopk-tradeoff fastest_us 1 "$at" "n = .*: fastest_us"
pass

# Captions and the page: a digit of a mean.
copy
sed 's/serial 1/serial 2/' paper_figures/key-tradeoff/caption.txt \
    >"$folder/changed/key-tradeoff/caption.txt"
check "$folder/changed" docs/runs.md key-tradeoff && fail "a changed caption is not noticed"
prints "the caption does not say" <"$folder/out" || fail "the caption: $(cat "$folder/out")"
sed 's/\(| [0-9]* | [0-9.]*\); [0-9.]*; /\1; 9; /' docs/runs.md >"$folder/runs.md"
check paper_figures "$folder/runs.md" && fail "a change of docs/runs.md is not noticed"
prints "the page does not say" <"$folder/out" || fail "the page: $(cat "$folder/out")"
cp docs/runs.md "$folder/page.md"
python3 plots/tradeoff.py text --write "$folder/page.md" || fail "tradeoff.py text"
cmp -s "$folder/page.md" docs/runs.md ||
    fail "docs/runs.md is not of these figures: plots/tradeoff.py text --write docs/runs.md"
pass

# Wrong arguments; runs of one size.
rejects "give keyetal, cpu, drtopk, caption or text" python3 plots/tradeoff.py nothing
rejects "give keyetal" python3 plots/tradeoff.py caption keyetal
mkdir "$folder/one"
awk '/^#/ || /^work,/ || /,4096,16,/' runs/cpu-epyc-zen4/cpu-small.csv >"$folder/one/cpu-small.csv"
CPU_RUNS=$folder/one python3 plots/tradeoff.py cpu >"$folder/out" 2>"$folder/err" &&
    fail "runs of one size are accepted"
prints "has runs of one n only" <"$folder/err" || fail "one size: $(cat "$folder/err")"
sed -i '/<!-- .tradeoff -->/d' "$folder/page.md"
python3 plots/tradeoff.py text --write "$folder/page.md" 2>"$folder/err" &&
    fail "a page without marks"
prints "lacks the lines" <"$folder/err" || fail "marks: $(cat "$folder/err")"
pass
finish
