/* flashinfer_clusters.cu - the cluster kernel of FlashInfer, from flashinfer-python 0.7.2.post1: a
 * cluster of 1 to 8 blocks for each row, and 8 bits a pass. Any device with clusters can run it,
 * but flashinfer.top_k takes it on an sm_100 only; its parameters are those that top_k gives it.
 * Nothing is sorted. Indices are int32 here, int64 there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "types.cuh"

#include <cstring>

#include <flashinfer/fast_topk_clusters_exact.cuh>

namespace
{

int clusters_of(const rcm_peer_call *call)
{
    if (call->n < 8192)
        return 1;
    return call->m <= 32 ? 8 : call->m < 128 ? 4 : call->m < 256 ? 2 : 1;
}

/* Candidates that a block holds in shared memory, of which two blocks share that of an SM. */
int64_t cached_of(const rcm_peer_call *call)
{
    int64_t others = 4 * ((int64_t)call->k + 5 + 3 * 256 + 8);
    int device = 0, shared = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return (shared / 2 - others - 1024) / 16;
}

const char *refusal_of_clusters(const rcm_peer_call *call)
{
    if (cached_of(call) < 1)
        return "k must fit in half of the shared memory";
    if (call->m * call->n >= 1ull << 30)
        return "m n must be below 2^30";
    return call->m > 1 && call->n % 4 ? "n must be a multiple of 4: it loads 4 elements" : nullptr;
}

size_t workspace_of_clusters(const rcm_peer_call *call)
{
    return call->m * call->n * 16;
}

int run_clusters(const rcm_peer_call *call, void *stream)
{
    return with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        const int clusters = clusters_of(call);
        flashinfer::sampling::launch_fast_topk_clusters_exact<T, int>(
            static_cast<const T *>(call->x), static_cast<int *>(call->indices),
            static_cast<T *>(call->values), call->n, nullptr, static_cast<int *>(call->workspace),
            call->n / clusters, call->m, call->n, call->k, cached_of(call), clusters, false,
            call->k, static_cast<cudaStream_t>(stream));
        return cudaGetLastError();
    });
}

const rcm_peer peers[] = {{.name = "flashinfer_clusters",
                           .package = "flashinfer-python 0.7.2.post1",
                           .source = "flashinfer::sampling::launch_fast_topk_clusters_exact",
                           .dtypes = all_types,
                           .index_bytes = 4,
                           .refusal = refusal_of_clusters,
                           .workspace = workspace_of_clusters,
                           .run = run_clusters},
                          {}};

} // namespace

RCM_PEERS(peers)
