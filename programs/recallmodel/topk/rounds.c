/* rounds.c - see rounds.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

#include <base/clock.h>
#include <base/memory.h>
#include <programs/bench-cpu/library.h>
#include <sim/team.h>

/* What rank 0 has received. */
struct received {
    const struct shard *shard;
    struct best *of; /* of each rank */
    size_t next;
    const uint64_t *rows, *send; /* what each rank was asked for */
};

static int take(void *context, const char *bytes, size_t length)
{
    struct received *r = context;
    const size_t rank = r->next++;
    struct best *best = &r->of[rank];
    const size_t wanted = best_positions_at(r->rows[rank], r->send[rank], r->shard->bytes) +
                          (size_t)(r->rows[rank] * r->send[rank]) * sizeof(int64_t);
    if (length != wanted)
        return -1;
    *best = (struct best){r->rows[rank], r->send[rank], length, require_memory(malloc(length + 1))};
    memcpy(best->block, bytes, length);
    return 0;
}

/* All: each rank sends its own best; on rank 0 of[] has those of all. */
static int gather(struct best *of, struct best own, const struct shard *shard, const uint64_t *rows,
                  const uint64_t *send, struct message error)
{
    struct received r = {shard, of, 1, rows, send};
    if (team_gather(own.block, own.length, take, &r) != 0)
        message_set(error, "a rank sent another number of bytes than it should have");
    if (team_rank() == 0)
        of[0] = own;
    else
        free(own.block);
    team_share_error(error);
    return *error.text ? -1 : 0;
}

/* One row, or all rows, of what the ranks sent. `row`: where it is in the block of each rank. */
static int merge(struct rounds *rounds, const struct shard *shard, uint64_t k, uint64_t first,
                 uint64_t rows, struct rcm_top_k_part *parts, bool *unproved,
                 uint64_t *unproved_rows)
{
    const struct topk_library *library = topk_library();
    const struct rcm_top_k_merge_call call = {.parts = parts,
                                              .length = team_size(),
                                              .m = rows,
                                              .k = k,
                                              .type = shard->type,
                                              .wide = true,
                                              .by_position = true,
                                              .values = rounds->values + first * k * shard->bytes,
                                              .indices = rounds->positions + first * k,
                                              .unproved = unproved};
    size_t bytes = 0;
    enum rcm_top_k_status status = library->merge_workspace(&call, &bytes);
    if (status != RCM_TOP_K_OK)
        return -1;
    void *workspace = require_memory(aligned_alloc(64, (bytes + 127) / 64 * 64));
    status = library->merge(&call, workspace, bytes, unproved_rows);
    free(workspace);
    return status == RCM_TOP_K_OK ? 0 : -1;
}

static struct rcm_top_k_part part_of(const struct best *best, uint64_t row, const struct shard *s,
                                     bool all)
{
    const size_t at = best_positions_at(best->rows, best->send, s->bytes);
    return (struct rcm_top_k_part){
        best->block + row * best->send * s->bytes,
        (const int64_t *)(const void *)(best->block + at) + row * best->send, best->send, all};
}

/* ---- the second round */

static uint64_t full_of(uint64_t size, uint64_t k)
{
    return size < k ? size : k;
}

/* All: the parts that are in the way of a proof send their k best of those rows, and these rows are
 * merged again. */
