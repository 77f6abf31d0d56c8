/* test_decoders.c - decoders with grouped queries: their parameters against the published counts,
 * the cost of a step against counting, and the command. Figure 5 of Key et al. is in test_cost.
 *
 * Against: published parameter counts; counting head by head, 2000 made-up decoders; the command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/programs/command.h>

static const struct rcm_decoder *decoder_of(const char *name)
{
    const struct rcm_decoder *found[1];
    ck_assert_msg(rcm_decoders_by_prefix(name, found, 1) == 1, "%s", name);
    return found[0];
}

/* ---- the registry */

/* Parameters of a model by its card or paper, in 10^9. Matrices alone; tied: one embedding. */
START_TEST(parameters_as_published)
{
    static const struct {
        const char *name;
        double published;
        unsigned embeddings;
    } rows[] = {
        {"Llama-3.1-8B", 8.03, 2}, {"Llama-3.1-70B", 70.6, 2}, {"Llama-3.1-405B", 405.9, 2},
        {"Qwen2.5-7B", 7.62, 2},   {"Qwen3-8B", 8.19, 2},      {"Qwen3-32B", 32.8, 2},
        {"Mistral-7B", 7.25, 2},   {"Gemma-7B", 8.54, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rcm_decoder *d = decoder_of(rows[i].name);
        const double all = (double)d->layers * rcm_decoder_layer_parameters(d) +
                           (double)(rows[i].embeddings * d->width * d->vocabulary);
        ck_assert_msg(fabs(all / 1e9 / rows[i].published - 1.0) < 2e-3, "%s: %.4g", d->name, all);
        ck_assert_uint_eq(d->embeddings_read, 1);
        ck_assert(strstr(d->source, "config.json") != NULL);
    }
    /* The formula of Key et al., which gave their Figure 5, is 0.5 % below the model's 6.74. */
    const struct rcm_decoder *llama = rcm_decoder(0);
    ck_assert_str_eq(llama->name, "Llama-2-7B");
    ck_assert_double_eq(rcm_decoder_layer_parameters(llama), 12.0 * 4096 * 4096);
    size_t count = 0;
    while (rcm_decoder(count))
        count++;
    ck_assert_uint_eq(count, sizeof rows / sizeof *rows + 1);
}
END_TEST

START_TEST(names)
{
    const struct rcm_decoder *found[20];
    ck_assert_uint_eq(rcm_decoders_by_prefix("llama 3.1 8b", found, 20), 1);
    ck_assert_str_eq(found[0]->name, "Llama-3.1-8B");
    ck_assert_uint_eq(rcm_decoders_by_prefix("gemma", found, 20), 1);
    ck_assert_uint_eq(rcm_decoders_by_prefix("llama-3.1", found, 20), 3);
    ck_assert_uint_eq(rcm_decoders_by_prefix("qwen", found, 20), 3);
    ck_assert_uint_eq(rcm_decoders_by_prefix("", found, 20), 0);
    ck_assert_uint_eq(rcm_decoders_by_prefix("gpt", found, 20), 0);
    for (size_t i = 0; rcm_decoder(i); i++)
        ck_assert(rcm_decoders_by_prefix(rcm_decoder(i)->name, found, 20) == 1 &&
                  found[0] == rcm_decoder(i));
}
END_TEST

/* ---- the cost */

/* Counts a dense step matrix by matrix and head by head. */
static void count_step(const struct rcm_decoder *d, uint64_t n, double *rest_operations,
                       double *rest_bytes, double *operations, double *bytes)
{
    *rest_operations = *rest_bytes = *operations = *bytes = 0.0;
    for (uint64_t layer = 0; layer < d->layers; layer++) {
        const uint64_t matrices[][2] = {
            {d->width, d->heads * d->head},
            {d->width, d->kv_heads * d->head}, /* queries, keys */
            {d->width, d->kv_heads * d->head},
            {d->heads * d->head, d->width}, /* values, output */
            {d->width, d->ffn},
            {d->width, d->ffn}, /* gate, up */
            {d->ffn, d->width}, /* down */
        };
        for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
            *rest_operations += 2.0 * (double)(matrices[i][0] * matrices[i][1]);
            *rest_bytes += 2.0 * (double)(matrices[i][0] * matrices[i][1]);
        }
        for (uint64_t head = 0; head < d->kv_heads; head++) {
            *bytes +=
                2.0 * 2.0 * (double)((n + 1) * d->head); /* keys and values, once for the group */
            for (uint64_t query = 0; query < d->heads / d->kv_heads; query++)
                *operations += 2.0 * 2.0 * (double)((n + 1) * d->head); /* scores, and their sum */
        }
    }
    *rest_operations += 2.0 * (double)(d->width * d->vocabulary);
    *rest_bytes += 2.0 * (double)(d->embeddings_read * d->width * d->vocabulary);
}

/* Elements that SparQ moves for one head of keys. Each query of `group` chooses for itself, and two
 * queries choose the same elements only where there are no others. */
