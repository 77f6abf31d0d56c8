/* plain.c - see plain.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include <string.h>

#include "keys.h"

size_t plain_workspace(uint64_t n)
{
    return 2 * n * sizeof(int64_t);
}

void plain_topk(const struct cell *c, const void *x, void *values, int32_t *indices,
                void *workspace)
{
    const size_t bytes = dtype_bytes(c->dtype), n = (size_t)c->n, k = (size_t)c->k;
    int64_t *keys = workspace, *order = keys + n;
    for (uint64_t row = 0; row < c->m; row++) {
        const char *from = (const char *)x + row * n * bytes;
        char *to = (char *)values + row * k * bytes;
        keys_of(c->dtype, from, 0, n, keys);
        memcpy(order, keys, n * sizeof *keys);
        const int64_t least = keys_select(order, n, k);
        size_t equal = 0, at = 0; /* equal: of those to take */
        for (size_t i = 0; i < k; i++)
            equal += order[i] == least;
        for (size_t i = 0; i < n; i++) {
            const bool ties = keys[i] == least && equal > 0;
            if (keys[i] <= least && !ties)
                continue;
            equal -= ties;
            memcpy(to + at * bytes, from + i * bytes, bytes);
            indices[row * k + at++] = (int32_t)i;
        }
    }
}
