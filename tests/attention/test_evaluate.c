/* test_evaluate.c - what sparse attention loses and reads, against sums over single keys in long
 * double: two documents of different length, two layers, two query heads on each of two key heads.
 * The methods are made up, so that what they visit is a formula.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/evaluate.h>
#include <tests/test.h>

#define DOCUMENTS 2
#define LAYERS 2
#define KEY_HEADS 2
#define GROUP 2
#define HEADS (DOCUMENTS * LAYERS * KEY_HEADS)
#define N_Q 5
#define D 6
#define D_V 3
#define N_MAX 120
#define K_LENGTH 3

static const uint32_t lengths[DOCUMENTS] = {90, N_MAX};
static const uint32_t ks[K_LENGTH] = {1, 8, 200};
static const double budgets[] = {0.004, 0.1, 0.25, 1};
#define BUDGETS 4

static struct head_shape shapes[HEADS];
static float keys[HEADS][N_MAX * D], values[HEADS][N_MAX * D_V], queries[HEADS][GROUP * N_Q * D];
static int reads; /* calls of the reader */

static int read_head(void *from, size_t index, const struct head_floats *to, char *error,
                     size_t size)
{
    const struct head_shape *shape = &shapes[index];
    if (from && *(const size_t *)from == index) {
        snprintf(error, size, "head %zu is broken", index);
        return -1;
    }
    reads++;
    memcpy(to->queries, queries[index], GROUP * N_Q * D * sizeof(float));
    memcpy(to->keys, keys[index], shape->n * D * sizeof(float));
    ck_assert_ptr_null(to->keys_unroped);
    if (shape->d_v)
        memcpy(to->values, values[index], shape->n * D_V * sizeof(float));
    return 0;
}

static void fill(float *x, size_t length, uint64_t *seed, float scale)
{
    for (size_t i = 0; i < length; i++)
        x[i] = scale * ((float)(next_random(seed) >> 40) * 0x1p-23f - 1.0f);
}

static void make_heads(void)
{
    uint64_t seed = 3;
    for (uint32_t i = 0; i < HEADS; i++) {
        const uint32_t document = i / (LAYERS * KEY_HEADS), key_head = i % KEY_HEADS;
        shapes[i] = (struct head_shape){.document = document,
                                        .layer = 7 + i / KEY_HEADS % LAYERS,
                                        .key_head = key_head,
                                        .query_head = key_head * GROUP,
                                        .query_heads = GROUP,
                                        .n = lengths[document],
                                        .n_q = N_Q,
                                        .d = D,
                                        .d_v = D_V};
        fill(keys[i], N_MAX * D, &seed, 2);
        fill(values[i], N_MAX * D_V, &seed, 1);
        fill(queries[i], GROUP * N_Q * D, &seed, 4);
    }
}

/* ---- methods of which it is known what they visit */

/* Some keys for each knob, more for one of the query heads. */
static bool visits_some(uint32_t knob, uint32_t head, uint32_t position, uint32_t j)
{
    return (j * 29 + position * 7) % 64 < knob * (head + 1);
}

static uint32_t some_max(const struct method_options *options, const struct key_head *head)
{
    (void)options;
    ck_assert(head->n == lengths[0] || head->n == lengths[1]);
    return 64;
}

static void visit_some(const struct method_options *options, const struct key_head *head,
                       const void *index, const struct query *query, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    (void)options, (void)head;
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_gt(knob, 0);
    ck_assert_ptr_eq(index, head);
    visit_reserve(visit, head->n, false);
    visit->length = 0;
    for (uint32_t j = query->range.first; j < query->range.last; j++)
        if (visits_some(knob, query->head, query->position, j))
            visit->keys[visit->length++] = j;
    visit->index_bytes = 1000 + knob;
    visit->largest_bucket = (uint32_t)visit->length / 2 + 1;
}

static void *build_some(const struct method_options *options, const struct key_head *head)
{
    (void)options;
    return (void *)(uintptr_t)head;
}

