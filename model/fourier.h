/* fourier.h - internal to model/: discrete Fourier transform of a power of two of complex numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FOURIER_H
#define FOURIER_H

#include <stddef.h>

struct complex_number {
    double re, im;
};

/* The twiddle factors exp(2 pi i j / length), j < length/2, each rounded by itself. */
void fourier_roots(struct complex_number *roots, size_t length);

/* x[j] becomes the sum over e of x[e] exp(2 pi i j e / length), in place. length a power of two, >= 1. */
void fourier_transform(struct complex_number *x, size_t length, const struct complex_number *roots);

#endif
