/* recallmodel/shape.h - the question: n, k, b, k_b and m. Is it legal, what are its buckets, and
 * which b does it allow? The letters are those of recallmodel.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_SHAPE_H
#define RECALLMODEL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linkage.h"

RCM_BEGIN

#define RCM_N_MAX ((UINT64_C(1) << 53) - 1) /* largest n: every integer up to here is a double */

/* Which bucket element i of a row goes to. Each assignment gives n mod b buckets of ceil(n/b)
 * elements and the rest floor(n/b). They differ in what a padded row (valid < n) leaves in the
 * buckets. Any value that is not listed means RCM_CONTIGUOUS. */
enum rcm_assignment {
    /* bucket i mod b: the buckets of a row with L valid elements are those of n = L */
    RCM_INTERLEAVED = 0,
    /* runs, the n mod b longer ones first: full buckets, one partial one, then empty ones */
    RCM_CONTIGUOUS = 1,
    /* runs, bucket floor(b i / n): as before, but the longer ones are spread evenly */
    RCM_CONTIGUOUS_FLOOR = 2,
};

/* The lengths of the rows of a batch: rows[i] of all its rows have length[i] elements. The lengths
 * rise. rcm_lengths_of() makes one from the length of each row. */
struct rcm_lengths {
    size_t count; /* from 1 on */
    uint64_t all; /* the sum of rows[i] */
    uint64_t *length, *rows;
};

/* One question. Fields that are left out are zero: m = 0 means 1, valid = 0 means n.
 *
 * Domain of every function that takes it, unless it says otherwise: 1 <= k <= n <= RCM_N_MAX,
 * 1 <= b <= n, 1 <= k_b <= RCM_N_MAX. b need not divide n; b k_b < k is allowed. k <= valid <= n:
 * only the first `valid` elements of the row exist, the rest is padding.
 *
 * With `lengths`, which the caller keeps, that number differs from row to row: 0 to n; `valid` is
 * 0. A row of at most k elements comes back whole and loses nothing. The answer is about a row
 * drawn from the batch: a loss or a probability is the mean over its rows, the sd that of such a
 * row. So answer the functions of recall.h but for rcm_survival, rcm_loss_series, rcm_rule_b (the b
 * for the longest row) and rcm_reaching; and rcm_select and what else goes by these. Times, costs
 * and candidates are those of padded rows of n. Other functions return NaN, 0 or an error. */
struct rcm_topk {
    uint64_t n, k, b, k_b, m;
    uint64_t valid;
    enum rcm_assignment assignment;
    const struct rcm_lengths *lengths; /* NULL: each row has `valid` elements */
};

/* ---- is it legal? */

enum rcm_status {
    RCM_OK = 0,
    RCM_BAD_N,       /* not 1 <= n <= RCM_N_MAX */
    RCM_BAD_K,       /* not 1 <= k <= n */
    RCM_BAD_VALID,   /* not k <= valid <= n */
    RCM_BAD_B,       /* not 1 <= b <= n */
    RCM_BAD_K_B,     /* rcm_check: not 1 <= k_b <= RCM_N_MAX;
                        rcm_check_deployable: also k_b > min(k, ceil(n/b)) */
    RCM_TOO_FEW,     /* b k_b < k (rcm_check_deployable only) */
    RCM_BAD_LENGTHS, /* no lengths, one above n, or `valid` beside them */
};

/* Is p in the domain of this library? */
enum rcm_status rcm_check(struct rcm_topk p);

/* Could p be deployed: is it in the domain, with at least k candidates and no k_b larger than
 * min(k, ceil(n/b))? */
enum rcm_status rcm_check_deployable(struct rcm_topk p);

/* What a status of the two functions above says about its p, in words and with its numbers, such
 * as "k = 20 is larger than n = 10; give at most that". Empty for RCM_OK. Writes at most `size`
 * bytes, the final zero included, as snprintf does.
 * Returns   the length of the whole text without the zero, less than RCM_STATUS_TEXT_MOST. */
#define RCM_STATUS_TEXT_MOST 200
size_t rcm_status_text(enum rcm_status status, struct rcm_topk p, char *buffer, size_t size);

/* The smallest and the largest b that rcm_check_deployable accepts for p.n, p.k and p.k_b (p.b is
 * not read): ceil(k/k_b), and the largest b with ceil(n/b) >= k_b. Both are 0 if there is none. */
struct rcm_range {
    uint64_t low, high;
};
struct rcm_range rcm_deployable_b(struct rcm_topk p);

/* ---- candidates and buckets */

/* The candidates that stage 1 hands on: min(b k_b, n), padding included. 0 outside the domain. */
uint64_t rcm_candidates(struct rcm_topk p);

/* The sizes of the buckets, as a few classes of equal ones: `count` buckets with `size` valid
 * elements each. The rcm_buckets_... functions of recall.h take any partition that has few distinct
 * sizes. */
#define RCM_MAX_CLASSES 4
struct rcm_buckets {
    unsigned classes;
    struct {
        uint64_t size, count;
    } of[RCM_MAX_CLASSES];
};

/* The classes of p, the largest size first; classes = 0 outside the domain, and with lengths. */
struct rcm_buckets rcm_buckets_of(struct rcm_topk p);

/* ---- numbers of buckets: multiples and divisors */

/* The prime factors of n, 1 <= n <= RCM_N_MAX; count = 0 for any other n. Takes less than a
 * millisecond. */
#define RCM_MAX_PRIMES 15 /* the product of the first 16 primes exceeds 2^53 */
struct rcm_factors {
    unsigned count;
    uint64_t prime[RCM_MAX_PRIMES];
    unsigned exponent[RCM_MAX_PRIMES];
};
struct rcm_factors rcm_factorise(uint64_t n);

/* The smallest b >= low, and the largest b <= high, that is a multiple of `align` (0 or 1: any), at
 * most n, and divides n if divisors_of (the factors of n) is given. 0 if there is none. */
uint64_t rcm_next_b(uint64_t n, uint64_t low, uint64_t align,
                    const struct rcm_factors *divisors_of);
uint64_t rcm_previous_b(uint64_t n, uint64_t high, uint64_t align,
                        const struct rcm_factors *divisors_of);

/* What b must be. */
struct rcm_restriction {
    uint64_t align;                        /* a multiple of this; 0 or 1: any */
    const struct rcm_factors *divisors_of; /* the factors of n, which b must divide; NULL: any b */
};

/* ---- rows of different lengths */

/* The lengths of `count` rows, each at most RCM_N_MAX, in any order: sorted, and equal ones put
 * together. More than RCM_LENGTHS_MOST are put together further, so that at most twice as many and
 * two are left: neighbours in the order that are at most 1/RCM_LENGTHS_MOST of the rows count as
 * rows of their mean length, rounded, but for the shortest and the longest. The mean over rows of
 * what rises with the length so moves by at most (its largest - its smallest value) /
 * RCM_LENGTHS_MOST, mostly by far less.
 * Returns   0; or -1 where count is 0, a length is too large, or memory runs out. Then *lengths is
 *           empty. rcm_lengths_free frees it. */
#define RCM_LENGTHS_MOST 256
int rcm_lengths_of(const uint64_t *of_row, size_t count, struct rcm_lengths *lengths);
void rcm_lengths_free(struct rcm_lengths *lengths);

/* ---- many shapes */

/* out[i] = of(p[i]) for i < count: any function of a shape. For languages in which a call costs
 * more than the answer. It adds nothing to the contract of the function. */
void rcm_each(double (*of)(struct rcm_topk), const struct rcm_topk *p, size_t count, double *out);

RCM_END

#endif
