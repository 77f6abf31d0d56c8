/* random.c - see random.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <math.h>

struct random_key random_key(uint64_t seed, enum random_purpose purpose, uint64_t salt)
{
    philox4x32_key_t root = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {{(uint32_t)salt, (uint32_t)(salt >> 32), (uint32_t)purpose, 0}};
    philox4x32_ctr_t derived = philox4x32(counter, root);
    return (struct random_key){{{derived.v[0], derived.v[1]}}};
}

void random_words(struct random_key key, uint64_t repetition, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i += 2) {
        philox4x32_ctr_t r = random_block(key, repetition, i / 2);
        words[i] = (uint64_t)r.v[1] << 32 | r.v[0];
        words[i + 1] = (uint64_t)r.v[3] << 32 | r.v[2];
    }
}

void random_normals(const uint64_t *words, double *x, size_t n)
{
    const double two_pi = 6.283185307179586476925286766559;
    for (size_t i = 0; i < n; i += 2) {
        double radius = sqrt(-2.0 * log(random_open_unit(words[i])));
        double angle = two_pi * random_unit(words[i + 1]);
        x[i] = radius * cos(angle);
        if (i + 1 < n)
            x[i + 1] = radius * sin(angle);
    }
}
