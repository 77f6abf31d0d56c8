/* blocks_shape.c - which selections of blocks are legal, and what they keep.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include <model/recallmodel/blocks.h>

uint64_t rcm_blocks_count(struct rcm_blocks b)
{
    if (b.n < 1 || b.n > RCM_N_MAX || b.size < 1 || b.size > RCM_N_MAX)
        return 0;
    return (b.n - 1) / b.size + 1;
}

uint64_t rcm_blocks_candidates(struct rcm_blocks b)
{
    const uint64_t count = rcm_blocks_count(b);
    if (b.kept < 1 || b.kept > count)
        return 0;
    return b.kept == count ? b.n : b.kept * b.size;
}

enum rcm_status rcm_blocks_check(struct rcm_blocks b)
{
    if (b.n < 1 || b.n > RCM_N_MAX)
        return RCM_BAD_N;
    if (b.k < 1 || b.k > b.n)
        return RCM_BAD_K;
    if (b.size < 1 || b.size > RCM_N_MAX)
        return RCM_BAD_B;
    if (b.kept < 1 || b.kept > rcm_blocks_count(b))
        return RCM_BAD_K_B;
    return b.k > rcm_blocks_candidates(b) ? RCM_TOO_FEW : RCM_OK;
}

/* A count that is zero or too large. */
static int count_text(char *buffer, size_t size, const char *name, uint64_t count)
{
    if (count == 0)
        return snprintf(buffer, size, "%s is zero; give a whole number from 1 on", name);
    return snprintf(buffer, size, "%s %" PRIu64 " is larger than 2^53 - 1; give at most that", name,
                    count);
}

static int status_text(char *buffer, size_t size, enum rcm_status status, struct rcm_blocks b)
{
    switch (status) {
    case RCM_BAD_B:
        return count_text(buffer, size, "block", b.size);
    case RCM_BAD_K_B:
        if (b.kept == 0)
            return count_text(buffer, size, "blocks", 0);
        return snprintf(buffer, size,
                        "blocks %" PRIu64 " is more than the %" PRIu64 " blocks of %" PRIu64
                        " in n = %" PRIu64 "; give at most that",
                        b.kept, rcm_blocks_count(b), b.size, b.n);
    case RCM_TOO_FEW:
        return snprintf(buffer, size,
                        "blocks %" PRIu64 " of %" PRIu64 " keys hold fewer than k = %" PRIu64
                        "; give at least %" PRIu64,
                        b.kept, b.size, b.k, (b.k - 1) / b.size + 1);
    default:
        return (int)rcm_status_text(status, (struct rcm_topk){.n = b.n, .k = b.k}, buffer, size);
    }
}

size_t rcm_blocks_status_text(enum rcm_status status, struct rcm_blocks b, char *buffer,
                              size_t size)
{
    return (size_t)status_text(buffer, size, status, b);
}
