/* merit.cuh - what elements are worth, written without the tricks of the kernels, whose results
 * check.cu and results.cu look at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_MERIT_CUH
#define RCM_MERIT_CUH

#include <gpu/kernels/cuda.cuh>

static __device__ __forceinline__ float float_of(enum rcm_gpu_dtype dtype, const void *x,
                                                 uint64_t i)
{
    if (dtype == RCM_GPU_F32)
        return ((const float *)x)[i];
    uint32_t bits = ((const uint16_t *)x)[i], wide = bits << 16;
    float value;
    if (dtype == RCM_GPU_F16) {
        uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
        if (exponent == 0) {
            value = (float)fraction * 0x1p-24f;
            return bits & 0x8000 ? -value : value;
        }
        wide =
            (bits & 0x8000) << 16 | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    }
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* An integer that is larger for better elements, the same for -0 and +0, and lowest for NaN. */
static __device__ __forceinline__ long long merit_of(float value, bool smallest)
{
    if (value != value)
        return INT64_MIN;
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    long long merit = bits >= 0 ? bits : -(long long)(bits & 0x7fffffff);
    return smallest ? -merit : merit;
}

#endif
