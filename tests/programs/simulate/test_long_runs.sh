#!/usr/bin/env bash
# Long runs of `simulate` and `count`: progress on a terminal, what they print when they are
# stopped, sizes beyond the memory, and choices from too few rows.
#
# Against: the first rows by themselves.
#
# Slow: 12 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh

# A stopped count prints the rows counted so far, marked as partial, and ends with status 130. They
# are the first rows.
count=(count --n 2048 --k 16 --kb 1,2 --digits 4)
for signal in INT TERM; do
    default_signals "$program" "${count[@]}" --repetitions 1000000000 --json >"$folder/part" \
        2>"$folder/stderr" & job=$!
    until_it_listens $job "$(kill -l $signal)" || fail "count, SIG$signal: no handler"
    sleep 0.5; kill -$signal $job
    status=0; wait_for $job 30 || status=$?
    [ $status = 130 ] || fail "count, SIG$signal: status $status"
    grep -q '"partial": true' "$folder/part" || fail "count, SIG$signal: not marked as partial"
    rows=$(sed -n 's/^  "repetitions": \([0-9]*\),/\1/p' "$folder/part")
    "$program" "${count[@]}" --repetitions "$rows" --json >"$folder/prefix"
    for f in part prefix; do
        grep -v 'partial\|repetitions_wanted' "$folder/$f" >"$folder/$f.bare"
    done
    cmp "$folder/prefix.bare" "$folder/part.bare" ||
        fail "count, SIG$signal after $rows rows: not the first rows"
    pass
done

# The table says so, too.
timeout -s TERM 1 "$program" "${count[@]}" --repetitions 1000000000 >"$folder/part" || true
head -1 "$folder/part" | prints 'PARTIAL' || fail "count: the table does not say PARTIAL"
pass

# More memory than there is: rejected at once, with the size. With ulimit any machine has too
# little; the last question is too large for every machine.
if [ -z "${SANITIZE:-}" ]; then
    refused() {
        rejects 'GB of memory, but only' timeout 10 "$program" "$@"
        pass
    }
    (ulimit -v 2000000
     refused count --n 2^28 --k 10
     refused simulate --n 2^27 --k 10 --input iid --threads 1
     refused simulate --n 2^40 --k 4e9 --b 2^28 --kb 16 --threads 1
     refused simulate --n 2^24 --k 10 --input iid --repetitions 1000 --threads 20
     timeout 60 "$program" simulate --n 2^20 --k 10 --input iid --repetitions 1 --threads 1 \
         >"$folder/out" || fail "what fits is rejected")
    refused simulate --n 4294967295 --k 10 --input iid --repetitions 4096 --threads 4096
    pass
fi

# A choice from too few rows says so, and how many would be enough.
choice=(simulate --n 131072 --k 2048 --recall 0.99)
"$program" "${choice[@]}" --repetitions 100 >"$folder/out"
grep -q 'Recall 0.99: 100 rows cannot show it .* or more can' "$folder/out" ||
    fail "too few rows: $(tail -2 "$folder/out")"
enough=$(sed -n 's/.*even if nothing is lost; \([0-9]*\) or more can.*/\1/p' "$folder/out")
"$program" "${choice[@]}" --repetitions "$enough" >"$folder/out"
grep -q 'cannot show it' "$folder/out" && fail "$enough rows are not enough"
"$program" simulate --n 1000 --k 20 --recall 0.9 --json >"$folder/out"
grep -q '"repetitions": 1000,' "$folder/out" || fail "rows of a choice"
pass

# On a terminal: the bar of count, and how long an unfinished step has taken so far.
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$program ${count[*]} --repetitions 3000" "$folder/typescript" >/dev/null
    grep -q '% .* of [0-9]* steps .*/s .* left' "$folder/typescript" ||
        fail "count: no bar on a terminal"
    long="simulate --n 2^26 --k 1000 --kb 1 --input iid --threads 1 --repetitions 2"
    script -qec "timeout -s KILL 4 $program $long" "$folder/typescript" >/dev/null || true
    grep -q ' s so far' "$folder/typescript" || fail "a long step is silent"
    pass
else
    echo "SKIPPED: the bars: script(1) is not there, or has no terminal to give"
fi
finish
