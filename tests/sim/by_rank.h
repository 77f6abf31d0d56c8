/* by_rank.h - sorts indices by their keys, the largest first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BY_RANK_H
#define BY_RANK_H

#include <stdint.h>

static const uint64_t *sorting; /* the keys of the indices that qsort sorts */

/* For qsort: of equal keys the lower index is first. */
static int by_rank(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (sorting[i] != sorting[j])
        return sorting[i] < sorting[j] ? 1 : -1;
    return (i > j) - (i < j);
}

#endif
