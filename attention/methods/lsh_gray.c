/* lsh_gray.c - KDEformer: keys in the order of one hash, cut into equal bins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <base/memory.h>

#include "hashing.h"

/* The bins are cut from the keys first .. built - 1. A later key is added to the bin that its place
 * in the order belongs to. */
struct gray {
    struct hashing hashing;
    uint32_t built, bins;
    uint32_t *ranks; /* [built]: of those keys, rising */
    uint32_t *order; /* all keys of the head, by rank, then by position */
    uint32_t *start; /* [bins + 1]: where a bin begins in `order` */
};

static uint32_t all_bins(const struct method_options *options, const struct key_head *head)
{
    return (head->built - head->first - 1) / options->chunk + 1;
}

/* The place of a code in the Gray code i ^ (i >> 1): neighbours in this order differ in one bit. */
static uint32_t gray_rank(uint32_t code)
{
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        code ^= code >> shift;
    return code;
}

static int compare_entries(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys of the head as rank << 32 | position, sorted. */
static uint64_t *sorted_entries(const struct gray *gray, const struct key_head *head)
{
    const size_t count = head->n - head->first;
    uint32_t *hashes = require_memory(malloc(count * sizeof *hashes));
    uint64_t *entries = require_memory(malloc(count * sizeof *entries));
    const bool whole = hash_rows(&gray->hashing, head->keys + (size_t)head->first * head->d, count,
                                 NULL, hashes, head->watch);
    for (size_t i = 0; i < count; i++)
        entries[i] = (uint64_t)(whole ? gray_rank(hashes[i]) : 0) << 32 | (head->first + i);
    free(hashes);
    if (whole)
        qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
}

static void *build(const struct method *self, const struct method_options *options,
                   const struct key_head *head)
{
    (void)self;
    struct gray *gray = require_memory(malloc(sizeof *gray));
    const size_t count = head->n - head->first;
    *gray = (struct gray){
        .hashing = {.tables = 1, .columns = options->bits, .d = head->d, .hash = hash_signs},
        .built = head->built - head->first,
        .bins = all_bins(options, head)};
    hashing_draw(&gray->hashing, options->seed, head->group);
    gray->ranks = require_memory(malloc(gray->built * sizeof *gray->ranks));
    gray->order = require_memory(malloc(count * sizeof *gray->order));
    gray->start = require_memory(malloc(((size_t)gray->bins + 1) * sizeof *gray->start));
    uint64_t *entries = sorted_entries(gray, head);
    size_t built = 0;
    for (size_t i = 0; i < count; i++) {
        gray->order[i] = (uint32_t)entries[i];
        if (gray->order[i] >= head->built)
            continue;
        if (built % options->chunk == 0)
            gray->start[built / options->chunk] = built ? (uint32_t)i : 0;
        gray->ranks[built++] = (uint32_t)(entries[i] >> 32);
    }
    gray->start[gray->bins] = (uint32_t)count;
    free(entries);
    return gray;
}

static void free_index(void *index)
{
    struct gray *gray = index;
    if (gray) {
        free(gray->hashing.directions);
        free(gray->ranks);
        free(gray->order);
        free(gray->start);
    }
    free(gray);
}

/* How many of the rising ranks are below a bound. */
static uint32_t ranks_below(const struct gray *gray, uint64_t rank)
{
    uint32_t low = 0, high = gray->built;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (gray->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The `knob` bins first <= bin < last that are nearest to the query: that of the middle of the keys
 * with its hash (or of the place where they would be), then on both sides in turn, beginning with
 * the nearer one. */
static struct key_range nearest_bins(const struct gray *gray, uint32_t chunk, uint32_t hash,
                                     uint32_t knob)
{
    const uint64_t rank = gray_rank(hash);
    const uint32_t low = ranks_below(gray, rank), high = ranks_below(gray, rank + 1);
    uint32_t place = low + (high - low) / 2;
    place = place < gray->built ? place : gray->built - 1;
    struct key_range bins = {place / chunk, place / chunk};
    if (knob > 0)
        bins.last++;
    bool right = 2 * (uint64_t)(place % chunk) >= chunk;
    for (uint32_t i = 1; i < knob && bins.last - bins.first < gray->bins; i++, right = !right) {
        if (bins.first == 0 || (right && bins.last < gray->bins))
            bins.last++;
        else
            bins.first--;
    }
    return bins;
}

static void visit_bins(const struct method *self, const struct method_options *options,
                       const struct key_head *head, const void *index,
                       const struct attention_query *queries, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    (void)self, (void)head, (void)count;
    const struct gray *gray = index;
    const struct key_range range = queries->range;
    uint8_t *marks = require_memory(calloc((size_t)(range.last - range.first) + 1, 1));
    uint32_t hash, largest = 0;
    hash_vector(&gray->hashing, queries->q, 1, &hash);
    const struct key_range bins = nearest_bins(gray, options->chunk, hash, knob);
    for (uint32_t bin = bins.first; bin < bins.last; bin++) {
        uint32_t inside = 0;
        for (uint32_t i = gray->start[bin]; i < gray->start[bin + 1]; i++) {
            const uint32_t key = gray->order[i];
            if (key >= range.first && key < range.last) {
                marks[key - range.first] = 1;
                inside++;
            }
        }
        largest = inside > largest ? inside : largest;
    }
    visit_marked(visit, marks, range, false);
    free(marks);
    visit->largest_bucket = largest;
    /* The rank with which each bin begins, and the numbers of the keys in the bins. */
    visit->index_bytes = ((double)gray->bins + (double)visit->length) * HASH_ENTRY_BYTES;
}

const struct method method_lsh_gray = {
    .name = "lsh-gray",
    .knob = "bins",
    .summary = "equal bins of keys in the Gray order of one hash, those nearest to the query's",
    .source = "Zandieh et al. 2023",
    .knob_max = all_bins,
    .build = build,
    .free_index = free_index,
    .visit = visit_bins,
};
