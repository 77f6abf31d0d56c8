/* test_trained.c - partitions and query models in a file: what is read back, and what is refused;
 * and training them from several documents. long: all of it shares one example.
 *
 * Against: what was written; every shorter file and every number that does not fit is refused; the
 * parts one by one; a query head that has nothing to train on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>
#include <unistd.h>

#include <attention/training/targets.h>
#include <attention/training/train.h>
#include <attention/training/trained.h>
#include <base/files/state_file.h>
#include <tests/test.h>

static uint64_t state = 1;

static float random_float(void)
{
    return (float)(next_random(&state) % 20001) / 5000.0f - 2.0f;
}

static struct partition *random_partition(uint32_t clusters, uint32_t d, bool spherical)
{
    float centroids[64];
    for (uint32_t i = 0; i < clusters * d; i++)
        centroids[i] = random_float();
    return partition_new(clusters, d, spherical, centroids);
}

/* Three heads: one with a model for each of two query heads, one with one model for both, one
 * without models. */
static struct trained example(void)
{
    struct trained trained = {
        .rope = {1e4, ROPE_INTERLEAVED, ROPE_LLAMA3, 8.0, 1.0, 4.0, 8192.0, 0.0}};
    for (uint32_t i = 0; i < 3; i++) {
        struct trained_head *head = trained_add(&trained);
        head->layer = 7 + i;
        head->key_head = i;
        head->query_head = 2 * i;
        head->query_heads = 2;
        head->unroped = head->before = i == 1;
        head->iterations = 6 + i;
        head->partition = random_partition(3 + i, 4, i == 2);
        head->models_length = 2 - i;
        if (i < 2)
            head->models = calloc(2, sizeof *head->models);
        for (uint32_t m = 0; m < head->models_length; m++) {
            struct query_model *model = query_model_new(4, 5, 3 + i, i == 1);
            for (size_t p = 0; p < model->length; p++)
                model->parameters[p] = random_float();
            for (uint32_t k = 0; k < 5; k++)
                model->mean[k] = random_float();
            head->models[m] = model;
        }
        if (i == 1)
            head->models[1] = head->models[0];
    }
    return trained;
}

static void check_model(const struct query_model *a, const struct query_model *b)
{
    ck_assert(a->d == b->d && a->width == b->width && a->clusters == b->clusters);
    ck_assert(a->residual == b->residual && a->length == b->length);
    ck_assert_mem_eq(a->parameters, b->parameters, a->length * sizeof(float));
    ck_assert_mem_eq(a->mean, b->mean, a->width * sizeof(float));
    ck_assert_mem_eq(a->variance, b->variance, a->width * sizeof(float));
}

static void check_same(const struct trained *a, const struct trained *b)
{
    ck_assert_uint_eq(a->length, b->length);
    ck_assert(a->rope.theta == b->rope.theta && a->rope.pairing == b->rope.pairing);
    ck_assert(a->rope.scaling == b->rope.scaling && a->rope.factor == b->rope.factor);
    ck_assert(a->rope.low == b->rope.low && a->rope.high == b->rope.high);
    ck_assert(a->rope.original == b->rope.original);
    for (size_t i = 0; i < a->length; i++) {
        const struct trained_head *x = &a->heads[i], *y = &b->heads[i];
        ck_assert(x->layer == y->layer && x->key_head == y->key_head);
        ck_assert(x->query_head == y->query_head && x->query_heads == y->query_heads);
        ck_assert(x->unroped == y->unroped && x->before == y->before);
        ck_assert(x->models_length == y->models_length);
        ck_assert(x->partition->spherical == y->partition->spherical);
        ck_assert_uint_eq(x->partition->clusters, y->partition->clusters);
        const size_t numbers = (size_t)x->partition->clusters * x->partition->d;
        ck_assert_mem_eq(x->partition->centroids, y->partition->centroids, numbers * sizeof(float));
        ck_assert_mem_eq(x->partition->half_norms, y->partition->half_norms,
                         x->partition->clusters * sizeof(float));
        ck_assert(!x->models == !y->models);
        ck_assert_uint_eq(x->iterations, y->iterations);
        for (uint32_t m = 0; x->models && m < x->query_heads; m++) {
            ck_assert(!x->models[m] == !y->models[m]);
            if (x->models[m])
                check_model(x->models[m], y->models[m]);
        }
    }
}

