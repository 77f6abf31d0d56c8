/* test_full.c - attention of a batch over all keys, against long double.
 *
 * Attention of a batch over all keys, in blocks and parts, and up to the position of each query; 1
 * and 3 threads. Against: one query at a time in long double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

#include <attention/full.h>
#include <tests/test.h>

static uint64_t state = 1;

static float *random_floats(size_t count, float size)
{
    float *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = size * ((float)(next_random(&state) % 20001) / 10000.0f - 1.0f);
    return x;
}

/* One query at a time. Returns the largest |logit|. */
static double attend_by_hand(const float *q, const float *keys, const float *values, uint32_t n,
                             uint32_t d, uint32_t d_v, float scale, long double *out)
{
    long double *logits = malloc(n * sizeof *logits), largest = -INFINITY, sum = 0, size = 0;
    for (uint32_t j = 0; j < n; j++) {
        logits[j] = 0;
        for (uint32_t i = 0; i < d; i++)
            logits[j] += (long double)q[i] * keys[(size_t)j * d + i];
        logits[j] *= scale;
        largest = fmaxl(largest, logits[j]);
        size = fmaxl(size, fabsl(logits[j]));
    }
    for (uint32_t c = 0; c < d_v; c++)
        out[c] = 0;
    for (uint32_t j = 0; j < n; j++) {
        const long double weight = expl(logits[j] - largest);
        sum += weight;
        for (uint32_t c = 0; c < d_v; c++)
            out[c] += weight * values[(size_t)j * d_v + c];
    }
    for (uint32_t c = 0; c < d_v; c++)
        out[c] /= sum;
    free(logits);
    return (double)size;
}

static void check(uint32_t count, uint32_t n_q, uint32_t n, uint32_t d, uint32_t d_v, float size)
{
    float *q = random_floats((size_t)count * d, size), *keys = random_floats((size_t)n * d, 1.0f),
          *values = random_floats((size_t)n * d_v, 1.0f), *out = random_floats(count * d_v, 1.0f);
    long double want[64];
    full_attention(out, q, count, n_q, keys, values, n, d, d_v, 0.5f);
    for (uint32_t i = 0; i < count; i++) {
        const double logit =
            attend_by_hand(q + i * d, keys, values, n - n_q + 1 + i % n_q, d, d_v, 0.5f, want);
        for (uint32_t c = 0; c < d_v; c++) {
            const double error = fabs((double)out[i * d_v + c] - (double)want[c]);
            ck_assert_msg(error <= FULL_MAX_ERROR * (1.0 + logit),
                          "n %u d %u d_v %u size %g: %g, error %.3g", n, d, d_v, (double)size,
                          (double)out[i * d_v + c], error);
        }
    }
    free(q);
    free(keys);
    free(values);
    free(out);
}

START_TEST(attention_is_that_of_long_double)
{
    const uint32_t lengths[] = {1, 2, 3, 5, 511, 512, 513, 1500};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int size = 0; size < 3; size++) /* even, peaked, and so that most weights vanish */
            check(3, 1, lengths[i], 8, 5 + (uint32_t)i, (float[]){0.1f, 5.0f, 200.0f}[size]);
    check(1, 1, 200000, 4, 3, 3.0f); /* four parts */
    check(64, 1, 70000, 4, 2, 30.0f);
    /* The last positions: all of them, across a block, across a part; two heads. */
    check(20, 10, 10, 4, 3, 3.0f);
    check(80, 40, 530, 4, 3, 30.0f);
    check(20, 10, 65540, 4, 3, 3.0f);
}
END_TEST

START_TEST(threads_give_the_same_bits)
{
    const uint32_t n = 300000;
    float *q = random_floats(2 * 4, 4.0f), *keys = random_floats((size_t)n * 4, 1.0f), out[2][4];
    for (int run = 0; run < 2; run++) {
        omp_set_num_threads(run ? 3 : 1);
        full_attention(out[run], q, 2, 1, keys, keys, n, 4, 2, 0.5f);
    }
    ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
    free(q);
    free(keys);
}
END_TEST

TEST_MAIN("full", attention_is_that_of_long_double, threads_give_the_same_bits)
