/* partition.h - k-means: a partition of keys into C buckets, one for each centroid.
 *
 * Euclidean: the centroid of a bucket is the mean of its keys, a key belongs to the nearest one,
 * and the objective is the sum of |x - c|^2. Spherical (Dhillon and Modha 2001): keys are divided
 * by their norms first, centroids are unit vectors, and the nearest is that of the largest inner
 * product. Of equally near centroids a key takes the first. docs/models.md, section 18.
 *
 * Every result is the same, to the bit, for any number of OpenMP threads: products are taken in
 * fixed blocks of PARTITION_BLOCK keys, and each sum over keys in rising order of the keys. Keys
 * are finite floats whose squares add up to a finite float. Where memory runs out, the handler of
 * base/memory.h is called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARTITION_H
#define PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/watch.h>

enum {
    PARTITION_BLOCK = 512,        /* keys in a product; their scores stay in the cache */
    PARTITION_SEED_KEYS = 100000, /* k-means++ looks at no more keys than these */
};

struct partition {
    uint32_t clusters, d;
    bool spherical;
    float *centroids;  /* [clusters][d] */
    float *half_norms; /* |c|^2 / 2; 0 if spherical. Nearest: the largest x.c - half_norm */
};

struct partition_options {
    uint32_t clusters;   /* C >= 1; it may exceed the number of keys: some buckets are then empty */
    uint32_t iterations; /* of Lloyd, at most; 0: the seeds alone */
    bool spherical;
    uint64_t seed, salt; /* of the random numbers (RANDOM_CENTROIDS) */
};

struct partition_report {
    uint32_t iterations; /* that lowered the objective */
    uint32_t reseeded;   /* empty buckets that were given a key, over all iterations */
    double objective;    /* after the last update, of the assignment before it; NaN: no iteration */
};

/* A partition of n keys [n][d], by k-means++ (Arthur and Vassilvitskii 2007) and Lloyd.
 * Seeds       the first is uniform; each further one is key x with probability D(x)^2 / sum of
 *             D^2, D being the distance to the nearest seed so far, or uniform where that sum is
 *             0. If n > PARTITION_SEED_KEYS, the seeds come from so many keys, drawn without
 *             replacement.
 * Iteration   each key to its nearest centroid; empty buckets are filled; each centroid becomes
 *             the mean of its keys (spherical: divided by its norm, and unchanged if that is 0).
 * Empty ones  the first empty bucket takes the key that is farthest from its own centroid, the
 *             second the next, and so on; of equal ones the first; a key that is alone in its
 *             bucket or lies on its centroid stays. A bucket for which no key is left stays
 *             empty and keeps its centroid.
 * Stops       when no key changes its bucket, after `iterations`, when the watch says so, or when
 *             an iteration does not lower the objective; the centroids before that iteration are
 *             then kept. So the objective never rises, rounding or not.
 * Accuracy    distances are float32, so a key may take a centroid that is farther by some 1e-6
 *             of |x| |c|. Sums over keys and the objective are double.
 * Domain      1 <= n < 2^32, 1 <= d.
 * Stopped     by watch->stop(), it has the centroids of the last whole iteration, and without one
 *             the seeds found so far, and zeros.
 * Returns     the partition; the caller frees it. `report` and `watch` may be NULL. */
struct partition *partition_train(const float *keys, uint32_t n, uint32_t d,
                                  const struct partition_options *options,
                                  const struct watch *watch, struct partition_report *report);

/* Lloyd's iterations alone, from the centroids of the partition, as above. If it is spherical, the
 * keys are of norm 1. */
void partition_improve(struct partition *partition, const float *keys, uint32_t n,
                       uint32_t iterations, const struct watch *watch,
                       struct partition_report *report);

/* A partition with these centroids [clusters][d], which are copied. */
struct partition *partition_new(uint32_t clusters, uint32_t d, bool spherical,
                                const float *centroids);
void partition_free(struct partition *partition);

/* The bucket of each of n keys. */
void partition_assign(const struct partition *partition, const float *keys, uint32_t n,
                      uint32_t *bucket);

/* The same until the watch stops it. Returns whether it came to the end; otherwise some buckets are
 * not set. */
bool partition_assign_watched(const struct partition *partition, const float *keys, uint32_t n,
                              uint32_t *bucket, const struct watch *watch);

#endif
