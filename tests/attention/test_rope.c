/* test_rope.c - RoPE: frequencies of each scaling against numbers with 40 digits, positions put in
 * and taken out again, products that depend on the distance alone.
 *
 * Against: closed forms; the exact model; the model of one wave, eight drifts and nine other
 * shapes; a shuffle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/rope.h>
#include <tests/test.h>

#define PAIRS_MAX 64

static const struct rope plain = {.theta = 10000};

static void check_frequencies(const struct rope *rope, uint32_t d, double factor,
                              const uint32_t *pairs, const double *want, size_t length)
{
    double f[PAIRS_MAX];
    const double got = rope_frequencies(rope, d, f);
    ck_assert_msg(relative_error(got, factor) < 1e-15, "factor %.17g want %.17g", got, factor);
    for (size_t i = 0; i < length; i++)
        ck_assert_msg(relative_error(f[pairs[i]], want[i]) < 1e-14, "pair %u: %.17g want %.17g",
                      pairs[i], f[pairs[i]], want[i]);
}

/* Worked out from the definitions with Python's decimal and 40 digits. Llama 3.1 has theta 500000,
 * d = 128, and leaves the pairs up to 28 alone; Llama 2 by YaRN turns pair 20 more than 32 times in
 * 4096 positions, and pair 46 less than once. */
START_TEST(frequencies)
{
    const struct rope linear = {.theta = 10000, .scaling = ROPE_LINEAR, .factor = 4};
    const struct rope llama = {.theta = 500000,
                               .scaling = ROPE_LLAMA3,
                               .factor = 8,
                               .low = 1,
                               .high = 4,
                               .original = 8192};
    struct rope yarn = {.theta = 10000, .scaling = ROPE_YARN, .factor = 16, .original = 4096};
    const uint32_t few[] = {0, 1};
    check_frequencies(&plain, 4, 1, few, (const double[]){1, 0.01}, 2);
    check_frequencies(&linear, 4, 1, few, (const double[]){0.25, 0.0025}, 2);
    const uint32_t of_llama[] = {0, 20, 28, 29, 31, 34, 35, 63};
    const double llamas[] = {1,
                             0.016560440080994446,
                             0.0032114459947525909,
                             0.0021665707635033587,
                             0.00085675141291963208,
                             0.00017850781276799641,
                             9.5562123539646833e-05,
                             3.0689259889145111e-07};
    check_frequencies(&llama, 128, 1, of_llama, llamas, 8);
    const uint32_t of_yarn[] = {0, 20, 21, 30, 32, 45, 46, 63};
    const double yarns[] = {1,
                            0.056234132519034911,
                            0.046940859997959404,
                            0.0085268437729674081,
                            0.005673076923076923,
                            0.00015177160473182493,
                            8.3345089510207754e-05,
                            7.2173874043091138e-06};
    check_frequencies(&yarn, 128, 1.2772588722239782, of_yarn, yarns, 8);
    yarn.attention_factor = 1.5;
    check_frequencies(&yarn, 128, 1.5, of_yarn, yarns, 8);
}
END_TEST

/* Every pairing and scaling. */
static struct rope rope_at(unsigned i)
{
    return (struct rope){.theta = i % 3 ? 500000 : 10000,
                         .pairing = i % 2 ? ROPE_INTERLEAVED : ROPE_HALF,
                         .scaling = (enum rope_scaling)(i / 2 % 4),
                         .factor = 8,
                         .low = 1,
                         .high = 4,
                         .original = 8192};
}
#define ROPES 8

static void fill(float *x, size_t length, uint64_t seed)
{
    for (size_t i = 0; i < length; i++)
        x[i] = (float)(next_random(&seed) >> 40) * 0x1p-23f - 1.0f;
}

