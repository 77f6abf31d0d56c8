#!/usr/bin/env bash
# run.sh - runs tests, several at a time. Prints the output of each, in order, then the slowest
# tests and those that failed.
#
# JOBS=2 LIMIT_S=600 tests/run.sh TEST ..
#
# A test test_NAME.py runs by pytest. A test that takes longer than LIMIT_S seconds is killed and
# counts as failed. bash ignores SIGINT in the processes that it starts here, so every test also
# shows that it passes where SIGINT is ignored (nohup, CI systems).
#
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
jobs=${JOBS:-2}
limit=${LIMIT_S:-600}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM

# run_test NUMBER TEST: writes its output, its status and its seconds.
run_test() {
    local begin=$EPOCHREALTIME status=0 command=("$2")
    [[ $2 != */test_*.py ]] || command=(tests/python/test_python.sh -k "$(basename -s .py "$2")")
    timeout -k 10 "$limit" "${command[@]}" >"$folder/$1.out" 2>&1 </dev/null &
    trap "kill $! 2>/dev/null" TERM
    wait $! || status=$?
    awk -v s="$status" -v a="$begin" -v b="$EPOCHREALTIME" \
        'BEGIN { printf "%d %.1f\n", s, b - a }' \
        >"$folder/$1.end"
}

failed=""
started=0
printed=0
tests=("$@")
pids=()
while [ $printed -lt $# ]; do
    while [ $started -lt $# ] && [ "$(jobs -rp | wc -l)" -lt "$jobs" ]; do
        run_test $started "${tests[$started]}" 2>/dev/null &
        pids+=($!)
        started=$((started + 1))
    done
    if kill -0 "${pids[$printed]}" 2>/dev/null; then
        sleep 0.05
        continue
    fi
    read -r status seconds <"$folder/$printed.end" || { status=1; seconds=0; }
    test=${tests[$printed]}
    echo "== $test, $seconds s"
    cat "$folder/$printed.out"
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then echo "KILLED: longer than $limit s"; fi
    [ "$status" = 0 ] || failed="$failed $test"
    echo "$seconds $test" >>"$folder/times"
    printed=$((printed + 1))
done
slowest=$(sort -rn "$folder/times" | sed -n 1,10p |
    awk '{ printf "%s%s %s s", (NR > 1 ? ", " : ""), $2, $1 }')
echo "the slowest: $slowest"
if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
echo "all $# tests passed"
