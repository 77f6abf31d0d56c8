/* test_targets.c - which queries are trained on, and their targets, written out in double.
 *
 * Against: both written out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

#include <attention/training/targets.h>
#include <tests/test.h>

enum { N = 150, N_Q = 90, D = 5, HEADS = 4, KEY_HEADS = 2, C = 7 };

static uint64_t state = 1;
static float queries[HEADS * N_Q * D], keys[KEY_HEADS * N * D], unroped[HEADS * N_Q * D];
static uint32_t bucket[N];

static struct context context_of(void)
{
    for (size_t i = 0; i < HEADS * N_Q * D; i++) {
        queries[i] = (float)(next_random(&state) % 2001) / 400.0f - 2.5f;
        unroped[i] = (float)(next_random(&state) % 100);
    }
    for (size_t i = 0; i < KEY_HEADS * N * D; i++)
        keys[i] = (float)(next_random(&state) % 2001) / 400.0f - 2.5f;
    for (size_t j = 0; j < N; j++)
        bucket[j] = (uint32_t)(next_random(&state) % C);
    return (struct context){.query_heads = HEADS,
                            .key_heads = KEY_HEADS,
                            .n = N,
                            .n_q = N_Q,
                            .d = D,
                            .scale = 0.6f,
                            .queries = queries,
                            .keys = keys,
                            .queries_unroped = unroped};
}

static double logit(uint32_t head, uint32_t query, uint32_t key)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < D; i++)
        sum += (double)queries[(head * N_Q + query) * D + i] *
               (double)keys[(head / 2 * N + key) * D + i];
    return (double)0.6f * sum;
}

/* Writes the target; false if the query is left out. */
static bool target_by_hand(uint32_t head, uint32_t query, struct dense_part dense, double *target)
{
    const uint32_t position = N - N_Q + query;
    uint32_t best = 0;
    double sum = 0.0;
    for (uint32_t j = 1; j <= position; j++)
        if (logit(head, query, j) > logit(head, query, best))
            best = j;
    for (int c = 0; c < C; c++)
        target[c] = 0.0;
    for (uint32_t j = dense.sink; j + dense.window <= position; j++) {
        target[bucket[j]] += exp(logit(head, query, j));
        sum += exp(logit(head, query, j));
    }
    for (int c = 0; c < C; c++)
        target[c] /= sum;
    return sum > 0.0 && 2 * (position - best) >= dense.window;
}

static uint32_t check_targets(const struct context *context, struct dense_part dense,
                              uint32_t at_most, bool before)
{
    uint32_t kept = 0;
    for (uint32_t head = 0; head < HEADS; head++) {
        struct query_batch batch =
            query_targets(context, head, bucket, C, dense, before, at_most, NULL);
        const float *vectors = before ? unroped : queries;
        uint32_t row = 0;
        const uint32_t count = at_most ? at_most : N_Q;
        for (uint32_t i = 1; i <= count; i++) {
            const uint32_t query = i * N_Q / count - 1;
            double want[C];
            if (!target_by_hand(head, query, dense, want))
                continue;
            ck_assert_uint_lt(row, batch.rows);
            ck_assert_mem_eq(batch.queries + row * D, vectors + (head * N_Q + query) * D,
                             D * sizeof(float));
            for (int c = 0; c < C; c++)
                ck_assert_msg(fabs((double)batch.targets[row * C + (uint32_t)c] - want[c]) < 2e-6,
                              "head %u query %u bucket %d: %.9g, want %.9g", head, query, c,
                              (double)batch.targets[row * C + (uint32_t)c], want[c]);
            row++;
        }
        ck_assert_uint_eq(row, batch.rows);
        kept += row;
        query_batch_free(&batch);
    }
    return kept;
}

START_TEST(targets_are_those_by_hand)
{
    const struct context context = context_of();
    ck_assert_uint_eq(check_targets(&context, (struct dense_part){0, 0}, 0, false), HEADS * N_Q);
    const uint32_t some = check_targets(&context, (struct dense_part){1, 16}, 0, false);
    ck_assert_msg(some > 0 && some < HEADS * N_Q, "%u of %d queries", some, HEADS * N_Q);
    check_targets(&context, (struct dense_part){3, 40}, 31, true);
    ck_assert_uint_eq(check_targets(&context, (struct dense_part){1, 150}, 0, false), 0);
}
END_TEST

START_TEST(joined_batches_and_entropy)
{
    const struct context context = context_of();
    const struct dense_part dense = {1, 8};
    struct query_batch two[2], again = query_targets(&context, 1, bucket, C, dense, false, 0, NULL);
    for (uint32_t head = 0; head < 2; head++) {
        omp_set_num_threads(head ? 1 : 3);
        two[head] = query_targets(&context, head, bucket, C, dense, false, 0, NULL);
    }
    const uint32_t first = two[0].rows;
    struct query_batch all = query_batch_join(two, 2, D, C);
    ck_assert_uint_eq(all.rows, first + again.rows);
    ck_assert_mem_eq(all.targets + first * C, again.targets, again.rows * C * sizeof(float));
    ck_assert_mem_eq(all.queries + first * D, again.queries, again.rows * D * sizeof(float));
    const float half[] = {0.5f, 0.5f, 0, 1, 0, 0};
    const struct query_batch known = {2, NULL, half};
    ck_assert(fabs(query_batch_entropy(&known, 3) - log(2.0) / 2.0) < 1e-15);
    query_batch_free(&all);
    query_batch_free(&again);
}
END_TEST

TEST_MAIN("targets", targets_are_those_by_hand, joined_batches_and_entropy)
