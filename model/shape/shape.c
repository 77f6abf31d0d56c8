/* shape.c - the shape of a question: is it legal, and which buckets does it have?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>

#include "wide.h"

uint64_t shape_ceil_divide(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t shape_valid(struct rcm_topk p)
{
    if (p.lengths)
        return p.lengths->count ? p.lengths->length[p.lengths->count - 1] : 0;
    return p.valid ? p.valid : p.n;
}

bool shape_even(struct rcm_topk p)
{
    return p.assignment == RCM_INTERLEAVED || (!p.lengths && shape_valid(p) == p.n);
}

double shape_rows(struct rcm_topk p)
{
    return p.m ? (double)p.m : 1.0;
}

enum rcm_status rcm_check(struct rcm_topk p)
{
    if (p.n < 1 || p.n > RCM_N_MAX)
        return RCM_BAD_N;
    if (p.k < 1 || p.k > p.n)
        return RCM_BAD_K;
    if (p.lengths && (p.valid || p.lengths->count == 0 || shape_valid(p) > p.n))
        return RCM_BAD_LENGTHS;
    if (!p.lengths && (shape_valid(p) < p.k || shape_valid(p) > p.n))
        return RCM_BAD_VALID;
    if (p.b < 1 || p.b > p.n)
        return RCM_BAD_B;
    if (p.k_b < 1 || p.k_b > RCM_N_MAX)
        return RCM_BAD_K_B;
    return RCM_OK;
}

enum rcm_status rcm_check_deployable(struct rcm_topk p)
{
    enum rcm_status status = rcm_check(p);
    if (status != RCM_OK)
        return status;
    if (p.k_b > p.k || p.k_b > shape_ceil_divide(p.n, p.b))
        return RCM_BAD_K_B;
    if (p.b < shape_ceil_divide(p.k, p.k_b))
        return RCM_TOO_FEW;
    return RCM_OK;
}

/* The text about one of the counts, which is too small or too large. */
static int count_text(char *buffer, size_t size, const char *name, uint64_t value,
                      const char *most_name, uint64_t most)
{
    if (value < 1)
        return snprintf(buffer, size, "%s is zero; give a whole number from 1 on", name);
    return snprintf(buffer, size,
                    "%s = %" PRIu64 " is larger than %s = %" PRIu64 "; give at most that", name,
                    value, most_name, most);
}

static int k_b_text(char *buffer, size_t size, struct rcm_topk p)
{
    if (p.k_b < 1 || p.k_b > RCM_N_MAX)
        return count_text(buffer, size, "k_b", p.k_b, "2^53 - 1", RCM_N_MAX);
    if (p.k_b > p.k)
        return count_text(buffer, size, "k_b", p.k_b, "k", p.k);
    const uint64_t high = rcm_deployable_b(p).high;
    char remedy[48] = "a smaller k_b";
    if (high > 0)
        snprintf(remedy, sizeof remedy, "b = %" PRIu64 " or less", high);
    return snprintf(buffer, size,
                    "k_b = %" PRIu64 " is larger than a bucket of n = %" PRIu64 ", b = %" PRIu64
                    "; give %s",
                    p.k_b, p.n, p.b, remedy);
}

static int status_text(char *buffer, size_t size, enum rcm_status status, struct rcm_topk p)
{
    switch (status) {
    case RCM_BAD_N:
        return count_text(buffer, size, "n", p.n, "2^53 - 1", RCM_N_MAX);
    case RCM_BAD_K:
        return count_text(buffer, size, "k", p.k, "n", p.n);
    case RCM_BAD_VALID:
        if (p.valid >= p.k)
            return count_text(buffer, size, "valid", p.valid, "n", p.n);
        return snprintf(buffer, size,
                        "valid = %" PRIu64 " is less than k = %" PRIu64 "; give at least that",
                        p.valid, p.k);
    case RCM_BAD_B:
        return count_text(buffer, size, "b", p.b, "n", p.n);
    case RCM_BAD_K_B:
        return k_b_text(buffer, size, p);
    case RCM_TOO_FEW:
        return snprintf(buffer, size,
                        "b = %" PRIu64 " with k_b = %" PRIu64 " keeps fewer than k = %" PRIu64
                        " candidates; give b = %" PRIu64 " or more",
                        p.b, p.k_b, p.k, shape_ceil_divide(p.k, p.k_b ? p.k_b : 1));
    case RCM_BAD_LENGTHS:
        if (p.valid)
            return snprintf(buffer, size, "lengths and valid exclude each other; give one");
        return count_text(buffer, size, "lengths", shape_valid(p), "n", p.n);
    default:
        return snprintf(buffer, size, "%s", "");
    }
}

