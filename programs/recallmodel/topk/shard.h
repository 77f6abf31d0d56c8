/* shard.h - the columns of a matrix that one rank has, and their best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARD_H
#define SHARD_H

#include <sim/rows/row.h>
#include <sim/rows/row_file.h>
#include <topk/topk.h>

/* What is asked of the matrix, on all ranks alike. */
struct matrix {
    uint64_t n, m, k;
    const struct row_file *file; /* NULL: generated */
    enum sim_input input;
    double rho;
    uint64_t seed;
    uint64_t deal; /* neighbours that go to a rank at a time; 0: runs */
    enum rcm_top_k_type type;
};

/* The columns of a rank, packed: m rows of `columns` elements. */
struct shard {
    uint64_t columns, m;
    int64_t *column; /* of each: its place in the row; rising */
    char *values;
    size_t bytes; /* of an element */
    enum rcm_top_k_type type;
};

/* Takes the columns of this rank out of the matrix. Returns 0, or -1 with one line in `error`;
 * shard_free() in any case. */
int shard_read(struct shard *shard, const struct matrix *matrix, const uint64_t *sizes,
               unsigned rank, unsigned ranks, struct message error);
void shard_free(struct shard *shard);

/* What a rank sends: the best `send` of each of `rows` rows, the best first, of equal ones the
 * first first. One block: the values, and from a multiple of 8 bytes on the positions in the whole
 * row. */
struct best {
    uint64_t rows, send;
    size_t length;
    char *block;
};

static inline size_t best_positions_at(uint64_t rows, uint64_t send, size_t value_bytes)
{
    return (size_t)(rows * send * value_bytes + 7) / 8 * 8;
}

/* Of the rows row[0 .. rows); NULL: of the first ones. The caller frees the block. Returns 0, or -1
 * with one line in `error`. */
int shard_best(const struct shard *shard, uint64_t send, const uint64_t *row, uint64_t rows,
               struct best *best, struct message error);

/* The bytes of a value of this type. */
size_t value_bytes(enum rcm_top_k_type type);

#endif
