/* hashing.h - internal to attention/: locality-sensitive hashes of keys and queries, from the signs
 * or the largest of random projections.
 *
 * A hash of table t is a function of the projections of a vector on `columns` random directions:
 * independent standard normal values, repetition t of RANDOM_HASH with the number of the key head
 * as salt.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_HASHING_H
#define METHODS_HASHING_H

#include <attention/method.h>
#include <base/watch.h>

struct hashing {
    uint32_t tables, columns, d;
    float *directions; /* [tables][columns][d] */
    uint32_t (*hash)(const float *projections, uint32_t columns);
};

/* One bit for each projection, the first the lowest: 1 if it is not negative. columns <= 32.
 * Charikar 2002: two vectors at the angle x agree in a bit with probability 1 - x / pi. */
uint32_t hash_signs(const float *projections, uint32_t columns);

/* argmax([x; -x]): the number of the largest of the projections and their opposites, below
 * 2 columns; of equal ones the first. Andoni et al. 2015. */
uint32_t hash_argmax(const float *projections, uint32_t columns);

/* Sets the directions of `hashing`; its other members are set. The caller frees the directions. */
void hashing_draw(struct hashing *hashing, uint64_t seed, uint32_t group);

/* hashes[t][i] = the hash of row i, less `centre` unless that is NULL, in table t; rows x d. Same
 * bits for any number of threads. Returns whether it came to the end, which the watch may prevent;
 * otherwise some hashes are not set. */
bool hash_rows(const struct hashing *hashing, const float *rows, size_t count, const float *centre,
               uint32_t *hashes, const struct watch *watch);

/* hashes[t] = the hash of one vector in table t, for the first `tables` tables. */
void hash_vector(const struct hashing *hashing, const float *vector, uint32_t tables,
                 uint32_t *hashes);

/* Visits the keys j of the range with marks[j - range.first] != 0. */
void visit_marked(struct visit *visit, const uint8_t *marks, struct key_range range, bool weighted);

/* Bytes of the number of a key in a table, and of the place where a bucket begins. */
#define HASH_ENTRY_BYTES 4

/* What a knob means where it goes on after all tables: the first `tables` values of the knob are so
 * many tables, in stage 0; each further value takes the next table one stage further, all tables
 * once around. So `count` tables are in `stage`, those behind them in the stage before, and where
 * stage is 0 these are not used. */
struct hash_stage {
    uint32_t stage, count; /* 0, 0 for the knob 0 */
    uint32_t used;         /* tables: all from stage 1 on */
};

static inline struct hash_stage hash_stage(uint32_t knob, uint32_t tables)
{
    const uint32_t stage = knob > 0 ? (knob - 1) / tables : 0, count = knob - stage * tables;
    return (struct hash_stage){stage, count, stage > 0 ? tables : count};
}

/* The stage of a table that is used. */
static inline uint32_t hash_stage_of(struct hash_stage s, uint32_t table)
{
    return table < s.count ? s.stage : s.stage - 1;
}

/* The last knob of so many stages, as far as it fits. */
static inline uint32_t hash_knob_max(uint32_t tables, uint64_t stages)
{
    return tables * stages < UINT32_MAX ? (uint32_t)(tables * stages) : UINT32_MAX - 1;
}

#endif
