/* seeding.h - internal to attention/: the seeds of k-means++, as partition.h describes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEEDING_H
#define SEEDING_H

#include <stdbool.h>

#include <sim/rows/random.h>

#include <base/watch.h>

/* Writes C of the keys [n][d] into centroids [clusters][d]. Returns whether it came to the end; if
 * the watch (NULL: none) stops it, the centroids that lack are zeros. */
bool seed_centroids(float *centroids, uint32_t clusters, const float *keys, uint32_t n, uint32_t d,
                    struct random_key key, const struct watch *watch);

/* The first i at which the running sum of the weights exceeds unit * their sum, 0 <= unit < 1: i
 * is drawn with probability weight[i] / sum. An i of weight 0 is never returned. `total` is the
 * sum of draw_total(). Domain: weights >= 0, total > 0. */
uint32_t draw_weighted(const float *weights, uint32_t n, double total, double unit);
double draw_total(const float *weights, uint32_t n);

#endif
