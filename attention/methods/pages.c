/* pages.c - see pages.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <math.h>
#include <stdlib.h>

#include <attention/top_keys.h>
#include <base/memory.h>

void open_pages(struct visit *visit, uint32_t size, struct key_range range)
{
    const size_t length = visit->length;
    uint32_t *pages = require_memory(malloc((length + 1) * sizeof *pages));
    for (size_t i = 0; i < length; i++)
        pages[i] = visit->keys[i];
    visit_reserve(visit, range.last - range.first, false);
    visit->length = visit->largest_bucket = 0;
    for (size_t i = 0; i < length; i++) {
        const struct key_range keys = keys_of_page(size, pages[i], range);
        for (uint32_t j = keys.first; j < keys.last; j++)
            visit->keys[visit->length++] = j;
        if (keys.last - keys.first > visit->largest_bucket)
            visit->largest_bucket = keys.last - keys.first;
    }
    free(pages);
}

size_t visit_in_pages(struct visit *visit, const struct key_head *head,
                      const struct attention_query *query, const float *scores, uint32_t size,
                      double factor, size_t wanted)
{
    const struct key_range range = query->range, pages = pages_of(size, range);
    const size_t all = pages.last - pages.first;
    const double opened = ceil(factor * (double)wanted);
    size_t count = opened < (double)all ? (size_t)opened : all;
    for (;;) {
        visit_top(visit, scores, pages, count);
        open_pages(visit, size, range);
        if (visit->length >= wanted)
            break;
        count += (wanted - visit->length + size - 1) / size; /* at least so many are missing */
    }
    const size_t held = visit->length;
    visit_keep_best(visit, head, query, wanted);
    visit->largest_bucket = 0;
    return held;
}
