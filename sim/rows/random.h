/* random.h - counter-based random numbers: a draw is a function of (seed, purpose, salt,
 * repetition, index) and of nothing else.
 *
 * Philox4x32-10 of Salmon et al. 2011 through Random123. The key is derived from (seed, purpose,
 * salt). The counter is (index / 2, repetition), and one evaluation gives the words of two
 * neighbouring indices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_H
#define RANDOM_H

#include <Random123/philox.h>
#include <stddef.h>
#include <stdint.h>

/* What the numbers are for. Streams for different purposes are independent. A checkpoint relies on
 * these values: only append. */
enum random_purpose {
    RANDOM_ROW = 1,        /* salt: input and rho */
    RANDOM_SHUFFLE = 2,    /* salt: the same */
    RANDOM_PLACEMENT = 3,  /* salt: b and assignment */
    RANDOM_ROPE = 4,       /* salt: noise, phases or weights */
    RANDOM_NORMAL_TOP = 5, /* salt: n */
    RANDOM_LENGTH = 6,
    RANDOM_ROUTING = 7,
    /* attention/, with the number of the key head as salt */
    RANDOM_KEYS = 16,      /* the method `random` */
    RANDOM_CENTROIDS = 17, /* k-means++ */
    RANDOM_TRAINING = 18,  /* the query model: weights, batches */
    RANDOM_HASH = 19,      /* hashing */
    RANDOM_TENSORS = 20    /* generated keys and queries */
};

struct random_key {
    philox4x32_key_t philox;
};

struct random_key random_key(uint64_t seed, enum random_purpose purpose, uint64_t salt);

/* Words 0 .. count - 1 of a repetition. `words` has room for count rounded up to even. */
void random_words(struct random_key key, uint64_t repetition, uint64_t *words, size_t count);

/* A number in [0, 1), and one in (0, 1), from the upper 53 bits of a word. */
static inline double random_unit(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

static inline double random_open_unit(uint64_t word)
{
    return ((double)(word >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal values 0 .. n - 1 of a repetition, n < 2^32. `words` are its random_words(). The
 * method is the ziggurat of Marsaglia and Tsang 2000, with 256 layers and 52 bits within a layer.
 * Value i comes from word i alone. One word in 80 lies outside, and its value then comes from
 * further words, which depend on i. */
void random_normals(struct random_key key, uint64_t repetition, const uint64_t *words, double *x,
                    size_t n);

/* The words of a repetition one after the other, for when it is not known how many are drawn. */
struct random_stream {
    struct random_key key;
    uint64_t repetition, block, spare;
    int has_spare;
};

static inline struct random_stream random_stream(struct random_key key, uint64_t repetition)
{
    return (struct random_stream){.key = key, .repetition = repetition};
}

/* Always inlined, because a call costs as much as a third of the ten rounds. */
static inline __attribute__((always_inline)) philox4x32_ctr_t
random_block(struct random_key key, uint64_t repetition, uint64_t block)
{
    philox4x32_ctr_t counter = {{(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)repetition,
                                 (uint32_t)(repetition >> 32)}};
    return philox4x32(counter, key.philox);
}

static inline uint64_t random_next(struct random_stream *stream)
{
    if (stream->has_spare) {
        stream->has_spare = 0;
        return stream->spare;
    }
    philox4x32_ctr_t r = random_block(stream->key, stream->repetition, stream->block++);
    stream->spare = (uint64_t)r.v[3] << 32 | r.v[2];
    stream->has_spare = 1;
    return (uint64_t)r.v[1] << 32 | r.v[0];
}

/* Uniform in [0, n), n >= 1, without bias (Lemire 2019). */
static inline uint64_t random_below(struct random_stream *stream, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)random_next(stream) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = -n % n;
        while ((uint64_t)product < threshold)
            product = (wide)random_next(stream) * n;
    }
    return (uint64_t)(product >> 64);
}

#endif
