/* element.h - the elements of the rows of inputs.h: one source for kernels, and for C on a CPU. A
 * value depends on (seed, position) only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_ELEMENT_H
#define RCM_GPU_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <gpu/kernels/sample.h>

#include "inputs.h"

/* Before each function; inputs.cu makes them functions of the device. */
#ifndef RCM_GPU_ELEMENT
#define RCM_GPU_ELEMENT static inline
#endif

/* NULL past the last. */
static inline const char *rcm_gpu_element_name(unsigned input)
{
#define RCM_GPU_INPUT_NAME(constant, name) name,
    static const char *const names[] = {RCM_GPU_INPUT_TABLE(RCM_GPU_INPUT_NAME)};
    return input < RCM_GPU_INPUTS ? names[input] : NULL;
}

/* The finaliser of splitmix64. */
RCM_GPU_ELEMENT uint64_t rcm_gpu_mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

RCM_GPU_ELEMENT uint64_t rcm_gpu_random_at(uint64_t seed, uint64_t i)
{
    return rcm_gpu_mixed(rcm_gpu_mixed(seed + 0x9e3779b97f4a7c15ull) + i * 0x9e3779b97f4a7c15ull);
}

/* A normal by the method of Box and Muller. */
RCM_GPU_ELEMENT float rcm_gpu_normal_of(uint64_t random)
{
    float u = ((float)(uint32_t)(random >> 32) + 1.0f) * 0x1p-32f,
          v = (float)(uint32_t)random * 0x1p-32f;
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

RCM_GPU_ELEMENT uint32_t rcm_gpu_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the nearest value of the type, ties to even. Not for NaN. */
RCM_GPU_ELEMENT uint32_t rcm_gpu_rounded(float value, enum rcm_gpu_dtype dtype)
{
    uint32_t bits = rcm_gpu_bits_of_float(value);
    if (dtype == RCM_GPU_F32)
        return bits;
    if (dtype == RCM_GPU_BF16)
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x477ff000) /* 65520: rounds to infinity */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition rounds */
        float shifted = fabsf(value) + 0.5f;
        return sign | (rcm_gpu_bits_of_float(shifted) - rcm_gpu_bits_of_float(0.5f));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return sign | ((magnitude >> 13) - (112 << 10));
}

/* ---- what the values of some kinds are made of */

/* The seed of a row, whose random numbers are then those at positions of this row. */
RCM_GPU_ELEMENT uint64_t rcm_gpu_seed_of_row(uint64_t seed, uint64_t row)
{
    return rcm_gpu_random_at(~seed, row);
}

/* Element i of a stationary AR(1) process of correlation 0.99. Those at multiples of 4096 are
 * independent normals: 0.99^4096 is 1e-18. The one in the middle between two known ones, each at
 * distance h, is normal given these, r = 0.99^h: of mean (left + right) r / (1 + r^2) and variance
 * (1 - r^2) / (1 + r^2). So halving the interval about i twelve times at most gives it. */
RCM_GPU_ELEMENT float rcm_gpu_ar_value(uint64_t row_seed, uint64_t i)
{
    const float of_ends[12] = {1.15047858e-09f, 3.39187054e-05f, 0.00582377923f, 0.0758731007f,
                               0.256664333f,    0.411828247f,    0.475211068f,   0.493604335f,
                               0.498388194f,    0.499596235f,    0.499899008f,   0.499974749f};
    const float deviations[12] = {1.0f,         0.999999999f, 0.999966082f, 0.994192884f,
                                  0.926386582f, 0.753053145f, 0.557640243f, 0.399291256f,
                                  0.28324879f,  0.200448747f, 0.141767292f, 0.100249676f};
    uint64_t first = i / 4096 * 4096;
    float left = rcm_gpu_normal_of(rcm_gpu_random_at(row_seed, first)), right, middle = left;
    if (i == first)
        return left;
    right = rcm_gpu_normal_of(rcm_gpu_random_at(row_seed, first + 4096));
    for (unsigned level = 0; level < 12; level++) {
        const uint64_t at = first + (2048 >> level);
        middle = (left + right) * of_ends[level] +
                 rcm_gpu_normal_of(rcm_gpu_random_at(row_seed, at)) * deviations[level];
        if (i == at)
            break;
        if (i < at) {
            right = middle;
        } else {
            left = middle;
            first = at;
        }
    }
    return middle;
}

/* Element i of a row of waves: cosines of 10^(-t/2) radians an element, t = 0, .., 7, which are
 * eight of the 64 frequencies 10000^(-2 j / 128) of rotary positions. Angles are fractions of a
 * turn in units of 2^-64, which wrap round by themselves. */
RCM_GPU_ELEMENT float rcm_gpu_waves_value(uint64_t row_seed, uint64_t i, float noise)
{
    const uint64_t turns[8] = {0x28be60db9391054a, 0x0ce2601005b0277c, 0x041309af8ec1b3bb,
                               0x0149d66800919d8c, 0x00684dc4c179c52c, 0x0020fbd73341c2f4,
                               0x000a6e2d468c2d51, 0x00034c6251ecf9e5};
    float sum = 0.0f, weights = 0.0f;
    for (unsigned t = 0; t < 8; t++) {
        const uint64_t random = rcm_gpu_random_at(row_seed, t);
        const uint32_t angle = (uint32_t)((i * turns[t]) >> 32) + (uint32_t)random;
        const float weight = ((float)(uint32_t)(random >> 32) + 1.0f) * 0x1p-32f;
        sum += sqrtf(weight) * cosf(6.2831853f * ((float)angle * 0x1p-32f));
        weights += weight;
    }
    return sum * sqrtf(2.0f * 0.99f / weights) + 0.1f * noise;
}

