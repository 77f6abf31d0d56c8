/* int8_keys.h - keys as 8 bits hold them: what a cache of such keys loses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INT8_KEYS_H
#define INT8_KEYS_H

#include <stdint.h>

/* Replaces each of n keys [n][d] by what a scale and d whole numbers from -127 to 127 say of it:
 * s round(x_i / s), with s = max |x_i| / 127. A half goes to the even number. A key of zeros stays.
 * Domain    floats; max |x_i| is 0 or from 1e-36 to 3e38: below, s has few digits; above, 127 s may
 *           be infinite.
 * Accuracy  |x_i - x'_i| <= s / 2, but for the rounding of floats, which is 1e-7 of max |x_i|. */
void int8_keys_round(float *keys, uint32_t n, uint32_t d);

#endif
