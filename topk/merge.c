/* merge.c - the k best of what the parts of a row sent, and whether they are those of the row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "isa.h"
#include "kernels.h"

/* Where a part is in its run of pairs; the position of a pair is its index in the part. */
struct cursor {
    const struct pair *at, *end;
    uint64_t position; /* in the whole row, of the pair at `at` */
    size_t part;
};

struct merge {
    const struct rcm_top_k_merge_call *call;
    const struct kernels *kernels;
    struct pair *pairs;
    struct cursor *heap; /* the best first */
    size_t length;
    uint64_t *taken; /* a table of the positions of this row, with open addresses */
    unsigned bits;   /* of the index of the table, which has at least 2k places */
    uint64_t row;
};

/* The position of padding, which stands for no element: behind all others. */
#define PADDING UINT64_MAX

static uint64_t position_of(const struct merge *m, size_t part, uint64_t index)
{
    const struct rcm_top_k_part *p = &m->call->parts[part];
    const uint64_t at = m->row * p->count + index;
    const int64_t position =
        m->call->wide ? ((const int64_t *)p->positions)[at] : ((const int32_t *)p->positions)[at];
    return position < 0 ? PADDING : (uint64_t)position;
}

static bool comes_before(const struct cursor *a, const struct cursor *b)
{
    return a->at->key > b->at->key || (a->at->key == b->at->key && a->position < b->position);
}

static void sift(struct merge *m, size_t at)
{
    const struct cursor moved = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < m->length; at = child) {
        if (child + 1 < m->length && comes_before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!comes_before(&m->heap[child], &moved))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moved;
}

/* By key, of equal ones by position: no order of its own is left to a part. */
static bool pair_before(const struct merge *m, size_t part, struct pair a, struct pair b)
{
    return a.key > b.key ||
           (a.key == b.key && position_of(m, part, a.position) < position_of(m, part, b.position));
}

/* Shell's sort: in place, and fast where few are out of order. */
static void sort_run(const struct merge *m, size_t part, struct pair *run, uint64_t count)
{
    uint64_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint64_t i = gap; i < count; i++) {
            const struct pair moved = run[i];
            uint64_t at = i;
            for (; at >= gap && pair_before(m, part, moved, run[at - gap]); at -= gap)
                run[at] = run[at - gap];
            run[at] = moved;
        }
}

/* What a part sent in this row, in order. Padding gets the lowest key, so that it comes last. */
static void make_run(const struct merge *m, size_t part, struct pair *run)
{
    const struct rcm_top_k_part *p = &m->call->parts[part];
    const struct elements all = {.x = (const char *)p->values +
                                      m->row * p->count * m->kernels->bytes,
                                 .step = 1,
                                 .count = p->count,
                                 .smallest = m->call->smallest};
    bool in_order = true;
    m->kernels->collect(&all, 0, p->count, run);
    for (uint64_t i = 0; i < p->count; i++) {
        if (position_of(m, part, i) == PADDING)
            run[i].key = 0;
        in_order = in_order && (i == 0 || !pair_before(m, part, run[i], run[i - 1]));
    }
    if (!in_order)
        sort_run(m, part, run, p->count);
}

/* A run of pairs for each part, and a heap of their first ones. */
static void start_row(struct merge *m)
{
    const struct rcm_top_k_merge_call *call = m->call;
    struct pair *next = m->pairs;
    m->length = 0;
    for (size_t i = 0; i < call->length; i++) {
        const struct rcm_top_k_part *part = &call->parts[i];
        if (part->count == 0)
            continue;
        make_run(m, i, next);
        m->heap[m->length++] =
            (struct cursor){next, next + part->count, position_of(m, i, next->position), i};
        next += part->count;
    }
    for (size_t i = m->length / 2; i-- > 0;)
        sift(m, i);
}

static void put(const struct merge *m, uint64_t rank, const struct cursor *c)
{
    const struct rcm_top_k_merge_call *call = m->call;
    const size_t bytes = m->kernels->bytes;
    const uint64_t to = m->row * call->k + rank;
    if (call->values)
        memcpy((char *)call->values + to * bytes,
               (const char *)call->parts[c->part].values +
                   (m->row * call->parts[c->part].count + c->at->position) * bytes,
               bytes);
    if (call->indices && call->wide)
        ((int64_t *)call->indices)[to] = (int64_t)c->position;
    else if (call->indices)
        ((int32_t *)call->indices)[to] = (int32_t)c->position;
}

/* Takes a position, once. Padding has none. Returns false if it was taken. */
static bool take_position(const struct merge *m, uint64_t position)
{
    const uint64_t mask = (UINT64_C(1) << m->bits) - 1;
    if (position == PADDING)
        return true;
    uint64_t at = position * UINT64_C(0x9e3779b97f4a7c15) >> (64 - m->bits);
    while (m->taken[at] != PADDING && m->taken[at] != position)
        at = (at + 1) & mask;
    const bool first = m->taken[at] == PADDING;
    m->taken[at] = position;
    return first;
}

