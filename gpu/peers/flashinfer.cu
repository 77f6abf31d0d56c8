/* flashinfer.cu - the top-k of FlashInfer, from flashinfer-python 0.7.2.post1, with the CCCL 3.6
 * that it brings. Nothing is sorted, and no choice among ties is promised (its defaults).
 *   flashinfer            what flashinfer.top_k runs on an sm_90: one of the next three, by its
 *                         rule, which differs in a CUDA graph. Its indices are int64 there
 *   flashinfer_cub        cub::DeviceBatchedTopK: a block or a cluster for each row
 *   flashinfer_radix      8 bits a pass; blocks that hold a row in shared memory wait for another
 *   flashinfer_filtered   a block for each row: a histogram, then the bin of the threshold
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "batched.cuh"

#include <cstring>

#include <flashinfer/math.cuh>
#include <flashinfer/topk.cuh>

namespace
{

namespace theirs = flashinfer::sampling;

constexpr size_t states_bytes = 1 << 20; /* as its Python module has */
constexpr int64_t batched_small = 8192, batched_max = 1 << 21;

/* The arguments that its functions begin with. */
#define ARRAYS(T) \
    static_cast<T *>(const_cast<void *>(call->x)), static_cast<int32_t *>(call->indices), \
        static_cast<T *>(call->values)

const char *refusal_of_cub(const rcm_peer_call *call)
{
    return call->n > batched_max ? "n must be at most 2097152" : nullptr;
}

const auto workspace_of_cub = batched_workspace<batched_small, batched_max>;
const auto run_cub = run_batched<batched_small, batched_max>;

/* Its blocks wait for one another: those of a row must all be on the device at once. */
const char *refusal_of_radix(const rcm_peer_call *call)
{
    int device = 0, shared = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    int64_t most = (shared - 4096) / (call->dtype == RCM_GPU_F32 ? 4 : 2) * (int64_t)count;
    return (int64_t)call->n > most ? "a row must fit in the shared memory of the device" : nullptr;
}

size_t workspace_of_radix(const rcm_peer_call *)
{
    return states_bytes;
}

/* The kernel leaves the states as it found them. */
int prepare_radix(const rcm_peer_call *call, void *stream)
{
    return cudaMemsetAsync(call->workspace, 0, states_bytes, static_cast<cudaStream_t>(stream));
}

int run_radix(const rcm_peer_call *call, void *stream)
{
    return with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        return theirs::RadixTopKMultiCTA<T, int32_t>(
            ARRAYS(T), nullptr, call->m, call->k, call->n,
            static_cast<theirs::RadixRowState *>(call->workspace), false,
            static_cast<cudaStream_t>(stream));
    });
}

const char *refusal_of_filtered(const rcm_peer_call *call)
{
    return call->k > theirs::FILTERED_TOPK_MAX_K ? "k must be at most 2048" : nullptr;
}

int run_filtered(const rcm_peer_call *call, void *stream)
{
    return with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        return theirs::FilteredTopK<T, int32_t>(ARRAYS(T), nullptr, call->m, call->k, call->n,
                                                false, theirs::TopKTieBreak::None,
                                                static_cast<cudaStream_t>(stream));
    });
}

/* What flashinfer.top_k chooses. */
bool takes_filtered(const rcm_peer_call *call)
{
    return with_type(call, [&](auto *type) -> int {
               using T = std::remove_pointer_t<decltype(type)>;
               return theirs::ShouldUseFilteredTopK<T>(call->m, call->k, call->n, false,
                                                       theirs::TopKTieBreak::None);
           }) == 1;
}

bool takes_cub(const rcm_peer_call *call, bool graph)
{
    const bool f32 = call->dtype == RCM_GPU_F32;
    if (call->n > batched_max)
        return false;
    if (call->m < 128 || call->n <= batched_small)
        return true;
    if (graph)
        return call->n >= (f32 ? 32768 : 65536);
    return f32 ? call->k >= 4096 && call->n >= 65536 : call->n >= 131072;
}

const char *refusal_of_choice(const rcm_peer_call *call)
{
    const bool other = !takes_cub(call, false) || !takes_cub(call, true);
    return other && !takes_filtered(call) ? refusal_of_radix(call) : nullptr;
}

/* The states, then what CUB wants. */
size_t workspace_of_choice(const rcm_peer_call *call)
{
    return states_bytes + (call->n > batched_max ? 0 : workspace_of_cub(call));
}

int run_choice(const rcm_peer_call *call, void *stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capture);
    if (!takes_cub(call, capture == cudaStreamCaptureStatusActive))
        return (takes_filtered(call) ? run_filtered : run_radix)(call, stream);
    rcm_peer_call rest = *call;
    rest.workspace = static_cast<char *>(call->workspace) + states_bytes;
    rest.workspace_bytes -= states_bytes;
    return run_cub(&rest, stream);
}

#define PEER(what, function, ...) \
    { \
        .name = what, .package = "flashinfer-python 0.7.2.post1", .source = function, \
        .dtypes = all_types, .index_bytes = 4, __VA_ARGS__ \
    }

const rcm_peer peers[] = {
    PEER("flashinfer", "the choice of flashinfer.top_k: DeviceBatchedTopK or TopKDispatch",
         .refusal = refusal_of_choice, .workspace = workspace_of_choice, .prepare = prepare_radix,
         .run = run_choice),
    PEER("flashinfer_cub", "cub::DeviceBatchedTopK::MaxPairs of its CCCL 3.6",
         .refusal = refusal_of_cub, .workspace = workspace_of_cub, .run = run_cub),
    PEER("flashinfer_radix", "flashinfer::sampling::RadixTopKMultiCTA", .refusal = refusal_of_radix,
         .workspace = workspace_of_radix, .prepare = prepare_radix, .run = run_radix),
    PEER("flashinfer_filtered", "flashinfer::sampling::FilteredTopK",
         .refusal = refusal_of_filtered, .run = run_filtered),
    {}};

} // namespace

RCM_PEERS(peers)
