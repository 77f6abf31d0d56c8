/* roof.h - kernels that use one resource and nothing else: memory bandwidth, the vector units, the
 * launch. Other kernels are compared with them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_ROOF_H
#define RCM_GPU_ROOF_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads `read` bytes and writes `written` bytes, spread evenly over the run. Sizes and addresses
 * are multiples of 16. Variants differ in threads, loads in flight and blocks: 0 is the default,
 * RCM_GPU_MOVE_VARIANTS - 1 the last. */
#define RCM_GPU_MOVE_VARIANTS 6
enum rcm_gpu_status rcm_gpu_move(const void *from, size_t read, void *to, size_t written,
                                 unsigned variant, rcm_gpu_stream stream);
const char *rcm_gpu_move_variant_name(unsigned variant);

/* Reads `bytes` bytes (a multiple of 16) so that they stay in the second-level cache and replace
 * what was there. */
enum rcm_gpu_status rcm_gpu_flush(const void *from, size_t bytes, rcm_gpu_stream stream);

/* A kernel that does nothing. */
enum rcm_gpu_status rcm_gpu_nothing(rcm_gpu_stream stream);

/* The programs of [Samaga2025] A.1 on 32-bit integers: `operations` (even) of them for each of
 * `count` elements (a multiple of 4), which are read and written. Additions: x += y, y += x over
 * pairs of elements. Multiplications: x = x x. A third program is ours. Comparisons: minima and
 * maxima of neighbours, which run on one unit of a GPU, where additions run on two. Stage 1
 * consists of them. */
RCM_GPU_ENUM(rcm_gpu_vector_program){RCM_GPU_ADDITIONS = 0, RCM_GPU_MULTIPLICATIONS,
                                     RCM_GPU_COMPARISONS, RCM_GPU_VECTOR_PROGRAMS};
enum rcm_gpu_status rcm_gpu_vector(enum rcm_gpu_vector_program program, unsigned operations,
                                   int32_t *x, uint64_t count, rcm_gpu_stream stream);

#ifdef __cplusplus
}
#endif

#endif
