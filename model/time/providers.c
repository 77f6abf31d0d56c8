/* providers.c - who provides an exact top-k that was measured: a registry. Calls were read in the
 * packages on 2026-11-28.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <model/recallmodel/provider.h>

#include "profile_names.h"

#define SGLANG "sglang 0.5"

static const struct rcm_provider providers[] = {
    {"recallmodel", "recallmodel", "recallmodel", "rcm_gpu_exact of gpu/topk_gpu.h", NULL, true},
    {"torch_topk", "torch.topk", "torch", "torch.topk(x, k, sorted=False)", NULL, true},
    {"flashinfer", "flashinfer.top_k", "flashinfer-python", "flashinfer.top_k(x, k)", NULL, false},
    {"sglang_fast", "SGLang fast_topk", SGLANG,
     "sglang.kernels.ops.attention.fast_topk.fast_topk, k = 512 or 2048, float32",
     "not exact on long rows: sgl-project/sglang#36807", false},
    {"sglang_v1", "SGLang topk_v1", SGLANG,
     "sglang.kernels.ops.attention.dsv4.topk.topk_transform_paged, k <= 1024, float32", NULL,
     false},
    {"sglang_v2", "SGLang topk_v2", SGLANG,
     "sglang.kernels.ops.attention.dsv4.topk.topk_transform_ragged_v2, k <= 2048, float32",
     "many equal values: its list of ties is limited", false},
    {"deepselect", "DeepSelect", SGLANG, "sglang.kernels.ops.attention.deep_select.topk(x, k)",
     NULL, false},
    {"aiter", "aiter", "aiter", "aiter.top_k_per_row_decode", NULL, false},
    {"trtllm", "TensorRT-LLM", "tensorrt_llm", "torch.ops.trtllm.indexer_topk_decode", NULL, false},
    {"hpc_ops", "hpc-ops top-k", NULL, NULL, NULL, false},
    /* Once it is proved on a card: "recallmodel", "rcm_gpu_fused of gpu/topk_gpu.h, b = 0". */
    {"recallmodel_fused", "recallmodel fused", NULL, NULL, NULL, false},
    {"gvr", "gvr_2", NULL, NULL, NULL, false},
};

const struct rcm_provider *rcm_provider(size_t index)
{
    return index < sizeof providers / sizeof *providers ? &providers[index] : NULL;
}

const struct rcm_provider *rcm_provider_of(const char *name)
{
    const struct rcm_provider *best = NULL, *row;
    size_t most = 0;
    for (size_t i = 0; name && (row = rcm_provider(i)); i++)
        if (name_begins(name, row->kernel) > most) {
            most = name_begins(name, row->kernel);
            best = row;
        }
    return best;
}

uint32_t rcm_providers_named(const char *name)
{
    uint32_t found = 0;
    const struct rcm_provider *row;
    for (size_t i = 0; *name && (row = rcm_provider(i)); i++)
        if (row->package && name_begins(row->kernel, name))
            found |= UINT32_C(1) << i;
    return found;
}

bool rcm_runs_cuda(const struct rcm_device *device)
{
    static const char *const architectures[] = {"Turing", "Ampere", "Ada", "Hopper", "Blackwell"};
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (device->architecture &&
            strncmp(device->architecture, architectures[i], strlen(architectures[i])) == 0)
            return true;
    return false;
}
