/* sglang.cu - SGLang's older exact top-k kernels of float32 rows, as DeepSeek's sparse attention
 * calls them: from its wheel (sglang 0.5.23), which has the sources that it compiles at run time.
 *
 * sglang_fast is its radix select. sglang_v1 translates indices by a table of pages: ours is one
 * page of 2^31 elements at 0, so that they stay as they are. The headers of TVM FFI serve the types
 * alone: nothing of it is linked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/peers/peer.h>

#include <sglang/kernels/jit/csrc/elementwise/fast_topk.cuh>
#include <sglang/kernels/jit/csrc/deepseek_v4/topk_v1.cuh>

namespace
{

using sglang::host::LaunchKernel;

struct buffers {
    int *lengths, *zeros;
};

buffers buffers_of(const rcm_peer_call *call)
{
    int *at = (int *)call->workspace;
    return {at, at + call->m};
}

size_t workspace(const rcm_peer_call *call)
{
    return 2 * call->m * sizeof(int);
}

__global__ void write_lengths(buffers b, unsigned m, int n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        b.lengths[row] = n;
        b.zeros[row] = 0;
    }
}

int prepare(const rcm_peer_call *call, void *stream)
{
    unsigned m = (unsigned)call->m;
    write_lengths<<<(m + 255) / 256, 256, 0, (cudaStream_t)stream>>>(buffers_of(call), m,
                                                                     (int)call->n);
    return cudaGetLastError();
}

template <typename F> int caught(F launch)
{
    try {
        launch();
        return cudaSuccess;
    } catch (const std::exception &) {
        cudaError_t error = cudaGetLastError();
        return error ? error : cudaErrorUnknown;
    }
}

template <int K> void launch_fast(const rcm_peer_call *call, cudaStream_t stream)
{
    buffers b = buffers_of(call);
    sglang::fast_topk_detail::FastTopKParams params = {
        (const float *)call->x, b.zeros, (int *)call->indices, b.lengths, (int64_t)call->n};
    LaunchKernel((unsigned)call->m, sglang::fast_topk_detail::kThreadsPerBlock, stream,
                 sglang::fast_topk_detail::kSmemBytes)
        .enable_pdl(true)(sglang::FastTopKKernel<K, true>::kernel, params);
}

int run_fast(const rcm_peer_call *call, void *stream)
{
    auto launch = call->k == 512 ? launch_fast<512> : launch_fast<2048>;
    return caught([&] { launch(call, (cudaStream_t)stream); });
}

int run_v1(const rcm_peer_call *call, void *stream)
{
    constexpr auto kernel = sglang::TopKKernel<true>::kernel;
    constexpr size_t shared = sglang::kSMEM + sizeof(int);
    static const int error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error)
        return error;
    buffers b = buffers_of(call);
    sglang::TopKParams params = {
        (const float *)call->x, b.lengths, b.zeros, (int *)call->indices, nullptr,
        (int64_t)call->n,       0,         31,      (uint32_t)call->k};
    return caught([&] {
        LaunchKernel((unsigned)call->m, sglang::kTopKBlockSize, (cudaStream_t)stream, shared)
            .enable_pdl(true)(kernel, params);
    });
}

const char *refusal_fast(const rcm_peer_call *call)
{
    return call->k == 512 || call->k == 2048 ? nullptr : "k must be 512 or 2048";
}

const char *refusal_v1(const rcm_peer_call *call)
{
    return call->k <= sglang::kMaxTopK ? nullptr : "k must be at most 1024";
}

constexpr rcm_peer peer(const char *name, const char *source, decltype(rcm_peer::refusal) refusal,
                        decltype(rcm_peer::run) run)
{
    return {name,  "sglang 0.5.23", source,  1 << RCM_GPU_F32, 4,       true,
            false, false,           refusal, workspace,        prepare, run};
}

const rcm_peer peers[] = {peer("sglang_fast", "FastTopKKernel", refusal_fast, run_fast),
                          peer("sglang_v1", "topk_v1: TopKKernel", refusal_v1, run_v1),
                          {}};

} // namespace

RCM_PEERS(peers)
