/* count.h - the algorithms of the cost models, run on real keys with their operations counted.
 *
 * The abstract machine of [Key2024] D.2: iteration, addressing and bounds checks are free; a
 * comparison, addition, logical operation or assignment costs 1, a read-modify-write of a
 * variable 2. A parallel algorithm counts steps: what all threads do at once costs what one does.
 * Derivation of the counts: docs/simulation.md 6.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row.h"

struct work {
    uint64_t all;   /* every branch counted as taken, as the models do */
    uint64_t taken; /* only those really taken */
};

/* What is selected from: unsigned keys of `bits` bits, of which equal ones rank by index, smaller
 * first. 1 <= k <= n < 2^31. */
struct keys {
    const uint32_t *key;
    size_t n, k;
    unsigned bits;
};

/* An exact top-k algorithm: writes the indices of the top-k by rank to out[0 .. k), in any order,
 * and adds its work. digit: bits a pass, 1 .. 16, for those that take them. Returns false when
 * memory runs out. A registry: sim_algorithm(0), .. until NULL. */
struct sim_algorithm {
    const char *name; /* as in the cost models */
    bool takes_digit;
    bool quadratic; /* time n k */
    bool (*run)(const struct keys *keys, unsigned digit, uint32_t *out, struct work *work);
};
const struct sim_algorithm *sim_algorithm(size_t index);

/* Stage 1 by a queue of k_b in each of b interleaved buckets: [Samaga2025] Algorithm 1. Taken:
 * where the queue's smallest is not beaten, one comparison. The candidates' indices go to out[0 ..
 * b k_b), those of one bucket together, UINT32_MAX where a bucket has fewer. */
bool sim_stage1_queue(const struct keys *keys, uint64_t b, uint64_t k_b, uint32_t *out,
                      struct work *work, uint64_t *insertions);

/* A row as keys: of its float32 values (32 bits), and of its ranks, n - 1 the largest (ceil(log2 n)
 * bits). */
struct count_row {
    uint32_t *raw, *ranks; /* n each */
    unsigned rank_bits;
};
#define SIM_COUNT_ROW_BYTES \
    52 /* of memory that sim_count_row() takes for an element, at most; the algorithms take less \
        */
bool sim_count_row(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, size_t n,
                   struct count_row *row);
void sim_count_row_free(struct count_row *row);

#endif
