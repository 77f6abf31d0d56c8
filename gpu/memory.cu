/* memory.cu - device memory for tests and benchmarks in C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "cuda.cuh"

#ifdef __CUDACC__

void *rcm_gpu_allocate(size_t bytes)
{
    void *memory = nullptr;
    return cudaMalloc(&memory, bytes ? bytes : 1) == cudaSuccess ? memory : nullptr;
}

void rcm_gpu_free(void *memory)
{
    cudaFree(memory);
}

enum rcm_gpu_status rcm_gpu_to_device(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

enum rcm_gpu_status rcm_gpu_from_device(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

enum rcm_gpu_status rcm_gpu_wait(void)
{
    return cudaDeviceSynchronize() == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

#else

void *rcm_gpu_allocate(size_t bytes)
{
    return operator new(bytes ? bytes : 1, std::align_val_t(256), std::nothrow);
}

void rcm_gpu_free(void *memory)
{
    operator delete(memory, std::align_val_t(256));
}

enum rcm_gpu_status rcm_gpu_to_device(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return RCM_GPU_OK;
}

enum rcm_gpu_status rcm_gpu_from_device(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return RCM_GPU_OK;
}

enum rcm_gpu_status rcm_gpu_wait(void)
{
    return RCM_GPU_OK;
}

#endif
