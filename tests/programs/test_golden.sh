#!/usr/bin/env bash
# What the command prints, and the golden files: tests/golden/COMMAND.txt has its commands, each in
# a line that begins with "$ recallmodel", and below each what it prints. All that differ are named.
#
#   tests/programs/test_golden.sh --write    writes them anew (make golden)
#   tests/programs/test_golden.sh COMMAND    those of one command
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
write=${1:-}
differ=0
failed=0
only=$([ "$write" = --write ] || echo "$write")
files=(tests/golden/${only:-*}.txt)
for file in "${files[@]}"; do
    : >"$folder/out"
    before=$failed
    sed -n 1p "$file" | prints '^\$ recallmodel ' || fail "$file does not begin with a command"
    while read -r line; do
        [ ! -s "$folder/out" ] || echo >>"$folder/out"
        printf '$ recallmodel %s\n' "$line" >>"$folder/out"
        eval "\"\$program\" $line" >>"$folder/out" 2>"$folder/err" </dev/null || {
            failed=$((failed + 1))
            echo "$file: $line: the command fails: $(cat "$folder/err")"
        }
        passed=$((passed + 1))
    done < <(sed -n 's/^\$ recallmodel //p' "$file")
    cmp -s "$folder/out" "$file" && continue
    differ=$((differ + 1))
    echo "$file differs:"
    diff -U 99 --label golden --label today "$file" "$folder/out" | grep '^[-+]\|^ \$' || true
    [ "$write" != --write ] || [ $failed != $before ] || cp "$folder/out" "$file"
done
[ -n "$only" ] || [ $passed -ge 58 ] || fail "only $passed golden answers"
[ $failed = 0 ] || fail "$failed commands fail"
[ $differ = 0 ] || [ "$write" = --write ] ||
    fail "$differ of ${#files[@]} golden files differ; make golden writes them anew"
finish
