/* bench_search.c - search among 2^20 vectors as in Table 3 of Samaga et al.: the product of queries
 * and keys (d = 128, OpenBLAS), then the k = 1024 best scores of each query, exactly or by buckets
 * (recall 0.99), and with stage 1 fused (their A.9).
 *
 *   bench_search [QUERIES [TILE [BLOCK]]]     without: 256 queries
 *
 * Fused: TILE keys and BLOCK queries make a square of scores, a query a column, that stays in the
 * second-level cache. To stage 1 of topk/ a column is a bucket, so that it compares whole vectors.
 * The n/b keys of a bucket are neighbours, so nothing is kept from square to square. Otherwise all
 * scores go to memory, and buckets are interleaved.
 *
 * CSV like runs/samaga/table-3.csv: seconds of the one thread, because the machine may be shared;
 * the ways take turns, and of each the medians are printed. A recall that is far from the model's,
 * or a score that is not that of its key, ends it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attention/products.h>
#include <base/clock.h>
#include <base/memory.h>
#include <base/statistics.h>
#include <model/recallmodel.h>
#include <topk/topk.h>

enum { ROUNDS = 5, LINE = 16, PAD = LINE };
enum part { PRODUCT, STAGE1, STAGE2, ALL, PARTS };
static const size_t n = 1 << 20, d = 128, k = 1024;

static const struct way {
    const char *name;
    uint64_t b, k_b; /* b = 0: exact */
    bool fused;
} ways[] = {{"exact", 0, 0, false},
            {"stages", 65536, 1, false},
            {"fused", 65536, 1, true},
            {"stages", 1024, 4, false},
            {"fused", 1024, 4, true}};
enum { WAYS = sizeof ways / sizeof *ways };

static size_t m = 256, tile = 1024, block = 256;
static float *keys, *queries, *scores, *square;
/* Of all queries, a row of `stride` each: stride is no power of two, which caches dislike. Of one
 * square: kept. */
static struct candidates {
    float *values;
    int32_t *indices;
} candidates, kept, best;
static char *workspace;
static size_t workspace_bytes;

static void *memory(size_t bytes)
{
    void *at = require_memory(aligned_alloc(64, (bytes + 63) / 64 * 64));
    memset(at, 0, bytes); /* no page is made while something is timed */
    return at;
}

static struct candidates candidates_new(size_t count)
{
    return (struct candidates){memory(count * sizeof(float)), memory(count * sizeof(int32_t))};
}

static float *random_floats(size_t count)
{
    float *x = memory(count * sizeof *x);
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        x[i] = (float)(state >> 40) * 0x1p-24f - 0.5f;
    }
    return x;
}

/* Calls stage 1, or else top-k, with a workspace that grows. */
static void must(bool stage1, struct rcm_top_k_call call)
{
    size_t bytes = 0;
    call.threads = 1;
    enum rcm_top_k_status status =
        stage1 ? rcm_top_k_stage1_workspace(&call, &bytes) : rcm_top_k_workspace(&call, &bytes);
    if (bytes > workspace_bytes) {
        free(workspace);
        workspace = memory(workspace_bytes = bytes);
    }
    if (status == RCM_TOP_K_OK)
        status = stage1 ? rcm_top_k_stage1(&call, workspace, workspace_bytes)
                        : rcm_top_k(&call, workspace, workspace_bytes);
    if (status != RCM_TOP_K_OK) {
        fprintf(stderr, "bench_search: %s\n", rcm_top_k_message(status));
        exit(1);
    }
}

static size_t stride_of(const struct way *way)
{
    return way->b * way->k_b + PAD;
}

/* ---- the parts */

/* Turns what stage 1 kept of a square, [bucket][query][k_b], into rows of candidates of each query,
 * from `to` on; a cache line of queries at a time. */
static void turn(size_t buckets, size_t k_b, size_t stride, size_t to)
{
    for (size_t first = 0; first < block; first += LINE)
        for (size_t j = 0; j < buckets; j++)
            for (size_t i = first; i < first + LINE; i++)
                for (size_t c = 0; c < k_b; c++) {
                    const size_t from = (j * block + i) * k_b + c;
                    const size_t at = to + i * stride + j * k_b + c;
                    candidates.values[at] = kept.values[from];
                    candidates.indices[at] = kept.indices[from];
                }
}

/* A square is TILE / size squares of one bucket each. The index of a candidate is its place in such
 * a one. */
static void fused(const struct way *way)
{
    const size_t size = n / way->b, buckets = tile / size, stride = stride_of(way);
    for (size_t key = 0; key < n; key += tile)
        for (size_t query = 0; query < m; query += block) {
            products_transposed(square, keys + key * d, tile, queries + query * d, block, d, 1.0f,
                                0.0f);
            must(true, (struct rcm_top_k_call){.rows = {square, buckets, size * block},
                                               .k = block * way->k_b,
                                               .b = block,
                                               .k_b = way->k_b,
                                               .values = kept.values,
                                               .indices = kept.indices});
            turn(buckets, way->k_b, stride, query * stride + key / size * way->k_b);
        }
}

/* Rows without a pad, as the library writes them. */
static void stage1(const struct way *way)
{
    must(true, (struct rcm_top_k_call){.rows = {scores, m, n},
                                       .k = k,
                                       .b = way->b,
                                       .k_b = way->k_b,
                                       .values = candidates.values,
                                       .indices = candidates.indices});
}

