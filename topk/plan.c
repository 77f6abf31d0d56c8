/* plan.c - which rows are legal, where they lie, which thread does what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"
#include "plan.h"

/* A thread that a call asks for is worth its start for so many elements. Where the call leaves the
 * number open, each has so many bytes: two gain little with 4 MB, and lose on a busy machine. */
#define ELEMENTS_PER_THREAD (UINT64_C(1) << 15)
#define BYTES_PER_THREAD (UINT64_C(1) << 22)
#define THREADS_MOST 1024

/* Read in 3 us from a third-level cache of 100 GB/s (docs/cpu.md): so long may a call wait for the
 * end of one that a helper has in hand, if that helper runs. */
#define BYTES_PER_PIECE (UINT64_C(1) << 18)
#define PIECES_PER_THREAD 16

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* The elements from one row to the next, modulo 2^64. */
static uint64_t row_step(const struct rcm_top_k_rows *rows)
{
    uint64_t stride = rows->stride ? (uint64_t)rows->stride : 1;
    return rows->row_stride ? (uint64_t)rows->row_stride : rows->n * stride;
}

/* The bytes from the first element in memory to the last; SIZE_MAX if these are too many. */
static size_t reach(const struct rcm_top_k_rows *rows)
{
    uint64_t stride = rows->stride ? magnitude(rows->stride) : 1;
    uint64_t step = rows->row_stride ? magnitude(rows->row_stride) : topk_size(rows->n, stride, 0);
    size_t row = rows->n > 1 ? topk_size(rows->n - 1, stride, 1) : 1;
    size_t elements = rows->m > 1 ? topk_size(rows->m - 1, step, row) : row;
    return topk_size(elements, rcm_top_k_type_bytes(rows->type), 0);
}

enum rcm_top_k_status topk_check_rows(const struct rcm_top_k_rows *rows)
{
    if ((unsigned)rows->type >= RCM_TOP_K_TYPES)
        return RCM_TOP_K_BAD_TYPE;
    if (rows->n < 1 || rows->n > RCM_N_MAX || rows->m < 1 || reach(rows) > INT64_MAX)
        return RCM_TOP_K_BAD_SHAPE;
    return rows->x ? RCM_TOP_K_OK : RCM_TOP_K_BAD_POINTER;
}

unsigned rcm_top_k_threads(const struct rcm_top_k_rows *rows, unsigned asked)
{
    if (asked == 1)
        return 1;
    const uint64_t elements = topk_size(rows->m, rows->n, 0);
    const uint64_t useful =
        asked ? elements / ELEMENTS_PER_THREAD
              : topk_size(elements, rcm_top_k_type_bytes(rows->type), 0) / BYTES_PER_THREAD;
    if (useful < 2)
        return 1;
    uint64_t threads = asked ? asked : topk_processors();
    threads = threads < useful ? threads : useful;
    return threads < THREADS_MOST ? (unsigned)threads : THREADS_MOST;
}

struct share topk_share(const struct rcm_top_k_rows *rows, unsigned asked)
{
    unsigned threads = rcm_top_k_threads(rows, asked);
    if (rows->m < 2 * (uint64_t)threads && rows->n >= ELEMENTS_PER_THREAD)
        return (struct share){1, threads};
    return (struct share){threads < rows->m ? threads : (unsigned)rows->m, 1};
}

uint64_t topk_pieces(uint64_t count, size_t bytes_each, unsigned threads)
{
    if (threads == 1)
        return 1;
    const uint64_t most = (uint64_t)threads * PIECES_PER_THREAD;
    uint64_t pieces = topk_size(count, bytes_each, 0) / BYTES_PER_PIECE;
    pieces = pieces < most ? pieces : most;
    pieces = pieces > threads ? pieces : threads;
    return pieces < count ? pieces : count;
}

const char *topk_row(const struct rcm_top_k_rows *rows, size_t bytes, uint64_t r)
{
    return (const char *)rows->x + (int64_t)(r * row_step(rows) * bytes);
}

size_t rcm_top_k_type_bytes(enum rcm_top_k_type type)
{
    return (unsigned)type < RCM_TOP_K_TYPES ? topk_generic[type].bytes : 0;
}