static int second_round(struct rounds *rounds, const struct shard *shard, uint64_t k,
                        const uint64_t *sizes, const struct best *first, const bool *unproved,
                        struct message error)
{
    const size_t ranks = team_size(), rank = team_rank();
    uint64_t *row = require_memory(malloc((shard->m + 1) * sizeof *row));
    uint64_t *rows = require_memory(calloc(ranks, sizeof *rows));
    uint64_t *full = require_memory(calloc(ranks, sizeof *full));
    struct rcm_top_k_part *parts = require_memory(calloc(ranks, sizeof *parts));
    struct best *of = require_memory(calloc(ranks, sizeof *of)), own;
    for (uint64_t r = 0; r < shard->m; r++)
        for (size_t p = 0; p < ranks; p++)
            if (unproved[r * ranks + p]) {
                if (p == rank)
                    row[rows[p]] = r;
                rows[p]++;
            }
    for (size_t p = 0; p < ranks; p++)
        full[p] = full_of(sizes[p], k);
    shard_best(shard, full[rank], row, rows[rank], &own, error);
    team_share_error(error);
    int failed = *error.text ? -1 : gather(of, own, shard, rows, full, error);
    memset(rows, 0, ranks * sizeof *rows); /* now: how many of them have been merged */
    for (uint64_t r = 0; r < shard->m && rank == 0 && !failed; r++) {
        bool any = false, again[RANKS_MOST];
        uint64_t left;
        for (size_t p = 0; p < ranks; p++) {
            const bool asked = unproved[r * ranks + p];
            any = any || asked;
            parts[p] = asked ? part_of(&of[p], rows[p]++, shard, full[p] == sizes[p])
                             : part_of(&first[p], r, shard, first[p].send == sizes[p]);
        }
        if (any && (merge(rounds, shard, k, r, 1, parts, again, &left) != 0 || left > 0))
            failed = message_set(error, "row %llu is not proved after a second round",
                                 (unsigned long long)r);
    }
    for (size_t p = 0; p < ranks; p++) {
        rounds->bytes_second += p > 0 ? of[p].length : 0;
        free(of[p].block);
    }
    free(row);
    free(rows);
    free(full);
    free(parts);
    free(of);
    team_share_error(error);
    return *error.text ? -1 : 0;
}

/* ---- both */

static int first_round(struct rounds *rounds, const struct shard *shard, uint64_t k,
                       const uint64_t *sizes, struct best *of, bool *unproved, struct message error)
{
    const size_t ranks = team_size(), rank = team_rank();
    uint64_t *rows = require_memory(calloc(ranks, sizeof *rows));
    struct best own;
    double start = clock_seconds();
    shard_best(shard, rounds->send[rank], NULL, shard->m, &own, error);
    team_share_error(error);
    rounds->top_k_us = 1e6 * (clock_seconds() - start);
    for (size_t p = 0; p < ranks; p++)
        rows[p] = shard->m;
    start = clock_seconds();
    int failed = *error.text ? -1 : gather(of, own, shard, rows, rounds->send, error);
    rounds->gather_us = 1e6 * (clock_seconds() - start);
    start = clock_seconds();
    if (!failed && rank == 0) {
        struct rcm_top_k_part *parts = require_memory(calloc(ranks, sizeof *parts));
        for (size_t p = 0; p < ranks; p++) {
            parts[p] = part_of(&of[p], 0, shard, of[p].send == sizes[p]);
            rounds->bytes_first += p > 0 ? of[p].length : 0;
        }
        failed = merge(rounds, shard, k, 0, shard->m, parts, unproved, &rounds->unproved_rows);
        free(parts);
    }
    rounds->merge_us = 1e6 * (clock_seconds() - start);
    free(rows);
    if (failed && !*error.text)
        message_set(error, "the merge was refused");
    team_share_error(error);
    return *error.text ? -1 : 0;
}

int run_rounds(struct rounds *rounds, const struct shard *shard, uint64_t k, const uint64_t *sizes,
               struct message error)
{
    const size_t ranks = team_size(), cells = (size_t)shard->m * ranks;
    struct best *of = require_memory(calloc(ranks, sizeof *of));
    bool *unproved = require_memory(calloc(cells + 1, sizeof *unproved));
    if (team_rank() == 0) {
        rounds->values = require_memory(malloc((size_t)(shard->m * k) * shard->bytes));
        rounds->positions = require_memory(malloc((size_t)(shard->m * k) * sizeof(int64_t)));
    }
    int failed = first_round(rounds, shard, k, sizes, of, unproved, error);
    if (!failed) {
        const double start = clock_seconds();
        team_broadcast(unproved, cells * sizeof *unproved);
        if (team_max(rounds->unproved_rows) > 0)
            failed = second_round(rounds, shard, k, sizes, of, unproved, error);
        rounds->second_us = 1e6 * (clock_seconds() - start);
    }
    for (size_t p = 0; p < ranks; p++)
        free(of[p].block);
    free(of);
    free(unproved);
    return failed;
}

void rounds_free(struct rounds *rounds)
{
    free(rounds->send);
    free(rounds->values);
    free(rounds->positions);
}
