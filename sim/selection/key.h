/* key.h - keys: unsigned integers that have the same order as the values.
 *
 * The order in which recall is measured: NaN below everything, and all NaN equal; then -inf, which
 * is a value; then the numbers, with -0 equal to +0, since who gets the one for the other has lost
 * nothing; then +inf. The kernels of topk/ and gpu/ must choose, and put -0 just below +0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KEY_H
#define KEY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define KEY_NAN UINT64_C(0)

static inline uint64_t key_of(double x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    x += 0.0; /* -0 becomes +0 */
    memcpy(&bits, &x, sizeof bits);
    uint64_t key = bits & sign ? ~bits : bits | sign;
    return x != x ? KEY_NAN : key;
}

/* For measuring recall: NaN and -inf are what masks write, so they are equal and nobody misses
 * them. */
#define KEY_NOTHING KEY_NAN

static inline uint64_t recall_key_of(double x)
{
    return x > -INFINITY ? key_of(x) : KEY_NOTHING;
}

/* The key of the float that is nearest to the value, in 32 bits. */
static inline uint32_t key32_of(double value)
{
    const uint32_t sign = UINT32_C(1) << 31;
    uint32_t bits;
    float x = (float)value + 0.0f;
    memcpy(&bits, &x, sizeof bits);
    uint32_t key = bits & sign ? ~bits : bits | sign;
    return x != x ? 0 : key;
}

#endif