/* The bytes of a file, which is then removed. */
static char *bytes_of(const char *path, size_t *length)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    *length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(path);
    return bytes;
}

static char *example_bytes(size_t *length)
{
    char error[200], path[] = "build/test_trained.XXXXXX";
    struct trained trained = example();
    close(mkstemp(path));
    ck_assert_msg(trained_save(&trained, path, MESSAGE(error)) == 0, "%s", error);
    trained_free(&trained);
    return bytes_of(path, length);
}

START_TEST(file_is_read_back)
{
    char error[200] = "", path[] = "build/test_trained.XXXXXX";
    struct trained trained = example(), again;
    close(mkstemp(path));
    ck_assert(trained_save(&trained, path, MESSAGE(error)) == 0);
    ck_assert_msg(trained_load(&again, path, MESSAGE(error)) == 0, "%s", error);
    check_same(&trained, &again);
    ck_assert(again.heads[1].models[0] == again.heads[1].models[1]);
    ck_assert(trained_find(&again, 8, 1, true) == &again.heads[1]);
    ck_assert(trained_find(&again, 8, 1, false) == NULL);
    trained_free(&trained);
    trained_free(&again);
    unlink(path);
    ck_assert(trained_load(&again, path, MESSAGE(error)) == -1 && again.length == 0);
    ck_assert(strstr(error, path) && strstr(error, "cannot be read"));
    ck_assert(trained_load(&again, "/dev/null", MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "not a regular file") != NULL, "%s", error);
    ck_assert(trained_save(&again, "build/no/such/folder", MESSAGE(error)) == -1);
}
END_TEST

/* The bytes with a new checksum must be refused with these words. */
static void check_refused(char *bytes, size_t length, const char *words)
{
    struct trained trained;
    char error[200] = "";
    const uint64_t sum = state_file_checksum(bytes, length - 8);
    memcpy(bytes + length - 8, &sum, sizeof sum);
    ck_assert(trained_parse(&trained, bytes, length, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, words) != NULL, "'%s' has no '%s'", error, words);
    ck_assert(trained.heads == NULL);
}

static void check_number(size_t at, uint32_t value, const char *words)
{
    size_t length;
    char *bytes = example_bytes(&length);
    memcpy(bytes + at, &value, sizeof value);
    check_refused(bytes, length, words);
}

