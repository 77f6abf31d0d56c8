#!/usr/bin/env bash
# --d of predict and select: values that are products of vectors. They are by the roofline, and say
# so; what does not go together is refused; tables fit the page.
#
# Against: the JSON of the same question; numbers by hand.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
shape=(--n 2^20 --k 1024 --m 1024)

# member NAME FILE: the number of the first member with that name in a JSON answer.
member() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$2" | sed -n 1p; }

# near X Y: equal to 1e-6.
near() { awk "BEGIN { exit !($1 - $2 < 1e-6 * $2 && $2 - $1 < 1e-6 * $2) }" || fail "$1, not $2"; }

# ---- predict without a profile
"$program" predict --device H100-SXM "${shape[@]}" --d 128 --kb 4 --b 1024 >"$folder/text"
prints 'nothing was measured' <"$folder/text" || fail "predict --d: $(cat "$folder/text")"
tr '\n' ' ' <"$folder/text" | prints 'by the roofline, a lower bound' ||
    fail "predict --d does not say roofline: $(cat "$folder/text")"
pass
"$program" predict --device tpuv5e --dtype f32 "${shape[@]}" --d 128 --kb 4 --b 1024 --json \
    >"$folder/json"
# By hand: 18 operations an element at 6.14e12 a second; 4.3 GB of scores but for 128 MiB, and
# vectors of 0.54 GB, at 819 GB/s.
near "$(member fused_us "$folder/json")" "$(awk 'BEGIN { print 2^30 * 18 / 6.14e6 }')"
near "$(member product_us "$folder/json")" \
    "$(awk 'BEGIN { printf "%.10g", (4 * 2^30 - 2^27 + 4 * 128 * (2^20 + 2^10)) / 819e3 }')"
near "$(member ridge "$folder/json")" "$(awk 'BEGIN { printf "%.10g", 197e12 / 819e9 }')"
prints '"fused_bound": "vector"' <"$folder/json" || fail "not bound by vector operations"
pass

# ---- select: the longer the product, the larger the k_b that is hidden
for case in "128 2 vector" "1024 4 matrix"; do
    read -r d k_b bound <<<"$case"
    "$program" select --device h100-pcie "${shape[@]}" --recall 0.99 --d "$d" --json >"$folder/json"
    [ "$(member k_b "$folder/json")" = "$k_b" ] && [ "$(member d "$folder/json")" = "$d" ] &&
        prints "\"fused_bound\": \"$bound\"" <"$folder/json" || fail "select --d $d"
    fused=$(member fused_us "$folder/json") stage2=$(member stage2_us "$folder/json")
    near "$(member objective "$folder/json")" \
        "$(awk "BEGIN { printf \"%.12g\", $fused + $stage2 }")"
    pass
done
# ---- fused exact top-k competes, and loses nothing; what the product leaves to win
"$program" select --device h100-pcie "${shape[@]}" --recall 0.99 --d 128 --exact-us 9000 |
    tr -s '\n ' ' ' >"$folder/text"
prints 'Use fused exact top-k: at least 461 us, nothing lost. Buckets take at least 821 us.' \
    <"$folder/text" && prints 'exact, yours 9 ms 0 as you measured' <"$folder/text" &&
    prints 'product at least 364 us, 4 % of exact top-k after it: no .* more than 24.8 times' \
        <"$folder/text" || fail "--exact-us: $(cat "$folder/text")"
pass
"$program" select --device h100-pcie "${shape[@]}" --recall 0.99 --d 128 --exact-us 9000 --json \
    >"$folder/json"
# By hand: 2^31 times 128 operations at 756e12 a second.
near "$(member product_share "$folder/json")" \
    "$(awk 'BEGIN { printf "%.10g", 2^38 / 756e6 / 9000 }')"
pass
# Where no element of b k_b = k candidates is dropped any more, stage 2 falls away: buckets gain.
"$program" select --device h100-pcie --n 2^18 --k 32768 --m 64 --recall 0.8 --d 128 >"$folder/text"
prints 'Use buckets, .*: at least 39.1 us, .* Fused exact takes at least 161 us' \
    <"$folder/text" || fail "b k_b = k: $(cat "$folder/text")"
pass

# ---- the page: no line of a table is wider than 100 bytes
for arguments in "predict --device h100-pcie --n 2^20 --k 1024 --m 1024 --d 128 --kb 1..4" \
    "predict --device h100-pcie --n 2^24 --k 1024 --m 2^17 --kb 1,4 --d 4096" \
    "predict --device b200 --n 2^24 --k 1024 --m 2^17 --kb 1,4 --d 4096" \
    "select --device h100-pcie --n 2^24 --k 2^18 --m 2^12 --recall 0.9999 --verbose" \
    "select --device h100-pcie --n 2^20 --k 1024 --m 1024 --recall 0.99 --d 128 --verbose"; do
    # shellcheck disable=SC2086 # the words of the line
    "$program" $arguments >"$folder/text"
    # The line of a library and its nearest choice is a sentence, not a table.
    widest=$(grep -v '^PyTorch\|^JAX\|^C ' "$folder/text" |
        awk 'length($0) > 100 { print length($0) ": " $0; exit }')
    [ ! "$widest" ] || fail "$arguments: $widest"
    pass
done

# ---- errors
rejects "TPUv7x lacks vector_rate_per_s" "$program" select --device tpuv7x "${shape[@]}" --d 128
rejects "V100S lacks matrix_rate_per_s" "$program" predict --device v100s "${shape[@]}" --d 128
rejects "--d needs --device" "$program" select "${shape[@]}" --d 128
rejects "leave --objective out" "$program" select --device h100-pcie "${shape[@]}" --d 128 \
    --objective serial
rejects "--d" "$program" select --device h100-pcie "${shape[@]}" --d 0
pass
finish
