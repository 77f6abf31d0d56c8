/* command_tensors.c - keys, queries and values: what they look like, and made-up ones at sizes no
 * small model reaches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attention/products.h>
#include <attention/threads.h>
#include <base/memory.h>
#include <base/text.h>
#include <programs/common/progress.h>
#include <programs/common/table.h>
#include <programs/common/wrap.h>
#include <sim/team.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>
#include "tensors_command.h"

static int read_knob(void *to, const char *option, const char *value)
{
    const struct generator_knob *knob = generator_knobs;
    while (strcmp(knob->option, option) != 0)
        knob++;
    const double x = text_number(value);
    if (x >= knob->least && x <= knob->most && (!knob->whole || x == floor(x))) {
        *(double *)to = x;
        return STATUS_OK;
    }
    return usage_error("%s '%.*s' is not a %s; give one from %g to %g", option, VALUE_SHOWN, value,
                       knob->whole ? "whole number in its range" : "number in its range",
                       knob->least, knob->most);
}

#define AT(member) offsetof(struct tensors_settings, member)
#define KNOB_OPTION(name, option, value, least, most, whole, meaning) \
    {option, "X", BY(read_knob), AT(generator.name), meaning " (default " #value ")"},

static const struct argument tensors_options[] = {
    {"--keys", "FILE", BY(read_text), AT(paths[TENSOR_KEYS]),
     "keys after RoPE, .npy, [heads, n, d] or [layers, heads, n, d]"},
    {"--queries", "FILE", BY(read_text), AT(paths[TENSOR_QUERIES]),
     "queries after RoPE, [query heads, n_q, d]: those of the last n_q positions"},
    {"--values", "FILE", BY(read_text), AT(paths[TENSOR_VALUES]),
     "values, which only sink_value needs"},
    {"--keys-unroped", "FILE", BY(read_text), AT(paths[TENSOR_KEYS_UNROPED]), "keys before RoPE"},
    {"--queries-unroped", "FILE", BY(read_text), AT(paths[TENSOR_QUERIES_UNROPED]),
     "queries before RoPE"},
    {"--rope-theta", "T", BY(read_rope_theta), AT(theta),
     "base of the RoPE that is undone in tensors that are read, if they are not also given before "
     "RoPE, or applied to generated ones (default there 5e5)"},
    {"--rope-pairing", "P", &kind_of_pairing, AT(pairing),
     "half (default): RoPE pairs (i, i + d/2); interleaved: it pairs (2i, 2i + 1)"},
    {"--sink", "N", BY(read_count), AT(sink), "the first N keys count as the sink (default 1)"},
    {"--window", "N", BY(read_count), AT(window),
     "the last N keys count as the window (default 128)"},
    {"--generate", "FOLDER", BY(read_text), AT(folder),
     "write generated tensors into FOLDER: keys.npy, queries.npy, values.npy, keys-unroped.npy, "
     "queries-unroped.npy, and needles.csv if there are needles"},
    {"--n", "N", BY(read_count), AT(n), "keys to generate (default 100000)"},
    {"--n-q", "N", BY(read_count), AT(n_q),
     "queries to generate, at the last positions (default 64)"},
    {"--d", "D", BY(read_count), AT(d), "components of a head (default 128)"},
    {"--heads", "H", BY(read_count), AT(key_heads), "heads of keys (default 1)"},
    {"--query-heads", "H", BY(read_count), AT(query_heads),
     "heads of queries (default: as many as heads of keys)"},
    {"--seed", "S", BY(read_seed), AT(seed),
     "seed of the random numbers (default 1); a seed always gives the same tensors"},
    GENERATOR_KNOBS(KNOB_OPTION) OPTIONS_FORM,
};

#define KNOB_NAME(name, option, value, least, most, whole, meaning) " " option

static const struct argument_rule tensors_rules[] = {
    {.options = "--generate",
     .excludes = "--keys --queries --values --keys-unroped --queries-unroped --rope-pairing",
     .why = "--generate makes the tensors, with --rope-pairing half"},
    {.options = "--n --n-q --d --heads --query-heads" GENERATOR_KNOBS(KNOB_NAME),
     .needs = "--generate"},
    {0},
};

/* ---- tensors that are read */

static struct context context_of(const struct head_shape *shape, const struct head_floats *floats)
{
    return (struct context){.query_heads = shape->query_heads,
                            .key_heads = 1,
                            .n = shape->n,
                            .n_q = shape->n_q,
                            .d = shape->d,
                            .d_v = shape->d_v,
                            .scale = (float)(1 / sqrt(shape->d)),
                            .queries = floats->queries,
                            .keys = floats->keys,
                            .values = floats->values,
                            .queries_unroped = floats->queries_unroped,
                            .keys_unroped = floats->keys_unroped};
}

static int measure_heads(const struct tensors_settings *settings, struct tensors *tensors,
                         struct measured_heads *measured)
{
    struct progress progress;
    char error[500];
    int status = STATUS_OK;
    progress_start(&progress, "heads");
    progress_watch(&progress);
    for (size_t i = 0; i < tensors->length && status == STATUS_OK; i++) {
        struct head_floats floats;
        void *memory = require_memory(head_floats_new(&tensors->heads[i], &floats));
        const struct context context = context_of(&tensors->heads[i], &floats);
        if (tensors_read(tensors, i, &floats, MESSAGE(error)) != 0)
            status = usage_error("%s", error);
        else
            properties_of_head(&context, tensors_dense(settings), settings->pairing,
                               measured_head(measured));
        free(memory);
        if (status == STATUS_OK && progress_tick(&progress, i + 1, tensors->length))
            status = STATUS_INTERRUPTED;
    }
    progress_end(&progress);
    return status;
}

