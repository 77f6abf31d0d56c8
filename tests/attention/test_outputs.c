/* test_outputs.c - the output of sparse attention, against attention over single keys in double
 * and against the error that the evaluation reports.
 *
 * Against: attention over single keys in double, the error that the evaluation reports, for the
 * method full one query at a time, and for the file the same partitions and models in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <attention/full.h>
#include <attention/evaluation/outputs.h>
#include <attention/training/trained.h>

#include "made_head.h"

#define N 300
#define N_Q 7
#define D 8
#define D_V 5
#define KEY_HEADS 2
#define GROUP 3
#define HEADS (KEY_HEADS * GROUP)

static float queries[2][HEADS * N_Q * D], keys[2][KEY_HEADS * N * D], values[KEY_HEADS * N * D_V];
static double full[HEADS * N_Q * D_V]; /* attention over all keys */

static void fill(float *to, size_t length, uint64_t *state)
{
    for (size_t i = 0; i < length; i++)
        to[i] = made_number(state, false);
}

/* Attention of one query over the keys with read[j]; all keys if it is NULL. */
static void attend(uint32_t head, uint32_t i, const bool *read, double *out)
{
    const float *q = queries[0] + (size_t)(head * N_Q + i) * D;
    double sum = 0;
    memset(out, 0, D_V * sizeof *out);
    for (uint32_t j = 0; j <= N - N_Q + i; j++) {
        double logit = 0;
        for (uint32_t c = 0; c < D; c++)
            logit += (double)q[c] * (double)keys[0][((size_t)(head / GROUP) * N + j) * D + c];
        const double weight = read && !read[j] ? 0 : exp(logit / sqrt(D));
        sum += weight;
        for (uint32_t c = 0; c < D_V; c++)
            out[c] += weight * (double)values[((size_t)(head / GROUP) * N + j) * D_V + c];
    }
    for (uint32_t c = 0; c < D_V; c++)
        out[c] /= sum;
}

static struct outputs_spec make_spec(const char *method, double budget)
{
    uint64_t state = 8;
    for (int i = 0; i < 2; i++) {
        fill(queries[i], HEADS * N_Q * D, &state);
        fill(keys[i], KEY_HEADS * N * D, &state);
    }
    fill(values, KEY_HEADS * N * D_V, &state);
    for (uint32_t h = 0; h < HEADS; h++)
        for (uint32_t i = 0; i < N_Q; i++)
            attend(h, i, NULL, full + (h * N_Q + i) * D_V);
    struct outputs_spec spec = {.context = {.query_heads = HEADS,
                                            .key_heads = KEY_HEADS,
                                            .n = N,
                                            .n_q = N_Q,
                                            .d = D,
                                            .d_v = D_V,
                                            .queries = queries[0],
                                            .keys = keys[0],
                                            .values = values,
                                            .queries_unroped = queries[1],
                                            .keys_unroped = keys[1]},
                                .layer = 3,
                                .method = method_by_name(method),
                                .budget = budget,
                                .options = method_options_default()};
    spec.options.dense = (struct dense_part){2, 20};
    spec.options.components = 4;
    spec.options.clusters = 12;
    return spec;
}

static struct outputs_report run(const struct outputs_spec *spec, float *out)
{
    char error[300] = "";
    struct outputs_report report;
    const int status = sparse_outputs(spec, out, &report, MESSAGE(error));
    ck_assert_msg(status == 0, "%s: %s", spec->method->name, error);
    return report;
}

/* What reads all keys is attention over all keys. */
START_TEST(full_budget)
{
    float out[HEADS * N_Q * D_V];
    const char *const names[] = {"full",   "random", "topk",           "bucketed",
                                 "sparq",  "kmeans", "kmeans-unroped", "quest",
                                 "blocks", "hisa",   "previous-query", NULL};
    for (const char *const *name = names; *name; name++) {
        struct outputs_spec spec = make_spec(*name, 1);
        spec.options.k_b = N;
        memset(out, 255, sizeof out); /* NaN */
        const struct outputs_report report = run(&spec, out);
        for (size_t i = 0; i < HEADS * N_Q * D_V; i++)
            ck_assert_msg(fabs((double)out[i] - full[i]) < 1e-5, "%s: %zu: %g want %g", *name, i,
                          (double)out[i], full[i]);
        ck_assert(fabs(report.selectivity - (N - (N_Q - 1) / 2.0) / N) < 1e-12);
    }
}
END_TEST

