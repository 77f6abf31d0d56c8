/* cuda.cuh - the few things that CUDA and the emulation (emulate.h) say differently: launch, shared
 * memory, wide loads, asynchronous copies, clusters. All kernels of this folder are written against
 * this header, so that the same source runs on both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_CUDA_CUH
#define RCM_CUDA_CUH

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include <type_traits>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#else
#include "emulate.h"
#endif

#include "topk_gpu.h"

/* What a launch needs to know of the device, asked once for each. */
struct device_limits {
    int multiprocessors;
    size_t shared_bytes;  /* that a block may have */
    unsigned cluster_max; /* blocks of a cluster; 1: no clusters */
};
enum rcm_gpu_status device_limits_of_current(device_limits *limits);

/* How a kernel is launched. All grids are one-dimensional. */
struct launch {
    unsigned blocks, threads;
    size_t shared_bytes;
    unsigned cluster; /* 1: none */
    rcm_gpu_stream stream;
};

#ifdef __CUDACC__

/* All shared memory is dynamic, so that one size per launch says what a block takes. */
extern __shared__ __align__(128) unsigned char shared_memory_of_block[];
__device__ __forceinline__ unsigned char *shared_memory()
{
    return shared_memory_of_block;
}

template <class... Parameters, class... Arguments>
enum rcm_gpu_status run(const launch &how, void (*kernel)(Parameters...), Arguments... arguments)
{
    if (how.shared_bytes > 48 * 1024) { /* the limit is the function's, so all threads must set the
                                           same one: the device's */
        int device, most;
        if (cudaGetDevice(&device) != cudaSuccess ||
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
                cudaSuccess ||
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most) !=
                cudaSuccess)
            return RCM_GPU_ERROR;
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = dim3(how.blocks);
    config.blockDim = dim3(how.threads);
    config.dynamicSmemBytes = how.shared_bytes;
    config.stream = (cudaStream_t)how.stream;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = how.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = how.cluster > 1;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...) == cudaSuccess
               ? RCM_GPU_OK
               : RCM_GPU_ERROR;
}

inline enum rcm_gpu_status fill_zero(void *to, size_t bytes, rcm_gpu_stream stream)
{
    return cudaMemsetAsync(to, 0, bytes, (cudaStream_t)stream) == cudaSuccess ? RCM_GPU_OK
                                                                              : RCM_GPU_ERROR;
}

/* 16 bytes from an address that is a multiple of 16. */
__device__ __forceinline__ void load_16(const void *from, uint32_t *words)
{
    uint4 v = *(const uint4 *)from;
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
}

/* BYTES (2, 4, 8 or 16) from an address that is a multiple of BYTES, which need not stay in the
 * cache: they are read once. */
template <int BYTES> __device__ __forceinline__ void load_once(const void *from, uint32_t *words)
{
    if (BYTES == 16) {
        uint4 v = __ldcs((const uint4 *)from);
        words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    } else if (BYTES == 8) {
        uint2 v = __ldcs((const uint2 *)from);
        words[0] = v.x, words[1] = v.y;
    } else if (BYTES == 4) {
        words[0] = __ldcs((const unsigned *)from);
    } else {
        words[0] = __ldcs((const unsigned short *)from);
    }
}

/* Where in the block's shared memory something is, in bytes. */
__device__ __forceinline__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* 16 bytes to shared memory that arrive by the wait; both addresses are multiples of 16. sm_80 and
 * later. */
__device__ __forceinline__ void copy_async(void *to_shared, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
                 "l"(from)
                 : "memory");
}
__device__ __forceinline__ void copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Until at most PENDING of this thread's committed groups are under way. Other threads' copies: a
 * barrier after it. */
template <int PENDING> __device__ __forceinline__ void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* Clusters: the blocks blockIdx / size share one. Code for chips before sm_90 has none, and
 * device_limits never asks it for one. */
__device__ __forceinline__ void cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __trap();
#endif
}
/* The same address in the shared memory of another block of the cluster. */
template <class T> __device__ __forceinline__ T *cluster_shared(T *mine, unsigned rank)
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(mine, rank);
#else
    (void)rank;
    __trap();
    return mine;
#endif
}

#else /* emulated */

inline unsigned char *shared_memory()
{
    return emulate::self->block->shared.get();
}

template <class... Parameters, class... Arguments>
enum rcm_gpu_status run(const launch &how, void (*kernel)(Parameters...), Arguments... arguments)
{
    emulate::launch(kernel, how.blocks, how.threads, how.cluster, how.shared_bytes, arguments...);
    return RCM_GPU_OK;
}

inline enum rcm_gpu_status fill_zero(void *to, size_t bytes, rcm_gpu_stream)
{
    memset(to, 0, bytes);
    return RCM_GPU_OK;
}

template <int BYTES> void load_once(const void *from, uint32_t *words)
{
    if ((uintptr_t)from % BYTES != 0)
        emulate::fail("a load is not aligned");
    words[0] = 0;
    memcpy(words, from, BYTES);
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
    emulate::self->open.push_back({to_shared, from, 16});
}
inline void copy_commit()
{
    emulate::self->committed.push_back(std::move(emulate::self->open));
    emulate::self->open.clear();
}
template <int PENDING> void copy_wait()
{
    emulate::finish_copies(PENDING);
}

inline void cluster_sync()
{
    emulate::sync(emulate::wait::cluster);
}
template <class T> T *cluster_shared(T *mine, unsigned rank)
{
    ptrdiff_t offset = (unsigned char *)mine - emulate::self->block->shared.get();
    return (T *)(emulate::cluster[rank].shared.get() + offset);
}

#endif

template <class T> __host__ __device__ constexpr T ceil_divide(T a, T b)
{
    return (a + b - 1) / b;
}

template <class T> __host__ __device__ constexpr T smaller_of(T a, T b)
{
    return a < b ? a : b;
}

#endif
