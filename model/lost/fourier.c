/* fourier.c - see fourier.h. Cooley and Tukey's, after bit reversal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fourier.h"

#include <math.h>

void fourier_roots(struct complex_number *roots, size_t length)
{
    for (size_t j = 0; j < length / 2; j++) {
        double angle = full_turn * ((double)j / (double)length);
        roots[j] = (struct complex_number){cos(angle), sin(angle)};
    }
}

void fourier_transform(struct complex_number *x, size_t length, const struct complex_number *roots)
{
    for (size_t i = 1, j = 0; i < length; i++) { /* j is i with its bits reversed */
        size_t bit = length / 2;
        while (j & bit) {
            j ^= bit;
            bit /= 2;
        }
        j ^= bit;
        if (i < j) {
            struct complex_number swap = x[i];
            x[i] = x[j];
            x[j] = swap;
        }
    }
    for (size_t half = 1; half < length; half *= 2)
        for (size_t i = 0; i < length; i += 2 * half)
            for (size_t j = 0; j < half; j++) {
                struct complex_number w = roots[j * (length / (2 * half))], *a = &x[i + j],
                                      *b = &x[i + j + half];
                struct complex_number t = complex_times(*b, w);
                *b = (struct complex_number){a->re - t.re, a->im - t.im};
                *a = (struct complex_number){a->re + t.re, a->im + t.im};
            }
}
