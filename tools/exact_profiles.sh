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

flashinfer3009="FlashInfer, message of commit 44a2672a4; CUDA graph; a Blackwell by inference"
flashinfer2605="FlashInfer, message of commit 82ff6a9cb; top-k with the transform of a page table"
trtllm="TensorRT-LLM, gvr_v2/latency.svg at fcbb1eaf; scores of an indexer, cold cache"
keyetal="Key et al. 2024 (graphcore-research/pytorch-approx-topk, c09e8c2)"

# name | model | file of runs | kernel of its rows (-: it has no such column) | type | card | source
b200="trtllm/exact-b200" blackwell="flashinfer/exact-blackwell" a100="flashinfer/exact-a100"
table="\
flashinfer_default_blackwell|exact-once|$blackwell|flashinfer_default|f32|B200|$flashinfer3009
flashinfer_clusters_blackwell|exact-once|$blackwell|flashinfer_clusters|f32|B200|$flashinfer3009
torch_topk_blackwell|torch-topk|$blackwell|torch.topk|f32|B200|$flashinfer3009
gvr_v2_b200|exact|$b200|gvr_v2|f32|B200|$trtllm
sglang_v2_b200|exact|$b200|sglang_v2_plan_transform|f32|B200|$trtllm
flashinfer_0_6_14_b200|exact|$b200|flashinfer_0_6_14|f32|B200|$trtllm
trtllm_radix_b200|exact|$b200|trtllm_radix_cuda|f32|B200|$trtllm
deepselect_b200|exact|$b200|deepselect_fp32|f32|B200|$trtllm
hpc_ops_b200|exact|$b200|hpc_ops_fp32|f32|B200|$trtllm
flashinfer_multi_cta_a100|exact-once|$a100|multi_cta|f32|A100-PCIe-40GB|$flashinfer2605
flashinfer_filtered_a100|exact|$a100|filtered_pr|f32|A100-PCIe-40GB|$flashinfer2605
torch_topk_h100_pcie|torch-topk|keyetal/exact|-|f16|H100-PCIe|$keyetal"

names=" $* "
while IFS='|' read -r name model runs kernel dtype device source; do
    if [ $# -gt 0 ] && [ "${names/ $name /}" = "$names" ]; then continue; fi
    options=(--kernel "$model" --dtype "$dtype" --name "$name" --source "$source"
        --device "$device")
    if [ "$kernel" != - ]; then options+=(--runs-kernel "$kernel"); fi
    "$program" calibrate "runs/$runs.csv" "${options[@]}" -o "$profiles/$name.profile" >/dev/null
    awk -v name="$name" -F'[ =]+' '{ value[$1] = $2 }
        function errors(what) {
            if (!value[what "median_error"]) { return "not tried" }
            return sprintf("%.1f and %.1f %%", 100 * value[what "median_error"],
                100 * value[what "p95_error"])
        }
        END { printf "%s: %d runs; fit %s; n left out %s; k left out %s\n", name,
            value["exact_count"], errors(""), errors("held_out_"), errors("held_out_k_") }' \
        "$profiles/$name.profile"
done <<<"$table"
