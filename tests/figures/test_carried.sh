#!/usr/bin/env bash
# Stand-ins: the tables of docs/runs.md are those that plots/carried.py writes today, and the bands
# of the library are those of the runs.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 0; }
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1

cp docs/runs.md "$folder/runs.md"
python3 plots/carried.py text --write "$folder/runs.md"
cmp -s docs/runs.md "$folder/runs.md" ||
    fail "docs/runs.md differs: $(diff docs/runs.md "$folder/runs.md" || true)"
pass

# The ratios of model/time/stand_in.c, to three digits, as select says them.
python3 plots/carried.py times >"$folder/times"
for case in h200:"GPU, buckets" tpuv6e:TPU; do
    "$program" select --n 2^17 --k 64 --m 64 --device "${case%%:*}" --json >"$folder/json"
    awk -F'"?,"?' -v pool="${case#*:}" 'BEGIN { FPAT = "([^,]+)|(\"[^\"]+\")" }
        index($0, "all," pool) || index($0, "all,\"" pool) { n = split($0, f, ",")
            print f[n - 2], f[n] }' "$folder/times" >"$folder/want"
    read -r low high <"$folder/want"
    for ratio in low:"$low" high:"$high"; do
        got=$(sed -n "s/^ *\"${ratio%%:*}_ratio\": \([0-9.e+-]*\),*/\1/p" "$folder/json")
        awk -v a="$got" -v b="${ratio#*:}" \
            'BEGIN { exit !(a > 0 && a / b < 1.005 && b / a < 1.005) }' ||
            fail "${case#*:}: ${ratio%%:*} is $got, the runs say ${ratio#*:}"
    done
done
pass

# Exact top-k: the range of the answer over the time.
"$program" predict --device h200 --n 2^17 --k 64 --m 64 --json >"$folder/json"
awk -F'[:,]' -v pool="$(tail -1 "$folder/times")" '
    /"exact_us"/ && !us { us = $2 } /"exact_low_us"/ { low = $2 } /"exact_high_us"/ { high = $2 }
    END { n = split(pool, f, ","); a = low / us / f[n - 2]; b = high / us / f[n]
        exit !(a < 1.005 && a > 0.995 && b < 1.005 && b > 0.995) }' "$folder/json" ||
    fail "exact top-k: not the ratios of $(tail -1 "$folder/times")"
pass
finish
