/* plain.h - what the kernels must give, in plain C: stage 1, both stages, products of vectors;
 * and what the check on the device says of an output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PLAIN_H
#define PLAIN_H

#include <gpu/host/check.h>

#include "gpu.h"

#define CASE_FMT \
    "%s%s, m %" PRIu64 " n %" PRIu64 " stride %" PRIu64 " offset %zu, dtype %d, %s, row %" PRIu64

#define CASE_ARG(b, r) \
    kind_names[(b)->kind], (b)->smallest ? " smallest" : "", (b)->m, (b)->n, (b)->stride, \
        (b)->offset, (int)(b)->dtype, what, r

static inline uint64_t first_of(enum rcm_gpu_assignment assignment, uint64_t n, uint64_t b,
                                uint64_t q)
{
    return assignment == RCM_GPU_INTERLEAVED ? q : q * (n / b) + (q < n % b ? q : n % b);
}

static inline void check_stage1(const struct batch *batch, const struct rcm_gpu_stage1 *call,
                                const struct output *o, const char *what)
{
    uint64_t n = batch->n, b = call->b, candidates = rcm_gpu_candidates(n, b, call->k_b);
    double *bucket = malloc((n / b + 1) * sizeof *bucket);
    bool *seen = malloc(n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        uint64_t at = r * candidates;
        memset(seen, 0, n);
        for (uint64_t q = 0; q < b; q++) {
            uint64_t size = n / b + (q < n % b),
                     step = call->assignment == RCM_GPU_INTERLEAVED ? b : 1,
                     first = first_of(call->assignment, n, b, q);
            for (uint64_t j = 0; j < size; j++)
                bucket[j] = merit(batch->dtype, element(row, batch->dtype, first + j * step),
                                  batch->smallest);
            qsort(bucket, size, sizeof *bucket, by_merit);
            for (uint64_t j = 0; j < call->k_b && j < size; j++, at++) {
                int64_t index = o->indices[at];
                uint32_t bits = element(o->values, batch->dtype, at);
                REQUIRE(index >= 0 && (uint64_t)index < n && !seen[index],
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 " bucket %" PRIu64 " entry %" PRIu64
                                 ": index %" PRId64 " is not valid or not new",
                        CASE_ARG(batch, r), b, call->k_b, q, j, index);
                seen[index] = true;
                REQUIRE((uint64_t)index >= first && ((uint64_t)index - first) % step == 0 &&
                            ((uint64_t)index - first) / step < size,
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 ": index %" PRId64
                                 " is not of bucket %" PRIu64,
                        CASE_ARG(batch, r), b, call->k_b, index, q);
                REQUIRE(element(row, batch->dtype, (uint64_t)index) == bits,
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64
                                 ": value %x is not that at index %" PRId64,
                        CASE_ARG(batch, r), b, call->k_b, bits, index);
                REQUIRE(same_merit(merit(batch->dtype, bits, batch->smallest), bucket[j]),
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 " bucket %" PRIu64 " entry %" PRIu64
                                 ": got %g want %g",
                        CASE_ARG(batch, r), b, call->k_b, q, j, value_of(batch->dtype, bits),
                        bucket[j]);
            }
        }
        ck_assert_uint_eq(at, (r + 1) * candidates);
    }
    free(bucket);
    free(seen);
}

static inline void check_two_stage(const struct batch *batch, uint64_t k, uint64_t b, uint64_t k_b,
                                   enum rcm_gpu_assignment assignment, const struct output *o,
                                   const char *what)
{
    const enum rcm_gpu_dtype dtype = batch->dtype;
    const uint64_t n = batch->n, candidates = rcm_gpu_candidates(n, b, k_b);
    double *bucket = malloc((n / b + 1) * sizeof *bucket),
           *kept = malloc(candidates * sizeof *kept), *got = malloc(k * sizeof *got);
    bool *seen = malloc(n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        uint64_t count = 0;
        for (uint64_t q = 0; q < b; q++) {
            uint64_t size = n / b + (q < n % b), step = assignment == RCM_GPU_INTERLEAVED ? b : 1;
            for (uint64_t j = 0; j < size; j++)
                bucket[j] =
                    merit(dtype, element(row, dtype, first_of(assignment, n, b, q) + j * step),
                          batch->smallest);
            qsort(bucket, size, sizeof *bucket, by_merit);
            for (uint64_t j = 0; j < k_b && j < size; j++)
                kept[count++] = bucket[j];
        }
        ck_assert_uint_eq(count, candidates);
        qsort(kept, count, sizeof *kept, by_merit);
        memset(seen, 0, n);
        for (uint64_t j = 0; j < k; j++) {
            int64_t index = o->indices[r * k + j];
            uint32_t bits = element(o->values, dtype, r * k + j);
            REQUIRE(index >= 0 && (uint64_t)index < n && !seen[index] &&
                        element(row, dtype, (uint64_t)index) == bits,
                    CASE_FMT ": k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 " entry %" PRIu64
                             ": index %" PRId64 " is not valid, not new, or has another value",
                    CASE_ARG(batch, r), k, b, k_b, j, index);
            seen[index] = true;
            got[j] = merit(dtype, bits, batch->smallest);
        }
        qsort(got, k, sizeof *got, by_merit);
        for (uint64_t j = 0; j < k; j++)
            REQUIRE(same_merit(got[j], kept[j]),
                    CASE_FMT ": k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 ": number %" PRIu64
                             " is %g, want %g",
                    CASE_ARG(batch, r), k, b, k_b, j, got[j], kept[j]);
    }
    free(bucket);
    free(kept);
    free(got);
    free(seen);
}

/* ---- what a call writes, with all that it may want */

