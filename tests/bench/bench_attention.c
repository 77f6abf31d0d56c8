/* bench_attention.c - attention/ against the matrix products that it cannot do without, in the same
 * run, 10^6 keys, d = 128:
 *
 *   (a) an iteration of k-means, C = 1024, against the products of centroids and keys alone, and
 * against faiss's k-means, where Python can import it;
 *   (b) attention of 64 queries over all keys, as sparse_outputs() runs the method full, against
 * its two products alone; (c) a step of training a query model (d 64, width 1024, C 128, 2048
 * queries): the share of its time that is in products.
 *
 * CPU seconds, the least of a few rounds, because the machine may be shared. Products alone are
 * taken in blocks of several lengths; the fastest counts. BENCH_KEYS=N: another number of keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/evaluation/outputs.h>
#include <attention/partition/partition.h>
#include <attention/products.h>
#include <attention/training/query_training.h>
#include <base/memory.h>
#include <tests/test.h>

enum { D = 128, C = 1024, QUERIES = 64, BLOCK_MAX = 8192, ROUNDS = 3 };

static float *random_floats(size_t count)
{
    float *x = require_memory(malloc(count * sizeof *x));
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        x[i] = (float)(state >> 40) * 0x1p-24f - 0.5f;
    }
    return x;
}

static void keep_least(double *least, double seconds)
{
    *least = seconds < *least ? seconds : *least;
}

/* ---- (a) */

static double kmeans_products(const float *keys, uint32_t n, float *out, uint32_t block)
{
    const double start = cpu_seconds();
    for (uint32_t first = 0; first < n; first += block)
        products_transposed(out, keys, C, keys + (size_t)first * D,
                            n - first < block ? n - first : block, D, 1.0f, 0.0f);
    return cpu_seconds() - start;
}

static double kmeans_iteration(const float *keys, uint32_t n)
{
    struct partition *p = partition_new(C, D, false, keys);
    const double start = cpu_seconds();
    partition_improve(p, keys, n, 1, NULL, NULL);
    const double seconds = cpu_seconds() - start;
    partition_free(p);
    return seconds;
}

/* NaN where faiss is not there. */
static double faiss_iteration(uint32_t n)
{
    const char *python = getenv("PYTHON");
    char command[300];
    double seconds = NAN;
    snprintf(command, sizeof command, "%.100s tests/bench/kmeans_faiss.py %u %d %d 2>/dev/null",
             python ? python : "/usr/bin/python3", n, D, C);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return NAN;
    if (fscanf(pipe, "%lf", &seconds) != 1)
        seconds = NAN;
    pclose(pipe);
    return seconds;
}

static void bench_kmeans(const float *keys, uint32_t n)
{
    float *out = random_floats((size_t)C * BLOCK_MAX);
    double iteration = INFINITY, products = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t block = PARTITION_BLOCK; block <= BLOCK_MAX; block *= 4)
            keep_least(&products, kmeans_products(keys, n, out, block));
        keep_least(&iteration, kmeans_iteration(keys, n));
    }
    free(out);
    printf("k-means, %u keys, d %d, C %d, CPU seconds:\n", n, D, C);
    printf("  matrix products alone             %8.2f s\n", products);
    printf("  an iteration                      %8.2f s: %.2f times the products\n", iteration,
           iteration / products);
    const double faiss = faiss_iteration(n);
    if (isnan(faiss))
        printf("  faiss: skipped, Python cannot import it (pip install faiss-cpu; PYTHON=..)\n");
    else
        printf("  an iteration of faiss             %8.2f s: ours takes %.2f times that\n", faiss,
               iteration / faiss);
}

/* ---- (b) */

static double attention_products(const float *keys, uint32_t n, float *logits, float *out,
                                 uint32_t block)
{
    const double start = cpu_seconds();
    for (uint32_t first = 0; first < n; first += block) {
        const uint32_t length = n - first < block ? n - first : block;
        products_transposed(logits, keys, QUERIES, keys + (size_t)first * D, length, D, 0.1f, 0.0f);
        products(out, logits, QUERIES, keys + (size_t)first * D, length, D, 1.0f, 1.0f);
    }
    return cpu_seconds() - start;
}

/* Keys serve as queries and as values, too. */
static void bench_full(const float *keys, uint32_t n)
{
    float *logits = random_floats((size_t)QUERIES * BLOCK_MAX), out[QUERIES * D] = {0};
    double full = INFINITY, products = INFINITY;
    const struct outputs_spec spec = {.context = {.query_heads = 1,
                                                  .key_heads = 1,
                                                  .n = n,
                                                  .n_q = QUERIES,
                                                  .d = D,
                                                  .d_v = D,
                                                  .queries = keys,
                                                  .keys = keys,
                                                  .values = keys},
                                      .layer = LAYER_UNKNOWN,
                                      .method = method_by_name("full"),
                                      .budget = 1,
                                      .options = METHOD_OPTIONS_DEFAULT};
    struct outputs_report report;
    char error[200];
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t block = 512; block <= BLOCK_MAX; block *= 4)
            keep_least(&products, attention_products(keys, n, logits, out, block));
        const double start = cpu_seconds();
        if (sparse_outputs(&spec, out, &report, MESSAGE(error)) != 0)
            puts(error);
        keep_least(&full, cpu_seconds() - start);
    }
    free(logits);
    printf("attention of %d queries over %u keys, d %d:\n", QUERIES, n, D);
    printf("  its two products alone            %8.2f s\n", products);
    printf("  attention                         %8.2f s: %.2f times the products\n", full,
           full / products);
}

/* ---- (c) */

static void bench_training(float *numbers)
{
    enum { ROWS = 2048, WIDTH = 1024, MODEL_D = 64, BUCKETS = 128, STEPS = 20 };
    float *targets = random_floats((size_t)ROWS * BUCKETS);
    for (int i = 0; i < ROWS * BUCKETS; i++)
        targets[i] = 1.0f / BUCKETS;
    const struct query_batch batch = {ROWS, numbers, targets};
    struct partition *p = partition_new(BUCKETS, MODEL_D, false, numbers);
    struct training_options options = TRAINING_OPTIONS_DEFAULT;
    struct training_report report;
    options.steps = STEPS;
    query_model_free(query_model_train(&batch, 1, p, 0.1f, &options, NULL, &report));
    printf("training a query model, %d queries, d %d, width %d, C %d:\n", ROWS, MODEL_D, WIDTH,
           BUCKETS);
    printf("  a step                            %8.2f ms, %.0f %% of it in products\n",
           1e3 * report.seconds / STEPS, 100.0 * report.product_seconds / report.seconds);
    partition_free(p);
    free(targets);
}

int main(void)
{
    const char *text = getenv("BENCH_KEYS");
    const uint32_t n = text ? (uint32_t)strtoul(text, NULL, 10) : 1000000;
    float *keys = random_floats((size_t)n * D);
    bench_kmeans(keys, n);
    bench_full(keys, n);
    bench_training(keys);
    free(keys);
    return 0;
}
