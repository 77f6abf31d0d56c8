#!/usr/bin/env bash
# `recallmodel sparse --checkpoint`: a run that is interrupted or killed, also while it trains, goes
# on and prints the same bytes; files that are not its own; a full disk; Ctrl-C within one index.
#
# Against: the run in one piece, byte for byte.
#
# Slow: 8 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh
export OMP_NUM_THREADS=1
made=$folder/made
state=$folder/state
"$program" tensors --generate "$made" --n 3000 --d 16 --heads 6 --query-heads 12 --n-q 16 \
    >"$folder/out"
tensors=(--keys "$made/keys.npy" --queries "$made/queries.npy" --values "$made/values.npy")
call=(sparse "${tensors[@]}" --clusters 64 --iterations 60 --budget .02,.1 --csv --per-head
      --method "kmeans,topk,quest,kmeans-topk,lsh-gray")
"$program" "${call[@]}" >"$folder/whole"

# runs_until_done SECONDS SIGNAL ARGUMENTS ..: starts the command again and again, and stops it each
# time after so many seconds, until it ends by itself. Sets runs; the answer is $folder/continued.
runs_until_done() {
    local status=1 seconds=$1 signal=$2
    shift 2
    runs=0
    : >"$folder/notes"
    while [ $status != 0 ] && [ $runs -lt 100 ]; do
        status=0
        timeout -k 60 -s "$signal" "$seconds" "$program" "$@" >"$folder/continued" \
            2>"$folder/err" || status=$?
        cat "$folder/err" >>"$folder/notes"
        runs=$((runs + 1))
        # on a busy machine a step takes longer, and under the sanitizers
        seconds=$(awk "BEGIN { print $seconds * ${SANITIZE:+1.3 *} 1.1 }")
    done
    [ $status = 0 ] || fail "$* does not end: $(sed -n 1,3p "$folder/err")"
}

# Interrupted: what was done is kept, wherever the run was. What is printed says that it is partial.
runs_until_done 0.05 TERM "${call[@]}" --checkpoint "$state"
[ $runs -gt 2 ] || echo "only $runs runs"
same "$folder/whole" "$folder/continued" "continued after $runs runs"
"$program" "${call[@]}" --checkpoint "$state" --threads 2 >"$folder/again"
same "$folder/whole" "$folder/again" "a finished checkpoint"
[ ! -e "$state.new" ] || fail "a file is left"

# One state after another, without a kill: each is good to go on from.
rm "$state"
default_signals "$program" "${call[@]}" --checkpoint "$state" >"$folder/part" 2>"$folder/err" &
job=$!
until_it_listens $job 2 || true # it takes a fraction of a second, and may have ended
sleep 0.05
kill -INT $job 2>/dev/null || true
status=0; wait_for $job 20 || status=$?
[ $status = 130 ] || [ $status = 0 ] || fail "Ctrl-C: status $status, $(cat "$folder/err")"
cp "$state" "$folder/first"
"$program" "${call[@]}" --checkpoint "$state" >"$folder/continued"
same "$folder/whole" "$folder/continued" "after Ctrl-C"

# Killed, once something is in the file: it goes on from there. As the file is written every two
# seconds, the run is held for so long, which takes no time of a core.
"$program" tensors --generate "$folder/long" --n 8000 --d 32 --heads 4 --query-heads 4 --n-q 16 \
    >"$folder/out"
long=(sparse --keys "$folder/long/keys.npy" --queries "$folder/long/queries.npy" --method kmeans
      --clusters 512 --csv)
"$program" "${long[@]}" >"$folder/whole"
rm "$state"
"$program" "${long[@]}" --checkpoint "$state" >"$folder/part" 2>"$folder/err" & job=$!
until_it_has() { # BYTES: waits until the file has so many, or the run has ended. Sets size.
    for _ in $(seq 1000); do
        size=$(stat -c %s "$state" 2>/dev/null || echo 0)
        { [ "$size" -lt "$1" ] && kill -0 $job 2>/dev/null; } || break
        sleep 0.02
    done
}
until_it_has 1
kill -STOP $job 2>/dev/null || true
sleep 2
kill -CONT $job 2>/dev/null || true
until_it_has 10000
kill -KILL $job 2>/dev/null || true
status=0; wait $job 2>/dev/null || status=$?
if [ $status = 0 ]; then
    echo "the run ended before it could be killed"
else
    [ "$size" -ge 10000 ] || fail "nothing was kept"
fi
"$program" "${long[@]}" --checkpoint "$state" >"$folder/continued"
same "$folder/whole" "$folder/continued" "after kill -KILL"

# What was trained is kept, too: no head is trained twice.
train=(sparse "${tensors[@]}" --clusters 16 --budget .1 --csv --method saap,kmeans,saap-roped
       --train-keys "$made/keys.npy" --train-queries "$made/queries.npy" --train-width 64
       --train-steps 60 --window 16)
