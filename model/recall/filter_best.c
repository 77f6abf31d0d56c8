/* filter_best.c - see recallmodel/filter.h: the block of a filter in a buffer of a given room.
 *
 * A block leaves room - k - block + 1 for `more`, so that the first compaction comes after
 * ceil((room + 1)/block) - 1 blocks. Where this number changes the work jumps: often the best block
 * is the smallest one with the same number. The search tries such blocks a few percent apart, then
 * ever closer ones beside the best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "filter_walk.h"

#define ALL_TRIED 512 /* blocks, in a row that is short: */
#define SHORT_ROW 4096
#define APART 16 /* two blocks that are tried at first: by one part in so many */
#define APART_OF_FEW 64
#define FEW 512      /* blocks of a row */
#define CLOSE 512    /* at last */
#define FAR 8        /* times smaller than the best: these are not tried */
#define LEAVES 1e-7  /* probabilities that are left out, */
#define LITTLE 1e-15 /* of short rows */

struct block_search {
    uint64_t n, k, room;
    struct rcm_filter best;
    double least, never;
};

static bool try_block(struct block_search *search, uint64_t block)
{
    const struct rcm_filter f = {search->n, search->k, block, search->room - search->k - block + 1};
    const double selected = filter_work(f, search->never).selected;
    if (!(selected < search->least))
        return false;
    search->least = selected;
    search->best = f;
    return true;
}

/* Downwards from `high`. */
static void try_apart(struct block_search *search, uint64_t least, uint64_t high)
{
    for (uint64_t block = high; block >= least && block * FAR > search->best.block;) {
        try_block(search, block);
        const uint64_t parts = shape_ceil_divide(search->n, block) < FEW ? APART_OF_FEW : APART;
        const uint64_t next = block - 1 - (block - 1) / parts, room = search->room + 1;
        const uint64_t same = next > 0 ? shape_ceil_divide(room, shape_ceil_divide(room, next)) : 0;
        if (next < least)
            block = block > least ? least : 0;
        else
            block = same >= least && same >= next - next / parts ? same : next;
    }
}

static void try_closer(struct block_search *search, uint64_t least, uint64_t high)
{
    const uint64_t close = search->best.block / CLOSE + 1;
    for (uint64_t apart = search->best.block / APART + 1; apart >= close; apart /= 2) {
        const uint64_t at = search->best.block;
        bool better = at >= least + apart && try_block(search, at - apart);
        better = (at + apart <= high && try_block(search, at + apart)) || better;
        if (better)
            apart *= 2;
    }
}

struct rcm_filter rcm_best_filter(uint64_t n, uint64_t k, uint64_t room)
{
    struct block_search search = {.n = n, .k = k, .room = room, .least = INFINITY, .never = LEAVES};
    search.best = (struct rcm_filter){n, k, 0, 0};
    const uint64_t least = shape_ceil_divide(n, RCM_FILTER_BLOCKS / 8);
    uint64_t high = k < n && k < room ? room - k : 0;
    high = high < n ? high : n;
    if (k < 1 || n > RCM_N_MAX || high < least)
        return search.best;
    if (n <= SHORT_ROW && high - least < ALL_TRIED) {
        search.never = LITTLE;
        for (uint64_t block = least; block <= high; block++)
            try_block(&search, block);
        return search.best;
    }
    if (room > n) /* without a compaction */
        try_block(&search, room - n < high ? room - n : high);
    try_apart(&search, least, high);
    try_closer(&search, least, high);
    return search.best;
}
