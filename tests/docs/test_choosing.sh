#!/usr/bin/env bash
# docs/choosing.md, or another page with such questions: each answer is what its command prints
# today, and has at most 24 lines. Each number in the words below a command also stands in a block
# of the same question. The examples of --help run.
#
#   test_choosing.sh [PAGE]
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
page=${1:-docs/choosing.md}
failed=0

# fault WHY ..: the test fails, but looks at the rest first.
fault() {
    echo "FAIL: $*"
    failed=1
}

RECALLMODEL=$program tests/docs/answers.sh "$page" >"$folder/page" ||
    fault "a command of $page does not run"
diff "$page" "$folder/page" ||
    fault "$page is not what the commands print; make docs-answers writes it anew"
commands=$(grep -c '^\$ recallmodel ' "$page" || true)
[ "$commands" -ge 10 ] || fault "$page has $commands commands, fewer than ten"

# A number in the words: digits, with a point or an exponent. Numbers in `code`, links and headings
# are not claims. What stands between the marks pays-card and best-kb is checked by
# tests/figures/test_pays.sh and tests/claims/test_claims.sh.
awk '
    function numbers(text, found,    i, count, tokens) {
        count = split(text, tokens, /[^0-9A-Za-z_.^-]+/)
        for (i = 1; i <= count; i++) {
            sub(/[.-]+$/, "", tokens[i])
            if (tokens[i] ~ /^[0-9]/)
                found[tokens[i]] = 1
        }
    }
    function report(what) {
        print "FAIL: " heading ": " what
        failed = 1
    }
    function check(    claims, printed, number) {
        gsub(/`[^`]*`|\]\([^)]*\)|question [0-9]+/, " ", words)
        numbers(words, claims)
        numbers(blocks, printed)
        for (number in claims)
            if (heading && !(number in printed))
                report(number " stands in no block there")
        words = blocks = ""
    }
    /^<!-- pays-card -->/, /^<!-- \/pays-card -->/ { next }
    /^<!-- best-kb -->/, /^<!-- \/best-kb -->/ { next }
    /^## / { check(); heading = $0; next }
    /^```/ { inside = !inside; lines = 0; next }
    inside {
        blocks = blocks " " $0
        if (++lines == 26) # the command and 25 lines
            report("more than 24 lines")
        next
    }
    { words = words " " $0 }
    END { check(); exit failed }
' "$page" || failed=1

# The examples of each --help, but those that need a file that is not here.
cd "$folder"
printf 'n,k,b,k_b,m,time_us\n' >runs.csv
run=0
for subcommand in recall ranks bounds cost devices count attention blocks select exact predict \
    simulate; do
    "$program" "$subcommand" --help |
        awk '/^Example/ { on = 1; next } /^$/ { on = 0 } on' >examples
    while read -r _ arguments; do
        case $arguments in *logits.npy* | *my.profile*) continue ;; esac
        # shellcheck disable=SC2086
        timeout 60 "$program" $arguments >out 2>err </dev/null ||
            fault "the example of $subcommand: $(cat err)"
        run=$((run + 1))
    done <examples
done
[ "$run" -ge 12 ] || fault "only $run examples were found"
echo "$commands answers, $run examples"
exit $failed