START_TEST(what_does_not_fit_is_refused)
{
    enum {
        VERSION = 8,
        HEADS = 12,
        ROPE = 16,
        FIRST = ROPE + 56,
        NUMBER = 4,
        FLOATS = FIRST + 13 * NUMBER
    };
    static const char shapes[] = "shapes that do not fit";
    size_t length;
    char error[200];
    struct trained trained;
    check_number(0, 7, "not an index");
    check_number(VERSION, 1, "version 1,");
    check_number(VERSION, 2, "version 2, but this program reads 3; train again");
    check_number(VERSION, 1 << 24, "version 16777216"); /* the other byte order */
    check_number(HEADS, 2, "has bytes after its end");
    check_number(HEADS, 4, "ends too early");
    check_number(HEADS, UINT32_MAX, shapes);
    check_number(ROPE, 2, "kind of RoPE");
    check_number(ROPE + NUMBER, 4, "kind of RoPE");
    check_number(ROPE + 3 * NUMBER, 0x7ff00000, "finite"); /* theta */
    check_number(FIRST + 3 * NUMBER, 0, shapes);           /* query heads */
    check_number(FIRST + 4 * NUMBER, 2, shapes);           /* before RoPE */
    check_number(FIRST + 5 * NUMBER, 0, shapes);           /* d */
    check_number(FIRST + 5 * NUMBER, UINT32_MAX, shapes);
    check_number(FIRST + 6 * NUMBER, 0, shapes); /* clusters */
    check_number(FIRST + 6 * NUMBER, 1 << 20, shapes);
    check_number(FIRST + 6 * NUMBER, 25, shapes);   /* as floats they would fit, as bytes not */
    check_number(FIRST + 7 * NUMBER, 2, shapes);    /* spherical */
    check_number(FIRST + 8 * NUMBER, 3, shapes);    /* models */
    check_number(FIRST + 9 * NUMBER, 0, shapes);    /* width */
    check_number(FIRST + 10 * NUMBER, 2, shapes);   /* residual */
    check_number(FIRST + 11 * NUMBER, 1, shapes);   /* before RoPE, for methods after it */
    check_number(FLOATS, 0x7fc00000, "not finite"); /* NaN */
    check_number(FLOATS + 12 * NUMBER, 2, shapes);  /* is there a model? */
    check_number(FLOATS + 13 * NUMBER, 0x7f800000, "not finite");
    /* d 4, width 5, 3 clusters: 48 parameters and 5 means come before the variance. */
    check_number(FLOATS + (13 + 48 + 5) * NUMBER, 0xbf800000, "not finite");
    char *bytes = example_bytes(&length);
    for (size_t cut = 0; cut < length; cut++)
        ck_assert_msg(trained_parse(&trained, bytes, cut, MESSAGE(error)) == -1, "%zu of %zu bytes",
                      cut, length);
    bytes[length / 2] ^= 1;
    ck_assert(trained_parse(&trained, bytes, length, MESSAGE(error)) == -1);
    ck_assert(strstr(error, "checksum"));
}
END_TEST

/* The iterations and the kind of the k-means, where they are given. */
static void check_options(const struct trained *trained, const struct head_shape *head,
                          const struct rope *rope)
{
    struct trained_need need = {.unroped = true, .rope = rope, .iterations = 7};
    const struct partition *partition = NULL;
    char error[300] = "";
    ck_assert(trained_select(trained, head, 1, &need, &partition, NULL, MESSAGE(error)) == 0);
    need.iterations = 8;
    ck_assert(trained_select(trained, head, 1, &need, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error,
                         "at most 7 iterations for layer 8, key head 1, and " MEMBER "iterations "
                         "asks for 8") != NULL,
                  "%s", error);
    need.iterations = 0;
    need.spherical = true;
    ck_assert(trained_select(trained, head, 1, &need, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "without " MEMBER "spherical for layer 8") != NULL, "%s", error);
    trained->heads[1].partition->spherical = true;
    ck_assert(trained_select(trained, head, 1, &need, &partition, NULL, MESSAGE(error)) == 0);
    trained->heads[1].partition->spherical = false;
}

