#!/usr/bin/env bash
# `recallmodel simulate` as people use it: threads, MPI ranks, signals, checkpoints, files.
#
# `simulate` with 1 and 8 threads, 1 and 3 MPI ranks, files, SIGINT, SIGTERM, checkpoints, the bar;
# killed under MPI and continued without. Against: each other, byte for byte.
#
# Slow: 10 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/signals.sh

ar1=(simulate --n 600 --k 50 --kb 1,2,7 --input ar1 --rho 0.3,0.9
     --assignment interleaved,contiguous-floor --shuffle none,once --ranks 1,50 --temperature 1 \
         --repetitions 700 --seed 5)

# The same bits for any number of threads, in every format; nothing on stderr.
for format in "" --json --csv; do
    "$program" "${ar1[@]}" $format --threads 1 >"$folder/one" 2>"$folder/stderr"
    "$program" "${ar1[@]}" $format --threads 8 >"$folder/eight" 2>>"$folder/stderr"
    same "$folder/one" "$folder/eight" "1 and 8 threads differ: $format"
    [ ! -s "$folder/stderr" ] || fail "stderr: $(cat "$folder/stderr")"
done

# A file gives every reader the same rows. Raw float32: 40 rows of 100 from random bytes, with NaN
# and infinities.
head -c 16000 /dev/urandom >"$folder/rows.bin"
file=(simulate --file "$folder/rows.bin" --dtype f32 --row 100 --k 10 --kb 1..3 --recall 0.5)
"$program" "${file[@]}" --threads 1 >"$folder/one"
"$program" "${file[@]}" --threads 3 >"$folder/three"
same "$folder/one" "$folder/three" "a file by 1 and 3 threads"
grep -q "40 repetitions" "$folder/one" || fail "all 40 rows are read"
"$program" "${file[@]}" --repetitions 30 | prints "30 repetitions" ||
    fail "--repetitions of a file"
pass

# A file of 8 GB (all holes) in a process that may not have 1 GB.
if [ -z "${SANITIZE:-}" ]; then
    truncate -s 8G "$folder/huge"
    (
        ulimit -v 1000000
        "$program" simulate --file "$folder/huge" --dtype f16 --row 2^20 --k 100 --kb 4 \
            --repetitions 4 --threads 2 --csv >"$folder/out"
    )
    [ "$(wc -l <"$folder/out")" = 2 ] || fail "a file larger than memory"
    rm "$folder/huge"
    pass
fi

# Byte for byte by MPI.
if has_mpi; then
    # PRTE and ORTE both: more ranks than cores, no binding.
    run() { # ranks, arguments ..
        timeout -k 5 120 mpirun --oversubscribe -n "$1" "$mpi" "${@:2}" 2>"$folder/stderr"
    }
    "$program" "${ar1[@]}" --json >"$folder/one"
    for ranks in 1 3; do
        run $ranks "${ar1[@]}" --json --threads 2 >"$folder/ranks"
        same "$folder/one" "$folder/ranks" "$ranks ranks differ"
    done
    "$program" "${file[@]}" --csv >"$folder/one"
    run 3 "${file[@]}" --csv >"$folder/ranks"
    same "$folder/one" "$folder/ranks" "a file by 3 ranks"
    "$program" "${file[@]}" >"$folder/one"
    # A table with a chosen row has no colour, though mpirun gives rank 0 a terminal.
    run 3 "${file[@]}" >"$folder/ranks"
    same "$folder/one" "$folder/ranks" "the table of a file by 3 ranks"
    run 3 --n 1000 --k 10 --csv >"$folder/ranks"
    "$program" --n 1000 --k 10 --csv >"$folder/one"
    same "$folder/one" "$folder/ranks" "recall by 3 ranks"
    status=0; run 3 simulate --file "$folder/nowhere" --k 10 >"$folder/out" || status=$?
    { [ $status -ne 0 ] && [ ! -s "$folder/out" ] &&
        [ "$(grep -c "nowhere cannot be opened" "$folder/stderr")" = 1 ]; } ||
        fail "an error is not printed once"
    pass
    # A file that one rank lacks, or that differs between ranks: an error at once.
    mkdir "$folder/a" "$folder/b"
    head -c 800 /dev/urandom >"$folder/a/rows"
    rows=(simulate --file rows --k 3 --dtype f32 --row)
    two() { # length of a row for rank 0 and for rank 1
        timeout -k 5 20 mpirun --oversubscribe -n 1 -wdir "$folder/a" "$mpi" "${rows[@]}" "$1" \
            : -n 1 -wdir "$folder/b" "$mpi" "${rows[@]}" "$2" >"$folder/out" 2>"$folder/stderr"
    }
    status=0; two 10 10 || status=$?
    { [ $status -ne 0 ] && [ $status -ne 124 ] &&
        grep -q "rank 1: --file rows cannot be opened" "$folder/stderr"; } ||
        fail "a file that one rank lacks: status $status, $(cat "$folder/stderr")"
    cp "$folder/a/rows" "$folder/b/rows"
    status=0; two 10 20 || status=$?
    { [ $status -ne 0 ] && [ $status -ne 124 ] &&
        grep -q "not the same on all ranks" "$folder/stderr"; } ||
        fail "ranks that read a file differently: status $status, $(cat "$folder/stderr")"
    pass
    # Stopped under 3 ranks, continued under 1 and under 2.
    if [ "${CASES:-}" != few ]; then
        placement=(simulate --n 2^20 --k 1000 --kb 1,2,4,8 --repetitions 80000
                   --checkpoint "$folder/state" --csv)
        mpirun --oversubscribe -n 3 "$mpi" "${placement[@]}" >/dev/null 2>&1 & job=$!
        # Until a checkpoint says that some rows are done.
        for _ in $(seq 600); do
            ! grep -q '^done [1-9a-f]' "$folder/state" 2>/dev/null || break
            kill -0 $job 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL $job 2>/dev/null || echo "the MPI run ended before it could be killed"
        wait $job 2>/dev/null || true
        pkill -KILL -f "$folder/state" 2>/dev/null || true
        grep -q '^done [1-9a-f]' "$folder/state" || fail "no checkpoint under MPI"
        "$program" "${placement[@]}" >"$folder/continued"
        "$program" "${placement[@]:0:9}" --csv >"$folder/whole"
        same "$folder/whole" "$folder/continued" "killed under MPI, continued without"
    fi
