/* cases.h - random rows and calls for the tests of topk/. Draws are integers and exact arithmetic,
 * so that every machine draws the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CASES_H
#define CASES_H

#include <tests/test.h>
#include <topk/topk.h>

enum kind {
    KINDS_OF_ROWS,
    DENORMALS,
    RARE_NAN,
    NEIGHBOURS, /* the best lie side by side */
    EXTREMES,
    KINDS
};

extern const char *const kind_names[KINDS];
extern const char *const type_names[RCM_TOP_K_TYPES];

struct topk_case {
    struct rcm_top_k_call call; /* its outputs are NULL */
    bool stage1;
    enum kind kind;
    bool want_values, want_indices;
    size_t shift;        /* bytes by which x is off an aligned address; may be odd */
    bool odd_arithmetic; /* the caller rounds down and takes denormals as zero */
};

/* Uniform in the number of bits, and each end one time in eight. */
uint64_t draw_scale(uint64_t *state, uint64_t low, uint64_t high);

/* A legal call with n up to n_max, biased to the corners. What a method does not read has any
 * value. x is NULL. */
struct topk_case draw_case(uint64_t *state, uint64_t n_max);

/* b, k_b, k of a legal call with this n. */
void draw_shape(struct topk_case *c, uint64_t *state);

/* The bytes from the first to the last element of the rows, and (`before`) how many of them lie
 * before element 0 of row 0. */
size_t rows_bytes(const struct rcm_top_k_rows *rows, size_t *before);

/* Fills `bytes` at `block` with rows of this kind; what lies between the elements would be among
 * the best. Sets x. */
void draw_rows(struct rcm_top_k_rows *rows, enum kind kind, unsigned char *block, uint64_t *state);

/* The bits of a number in this type: truncated, and integers 20 (int8) or 10^6 times as large. */
uint64_t number_bits(enum rcm_top_k_type type, double number);

/* A case in words. */
#define CASE_FMT \
    "%s %s%s%s, %s, m %" PRIu64 " n %" PRIu64 " k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 \
    "%s%s%s%s, stride %" PRId64 " row %" PRId64 " shift %zu threads %u"
#define CASE_ARG(c) \
    type_names[(c)->call.rows.type], \
        (c)->stage1                           ? "stage 1" \
        : (c)->call.method == RCM_TOP_K_EXACT ? "exact" \
                                              : "bucketed", \
        (c)->call.assignment == RCM_INTERLEAVED ? "" : " contiguous", \
        (c)->call.rows.smallest ? " smallest" : "", kind_names[(c)->kind], (c)->call.rows.m, \
        (c)->call.rows.n, (c)->call.k, (c)->call.b, (c)->call.k_b, \
        (c)->call.sorted ? " sorted" : "", (c)->call.wide ? " wide" : "", \
        (c)->want_values ? "" : " no values", (c)->want_indices ? "" : " no indices", \
        (c)->call.rows.stride, (c)->call.rows.row_stride, (c)->shift, (c)->call.threads

#endif
