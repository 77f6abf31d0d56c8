/* device.cu - the limits of the current device, and the shared memory that a kernel may have there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/kernels/cuda.cuh>

#include "device_memory.h"

#ifdef __CUDACC__

#include "once.cuh"

namespace
{

__global__ void __launch_bounds__(1024) probe()
{
}

/* The largest number of blocks, up to 8, of a cluster that fits on the device with the largest
 * blocks. 1 if this code was compiled for chips without clusters, even on a chip that has them. */
enum rcm_gpu_status largest_cluster(int major, int shared, unsigned *largest)
{
    *largest = 1;
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, probe) != cudaSuccess)
        return RCM_GPU_ERROR;
    if (major < 9 || code.ptxVersion < 90)
        return RCM_GPU_OK;
    if (cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) !=
        cudaSuccess)
        return RCM_GPU_ERROR;
    for (unsigned blocks = 8; blocks > 1; blocks /= 2) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        int clusters = 0;
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(1024);
        config.dynamicSmemBytes = (size_t)shared;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = blocks;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
        if (cudaOccupancyMaxActiveClusters(&clusters, probe, &config) == cudaSuccess &&
            clusters > 0) {
            *largest = blocks;
            break;
        }
    }
    return RCM_GPU_OK;
}

enum rcm_gpu_status ask(int device, device_limits *limits)
{
    int multiprocessors, shared, major;
    if (cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) !=
            cudaSuccess ||
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess)
        return RCM_GPU_ERROR;
    limits->multiprocessors = multiprocessors;
    limits->shared_bytes = (size_t)shared;
    return largest_cluster(major, shared, &limits->cluster_max);
}

/* The limits that rcm_gpu_pretend has set; 0: none. */
std::atomic<int> most_multiprocessors;
std::atomic<size_t> most_shared_bytes;
std::atomic<unsigned> most_cluster;

} // namespace

enum rcm_gpu_status device_limits_of_current(device_limits *limits)
{
    constexpr int devices = 64;
    static done_once asked;
    static device_limits all_limits[devices];
    int device;
    enum rcm_gpu_status status = current_device(&device);
    if (status != RCM_GPU_OK)
        return status;
    if (device < devices) {
        status = asked(nullptr, device, [&] { return ask(device, &all_limits[device]); });
        if (status == RCM_GPU_OK)
            *limits = all_limits[device];
    } else {
        status = ask(device, limits);
    }
    if (status != RCM_GPU_OK)
        return status;
    if (most_multiprocessors > 0) {
        limits->multiprocessors = std::min<int>(limits->multiprocessors, most_multiprocessors);
        limits->shared_bytes = std::min<size_t>(limits->shared_bytes, most_shared_bytes);
        limits->cluster_max = std::min<unsigned>(limits->cluster_max, most_cluster);
    }
    return RCM_GPU_OK;
}

enum rcm_gpu_status allow_all_shared_memory(const void *kernel)
{
    static done_once allowed;
    int device;
    enum rcm_gpu_status status = current_device(&device);
    return status != RCM_GPU_OK ? status : allowed(kernel, device, [&] {
        int most;
        return cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
                           cudaSuccess &&
                       cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            most) == cudaSuccess
                   ? RCM_GPU_OK
                   : RCM_GPU_ERROR;
    });
}

void rcm_gpu_pretend(unsigned, int multiprocessors, size_t shared_bytes, unsigned cluster_max)
{
    most_multiprocessors = multiprocessors;
    most_shared_bytes = shared_bytes;
    most_cluster = cluster_max;
}

bool rcm_gpu_run_last(unsigned)
{
    return false;
}

#else

enum rcm_gpu_status device_limits_of_current(device_limits *limits)
{
    *limits = {emulate::device.multiprocessors, emulate::device.shared_bytes,
               emulate::device.cluster_max};
    return RCM_GPU_OK;
}

void rcm_gpu_pretend(unsigned order, int multiprocessors, size_t shared_bytes, unsigned cluster_max)
{
    emulate::order = order;
    emulate::device = {multiprocessors, shared_bytes, cluster_max};
}

bool rcm_gpu_run_last(unsigned clusters)
{
    emulate::last_clusters = clusters;
    return true;
}

#endif
