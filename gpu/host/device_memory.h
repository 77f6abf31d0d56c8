/* device_memory.h - the device and its memory, for tests and benchmarks in C. Under the emulation,
 * device memory is the memory of the process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_DEVICE_MEMORY_H
#define RCM_GPU_DEVICE_MEMORY_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory at a multiple of 256. NULL if there is not enough left. */
void *rcm_gpu_allocate(size_t bytes);
void rcm_gpu_free(void *memory);
enum rcm_gpu_status rcm_gpu_to_device(void *to, const void *from, size_t bytes);
enum rcm_gpu_status rcm_gpu_from_device(void *to, const void *from, size_t bytes);
/* Waits for all kernels and copies, and returns an error of any of them. */
enum rcm_gpu_status rcm_gpu_wait(void);

/* Sets each byte of `to`. */
enum rcm_gpu_status rcm_gpu_set_bytes(void *to, unsigned char byte, size_t bytes);

/* The current device. */
struct rcm_gpu_facts {
    char name[128]; /* "NVIDIA H200" */
    char bus[32];   /* PCI address, 0000:1a:00.0 */
    int multiprocessors;
    int driver, runtime; /* of CUDA: 1000 major + 10 minor */
    size_t l2_bytes, memory_bytes;
};
enum rcm_gpu_status rcm_gpu_facts_of_current(struct rcm_gpu_facts *facts);

/* For tests. On a real device, kernels are planned as if it had no more than this;
 * multiprocessors = 0 plans for the device as it is, and `order` is not used. The emulated device
 * has exactly this, and runs its threads and blocks in this order (emulate.h). */
void rcm_gpu_pretend(unsigned order, int multiprocessors, size_t shared_bytes,
                     unsigned cluster_max);

/* For tests of calls that are too large to emulate: the emulated device runs only the last clusters
 * of each grid, this many; 0: all of them. False: the device is real and runs all. */
bool rcm_gpu_run_last(unsigned clusters);

#ifdef __cplusplus
}
#endif

#endif
