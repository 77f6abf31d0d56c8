/* launch.cuh - what a launch is, and what it must know of the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_LAUNCH_CUH
#define RCM_LAUNCH_CUH

#include <gpu/topk_gpu.h>

/* The limits of a device. Each device is asked once. */
struct device_limits {
    int multiprocessors;
    size_t shared_bytes;  /* that a block may have */
    unsigned cluster_max; /* blocks of a cluster; 1: the device has no clusters */
};
enum rcm_gpu_status device_limits_of_current(device_limits *limits);

/* How a kernel is launched. All grids have one dimension. */
struct launch {
    unsigned blocks, threads;
    size_t shared_bytes;
    unsigned cluster; /* blocks of a cluster; 1: none */
    rcm_gpu_stream stream;
};

#endif