/* An element, to sort by: best first, NaN last, -0 below +0, the lower index first. */
struct entry {
    double merit;
    int64_t index;
};

static inline int by_entry(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = by_merit(&x->merit, &y->merit);
    if (order)
        return order;
    if (x->merit == 0.0 && signbit(x->merit) != signbit(y->merit))
        return signbit(x->merit) ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static inline bool same_value(double a, double b)
{
    return same_merit(a, b) && (a != 0.0 || !signbit(a) == !signbit(b));
}

/* What is wanted of both stages, or with b = 0 of exact top-k. */
struct wanted {
    uint64_t k, b, k_b;
    enum rcm_gpu_assignment assignment;
    bool values, sorted;
    bool by_index;     /* of equal values the lower index comes first in the output */
    bool lowest_index; /* and the lower ones are taken */
    unsigned index_bytes;
    bool labels;                     /* the indices are labels: label_of() */
    const int32_t *lengths, *starts; /* on the host, or NULL */
    int64_t fill;
    const int32_t *pages; /* on the host, or NULL */
    uint64_t pages_stride;
    unsigned page_size;
};

static inline void extent_of(const struct batch *batch, const struct wanted *w, uint64_t r,
                             int64_t *start, int64_t *length)
{
    const int64_t n = (int64_t)batch->n, from = w->starts ? w->starts[r] : 0;
    *start = from < 0 ? 0 : from < n ? from : n;
    *length = w->lengths ? w->lengths[r] : n;
    *length = *length < 0 ? 0 : *length < n - *start ? *length : n - *start;
}

/* Leaves the k_b best elements of each bucket of the row, in any order, and returns their number.
 * `from` has all elements, in the order of the row. */
static inline uint64_t keep_candidates(const struct entry *from, uint64_t length,
                                       const struct wanted *w, struct entry *to)
{
    uint64_t count = 0;
    struct entry *bucket = malloc((length + 1) * sizeof *bucket);
    for (uint64_t q = 0; q < w->b; q++) {
        const uint64_t size = length / w->b + (q < length % w->b),
                       step = w->assignment == RCM_GPU_INTERLEAVED ? w->b : 1,
                       first = first_of(w->assignment, length, w->b, q);
        for (uint64_t j = 0; j < size; j++)
            bucket[j] = from[first + j * step];
        qsort(bucket, size, sizeof *bucket, by_entry);
        for (uint64_t j = 0; j < size && j < w->k_b; j++)
            to[count++] = bucket[j];
    }
    free(bucket);
    return count;
}

/* The label of element i of row r; and its element, below 0 if it is the label of none there. */
static inline int32_t label_of(uint64_t r, uint64_t i)
{
    return (int32_t)(5 * i + r);
}
static inline int64_t unlabel(uint64_t r, int64_t label)
{
    return (label - (int64_t)r) % 5 == 0 ? (label - (int64_t)r) / 5 : -1;
}

/* The position in row r that the page table maps to this slot; -1 if it is none. */
static inline int64_t unpage(const struct wanted *w, uint64_t r, int64_t slot, int64_t length)
{
    for (int64_t i = slot % w->page_size; i < length; i += w->page_size)
        if (w->pages[r * w->pages_stride + (uint64_t)i / w->page_size] == slot / w->page_size)
            return i;
    return -1;
}

static inline int64_t index_at(const struct output *o, const struct wanted *w, uint64_t at)
{
    return w->index_bytes == 8 ? ((const int64_t *)o->indices)[at] : o->indices[at];
}

/* The elements that came out are as good as the best ones, and in the order that is wanted. */
static inline void check_order(const struct batch *batch, const struct wanted *w, uint64_t r,
                               struct entry *got, const struct entry *best, uint64_t found,
                               const char *what)
{
    for (uint64_t j = 1; w->sorted && w->by_index && j < found; j++)
        REQUIRE(isnan(got[j].merit) || !same_value(got[j - 1].merit, got[j].merit) ||
                    got[j - 1].index < got[j].index,
                CASE_FMT ": entry %" PRIu64 ": the lower index is not first", CASE_ARG(batch, r),
                j);
    if (!w->sorted)
        qsort(got, found, sizeof *got, by_entry);
    for (uint64_t j = 0; j < found; j++) {
        REQUIRE(same_value(got[j].merit, best[j].merit),
                CASE_FMT ": k %" PRIu64 " b %" PRIu64 ": number %" PRIu64 " is %g, want %g",
                CASE_ARG(batch, r), w->k, w->b, j, got[j].merit, best[j].merit);
        REQUIRE(!w->lowest_index || isnan(got[j].merit) || got[j].index == best[j].index,
                CASE_FMT ": k %" PRIu64 ": number %" PRIu64 " is at %" PRId64 ", want %" PRId64,
                CASE_ARG(batch, r), w->k, j, got[j].index, best[j].index);
    }
}

static inline void check_row(const struct batch *batch, const struct wanted *w,
                             const struct output *o, uint64_t r, const char *what)
{
    const enum rcm_gpu_dtype dtype = batch->dtype;
    int64_t start, length;
    extent_of(batch, w, r, &start, &length);
    const uint64_t found = w->k < (uint64_t)length ? w->k : (uint64_t)length;
    struct entry *all = malloc((batch->n + 1) * sizeof *all),
                 *best = malloc((batch->n + 1) * sizeof *best),
                 *got = malloc((w->k + 1) * sizeof *got);
    bool *seen = calloc(batch->n + 1, 1);
    for (int64_t i = 0; i < length; i++)
        all[i] = (struct entry){
            merit(dtype, element(row_of(batch, r), dtype, (uint64_t)(start + i)), batch->smallest),
            i};
    uint64_t count = (uint64_t)length;
    if (w->b)
        count = keep_candidates(all, count, w, best);
    else
        memcpy(best, all, count * sizeof *all);
    qsort(best, count, sizeof *best, by_entry);
    REQUIRE(count >= found, "the buckets keep too few");
    for (uint64_t j = 0; j < w->k; j++) {
        const uint64_t at = r * w->k + j;
        const int64_t given = index_at(o, w, at), index = j >= found  ? given
                                                          : w->labels ? unlabel(r, given) - start
                                                          : w->pages  ? unpage(w, r, given, length)
                                                                      : given;
        const uint32_t bits = element(o->values, dtype, at);
        if (j >= found) {
            REQUIRE(index == w->fill, CASE_FMT ": entry %" PRIu64 ": index %" PRId64 ", no fill",
                    CASE_ARG(batch, r), j, index);
            REQUIRE(!w->values || bits == bits_of(dtype, batch->smallest ? INFINITY : -INFINITY),
                    CASE_FMT ": entry %" PRIu64 ": fills with %x", CASE_ARG(batch, r), j, bits);
            continue;
        }
        REQUIRE(index >= 0 && index < length && !seen[index],
                CASE_FMT ": entry %" PRIu64 ": index %" PRId64 " is not valid or not new",
                CASE_ARG(batch, r), j, index);
        seen[index] = true;
        got[j] = all[index];
        REQUIRE(!w->values || bits == element(row_of(batch, r), dtype, (uint64_t)(start + index)),
                CASE_FMT ": entry %" PRIu64 ": value %x is not that at index %" PRId64,
                CASE_ARG(batch, r), j, bits, index);
    }
    check_order(batch, w, r, got, best, found, what);
    free(all);
    free(best);
    free(got);
    free(seen);
}

static inline void check_wanted(const struct batch *batch, const struct wanted *w,
                                const struct output *o, const char *what)
{
    for (uint64_t r = 0; r < batch->m; r++)
        check_row(batch, w, o, r, what);
    /* Nothing else is written. */
    const unsigned char *at = (const unsigned char *)o->indices;
    for (size_t i = o->count * w->index_bytes; i < o->count * 8; i++)
        ck_assert_uint_eq(at[i], 0xee);
    for (size_t i = 0; !w->values && i < o->count * o->bytes; i++)
        ck_assert_uint_eq(o->values[i], 0xee);
}

/* What the check on the device says of outputs on the device. The caller gives `exact` or
 * `stage1`. */
static inline struct rcm_gpu_verdict verdict_of(const struct rcm_gpu_stage1 *stage1,
                                                const struct rcm_gpu_exact *exact)
{
    struct rcm_gpu_verdict verdict, *on_device = rcm_gpu_allocate(sizeof verdict);
    const struct rcm_gpu_rows *rows = stage1 ? &stage1->rows : &exact->rows;
    void *workspace =
        rcm_gpu_allocate(rcm_gpu_check_workspace(rows->m, rows->n, stage1 ? stage1->b : 1));
    ck_assert(on_device && workspace);
    ck_assert_int_eq(stage1 ? rcm_gpu_check_stage1(stage1, on_device, workspace, NULL)
                            : rcm_gpu_check_exact(exact, on_device, workspace, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(&verdict, on_device, sizeof verdict), RCM_GPU_OK);
    rcm_gpu_free(on_device);
    rcm_gpu_free(workspace);
    return verdict;
}

static inline bool is_correct(struct rcm_gpu_verdict v)
{
    return v.invalid == 0 && v.repeated == 0 && v.misplaced == 0 && v.altered == 0 &&
           v.missed == 0 && v.wrong_rows == 0;
}

/* m rows of d components: multiples of 1/16 below 8, whose products sum to the same float32 in any
 * order; or what `kind` says. */
static inline void draw_vectors(uint16_t *to, uint64_t m, uint64_t d, enum kind kind,
                                uint64_t *state)
{
    for (uint64_t r = 0; r < m; r++)
        for (uint64_t i = 0; i < d; i++) {
            float value = roundf(16.0f * normal(state)) / 16.0f;
            if (kind == EQUAL || kind == FEW)
                value = kind == EQUAL ? 0.5f : (float)(next_random(state) % 3) - 1.0f;
            if (kind == RISING || kind == FALLING) /* for queries that are mostly of one sign */
                value = roundf(64.0f * (float)(kind == RISING ? r : m - r) / (float)m) / 16.0f;
            if (kind == SOME_INFINITE && i == 3 && r % 10 == 0)
                value = -INFINITY;
            if (kind == SOME_NAN && i == 1 && r % 3 > 0)
                value = NAN;
            to[r * d + i] = (uint16_t)bits_of(RCM_GPU_BF16, value);
        }
}

static inline struct batch products_of(const uint16_t *queries, const uint16_t *database,
                                       enum kind kind, uint64_t m, uint64_t n, uint64_t d)
{
    struct batch b = {RCM_GPU_F32, kind, m, n, n, false, 4, malloc(m * n * 4), NULL, 0, m * n * 4};
    ck_assert_ptr_nonnull(b.memory);
    for (uint64_t r = 0; r < m; r++)
        for (uint64_t j = 0; j < n; j++) {
            float sum = 0.0f;
            for (uint64_t i = 0; i < d; i++)
                sum += (float)value_of(RCM_GPU_BF16, queries[r * d + i]) *
                       (float)value_of(RCM_GPU_BF16, database[j * d + i]);
            uint32_t bits = 0x7fffffff; /* what a NaN comes out as */
            if (!isnan(sum))
                memcpy(&bits, &sum, 4);
            memcpy(b.memory + (r * n + j) * 4, &bits, 4);
        }
    return b;
}

#endif