static double imbalance_some(const struct key_head *head, const void *index)
{
    ck_assert_ptr_eq(index, head);
    return head->n / 10.0;
}

static const struct method some = {.name = "some",
                                   .knob = "parts",
                                   .knob_max = some_max,
                                   .build = build_some,
                                   .visit = visit_some,
                                   .imbalance = imbalance_some};

/* Every second key, as if sampled with probability 1/2. */
static void visit_half(const struct method_options *options, const struct key_head *head,
                       const void *index, const struct query *query, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    (void)options, (void)index, (void)count, (void)knob;
    visit_reserve(visit, head->n, true);
    visit->length = 0;
    for (uint32_t j = query->range.first; j < query->range.last; j++)
        if (j % 2) {
            visit->weights[visit->length] = 2;
            visit->keys[visit->length++] = j;
        }
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

static uint32_t no_knob(const struct method_options *options, const struct key_head *head)
{
    (void)options, (void)head;
    return 0;
}

static const struct method half = {
    .name = "half", .knob = "", .knob_max = no_knob, .visit = visit_half};

static struct evaluation_spec spec_of(const struct method *const *list, size_t length)
{
    struct evaluation_spec spec = {.heads = shapes,
                                   .length = HEADS,
                                   .read = read_head,
                                   .methods = list,
                                   .methods_length = length,
                                   .budgets = budgets,
                                   .budgets_length = BUDGETS,
                                   .k = ks,
                                   .k_length = K_LENGTH,
                                   .options = METHOD_OPTIONS_DEFAULT,
                                   .threads = 2};
    spec.options.dense = (struct dense_part){2, 9};
    return spec;
}

static struct evaluation run(const struct evaluation_spec *spec)
{
    char error[300] = "";
    struct evaluation evaluation;
    const int status = evaluation_run(spec, NULL, NULL, &evaluation, error, sizeof error);
    ck_assert_msg(status == 0, "status %d: %s", status, error);
    return evaluation;
}

/* ---- the same by single keys */

/* Is key j visited? `logits` are those of the query. */
typedef bool visits(uint32_t knob, uint32_t head, uint32_t position, uint32_t j);
static bool visits_half(uint32_t knob, uint32_t head, uint32_t position, uint32_t j)
{
    (void)knob, (void)head, (void)position;
    return j % 2;
}

struct counted {
    long double visited, selectivity, mass, difference2, norm2, recall[K_LENGTH], queries;
};

static void logits_of(size_t head, uint32_t query_head, uint32_t i, double *logits)
{
    const float *q = queries[head] + ((size_t)query_head * N_Q + i) * D;
    for (uint32_t j = 0; j < shapes[head].n; j++) {
        logits[j] = 0;
        for (uint32_t c = 0; c < D; c++)
            logits[j] += (double)q[c] * (double)keys[head][j * D + c];
        logits[j] /= sqrt(D);
    }
}

/* The rank of key j among the open ones, from 0. */
static uint32_t rank_of(const double *logits, uint32_t first, uint32_t last, uint32_t j)
{
    uint32_t rank = 0;
    for (uint32_t i = first; i < last; i++)
        rank += logits[i] > logits[j];
    return rank;
}

static void count_query(size_t head, uint32_t query_head, uint32_t i, visits *visited,
                        uint32_t knob, double weight, struct counted *sum)
{
    const uint32_t n = shapes[head].n, position = n - N_Q + i, first = 2, last = position + 1 - 9;
    double logits[N_MAX];
    long double all = 0, read = 0, plain = 0, o[D_V] = {0}, full[D_V] = {0}, hits[K_LENGTH] = {0};
    logits_of(head, query_head, i, logits);
    for (uint32_t j = 0; j <= position; j++) {
        const bool open = j >= first && j < last;
        const bool in = !open || visited(knob, query_head, position, j);
        const long double e = expl(logits[j]), w = in ? (open ? weight : 1) * e : 0;
        all += e;
        plain += in ? e : 0;
        read += w;
        for (uint32_t c = 0; c < D_V; c++) {
            full[c] += e * values[head][j * D_V + c];
            o[c] += w * values[head][j * D_V + c];
        }
        sum->visited += open && in ? 1.0L / n : 0;
        sum->selectivity += in ? 1.0L / n : 0;
        for (int k = 0; k < K_LENGTH && open && in; k++)
            hits[k] += rank_of(logits, first, last, j) < ks[k];
    }
    for (uint32_t c = 0; c < D_V; c++) {
        const long double difference = o[c] / read - full[c] / all;
        sum->difference2 += difference * difference;
        sum->norm2 += full[c] / all * full[c] / all;
    }
    for (int k = 0; k < K_LENGTH; k++)
        sum->recall[k] += hits[k] / (ks[k] < last - first ? ks[k] : last - first);
    sum->mass += plain / all;
    sum->queries++;
}

/* Over all heads, or those of one layer and query head. */
static struct counted count_all(visits *visited, uint32_t knob, double weight, uint32_t layer,
                                uint32_t query_head)
{
    struct counted sum = {0};
    for (size_t head = 0; head < HEADS; head++)
        for (uint32_t h = 0; h < GROUP; h++)
            for (uint32_t i = 0; i < N_Q; i++)
                if (layer == LAYER_UNKNOWN ||
                    (shapes[head].layer == layer && shapes[head].query_head + h == query_head))
                    count_query(head, h, i, visited, knob, weight, &sum);
    return sum;
}

static void near(double got, long double want, const char *what)
{
    ck_assert_msg(fabsl(got - want) <= 1e-6L * fmaxl(fabsl(want), 1e-3L), "%s: %.12g want %.12Lg",
                  what, got, want);
}

static void check_row(const struct evaluation_row *row, visits *visited, uint32_t knob,
                      double weight)
{
    const struct counted c = count_all(
        visited, knob, weight, row->head == HEAD_ALL ? LAYER_UNKNOWN : row->layer, row->head);
    near(row->visited, c.visited / c.queries, "visited");
    near(row->selectivity, c.selectivity / c.queries, "selectivity");
    near(row->mass.mean, c.mass / c.queries, "mass");
    near(row->error.mean, c.difference2 / c.norm2, "error");
    for (int k = 0; k < K_LENGTH; k++)
        near(row->recall[k].mean, c.recall[k] / c.queries, "recall");
    ck_assert_uint_eq(row->queries, (uint64_t)c.queries);
}

/* ---- tests */

/* The mean share of the keys that visits_some() visits. */
static long double some_visited(uint32_t knob, uint32_t layer, uint32_t query_head)
{
    long double visited = 0, queries = 0;
    for (size_t head = 0; head < HEADS; head++)
        for (uint32_t i = 0; i < GROUP * N_Q; i++) {
            const uint32_t position = shapes[head].n - N_Q + i % N_Q;
            if (layer != LAYER_UNKNOWN &&
                (shapes[head].layer != layer || shapes[head].query_head + i / N_Q != query_head))
                continue;
            queries++;
            for (uint32_t j = 2; j < position + 1 - 9; j++)
                visited += visits_some(knob, i / N_Q, position, j) ? 1.0L / shapes[head].n : 0;
        }
    return visited / queries;
}

/* The largest knob that visits no more than the budgets of the documents allow. */
static uint32_t best_knob(double budget, uint32_t layer, uint32_t query_head)
{
    long double allowed = 0;
    uint32_t knob = 64;
    for (int i = 0; i < DOCUMENTS; i++)
        allowed += floor(budget * lengths[i] + 0.5) / lengths[i] / DOCUMENTS;
    while (knob > 0 && some_visited(knob, layer, query_head) > allowed + 1e-12L)
        knob--;
    return knob;
}

static const struct method *const both[] = {&some, &half};

START_TEST(rows_by_single_keys)
{
    make_heads();
    const struct evaluation_spec spec = spec_of(both, 2);
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.length, 2 * BUDGETS);
    for (uint32_t b = 0; b < BUDGETS; b++) {
        const struct evaluation_row *row = &e.rows[b];
        ck_assert_uint_eq(row->knob, best_knob(budgets[b], LAYER_UNKNOWN, 0));
        ck_assert_uint_eq(row->layer, LAYER_UNKNOWN);
        check_row(row, visits_some, row->knob, 1);
        /* The mean of both documents; at knob 0 nothing is read. */
        ck_assert(row->imbalance == (9.0 + 12.0) / 2);
        near(row->index_bytes, row->knob ? 1000.0L + row->knob : 0, "index bytes");
        ck_assert_uint_eq(e.rows[BUDGETS + b].knob, KNOB_NONE);
        ck_assert(isnan(e.rows[BUDGETS + b].largest_bucket) && isnan(e.rows[BUDGETS + b].time_us));
        check_row(&e.rows[BUDGETS + b], visits_half, 0, 2);
    }
    ck_assert_uint_eq(e.rows[0].knob, 0);
    ck_assert_uint_gt(e.rows[1].knob, 0);
    ck_assert_uint_eq(e.rows[BUDGETS - 1].knob, 64); /* everything is visited */
    near(e.rows[BUDGETS - 1].mass.mean, 1, "mass of all keys");
    ck_assert(e.rows[BUDGETS - 1].error.mean < 1e-20);
    evaluation_free(&e);
}
END_TEST

