/* random.c - see random.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <math.h>

#include "ziggurat.h"

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

/* The words for value `index` after its first one. Their blocks lie where no row has any. */
static struct random_stream more_words(struct random_key key, uint64_t repetition, uint64_t index)
{
    struct random_stream stream = random_stream(key, repetition);
    stream.block = UINT64_C(1) << 63 | index << 24;
    return stream;
}

/* Of a word, the lower 8 bits give the layer. The upper 53 give the sign and the place in the
 * layer, symmetric in (-1, 1). */
static unsigned layer_of(uint64_t word)
{
    return word & 255;
}

static double place_of(uint64_t word)
{
    return ((double)((int64_t)word >> 11) + 0.5) * 0x1p-52;
}

/* A value in the tail, which begins at r: Marsaglia 1964. */
static double tail(struct random_stream *stream)
{
    const double r = ziggurat_edge[1];
    for (;;) {
        double x = -log(random_open_unit(random_next(stream))) / r,
               y = -log(random_open_unit(random_next(stream)));
        if (2.0 * y >= x * x)
            return r + x;
    }
}

/* The value for a word that does not lie in that part of its layer which is wholly under the
 * curve. */
static double value_outside(struct random_key key, uint64_t repetition, uint64_t index,
                            uint64_t word)
{
    struct random_stream stream = more_words(key, repetition, index);
    for (;; word = random_next(&stream)) {
        unsigned layer = layer_of(word);
        double x = place_of(word) * ziggurat_edge[layer];
        if (fabs(x) < ziggurat_edge[layer + 1])
            return x;
        if (layer == 0)
            return copysign(tail(&stream), x);
        double low = ziggurat_height[layer], high = ziggurat_height[layer + 1];
        if (low + random_unit(random_next(&stream)) * (high - low) < exp(-0.5 * x * x))
            return x;
    }
}

void random_normals(struct random_key key, uint64_t repetition, const uint64_t *words, double *x,
                    size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned layer = layer_of(words[i]);
        double value = place_of(words[i]) * ziggurat_edge[layer];
        x[i] = fabs(value) < ziggurat_edge[layer + 1] ? value
                                                      : value_outside(key, repetition, i, words[i]);
    }
}