size_t rcm_status_text(enum rcm_status status, struct rcm_topk p, char *buffer, size_t size)
{
    return (size_t)status_text(buffer, size, status, p);
}

struct rcm_range rcm_deployable_b(struct rcm_topk p)
{
    p.b = 1;
    if (rcm_check(p) != RCM_OK || p.k_b > p.k)
        return (struct rcm_range){0, 0};
    /* ceil(n/b) >= k_b  <=>  n/b > k_b - 1 */
    uint64_t high = p.k_b == 1 ? p.n : shape_ceil_divide(p.n, p.k_b - 1) - 1;
    uint64_t low = shape_ceil_divide(p.k, p.k_b);
    return low <= high ? (struct rcm_range){low, high} : (struct rcm_range){0, 0};
}

uint64_t rcm_candidates(struct rcm_topk p)
{
    if (rcm_check(p) != RCM_OK)
        return 0;
    return p.k_b >= shape_ceil_divide(p.n, p.b) ? p.n : p.b * p.k_b;
}

static void add_class(struct rcm_buckets *buckets, uint64_t size, uint64_t count)
{
    if (count == 0)
        return;
    buckets->of[buckets->classes].size = size;
    buckets->of[buckets->classes].count = count;
    buckets->classes++;
}

struct rcm_buckets rcm_buckets_of(struct rcm_topk p)
{
    struct rcm_buckets buckets = {0};
    if (rcm_check(p) != RCM_OK || p.lengths)
        return buckets;
    uint64_t valid = shape_valid(p);
    if (shape_even(p)) {
        add_class(&buckets, valid / p.b + 1, valid % p.b);
        add_class(&buckets, valid / p.b, p.b - valid % p.b);
        return buckets;
    }
    uint64_t size = p.n / p.b, longer = p.n % p.b; /* size >= 1, for b <= n */
    uint64_t full_longer, full_shorter;
    if (p.assignment == RCM_CONTIGUOUS_FLOOR) {
        /* Run j begins at ceil(n j / b). So floor(b valid / n) runs are full, and the beginning
         * of the next one tells how many of them are longer. */
        uint64_t full = (uint64_t)((uint128)p.b * valid / p.n);
        full_longer = (uint64_t)(((uint128)p.n * full + p.b - 1) / p.b) - full * size;
        full_shorter = full - full_longer;
    } else {
        /* The first `longer` runs have size + 1 elements, the others size; the valid elements fill
         * them in order. */
        full_longer = valid / (size + 1) < longer ? valid / (size + 1) : longer;
        full_shorter = full_longer < longer ? 0 : (valid - full_longer * (size + 1)) / size;
    }
    uint64_t partial = valid - full_longer * (size + 1) - full_shorter * size;
    uint64_t empty = p.b - full_longer - full_shorter - (partial > 0);
    if (partial == size) { /* one element short of a longer one */
        full_shorter++;
        partial = 0;
    }
    add_class(&buckets, size + 1, full_longer);
    add_class(&buckets, size, full_shorter);
    add_class(&buckets, partial, partial > 0);
    add_class(&buckets, 0, empty);
    return buckets;
}

void rcm_each(double (*of)(struct rcm_topk), const struct rcm_topk *p, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = of(p[i]);
}
