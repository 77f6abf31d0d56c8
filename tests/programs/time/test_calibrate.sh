#!/usr/bin/env bash
# `recallmodel calibrate` and `predict` as people use them: signals, full disks, closed pipes, one
# thread and several.
#
# Against: each other, byte for byte.
#
# Slow: 15 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
unsanitized "test_command_calibrate fits and reads under them"
. tests/signals.sh

# Runs: the times of the profile that comes with the library, a few per cent off.
{
    echo n,k,b,k_b,m
    for n in 1024 4096 16384 65536 262144; do for m in 1 16 256; do for kb in 1 2 3 4; do
        for k in 12 96 384; do for mult in 1 2 4 8; do
            [ $((k * mult)) -lt $n ] && echo $n,$k,$((k * mult / kb)),$kb,$m
        done; done
    done; done; done
} >"$folder/shapes.csv"
"$program" predict --device h100-pcie --runs "$folder/shapes.csv" --csv 2>/dev/null |
    awk -F, -v OFS=, 'NR == 1 { $6 = "time_us" }
        NR > 1 { $6 *= 1 + 0.03 * ((NR * 7) % 5 - 2) }
        { print }' >"$folder/runs.csv"

# One thread and several give the same digits.
OMP_NUM_THREADS=1 "$program" calibrate "$folder/runs.csv" --json >"$folder/one"
OMP_NUM_THREADS=4 "$program" calibrate "$folder/runs.csv" --json >"$folder/four"
cmp -s "$folder/one" "$folder/four" || fail "one thread and four differ"
pass

# The written profile can be used, and has the parameters that --csv prints.
"$program" calibrate "$folder/runs.csv" --name 'A GPU' -o "$folder/my.profile" \
    --csv >"$folder/parameters"
grep -q "^launch_us = " "$folder/my.profile" || fail "no profile"
value=$(sed -n 's/^launch_us,\([^,]*\),.*/\1/p' "$folder/parameters")
written=$(sed -n 's/^launch_us = \([^ ]*\).*/\1/p' "$folder/my.profile")
awk -v a="$value" -v b="$written" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-10 * a * a) }' ||
    fail "launch_us: $value"
"$program" select --n 65536 --k 256 --m 16 --device "$folder/my.profile" >"$folder/answer"
# None of these runs is of exact top-k, so its time is not known.
tr '\n' ' ' <"$folder/answer" >"$folder/line"
grep -q "Use buckets, [^:]*, if your exact top-k takes longer than [0-9.]* us: " "$folder/line" ||
    fail "select with a profile: $(cat "$folder/answer")"
"$program" devices --device "$folder/my.profile" | prints "A GPU *graphcore *f16" ||
    fail "devices with a profile"
pass

# A signal during the fit: status 130, one line, no profile, no other file.
mkdir "$folder/stopped"
set +e
for signal in INT TERM; do
    default_signals "$program" calibrate "$folder/runs.csv" \
        --cross-validate -o "$folder/stopped/x.profile" \
        >"$folder/out" 2>"$folder/err" &
    pid=$!
    until_it_listens $pid "$(kill -l $signal)"
    kill -$signal $pid 2>/dev/null
    wait_for $pid 60
    status=$?
    [ $status = 130 ] || fail "SIG$signal: status $status, $(cat "$folder/err")"
    [ -s "$folder/out" ] && fail "SIG$signal: something was printed"
    [ "$(cat "$folder/err")" = "recallmodel: stopped; nothing was written" ] ||
        fail "SIG$signal: $(cat "$folder/err")"
    [ -z "$(ls -A "$folder/stopped")" ] || fail "SIG$signal: $(ls -A "$folder/stopped") is left"
    pass
done

# An earlier profile stays as it is when a new one cannot be written.
cp "$folder/my.profile" "$folder/before"
(
    ulimit -f 0
    trap '' XFSZ
    "$program" calibrate "$folder/runs.csv" -o "$folder/my.profile" --csv 2>"$folder/err" |
        cat >/dev/null
    exit "${PIPESTATUS[0]}"
)
status=$?
[ $status = 1 ] || fail "a file that may not grow: status $status"
cmp -s "$folder/my.profile" "$folder/before" || fail "the earlier profile was touched"
ls "$folder" | prints 'my.profile\.' && fail "a temporary file is left"
pass

"$program" predict --device h100-pcie --runs "$folder/shapes.csv" --csv >/dev/full 2>"$folder/err"
[ $? = 1 ] && grep -q "could not be written" "$folder/err" ||
    fail "a full disk: $(cat "$folder/err")"
"$program" calibrate "$folder/runs.csv" 2>"$folder/err" >&-
[ $? = 1 ] && grep -q "could not be written" "$folder/err" ||
    fail "a closed stdout: $(cat "$folder/err")"
pass
finish
