/* int8_keys.c - see int8_keys.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "int8_keys.h"

#include <math.h>
#include <stddef.h>

static void round_key(float *x, uint32_t d)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < d; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    const float scale = largest / 127.0f;
    if (scale > 0.0f)
        for (uint32_t i = 0; i < d; i++)
            x[i] = scale * fmaxf(-127.0f, fminf(rintf(x[i] / scale), 127.0f));
}

void int8_keys_round(float *keys, uint32_t n, uint32_t d)
{
    for (uint32_t j = 0; j < n; j++)
        round_key(keys + (size_t)j * d, d);
}
