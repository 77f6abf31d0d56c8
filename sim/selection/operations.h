/* operations.h - the algorithms of the cost models, run on real keys, with their operations
 * counted.
 *
 * The machine is the abstract one of [Key2024] D.2. Iteration, addressing and bounds checks are
 * free. A comparison, addition, logical operation or assignment costs 1, a read-modify-write of a
 * variable 2. For a parallel algorithm steps are counted: what all threads do at once costs as much
 * as what one of them does. docs/simulation.md 6 derives the counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sim/rows/row.h>

/* Is told, by compacting_radix, after each pass how many elements have each of the digits 0 ..
 * values - 1. */
struct pass_observer {
    void (*tell)(void *to, const size_t *count, uint32_t values);
    void *to;
};

struct operations {
    uint64_t all;    /* as if every branch were taken, as the models count */
    uint64_t taken;  /* only the branches that are taken */
    uint64_t passes; /* how often the row, or what is left of it, is read */
    uint64_t bytes;  /* of keys and indices, 4 each, that are read from and written to memory, if
                        counters, queues and a threshold bin stay on the chip */
    uint64_t left;   /* the elements that are undecided after the first digit: the threshold bin. 0
                        for algorithms without digits. */
    const struct pass_observer *observer; /* NULL: none */
};

/* The input of a selection: unsigned keys of `bits` bits. Equal keys rank by index, smaller first.
 * 1 <= k <= n < 2^31. float32: the keys are key32_of() of floats, and bits is 32. The k smallest
 * values are the k largest of -x. */
struct keys {
    const uint32_t *key;
    size_t n, k;
    unsigned bits;
    bool float32;
};

/* An exact top-k algorithm. run() writes the indices of the top-k by rank to out[0 .. k), in any
 * order, and adds its operations to *cost. `digit` is the number of bits in a pass, 1 .. 16, if the
 * algorithm takes one; usual_digits, to the first 0, are those that are worth a look. Returns false
 * if memory runs out. sim_algorithm(0), .. lists the algorithms, and NULL ends the list. */
struct sim_algorithm {
    const char *name; /* as in the cost models */
    bool takes_digit;
    bool quadratic;    /* time n k */
    bool float16_bins; /* of float32 keys the first digit is that of sim_bin_of(), not of the key */
    unsigned usual_digits[5];
    bool (*run)(const struct keys *keys, unsigned digit, uint32_t *out, struct operations *cost);
};
const struct sim_algorithm *sim_algorithm(size_t index);

/* The bin of a key among 2^digit of them, larger keys in the same or a later one: the leading bits
 * of the order-preserving key of the nearest float16 (ties to even), if the keys are those of
 * float32, or else those of the key. NaN lies in bin 0, and zeros of either sign in bin
 * 2^(digit - 1). */
uint32_t sim_bin_of(const struct keys *keys, uint32_t key, unsigned digit);

/* Stage 1 by a queue of k_b elements for each of b interleaved buckets: [Samaga2025] Algorithm 1.
 * An element that does not beat the smallest of its queue takes one comparison. The indices of the
 * candidates go to out[0 .. b k_b), those of one bucket together, with UINT32_MAX in the places
 * that a bucket cannot fill. Adds to *cost and to *insertions. Returns false if memory runs out. */
bool sim_stage1_queue(const struct keys *keys, uint64_t b, uint64_t k_b, uint32_t *out,
                      struct operations *cost, uint64_t *insertions);

/* A row as keys: those of its float32 values, of 32 bits, and its ranks, n - 1 for the largest, of
 * ceil(log2 n) bits. */
struct count_row {
    uint32_t *raw, *ranks; /* n each */
    unsigned rank_bits;
};

/* Makes a row of a generated input (row.h), with `shift` added to its values, for `smallest` then
 * times -1. Returns false if
 * memory runs out; otherwise sim_count_row_free() it. For each element the row and one algorithm
 * need at most SIM_COUNT_ROW_BYTES of memory. */
#define SIM_COUNT_ROW_BYTES 32
bool sim_count_row(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, size_t n,
                   double shift, bool smallest, struct count_row *row);
void sim_count_row_free(struct count_row *row);

#endif
