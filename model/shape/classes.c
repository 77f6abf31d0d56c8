/* classes.c - see classes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "classes.h"

uint64_t classes_elements(const struct rcm_buckets *buckets)
{
    uint64_t elements = 0;
    for (unsigned c = 0; c < buckets->classes; c++) {
        uint64_t product;
        if (__builtin_mul_overflow(buckets->of[c].size, buckets->of[c].count, &product) ||
            product > RCM_N_MAX)
            return 0;
        elements += product;
    }
    return elements <= RCM_N_MAX ? elements : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t classes_room(const struct rcm_buckets *buckets, uint64_t k_b)
{
    uint64_t room = 0;
    for (unsigned c = 0; c < buckets->classes; c++)
        room += smaller(buckets->of[c].size, k_b) * buckets->of[c].count;
    return room;
}

bool classes_legal(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (buckets->classes < 1 || buckets->classes > RCM_MAX_CLASSES)
        return false;
    for (unsigned c = 0; c < buckets->classes; c++)
        if (buckets->of[c].count == 0 || (c > 0 && buckets->of[c].size >= buckets->of[c - 1].size))
            return false;
    return k >= 1 && k <= classes_elements(buckets) && k_b >= 1 && k_b <= RCM_N_MAX;
}

/* A row keeps the sum of min(x, k_b), where x <= size and the x sum to k. This is concave in x, so
 * it is least at a vertex: the largest buckets are filled one after the other. */
uint64_t classes_most_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    uint64_t kept = 0, rest = k;
    for (unsigned c = 0; c < buckets->classes && rest > 0; c++) {
        uint64_t size = buckets->of[c].size, count = buckets->of[c].count;
        uint64_t full = size == 0 ? 0 : smaller(rest / size, count);
        kept += full * smaller(size, k_b);
        rest -= full * size;
        if (full < count) {
            kept += smaller(rest, k_b);
            rest = 0;
        }
    }
    return k - kept;
}

uint64_t classes_least_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    const uint64_t room = classes_room(buckets, k_b);
    return room < k ? k - room : 0;
}
