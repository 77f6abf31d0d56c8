/* test_estimates.c - methods that do more than visit keys, through the evaluation: sampled keys
 * with weights, SparQ's mean value, and keys that are hashed by their queries.
 *
 * Against: the output written out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/evaluation/evaluate.h>

#include "made_head.h"

#define N 60
#define D 6
#define D_V 7

static int read_head(void *from, size_t index, const struct head_floats *to, struct message error)
{
    (void)index, (void)error;
    const struct made_head *made = from;
    memcpy(to->queries, made->queries, sizeof(float) * 2 * N * D);
    memcpy(to->keys, made->keys, sizeof(float) * N * D);
    memcpy(to->values, made->values, sizeof(float) * N * D_V);
    return 0;
}

/* Of the last evaluation. */
static double output_error, all_visited;
static uint32_t knob_found;

static void evaluate(struct made_head *made, const struct method_options *options, const char *name,
                     double budget)
{
    const struct head_shape shape = {
        .query_heads = 2, .n = N, .n_q = N, .d = D, .d_v = D_V, .layer = LAYER_UNKNOWN};
    const struct method *method = method_by_name(name);
    const struct evaluation_spec spec = {.heads = &shape,
                                         .length = 1,
                                         .read = read_head,
                                         .from = made,
                                         .methods = &method,
                                         .methods_length = 1,
                                         .budgets = &budget,
                                         .budgets_length = 1,
                                         .options = *options,
                                         .threads = 1};
    struct evaluation evaluation;
    char error[300];
    ck_assert_int_eq(evaluation_run(&spec, NULL, &evaluation, MESSAGE(error)), 0);
    output_error = evaluation.rows[0].error.mean;
    all_visited = evaluation.rows[0].visited;
    knob_found = evaluation.rows[0].knob;
    evaluation_free(&evaluation);
}

/* Adds weight e^logit v to the sums, and to `sum` weight e^logit. */
static void add_key(const struct made_head *made, uint32_t j, double weight, double *sum,
                    double sums[D_V])
{
    /* 1 / sqrt(d) is the scale of an evaluation, made_query() has 1/4. */
    const double w = weight * exp((double)made->logits[j] * 4 / sqrt(D));
    *sum += w;
    for (size_t c = 0; c < D_V; c++)
        sums[c] += w * (double)made->values[j * D_V + c];
}

/* sum |o' - o|^2 / sum |o|^2 with o' = (1 - correction) o of the attended keys + the correction. */
static double written_out(struct made_head *made, const struct method *method,
                          const struct method_options *options, uint32_t knob, double *visited)
{
    double difference2 = 0, norm2 = 0;
    struct visit visit = {0};
    made->head.group = 0;
    made->head.built = N;
    *visited = 0;
    for (uint32_t i = 0; i < 2 * N; i++) {
        struct attention_query query = made_query(made, i % N, i / N);
        const struct key_range range = query.range;
        double all = 0, some = 0, o[D_V] = {0}, part[D_V] = {0};
        query.scale = 1 / sqrtf(D);
        query.logits = NULL;
        visit_once(method, options, &made->head, &query, knob, &visit);
        if (range.first == range.last)
            visit.length = 0, visit.correction_weight = 0;
        *visited += (double)visit.length / N / (2 * N);
        for (uint32_t j = 0; j <= query.position; j++) {
            add_key(made, j, 1, &all, o);
            if (j < range.first || j >= range.last)
                add_key(made, j, 1, &some, part);
        }
        for (size_t j = 0; j < visit.length; j++)
            add_key(made, visit.keys[j], visit.weighted ? (double)visit.weights[j] : 1, &some,
                    part);
        for (size_t c = 0; c < D_V; c++) {
            const double moved = visit.correction_weight;
            const double estimate = (1 - moved) * part[c] / some +
                                    (moved > 0 ? moved * (double)visit.correction[c] : 0);
            difference2 += pow(estimate - o[c] / all, 2);
            norm2 += pow(o[c] / all, 2);
        }
    }
    visit_free(&visit);
    return difference2 / norm2;
}

static double compare(const char *name, bool mean_value, double budget)
{
    uint64_t state = 30;
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    const struct dense_part dense = {1, 5};
    options.dense = dense;
    options.bits = 2;
    options.tables = 6;
    options.chunk = 8;
    options.components = 3;
    options.mean_value = mean_value;
    struct made_head made = make_head(&state, N, D, N, dense, false);
    double visited;
    evaluate(&made, &options, name, budget);
    const uint32_t knob = knob_found;
    const double want = written_out(&made, method_by_name(name), &options, knob, &visited);
    ck_assert_msg(visited > 0 && visited <= budget + 1e-9, "%s: knob %u visits %g", name, knob,
                  visited);
    ck_assert_double_eq_tol(all_visited, visited, 1e-12);
    ck_assert_msg(fabs(output_error / want - 1) < 1e-4, "%s: error %.9g, want %.9g", name,
                  output_error, want);
    free_head(&made);
    return want;
}

START_TEST(sampled_keys_have_weights)
{
    ck_assert(compare("lsh-magicpig-sampled", false, 0.3) != compare("lsh-magicpig", false, 0.3));
}
END_TEST

START_TEST(mean_value_is_merged)
{
    ck_assert(compare("sparq", true, 0.1) != compare("sparq", false, 0.1));
}
END_TEST

START_TEST(queries_hash_keys)
{
    ck_assert(compare("lsh-argmax-query", false, 0.2) != compare("lsh-argmax", false, 0.2));
}
END_TEST

TEST_MAIN("estimates", sampled_keys_have_weights, mean_value_is_merged, queries_hash_keys)
