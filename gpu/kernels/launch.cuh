/* launch.cuh - what a launch is, and what it must know of the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_LAUNCH_CUH
#define RCM_LAUNCH_CUH

#include <gpu/topk_gpu.h>

/* The limits of a device. Each device is asked once, and again after a failure. */
struct device_limits {
    int multiprocessors;
    size_t shared_bytes;  /* that a block may have */
    unsigned cluster_max; /* blocks of a cluster; 1: the device has no clusters */

    /* May a kernel begin before the last one has ended? Devices with clusters can (sm_90). */
    bool overlap() const
    {
        return cluster_max > 1;
    }
};
enum rcm_gpu_status device_limits_of_current(device_limits *limits);

/* Lets the kernel have as much shared memory as the current device allows: once. The limit belongs
 * to the function, so all threads of the host must set the same one. */
enum rcm_gpu_status allow_all_shared_memory(const void *kernel);

/* How a kernel is launched. All grids have one dimension. */
struct launch {
    unsigned blocks, threads;
    size_t shared_bytes;
    unsigned cluster; /* blocks of a cluster; 1: none */
    rcm_gpu_stream stream;
    /* May it begin before the kernel before it in the stream has ended? It then reads and writes no
     * memory of the device before wait_for_previous_kernel(). */
    bool overlaps = false;
};

#endif
