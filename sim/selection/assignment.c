/* assignment.c - see assignment.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "assignment.h"

const char *sim_assignment_name(enum sim_assignment assignment)
{
    static const char *const names[SIM_ASSIGNMENTS] = {"interleaved", "contiguous",
                                                       "contiguous-floor"};
    return names[assignment];
}

/* How many buckets have how many elements, if only the first `valid` elements of the row exist. The
 * length falls from class to class; empty buckets are left out. Returns how many classes there are,
 * at most SIM_LENGTHS. */
#define SIM_LENGTHS 3
struct bucket_lengths {
    uint64_t length, buckets;
};
static unsigned buckets_lengths(const struct buckets *s, uint64_t valid,
                                struct bucket_lengths lengths[SIM_LENGTHS])
{
    struct bucket_lengths all[SIM_LENGTHS];
    if (s->assignment == SIM_INTERLEAVED || valid == s->n) {
        uint64_t longer = valid % s->b;
        all[0] = (struct bucket_lengths){valid / s->b + 1, longer};
        all[1] = (struct bucket_lengths){valid / s->b, s->b - longer};
        all[2] = (struct bucket_lengths){0, 0};
    } else { /* runs: full buckets, then the bucket in which the first missing element would be */
        struct place end = place_of(s, valid);
        uint64_t longer = valid - end.slot - end.bucket * s->size;
        all[0] = (struct bucket_lengths){s->size + 1, longer};
        all[1] = (struct bucket_lengths){s->size, end.bucket - longer};
        all[2] = (struct bucket_lengths){end.slot, 1};
    }
    unsigned classes = 0;
    for (unsigned i = 0; i < SIM_LENGTHS; i++)
        if (all[i].length > 0 && all[i].buckets > 0)
            lengths[classes++] = all[i];
    return classes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t buckets_candidates(const struct buckets *s, uint64_t valid, uint64_t k_b)
{
    struct bucket_lengths lengths[SIM_LENGTHS];
    unsigned classes = buckets_lengths(s, valid, lengths);
    uint64_t candidates = 0;
    for (unsigned i = 0; i < classes; i++)
        candidates += lengths[i].buckets * least(k_b, lengths[i].length);
    return candidates;
}

/* A bucket with x of the top-k loses max(0, x - k_b), which is convex. So most is lost if the
 * longest buckets are full, one bucket has the rest, and the others have none. */
uint64_t buckets_most_lost(const struct buckets *s, uint64_t valid, uint64_t k, uint64_t k_b)
{
    struct bucket_lengths lengths[SIM_LENGTHS];
    unsigned classes = buckets_lengths(s, valid, lengths);
    uint64_t left = k, kept = 0;
    for (unsigned i = 0; i < classes && left > 0; i++) {
        uint64_t full = least(lengths[i].buckets, left / lengths[i].length);
        kept += full * least(k_b, lengths[i].length);
        left -= full * lengths[i].length;
        if (full < lengths[i].buckets) {
            kept += least(k_b, left);
            left = 0;
        }
    }
    return k - kept;
}
