#!/usr/bin/env bash
# predict --carry-to: buckets and exact kernels on a card that nobody measured. The predictions that
# are committed for an H100 SXM are those of today.
#
# Against: the committed file; the roofline of the rates; what the H200 itself is predicted to take.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
export RECALLMODEL=$program

gpu/predict.sh >"$folder/today" 2>"$folder/err"
same gpu/runs/predicted-h100-sxm.csv "$folder/today" "gpu/predict.sh and its file"
gpu/predict.sh H200 >"$folder/own" 2>"$folder/err"
# The same cells. None is faster than on the H200, or slower by more than the rates of the memories,
# 4.8 over 3.35 TB/s. Stage 1 of so many rows waits for the memory. Bands hold their times; none
# begins below the bytes that the cache of 50 MiB cannot have held.
paste -d, gpu/runs/predicted-h100-sxm.csv "$folder/own" | awk -F, '
    { bad = 0; for (i = 1; i <= 11; i++) bad += $i != $(i + 16); if (bad) { print; exit 1 } }
    NR == 1 { next }
    { ratio = $12 / $28; memory = 4.8 / 3.35; bytes = $9 * $5 * ($3 == "float32" ? 4 : 2)
      least = (bytes - 50 * 2^20) / 3.35e6; wide = least > 0.26 * $12 ? 1.001 * least : 0.26 * $12 }
    $16 ~ /^h200_ours/ { buckets++ }
    ratio < 0.999 || ratio > 1.001 * memory || ($1 == "stage1" && ratio < 1.15) ||
        ($1 == "stage1" && $12 < bytes / 3.35e6) ||
        !($13 < $12 && $12 < $14 && $13 > 0.999 * least) ||
        ($16 ~ /^h200_ours/ && $15 == "false" && !($13 < wide && $14 / $12 > 2.2)) {
        print; bad = 1; exit 1 }
    END { exit bad || buckets != 177 }' || fail "a cell of the H100 SXM and of the H200"
pass

# In a table, CSV and JSON the same times; what cannot be carried is an error.
shape=(--n 2^18 --k 1024 --m 64 --b 4096 --kb 2)
carry=(predict --device H200 --dtype f32 --carry-to H100-SXM)
"$program" "${carry[@]}" "${shape[@]}" >"$folder/text"
prints 'of H200, kernel ours, f32, carried to H100-SXM, f32: nothing' <"$folder/text" ||
    fail "what was carried: $(cat "$folder/text")"
times() { # of CSV: predicted_us, low_us and high_us
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%.4g %.4g %.4g", $at["predicted_us"], $at["low_us"], $at["high_us"] }'
}
csv=$("$program" "${carry[@]}" "${shape[@]}" --csv | times)
json=$("$program" "${carry[@]}" "${shape[@]}" --json | awk -F'[:,]' '
    /"predicted_us"/ { us = $2 } /"low_us"/ { low = $2 } /"high_us"/ { high = $2 }
    /"(device|stand_in)": "H/ { names = names $2 }
    END { if (names == " \"H100-SXM\" \"H200\"") printf "%.4g %.4g %.4g", us, low, high }')
[ "$csv" = "$json" ] || fail "CSV says $csv, JSON $json"
prints " $(cut -d' ' -f1 <<<"$csv") " <"$folder/text" || fail "$csv, but $(cat "$folder/text")"
file=model/time/profiles/h200_ours_f32.profile
file=$("$program" predict --device $file --carry-to h100-sxm "${shape[@]}" --csv | times)
[ "$csv" = "$file" ] || fail "by its file the profile says $file"
# Between architectures the widest band that an exact kernel showed, or that of the profile where it
# is wider; to a card without CUDA none.
band() { "$program" predict --device H200 --carry-to "$1" "${shape[@]}" --csv | times; }
read -r us low high <<<"$(band b200)"
awk -v us="$us" -v low="$low" -v high="$high" 'BEGIN { r = low / us; q = high / us
    exit !(us > 0 && r > 0.2 && r < 0.4101 && q > 2.1499 && q < 4) }' ||
    fail "a band between architectures: $us us, $low to $high"
tr -s '\n ' ' ' < <("$program" devices) |
    prints 'other cards measured over predicted 0.41 to 2.15' || fail "another widest band"
read -r us low high <<<"$(band mi300x)"
[ "$low $high" = "0 0" ] || fail "a band without CUDA: $us us, $low to $high"
"$program" predict --device H200 --carry-to mi300x "${shape[@]}" | prints ' unknown ' ||
    fail "a band without CUDA"
rejects "nothing was measured on L4" "$program" predict --device L4 --carry-to h200 "${shape[@]}"
rejects "which cpu-epyc-zen4 does not have" "$program" predict --device cpu-epyc-zen4 \
    --carry-to h200 "${shape[@]}"
rejects "which cpu-epyc-zen4 does not have" "$program" predict --device H200 \
    --carry-to cpu-epyc-zen4 "${shape[@]}"
pass
finish