START_TEST(rows_per_head)
{
    make_heads();
    struct evaluation_spec spec = spec_of(both, 2);
    spec.per_head = true;
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.length, 2 * BUDGETS * LAYERS * KEY_HEADS * GROUP);
    bool differ = false;
    for (size_t i = 0; i < e.length; i++) {
        const struct evaluation_row *row = &e.rows[i];
        const size_t cell = i % (LAYERS * KEY_HEADS * GROUP);
        ck_assert_uint_eq(row->layer, 7 + cell / (KEY_HEADS * GROUP));
        ck_assert_uint_eq(row->head, cell % (KEY_HEADS * GROUP));
        if (row->method == 0)
            ck_assert_uint_eq(row->knob, best_knob(budgets[row->budget], row->layer, row->head));
        differ = differ || row->knob != e.rows[i - cell].knob;
        check_row(row, row->method ? visits_half : visits_some, row->knob, row->method ? 2 : 1);
    }
    ck_assert(differ); /* each head has a knob of its own */
    evaluation_free(&e);
}
END_TEST

/* bytes_read by hand: 2 bytes each for d = 6 and d_v = 3 of the keys read. */
START_TEST(bytes)
{
    make_heads();
    const struct method *const list[] = {method_by_name("full"), method_by_name("topk")};
    struct evaluation_spec spec = spec_of(list, 2);
    struct evaluation e = run(&spec);
    const double seen = (90 + N_MAX) / 2.0 - (N_Q - 1) / 2.0;
    near(e.full_bytes, seen * 9 * 2, "full");
    near(e.keys_bytes, seen * 6 * 2, "keys");
    near(e.rows[0].bytes_read, seen * 9 * 2, "row of full");
    /* topk reads all open keys, and then the values of those that it visits: 9 and 12. */
    const double open = seen - 11, visited = (9 + 12) / 2.0;
    near(e.rows[BUDGETS + 1].bytes_read, (11 * 9 + open * 6 + visited * 3) * 2, "row of topk");
    ck_assert_uint_eq(e.rows[BUDGETS + 1].knob, KNOB_NONE); /* 9 and 12 */
    spec.options.element_bytes = 4;
    evaluation_free(&e);
    e = run(&spec);
    near(e.rows[0].bytes_read, seen * 9 * 4, "row of full, 4 bytes");
    evaluation_free(&e);
}
END_TEST