/* The dense part alone, and with every key that the exact top-k adds, by single keys. */
START_TEST(chosen_keys)
{
    float out[HEADS * N_Q * D_V];
    for (int top = 0; top < 2; top++) {
        const struct outputs_spec spec = make_spec(top ? "topk" : "streaming", 0.1);
        const struct outputs_report report = run(&spec, out);
        ck_assert(fabs(report.visited - (top ? 0.1 : 0)) < 1e-12);
        for (uint32_t at = 0; at < HEADS * N_Q; at++) {
            const uint32_t position = N - N_Q + at % N_Q, head = at / N_Q;
            double want[D_V], logits[N];
            bool read[N], open[N];
            for (uint32_t j = 0; j < N; j++) {
                const float *key = keys[0] + ((size_t)(head / GROUP) * N + j) * D;
                logits[j] = 0;
                for (uint32_t c = 0; c < D; c++)
                    logits[j] += (double)queries[0][at * D + c] * (double)key[c];
                open[j] = top;
                read[j] = false;
            }
            const struct key_range range = {2, position + 1 - 20};
            take_largest(logits, open, range, 30, read);
            for (uint32_t j = 0; j <= position; j++)
                read[j] = read[j] || j < range.first || j >= range.last;
            attend(head, at % N_Q, read, want);
            for (uint32_t c = 0; c < D_V; c++)
                ck_assert_msg(fabs((double)out[at * D_V + c] - want[c]) < 1e-5, "%u: %g want %g",
                              at, (double)out[at * D_V + c], want[c]);
        }
    }
}
END_TEST

/* ---- beside the evaluation */

static int read_head(void *from, size_t index, const struct head_floats *to, struct message error)
{
    (void)from, (void)error;
    const size_t q = GROUP * N_Q * D, k = N * D;
    memcpy(to->queries, queries[0] + index * q, q * sizeof(float));
    memcpy(to->queries_unroped, queries[1] + index * q, q * sizeof(float));
    memcpy(to->keys, keys[0] + index * k, k * sizeof(float));
    memcpy(to->keys_unroped, keys[1] + index * k, k * sizeof(float));
    memcpy(to->values, values + index * N * D_V, N * D_V * sizeof(float));
    return 0;
}

static struct evaluation evaluate(const struct outputs_spec *outputs)
{
    struct head_shape shapes[KEY_HEADS];
    char error[300];
    struct evaluation evaluation;
    for (uint32_t h = 0; h < KEY_HEADS; h++)
        shapes[h] = (struct head_shape){.layer = 3,
                                        .key_head = h,
                                        .query_head = h * GROUP,
                                        .query_heads = GROUP,
                                        .n = N,
                                        .n_q = N_Q,
                                        .d = D,
                                        .d_v = D_V,
                                        .unroped = true};
    const struct evaluation_spec spec = {.heads = shapes,
                                         .length = KEY_HEADS,
                                         .read = read_head,
                                         .methods = &outputs->method,
                                         .methods_length = 1,
                                         .budgets = &outputs->budget,
                                         .budgets_length = 1,
                                         .share = outputs->share,
                                         .options = outputs->options};
    ck_assert_int_eq(evaluation_run(&spec, NULL, &evaluation, MESSAGE(error)), 0);
    return evaluation;
}

/* The relative squared error of the output is that of the evaluation, for every method; one thread
 * and three give the same bits. */
START_TEST(error_of_the_evaluation)
{
    static float out[HEADS * N_Q * D_V], other[HEADS * N_Q * D_V];
    for (const struct method *const *method = methods; *method; method++) {
        if ((*method)->trains_queries || (*method)->hashes_queries || (*method)->reads_layers)
            continue;
        struct outputs_spec spec = make_spec((*method)->name, 0.2);
        spec.share = (*method)->together;
        spec.options.mean_value = true;
        spec.threads = 1;
        const struct outputs_report report = run(&spec, out);
        spec.threads = 3;
        run(&spec, other);
        ck_assert_mem_eq(out, other, sizeof out);
        double difference2 = 0, norm2 = 0;
        for (size_t i = 0; i < HEADS * N_Q * D_V; i++) {
            difference2 += ((double)out[i] - full[i]) * ((double)out[i] - full[i]);
            norm2 += full[i] * full[i];
        }
        struct evaluation e = evaluate(&spec);
        ck_assert_msg(fabs(difference2 / norm2 - e.rows->error.mean) < 1e-5, "%s: %g, %g",
                      (*method)->name, difference2 / norm2, e.rows->error.mean);
        ck_assert(report.visited == e.rows->visited && report.bytes_read == e.rows->bytes_read);
        ck_assert_uint_eq(report.knob, e.rows->knob);
        evaluation_free(&e);
    }
}
END_TEST

