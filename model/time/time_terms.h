/* time_terms.h - internal to model/time/: what the models of a time share, and their rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIME_TERMS_H
#define TIME_TERMS_H

#include <model/recallmodel/time.h>

/* A smooth maximum of times that overlap: two equal ones give 2^(1/3) times one of them. */
double time_overlap(double a, double b, double c, double d);

/* One element at this k_b, interpolated in logarithms between the two nearest k_b that were
 * measured. NaN outside of these. */
double time_element_us(const struct rcm_profile *q, uint64_t k_b);

/* The part of `read` bytes that comes from memory and not from cache. */
double time_memory_part(const struct rcm_profile *q, double read);

/* Are the buckets of p contiguous, and does the profile tell them from interleaved ones? */
bool time_is_contiguous(const struct rcm_profile *q, struct rcm_topk p);

/* Raises the low end of a band to what every kernel takes on the device, but not above the time. */
void time_raise_low(struct rcm_prediction *r, const struct rcm_device *device, enum rcm_dtype dtype,
                    struct rcm_topk p);

/* The name of the largest of some terms. */
struct time_term {
    const char *name;
    double us;
};
const char *time_largest(const struct time_term *terms, size_t count);

/* ---- the models: a row for each */

/* The shape is legal, and m n is less than 2^106. */
struct time_model {
    /* rcm_profile_lacks(), but for the numbers that are needed; NULL: nothing more is */
    const char *(*lacks)(const struct rcm_profile *q);
    bool needs; /* the parameters that are `needed` */
    /* Both stages, without band and ranges; NULL: it has no stage 1. */
    struct rcm_prediction (*predict)(const struct rcm_profile *q, struct rcm_topk p);
    bool tells_contiguous; /* they are in predict(), and contiguous_ratio is not used */
    /* Exact top-k: its time, and the way that it goes. NULL: no time is known, nor of stage 1. */
    double (*exact_us)(const struct rcm_profile *q, struct rcm_topk p);
    const char *(*exact_way)(const struct rcm_profile *q, struct rcm_topk p);
    /* The shortest row, longer than p.n, from which exact top-k may take less; 0: none. NULL: where
     * exact_way() changes, which it does once. Between two of them the time grows with n. */
    uint64_t (*next_n)(const struct rcm_profile *q, struct rcm_topk p);
    /* Exact top-k of c values in each of m rows, without the time to write them. NULL: exact top-k
     * is by threshold. */
    double (*select_us)(const struct rcm_profile *q, double m, double c);
};
extern const struct time_model time_by_work, time_short, time_of_cpu, time_of_exact;

extern const struct rcm_prediction time_unknown; /* all of it NaN */

/* "split" or "one block", as the kernel has it. */
const char *time_way_of_splits(const struct rcm_profile *q, struct rcm_topk p);

#endif
