#!/usr/bin/env bash
# The tables of docs/runs.md that plots/published_runs.py writes are those that it writes today.
#
# Against: `published_runs.py text`.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program

cp docs/runs.md "$folder/runs.md"
plots/published_runs.py text --write "$folder/runs.md"
cmp -s docs/runs.md "$folder/runs.md" ||
    fail "docs/runs.md differs: $(diff docs/runs.md "$folder/runs.md" || true)"
plots/published_runs.py text | prints "sample-serve, bitonic" ||
    fail "the table of the TPU has no bitonic run"
sed 's/<!-- helion-rule -->//' docs/runs.md >"$folder/without.md"
! plots/published_runs.py text --write "$folder/without.md" 2>"$folder/error" ||
    fail "a page without its place was written"
prints "lacks the lines <!-- helion-rule -->" <"$folder/error" || fail "$(cat "$folder/error")"
! plots/published_runs.py 2>"$folder/error" || fail "without a word it ends well"
prints "give stage1 or text" <"$folder/error" || fail "$(cat "$folder/error")"
pass
finish
