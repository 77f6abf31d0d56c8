#!/usr/bin/env bash
# What the command prints, and the golden files: the first line of tests/golden/COMMAND/NAME.txt is
# the command, the rest what it prints. All that differ are named.
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
files=(tests/golden/${only:-*}/*.txt)
[ -n "$only" ] || [ ${#files[@]} -ge 24 ] || fail "only ${#files[@]} golden files"
for file in "${files[@]}"; do
    read -r dollar name line <"$file"
    [ "$dollar $name" = '$ recallmodel' ] || fail "$file does not begin with a command"
    printf '$ recallmodel %s\n' "$line" >"$folder/out"
    if ! eval "\"\$program\" $line" >>"$folder/out" 2>"$folder/err"; then
        failed=$((failed + 1))
        echo "$file: the command fails: $(cat "$folder/err")"
        continue
    fi
    cmp -s "$folder/out" "$file" && continue
    differ=$((differ + 1))
    echo "$file differs:"
    diff "$file" "$folder/out" || true
    [ "$write" != --write ] || cp "$folder/out" "$file"
done
[ $failed = 0 ] || fail "$failed of ${#files[@]} commands fail"
[ $differ = 0 ] || [ "$write" = --write ] ||
    fail "$differ of ${#files[@]} golden files differ; make golden writes them anew"
passed=${#files[@]}
finish
