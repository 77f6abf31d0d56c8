#!/usr/bin/env bash
# `recallmodel simulate` with groups of rows: wrong ones, threads, ranks, checkpoints, and what the
# formats say.
#
# Against: each other, byte for byte; `--json` beside `--csv`.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh
rows=tests/golden/groups.npy       # 30 x 2 rows of 32, float16
labels=tests/golden/groups.labels  # 8 groups
# value NAME FILE: the first value of that name in JSON.
value() { sed -n "s/^ *\"$1\": \(.*[^,]\),*\$/\1/p" "$2" | sed -n 1p; }

# ---- wrong groups: status 2 and one line
bad=(rejects) # the text, then what is wrong
wrong() {
    local text=$1
    shift
    "${bad[@]}" "$text" "$program" simulate --file "$rows" --k 8 --kb 2 "$@"
}
: >"$folder/empty"
sed -n 1,59p "$labels" >"$folder/short"
sed 's/.*/one/' "$labels" >"$folder/one"
sed '7s/.*//' "$labels" >"$folder/blank"
wrong "--groups $folder/empty is empty; give one label a line" --groups "$folder/empty"
wrong "has 59 labels, but --file has 60 rows" --groups "$folder/short"
wrong "puts all rows into one group" --groups "$folder/one"
wrong "has no label on line 7" --groups "$folder/blank"
wrong "cannot be opened: No such file" --groups "$folder/nowhere"
wrong "is not a regular file" --groups /dev/zero
wrong "is not a text" --groups "$rows"
wrong "give 2 or less" --group-axes 3
wrong "exclude each other" --group-axes 1 --groups "$labels"
wrong "--group-axes '-1'" --group-axes -1
rejects "needs --file" "$program" simulate --n 100 --k 8 --groups "$labels"
rejects "needs --file" "$program" simulate --n 100 --k 8 --group-axes 0
head -c 4000004 /dev/zero >"$folder/many"
seq 1000001 >"$folder/numbers"
rejects "--json would list 1000001 groups for each of 1 results" "$program" simulate --k 1 --kb 1 \
    --file "$folder/many" --dtype f16 --row 2 --groups "$folder/numbers" --json
rejects "has 2 axes" "$program" simulate --k 1 --kb 1 --file "$folder/many" --dtype f16 --row 2 \
    --group-axes 2
pass

# ---- what it says
run=("$program" simulate --file "$rows" --k 8 --b 4 --kb 2 --assignment contiguous)
"${run[@]}" --json >"$folder/axes"
"${run[@]}" --json --group-axes 1 >"$folder/given"
same "$folder/axes" "$folder/given" "the first axis is not the default"
"${run[@]}" --json --group-axes 0 >"$folder/none"
# The rows are the same; only what is over groups is new. (A choice would differ.)
sed '/^      "groups": \[/,/^      \]/d' "$folder/axes" |
    grep -v '_groups"\|_group"\|grouped_by' | sed 's/,$//' >"$folder/axes.rest"
sed 's/,$//' "$folder/none" >"$folder/none.rest"
same "$folder/none.rest" "$folder/axes.rest" "groups change other numbers"
"${run[@]}" --group-axes 0 | prints "take the rows of the file as independent" ||
    fail "nothing says that rows are independent"
# Each row a group of its own: the standard error is that of independent rows.
"${run[@]}" --json --group-axes 2 >"$folder/each"
awk -v a="$(value recall_se_groups "$folder/each")" -v b="$(value recall_stderr "$folder/each")" \
    'BEGIN { exit !(a > 0 && a / b - 1 < 1e-12 && 1 - a / b < 1e-12) }' ||
    fail "groups of one row: $(grep 'se_groups\|stderr' "$folder/each")"
# A bound over groups is below the one over rows, and 4 groups have none.
lower() { # options ..
    "${run[@]}" --json --recall 0.2 "$@" >"$folder/out"
    value recall_lower "$folder/out"
}
awk -v rows="$(lower --group-axes 0)" -v axes="$(lower)" -v labels="$(lower --groups "$labels")" \
    'BEGIN { exit !(rows > axes && axes > labels && labels > 0) }' || fail "the bounds"
"${run[@]}" --json --recall 0.2 --repetitions 7 >"$folder/few"
grep -q '"measured": null' "$folder/few" && grep -q '"student": null' "$folder/few" &&
    grep -q '"recall_low_groups": null' "$folder/few" || fail "4 groups promise something"