START_TEST(select_finds_or_says_what_is_missing)
{
    struct trained trained = example();
    struct head_shape head = {
        .layer = 7, .key_head = 0, .query_head = 0, .query_heads = 2, .d = 4, .n = 9, .n_q = 1};
    const struct trained_need after = {0}, before = {.unroped = true};
    const struct partition *partition = NULL;
    const struct query_model *const *models = NULL;
    char error[300] = "";
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, &models, MESSAGE(error)) == 0);
    ck_assert(partition == trained.heads[0].partition);
    ck_assert(models[1] == trained.heads[0].models[1]);
    ck_assert(trained_select(&trained, &head, 1, &before, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "nothing for layer 7, key head 0 before RoPE") != NULL, "%s",
                  error);
    head.d = 8;
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "4 components") != NULL, "%s", error);
    head.d = 4;
    head.query_heads = 3;
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "query heads 0 to 1") != NULL, "%s", error);
    head =
        (struct head_shape){.layer = 9, .key_head = 2, .query_head = 4, .query_heads = 2, .d = 4};
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, NULL, MESSAGE(error)) == 0);
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, &models, MESSAGE(error)) ==
              -1);
    ck_assert_msg(strstr(error, "no query model") != NULL, "%s", error);
    head = (struct head_shape){
        .layer = 8, .key_head = 1, .query_head = 2, .query_heads = 2, .d = 4, .unroped = true};
    ck_assert(trained_select(&trained, &head, 1, &before, &partition, NULL, MESSAGE(error)) == 0);
    struct rope rope = trained.rope;
    struct trained_need other = {.unroped = true, .rope = &rope, .clusters = 4};
    ck_assert(trained_select(&trained, &head, 1, &other, &partition, NULL, MESSAGE(error)) == 0);
    other.clusters = 5;
    ck_assert(trained_select(&trained, &head, 1, &other, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "has 4 clusters for layer 8, key head 1") != NULL, "%s", error);
    check_options(&trained, &head, &rope);
    other.clusters = 0;
    rope.pairing = ROPE_HALF;
    ck_assert(trained_select(&trained, &head, 1, &other, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "another RoPE (theta 10000)") != NULL, "%s", error);
    rope.theta = 0; /* not known */
    ck_assert(trained_select(&trained, &head, 1, &other, &partition, NULL, MESSAGE(error)) == 0);
    head.unroped = false;
    ck_assert(trained_select(&trained, &head, 1, &before, &partition, NULL, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "on keys before RoPE for layer 8, key head 1, and here those "
                                "before RoPE are not known") != NULL,
                  "%s", error);
    head.dense = true; /* nothing is needed */
    ck_assert(trained_select(&trained, &head, 1, &after, &partition, &models, MESSAGE(error)) == 0);
    trained_free(&trained);
}
END_TEST

/* ---- training: two documents, two layers of two key heads with two query heads each */

enum { N = 120, N_Q = 60, D = 6, HEADS = 8 };
static float keys[HEADS][N * D], unroped[HEADS][N * D], queries[HEADS][2 * N_Q * D];

static int read_head(void *from, size_t index, const struct head_floats *to, struct message error)
{
    (void)error, (void)from;
    memcpy(to->keys, keys[index], sizeof keys[index]);
    memcpy(to->keys_unroped, unroped[index], sizeof keys[index]);
    memcpy(to->queries, queries[index], sizeof queries[index]);
    memcpy(to->queries_unroped, queries[index], sizeof queries[index]);
    return 0;
}

static struct train_spec spec_of(struct head_shape *heads)
{
    for (uint32_t i = 0; i < HEADS; i++) {
        heads[i] = (struct head_shape){.document = i / 4,
                                       .layer = i / 2 % 2,
                                       .key_head = i % 2,
                                       .query_head = i % 2 * 2,
                                       .query_heads = 2,
                                       .n = N,
                                       .n_q = N_Q,
                                       .d = D,
                                       .unroped = true};
        for (uint32_t j = 0; j < N * D; j++) {
            keys[i][j] = random_float();
            unroped[i][j] = random_float() + 5.0f;
        }
        for (uint32_t j = 0; j < 2 * N_Q * D; j++)
            queries[i][j] = random_float();
    }
    struct train_spec spec = {.heads = heads,
                              .length = HEADS,
                              .read = read_head,
                              .models = true,
                              .dense = {1, 4},
                              .clusters = 5,
                              .iterations = 4,
                              .training = TRAINING_OPTIONS_DEFAULT};
    spec.training.width = 8;
    spec.training.steps = 12;
    return spec;
}

static bool count_steps(void *context, uint64_t done, uint64_t total)
{
    uint64_t *steps = context;
    if (total == 0)
        return false;
    ck_assert(done == steps[0] + 1 && total == steps[1]);
    steps[0] = done;
    return done == steps[2];
}

static void take_progress(void *context, const struct train_progress *progress)
{
    struct train_progress *last = context;
    *last = *progress;
}

