/* raft.cu - select_k of RAFT, from libraft-cu13 26.10.0 (with librmm-cu13 26.10.0). Of the types
 * here RAFT has float and half. Nothing is promised of the order.
 *   raft            the algorithm that matrix::select_k takes by default: one of these two, or
 *                   others of their kinds
 *   raft_radix      kRadix11bits: 11 bits a pass, the last filter in the last pass
 *   raft_warpsort   kWarpDistributedShm: queues of a warp; k is at most 256
 * Its temporary arrays come from the workspace of the call, so that no call allocates. RAFT's own
 * dry run, which allocates and launches nothing, says how much that is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "types.cuh"

#include <raft/matrix/detail/select_k-inl.cuh>

namespace
{

namespace select = raft::matrix::detail::select;
using raft::matrix::SelectAlgo;

/* Gives away the workspace from its begin to its end; it is free again when all is given back. Of a
 * dry run it notes the bytes. */
struct arena {
    uintptr_t begin = 256;
    size_t bytes = SIZE_MAX, used = 0, most = 0;
    unsigned given = 0;
} memory;

struct arena_resource {
    void *allocate_sync(size_t bytes, size_t = 0)
    {
        size_t whole = (bytes + 255) / 256 * 256;
        if (whole > memory.bytes - memory.used)
            throw std::bad_alloc();
        memory.used += whole;
        memory.most = std::max(memory.most, memory.used);
        memory.given++;
        return reinterpret_cast<void *>(memory.begin + memory.used - whole);
    }
    void deallocate_sync(void *, size_t, size_t = 0) noexcept
    {
        if (--memory.given == 0)
            memory.used = 0;
    }
    void *allocate(cuda::stream_ref, size_t bytes, size_t = 0)
    {
        return allocate_sync(bytes);
    }
    void deallocate(cuda::stream_ref, void *at, size_t bytes, size_t = 0) noexcept
    {
        deallocate_sync(at, bytes);
    }
    bool operator==(const arena_resource &) const
    {
        return true;
    }
    friend void get_property(const arena_resource &, cuda::mr::device_accessible) noexcept
    {
    }
};

/* Made once. */
raft::resources &handle()
{
    static raft::resources *made = [] {
        auto *h = new raft::resources;
        raft::resource::set_workspace_resource(*h, raft::mr::device_resource{arena_resource{}},
                                               size_t{1} << 60);
        return h;
    }();
    return *made;
}

#define ROWS(T) \
    handle(), static_cast<const T *>(call->x), nullptr, call->m, call->n, call->k, \
        static_cast<T *>(call->values), static_cast<uint32_t *>(call->indices), false

/* The cases of matrix::detail::select_k that are wanted: it would compile all of its algorithms. */
template <typename T> void select_with(const rcm_peer_call *call, SelectAlgo algorithm)
{
    using namespace select::warpsort;
    using layout = select::dense_layout<uint32_t>;
    if (algorithm == SelectAlgo::kWarpDistributedShm)
        select_k_impl<T, uint32_t, warp_sort_distributed_ext, layout>(ROWS(T));
    else if (algorithm == SelectAlgo::kWarpImmediate)
        select_k_impl<T, uint32_t, warp_sort_immediate, layout>(ROWS(T));
    else
        select::radix::select_k<T, uint32_t, 11, 512, layout>(
            ROWS(T), algorithm == SelectAlgo::kRadix11bits, nullptr);
}

template <SelectAlgo ALGORITHM> int start(const rcm_peer_call *call, void *stream)
{
    static void *last_stream = &memory; /* none yet */
    SelectAlgo algorithm = ALGORITHM;
    if (algorithm == SelectAlgo::kAuto)
        algorithm = raft::matrix::detail::choose_select_k_algorithm(call->m, call->n, call->k);
    return with_type(call, [&](auto *type) -> int {
        using T = std::remove_pointer_t<decltype(type)>;
        if (stream != last_stream)
            raft::resource::set_cuda_stream(handle(),
                                            cuda::stream_ref{static_cast<cudaStream_t>(stream)});
        last_stream = stream;
        memory.used = memory.given = 0;
        if constexpr (std::is_same_v<T, __nv_bfloat16>)
            return cudaErrorInvalidValue;
        else
            select_with<T>(call, algorithm);
        return cudaSuccess;
    });
}

template <SelectAlgo ALGORITHM> size_t workspace(const rcm_peer_call *call)
{
    memory = arena();
    raft::resource::set_dry_run_flag(handle(), true);
    start<ALGORITHM>(call, nullptr);
    raft::resource::set_dry_run_flag(handle(), false);
    return memory.most;
}

template <SelectAlgo ALGORITHM> int run(const rcm_peer_call *call, void *stream)
{
    memory.begin = reinterpret_cast<uintptr_t>(call->workspace);
    memory.bytes = call->workspace_bytes;
    return start<ALGORITHM>(call, stream);
}

const char *refusal_of_warpsort(const rcm_peer_call *call)
{
    return call->k > select::warpsort::kMaxCapacity ? "k must be at most 256" : nullptr;
}

#define PEER(what, function, algorithm, reason) \
    { \
        .name = what, .package = "libraft-cu13 26.10.0", .source = function, \
        .dtypes = 1u << RCM_GPU_F32 | 1u << RCM_GPU_F16, .index_bytes = 4, .refusal = reason, \
        .workspace = workspace<SelectAlgo::algorithm>, .run = run<SelectAlgo::algorithm> \
    }

const rcm_peer peers[] = {
    PEER("raft", "raft::matrix::select_k, kAuto", kAuto, nullptr),
    PEER("raft_radix", "raft::matrix::select_k, kRadix11bits", kRadix11bits, nullptr),
    PEER("raft_warpsort", "raft::matrix::select_k, kWarpDistributedShm", kWarpDistributedShm,
         refusal_of_warpsort),
    {}};

} // namespace

RCM_PEERS(peers)
