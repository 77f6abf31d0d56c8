/* vllm.cu - vLLM's exact top-k of float32 rows, from its source package (vllm 0.33.0). Its host
 * code is built as it is, on a stand-in for PyTorch, and chooses the kernel for a shape.
 *
 * vllm_cooperative: a cluster of blocks for a row, which vLLM takes wherever it can: up to 64 rows.
 * vllm_persistent, beyond 64 rows: a sampled threshold, a filter in one block, or for up to 32
 * rows groups of blocks that wait for each other. vllm_per_row: the older kernel for other k.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/peers/peer.h>

#include <algorithm>
#include <cfloat>

#include <csrc/sampler.cu>
#include <csrc/topk.cu>
#include <csrc/cooperative_topk.cu>

namespace
{

using torch::stable::Tensor;
using type = torch::headeronly::ScalarType;

constexpr size_t topk_bytes = 1 << 20; /* as vLLM allocates */

/* top_k_per_row_decode takes a long row in 10 parts, and then the best of the parts. */
constexpr uint64_t long_row = 200000, row_parts = 10;

size_t rounded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

size_t lengths_bytes(const rcm_peer_call *call)
{
    return rounded(call->m * sizeof(int));
}

size_t workspace(const rcm_peer_call *call)
{
    return lengths_bytes(call) + topk_bytes;
}

size_t workspace_per_row(const rcm_peer_call *call)
{
    size_t parts = call->n < long_row ? 0 : rounded(call->m * row_parts * call->k * 4);
    return lengths_bytes(call) + 2 * parts;
}

__global__ void write_lengths(int *lengths, unsigned m, int n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m)
        lengths[row] = n;
}

int prepare(const rcm_peer_call *call, void *stream)
{
    unsigned m = (unsigned)call->m;
    write_lengths<<<(m + 255) / 256, 256, 0, (cudaStream_t)stream>>>((int *)call->workspace, m,
                                                                     (int)call->n);
    return cudaGetLastError();
}

struct tensors {
    Tensor x, lengths, indices, rest;
};

template <typename F> int run(const rcm_peer_call *call, void *stream, F launch)
{
    int64_t m = (int64_t)call->m, n = (int64_t)call->n, k = (int64_t)call->k;
    char *rest = (char *)call->workspace + lengths_bytes(call);
    torch_stream = (cudaStream_t)stream;
    torch_free_memory = rest;
    tensors t = {{(void *)call->x, type::Float, 2, m, n},
                 {call->workspace, type::Int, 1, m, 1},
                 {call->indices, type::Int, 2, m, k},
                 {rest, type::Byte, 1, (int64_t)topk_bytes, 1}};
    try {
        launch(t);
        return cudaGetLastError();
    } catch (const torch_check_failed &) {
        cudaError_t error = cudaGetLastError();
        return error ? error : cudaErrorInvalidValue;
    }
}

int run_persistent(const rcm_peer_call *call, void *stream)
{
    return run(call, stream, [&](tensors &t) {
        persistent_topk(t.x, t.lengths, t.indices, t.rest, (int64_t)call->k, (int64_t)call->n);
    });
}

int run_cooperative(const rcm_peer_call *call, void *stream)
{
    return run(call, stream, [&](tensors &t) {
        cooperative_topk(t.x, t.lengths, t.indices, t.rest, (int64_t)call->k, (int64_t)call->n);
    });
}

int run_per_row(const rcm_peer_call *call, void *stream)
{
    return run(call, stream, [&](tensors &t) {
        top_k_per_row_decode(t.x, 1, t.lengths, t.indices, t.x.rows, t.x.columns, 1,
                             (int64_t)call->k);
    });
}

const char *refusal_persistent(const rcm_peer_call *call)
{
    uint64_t k = call->k;
    return k == 512 || k == 1024 || k == 2048 ? nullptr : "k must be 512, 1024 or 2048";
}

const char *refusal_cooperative(const rcm_peer_call *call)
{
    if (call->m > 64)
        return "there must be at most 64 rows";
    return call->n % 4 ? "n must be a multiple of 4" : refusal_persistent(call);
}

/* A block has 48 KiB of shared memory: vLLM does not ask for more. */
const char *refusal_per_row(const rcm_peer_call *call)
{
    if (call->n >= long_row && call->k > 3008)
        return "k must be at most 3008 in rows of 200000 elements and more";
    return call->k <= 7648 ? nullptr : "k must be at most 7648";
}

constexpr rcm_peer peer(const char *name, const char *source, decltype(rcm_peer::refusal) refusal,
                        decltype(rcm_peer::workspace) workspace, decltype(rcm_peer::run) run)
{
    return {name,  "vllm 0.33.0", source,  1 << RCM_GPU_F32, 4,       true,
            false, false,         refusal, workspace,        prepare, run};
}

const rcm_peer peers[] = {
    peer("vllm_persistent", "persistent_topk", refusal_persistent, workspace, run_persistent),
    peer("vllm_cooperative", "cooperative_topk", refusal_cooperative, workspace, run_cooperative),
    peer("vllm_per_row", "top_k_per_row_decode", refusal_per_row, workspace_per_row, run_per_row),
    {}};

} // namespace

RCM_PEERS(peers)
