/* inputs.h - rows to measure on, made on the device. A value depends on (seed, position) only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_INPUTS_H
#define RCM_GPU_INPUTS_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

RCM_GPU_ENUM(rcm_gpu_input){
    RCM_GPU_INPUT_NORMAL = 0, RCM_GPU_INPUT_EQUAL, RCM_GPU_INPUT_FEW, /* 16 distinct values */
    RCM_GPU_INPUT_RISING, RCM_GPU_INPUT_FALLING,
    /* Values that differ in their lowest 8 bits (float32) or 4 bits (two-byte types) only. */
    RCM_GPU_INPUT_LEADING_BITS, RCM_GPU_INPUT_MASKED_10, /* normals, of which a tenth are -inf */
    RCM_GPU_INPUT_MASKED_100,                            /* all -inf */
    RCM_GPU_INPUTS};

/* NULL past the last. */
const char *rcm_gpu_input_name(enum rcm_gpu_input input);

/* Fills m rows of n elements, one after the other. Normals are rounded to the nearest value of the
 * type. */
enum rcm_gpu_status rcm_gpu_fill(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, uint64_t m,
                                 uint64_t n, uint64_t seed, void *x, rcm_gpu_stream stream);

/* Fills x with `count` bfloat16 normals, rounded to sixteenths and cut at +-8. The product of two
 * vectors of at most 128 of them is a sum of integers below 2^21, in units of 1/256. So float32
 * holds it exactly whatever the order of summation, and two ways to compute it agree to the last
 * bit. */
enum rcm_gpu_status rcm_gpu_fill_vectors(uint64_t count, uint64_t seed, void *x,
                                         rcm_gpu_stream stream);

#ifdef __cplusplus
}
#endif

#endif
