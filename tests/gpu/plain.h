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
