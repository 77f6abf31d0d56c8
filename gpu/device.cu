/* device.cu - the limits of the current device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda.cuh"

#ifdef __CUDACC__

enum rcm_gpu_status device_limits_of_current(device_limits *limits)
{
    int device, multiprocessors, shared, major;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error != cudaSuccess)
        return RCM_GPU_NO_DEVICE;
    *limits = {multiprocessors, (size_t)shared, major >= 9 ? 8u : 1u};
    return RCM_GPU_OK;
}

#else

enum rcm_gpu_status device_limits_of_current(device_limits *limits)
{
    *limits = {emulate::device.multiprocessors, emulate::device.shared_bytes, emulate::device.cluster_max};
    return RCM_GPU_OK;
}

#endif
