/* memory.h - the device and its memory, for tests and benchmarks in C. Under the emulation it is
 * the process's own.
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

/* Sets each byte. */
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

/* For tests: kernels are planned as if the device had no more than this. multiprocessors = 0: as it
 * is. On a real device; the emulated one is just this, and runs its threads and blocks in this
 * order (emulate.h). */
void rcm_gpu_pretend(unsigned order, int multiprocessors, size_t shared_bytes,
                     unsigned cluster_max);

#ifdef __cplusplus
}
#endif

#endif