static void refused(const struct outputs_spec *spec, const char *word)
{
    float out[HEADS * N_Q * D_V];
    char error[300] = "";
    struct outputs_report report;
    ck_assert_int_eq(sparse_outputs(spec, out, &report, MESSAGE(error)), -1);
    ck_assert_msg(strstr(error, word), "%s: %s", word, error);
}

/* ---- with what was trained */

/* Partitions of 9 clusters of layer 3, after RoPE and before it, with a query model for each query
 * head, all of random numbers. */
static struct trained made_trained(void)
{
    struct trained trained = {.heads = NULL};
    uint64_t state = 5;
    for (uint32_t i = 0; i < 2 * KEY_HEADS; i++) {
        float centroids[9 * D];
        struct trained_head *head = trained_add(&trained);
        fill(centroids, 9 * D, &state);
        *head = (struct trained_head){.layer = 3,
                                      .key_head = i / 2,
                                      .query_head = i / 2 * GROUP,
                                      .query_heads = GROUP,
                                      .unroped = i % 2,
                                      .before = i % 2,
                                      .partition = partition_new(9, D, false, centroids),
                                      .models_length = GROUP,
                                      .models = calloc(GROUP, sizeof *head->models)};
        for (uint32_t m = 0; m < GROUP; m++) {
            head->models[m] = query_model_new(D, 6, 9, false);
            fill(head->models[m]->parameters, head->models[m]->length, &state);
        }
    }
    return trained;
}

/* The file gives the bits that the same partitions and models give from memory, and others than
 * the keys of the context do. A method that clusters nothing does not open it. */
START_TEST(index_of_a_file)
{
    static const char *const names[] = {"kmeans", "kmeans-unroped", "saap", "saap-roped"};
    static float out[HEADS * N_Q * D_V], want[HEADS * N_Q * D_V], own[HEADS * N_Q * D_V];
    char error[300], path[] = "build/test_outputs.XXXXXX";
    struct trained trained = made_trained();
    close(mkstemp(path));
    ck_assert_msg(trained_save(&trained, path, MESSAGE(error)) == 0, "%s", error);
    for (size_t i = 0; i < 4; i++) {
        struct outputs_spec spec = make_spec(names[i], 0.2);
        const struct partition *partitions[KEY_HEADS];
        const struct query_model *const *models[KEY_HEADS];
        const bool unroped = spec.method->unroped;
        for (uint32_t h = 0; h < KEY_HEADS; h++) {
            const struct trained_head *head = trained_find(&trained, 3, h, unroped);
            partitions[h] = head->partition;
            models[h] = (const struct query_model *const *)head->models;
        }
        if (i < 2)
            run(&spec, own);
        spec.trained[unroped] = (struct trained_heads){partitions, models, false};
        const struct outputs_report memory = run(&spec, want);
        spec.trained[unroped] = (struct trained_heads){NULL, NULL, false};
        spec.index = path;
        const struct outputs_report file = run(&spec, out);
        ck_assert_msg(memcmp(out, want, sizeof out) == 0, "%s", names[i]);
        ck_assert(memory.visited == file.visited && memory.visited > 0);
        ck_assert(i >= 2 || memcmp(out, own, sizeof out) != 0);
    }
    trained_free(&trained);
    unlink(path);
    struct outputs_spec spec = make_spec("topk", 0.2);
    spec.index = path;
    run(&spec, out);
}
END_TEST

static void refused_index(const char *method, uint32_t layer, const char *path, const char *word)
{
    struct outputs_spec spec = make_spec(method, 0.1);
    spec.layer = layer;
    spec.index = path;
    refused(&spec, word);
}

START_TEST(bad_index)
{
    char error[300], path[] = "build/test_outputs.XXXXXX";
    struct trained trained = made_trained();
    query_model_free(trained.heads[3].models[0]);
    query_model_free(trained.heads[3].models[1]);
    query_model_free(trained.heads[3].models[2]);
    free(trained.heads[3].models);
    trained.heads[3].models = NULL;
    trained.heads[3].models_length = 0;
    close(mkstemp(path));
    ck_assert(trained_save(&trained, path, MESSAGE(error)) == 0);
    refused_index("kmeans", 4, path, "has nothing for layer 4, key head 0 after RoPE");
    refused_index("kmeans", LAYER_UNKNOWN, path, "key head 0 of an unknown layer");
    refused_index("saap", 3, path, "no query model for layer 3, key head 1 before RoPE");
    ck_assert(truncate(path, 200) == 0);
    refused_index("kmeans", 3, path, "damaged");
    unlink(path);
    refused_index("kmeans", 3, path, "cannot be read");
    trained_free(&trained);
}
END_TEST

