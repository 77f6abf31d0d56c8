/* time_terms.h - internal to model/time/: what the models of a time share, and the model of a CPU.
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

/* The name of the largest of some terms. */
struct time_term {
    const char *name;
    double us;
};
const char *time_largest(const struct time_term *terms, size_t count);

/* ---- a CPU: docs/models.md 14, "A CPU". The shape is legal, and m n is less than 2^106. */

/* Has the profile what every prediction needs? */
bool time_cpu_is_whole(const struct rcm_profile *q);

/* Both stages, without band and ranges. */
struct rcm_prediction time_cpu_predict(const struct rcm_profile *q, struct rcm_topk p);

/* Exact top-k of n elements: "groups" or "radix", and its time. */
const char *time_cpu_way(const struct rcm_profile *q, struct rcm_topk p);
double time_cpu_exact_us(const struct rcm_profile *q, struct rcm_topk p);

/* ---- a kernel of exact top-k alone: docs/models.md 19. The shape is legal. */

/* Has the profile what a prediction needs? */
bool time_exact_is_whole(const struct rcm_profile *q);

/* The time, NaN for k = n; and the way that a row goes: "short" or "long". */
double time_exact_us(const struct rcm_profile *q, struct rcm_topk p);
const char *time_exact_way(const struct rcm_profile *q, struct rcm_topk p);

#endif
