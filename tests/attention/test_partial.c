/* test_partial.c - softmax by parts: the parts merged against one softmax over all keys in long
 * double, with logits far from 0, weights, and empty parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/evaluation/partial.h>
#include <tests/test.h>

#define N 500
#define D 7

static float logits[N], values[N * D];

static void fill(uint64_t seed, double spread, double offset)
{
    for (int i = 0; i < N; i++)
        logits[i] = (float)(offset + spread * (double)(next_random(&seed) >> 11) * 0x1p-53);
    for (int i = 0; i < N * D; i++)
        values[i] = (float)(next_random(&seed) >> 40) * 0x1p-23f - 1.0f;
}

/* What the attention over keys with weights is; weight 0: not read. */
static long double whole(const float *weights, long double *output)
{
    long double max = -INFINITY, sum = 0;
    for (int j = 0; j < N; j++)
        if (weights[j] > 0)
            max = fmaxl(max, logits[j]);
    memset(output, 0, D * sizeof *output);
    for (int j = 0; j < N; j++) {
        const long double w = weights[j] > 0 ? weights[j] * expl(logits[j] - max) : 0;
        sum += w;
        for (int c = 0; c < D; c++)
            output[c] += w * values[j * D + c];
    }
    for (int c = 0; c < D; c++)
        output[c] /= sum;
    return max + logl(sum);
}

static void check(const struct partial *got, const float *weights, const char *what)
{
    long double output[D];
    const long double log_sum = whole(weights, output);
    ck_assert_msg(fabsl(got->max + log(got->sum) - log_sum) < 1e-12L * fmaxl(1, fabsl(log_sum)),
                  "%s: log sum %.17g want %.17Lg", what, got->max + log(got->sum), log_sum);
    for (int c = 0; c < D; c++)
        ck_assert_msg(fabsl(got->values[c] / got->sum - output[c]) < 1e-12L,
                      "%s: component %d: %.17g want %.17Lg", what, c, got->values[c] / got->sum,
                      output[c]);
}

/* Cut into parts at random, taken as ranges and as lists, merged in any order. */
START_TEST(parts_are_the_whole)
{
    uint64_t state = 5;
    float one[N];
    for (int j = 0; j < N; j++)
        one[j] = 1;
    for (int repetition = 0; repetition < 200; repetition++) {
        const double spread = repetition % 3 == 0 ? 600 : 8, offset = repetition % 2 ? 3000 : -3000;
        fill((uint64_t)repetition, spread, offset);
        double room[3][D];
        struct partial all, part, list;
        partial_clear(&all, room[0], D);
        uint32_t first = 0;
        while (first < N) {
            const uint32_t last = (uint32_t)random_between(&state, first, N);
            uint32_t keys[N], length = 0;
            partial_clear(&part, room[1], D);
            partial_clear(&list, room[2], D);
            for (uint32_t j = first; j < last; j++)
                if (j % 2)
                    keys[length++] = j;
                else
                    partial_add_range(&part, logits, values, D, j, j + 1);
            partial_add_keys(&list, logits, values, D, keys, NULL, length);
            partial_merge(&part, &list, D); /* either may be empty */
            partial_merge(&all, &part, D);
            ck_assert_double_eq(all.plain, all.sum);
            first = last;
        }
        check(&all, one, "all");
    }
}
END_TEST

START_TEST(weights_count)
{
    fill(9, 8, 0);
    float weights[N];
    uint32_t keys[N], length = 0;
    float of_key[N];
    for (uint32_t j = 0; j < N; j++) {
        weights[j] = j < 100 ? 1 : j % 3 == 0 ? 1.5f + (float)(j % 7) : 0;
        if (j >= 100 && weights[j] > 0) {
            keys[length] = j;
            of_key[length++] = weights[j];
        }
    }
    double room[D], plain = 0;
    struct partial all;
    partial_clear(&all, room, D);
    partial_add_range(&all, logits, values, D, 0, 100);
    partial_add_keys(&all, logits, values, D, keys, of_key, length);
    check(&all, weights, "weighted");
    for (uint32_t j = 0; j < N; j++)
        plain += weights[j] > 0 ? exp((double)logits[j] - all.max) : 0;
    ck_assert(relative_error(all.plain, plain) < 1e-13);
    ck_assert(all.sum > 1.2 * all.plain);
}
END_TEST

START_TEST(nothing)
{
    fill(1, 1, 0);
    struct partial a, b;
    double room[D];
    partial_clear(&a, NULL, 0);
    partial_clear(&b, room, D);
    partial_merge(&a, &b, 0);
    partial_add_keys(&a, logits, NULL, 0, NULL, NULL, 0);
    partial_add_range(&a, logits, NULL, 0, 3, 3);
    ck_assert(a.sum == 0 && a.plain == 0 && a.max == -INFINITY);
    partial_add_range(&a, logits, NULL, 0, 3, 4);
    ck_assert(a.sum == 1 && a.max == (double)logits[3]);
}
END_TEST

TEST_MAIN("partial", parts_are_the_whole, weights_count, nothing)
