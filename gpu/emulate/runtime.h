/* runtime.h - what gpu/kernels/cuda.cuh declares for CUDA: launch, shared memory, wide loads,
 * asynchronous copies, clusters. Its contracts are there. And CUDA's last error of a host thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_RUNTIME_H
#define RCM_EMULATE_RUNTIME_H

#include <cstring>
#include <utility>

#include <gpu/kernels/launch.cuh>

#include "launch.h"

inline unsigned char *shared_memory()
{
    return emulate::self->block->shared.get();
}

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorLaunchOutOfResources = 701
};

namespace emulate
{
inline thread_local cudaError_t last_error = cudaSuccess;

/* Counts the launch. Is it the one that a test wants refused? */
inline bool is_refused()
{
    if (refused_launch == 0 || --refused_launch > 0)
        return false;
    last_error = cudaErrorLaunchOutOfResources;
    return true;
}
} // namespace emulate

inline cudaError_t cudaPeekAtLastError()
{
    return emulate::last_error;
}
inline cudaError_t cudaGetLastError()
{
    return std::exchange(emulate::last_error, cudaSuccess);
}
inline const char *cudaGetErrorString(cudaError_t)
{
    return "too many resources requested for launch";
}

template <class... Parameters, class... Arguments>
enum rcm_gpu_status run(const launch &how, void (*kernel)(Parameters...), Arguments... arguments)
{
    if (emulate::is_refused())
        return RCM_GPU_ERROR;
    emulate::launch(kernel, how.blocks, how.threads, how.cluster, how.shared_bytes, how.overlaps,
                    arguments...);
    return RCM_GPU_OK;
}

inline enum rcm_gpu_status fill_zero(void *to, size_t bytes, rcm_gpu_stream)
{
    if (emulate::is_refused())
        return RCM_GPU_ERROR;
    std::memset(to, 0, bytes);
    return RCM_GPU_OK;
}

template <int BYTES> void load_once(const void *from, uint32_t *words)
{
    if ((uintptr_t)from % BYTES != 0)
        emulate::fail("a load is not aligned");
    words[0] = 0;
    std::memcpy(words, from, BYTES);
}

inline void load_16(const void *from, uint32_t *words)
{
    load_once<16>(from, words);
}

inline uint32_t shared_address(const void *at)
{
    return (uint32_t)((const unsigned char *)at - shared_memory());
}

inline void copy_async(void *to_shared, const void *from)
{
    if ((uintptr_t)from % 16 != 0 || (uintptr_t)to_shared % 16 != 0)
        emulate::fail("an asynchronous copy is not aligned");
    if (__atomic_load_n(&emulate::self->block->wide_reads[shared_address(to_shared) / 1024],
                        __ATOMIC_RELAXED) > 0)
        emulate::fail("a copy overwrites what a warpgroup has not read yet");
    emulate::self->open.push_back({to_shared, from, 16});
}
inline void copy_commit()
{
    emulate::self->committed.push_back(std::move(emulate::self->open));
    emulate::self->open.clear();
}
/* The bytes arrive here, and not before. */
template <int PENDING> void copy_wait()
{
    auto &groups = emulate::self->committed;
    while (groups.size() > PENDING) {
        for (const emulate::async_copy &copy : groups.front())
            std::memcpy(copy.to, copy.from, copy.bytes);
        emulate::self->copies_fenced &= groups.front().empty();
        groups.erase(groups.begin());
    }
}

inline void wait_for_previous_kernel()
{
    emulate::give_back();
}
inline void let_next_kernel_start()
{
}

inline void cluster_sync()
{
    emulate::sync(emulate::wait::cluster);
}
template <class T> T *cluster_shared(T *mine, unsigned rank)
{
    ptrdiff_t offset = (unsigned char *)mine - shared_memory();
    return (T *)(emulate::cluster[rank].shared.get() + offset);
}

#endif
