#!/usr/bin/env bash
# Stand-ins: the tables of docs/runs.md are those that plots/carried.py writes today, and the bands
# of the library are those of the runs.
#
# Slow: 14 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1

cp docs/runs.md "$folder/runs.md"
python3 plots/carried.py text --write "$folder/runs.md"
cmp -s docs/runs.md "$folder/runs.md" ||
    fail "docs/runs.md differs: $(diff docs/runs.md "$folder/runs.md" || true)"
pass

# The ratios of model/time/stand_in.c, to three digits, as select says them.
python3 plots/carried.py times >"$folder/times"
for case in "gh200 --kernel graphcore:GPU, buckets" tpuv6e:TPU; do
    "$program" select --n 2^17 --k 64 --m 64 --device ${case%%:*} --json >"$folder/json"
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

# Exact kernels from card to card, and the quirk: the numbers of the library.
python3 plots/carried.py exact >"$folder/exact"
ratios() { # ARCHITECTURE: low and high
    awk -F, -v between="$1" '$1 == between && $2 == "all" { print $6, $8 }' "$folder/exact"
}
for case in h100-nvl:Hopper "gb300:Blackwell 10"; do
    "$program" select --n 131072 --k 1024 --m 64 --device "${case%%:*}" --dtype f32 --json |
        python3 -c 'if True:
            import json, sys
            low, high = map(float, sys.argv[1].split())
            found = [c for c in json.load(sys.stdin)["contenders"]
                     if c["name"].startswith("SGLang") and c["carried"] and not c["at_most"]]
            assert found, "no kernel of SGLang"
            for c in found:
                assert abs(c["low_us"] / c["time_us"] / low - 1) < 0.005, c
                assert abs(c["high_us"] / c["time_us"] / high - 1) < 0.005, c' \
            "$(ratios "${case#*:}")" || fail "${case%%:*}: not the ratios $(ratios "${case#*:}")"
done
# Between two architectures with CUDA: the widest of these kernels.
"$program" select --n 131072 --k 1024 --m 64 --device a100-sxm --dtype f32 --json >"$folder/json"
python3 - "$folder" <<'PYTHON' || fail "not the widest band between two architectures"
import csv, json, sys
rows = [row for row in csv.DictReader(open(sys.argv[1] + "/exact"))
        if row["between"] == "two architectures" and row["kernel"] != "all"]
low = min(float(row["p05_ratio"]) for row in rows)
high = max(float(row["p95_ratio"]) for row in rows)
ours, = [c for c in json.load(open(sys.argv[1] + "/json"))["contenders"]
         if c["name"] == "recallmodel"]
assert abs(ours["low_us"] / ours["time_us"] - low) < 0.005, (ours, low)
assert abs(ours["high_us"] / ours["time_us"] - high) < 0.005, (ours, high)
PYTHON
# Between two CPUs: the widest of exact top-k and buckets.
awk -F, '$1 == "two CPUs" { at = NF - 2; low = low && low < $at ? low : $at
        high = high > $NF ? high : $NF } END { printf "%.2f to %.2f\n", low, high }' \
    "$folder/exact" >"$folder/want"
"$program" devices | sed -n 's/^ *other CPUs *measured over predicted \([0-9.to ]*\) (.*/\1/p' |
    cmp - "$folder/want" || fail "the widest between two CPUs: the runs say $(cat "$folder/want")"
"$program" select --n 65536 --k 512 --m 32 --device a10g --recall 0.9 --kb-max 1 --align 16 \
    --json >"$folder/json"
python3 plots/carried.py quirk | awk -F, '/^those/ { printf "%.2f %.2f\n", $4, $5 }' >"$folder/want"
awk -F'[:,]' '/"quirk"/ { inside = 1 } inside && /"(median|high)_ratio"/ { of[++n] = $2 }
    END { printf "%.2f %.2f\n", of[1], of[2] }' "$folder/json" |
    cmp - "$folder/want" || fail "the quirk: the runs say $(cat "$folder/want")"
pass

# Exact top-k: the range of the answer over the time.
"$program" predict --device gh200 --kernel graphcore --n 2^17 --k 64 --m 64 --json >"$folder/json"
awk -F'[:,]' -v pool="$(tail -1 "$folder/times")" '
    /"exact_us"/ && !us { us = $2 } /"exact_low_us"/ { low = $2 } /"exact_high_us"/ { high = $2 }
    END { n = split(pool, f, ","); a = low / us / f[n - 2]; b = high / us / f[n]
        exit !(a < 1.005 && a > 0.995 && b < 1.005 && b > 0.995) }' "$folder/json" ||
    fail "exact top-k: not the ratios of $(tail -1 "$folder/times")"
pass
finish
