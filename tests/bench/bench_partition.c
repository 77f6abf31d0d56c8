/* bench_partition.c - k-means of 10^6 keys, d = 128, C = 1024: an iteration against its matrix
 * products alone, in the same run.
 *
 *   The products alone are those of the centroids with all keys, in blocks of the size that
 * k-means takes and in larger ones; the faster counts. Each is the least of a few times, because
 * the machine may be shared. BENCH_KEYS=N: other numbers of keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <attention/partition.h>
#include <attention/products.h>
#include <tests/test.h>
#include <base/memory.h>

enum { D = 128, C = 1024, BLOCK_MAX = 8192, ROUNDS = 3 };

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

static double products_seconds(const float *keys, uint32_t n, const float *centroids, float *out,
                               uint32_t block)
{
    const double start = cpu_seconds();
    for (uint32_t first = 0; first < n; first += block)
        products_transposed(out, centroids, C, keys + (size_t)first * D,
                            n - first < block ? n - first : block, D, 1.0f, 0.0f);
    return cpu_seconds() - start;
}

int main(void)
{
    const char *keys_text = getenv("BENCH_KEYS");
    const uint32_t n = keys_text ? (uint32_t)strtoul(keys_text, NULL, 10) : 1000000;
    float *keys = random_floats((size_t)n * D), *out = random_floats((size_t)C * BLOCK_MAX);
    double iteration = 1e99, products = 1e99;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t block = PARTITION_BLOCK; block <= BLOCK_MAX; block *= 4) {
            const double seconds = products_seconds(keys, n, keys, out, block);
            products = seconds < products ? seconds : products;
        }
        struct partition *p = partition_new(C, D, false, keys);
        const double start = cpu_seconds();
        partition_improve(p, keys, n, 1, NULL, NULL);
        const double seconds = cpu_seconds() - start;
        iteration = seconds < iteration ? seconds : iteration;
        partition_free(p);
    }
    printf("k-means, %u keys, d %d, C %d:\n", n, D, C);
    printf("  matrix products alone             %8.2f s\n", products);
    printf("  an iteration                      %8.2f s: %.2f times the products\n", iteration,
           iteration / products);
    free(keys);
    free(out);
    return 0;
}
