/* recallmodel/filter.h - exact top-k by a filter: how much passes a threshold that is raised as the
 * row is read, or that a sample gives?
 *
 * In every function the elements lie anywhere with equal probability, and no two are equal.
 * Implemented in the folder recall.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_FILTER_H
#define RECALLMODEL_FILTER_H

#include "shape.h"

RCM_BEGIN

/* ---- a running threshold
 *
 * The row is read in blocks of `block` elements, the last one shorter. What is larger than the
 * threshold, which is -infinity at first, goes into a buffer. When a block ends with at least
 * k + more elements in it, the buffer is compacted: its k largest stay, and the smallest of them is
 * the threshold. At the end its k largest are the top k. A buffer of k + more + block - 1 suffices.
 * Source    the deep dive in the docs of DeepSelect, with B = block and B2 = more. There blocks
 *           come in a random order, for which the bound holds on any row. */
struct rcm_filter {
    uint64_t n, k, block, more;
};

/* Over rows:
 *   appended     elements that go into the buffer, mean and standard deviation
 *   compactions  within the row, mean and standard deviation; one more ends it
 *   selected     the elements of all selections of k, that at the end included:
 *                appended + k compactions; the mean
 *   bound        what the authors prove it to be at most: (1 + k/more)(k + block + more) H, H the
 *                sum of 1/i over the blocks
 * Domain    1 <= k <= n <= RCM_N_MAX, 1 <= block, 1 <= more, at most RCM_FILTER_BLOCKS blocks;
 *           otherwise NaN. Also NaN if memory runs out.
 * Accuracy  relative error <= RCM_FILTER_MAX_RELERR, of the standard deviations 1e-6.
 * Time      up to 1 us for each pair of blocks between which a compaction can end: some .1 s for
 *           1024 blocks, three seconds for 16384.
 * Source    docs/models.md 25. */
#define RCM_FILTER_BLOCKS 16384
#define RCM_FILTER_MAX_RELERR 1e-9
struct rcm_filter_work {
    double appended, appended_sd, compactions, compactions_sd, selected, bound;
};
struct rcm_filter_work rcm_filter(struct rcm_filter filter);

/* P(a row has at most so many compactions). Domain and accuracy as above, absolute. */
double rcm_filter_compactions_at_most(struct rcm_filter filter, uint64_t compactions);

/* P(a row appends at most so many elements). P(its buffer never holds more than room).
 * Domain    as above; not more than RCM_FILTER_DISTRIBUTION_NUMBERS numbers at once, 80 for each of
 *           more + block, and RCM_FILTER_DISTRIBUTION_SUMS sums; otherwise NaN.
 * Accuracy  absolute error <= RCM_FILTER_DISTRIBUTION_MAX_ERR.
 * Time      a second for 3e9 sums; most filters of k <= 1000 take one or two. */
#define RCM_FILTER_DISTRIBUTION_NUMBERS 0x1p23
#define RCM_FILTER_DISTRIBUTION_SUMS 3e10
#define RCM_FILTER_DISTRIBUTION_MAX_ERR 1e-8
double rcm_filter_appended_at_most(struct rcm_filter filter, uint64_t appended);
double rcm_filter_buffer_at_most(struct rcm_filter filter, uint64_t room);

/* The least numbers that all but this share of the rows stay within, the share to 1 % of itself: of
 * elements that are appended, and that the buffer ever holds. 0: outside that domain. Domain:
 * RCM_FILTER_SHARE_LEAST <= share < 1. */
#define RCM_FILTER_SHARE_LEAST 1e-7
struct rcm_filter_quantiles {
    uint64_t appended, buffer;
};
struct rcm_filter_quantiles rcm_filter_quantiles(struct rcm_filter filter, double share);

/* The block and more with the least `selected` for which a buffer of `room` elements suffices, of
 * the blocks of which a row has at most RCM_FILTER_BLOCKS/8; block = 0: none is. Of rows of up to
 * 4096 elements and up to 512 blocks all are tried. Otherwise a search finds one that selects at
 * most 1 % more, in every case that was tried.
 * Time      up to some four seconds. */
struct rcm_filter rcm_best_filter(uint64_t n, uint64_t k, uint64_t room);

/* ---- the threshold of a sample
 *
 * The rank-th largest of `sample` elements of the row is the threshold; what reaches it survives.
 * How many do is that element's own rank in the row. */
struct rcm_sample {
    uint64_t n, k, sample, rank;
};

/* The mean and the standard deviation of the survivors; P(they are fewer than k); P(they are more
 * than room).
 * Domain    1 <= k <= n <= RCM_N_MAX, 1 <= rank <= sample <= n; otherwise NaN.
 * Accuracy  relative error <= 1e-12 of each, of probabilities down to 1e-300. */
struct rcm_survivors {
    double mean, sd, too_few, too_many;
};
struct rcm_survivors rcm_sampled(struct rcm_sample sample, uint64_t room);

/* The least rank for which too few survive in at most this share of the rows; 0: none. */
uint64_t rcm_sample_rank(uint64_t n, uint64_t k, uint64_t sample, double too_few);

/* The least room that more survivors exceed in at most this share of the rows; 0: outside the
 * domain. */
uint64_t rcm_sample_room(struct rcm_sample sample, double too_many);

RCM_END

#endif
