/* keys.c - see keys.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include <programs/bench/cells/cell.h>

/* Of the bits of a floating-point value, as a signed integer: bits of `exponent` ones are infinity,
 * above it are NaN. `sign` is the lowest value of the type. */
static int64_t key_of_bits(int64_t bits, int64_t sign, int64_t infinity)
{
    const int64_t magnitude = bits & ~sign;
    if (magnitude > infinity)
        return INT64_MIN;
    return bits < 0 ? -magnitude : magnitude;
}

#define KEYS_OF(type, key) \
    for (size_t i = 0; i < count; i++) { \
        type bits; \
        memcpy(&bits, (const char *)x + (first + i) * sizeof bits, sizeof bits); \
        keys[i] = key; \
    }

void keys_of(unsigned dtype, const void *x, uint64_t first, size_t count, int64_t *keys)
{
    switch (dtype) {
    case DTYPE_F32:
        KEYS_OF(int32_t, key_of_bits(bits, INT32_MIN, 0x7f800000))
        break;
    case DTYPE_F64:
        KEYS_OF(int64_t, key_of_bits(bits, INT64_MIN, 0x7ff0000000000000))
        break;
    case DTYPE_F16:
        KEYS_OF(int16_t, key_of_bits(bits, INT16_MIN, 0x7c00))
        break;
    case DTYPE_BF16:
        KEYS_OF(int16_t, key_of_bits(bits, INT16_MIN, 0x7f80))
        break;
    case DTYPE_I8:
        KEYS_OF(int8_t, bits)
        break;
    default:
        KEYS_OF(int32_t, bits)
    }
}

static void swap(int64_t *a, int64_t *b)
{
    const int64_t held = *a;
    *a = *b;
    *b = held;
}

int64_t keys_select(int64_t *keys, size_t length, size_t k)
{
    size_t low = 0, high = length; /* the k-th is in keys[low .. high) */
    uint64_t random = 0x9e3779b97f4a7c15;
    while (high - low > 1) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t pivot = keys[low + (size_t)(random >> 33) % (high - low)];
        /* larger keys, then equal ones, then keys[at .. high), not looked at, then smaller ones */
        size_t above = low, at = low, below = high;
        while (at < below)
            if (keys[at] > pivot)
                swap(&keys[at++], &keys[above++]);
            else if (keys[at] < pivot)
                swap(&keys[at], &keys[--below]);
            else
                at++;
        if (k <= above)
            high = above;
        else if (k > below)
            low = below;
        else
            return pivot;
    }
    return keys[low];
}

static int larger_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

void keys_sort(int64_t *keys, size_t length)
{
    qsort(keys, length, sizeof *keys, larger_first);
}

size_t keys_common(const int64_t *a, size_t a_length, const int64_t *b, size_t b_length)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a_length && j < b_length) {
        common += a[i] == b[j];
        const bool forward_a = a[i] >= b[j], forward_b = b[j] >= a[i];
        i += forward_a;
        j += forward_b;
    }
    return common;
}
