/* oracle.c - see oracle.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <inttypes.h>

#include "oracle.h"

/* ---- elements and their order */

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = (double)(bits & 1023) / 1024.0, sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction > 0.0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -14) : ldexp(1.0 + fraction, exponent - 15));
}

static double value_of(enum rcm_top_k_type type, const void *element)
{
    union {
        uint8_t bytes[8];
        float f32;
        double f64;
        uint16_t u16;
        int8_t i8;
        int32_t i32;
        uint32_t u32;
    } u = {{0}};
    memcpy(u.bytes, element, rcm_top_k_type_bytes(type));
    switch (type) {
    case RCM_TOP_K_F32:
        return (double)u.f32;
    case RCM_TOP_K_F64:
        return u.f64;
    case RCM_TOP_K_F16:
        return half_value(u.u16);
    case RCM_TOP_K_BF16:
        u.u32 = (uint32_t)u.u16 << 16;
        return (double)u.f32;
    case RCM_TOP_K_I8:
        return (double)u.i8;
    default:
        return (double)u.i32;
    }
}

double oracle_merit(enum rcm_top_k_type type, const void *element, bool smallest)
{
    const double value = value_of(type, element);
    return smallest ? -value : value;
}

int oracle_by_merit(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    if (x == 0.0 && y == 0.0)
        return (signbit(x) != 0) - (signbit(y) != 0);
    return (x < y) - (x > y);
}

const unsigned char *oracle_element(const struct rcm_top_k_rows *rows, uint64_t r, uint64_t i)
{
    const int64_t stride = rows->stride ? rows->stride : 1,
                  row_stride = rows->row_stride ? rows->row_stride : (int64_t)rows->n * stride,
                  at = (int64_t)r * row_stride + (int64_t)i * stride;
    return (const unsigned char *)rows->x + at * (int64_t)rcm_top_k_type_bytes(rows->type);
}

uint64_t oracle_bucket(const struct rcm_top_k_call *call, uint64_t i)
{
    const uint64_t n = call->rows.n, b = call->b, length = n / b, longer = n % b;
    if (call->assignment == RCM_INTERLEAVED)
        return i % b;
    return i < longer * (length + 1) ? i / (length + 1)
                                     : longer + (i - longer * (length + 1)) / length;
}

/* ---- what is legal */

uint64_t oracle_outputs(const struct rcm_top_k_call *call, bool stage1)
{
    const uint64_t n = call->rows.n;
    if (!stage1)
        return call->k;
    return call->b > n / call->k_b ? n : call->b * call->k_b;
}

static bool bad_buckets(const struct rcm_top_k_call *call, bool stage1)
{
    const uint64_t n = call->rows.n, b = call->b, k_b = call->k_b;
    if (b < 1 || b > n || k_b < 1 || k_b > n / b + (n % b > 0))
        return true;
    return !stage1 && (k_b > call->k || call->k > oracle_outputs(call, true));
}

/* The rows reach over 2^63 bytes or more, in floating point: exact to one in 2^64. */
static bool too_far(const struct rcm_top_k_rows *rows)
{
    const long double stride = rows->stride ? rows->stride : 1,
                      step = rows->row_stride ? rows->row_stride : (long double)rows->n * stride,
                      reach = (rows->n - 1) * fabsl(stride) + (rows->m - 1) * fabsl(step) + 1;
    return reach * rcm_top_k_type_bytes(rows->type) >= 0x1p63L;
}

unsigned oracle_faults(const struct rcm_top_k_call *call, bool stage1, bool query)
{
    const struct rcm_top_k_rows *rows = &call->rows;
    const bool buckets = stage1 || call->method == RCM_TOP_K_BUCKETED;
    const uint64_t index_bytes = call->wide ? 8 : 4;
    unsigned faults = 0;
    if ((unsigned)rows->type >= RCM_TOP_K_TYPES ||
        (!stage1 && call->method != RCM_TOP_K_EXACT && call->method != RCM_TOP_K_BUCKETED) ||
        (buckets && call->assignment != RCM_INTERLEAVED && call->assignment != RCM_CONTIGUOUS))
        faults |= 1u << RCM_TOP_K_BAD_TYPE;
    if (rows->n < 1 || rows->n > RCM_N_MAX || rows->m < 1 ||
        (!call->wide && rows->n >= UINT64_C(1) << 31) ||
        (!stage1 && (call->k < 1 || call->k > rows->n)) || (buckets && bad_buckets(call, stage1)) ||
        too_far(rows))
        faults |= 1u << RCM_TOP_K_BAD_SHAPE;
    if (!rows->x)
        faults |= 1u << RCM_TOP_K_BAD_POINTER;
    if (query)
        return faults;
    const size_t bytes = rcm_top_k_type_bytes(rows->type);
    if ((!call->values && !call->indices) || (uintptr_t)call->indices % index_bytes ||
        (bytes && (uintptr_t)call->values % bytes))
        faults |= 1u << RCM_TOP_K_BAD_POINTER;
    return faults;
}

/* ---- what is right */

static double merit_at(const struct rcm_top_k_rows *rows, uint64_t r, uint64_t i)
{
    return oracle_merit(rows->type, oracle_element(rows, r, i), rows->smallest);
}

/* Writes the merits of the candidates of row r: the best k_b of each bucket, by sorting it. */
static uint64_t candidates_of(const struct rcm_top_k_call *call, uint64_t r, double *kept,
                              double *bucket)
{
    const uint64_t n = call->rows.n, b = call->b;
    uint64_t count = 0, first = 0;
    for (uint64_t q = 0; q < b; q++) {
        const uint64_t size = n / b + (q < n % b);
        for (uint64_t j = 0; j < size; j++)
            bucket[j] = merit_at(&call->rows, r,
                                 call->assignment == RCM_INTERLEAVED ? q + j * b : first + j);
        qsort(bucket, size, sizeof *bucket, oracle_by_merit);
        for (uint64_t j = 0; j < call->k_b && j < size; j++)
            kept[count++] = bucket[j];
        first += size;
    }
    return count;
}

