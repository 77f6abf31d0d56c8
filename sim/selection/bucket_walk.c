/* bucket_walk.c - see bucket_walk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bucket_walk.h"

/* How many elements of the bucket this walk has met. */
static inline uint64_t so_far(const struct bucket_counts *counts, uint64_t bucket)
{
    uint64_t count = counts->count[bucket];
    return count > counts->base ? count - counts->base : 0;
}

static inline uint32_t at_most(uint64_t value, uint32_t cap)
{
    return value < cap ? (uint32_t)value : cap;
}

/* Rows have n < 2^32, so the bucket comes from a 32-bit division, which is faster. */
static inline uint32_t bucket_interleaved(const struct buckets *s, uint32_t i)
{
    return i % (uint32_t)s->b;
}

static inline uint32_t bucket_dealt(const struct buckets *s, uint32_t i)
{
    return i / (uint32_t)s->deal % (uint32_t)s->b;
}

static inline uint32_t bucket_contiguous(const struct buckets *s, uint32_t i)
{
    uint32_t run = (uint32_t)s->run, size = (uint32_t)s->size;
    return i < run ? i / (size + 1) : (uint32_t)s->longer + (i - run) / size;
}

static inline uint32_t bucket_contiguous_floor(const struct buckets *s, uint32_t i)
{
    return (uint32_t)(s->b * i / s->n);
}

static inline __attribute__((always_inline)) void
walk(const struct buckets *s, struct bucket_counts *counts, const uint32_t *at, size_t length,
     uint32_t cap, uint32_t *before, uint32_t (*bucket_of)(const struct buckets *, uint32_t))
{
    for (size_t j = 0; j < length; j++) {
        uint32_t bucket = bucket_of(s, at[j]);
        uint64_t seen = so_far(counts, bucket);
        counts->count[bucket] = counts->base + seen + 1;
        before[j] = at_most(seen, cap);
    }
}

void walk_positions(const struct buckets *s, struct bucket_counts *counts, const uint32_t *at,
                    size_t length, uint32_t cap, uint32_t *before)
{
    switch (s->assignment) {
    case SIM_CONTIGUOUS:
        walk(s, counts, at, length, cap, before, bucket_contiguous);
        break;
    case SIM_CONTIGUOUS_FLOOR:
        walk(s, counts, at, length, cap, before, bucket_contiguous_floor);
        break;
    default:
        if (s->deal > 1)
            walk(s, counts, at, length, cap, before, bucket_dealt);
        else
            walk(s, counts, at, length, cap, before, bucket_interleaved);
    }
}

static inline __attribute__((always_inline)) void
place(const struct buckets *s, uint64_t valid, struct bucket_counts *counts,
      struct random_stream *stream, size_t k, uint32_t cap, uint32_t *before,
      struct place (*place_of_element)(const struct buckets *, uint64_t))
{
    for (size_t j = 0; j < k; j++) {
        struct place at;
        uint64_t seen;
        do {
            at = place_of_element(s, random_below(stream, valid));
            seen = so_far(counts, at.bucket);
        } while (at.slot < seen);
        counts->count[at.bucket] = counts->base + seen + 1;
        before[j] = at_most(seen, cap);
    }
}

void walk_placement(const struct buckets *s, uint64_t valid, struct bucket_counts *counts,
                    struct random_stream *stream, size_t k, uint32_t cap, uint32_t *before)
{
    switch (s->assignment) {
    case SIM_CONTIGUOUS:
        place(s, valid, counts, stream, k, cap, before, place_contiguous);
        break;
    case SIM_CONTIGUOUS_FLOOR:
        place(s, valid, counts, stream, k, cap, before, place_contiguous_floor);
        break;
    default:
        place(s, valid, counts, stream, k, cap, before, place_interleaved);
    }
}

void walk_end(struct bucket_counts *counts, uint64_t length)
{
    counts->base += length;
}