/* Without values the rest is the same and the error unknown. A layer that is read in full is left
 * out of the row of all heads, and has rows of its own. */
START_TEST(parts_that_are_missing)
{
    make_heads();
    const struct method *const list[] = {method_by_name("topk")};
    struct evaluation_spec spec = spec_of(list, 1);
    struct evaluation with = run(&spec);
    for (int i = 0; i < HEADS; i++)
        shapes[i].d_v = 0;
    struct evaluation without = run(&spec);
    ck_assert(isnan(without.rows[1].error.mean) && isnan(without.rows[1].error.se));
    ck_assert(without.rows[1].mass.mean == with.rows[1].mass.mean);
    ck_assert(without.rows[1].mass.se == with.rows[1].mass.se);
    evaluation_free(&without);
    evaluation_free(&with);
    make_heads();
    for (int i = 0; i < HEADS; i++)
        shapes[i].dense = shapes[i].layer == 7;
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.rows[1].queries, HEADS / 2 * GROUP * N_Q);
    ck_assert_uint_eq(e.rows[1].layer, 8);
    ck_assert_uint_eq(e.dense_heads, HEADS / 2);
    evaluation_free(&e);
    spec.per_head = true;
    e = run(&spec);
    ck_assert(e.rows[0].layer == 7 && e.rows[0].selectivity > 0.95 && e.rows[0].error.mean < 1e-20);
    ck_assert(e.rows[4].layer == 8 && e.rows[4].selectivity < 0.95);
    evaluation_free(&e);
}
END_TEST