/* Layer 1, key head 1, of both documents, is heads 3 and 7: its partition and its model of the
 * second query head, by the parts that train_heads() is made of. */
START_TEST(heads_are_trained_on_all_documents)
{
    for (int before = 0; before < 2; before++) {
        struct head_shape heads[HEADS];
        struct train_spec spec = spec_of(heads);
        struct trained trained = {0};
        char error[300] = "";
        uint64_t steps[3] = {0, 8 * 12, 0};
        struct train_progress told = {0};
        uint64_t rows = 0;
        const struct train_watch watch = {{count_steps, steps}, take_progress, &told};
        float joined[2 * (N - 1) * D];
        uint32_t bucket[N];
        struct query_batch batches[2];
        spec.unroped = before;
        ck_assert_msg(train_heads(&spec, &watch, &trained, MESSAGE(error)) == 0, "%s", error);
        ck_assert_uint_eq(steps[0], 8 * 12);
        ck_assert_uint_eq(trained.length, 4);
        const struct trained_head *head = trained_find(&trained, 1, 1, before);
        ck_assert(head->query_head == 2 && head->models_length == 2 && head->before == before);
        for (int document = 0; document < 2; document++)
            memcpy(joined + document * (N - 1) * D, (before ? unroped : keys)[3 + 4 * document] + D,
                   (N - 1) * D * sizeof(float));
        const uint64_t salt = UINT64_C(1) << 32 | 1;
        const struct partition_options options = {
            .clusters = 5, .iterations = 4, .seed = 1, .salt = salt};
        struct partition *p = partition_train(joined, 2 * (N - 1), D, &options, NULL, NULL);
        ck_assert_mem_eq(p->centroids, head->partition->centroids, 5 * D * sizeof(float));
        for (int document = 0; document < 2; document++) {
            const int i = 3 + 4 * document;
            const struct context context = {.query_heads = 2,
                                            .key_heads = 1,
                                            .n = N,
                                            .n_q = N_Q,
                                            .d = D,
                                            .scale = 1.0f / sqrtf(D),
                                            .queries = queries[i],
                                            .keys = keys[i]};
            partition_assign(p, (before ? unroped : keys)[i], N, bucket);
            batches[document] = query_targets(&context, 1, bucket, 5, spec.dense, false, 0, NULL);
            struct query_batch other =
                query_targets(&context, 0, bucket, 5, spec.dense, false, 0, NULL);
            rows += other.rows + batches[document].rows;
            query_batch_free(&other);
        }
        spec.training.salt = salt << 8 | 1;
        struct query_model *model =
            query_model_train(batches, 2, p, 1.0f / sqrtf(D), &spec.training, NULL, NULL);
        check_model(model, head->models[1]);
        ck_assert_uint_eq(told.queries, rows);
        query_model_free(model);
        partition_free(p);
        query_batch_free(&batches[0]);
        query_batch_free(&batches[1]);
        trained_free(&trained);
    }
}
END_TEST

/* One model for two query heads; other threads; a stop; queries that are held back count for
 * nothing. */
