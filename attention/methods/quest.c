/* quest.c - Quest: pages of neighbouring keys, ranked by a bound of the scores in them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/products.h>
#include <attention/top_keys.h>
#include <base/memory.h>

#include "pages.h"

/* Page p has the keys p page .. (p + 1) page - 1 that lie in [first, n). */
struct quest {
    uint32_t page, pages;
    float *smallest, *largest; /* [pages][d]: of each component among its keys */
};

static uint32_t all_pages(const struct method_options *options, const struct key_head *head)
{
    if (head->first >= head->n)
        return 0;
    return (head->n - 1) / options->page - head->first / options->page + 1;
}

/* Of each component, the smallest and the largest among the keys first <= j < last. */
static void extremes(float *smallest, float *largest, const float *keys, uint32_t first,
                     uint32_t last, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++)
        smallest[i] = largest[i] = keys[(size_t)first * d + i];
    for (uint32_t j = first + 1; j < last; j++)
        for (uint32_t i = 0; i < d; i++) {
            const float x = keys[(size_t)j * d + i];
            smallest[i] = x < smallest[i] ? x : smallest[i];
            largest[i] = x > largest[i] ? x : largest[i];
        }
}

static void *build(const struct method *self, const struct method_options *options,
                   const struct key_head *head)
{
    (void)self;
    struct quest *quest = require_memory(malloc(sizeof *quest));
    const struct key_range all = {head->first, head->n};
    const size_t d = head->d;
    *quest = (struct quest){.page = options->page, .pages = (head->n - 1) / options->page + 1};
    quest->smallest = require_memory(calloc(quest->pages * d, sizeof(float)));
    quest->largest = require_memory(calloc(quest->pages * d, sizeof(float)));
    for (uint32_t p = head->first / options->page; p < quest->pages; p++) {
        const struct key_range keys = keys_of_page(options->page, p, all);
        if (keys.first < keys.last)
            extremes(quest->smallest + p * d, quest->largest + p * d, head->keys, keys.first,
                     keys.last, head->d);
    }
    return quest;
}

static void free_index(void *index)
{
    struct quest *quest = index;
    if (quest) {
        free(quest->smallest);
        free(quest->largest);
    }
    free(quest);
}

/* The query in two parts, its positive and its negative components: sum over i of
 * max(q_i smallest_i, q_i largest_i) = positive . largest + negative . smallest. */
struct signed_parts {
    float *positive, *negative;
};

static void bound(float *bounds, const float *smallest, const float *largest, size_t pages,
                  uint32_t d, const struct signed_parts *q, float *space)
{
    products_vector(bounds, largest, pages, d, q->positive, 1.0f);
    products_vector(space, smallest, pages, d, q->negative, 1.0f);
    for (size_t p = 0; p < pages; p++)
        bounds[p] += space[p];
}

/* The last page may lie partly outside the range. It is bounded by its keys inside alone, so that
 * no later key has an effect. */
static void bound_again(float *bounds, uint32_t p, const struct quest *quest,
                        const struct key_head *head, struct key_range range,
                        const struct signed_parts *q)
{
    const struct key_range keys = keys_of_page(quest->page, p, range);
    float *extreme = require_memory(malloc(2 * (size_t)head->d * sizeof *extreme)), space;
    extremes(extreme, extreme + head->d, head->keys, keys.first, keys.last, head->d);
    bound(bounds + p, extreme, extreme + head->d, 1, head->d, q, &space);
    free(extreme);
}

static void visit_pages(const struct method *self, const struct method_options *options,
                        const struct key_head *head, const void *index,
                        const struct attention_query *queries, uint32_t count, uint32_t knob,
                        struct visit *visit)
{
    (void)self, (void)count;
    const struct quest *quest = index;
    const struct key_range range = queries->range;
    const size_t d = head->d;
    if (range.first == range.last) {
        visit_top(visit, NULL, range, 0);
        visit->index_bytes = visit->largest_bucket = 0;
        return;
    }
    const struct key_range pages = pages_of(quest->page, range);
    const size_t room = quest->pages;
    float *bounds = require_memory(malloc((2 * room + 2 * d) * sizeof *bounds));
    const struct signed_parts q = {bounds + 2 * room, bounds + 2 * room + d};
    for (size_t i = 0; i < d; i++) {
        q.positive[i] = queries->q[i] > 0 ? queries->q[i] : 0.0f;
        q.negative[i] = queries->q[i] < 0 ? queries->q[i] : 0.0f;
    }
    bound(bounds + pages.first, quest->smallest + pages.first * d, quest->largest + pages.first * d,
          pages.last - pages.first, head->d, &q, bounds + room);
    bound_again(bounds, pages.last - 1, quest, head, range, &q);
    visit_top(visit, bounds, pages, knob);
    open_pages(visit, quest->page, range);
    visit->index_bytes =
        2.0 * head->d * (double)(pages.last - pages.first) * options->element_bytes;
    free(bounds);
}

const struct method method_quest = {
    .name = "quest",
    .knob = "pages",
    .summary = "pages of keys, by a bound of their scores from their extreme components",
    .source = "Tang et al. 2024",
    .knob_max = all_pages,
    .build = build,
    .free_index = free_index,
    .visit = visit_pages,
};