/* By hand: with groups of one size the squared standard error is the variance of the groups' means
 * over their number. */
START_TEST(standard_errors)
{
    make_heads();
    const struct method *const list[] = {&half};
    struct evaluation_spec spec = spec_of(list, 1);
    struct evaluation e = run(&spec);
    double mean = 0, squares = 0, ratio = 0;
    struct counted of[HEADS * GROUP] = {0}, all = {0};
    for (size_t g = 0; g < HEADS * GROUP; g++) {
        for (uint32_t i = 0; i < N_Q; i++)
            count_query(g / GROUP, g % GROUP, i, visits_half, 0, 2, &of[g]);
        mean += (double)(of[g].mass / N_Q) / (HEADS * GROUP);
        all.difference2 += of[g].difference2;
        all.norm2 += of[g].norm2;
    }
    for (size_t g = 0; g < HEADS * GROUP; g++) {
        squares += pow((double)(of[g].mass / N_Q) - mean, 2);
        ratio += pow((double)(of[g].difference2 - all.difference2 / all.norm2 * of[g].norm2), 2);
    }
    const double groups = HEADS * GROUP;
    ck_assert_uint_eq(e.rows[0].groups, HEADS * GROUP);
    near(e.rows[0].mass.se, sqrt(squares / (groups - 1) / groups), "mass_se");
    near(e.rows[0].error.se, sqrt(groups / (groups - 1) * ratio) / (double)all.norm2, "error_se");
    evaluation_free(&e);
    spec.length = 1; /* one document, one layer, two query heads */
    spec.per_head = true;
    e = run(&spec);
    ck_assert(isnan(e.rows[0].mass.se) && !isnan(e.rows[0].mass.mean));
    evaluation_free(&e);
}
END_TEST

