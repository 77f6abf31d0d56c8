#!/usr/bin/env bash
# compare_answers.sh - compares the answers of two programs, byte for byte.
#
#   tests/house/compare_answers.sh OLD NEW
#   BUT=reason,usage tests/house/compare_answers.sh OLD NEW     where only wording has changed
#
# Runs every command of tests/golden and docs/choosing.md, in both programs, with --json and with
# --csv. A command that does not take the format in either program is skipped. Prints each answer
# that differs and how many are equal. Status 0: all are equal. BUT names keys of JSON objects whose
# values are not compared: sentences and calls, which may be reworded. This is a tool for a change
# that must not change an answer; make check does not run it.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
[ $# = 2 ] || {
    echo "usage: $0 OLD NEW" >&2
    exit 2
}
old=$(realpath -e "$1")
new=$(realpath -e "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The commands, without a format or a pipe of their own, each once: those of golden files, and
# answers on the page, which begin in the same way.
commands() {
    {
        grep -h "^\$ recallmodel " tests/golden/*.txt
        sed -e ':more' -e '/^\$ recallmodel .*\\$/{N;s/\\\n//;b more' -e '}' docs/choosing.md |
            grep '^\$ recallmodel '
    } | sed -n 's/^\$ recallmodel//p' | sed -e 's/ |.*//' -e 's/ --\(json\|csv\)\( \|$\)/ /' |
        grep -v -e --help | sort -u
}

# answer PROGRAM FILE ARGUMENTS: status and stdout, into the file. A shell reads the arguments.
answer() {
    local status=0
    bash -c "exec \"\$0\" $3" "$1" >"$2" 2>"$2.err" </dev/null || status=$?
    [ -z "${BUT:-}" ] || [ "${3##* }" != --json ] || without_words "$2"
    echo "status $status" >>"$2"
    return $status
}

# Removes the keys in BUT from the JSON of a file, at every depth.
without_words() {
    python3 - "$1" <<'END'
import json
import os
import sys

left_out = set(os.environ["BUT"].split(","))


def rest(pairs):
    return {key: value for key, value in pairs if key not in left_out}


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
with open(sys.argv[1], "w", encoding="utf-8") as file:
    if text:
        json.dump(json.loads(text, object_pairs_hook=rest, parse_float=str), file, indent=1)
END
}

equal=0
differ=0
skipped=0
while read -r arguments; do
    for format in --json --csv; do
        taken=0
        answer "$old" "$folder/old" "$arguments $format" && taken=1
        answer "$new" "$folder/new" "$arguments $format" && taken=1
        if [ $taken = 0 ]; then
            skipped=$((skipped + 1))
            echo "skipped: recallmodel $arguments $format: $(head -n 1 "$folder/new.err")"
        elif cmp -s "$folder/old" "$folder/new"; then
            equal=$((equal + 1))
        else
            differ=$((differ + 1))
            echo "DIFFERS: recallmodel $arguments $format"
            diff "$folder/old" "$folder/new" | sed -n 1,4p || true
        fi
    done
done < <(commands)
echo "$equal answers are equal, $differ differ, $skipped skipped"
[ $differ = 0 ] && [ $equal -gt 0 ]
