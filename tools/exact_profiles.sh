#!/usr/bin/env bash
# exact_profiles.sh [NAME ..] - makes model/time/profiles/exact/NAME.profile, those of kernels that
# only find the exact top-k, from the published runs in runs/ (by default all of them), and prints
# how far each is off: the runs, then median and 95 % of the fit, of each n left out in turn, and of
# each k.
#
#   PROGRAM=build/recallmodel  PROFILES=model/time/profiles/exact
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=${PROGRAM:-build/recallmodel}
profiles=${PROFILES:-model/time/profiles/exact}

# name | model | file of runs | kernel of its rows (-: it has no such column) | type | card
b200="trtllm/exact-b200" blackwell="flashinfer/exact-blackwell" a100="flashinfer/exact-a100"
table() {
    local card suffix
    cat <<END
flashinfer_default_blackwell|exact-once|$blackwell|flashinfer_default|f32|B200
flashinfer_clusters_blackwell|exact-once|$blackwell|flashinfer_clusters|f32|B200
torch_topk_blackwell|torch-topk|$blackwell|torch.topk|f32|B200
gvr_v2_b200|exact|$b200|gvr_v2|f32|B200
sglang_v2_b200|exact|$b200|sglang_v2_plan_transform|f32|B200
flashinfer_0_6_14_b200|exact|$b200|flashinfer_0_6_14|f32|B200
trtllm_radix_b200|exact|$b200|trtllm_radix_cuda|f32|B200
deepselect_b200|exact|$b200|deepselect_fp32|f32|B200
hpc_ops_b200|exact|$b200|hpc_ops_fp32|f32|B200
flashinfer_multi_cta_a100|exact-once|$a100|multi_cta|f32|A100-PCIe-40GB
flashinfer_filtered_a100|exact|$a100|filtered_pr|f32|A100-PCIe-40GB
torch_topk_h100_pcie|torch-topk|keyetal/exact|-|f16|H100-PCIe
deepselect_b300|exact-once|deepselect/exact-b300|DeepSelect|bf16|B300
torch_topk_b300|torch-topk|deepselect/exact-b300|torch.topk|bf16|B300
aiter_mi355x|exact-once|aiter/exact|aiter_top_k_per_row|f32|MI355X
torch_topk_2022_rtx3080|exact-once|torch-2022/exact|torch.topk|f32|RTX-3080
torch_topk_rtx4080s_f16|torch-topk|xpu-ops/exact|torch.topk|f16|RTX-4080-SUPER
torch_topk_rtx4080s_f32|torch-topk|xpu-ops/exact|torch.topk|f32|RTX-4080-SUPER
torch_topk_h200_f32|torch-topk|h200/torch|torch.topk-unsorted|f32|H200
torch_topk_h200_f16|torch-topk|h200/torch|torch.topk-unsorted|f16|H200
recallmodel_h200_f32|exact-once|h200/exact|radix|f32|H200
recallmodel_h200_f16|exact-once|h200/exact|radix|f16|H200
torch_topk_b580|torch-topk|xpu-ops/exact|torch.topk (parts 1 and 2)|f32|Arc-B580
END
    for card in H100-SXM H200 B200 B300 GB200; do
        suffix=$(tr 'A-Z-' 'a-z_' <<<"$card")
        cat <<END
sglang_fast_decode_$suffix|exact|sglang/decode|fast_topk_transform_fused|f32|$card
sglang_v1_decode_$suffix|exact|sglang/decode|topk_transform_v1|f32|$card
sglang_v2_decode_$suffix|exact|sglang/decode|topk_transform_v2|f32|$card
sglang_fast_prefill_$suffix|exact|sglang/prefill|fast_topk_transform_fused|f32|$card
sglang_v1_prefill_$suffix|exact|sglang/prefill|topk_transform_v1|f32|$card
END
    done
}

# How the runs of a file were timed, as runs/index.csv says it: "median, cold cache".
timed() {
    awk -F, -v name="$1" '$1 == name {
        print ($7 ? "; " $7 : "") ($8 ? "; " $8 " cache" : "") ($9 ? "; " $9 " launch" : "") \
            ($10 && $10 != "equal" ? "; row lengths " $10 : "") }' runs/index.csv
}

names=" $* "
while IFS='|' read -r name model runs kernel dtype device; do
    if [ $# -gt 0 ] && [ "${names/ $name /}" = "$names" ]; then continue; fi
    options=(--kernel "$model" --dtype "$dtype" --name "$name" --device "$device"
        --source "$(sed -n '1s/\.$//p' "runs/${runs%/*}/SOURCE") ($runs)$(timed "$runs")")
    if [ "$kernel" != - ]; then options+=(--runs-kernel "$kernel"); fi
    "$program" calibrate "$runs" "${options[@]}" -o "$profiles/$name.profile" >/dev/null
    awk -v name="$name" -F'[ =]+' '{ value[$1] = $2 }
        function errors(what) {
            if (!value[what "median_error"]) { return "not tried" }
            return sprintf("%.1f and %.1f %%", 100 * value[what "median_error"],
                100 * value[what "p95_error"])
        }
        END { printf "%s: %d runs; fit %s; n left out %s; k left out %s\n", name,
            value["exact_count"], errors(""), errors("held_out_"), errors("held_out_k_") }' \
        "$profiles/$name.profile"
done < <(table)