/* The method full takes queries by blocks: against one query at a time. */
START_TEST(blocks_of_queries)
{
    enum { QUERIES = 600, KEYS = 700, WIDTH = 3 };
    static float q[2 * QUERIES * WIDTH], k[KEYS * WIDTH], v[KEYS * WIDTH];
    static float out[2 * QUERIES * WIDTH], again[2 * QUERIES * WIDTH];
    uint64_t state = 5;
    struct outputs_spec spec = make_spec("full", 1);
    struct context *c = &spec.context;
    c->query_heads = 2;
    c->key_heads = 1;
    c->n = KEYS;
    c->n_q = QUERIES;
    c->d = c->d_v = WIDTH;
    c->queries = q;
    c->keys = k;
    c->values = v;
    c->queries_unroped = c->keys_unroped = NULL;
    fill(q, sizeof q / sizeof *q, &state);
    fill(k, sizeof k / sizeof *k, &state);
    fill(v, sizeof v / sizeof *v, &state);
    spec.threads = 1;
    run(&spec, out);
    spec.threads = 3;
    run(&spec, again);
    ck_assert_mem_eq(out, again, sizeof out);
    for (uint32_t i = 0; i < 2 * QUERIES; i++) {
        float want[WIDTH];
        full_attention(want, q + i * WIDTH, 1, 1, k, v, KEYS - QUERIES + 1 + i % QUERIES, WIDTH,
                       WIDTH, 1.0f / sqrtf(WIDTH));
        for (uint32_t j = 0; j < WIDTH; j++)
            ck_assert_msg(fabsf(out[i * WIDTH + j] - want[j]) < 2e-5f, "query %u", (unsigned)i);
    }
}
END_TEST

static bool stop_after(void *context, uint64_t done, uint64_t total)
{
    int *left = context;
    ck_assert_uint_le(done, total);
    return --*left < 0;
}

/* A watch that wants to stop is not asked again. */
START_TEST(stopped)
{
    static const char *const names[] = {"full", "topk", "kmeans"};
    static float out[HEADS * N_Q * D_V];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned threads = 1; threads < 3; threads++) {
            struct outputs_spec spec = make_spec(names[i], 0.1);
            struct outputs_report report;
            char error[300];
            int left = threads == 1 ? 2 : 0; /* one thread of two may do all but one block */
            spec.watch = (struct watch){stop_after, &left};
            spec.threads = threads;
            ck_assert_int_eq(sparse_outputs(&spec, out, &report, MESSAGE(error)), 1);
            ck_assert_int_eq(left, -1);
        }
}
END_TEST

START_TEST(bad_input)
{
    struct outputs_spec spec = make_spec("topk", 0);
    refused(&spec, MEMBER "budget");
    spec = make_spec("topk", 1.5);
    refused(&spec, MEMBER "budget");
    spec = make_spec("saap", 0.1);
    refused(&spec, "query models");
    spec = make_spec("lsh-argmax-query", 0.1);
    refused(&spec, "all positions");
    spec = make_spec("kmeans", 0.1);
    spec.options.clusters = 0;
    refused(&spec, MEMBER "clusters");
    spec = make_spec("topk", 0.1);
    spec.context.key_heads = 4;
    refused(&spec, "multiple");
    spec = make_spec("topk", 0.1);
    spec.context.n_q = N + 1;
    refused(&spec, "as many as keys");
    spec = make_spec("topk", 0.1);
    spec.context.scale = 1;
    refused(&spec, "scale");
    spec = make_spec("topk", 0.1);
    spec.context.keys_unroped = NULL;
    refused(&spec, "belong together");
    spec = make_spec("topk", 0.1);
    keys[0][17] = NAN;
    refused(&spec, "keys has a number that is not finite");
    spec = make_spec("topk", 0.1);
    keys[0][17] = 3e38f;
    queries[0][1] = 3e38f;
    refused(&spec, "overflow");
}
END_TEST

TEST_MAIN("outputs", full_budget, chosen_keys, error_of_the_evaluation, index_of_a_file, bad_index,
          blocks_of_queries, stopped, bad_input)
