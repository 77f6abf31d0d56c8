/* cub.cu - the top-k of CUB, from nvidia-cuda-cccl 13.3.5.0.6 (CCCL 3.5; that of CUDA 13.0 is
 * older). Both give pairs in no particular order and promise no repeatable choice among ties: in
 * this release there is no other form.
 *   cub_topk      cub::DeviceTopK, which takes one row: a call for each row, at most 16 rows
 *   cub_batched   cub::DeviceBatchedTopK, which takes many rows. It gives a block to a row, which
 *                 must lie in its shared memory: at most 8192 elements
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "batched.cuh"

#include <cub/device/device_topk.cuh>

namespace
{

constexpr uint64_t rows_max = 16;
constexpr int64_t batched_max = 8192;

const char *refusal_of_topk(const rcm_peer_call *call)
{
    return call->m > rows_max ? "it takes one row at a time: m must be at most 16" : nullptr;
}

/* Row `row`, or without `storage` the size of it. */
template <typename T>
cudaError_t top_of_row(const rcm_peer_call *call, uint64_t row, void *storage, size_t &bytes,
                       cudaStream_t stream)
{
    namespace wish = cuda::execution;
    return cub::DeviceTopK::MaxPairs(
        storage, bytes, static_cast<const T *>(call->x) + row * call->n,
        static_cast<T *>(call->values) + row * call->k, cuda::make_counting_iterator(int32_t{0}),
        static_cast<int32_t *>(call->indices) + row * call->k, (uint32_t)call->n, (uint32_t)call->k,
        cuda::std::execution::env{
            wish::require(wish::determinism::not_guaranteed, wish::output_ordering::unsorted),
            cuda::stream_ref{stream}});
}

size_t workspace_of_topk(const rcm_peer_call *call)
{
    size_t bytes = 0;
    int error = with_type(call, [&](auto *type) -> int {
        return top_of_row<std::remove_pointer_t<decltype(type)>>(call, 0, nullptr, bytes, nullptr);
    });
    return error ? 0 : bytes;
}

/* All rows use the same workspace: on a stream they come one after the other. */
int run_topk(const rcm_peer_call *call, void *stream)
{
    size_t bytes = call->workspace_bytes;
    if (!call->workspace)
        return cudaErrorInvalidValue;
    return with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        cudaError_t error = cudaSuccess;
        for (uint64_t row = 0; row < call->m && error == cudaSuccess; row++)
            error =
                top_of_row<T>(call, row, call->workspace, bytes, static_cast<cudaStream_t>(stream));
        return error;
    });
}

const char *refusal_of_batched(const rcm_peer_call *call)
{
    return call->n > batched_max ? "n must be at most 8192" : nullptr;
}

const rcm_peer peers[] = {{.name = "cub_topk",
                           .package = "nvidia-cuda-cccl 13.3.5.0.6",
                           .source = "cub::DeviceTopK::MaxPairs, a call for each row",
                           .dtypes = all_types,
                           .index_bytes = 4,
                           .refusal = refusal_of_topk,
                           .workspace = workspace_of_topk,
                           .run = run_topk},
                          {.name = "cub_batched",
                           .package = "nvidia-cuda-cccl 13.3.5.0.6",
                           .source = "cub::DeviceBatchedTopK::MaxPairs",
                           .dtypes = all_types,
                           .index_bytes = 4,
                           .refusal = refusal_of_batched,
                           .workspace = batched_workspace<1024, 2048, 4096, batched_max>,
                           .run = run_batched<1024, 2048, 4096, batched_max>},
                          {}};

} // namespace

RCM_PEERS(peers)