fi

# SIGINT and SIGTERM: the answer so far, marked as partial, and status 130. It is the answer of the
# first repetitions.
for signal in INT TERM; do
    long=(simulate --n 100000 --k 1000 --kb 1,4 --input iid --json)
    default_signals "$program" "${long[@]}" --repetitions 1000000 >"$folder/part" \
        2>"$folder/stderr" & job=$!
    until_it_listens $job "$(kill -l $signal)" || fail "SIG$signal: no handler"
    sleep 0.3; kill -$signal $job
    status=0; wait_for $job 60 || status=$?
    [ $status = 130 ] || fail "SIG$signal: status $status"
    grep -q '"partial": true' "$folder/part" || fail "SIG$signal: not marked as partial"
    done=$(sed -n 's/^  "repetitions": \([0-9]*\),/\1/p' "$folder/part")
    "$program" "${long[@]}" --repetitions "$done" >"$folder/prefix"
    for f in part prefix; do
        grep -v 'partial\|repetitions_wanted' "$folder/$f" >"$folder/$f.bare"
    done
    same "$folder/prefix.bare" "$folder/part.bare" "SIG$signal after $done repetitions"
done
# The table says so, too.
default_signals "$program" simulate --n 100000 --k 1000 --kb 1 --input iid --repetitions 1000000 \
    >"$folder/part" & job=$!
until_it_listens $job 2 || fail "no handler"
sleep 0.3; kill -INT $job; wait_for $job 60 || true
head -1 "$folder/part" | prints PARTIAL || fail "the table does not say PARTIAL"
pass

# A checkpoint of another simulation or of another version, or a damaged one: status 2, one line,
# and the file stays as it is.
simple=(simulate --n 1000 --k 10 --checkpoint "$folder/small")
"$program" "${simple[@]}" >"$folder/one"
"$program" "${simple[@]}" >"$folder/two"
same "$folder/one" "$folder/two" "a finished checkpoint"
cp "$folder/small" "$folder/kept"
status=0; "$program" "${simple[@]}" --seed 2 >"$folder/out" 2>"$folder/stderr" || status=$?
{ [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/stderr")" = 1 ] &&
    grep -q "'seed 1', not 'seed 2'" "$folder/stderr"; } ||
    fail "another seed: status $status, $(cat "$folder/stderr")"
same "$folder/kept" "$folder/small" "a rejected checkpoint was touched"
head -c 300 "$folder/kept" >"$folder/small"
status=0; "$program" "${simple[@]}" 2>"$folder/stderr" >"$folder/out" || status=$?
{ [ $status = 2 ] && [ ! -s "$folder/out" ] && grep -q "damaged" "$folder/stderr"; } ||
    fail "damaged: status $status"
mkdir "$folder/small.d"
status=0; "$program" simulate --n 1000 --k 10 --checkpoint "$folder/small.d" 2>"$folder/stderr" \
    >"$folder/out" || status=$?
{ [ $status = 2 ] && grep -q "not a regular file" "$folder/stderr"; } ||
    fail "a folder: status $status"
status=0; "$program" simulate --n 1000 --k 10 --checkpoint "$folder/no/where" 2>"$folder/stderr" \
    >"$folder/out" || status=$?
{ [ $status = 1 ] && grep -q "cannot be written" "$folder/stderr"; } ||
    fail "unwritable: status $status"
pass

# A full disk and a closed pipe.
status=0; "$program" simulate --n 1000 --k 10 >/dev/full 2>"$folder/stderr" || status=$?
{ [ $status = 1 ] && grep -q "could not be written" "$folder/stderr"; } ||
    fail "/dev/full: status $status"
pass

# A bar on a terminal.
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$program simulate --n 100000 --k 1000 --kb 1 --input iid --repetitions 300" \
        "$folder/typescript" >/dev/null
    grep -q '% .* of 300 rows .*/s .* left' "$folder/typescript" || fail "no bar on a terminal"
    pass
else
    echo "SKIPPED: the bar: script(1) is not there, or has no terminal to give"
fi
finish