static double count_sparse(uint64_t n, uint64_t k, uint64_t d, uint64_t components, uint64_t group)
{
    const uint64_t read = group * components < d ? group * components : d;
    const uint64_t chosen = group * k < n ? group * k : n;
    return (double)(n * read + 2 * chosen * d + 4 * d);
}

START_TEST(cost_by_counting)
{
    const struct rcm_device device = {
        .name = "toy", .bandwidth_bytes_per_s = 3e9, .matrix_rate_per_s = 7e9};
    uint64_t state = 5;
    for (int i = 0; i < 2000; i++) {
        const uint64_t kv_heads = random_between(&state, 1, 8),
                       head = random_between(&state, 1, 64);
        const struct rcm_decoder d = {.layers = random_between(&state, 1, 4),
                                      .width = random_between(&state, 1, 500),
                                      .vocabulary = random_between(&state, 0, 1000),
                                      .head = head,
                                      .heads = kv_heads * random_between(&state, 1, 8),
                                      .kv_heads = kv_heads,
                                      .ffn = random_between(&state, 1, 900),
                                      .embeddings_read = random_between(&state, 1, 2)};
        const uint64_t n = random_between(&state, 1, 5000), k = random_between(&state, 1, n);
        const uint64_t components = random_between(&state, 1, head), group = d.heads / kv_heads;
        double rest_operations, rest_bytes, operations, bytes;
        count_step(&d, n, &rest_operations, &rest_bytes, &operations, &bytes);
        const struct rcm_attention a = rcm_attention(&d, &device, n, k, components);
        const double rest = (rest_operations / 7e9 + rest_bytes / 3e9) * 1e6;
        const double attention = (operations / 7e9 + bytes / 3e9) * 1e6;
        ck_assert_double_eq_tol(a.attention_us / attention, 1.0, 1e-13);
        ck_assert_double_eq_tol(a.step_us / (rest + attention), 1.0, 1e-13);
        ck_assert_double_eq(a.bytes, rest_bytes + bytes);

        const double dense = (double)(2 * n * head + 2 * head);
        const double share = count_sparse(n, k, head, components, 1) / dense;
        const double apart = count_sparse(n, k, head, components, group) / dense;
        ck_assert_double_eq_tol(a.transfers * share, 1.0, 1e-13);
        ck_assert_double_eq_tol(a.transfers_apart * apart, 1.0, 1e-13);
        ck_assert_double_eq_tol(a.speedup * (rest + attention * share) / (rest + attention), 1.0,
                                1e-13);
        const double sparse = (operations * share / 7e9 + bytes * apart / 3e9) * 1e6;
        ck_assert_double_eq_tol(a.speedup_apart * (rest + sparse) / (rest + attention), 1.0, 1e-13);
        /* Queries that choose apart never move less. With one query for each head of keys there is
         * no group. */
        ck_assert(a.transfers_apart <= a.transfers * (1 + 1e-15));
        ck_assert(group > 1 || (a.transfers_apart == a.transfers &&
                                fabs(a.speedup_apart / a.speedup - 1.0) < 1e-13));
    }
}
END_TEST

START_TEST(outside_the_domain)
{
    const struct rcm_device device = {.bandwidth_bytes_per_s = 1e9, .matrix_rate_per_s = 1e9};
    const struct rcm_decoder good = {.layers = 1, .width = 8, .head = 4, .heads = 4, .kv_heads = 2};
    ck_assert(rcm_attention(&good, &device, 10, 2, 4).speedup > 0.0);
    ck_assert(isnan(rcm_attention(&good, &device, 10, 2, 5).speedup)); /* more than the head has */
    ck_assert_double_eq(rcm_decoder_layer_parameters(&good), 2 * 8 * 4 * 6 + 8 * 8 * 8);
    for (int i = 0; i < 6; i++) {
        struct rcm_decoder d = good;
        *(i == 0   ? &d.layers
          : i == 1 ? &d.width
          : i == 2 ? &d.head
          : i == 3 ? &d.heads
          : i == 4 ? &d.kv_heads
                   : &d.ffn) = i == 5 ? 3 : 0;
        if (i == 5)
            d.kv_heads = 3; /* does not divide 4 */
        ck_assert(isnan(rcm_decoder_layer_parameters(&d)));
        const struct rcm_attention a = rcm_attention(&d, &device, 10, 2, 1);
        ck_assert(isnan(a.speedup) && isnan(a.step_us) && isnan(a.speedup_apart) && isnan(a.bytes));
    }
}
END_TEST

/* ---- the command */