static void stage2(const struct way *way)
{
    const size_t row = way->b * way->k_b, stride = way->fused ? stride_of(way) : row;
    must(false,
         (struct rcm_top_k_call){.rows = {candidates.values, m, row, .row_stride = (int64_t)stride},
                                 .k = k,
                                 .values = best.values,
                                 .indices = best.indices});
    for (size_t i = 0; i < m * k; i++) {
        const size_t at = (size_t)best.indices[i];
        const size_t found = (size_t)candidates.indices[i / k * stride + at];
        best.indices[i] =
            (int32_t)(way->fused ? at / way->k_b * (n / way->b) + found / block : found);
    }
}

static void exact(void)
{
    must(false,
         (struct rcm_top_k_call){
             .rows = {scores, m, n}, .k = k, .values = best.values, .indices = best.indices});
}

static void run(const struct way *way, double seconds[PARTS])
{
    double at[PARTS + 1] = {clock_thread_seconds()};
    if (way->fused)
        fused(way);
    else
        products_transposed(scores, queries, m, keys, n, d, 1.0f, 0.0f);
    at[STAGE1] = clock_thread_seconds();
    if (way->b && !way->fused)
        stage1(way);
    at[STAGE2] = clock_thread_seconds();
    if (way->b)
        stage2(way);
    else
        exact();
    at[ALL] = clock_thread_seconds();
    for (int i = 0; i < ALL; i++)
        seconds[i] = at[i + 1] - at[i];
    seconds[ALL] = at[ALL] - at[0];
}

/* ---- what came out */

/* The share of the best that reach the k-th score of the query; exact top-k comes first. */
static double recall_of(const struct way *way, float *kth)
{
    size_t hits = 0;
    for (size_t i = 0; i < m * k; i++) {
        const float *query = queries + i / k * d;
        const float *key = keys + (size_t)best.indices[i] * d;
        double product = 0.0;
        for (size_t c = 0; c < d && i % 97 == 0; c++)
            product += (double)query[c] * (double)key[c];
        if (i % 97 == 0 && !(fabs(product - (double)best.values[i]) < 1e-4)) {
            fprintf(stderr, "bench_search: %s: key %" PRId32 " has another score\n", way->name,
                    best.indices[i]);
            exit(1);
        }
        if (!way->b)
            kth[i / k] = i % k ? fminf(kth[i / k], best.values[i]) : best.values[i];
        hits += best.values[i] >= kth[i / k];
    }
    return (double)hits / (double)(m * k);
}

static double model_of(const struct way *way)
{
    return way->b
               ? 1.0 -
                     rcm_loss_exact((struct rcm_topk){.n = n, .k = k, .b = way->b, .k_b = way->k_b})
               : 1.0;
}

static double microseconds(double *seconds)
{
    sort_doubles(seconds, ROUNDS);
    return 1e6 * seconds[ROUNDS / 2];
}

static void print(const struct way *way, double seconds[PARTS][ROUNDS], double recall)
{
    printf("%s,float32,%zu,%zu,", way->name, n, k);
    if (way->b)
        printf("%" PRIu64 ",%" PRIu64, way->b, way->k_b);
    else
        printf(",");
    printf(",%zu,%zu,%.6g,", m, d, microseconds(seconds[PRODUCT]));
    if (way->b && !way->fused)
        printf("%.6g", microseconds(seconds[STAGE1]));
    printf(",%.6g,%.6g,%.7g,%.7g\n", microseconds(seconds[STAGE2]), microseconds(seconds[ALL]),
           recall, model_of(way));
}

int main(int count, char **arguments)
{
    size_t *const settings[] = {&m, &tile, &block};
    for (int i = 1; i < count && i < 4; i++)
        *settings[i - 1] = (size_t)strtoul(arguments[i], NULL, 10);
    char error[200];
    if (!products_ready(MESSAGE(error)) || n % tile || tile % 1024 || m % block || block % LINE) {
        fprintf(stderr, "bench_search: OpenBLAS is missing, or BLOCK is no multiple of 16 that "
                        "divides QUERIES, or TILE none of 1024 that divides 2^20\n");
        return 2;
    }
    keys = random_floats(n * d);
    queries = random_floats(m * d);
    scores = memory(m * n * sizeof *scores);
    square = memory(tile * block * sizeof *square);
    candidates = candidates_new(m * (65536 + PAD));
    kept = candidates_new(tile * block / 16);
    best = candidates_new(m * k);
    float *kth = memory(m * sizeof *kth);
    double seconds[WAYS][PARTS][ROUNDS], recall[WAYS];
    for (int round = -1; round < ROUNDS; round++) /* the first warms up */
        for (int way = 0; way < WAYS; way++) {
            double took[PARTS];
            run(&ways[way], took);
            recall[way] = recall_of(&ways[way], kth);
            if (!(fabs(recall[way] - model_of(&ways[way])) < 1e-3)) {
                fprintf(stderr, "bench_search: %s has the recall %g, not %g\n", ways[way].name,
                        recall[way], model_of(&ways[way]));
                return 1;
            }
            for (int part = 0; part < PARTS && round >= 0; part++)
                seconds[way][part][round] = took[part];
        }
    printf("kernel,dtype,n,k,b,k_b,m,d,product_us,stage1_us,stage2_us,time_us_median,recall,"
           "recall_model\n");
    for (int way = 0; way < WAYS; way++)
        print(&ways[way], seconds[way], recall[way]);
    return 0;
}