"${run[@]}" --recall 0.2 --repetitions 7 | prints "4 groups cannot show it .*; 5 or more can" ||
    fail "4 groups: the sentence"
pass

# The mass of the exact top-k is in CSV as in JSON, and so is the worst mass in a table by value.
"${run[@]}" --csv >"$folder/csv"
column=$(sed -n 1p "$folder/csv" | tr , '\n' | grep -n '^topk_mass_mean$' | cut -d: -f1)
awk -v a="$(sed -n 2p "$folder/csv" | cut -d, -f"$column")" \
    -v b="$(value topk_mass_mean "$folder/axes")" 'BEGIN { exit !(a > 0 && a == b) }' ||
    fail "topk_mass_mean: column '$column'"
"$program" simulate --n 100 --k 8 --csv | sed -n 1p | prints mass_mean, || fail "no mass_mean"
! "$program" simulate --n 100 --k 8 --csv | sed -n 1p | prints topk_mass_mean ||
    fail "a mass without weights"
for options in "--n 4096 --k 256 --kb 1,2" \
    "--n 2^19 --k 2048 --kb 1 --b 65536 --shuffle row --assignment contiguous-floor"; do
    # shellcheck disable=SC2086
    "$program" simulate $options --input ties --temperature 1 --repetitions 3 |
        sed -n 2,3p >"$folder/heading"
    # In the two lines of the heading: by value, mass kept, worst mass.
    tr -s ' \n' ' ' <"$folder/heading" | prints 'worst by mass worst .*value kept mass' ||
        fail "the worst mass beside by value: $(cat "$folder/heading")"
done
pass

# ---- the same bits
head -c 6000000 /dev/urandom >"$folder/rows" # 1500 rows of 1000; many NaN
awk 'BEGIN { for (i = 0; i < 1500; i++) print "g" int(i * i / 50000) % 23 }' >"$folder/labels"
long=(simulate --file "$folder/rows" --dtype f32 --row 1000 --k 50 --kb 1,2,4 --recall 0.6
      --groups "$folder/labels" --shuffle none,row)
for format in "" --json --csv; do
    "$program" "${long[@]}" $format --repetitions 300 --threads 1 >"$folder/one"
    "$program" "${long[@]}" $format --repetitions 300 --threads 8 >"$folder/eight"
    same "$folder/one" "$folder/eight" "1 and 8 threads differ: $format"
done
# Stopped and continued. The first run prints what it has done of the rows.
"$program" "${long[@]}" --csv >"$folder/whole"
default_signals "$program" "${long[@]}" --csv --checkpoint "$folder/state" >"$folder/part" & job=$!
until_it_listens $job 2 || fail "no handler"
sleep 0.2; kill -INT $job 2>/dev/null || true
status=0; wait_for $job 60 || status=$?
[ $status = 130 ] || echo "the run ended before it could be stopped: status $status"
"$program" "${long[@]}" --csv --checkpoint "$folder/state" >"$folder/continued"
same "$folder/whole" "$folder/continued" "stopped and continued"
sed '2s/g0/g3/' "$folder/labels" >"$folder/others" # as many groups
rejects "of another simulation: it has 'groups" "$program" "${long[@]/labels/others}" --csv \
    --checkpoint "$folder/state"
pass

if has_mpi; then
    timeout -k 5 120 mpirun --oversubscribe -n 3 "$mpi" "${long[@]}" --csv --repetitions 300 \
        >"$folder/ranks" 2>"$folder/stderr" || fail "3 ranks: $(cat "$folder/stderr")"
    same "$folder/eight" "$folder/ranks" "3 ranks differ"
    # Labels that differ between ranks.
    mkdir "$folder/a" "$folder/b"
    cp "$folder/rows" "$folder/a/rows"; cp "$folder/rows" "$folder/b/rows"
    cp "$folder/labels" "$folder/a/labels"; cp "$folder/others" "$folder/b/labels"
    two=(simulate --file rows --dtype f32 --row 1000 --k 50 --kb 1 --groups labels)
    status=0
    timeout -k 5 20 mpirun --oversubscribe -n 1 -wdir "$folder/a" "$mpi" "${two[@]}" \
        : -n 1 -wdir "$folder/b" "$mpi" "${two[@]}" >"$folder/out" 2>"$folder/stderr" || status=$?
    { [ $status -ne 0 ] && [ $status -ne 124 ] &&
        grep -q "or its --groups is not the same on all ranks" "$folder/stderr"; } ||
        fail "ranks with other labels: status $status, $(cat "$folder/stderr")"
    pass
fi
finish
