/* memory.h - device memory for tests and benchmarks in C. Under the emulation it is the process's own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_MEMORY_H
#define RCM_GPU_MEMORY_H

#include "topk_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL where there is none left. Multiples of 256. */
void *rcm_gpu_allocate(size_t bytes);
void rcm_gpu_free(void *memory);
enum rcm_gpu_status rcm_gpu_to_device(void *to, const void *from, size_t bytes);
enum rcm_gpu_status rcm_gpu_from_device(void *to, const void *from, size_t bytes);
/* Waits for all work, and tells of an error in any of it. */
enum rcm_gpu_status rcm_gpu_wait(void);

/* The emulated device, for tests: RCM_GPU_NO_DEVICE on a real one. order: of threads and blocks, see emulate.h. */
enum rcm_gpu_status rcm_gpu_emulate(unsigned order, int multiprocessors, size_t shared_bytes, unsigned cluster_max);

#ifdef __cplusplus
}
#endif

#endif
