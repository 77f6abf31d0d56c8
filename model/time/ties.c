/* ties.c - which of equal elements a kernel takes: a registry. Each row was read in the code that
 * it names, on 2026-11-26; nothing of it was run here but our own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <model/recallmodel/time.h>

#include "profile_names.h"

static const struct rcm_tie_rule rules[] = {
    {"any", RCM_TIES_BY_POSITION, "a kernel of your own, with positions in its keys",
     "docs/real-data.md"},
    {"cpu", RCM_TIES_BY_POSITION, NULL, "topk/topk.h"},
    {"ours", RCM_TIES_ANY, "deterministic = true of its exact top-k: by position", "docs/gpu.md 4"},
    {"recallmodel", RCM_TIES_ANY,
     "deterministic = true: by position, 2 to 3 times the cycles in simulation", "docs/gpu.md 4"},
    {"graphcore", RCM_TIES_REPEATABLE, NULL,
     "pytorch-approx-topk c09e8c2f, priority_queue_approx_topk.cu: a later equal value replaces"},
    {"keyetal", RCM_TIES_REPEATABLE, NULL, "Graphcore's kernel"},
    {"helion", RCM_TIES_REPEATABLE, NULL, "pytorch/helion ef091f41, pallas/topk_impl.py"},
    {"tallax", RCM_TIES_REPEATABLE, NULL, "oliverdutton/tallax abfc3fab, top_k.py"},
    {"xla", RCM_TIES_ANY, NULL,
     "XLA approx_topk.cc 218fff0b sorts without stability; the TPU's own code was not read"},
    {"lax.top_k", RCM_TIES_BY_POSITION, NULL, "documented: the lower index comes first"},
    {"torch.topk", RCM_TIES_BY_POSITION, "not promised; PyTorch on AMD: any",
     "PyTorch 6ed59260, TensorTopK.cu: prefix sums in the order of positions"},
    {"torch_topk_b580", RCM_TIES_REPEATABLE, NULL, "torch-xpu-ops ab84f925: prefix sums by thread"},
    {"torch_topk_blackwell", RCM_TIES_ANY,
     "torch.use_deterministic_algorithms(True): by position, about 18 % more (PyTorch #184926)",
     "PyTorch 71a55b73, cutedsl_impl.py, which newer versions call for float32"},
    {"torch_topk_b300", RCM_TIES_BY_POSITION, "not promised", "as torch.topk, for bfloat16"},
    {"sglang_fast", RCM_TIES_ANY, "kStableTies of its newer port: by position",
     "sgl-kernel 06c48ca8, topk.cu: the last places go by an atomic counter"},
    {"sglang_v2", RCM_TIES_ANY, NULL, "SGLang 05adf942, deepseek_v4/topk.cuh: an atomic counter"},
    {"sglang_v1", RCM_TIES_ANY, NULL,
     "SGLang 030e24e3, deepseek_v4/topk_v1.cuh: an atomic counter"},
    {"topk_transform_v1", RCM_TIES_ANY, NULL, "sglang_v1, as runs name it"},
    {"fast_topk_transform", RCM_TIES_ANY, NULL, "sglang_fast, as runs name it"},
    {"topk_transform_v2", RCM_TIES_ANY, NULL, "sglang_v2, as runs name it"},
    {"flashinfer", RCM_TIES_ANY,
     "tie_break = 1: by position, 83.2 us for 40.9 (one row, k = 2048, B200), 74.1 after a mend; "
     "deterministic = True: repeatable",
     "flashinfer fb28d724, topk.cuh: an atomic counter; runs flashinfer/tie-break"},
    {"trtllm", RCM_TIES_ANY, NULL, "TensorRT-LLM 07339e94, indexerTopK.cu: an atomic counter"},
    {"gvr", RCM_TIES_ANY, NULL, "TensorRT-LLM 0d604f69, heuristic_topk.cuh: an atomic counter"},
    {"vllm", RCM_TIES_ANY, NULL, "vLLM 00e831b2, sampler.cu: an atomic counter"},
    {"aiter", RCM_TIES_ANY, "stable = True: by position, one block a row (aiter #4415)",
     "aiter e4048607, topk_per_row_kernels.cu: an atomic counter"},
    {"hpc_ops", RCM_TIES_ANY, NULL, "hpc-ops 1006e090, topk_filtered_impl.cuh: an atomic counter"},
    {"deepselect", RCM_TIES_REPEATABLE, "not promised",
     "DeepSelect 0f03b687, topk_select.cuh: prefix sums, blocks in a fixed permutation"},
    {"onnxruntime", RCM_TIES_REPEATABLE, "built with STABLE_TOPK: by position",
     "onnxruntime-genai a0c04eb1, cuda_topk.h"},
    {"cub", RCM_TIES_ANY, NULL, "cccl 571f2fc3, device_topk.cuh: not guaranteed is its one mode"},
    {"cccl", RCM_TIES_ANY, "gpu_to_gpu with prefer_smaller_index: by position, unsorted",
     "cccl 571f2fc3, device_topk_requirements.rst"},
    {"bits_prefetch", RCM_TIES_ANY, NULL, "bits-knn a1759d20, bits_kernel.cuh: an atomic counter"},
    {"partial_bitonic", RCM_TIES_REPEATABLE, NULL, "bits-knn a1759d20, bitonic_sort.cuh"},
    {"block_select", RCM_TIES_REPEATABLE, NULL, "bits-knn a1759d20 calls that of faiss"},
    {"warp_select", RCM_TIES_REPEATABLE, NULL, "bits-knn a1759d20 calls that of faiss"},
    {"approx_max_k", RCM_TIES_ANY, NULL, "xla, as runs name it"},
    {"h200", RCM_TIES_ANY,
     "deterministic = true: by position, 2 to 3 times the cycles in simulation",
     "recallmodel, as runs/h200 has it"},
    {"faiss", RCM_TIES_REPEATABLE, NULL, "faiss 02dbb4e4, Select.cuh: compares keys alone"},
};

const struct rcm_tie_rule *rcm_tie_rule(size_t index)
{
    return index < sizeof rules / sizeof *rules ? &rules[index] : NULL;
}

const struct rcm_tie_rule *rcm_tie_rule_of(const char *name)
{
    const struct rcm_tie_rule *best = NULL, *rule;
    size_t most = 0;
    for (size_t i = 0; name && (rule = rcm_tie_rule(i)); i++)
        if (name_begins(name, rule->kernel) > most) {
            most = name_begins(name, rule->kernel);
            best = rule;
        }
    return best;
}

const char *rcm_ties_name(enum rcm_keeps_ties ties)
{
    static const char *const names[] = {"any", "repeatable", "position"};
    return (size_t)ties < sizeof names / sizeof *names ? names[ties] : NULL;
}

enum rcm_keeps_ties rcm_exact_ties(const struct rcm_profile *profile)
{
    const struct rcm_tie_rule *rule =
        profile->kernel->model == RCM_TIME_EXACT            ? rcm_tie_rule_of(profile->name)
        : profile->kernel->model == RCM_TIME_CPU            ? rcm_tie_rule_of("cpu")
        : strcmp(profile->kernel->family, "graphcore") == 0 ? rcm_tie_rule_of("torch.topk")
                                                            : NULL;
    return rule ? rule->ties : RCM_TIES_ANY;
}

enum rcm_keeps_ties rcm_kernel_ties(const struct rcm_kernel *kernel)
{
    const struct rcm_tie_rule *rule = rcm_tie_rule_of(kernel->name);
    return rule ? rule->ties : RCM_TIES_ANY;
}
