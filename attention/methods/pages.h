/* pages.h - internal to attention/: runs of neighbouring keys of equal length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_PAGES_H
#define METHODS_PAGES_H

#include <attention/method.h>

/* Page p has the keys p size .. (p + 1) size - 1; these are those of them in the range. 64 bits, so
 * that the end of the last page does not wrap. */
static inline struct key_range keys_of_page(uint32_t size, uint32_t p, struct key_range range)
{
    const uint64_t first = (uint64_t)p * size, last = first + size;
    return (struct key_range){first > range.first ? (uint32_t)first : range.first,
                              last < range.last ? (uint32_t)last : range.last};
}

/* The pages that have a key in the range, which is not empty. */
static inline struct key_range pages_of(uint32_t size, struct key_range range)
{
    return (struct key_range){range.first / size, (range.last - 1) / size + 1};
}

/* From the pages in visit->keys to the keys of them in the range. */
void open_pages(struct visit *visit, uint32_t size, struct key_range range);

/* Two levels: of the keys in the pages with the largest scores[page], the `wanted` with the largest
 * logits. Opens ceil(factor * wanted) pages, and more if these have too few keys. 1 <= wanted <=
 * the keys of the range. Returns how many keys the open pages have. */
size_t visit_in_pages(struct visit *visit, const struct key_head *head,
                      const struct attention_query *query, const float *scores, uint32_t size,
                      double factor, size_t wanted);

#endif