/* Whether the first sample of `radix` may take element i of a row, if the seed of the call is
 * RCM_GPU_INPUT_SEED. Each thread of a block samples 8 elements. Those of 4 bytes have pieces of 16
 * bytes and 256 or 512 threads, those of 2 bytes pieces of 4 and 512 threads. */
RCM_GPU_ELEMENT bool rcm_gpu_is_sampled(uint64_t row, uint64_t i, uint64_t n)
{
    const uint32_t of_piece[3] = {4, 4, 2}, log2_pieces[3] = {9, 10, 11},
                   seed = rcm_gpu_sample_seed(RCM_GPU_INPUT_SEED, row, 0);
    for (unsigned way = 0; way < 3; way++) {
        const uint32_t v = of_piece[way], before = (uint32_t)(row * n % v), /* in its first piece */
            pieces = (uint32_t)((before + n + v - 1) / v), piece = (uint32_t)((before + i) / v),
                       whole = pieces - 2;
        if (n <= (v << log2_pieces[way]) + 32 || piece == 0 || piece > whole)
            continue;
        /* Piece p of the whole ones is that of sample piece j, or of one of its neighbours. */
        const uint32_t j = (uint32_t)(((uint64_t)(piece - 1) << log2_pieces[way]) / whole);
        for (uint32_t near = j; near <= j + 1; near++)
            if (near >> log2_pieces[way] == 0 &&
                rcm_gpu_sample_place(near, log2_pieces[way], whole, seed) == piece - 1)
                return true;
    }
    return false;
}

/* ---- elements */

/* Element i of row r of rows of n, at = r n + i, as a float; not for RCM_GPU_INPUT_LEADING_BITS. */
RCM_GPU_ELEMENT float rcm_gpu_element_value(enum rcm_gpu_input input, uint64_t seed, uint64_t at,
                                            uint64_t n)
{
    const uint64_t random = rcm_gpu_random_at(seed, at), row = at / n, i = at % n;
    switch (input) {
    case RCM_GPU_INPUT_EQUAL:
        return 1.5f;
    case RCM_GPU_INPUT_FEW:
        return (float)(random % 16) - 8.0f;
    case RCM_GPU_INPUT_RISING:
        return (float)i / (float)n;
    case RCM_GPU_INPUT_FALLING:
        return (float)(n - i) / (float)n;
    case RCM_GPU_INPUT_MASKED_10:
        return random % 10 == 0 ? -INFINITY : rcm_gpu_normal_of(rcm_gpu_mixed(random));
    case RCM_GPU_INPUT_MASKED_99:
        return random % 100 != 0 ? -INFINITY : rcm_gpu_normal_of(rcm_gpu_mixed(random));
    case RCM_GPU_INPUT_MASKED_100:
        return -INFINITY;
    case RCM_GPU_INPUT_PADDED_10:
        return i >= n - n / 10 ? -INFINITY : rcm_gpu_normal_of(random);
    case RCM_GPU_INPUT_PADDED_50:
        return i >= n - n / 2 ? -INFINITY : rcm_gpu_normal_of(random);
    case RCM_GPU_INPUT_PADDED_90:
        return i >= n - n * 9 / 10 ? -INFINITY : rcm_gpu_normal_of(random);
    case RCM_GPU_INPUT_AR_99:
        return rcm_gpu_ar_value(rcm_gpu_seed_of_row(seed, row), i);
    case RCM_GPU_INPUT_WAVES:
        return rcm_gpu_waves_value(rcm_gpu_seed_of_row(seed, row), i, rcm_gpu_normal_of(random));
    case RCM_GPU_INPUT_RELU:
        return fmaxf(0.0f, rcm_gpu_normal_of(random) - 0.2533471f);
    case RCM_GPU_INPUT_EIGHT_BIT:
        return fminf(fmaxf(rintf(32.0f * rcm_gpu_normal_of(random)), -128.0f), 127.0f) / 32.0f;
    case RCM_GPU_INPUT_SAMPLE_HIGH:
        return rcm_gpu_normal_of(random) + (rcm_gpu_is_sampled(row, i, n) ? 12.0f : 0.0f);
    case RCM_GPU_INPUT_SAMPLE_LOW:
        return rcm_gpu_normal_of(random) - (rcm_gpu_is_sampled(row, i, n) ? 12.0f : 0.0f);
    default:
        return rcm_gpu_normal_of(random);
    }
}

/* The same as bits of a type of the GPU, for every input. */
RCM_GPU_ELEMENT uint32_t rcm_gpu_element_bits(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input,
                                              uint64_t seed, uint64_t at, uint64_t n)
{
    if (input == RCM_GPU_INPUT_LEADING_BITS)
        return rcm_gpu_rounded(1.0f, dtype) +
               (uint32_t)rcm_gpu_random_at(seed, at) % (dtype == RCM_GPU_F32 ? 256 : 16);
    return rcm_gpu_rounded(rcm_gpu_element_value(input, seed, at, n), dtype);
}

#endif
