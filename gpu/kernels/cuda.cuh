/* cuda.cuh - what differs between CUDA and the emulation: launch, shared memory, wide loads,
 * asynchronous copies, clusters. All kernels of this folder are written against this header, so
 * that the same source runs on both. The other half is gpu/emulate/runtime.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_CUDA_CUH
#define RCM_CUDA_CUH

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <type_traits>

#include <gpu/topk_gpu.h>

#include "launch.cuh"

#ifdef __CUDACC__

#include <cooperative_groups.h>
#include <cuda_runtime.h>

/* Before a function of the device that is seldom called: it has registers of its own. */
#define OUT_OF_LINE __device__ __noinline__
/* Before a parameter of a kernel whose address is taken: it stays where the launch has put it. */
#define GRID_CONSTANT __grid_constant__

/* The number of the current device. */
inline enum rcm_gpu_status current_device(int *device)
{
    cudaError_t error = cudaGetDevice(device);
    if (error == cudaSuccess)
        return RCM_GPU_OK;
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? RCM_GPU_NO_DEVICE
                                                                              : RCM_GPU_ERROR;
}

/* All shared memory is dynamic, so that the size in the launch is all that a block takes. It begins
 * where the pattern of a swizzle does (matrix.cuh). */
extern __shared__ __align__(1024) unsigned char shared_memory_of_block[];
__device__ __forceinline__ unsigned char *shared_memory()
{
    return shared_memory_of_block;
}

/* Launches the kernel. RCM_GPU_ERROR if CUDA refuses. */
template <class... Parameters, class... Arguments>
enum rcm_gpu_status run(const launch &how, void (*kernel)(Parameters...), Arguments... arguments)
{
    constexpr size_t always_allowed = 48 * 1024;
    if (how.shared_bytes > always_allowed &&
        allow_all_shared_memory((const void *)kernel) != RCM_GPU_OK)
        return RCM_GPU_ERROR;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    config.gridDim = dim3(how.blocks);
    config.blockDim = dim3(how.threads);
    config.dynamicSmemBytes = how.shared_bytes;
    config.stream = (cudaStream_t)how.stream;
    config.attrs = attributes;
    if (how.cluster > 1) {
        cudaLaunchAttribute &a = attributes[config.numAttrs++];
        a.id = cudaLaunchAttributeClusterDimension;
        a.val.clusterDim.x = how.cluster;
        a.val.clusterDim.y = a.val.clusterDim.z = 1;
    }
    if (how.overlaps) {
        cudaLaunchAttribute &a = attributes[config.numAttrs++];
        a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        a.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...) == cudaSuccess
               ? RCM_GPU_OK
               : RCM_GPU_ERROR;
}

inline enum rcm_gpu_status fill_zero(void *to, size_t bytes, rcm_gpu_stream stream)
{
    return cudaMemsetAsync(to, 0, bytes, (cudaStream_t)stream) == cudaSuccess ? RCM_GPU_OK
                                                                              : RCM_GPU_ERROR;
}

/* Loads 16 bytes from an address that is a multiple of 16. */
__device__ __forceinline__ void load_16(const void *from, uint32_t *words)
{
    uint4 v = *(const uint4 *)from;
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
}

/* Loads BYTES (2, 4, 8 or 16) bytes that are read once and need not stay in the cache, from an
 * address that is a multiple of BYTES. */
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

/* The offset of `at` in the shared memory of the block, in bytes. */
__device__ __forceinline__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* Starts a copy of 16 bytes to shared memory, which have arrived after copy_wait. Both addresses
 * are multiples of 16. Code for chips before sm_80 copies them at once. */
__device__ __forceinline__ void copy_async(void *to_shared, const void *from)
{
#if __CUDA_ARCH__ < 800
    *(uint4 *)to_shared = *(const uint4 *)from;
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
                 "l"(from)
                 : "memory");
#endif
}
/* Makes a group of the copies that this thread has started since the last group. */
__device__ __forceinline__ void copy_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Waits until at most PENDING groups of this thread have not arrived. To wait for the copies of
 * other threads too, put a barrier after it. */
template <int PENDING> __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

/* Waits until the kernels before this one have ended, and sees all that they wrote. Every thread of
 * a kernel that is launched with `overlaps` calls it; in others it does nothing. */
__device__ __forceinline__ void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/* Lets the next kernel of the stream begin, if it is launched with `overlaps`, when all blocks of
 * this one have called it. Where none is left to start, it takes no place from them. */
__device__ __forceinline__ void let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* A cluster is the blocks with the same blockIdx / size. Code for chips before sm_90 has no
 * clusters, and device_limits never lets a launch ask for one there. */
__device__ __forceinline__ void cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __trap();
#endif
}
/* The same address in the shared memory of block `rank` of the cluster. */
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

#else
#include <gpu/emulate/emulate.h>
#endif

template <class T> __host__ __device__ constexpr T ceil_divide(T a, T b)
{
    return (a + b - 1) / b;
}

/* The smallest multiple of b that is not below a. */
template <class T> __host__ __device__ constexpr T round_up(T a, T b)
{
    return ceil_divide(a, b) * b;
}

template <class T> __host__ __device__ constexpr T smaller_of(T a, T b)
{
    return a < b ? a : b;
}

#endif
