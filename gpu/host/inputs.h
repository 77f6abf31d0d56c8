/* inputs.h - rows to measure on, made on the device. A value depends on (seed, position) only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_INPUTS_H
#define RCM_GPU_INPUTS_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of rows: ROW(name of the constant, name). Elements are independent where nothing else
 * is said. */
#define RCM_GPU_INPUT_TABLE(ROW) \
    ROW(NORMAL, "normal") \
    ROW(EQUAL, "equal") \
    ROW(FEW, "few") /* 16 distinct values */ \
    ROW(RISING, "rising") \
    ROW(FALLING, "falling") \
    /* Values that differ in their lowest 8 bits (float32) or 4 bits (two-byte types) only. */ \
    ROW(LEADING_BITS, "leading-bits") \
    ROW(MASKED_10, "masked-10")   /* normals, of which a tenth are -inf */ \
    ROW(MASKED_100, "masked-100") /* all -inf */ \
    ROW(MASKED_99, "masked-99")   /* normals, of which 99 % are -inf */ \
    ROW(PADDED_10, "padded-10")   /* normals, but the last 10 % of each row are -inf */ \
    ROW(PADDED_50, "padded-50")   /* the last 50 % */ \
    ROW(PADDED_90, "padded-90")   /* the last 90 % */ \
    ROW(AR_99, "ar-99")           /* normals; those at distance d have correlation 0.99^d */ \
    /* Eight cosines, of the wavelengths of rotary positions, with phases and weights of the row, \
     * and a little noise. The variance is 1. */ \
    ROW(WAVES, "waves") \
    ROW(RELU, "relu")           /* max(0, normal - t): 60 % are 0 */ \
    ROW(EIGHT_BIT, "eight-bit") /* normals rounded to multiples of 1/32 from -4 to 127/32 */ \
    /* Normals, but what the first sample of `radix` takes, in a call of RCM_GPU_INPUT_SEED, is \
     * higher (lower) by 12 than the others: its bound is then too high (too low), and the row is \
     * read again. Not so if the sample is a large part of the row (n below some 2^16), if k is \
     * below some 200 (sample-high), if the sample of float32 has pieces of 4 bytes (n above some \
     * 2^18), or if rows are at other places than rcm_gpu_fill() puts them. */ \
    ROW(SAMPLE_HIGH, "sample-high") \
    ROW(SAMPLE_LOW, "sample-low")

#define RCM_GPU_INPUT_SEED 1u /* of a call that they mislead: rcm_gpu_exact.seed */

#define RCM_GPU_INPUT_CONSTANT(constant, name) RCM_GPU_INPUT_##constant,
RCM_GPU_ENUM(rcm_gpu_input){RCM_GPU_INPUT_TABLE(RCM_GPU_INPUT_CONSTANT) RCM_GPU_INPUTS};

/* NULL past the last. */
const char *rcm_gpu_input_name(enum rcm_gpu_input input);

/* Fills m rows of n elements, one after the other, from an address that is a multiple of 16.
 * Values are rounded to the nearest of the type. */
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
