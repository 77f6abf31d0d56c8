#!/usr/bin/env bash
# The man pages and the reference in Markdown: a page for each subcommand, every option of --help on
# it, with the names that its values have; the roff is right.
#
# Against: every `--help`, the warnings of groff and mandoc.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
command -v groff >/dev/null || skip "there is no groff"
describe=$build/describe
mkdir "$folder/man" "$folder/reference"
"$describe" man "$folder/man" 0
"$describe" markdown "$folder/reference"
mapfile -t commands < <("$program" completion words "" | cut -f1 | grep -vx help)
[ ${#commands[@]} -ge 18 ] || fail "only ${#commands[@]} subcommands"
[ "$(ls "$folder/man")" = "$(printf '%s\n' recallmodel "${commands[@]/#/recallmodel-}" |
    sed 's/$/.1/' | LC_ALL=C sort)" ] || fail "the man pages: $(ls "$folder/man")"
[ "$(ls "$folder/reference")" = "$(printf '%s.md\n' index "${commands[@]}" | LC_ALL=C sort)" ] ||
    fail "the reference: $(ls "$folder/reference")"
pass

# As a reader sees a page: one line for each paragraph.
text_of() { GROFF_NO_SGR=1 groff -man -Tascii -P-cbou -rLL=2000n "$1"; }
options_of() {
    # shellcheck disable=SC2086
    "$program" $1 --help | sed -n 's/^  \(--\{0,1\}[a-z][-a-z0-9]*\)\( .*\)\{0,1\}$/\1/p'
}

options=0
for command in "${commands[@]}"; do
    page=$folder/man/recallmodel-$command.1 markdown=$folder/reference/$command.md
    text_of "$page" >"$folder/text"
    lines=("$command")
    [ "$command" != bench ] || lines=("bench stage1" "bench exact" "bench two-stage"
        "bench --calibrate")
    for line in "${lines[@]}"; do
        while read -r option; do
            grep -q -- "^ *$option\( \|,\|$\)" "$folder/text" || fail "$page has no $option"
            grep -qF -- "| \`$option" "$markdown" || fail "$markdown has no $option"
            options=$((options + 1))
        done < <(options_of "$line")
    done
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" "SEE ALSO"; do
        grep -qx "$section" "$folder/text" || fail "$page has no $section"
    done
    summary=$("$program" "$command" --help | sed -n 3p)
    grep -qi "^ *recallmodel-$command - $(sed 's/\.$//' <<<"$summary")$" "$folder/text" ||
        fail "$page: the summary: $(sed -n 1,5p "$folder/text")"
    sed -n 's/^  \(recallmodel .*\)/\1/p' <("$program" "$command" --help) |
        while read -r example; do
            grep -qF -- "$example" "$folder/text" || fail "$page: no $example"
            grep -qxF -- "$example" "$markdown" || fail "$markdown: no $example"
        done
done
[ $options -gt 300 ] || fail "only $options options"
pass

# Names of values, text of its own, and dates.
has() { # PAGE TEXT
    text_of "$folder/man/$1.1" | tr -s ' \n' ' ' | prints "$2" || fail "$1: no $2"
}
first=$("$program" devices --csv | sed -n 2p | cut -d, -f1)
has recallmodel-select "One of, or a file: this, $first"
has recallmodel-bench 'Of: threshold, threshold-sorted, quickselect\.'
has recallmodel-simulate 'recall_p50, recall_p05, recall_p01 the smallest recall'
has recallmodel-exact 'recallmodel exact \[options\]'
has recallmodel-calibrate 'recallmodel calibrate \[FILE\] \[options\]'
has recallmodel 'recallmodel-select(1) which b and kb to deploy'
has recallmodel 'vector_rate_per_s = 16.7e12'
has recallmodel 'docs/models.md'
has recallmodel 1970-01-01
grep -q '^- `recall_worst`: ' "$folder/reference/simulate.md" || fail "simulate.md has no items"
grep -q '^name = My GPU$' "$folder/reference/index.md" || fail "index.md has no device file"
! grep '[[:blank:]]$' "$folder"/reference/*.md || fail "blanks at the end of a line"
pass

# What roff and mandoc say; in the short form roff of three pages.
pages=("$folder"/man/*.1)
[ "${CASES:-}" = few ] && pages=("$folder"/man/recallmodel{,-select,-distribution}.1)
for page in "${pages[@]}"; do
    groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null
    [ "$(sed -n 1p "$page" | cut -c1-3)" = '.\"' ] || echo "$page: no comment"
    LC_ALL=C awk -v page="$page" 'length > 160 { print page ": a long line" }' "$page"
done >"$folder/warnings"
[ ! -s "$folder/warnings" ] || fail "$(sed -n 1,5p "$folder/warnings")"
if command -v mandoc >/dev/null; then
    mandoc -T lint "$folder"/man/*.1 >"$folder/warnings" || true
    [ ! -s "$folder/warnings" ] || fail "$(sed -n 1,5p "$folder/warnings")"
else
    echo "SKIPPED: mandoc -T lint: there is no mandoc"
fi
pass

status=0
"$describe" man /nonexistent 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q '^describe: /nonexistent/recallmodel.1: No such' "$folder/err" ||
    fail "a folder that is missing: $status, $(cat "$folder/err")"
pass
finish