/* topk of two queries that share keys: the keys with the largest sums of their softmaxes. */
START_TEST(sharing)
{
    make_heads();
    const struct method *const list[] = {method_by_name("topk"), &some};
    struct evaluation_spec spec = spec_of(list, 2);
    spec.length = 1;
    spec.share = true;
    struct evaluation e = run(&spec);
    long double mass = 0;
    for (uint32_t i = 0; i < N_Q; i++) {
        const uint32_t last = 90 - N_Q + i + 1 - 9;
        double logits[GROUP][N_MAX], sums[N_MAX] = {0}, open[GROUP] = {0};
        for (uint32_t h = 0; h < GROUP; h++) {
            logits_of(0, h, i, logits[h]);
            for (uint32_t j = 2; j < last; j++)
                open[h] += exp(logits[h][j]);
            for (uint32_t j = 2; j < last; j++)
                sums[j] += exp(logits[h][j]) / open[h];
        }
        for (uint32_t h = 0; h < GROUP; h++) {
            long double read = 0, all = 0;
            for (uint32_t j = 0; j < last + 9; j++) {
                const bool in = j < 2 || j >= last || rank_of(sums, 2, last, j) < 9;
                read += in ? expl(logits[h][j]) : 0;
                all += expl(logits[h][j]);
            }
            mass += read / all / (N_Q * GROUP);
        }
    }
    near(e.rows[1].mass.mean, mass, "mass of shared keys");
    ck_assert(e.rows[1].recall[1].mean < 1); /* each alone would have all of its top 8 */
    /* What is read once is read for two queries. */
    near(e.rows[1].bytes_read, ((11 + 9) * 9 + (88 - 11 - 9) * 6) * 2 / 2.0, "bytes");
    evaluation_free(&e);
}
END_TEST

static bool stop_at(void *context, uint64_t done, uint64_t total)
{
    ck_assert(done <= total);
    return done >= *(uint64_t *)context;
}

/* Threads, and heads that do not stay in memory, change no bit. A stop keeps the methods that were
 * finished. A reader that fails ends it with its line. */
START_TEST(threads_memory_and_stops)
{
    make_heads();
    struct evaluation_spec spec = spec_of(both, 2);
    struct evaluation one, e;
    spec.threads = 1;
    one = run(&spec);
    const int reads_of_one = reads;
    for (unsigned threads = 1; threads <= 3; threads++) {
        spec.threads = threads;
        spec.memory_bytes = threads == 1 ? 1 : 0;
        reads = 0;
        e = run(&spec);
        if (threads == 1)
            ck_assert_int_gt(reads, 3 * reads_of_one);
        ck_assert_uint_eq(e.length, one.length);
        for (size_t i = 0; i < e.length; i++) {
            struct evaluation_row a = e.rows[i], b = one.rows[i];
            ck_assert_mem_eq(a.recall, b.recall, K_LENGTH * sizeof *a.recall);
            a.recall = b.recall = NULL;
            ck_assert_mem_eq(&a.visited, &b.visited,
                             sizeof a - offsetof(struct evaluation_row, visited));
            ck_assert_uint_eq(a.knob, b.knob);
        }
        evaluation_free(&e);
    }
    evaluation_free(&one);
    char error[300] = "";
    uint64_t stop = 2 * HEADS + 3;
    ck_assert_int_eq(evaluation_run(&spec, stop_at, &stop, &e, error, sizeof error), 1);
    ck_assert_uint_eq(e.length, BUDGETS);
    evaluation_free(&e);
    stop = 1;
    ck_assert_int_eq(evaluation_run(&spec, stop_at, &stop, &e, error, sizeof error), 1);
    ck_assert_uint_eq(e.length, 0);
    evaluation_free(&e);
    size_t broken = 5;
    spec.from = &broken;
    ck_assert_int_eq(evaluation_run(&spec, NULL, NULL, &e, error, sizeof error), -1);
    ck_assert_str_eq(error, "head 5 is broken");
    evaluation_free(&e);
}
END_TEST

/* A logit beyond float is refused, not summed. */
START_TEST(overflow)
{
    make_heads();
    for (uint32_t c = 0; c < D; c++)
        keys[1][7 * D + c] = queries[1][c] = 3e38f;
    char error[300] = "";
    struct evaluation e;
    const struct evaluation_spec spec = spec_of(both, 1);
    ck_assert_int_eq(evaluation_run(&spec, NULL, NULL, &e, error, sizeof error), -1);
    ck_assert_msg(strstr(error, "overflow in query head 2") != NULL, "%s", error);
    evaluation_free(&e);
}
END_TEST

TEST_MAIN("evaluate", rows_by_single_keys, rows_per_head, bytes, parts_that_are_missing,
          standard_errors, sharing, threads_memory_and_stops, overflow)