static int measure_files(const struct tensors_settings *settings, struct measured_heads *measured)
{
    const struct rope rope = {.theta = settings->theta, .pairing = settings->pairing, .factor = 1};
    struct tensors_spec spec = {.rope = settings->theta > 0 ? &rope : NULL};
    struct tensors tensors;
    char error[500];
    for (int i = 0; i < TENSORS; i++)
        if (settings->paths[i])
            spec.paths[i] = (struct tensor_paths){(char **)&settings->paths[i], 1};
    int status =
        tensors_open(&tensors, &spec, MESSAGE(error)) == 0 ? STATUS_OK : usage_error("%s", error);
    if (status == STATUS_OK && tensors.heads[0].n < 2)
        status = usage_error("--keys has one position; give two or more");
    if (status == STATUS_OK) {
        measured->n = tensors.heads[0].n;
        measured->n_q = tensors.heads[0].n_q;
        measured->d = tensors.heads[0].d;
        measured->query_heads = tensors.query_heads;
        status = measure_heads(settings, &tensors, measured);
    }
    tensors_close(&tensors);
    return status;
}

/* ---- the answer */

struct property_row {
    const char *name;
    struct property_mean mean;
    struct real_property real;
};

enum { BESIDE_REAL = 1 }; /* parts of the table */

static const struct column property_items[] = {
    {FIELD(struct property_row, name), EVERYWHERE("property")},
    {FIELD(struct property_row, mean.mean), HEADED("value", "mean")},
    {FIELD(struct property_row, mean.error), EVERYWHERE("stderr")},
    {FIELD(struct property_row, real.mean), HEADED("real", "a real\nmodel"), .when = BESIDE_REAL},
    {FIELD(struct property_row, real.low), HEADED("real_low", "its least\nlayer"),
     .when = BESIDE_REAL},
    {FIELD(struct property_row, real.high), HEADED("real_high", "its most\nlayer"),
     .when = BESIDE_REAL},
};
static const struct columns property_columns = COLUMNS(struct property_row, property_items);

static struct table *property_table(const struct measured_heads *measured, bool beside)
{
    struct property_mean means[PROPERTY_COUNT];
    struct table *table = table_of(&property_columns, beside ? BESIDE_REAL : 0);
    properties_mean(measured->properties, measured->heads, means);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const struct property_row row = {property_texts[p].name, means[p], real_properties[p]};
        table_add(table, &row, false);
    }
    return table;
}

static int print_measured(const struct tensors_settings *settings,
                          const struct measured_heads *measured)
{
    const bool beside = settings->folder != NULL;
    struct table *table = property_table(measured, beside);
    int status = STATUS_OK;
    if (settings->question.output == OUTPUT_JSON) {
        json_t *object = object_with_version();
        set_count(object, "n", measured->n);
        set_count(object, "n_q", measured->n_q);
        set_count(object, "d", measured->d);
        set_count(object, "heads", measured->heads);
        set_count(object, "query_heads", measured->query_heads);
        json_object_set_new(object, "properties", table_json(table));
        status = print_json(object);
    } else if (settings->question.output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else {
        print_wrapped("%zu heads of %" PRIu32 " keys of %" PRIu32 " components; %" PRIu32
                      " heads of %" PRIu32 " queries",
                      measured->heads, measured->n, measured->d, measured->query_heads,
                      measured->n_q);
        table_print(table, stdout, colour_wanted());
        print_wrapped("stderr: over heads of keys; it needs at least two of them.%s%s",
                      beside ? " a real model: " : "", beside ? real_properties_source : "");
    }
    table_free(table);
    return status;
}

static int run_tensors(int count, char **arguments)
{
    struct tensors_settings settings = {
        .question = QUESTION_DEFAULT, .seed = 1, .sink = 1, .window = 128};
    struct measured_heads measured = {0};
    for (const struct generator_knob *knob = generator_knobs; knob->option; knob++)
        *(double *)((char *)&settings.generator + knob->at) = NAN;
    int status =
        arguments_read_ruled(tensors_options, tensors_rules, NULL, &settings, count, arguments);
    char error[200];
    const bool works = team_rank() == 0; /* one rank does the work and writes the files */
    if (status == STATUS_OK && works && !products_ready(MESSAGE(error)))
        status = usage_error("%s", error);
    threads_use(0);
    if (status == STATUS_OK && works)
        status = settings.folder ? tensors_generate(&settings, &measured)
                                 : measure_files(&settings, &measured);
    if (status == STATUS_OK && works)
        status = print_measured(&settings, &measured);
    free(measured.properties);
    question_free(&settings.question);
    return status;
}

#define PROPERTY_HELP(name, meaning) "\n  " #name ": " meaning

const struct command command_tensors = {
    .name = "tensors",
    .summary = "the properties of keys and queries, and generated ones of any size",
    .example = "recallmodel tensors --keys keys.npy --queries queries.npy --values values.npy\n"
               "recallmodel tensors --generate long --n 1e6 --d 128",
    .detail =
        "An option of the generator names, after a colon, the property that it sets. Logits are "
        "those after RoPE, of each query over the keys up to its position. docs/sparse.md defines "
        "the properties and the generated tensors.\n" PROPERTIES(PROPERTY_HELP),
    .columns = &property_columns,
    .options = tensors_options,
    .run = run_tensors,
};
