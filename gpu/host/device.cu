/* device.cu - the limits of the current device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/kernels/cuda.cuh>

#include "device_memory.h"

#ifdef __CUDACC__

#include <atomic>
#include <mutex>

namespace
{

__global__ void __launch_bounds__(1024) probe()
{
}

/* The largest number of blocks, up to 8, of a cluster that fits on the device with the largest
 * blocks. 1 if this code was compiled for chips without clusters, even on a chip that has them. */
unsigned largest_cluster(int major, int shared)
{
    cudaFuncAttributes code;
    if (major < 9 || cudaFuncGetAttributes(&code, probe) != cudaSuccess || code.ptxVersion < 90 ||
        cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) !=
            cudaSuccess)
        return 1;
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
            clusters > 0)
            return blocks;
    }
    return 1;
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
    *limits = {multiprocessors, (size_t)shared, largest_cluster(major, shared)};
    return RCM_GPU_OK;
}

/* The limits that rcm_gpu_pretend has set; 0: none. */
std::atomic<int> most_multiprocessors;
std::atomic<size_t> most_shared_bytes;
std::atomic<unsigned> most_cluster;

} // namespace

enum rcm_gpu_status device_limits_of_current(device_limits *limits)
{
    constexpr int devices = 64;
    static std::once_flag asked[devices];
    static device_limits all_limits[devices];
    static enum rcm_gpu_status statuses[devices];
    int device;
    enum rcm_gpu_status status = current_device(&device);
    if (status != RCM_GPU_OK)
        return status;
    if (device < devices) {
        std::call_once(asked[device], [&] { statuses[device] = ask(device, &all_limits[device]); });
        *limits = all_limits[device];
        status = statuses[device];
    } else {
        status = ask(device, limits);
    }
    if (most_multiprocessors > 0) {
        limits->multiprocessors = std::min<int>(limits->multiprocessors, most_multiprocessors);
        limits->shared_bytes = std::min<size_t>(limits->shared_bytes, most_shared_bytes);
        limits->cluster_max = std::min<unsigned>(limits->cluster_max, most_cluster);
    }
    return status;
}

void rcm_gpu_pretend(unsigned, int multiprocessors, size_t shared_bytes, unsigned cluster_max)
{
    most_multiprocessors = multiprocessors;
    most_shared_bytes = shared_bytes;
    most_cluster = cluster_max;
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

#endif
