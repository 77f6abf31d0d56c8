/* fourier.h - internal to model/: the discrete Fourier transform of complex numbers, whose count
 * is a power of two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FOURIER_H
#define FOURIER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static const double full_turn = 6.283185307179586476925286766559; /* 2 pi */

struct complex_number {
    double re, im;
};

static inline struct complex_number complex_times(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* z^exponent. */
static inline struct complex_number complex_power(struct complex_number z, uint64_t exponent)
{
    struct complex_number result = {1.0, 0.0};
    for (; exponent; exponent /= 2, z = complex_times(z, z))
        if (exponent % 2)
            result = complex_times(result, z);
    return result;
}

/* log |z|, given z - 1. Where |z| may be near 0, not by its square. */
static inline double complex_log_modulus(double re_less_1, double im)
{
    return re_less_1 < -0.5 ? log(hypot(1.0 + re_less_1, im))
                            : 0.5 * log1p(re_less_1 * (2.0 + re_less_1) + im * im);
}

/* The twiddle factors exp(2 pi i j / length), j < length/2, each rounded by itself. */
void fourier_roots(struct complex_number *roots, size_t length);

/* x[j] becomes the sum over e of x[e] exp(2 pi i j e / length), in place. length a power of two,
 * >= 1. */
void fourier_transform(struct complex_number *x, size_t length, const struct complex_number *roots);

#endif