"$program" "${train[@]}" >"$folder/whole" 2>"$folder/err"
[ "$(grep -c '^trained' "$folder/err")" = 12 ] || fail "stderr: $(cat "$folder/err")"
rm "$state"
runs_until_done 0.4 TERM "${train[@]}" --checkpoint "$state"
same "$folder/whole" "$folder/continued" "training that was continued after $runs runs"
[ "$(grep -c '^trained' "$folder/notes")" = 12 ] ||
    fail "$(grep -c '^trained' "$folder/notes") heads were trained"
pass
half=(sparse "${tensors[@]}" --clusters 4 --budget .1 --csv --method saap,topk --train-width 32
      --train-steps 40 --window 16)
"$program" "${half[@]}" >"$folder/whole" 2>"$folder/err"
rm "$state"
runs_until_done 0.2 TERM "${half[@]}" --checkpoint "$state"
same "$folder/whole" "$folder/continued" "the first half of the queries, after $runs runs"

# Not its own file: status 2, one line, and the file stays as it is.
refuse() { # text, file, arguments ..
    cp "$2" "$state"
    rejects "$1" "$program" "${@:3}" --checkpoint "$state"
    same "$2" "$state" "a file that was refused"
}
"$program" simulate --n 1000 --k 10 --checkpoint "$folder/other" >"$folder/out"
refuse "state is one of simulate; give another file" "$folder/other" "${call[@]}"
refuse "state is not a checkpoint of recallmodel sparse" README.md "${call[@]}"
refuse "is of another run: it has 'seed 1', not 'seed 2'" "$folder/first" "${call[@]}" --seed 2
refuse "is of another run: it has 'window 128', not 'window 64'" "$folder/first" "${call[@]}" \
    --window 64
refuse "is of another run: it has 'int8-keys 0', not 'int8-keys 1'" "$folder/first" "${call[@]}" \
    --int8-keys
refuse "est kmeans-topk lsh-gray', not 'methods" "$folder/first" "${call[@]/%lsh-gray/lsh-argmax}"
cp "$folder/first" "$state"
rejects "state is not a checkpoint of recallmodel; give another file" "$program" simulate \
    --n 1000 --k 10 --checkpoint "$state"
head -c 700 "$folder/first" >"$folder/torn"
refuse "state is damaged; remove it to start again" "$folder/torn" "${call[@]}"
{
    head -c 1000 "$folder/first"
    printf x
    tail -c +1002 "$folder/first"
} >"$folder/flipped"
refuse "state is damaged; remove it to start again" "$folder/flipped" "${call[@]}"
touch "$made/values.npy"
refuse "is of another run: it has 'values" "$folder/first" "${call[@]}"
rejects "cannot be read: it is not a regular file" "$program" "${call[@]}" --checkpoint "$folder"
status=0
"$program" "${call[@]}" --checkpoint "$folder/no/where" >"$folder/out" 2>"$folder/err" || status=$?
{ [ $status = 1 ] && prints "no/where cannot be written" <"$folder/err"; } ||
    fail "unwritable: status $status, $(cat "$folder/err")"
pass

# A full disk: the run stops and says so, the file stays good, and the run goes on from it. A limit
# of 4096 bytes for files stands for the disk.
"$program" "${call[@]}" >"$folder/whole"
rm "$state"
status=0
(trap '' XFSZ
 ulimit -f 4
 exec "$program" "${call[@]}" --checkpoint "$state" >"$folder/part" 2>"$folder/err") || status=$?
{ [ $status = 1 ] && prints "state cannot be written: File too large" <"$folder/err"; } ||
    fail "a full disk: status $status, $(cat "$folder/err")"
[ ! -e "$state.new" ] || fail "a full disk leaves a file"
"$program" "${call[@]}" --checkpoint "$state" >"$folder/continued"
same "$folder/whole" "$folder/continued" "after a full disk"

# Ctrl-C within the build of one index, and within one training step after another: both would take
# many minutes. Ten seconds are for busy machines; it takes a fraction of one.
"$program" tensors --generate "$folder/large" --n 100000 --d 32 --heads 1 --query-heads 1 \
    --n-q 16 >"$folder/out"
large=(sparse --keys "$folder/large/keys.npy" --queries "$folder/large/queries.npy")
for more in "--method kmeans --clusters 8192 --iterations 1000000" \
    "--method lsh-magicpig --bits 32 --tables 4000" \
    "--method saap --clusters 64 --train-steps 100000000 --window 16"; do
    read -ra words <<<"$more"
    default_signals "$program" "${large[@]}" "${words[@]}" >"$folder/out" 2>"$folder/err" & job=$!
    until_it_listens $job 2 || fail "no handler of SIGINT"
    sleep 0.4
    kill -INT $job
    status=0; wait_for $job 10 || status=$?
    [ $status = 130 ] || fail "Ctrl-C with $more: status $status, $(cat "$folder/err")"
    pass
done
finish