/* A list of n gives one table with one heading. In JSON each n is a query, as for every command. */
START_TEST(one_table)
{
    run("attention --n 4096,16384,65536 --k 256");
    const char *head = strstr(result.out, "decoder");
    ck_assert_msg(result.status == 0 && head && !strstr(head + 1, "decoder") &&
                      !strstr(result.out, "n = "),
                  "%s", result.out);
    ck_assert(strstr(result.out, " 4096 ") && strstr(result.out, " 16384 ") &&
              strstr(result.out, " 65536 "));
    json_t *json = parse_answer("attention --n 4096,16384 --k 256 --json");
    const json_t *queries = json_object_get(json, "queries");
    ck_assert_uint_eq(json_array_size(queries), 2);
    const json_t *steps = json_object_get(json_array_get(queries, 1), "steps");
    ck_assert_uint_eq(json_array_size(steps), 1);
    ck_assert_double_eq(number(json_array_get(steps, 0), "n"), 16384);
    json_decref(json);
    run("attention --n 4096,16384 --k 256 --decoder all --csv");
    size_t lines = 0, decoders = 0;
    for (const char *at = result.out; (at = strchr(at, '\n')); at++)
        lines++;
    while (rcm_decoder(decoders))
        decoders++;
    ck_assert_msg(result.status == 0 && lines == 1 + 2 * decoders, "%zu lines: %s", lines,
                  result.out);
}
END_TEST

static void check_same(const char *a, const char *b)
{
    static const char *const names[] = {"step_us",         "attention_us",  "transfers", "speedup",
                                        "transfers_apart", "speedup_apart", "bytes"};
    json_t *one = parse_answer(a), *other = parse_answer(b);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(number(json_array_get(json_object_get(one, "steps"), 0), names[i]) ==
                          number(json_array_get(json_object_get(other, "steps"), 0), names[i]),
                      "%s: %s and %s", names[i], a, b);
    json_decref(one);
    json_decref(other);
}

START_TEST(decoder_by_its_numbers)
{
    check_same("attention --n 40960 --k 512 --device h200 --decoder llama-3.1-8b --json",
               "attention --n 40960 --k 512 --device h200 --layers 32 --width 4096 --kv-heads 8"
               " --head 128 --ffn 14336 --vocabulary 128256 --json");
    check_same("attention --n 40960 --k 512 --decoder qwen3-32b --json",
               "attention --n 40960 --k 512 --layers 64 --width 5120 --heads 64 --kv-heads 8"
               " --head 128 --ffn 25600 --vocabulary 151936 --json");
    /* Without --ffn and --vocabulary: 12 width^2 a layer where each query has its head of keys. */
    json_t *json = parse_answer("attention --n 1000 --k 10 --device b200 --layers 2 --width 64"
                                " --kv-heads 4 --head 16 --json");
    const json_t *step = json_array_get(json_object_get(json, "steps"), 0);
    const double bytes = 2.0 * 2 * 12 * 64 * 64, cache = 2.0 * 2 * 2 * 1001 * 64;
    ck_assert_double_eq(number(step, "bytes"), bytes + cache);
    ck_assert_double_eq(number(step, "components"), 2);
    ck_assert_str_eq(json_string_value(json_object_get(step, "decoder")), "as given");
    ck_assert(json_is_false(json_object_get(step, "exceeds_memory")));
    json_decref(json);
    run("attention --n 1000 --k 10 --decoder llama-3.1-405b");
    ck_assert_msg(strstr(result.out, "Llama-3.1-405B: weights and 1000 keys and values take") &&
                      strstr(result.out, "the H100-PCIe has 80 GB."),
                  "%s", result.out);
    /* A head under 8. */
    run("attention --n 1000 --k 10 --layers 1 --width 4 --kv-heads 1 --head 4");
    ck_assert_msg(result.status == 0, "%s", result.out);
}
END_TEST

START_TEST(bad_input)
{
    static const char *const cases[][2] = {
        {"--components 0", "from 1 to the elements of a head"},
        {"--components 129", "at most 128"},
        {"--components 257 --decoder gemma", "256 elements of a head of Gemma-7B"},
        {"--decoder llama", "may mean Llama-2-7B, Llama-3.1-8B, Llama-3.1-70B, Llama-3.1-405B;"},
        {"--decoder gpt-oss", "'gpt-oss' is not known; give one of Llama-2-7B"},
        {"--layers 3", "--layers needs --width"},
        {"--head 64 --layers 3 --width 128", "--layers needs --kv-heads"},
        {"--heads 64", "--heads needs --layers"},
        {"--layers 3 --width 100 --kv-heads 1 --head 3", "give --heads"},
        {"--layers 3 --width 120 --kv-heads 7 --head 3", "give one that divides them"},
        {"--layers 3 --width 64 --kv-heads 8 --head 16", "give one that divides them"},
        {"--decoder all --heads 3", "exclude each other"},
        {"--device v100s", "has no matrix_rate_per_s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "attention --n 100 --k 10 %s", cases[i][0]);
        run(arguments);
        ck_assert_msg(result.status == 2 && strstr(result.err, cases[i][1]) &&
                          strchr(result.err, '\n')[1] == '\0',
                      "%s: %d %s", cases[i][0], result.status, result.err);
    }
}
END_TEST

TEST_MAIN("decoders", parameters_as_published, names, cost_by_counting, outside_the_domain,
          one_table, decoder_by_its_numbers, bad_input)