START_TEST(remove_undoes_apply)
{
    float x[5 * 64], y[5 * 64];
    for (unsigned i = 0; i < ROPES; i++) {
        const struct rope rope = rope_at(i);
        fill(x, 5 * 64, i);
        memcpy(y, x, sizeof x);
        rope_apply(&rope, y, 5, 64, 123456);
        double moved = 0;
        for (int c = 0; c < 5 * 64; c++)
            moved = fmax(moved, fabs((double)(x[c] - y[c])));
        ck_assert_msg(moved > 0.5, "rope %u moves nothing", i);
        rope_remove(&rope, y, 5, 64, 123456);
        for (int c = 0; c < 5 * 64; c++)
            ck_assert_msg(fabs((double)(x[c] - y[c])) < 1e-6, "rope %u component %d", i, c);
    }
}
END_TEST

static double product(const float *a, const float *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

START_TEST(products_depend_on_the_distance)
{
    for (unsigned i = 0; i < ROPES; i++) {
        const struct rope rope = rope_at(i);
        double f[32], first = 0;
        const double factor = rope_frequencies(&rope, 64, f);
        for (uint64_t position = 100; position < 9000; position += 2111) {
            float q[64], k[64];
            fill(q, 64, 1);
            fill(k, 64, 2);
            rope_apply(&rope, q, 1, 64, position + 17);
            rope_apply(&rope, k, 1, 64, position);
            const double got = product(q, k, 64) / (factor * factor);
            first = position == 100 ? got : first;
            ck_assert_msg(fabs(got - first) < 1e-5, "rope %u at %" PRIu64, i, position);
        }
        float q[64], k[64];
        fill(q, 64, 1);
        fill(k, 64, 2);
        ck_assert_msg(fabs(product(q, k, 64) - first) > 1e-2, "rope %u: the distance is nothing",
                      i);
    }
}
END_TEST

/* (1, 0) at position 1 is (cos 1, sin 1), in the pair that the pairing says; and position counts
 * from `first`. */
START_TEST(pairs_and_positions)
{
    struct rope rope = plain;
    float x[4] = {1, 0, 0, 0}, y[4] = {1, 0, 0, 0}, z[12] = {0};
    rope_apply(&rope, x, 1, 4, 1);
    ck_assert(fabs((double)x[0] - cos(1)) < 1e-7 && fabs((double)x[2] - sin(1)) < 1e-7);
    ck_assert(x[1] == 0 && x[3] == 0);
    rope.pairing = ROPE_INTERLEAVED;
    rope_apply(&rope, y, 1, 4, 1);
    ck_assert(y[0] == x[0] && y[1] == x[2] && y[2] == 0 && y[3] == 0);
    z[0] = z[4] = z[8] = 1;
    rope_apply(&rope, z, 3, 4, 7);
    for (int i = 0; i < 3; i++)
        ck_assert(fabs((double)z[4 * i] - cos(7.0 + i)) < 1e-7);
}
END_TEST

START_TEST(faults)
{
    struct rope rope = {
        .theta = 10000, .scaling = ROPE_LLAMA3, .factor = 8, .low = 1, .high = 4, .original = 8192};
    ck_assert_ptr_null(rope_fault(&plain, 64));
    ck_assert_ptr_null(rope_fault(&rope, 64));
    ck_assert_ptr_nonnull(rope_fault(&plain, 63));
    ck_assert_ptr_nonnull(rope_fault(&(struct rope){.theta = 1}, 64));
    ck_assert_ptr_nonnull(rope_fault(&(struct rope){.theta = INFINITY}, 64));
    rope.low = 4;
    ck_assert_ptr_nonnull(rope_fault(&rope, 64));
    rope.low = 1;
    rope.factor = 0.5;
    ck_assert_ptr_nonnull(rope_fault(&rope, 64));
    rope.factor = 8;
    rope.original = 0;
    ck_assert_ptr_nonnull(rope_fault(&rope, 64));
}
END_TEST

TEST_MAIN("rope", frequencies, remove_undoes_apply, products_depend_on_the_distance,
          pairs_and_positions, faults)
