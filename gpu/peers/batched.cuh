/* batched.cuh - a call as cub::DeviceBatchedTopK takes it, of whichever CCCL an adaptor is compiled
 * with. It wants an upper bound of n when it is compiled: the least of several bounds is taken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PEER_BATCHED_CUH
#define RCM_PEER_BATCHED_CUH

#include "types.cuh"

#include <cub/device/device_batched_topk.cuh>
#include <cuda/argument>
#include <cuda/iterator>

/* No `storage`: sets `bytes`, and launches nothing. */
template <typename T, int64_t BOUND>
cudaError_t batched_bounded(const rcm_peer_call *call, void *storage, size_t &bytes,
                            cudaStream_t stream)
{
    namespace wish = cuda::execution;
    const auto rows = [](auto *first, uint64_t width) {
        return cuda::make_strided_iterator(cuda::make_counting_iterator(first), (int64_t)width);
    };
    const auto bound = cuda::args::bounds<int64_t{1}, BOUND>();
    return cub::DeviceBatchedTopK::MaxPairs(
        storage, bytes, rows(static_cast<const T *>(call->x), call->n),
        rows(static_cast<T *>(call->values), call->k),
        cuda::make_constant_iterator(cuda::make_counting_iterator(int32_t{0})),
        rows(static_cast<int32_t *>(call->indices), call->k),
        cuda::args::immediate{(int64_t)call->n, bound},
        cuda::args::immediate{(int64_t)call->k, bound}, cuda::args::immediate{(int64_t)call->m},
        cuda::std::execution::env{wish::require(wish::determinism::not_guaranteed,
                                                wish::tie_break::unspecified,
                                                wish::output_ordering::unsorted),
                                  cuda::stream_ref{stream}});
}

template <typename T, int64_t BOUND, int64_t... MORE>
cudaError_t batched_typed(const rcm_peer_call *call, void *storage, size_t &bytes,
                          cudaStream_t stream)
{
    if constexpr (sizeof...(MORE) > 0) {
        if (call->n > BOUND)
            return batched_typed<T, MORE...>(call, storage, bytes, stream);
    }
    return batched_bounded<T, BOUND>(call, storage, bytes, stream);
}

/* BOUNDS: those of n, in ascending order. */
template <int64_t... BOUNDS>
cudaError_t batched(const rcm_peer_call *call, void *storage, size_t &bytes, void *stream)
{
    return (cudaError_t)with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        return batched_typed<T, BOUNDS...>(call, storage, bytes, static_cast<cudaStream_t>(stream));
    });
}

template <int64_t... BOUNDS> size_t batched_workspace(const rcm_peer_call *call)
{
    size_t bytes = 0;
    return batched<BOUNDS...>(call, nullptr, bytes, nullptr) == cudaSuccess ? bytes : 0;
}

template <int64_t... BOUNDS> int run_batched(const rcm_peer_call *call, void *stream)
{
    size_t bytes = call->workspace_bytes;
    return call->workspace ? batched<BOUNDS...>(call, call->workspace, bytes, stream)
                           : cudaErrorInvalidValue;
}

#endif
