/* bucket_lists.c - see bucket_lists.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bucket_lists.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

struct bucket_lists bucket_lists_make(const uint32_t *bucket, uint32_t n, uint32_t clusters)
{
    struct bucket_lists lists = {.clusters = clusters, .n = n};
    lists.start = require_memory(calloc((size_t)clusters + 2, sizeof *lists.start));
    lists.keys = require_memory(malloc(((size_t)n + 1) * sizeof *lists.keys));
    /* A counting sort: start[c + 2] counts bucket c, then start[c + 1] is where its next key goes,
     * and at the end where it ends. */
    for (uint32_t j = 0; j < n; j++)
        lists.start[bucket[j] + 2]++;
    for (uint32_t c = 0; c < clusters; c++)
        lists.start[c + 2] += lists.start[c + 1];
    for (uint32_t j = 0; j < n; j++)
        lists.keys[lists.start[bucket[j] + 1]++] = j;
    return lists;
}

void bucket_lists_free(struct bucket_lists *lists)
{
    free(lists->start);
    free(lists->keys);
    *lists = (struct bucket_lists){0};
}

/* The first place of a rising list whose key is at least `key`. */
static uint32_t first_from(const uint32_t *keys, uint32_t low, uint32_t high, uint32_t key)
{
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double bucket_lists_imbalance(const struct bucket_lists *lists, uint32_t first)
{
    double squares = 0.0, all = 0.0;
    for (uint32_t c = 0; c < lists->clusters; c++) {
        const uint32_t end = lists->start[c + 1];
        const double size = (double)(end - first_from(lists->keys, lists->start[c], end, first));
        squares += size * size;
        all += size;
    }
    return lists->clusters * squares / (all * all);
}

void best_buckets(const double *scores, uint32_t clusters, uint32_t wanted, uint32_t *chosen)
{
    if (wanted == 0)
        return;
    uint64_t *ordered = require_memory(malloc(2 * (size_t)clusters * sizeof *ordered));
    uint32_t *at = require_memory(malloc((size_t)clusters * sizeof *at));
    for (uint32_t c = 0; c < clusters; c++)
        ordered[c] = key_of(scores[c]);
    select_largest(ordered, clusters, wanted, ordered + clusters, at);
    for (uint32_t i = 0; i < wanted; i++)
        chosen[i] = at[i];
    free(at);
    free(ordered);
}

void visit_buckets(struct visit *visit, const struct bucket_lists *lists, const uint32_t *chosen,
                   uint32_t count, struct key_range range)
{
    /* A bit for each key of the range, so that the keys come out in rising order. */
    const size_t words = ((size_t)(range.last - range.first) + 63) / 64;
    uint64_t *marked = require_memory(calloc(words + 1, sizeof *marked));
    size_t length = 0;
    visit->largest_bucket = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t end = lists->start[chosen[i] + 1];
        uint32_t at = first_from(lists->keys, lists->start[chosen[i]], end, range.first);
        const uint32_t begin = at;
        for (; at < end && lists->keys[at] < range.last; at++) {
            const uint32_t bit = lists->keys[at] - range.first;
            marked[bit / 64] |= UINT64_C(1) << bit % 64;
        }
        length += at - begin;
        if (at - begin > visit->largest_bucket)
            visit->largest_bucket = at - begin;
    }
    visit_reserve(visit, length, false);
    visit->length = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = marked[w]; bits; bits &= bits - 1)
            visit->keys[visit->length++] =
                range.first + (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
    visit->index_bytes = 4.0 * (double)length;
    free(marked);
}