START_TEST(variants_of_training)
{
    struct head_shape heads[HEADS];
    struct train_spec spec = spec_of(heads);
    struct trained one = {0}, other = {0};
    char error[300] = "";
    spec.per_key_head = true;
    spec.held_back = 20;
    omp_set_num_threads(1);
    ck_assert(train_heads(&spec, NULL, &one, MESSAGE(error)) == 0);
    for (int i = 0; i < HEADS; i++) {
        memset(keys[i] + (N - 20) * D, 0, 20 * D * sizeof(float));
        for (int head = 0; head < 2; head++)
            memset(queries[i] + (head * N_Q + N_Q - 20) * D, 0, 20 * D * sizeof(float));
    }
    omp_set_num_threads(3);
    ck_assert(train_heads(&spec, NULL, &other, MESSAGE(error)) == 0);
    check_same(&one, &other);
    ck_assert(one.heads[0].models_length == 1 && one.heads[0].models[1] == one.heads[0].models[0]);
    trained_free(&one);
    trained_free(&other);
    uint64_t steps[3] = {0, 4 * 12, 15};
    const struct train_watch watch = {.steps = {count_steps, steps}};
    ck_assert(train_heads(&spec, &watch, &one, MESSAGE(error)) == 1);
    ck_assert_uint_eq(steps[0], 15);
    trained_free(&one);
    spec.held_back = N_Q;
    ck_assert(train_heads(&spec, NULL, &one, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "too few queries") != NULL, "%s", error);
    trained_free(&one);
    spec.held_back = 0;
    spec.dense.window = N; /* no query has an open key */
    ck_assert(train_heads(&spec, NULL, &one, MESSAGE(error)) == -1);
    ck_assert_msg(strstr(error, "no query to train on") != NULL, "%s", error);
    trained_free(&one);
    spec.models = false;
    heads[0].dense = heads[4].dense = true;
    ck_assert(train_heads(&spec, NULL, &one, MESSAGE(error)) == 0);
    ck_assert(one.length == 3 && one.heads[0].models == NULL);
    trained_free(&one);
}
END_TEST

/* Query head 1 of key head 0 in layer 0 has its best key at its own position, so that it has
 * nothing to train on: it has no model, all others do. What is there is not trained again. */
START_TEST(a_head_without_a_query)
{
    struct head_shape heads[HEADS];
    struct train_spec spec = spec_of(heads);
    struct trained trained = {0}, again;
    char error[300] = "", path[] = "build/test_trained.XXXXXX";
    for (int i = 0; i < HEADS; i += 4) {
        memset(queries[i], 0, sizeof queries[i]);
        for (uint32_t j = 0; j < N; j++)
            keys[i][j * D] = (float)j;
        for (uint32_t j = 0; j < N_Q; j++) {
            queries[i][j * D] = -1.0f;
            queries[i][(N_Q + j) * D] = 1.0f;
        }
    }
    uint64_t steps[3] = {0, 8 * 12, 0};
    struct train_progress told = {0};
    const struct train_watch watch = {{NULL, NULL}, take_progress, &told};
    heads[1].dense = heads[5].dense = true;
    heads[2].dense = heads[3].dense = heads[6].dense = heads[7].dense = true;
    ck_assert_msg(train_heads(&spec, &watch, &trained, MESSAGE(error)) == 0, "%s", error);
    ck_assert(trained.length == 1 && trained.heads[0].models_length == 2);
    ck_assert(trained.heads[0].models[0] != NULL && trained.heads[0].models[1] == NULL);
    ck_assert(told.models == 1 && told.queries == 2 * N_Q && told.entropy > 0);
    for (int i = 1; i < HEADS; i++)
        heads[i].dense = false;
    const struct train_watch counted = {{count_steps, steps}, NULL, NULL};
    steps[0] = 2 * 12; /* of the head that is there */
    ck_assert(train_heads(&spec, &counted, &trained, MESSAGE(error)) == 0);
    ck_assert_uint_eq(steps[0], 8 * 12);
    ck_assert(trained.length == 4 && trained.heads[0].models[1] == NULL);
    for (size_t i = 1; i < 4; i++)
        ck_assert(trained.heads[i].models[0] != NULL && trained.heads[i].models[1] != NULL);
    close(mkstemp(path));
    ck_assert_msg(trained_save(&trained, path, MESSAGE(error)) == 0, "%s", error);
    ck_assert_msg(trained_load(&again, path, MESSAGE(error)) == 0, "%s", error);
    check_same(&trained, &again);
    unlink(path);
    trained_free(&trained);
    trained_free(&again);
}
END_TEST

TEST_MAIN("trained", file_is_read_back, what_does_not_fit_is_refused,
          select_finds_or_says_what_is_missing, heads_are_trained_on_all_documents,
          variants_of_training, a_head_without_a_query)
