/* plan.c - which rows are legal, where they lie, which thread does what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernels.h"
#include "plan.h"

/* A thread is worth its start for so many elements. */
#define ELEMENTS_PER_THREAD (UINT64_C(1) << 15)
#define THREADS_MOST 1024

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

unsigned topk_threads_wanted(unsigned asked)
{
#ifdef _OPENMP
    return asked ? asked : (unsigned)omp_get_max_threads();
#else
    (void)asked;
    return 1;
#endif
}

static unsigned threads_of(unsigned asked, const struct rcm_top_k_rows *rows)
{
    if (asked == 1)
        return 1;
    uint64_t threads = topk_threads_wanted(asked);
    uint64_t useful = topk_size(rows->m, rows->n, 0) / ELEMENTS_PER_THREAD;
    threads = threads < useful ? threads : useful;
    return threads < 1 ? 1 : threads < THREADS_MOST ? (unsigned)threads : THREADS_MOST;
}

struct share topk_share(const struct rcm_top_k_rows *rows, unsigned asked)
{
    unsigned threads = threads_of(asked, rows);
    if (rows->m < 2 * (uint64_t)threads && rows->n >= ELEMENTS_PER_THREAD)
        return (struct share){1, threads};
    return (struct share){threads < rows->m ? threads : (unsigned)rows->m, 1};
}

const char *topk_row(const struct rcm_top_k_rows *rows, size_t bytes, uint64_t r)
{
    return (const char *)rows->x + (int64_t)(r * row_step(rows) * bytes);
}

size_t rcm_top_k_type_bytes(enum rcm_top_k_type type)
{
    return (unsigned)type < RCM_TOP_K_TYPES ? topk_generic[type].bytes : 0;
}
