/* device_memory.cu - device memory for tests and benchmarks in C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_memory.h"

#include <stdio.h>

#include <gpu/kernels/cuda.cuh>

#ifdef __CUDACC__

void *rcm_gpu_allocate(size_t bytes)
{
    void *memory = nullptr;
    if (cudaMalloc(&memory, bytes ? bytes : 1) == cudaSuccess)
        return memory;
    cudaGetLastError(); /* clears the error, so that a later call does not report it */
    return nullptr;
}

void rcm_gpu_free(void *memory)
{
    cudaFree(memory);
}

enum rcm_gpu_status rcm_gpu_to_device(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess ? RCM_GPU_OK
                                                                              : RCM_GPU_ERROR;
}

enum rcm_gpu_status rcm_gpu_from_device(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess ? RCM_GPU_OK
                                                                              : RCM_GPU_ERROR;
}

enum rcm_gpu_status rcm_gpu_set_bytes(void *to, unsigned char byte, size_t bytes)
{
    return cudaMemset(to, byte, bytes) == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

enum rcm_gpu_status rcm_gpu_facts_of_current(struct rcm_gpu_facts *facts)
{
    int device;
    cudaDeviceProp properties;
    *facts = {};
    enum rcm_gpu_status status = current_device(&device);
    if (status != RCM_GPU_OK)
        return status;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
        cudaDriverGetVersion(&facts->driver) != cudaSuccess ||
        cudaRuntimeGetVersion(&facts->runtime) != cudaSuccess ||
        cudaDeviceGetPCIBusId(facts->bus, sizeof facts->bus, device) != cudaSuccess)
        return RCM_GPU_ERROR;
    snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    facts->multiprocessors = properties.multiProcessorCount;
    facts->l2_bytes = (size_t)properties.l2CacheSize;
    facts->memory_bytes = properties.totalGlobalMem;
    return RCM_GPU_OK;
}

enum rcm_gpu_status rcm_gpu_wait(void)
{
    return cudaDeviceSynchronize() == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

#else

void *rcm_gpu_allocate(size_t bytes)
{
    void *memory = operator new(bytes ? bytes : 1, std::align_val_t(256), std::nothrow);
    std::lock_guard<std::mutex> lock(emulate::memory_mutex);
    if (memory)
        emulate::allocations()[static_cast<unsigned char *>(memory)] = bytes;
    return memory;
}

void rcm_gpu_free(void *memory)
{
    std::lock_guard<std::mutex> lock(emulate::memory_mutex);
    emulate::allocations().erase(static_cast<unsigned char *>(memory));
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

enum rcm_gpu_status rcm_gpu_set_bytes(void *to, unsigned char byte, size_t bytes)
{
    memset(to, byte, bytes);
    return RCM_GPU_OK;
}

enum rcm_gpu_status rcm_gpu_facts_of_current(struct rcm_gpu_facts *facts)
{
    *facts = {};
    snprintf(facts->name, sizeof facts->name, "emulation (times mean nothing)");
    facts->multiprocessors = emulate::device.multiprocessors;
    facts->l2_bytes = 1 << 20;
    facts->memory_bytes = (size_t)1 << 30;
    return RCM_GPU_OK;
}

enum rcm_gpu_status rcm_gpu_wait(void)
{
    return RCM_GPU_OK;
}

#endif
