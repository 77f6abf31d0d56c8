/* shard.c - see shard.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/bench-cpu/library.h>
#include <sim/parts.h>
#include <sim/rows/row.h>

static int find_columns(struct shard *shard, const struct matrix *matrix, const uint64_t *sizes,
                        unsigned rank, unsigned ranks)
{
    uint32_t *owner = require_memory(malloc((size_t)matrix->n * sizeof *owner));
    uint64_t found = 0;
    if (sim_deal(sizes, ranks, matrix->deal, owner) != 0) {
        free(owner);
        return -1;
    }
    shard->column = require_memory(malloc((size_t)sizes[rank] * sizeof *shard->column));
    for (uint64_t i = 0; i < matrix->n; i++)
        if (owner[i] == rank)
            shard->column[found++] = (int64_t)i;
    free(owner);
    return found == sizes[rank] ? 0 : -1;
}

/* Packs the columns of row r. */
static void pack(struct shard *shard, uint64_t r, const char *row)
{
    char *to = shard->values + r * shard->columns * shard->bytes;
    for (uint64_t i = 0; i < shard->columns; i++, to += shard->bytes)
        memcpy(to, row + (size_t)shard->column[i] * shard->bytes, shard->bytes);
}

/* Rows of a file, as they are there or as float, or generated ones. */
static int fill(struct shard *shard, const struct matrix *matrix, struct message error)
{
    const size_t n = (size_t)matrix->n;
    const struct row_file *file = matrix->file;
    double *x = require_memory(malloc(n * sizeof *x));
    uint64_t *words = require_memory(malloc((n + 1) * sizeof *words));
    float *row = require_memory(malloc(n * sizeof *row));
    int failed = 0;
    for (uint64_t r = 0; r < matrix->m && !failed; r++) {
        if (file && matrix->type != RCM_TOP_K_F32)
            failed = row_file_bytes(file, r, words);
        else if (file)
            failed = row_file_read(file, r, x, words);
        else
            row_generate(matrix->input, matrix->rho, matrix->seed, r, x, n, words);
        for (size_t i = 0; i < n && matrix->type == RCM_TOP_K_F32 && !failed; i++)
            row[i] = (float)x[i];
        pack(shard, r, matrix->type == RCM_TOP_K_F32 ? (const char *)row : (const char *)words);
    }
    free(x);
    free(words);
    free(row);
    return failed ? message_set(error, "the file cannot be read: %s",
                                errno ? strerror(errno) : "it ends early")
                  : 0;
}

int shard_read(struct shard *shard, const struct matrix *matrix, const uint64_t *sizes,
               unsigned rank, unsigned ranks, struct message error)
{
    *shard = (struct shard){.columns = sizes[rank],
                            .m = matrix->m,
                            .type = matrix->type,
                            .bytes = value_bytes(matrix->type)};
    const double bytes = (double)shard->columns * (double)matrix->m * (double)shard->bytes;
    if (!memory_fits(bytes, "the columns of a rank", "start more ranks", error))
        return -1;
    if (find_columns(shard, matrix, sizes, rank, ranks) != 0)
        return message_set(error, "out of memory");
    shard->values = require_memory(malloc((size_t)bytes + 1));
    return fill(shard, matrix, error);
}

void shard_free(struct shard *shard)
{
    free(shard->column);
    free(shard->values);
}

size_t value_bytes(enum rcm_top_k_type type)
{
    return type == RCM_TOP_K_F64 ? 8 : type == RCM_TOP_K_F32 ? 4 : 2;
}

/* One call of the library. */
static enum rcm_top_k_status run_call(const struct rcm_top_k_call *call)
{
    const struct topk_library *library = topk_library();
    size_t bytes = 0;
    enum rcm_top_k_status status = library->workspace(call, &bytes);
    if (status != RCM_TOP_K_OK)
        return status;
    void *workspace = require_memory(aligned_alloc(64, (bytes + 127) / 64 * 64));
    status = library->top_k(call, workspace, bytes);
    free(workspace);
    return status;
}

int shard_best(const struct shard *shard, uint64_t send, const uint64_t *row, uint64_t rows,
               struct best *best, struct message error)
{
    const size_t at = best_positions_at(rows, send, shard->bytes);
    *best = (struct best){rows, send, at + (size_t)(rows * send) * sizeof(int64_t), NULL};
    best->block = require_memory(calloc(best->length + 1, 1));
    int64_t *positions = (int64_t *)(void *)(best->block + at);
    enum rcm_top_k_status status = RCM_TOP_K_OK;
    const uint64_t calls = row ? rows : rows > 0; /* the first rows by one call */
    for (uint64_t i = 0; i < calls && status == RCM_TOP_K_OK; i++) {
        const struct rcm_top_k_call call = {
            .rows = {.x = shard->values + (row ? row[i] : 0) * shard->columns * shard->bytes,
                     .m = row ? 1 : rows,
                     .n = shard->columns,
                     .type = shard->type},
            .k = send,
            .sorted = true,
            .wide = true,
            .values = best->block + i * send * shard->bytes,
            .indices = positions + i * send};
        status = run_call(&call);
    }
    if (status != RCM_TOP_K_OK)
        return message_set(error, "top-k of the columns of a rank: %s",
                           topk_library()->message(status));
    for (uint64_t i = 0; i < rows * send; i++)
        positions[i] = shard->column[positions[i]];
    return 0;
}