/* The first cursor moves on; one that ends leaves the heap. */
static void advance(struct merge *m)
{
    struct cursor *first = &m->heap[0];
    if (++first->at < first->end)
        first->position = position_of(m, first->part, first->at->position);
    else
        *first = m->heap[--m->length];
    if (m->length > 1)
        sift(m, 0);
}

/* Which parts may have kept back something that comes before the k-th, of key `key` at `position`.
 * Returns whether any. */
static bool find_unproved(const struct merge *m, uint64_t key, uint64_t position)
{
    const struct rcm_top_k_merge_call *call = m->call;
    const struct pair *end = m->pairs;
    bool any = false;
    for (size_t i = 0; i < call->length; i++) {
        const struct rcm_top_k_part *part = &call->parts[i];
        end += part->count;
        bool unproved = !part->all && part->count < call->k;
        if (unproved && part->count > 0) {
            const uint64_t last = position_of(m, i, end[-1].position);
            const bool after =
                end[-1].key < key || (call->by_position && end[-1].key == key && last > position);
            unproved = !after && last != PADDING; /* who pads has sent all */
        }
        call->unproved[m->row * call->length + i] = unproved;
        any = any || unproved;
    }
    return any;
}

/* Counts the row if it is not proved. Returns false where a position stands twice. */
static bool merge_row(struct merge *m, uint64_t *unproved_rows)
{
    struct cursor last = {0};
    uint64_t key = 0;
    start_row(m);
    memset(m->taken, 0xff, sizeof *m->taken << m->bits); /* PADDING */
    for (uint64_t rank = 0; rank < m->call->k; rank++) {
        last = m->heap[0];
        key = last.at->key;
        put(m, rank, &last);
        if (!take_position(m, last.position))
            return false;
        advance(m);
    }
    *unproved_rows += find_unproved(m, key, last.position) ? 1 : 0;
    return true;
}

static enum rcm_top_k_status check(const struct rcm_top_k_merge_call *call, uint64_t *sent)
{
    *sent = 0;
    if (!call || !call->parts)
        return RCM_TOP_K_BAD_POINTER;
    if (rcm_top_k_type_bytes(call->type) == 0)
        return RCM_TOP_K_BAD_TYPE;
    if (call->length < 1 || call->m < 1 || call->k < 1)
        return RCM_TOP_K_BAD_SHAPE;
    for (size_t i = 0; i < call->length; i++) {
        const struct rcm_top_k_part *part = &call->parts[i];
        if (part->count > RCM_N_MAX - *sent)
            return RCM_TOP_K_BAD_SHAPE;
        if (part->count && (!part->values || !part->positions ||
                            (uintptr_t)part->positions % (call->wide ? 8 : 4)))
            return RCM_TOP_K_BAD_POINTER;
        *sent += part->count;
    }
    uint64_t elements;
    if (*sent < call->k || __builtin_mul_overflow(*sent, call->m, &elements) ||
        elements > RCM_N_MAX)
        return RCM_TOP_K_BAD_SHAPE;
    return RCM_TOP_K_OK;
}

static unsigned table_bits(uint64_t k)
{
    unsigned bits = 1;
    while (UINT64_C(1) << bits < 2 * k)
        bits++;
    return bits;
}

enum rcm_top_k_status rcm_top_k_merge_workspace(const struct rcm_top_k_merge_call *call,
                                                size_t *bytes)
{
    uint64_t sent;
    const enum rcm_top_k_status status = check(call, &sent);
    if (!bytes)
        return RCM_TOP_K_BAD_POINTER;
    *bytes = status == RCM_TOP_K_OK
                 ? sent * sizeof(struct pair) + call->length * sizeof(struct cursor) +
                       (sizeof(uint64_t) << table_bits(call->k))
                 : 0;
    return status;
}

enum rcm_top_k_status rcm_top_k_merge(const struct rcm_top_k_merge_call *call, void *workspace,
                                      size_t bytes, uint64_t *unproved_rows)
{
    size_t needed;
    uint64_t sent;
    enum rcm_top_k_status status = rcm_top_k_merge_workspace(call, &needed);
    if (status != RCM_TOP_K_OK)
        return status;
    const size_t value = rcm_top_k_type_bytes(call->type), index = call->wide ? 8 : 4;
    if (!call->unproved || !unproved_rows || (!call->values && !call->indices) ||
        (uintptr_t)call->values % value || (uintptr_t)call->indices % index)
        return RCM_TOP_K_BAD_POINTER;
    if (bytes < needed || !workspace || (uintptr_t)workspace % 64)
        return RCM_TOP_K_BAD_WORKSPACE;
    check(call, &sent);
    struct merge m = {.call = call, .kernels = topk_kernels(call->type), .pairs = workspace};
    m.heap = (struct cursor *)(m.pairs + sent);
    m.taken = (uint64_t *)(m.heap + call->length);
    m.bits = table_bits(call->k);
    *unproved_rows = 0;
    for (m.row = 0; m.row < call->m; m.row++)
        if (!merge_row(&m, unproved_rows))
            return RCM_TOP_K_BAD_POSITIONS;
    return RCM_TOP_K_OK;
}