/* Writes the merits that the outputs of row r must have: of stage 1 in their order, otherwise best
 * first. */
static void wanted_of(const struct rcm_top_k_call *call, bool stage1, uint64_t r, double *want,
                      double *scratch)
{
    uint64_t count = call->rows.n;
    if (stage1 || call->method == RCM_TOP_K_BUCKETED)
        count = candidates_of(call, r, want, scratch);
    else
        for (uint64_t i = 0; i < count; i++)
            want[i] = merit_at(&call->rows, r, i);
    if (!stage1)
        qsort(want, count, sizeof *want, oracle_by_merit);
}

struct scratch {
    double *want, *got, *sort;
    uint64_t *taken; /* of each bucket */
    uint8_t *seen;   /* of each element */
};

/* Index number j of row r: valid, new, of the bucket whose turn it is, and where the value is. */
static bool index_is_right(const struct rcm_top_k_call *call, bool stage1, uint64_t r, uint64_t j,
                           struct scratch *s, char why[ORACLE_WHY])
{
    const uint64_t at = r * oracle_outputs(call, stage1) + j;
    const int64_t index =
        call->wide ? ((const int64_t *)call->indices)[at] : ((const int32_t *)call->indices)[at];
    if (index < 0 || (uint64_t)index >= call->rows.n || s->seen[index]) {
        snprintf(why, ORACLE_WHY, "row %" PRIu64 ", entry %" PRIu64 ": index %" PRId64 " is %s", r,
                 j, index,
                 index < 0 || (uint64_t)index >= call->rows.n ? "not valid" : "there twice");
        return false;
    }
    s->seen[index] = 1;
    const size_t bytes = rcm_top_k_type_bytes(call->rows.type);
    const unsigned char *element = oracle_element(&call->rows, r, (uint64_t)index);
    if (call->values && memcmp(element, (const char *)call->values + at * bytes, bytes) != 0) {
        snprintf(why, ORACLE_WHY,
                 "row %" PRIu64 ", entry %" PRIu64 ": the value is not that at index %" PRId64, r,
                 j, index);
        return false;
    }
    s->got[j] = oracle_merit(call->rows.type, element, call->rows.smallest);
    if (!stage1 && call->method != RCM_TOP_K_BUCKETED)
        return true;
    const uint64_t q = oracle_bucket(call, (uint64_t)index), n = call->rows.n,
                   size = n / call->b + (q < n % call->b);
    if (++s->taken[q] > call->k_b) {
        snprintf(why, ORACLE_WHY, "row %" PRIu64 ": too many of bucket %" PRIu64, r, q);
        return false;
    }
    /* The candidates before bucket q: those of buckets as long as it, or longer. */
    const uint64_t few = n / call->b < call->k_b ? n / call->b : call->k_b,
                   many = n % call->b ? (few < call->k_b ? few + 1 : few) : few,
                   begin =
                       q < n % call->b ? q * many : n % call->b * many + (q - n % call->b) * few;
    if (stage1 && (j < begin || j >= begin + (size < call->k_b ? size : call->k_b))) {
        snprintf(why, ORACLE_WHY,
                 "row %" PRIu64 ", entry %" PRIu64 ": index %" PRId64 " is of bucket %" PRIu64, r,
                 j, index, q);
        return false;
    }
    return true;
}

static bool row_is_right(const struct rcm_top_k_call *call, bool stage1, uint64_t r,
                         struct scratch *s, char why[ORACLE_WHY])
{
    const uint64_t count = oracle_outputs(call, stage1);
    const enum rcm_top_k_type type = call->rows.type;
    wanted_of(call, stage1, r, s->want, s->sort);
    for (uint64_t j = 0; j < count; j++)
        if (call->indices && !index_is_right(call, stage1, r, j, s, why))
            return false;
        else if (!call->indices)
            s->got[j] = oracle_merit(
                type, (const char *)call->values + (r * count + j) * rcm_top_k_type_bytes(type),
                call->rows.smallest);
    if (!stage1 && !call->sorted)
        qsort(s->got, count, sizeof *s->got, oracle_by_merit);
    for (uint64_t j = 0; j < count; j++)
        if (oracle_by_merit(&s->got[j], &s->want[j]) != 0) {
            snprintf(why, ORACLE_WHY, "row %" PRIu64 ", number %" PRIu64 " is %s%.17g, not %.17g",
                     r, j, call->rows.smallest ? "minus " : "", s->got[j], s->want[j]);
            return false;
        }
    return true;
}

bool oracle_is_right(const struct rcm_top_k_call *call, bool stage1, char why[ORACLE_WHY])
{
    const uint64_t n = call->rows.n, b = stage1 || call->method == RCM_TOP_K_BUCKETED ? call->b : 1;
    struct scratch s = {malloc(n * sizeof *s.want), malloc(n * sizeof *s.got),
                        malloc(n * sizeof *s.sort), malloc(b * sizeof *s.taken), malloc(n)};
    bool right = true;
    if (!s.want || !s.got || !s.sort || !s.taken || !s.seen)
        abort();
    for (uint64_t r = 0; r < call->rows.m && right; r++) {
        memset(s.seen, 0, n);
        memset(s.taken, 0, b * sizeof *s.taken);
        right = row_is_right(call, stage1, r, &s, why);
    }
    free(s.want);
    free(s.got);
    free(s.sort);
    free(s.taken);
    free(s.seen);
    return right;
}
