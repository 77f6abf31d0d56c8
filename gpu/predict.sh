#!/usr/bin/env bash
# predict.sh - what the H200's profiles, carried to another card, say of cells: exact top-k, and the
# buckets of the grids targets and targets-two-stage.
#
#   [RECALLMODEL=./recallmodel] gpu/predict.sh [H100-SXM] >gpu/runs/predicted-h100-sxm.csv
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail && cd "$(dirname "$0")/.."
program=${RECALLMODEL:-./recallmodel}
card=${1:-H100-SXM}
cell=work,kernel,dtype,assignment,n,k,b,k_b,m,cache,timing

carry() { # PROFILE, options of predict: the cells that it answers for
    "$program" predict --carry-to "$card" --csv "${@:2}" |
        awk -F, -v OFS=, -v cell="$cell" -v basis="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; last = split(cell, name); next }
            $at["predicted_us"] != "" {
              for (i = 1; i <= last; i++) printf "%s,", $at[name[i]]
              printf "%.4g,%.4g,%.4g,", $at["predicted_us"], $at["low_us"], $at["high_us"]
              print $at["within_runs"], basis }'
}
exact() { # PROFILE, kernel, dtype, cache, timing
    carry "$1" --device "$1" --runs <(echo "$cell" && for m in 1 8 64; do
        for n in 4096 16384 65536 262144; do for k in 512 2048; do
            echo "exact,$2,$3,interleaved,$n,$k,1,$k,$m,$4,$5"; done; done; done)
}

echo "$cell,predicted_us,low_us,high_us,within_runs,basis"
for type in 16 32; do
    exact recallmodel_h200_f$type radix float$type cold events
    exact torch_topk_h200_f$type torch.topk-unsorted float$type cold events
done
exact sglang_v2_decode_h200 topk_transform_v2 float32 warm -
for type in bf16:f16 f16:f16 f32:f32; do
    for grid in interleaved:targets contiguous:targets interleaved:targets-two-stage; do
        carry "h200_ours_${type#*:}" --device H200 --dtype "${type%:*}" \
            --assignment "${grid%:*}" --runs "gpu/runs/h200-2026-11-26-${grid#*:}.csv"
    done
done
