/* sparse_options.c - sparse: its options, and what reads their values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <base/array.h>
#include <base/memory.h>
#include <base/text.h>

#include "sparse.h"
#include "sparse_time.h"
#include "tensors_command.h"

/* ---- readers */

/* Does it fit into 32 bits, or a line? */
static int check_small(uint64_t value, const char *option)
{
    return value > UINT32_C(1) << 30
               ? usage_error("%s %" PRIu64 " is too large; give at most 2^30", option, value)
               : STATUS_OK;
}

static int read_k(void *to, const char *option, const char *value)
{
    const struct count_list *list = to;
    const int status = read_sorted_counts(to, option, value);
    return status == STATUS_OK ? check_small(list->items[list->length - 1], option) : status;
}

static int read_small_or_0(void *to, const char *option, const char *value)
{
    uint64_t number = 0;
    int status = read_seed(&number, option, value);
    if (status == STATUS_OK)
        status = check_small(number, option);
    *(uint32_t *)to = (uint32_t)number;
    return status;
}

static int read_small(void *to, const char *option, const char *value)
{
    return strcmp(value, "0") == 0 ? read_count(to, option, value)
                                   : read_small_or_0(to, option, value);
}

static int read_paths(void *to, const char *option, const char *value)
{
    struct path_list *list = to;
    size_t capacity = 0;
    list->text = text_copy(value);
    for (char *at = list->text, *end; at; at = end) {
        end = strchr(at, ',');
        if (end)
            *end++ = '\0';
        if (*at == '\0')
            return usage_error("%s '%.*s' has an empty path; give FILE, or FILE,FILE for several "
                               "documents",
                               option, VALUE_SHOWN, value);
        list->paths.items =
            array_grow(list->paths.items, list->paths.length, &capacity, sizeof *list->paths.items);
        list->paths.items[list->paths.length++] = at;
    }
    return STATUS_OK;
}

static const char *method_at(unsigned i)
{
    return methods[i] ? methods[i]->name : NULL;
}

static int read_methods(void *to, const char *option, const char *value)
{
    struct sparse_settings *settings = to;
    unsigned found[SPARSE_METHODS_MAX], length;
    const int status = read_names(option, value, method_at, SPARSE_METHODS_MAX, found, &length);
    for (unsigned i = 0; status == STATUS_OK && i < length; i++)
        settings->methods[settings->methods_length++] = methods[found[i]];
    return status;
}

static int read_budgets(void *to, const char *option, const char *value)
{
    const struct decimal_list *list = to;
    const int status = read_decimals(to, option, value);
    for (size_t i = 0; status == STATUS_OK && i < list->length; i++)
        if (list->items[i].digits <= 0 || decimal_complement(list->items[i]) < 0)
            return usage_error("%s '%.*s' is outside (0, 1]; give shares of the keys, such as "
                               "0.01,0.05 or 0.01:0.05:0.3",
                               option, VALUE_SHOWN, value);
    return status;
}

/* Layers are counted from 0. */
static int read_layers(void *to, const char *option, const char *value)
{
    struct layer_list *list = to;
    size_t capacity = 0;
    list->given = true;
    if (strcmp(value, "none") == 0)
        return STATUS_OK;
    for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char part[16], *end;
        const size_t letters = strcspn(at, ",");
        memcpy(part, at, letters < sizeof part ? letters : sizeof part - 1);
        part[letters < sizeof part ? letters : sizeof part - 1] = '\0';
        const unsigned long number = strtoul(part, &end, 10);
        if (letters == 0 || letters >= sizeof part || *end || part[0] < '0' || part[0] > '9')
            return usage_error("%s '%.*s' is not a list of layers; give numbers from 0 on, such as "
                               "2,8,15, or none",
                               option, VALUE_SHOWN, value);
        list->items = array_grow(list->items, list->length, &capacity, sizeof *list->items);
        list->items[list->length++] = number;
    }
    return STATUS_OK;
}

static const char *pairing_at(unsigned i)
{
    return i == ROPE_HALF ? "half" : i < 2 ? "interleaved" : NULL;
}

static int read_pairing(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, pairing_at, 2, &i);
    *(enum rope_pairing *)to = i == ROPE_HALF ? ROPE_HALF : ROPE_INTERLEAVED;
    return status;
}

const struct value_kind kind_of_pairing = {.read = read_pairing, .names = pairing_at};

static int read_factor(void *to, const char *option, const char *value)
{
    const char *wrong = parse_amount(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give a number such as 0.25", option, VALUE_SHOWN,
                               value, wrong)
                 : STATUS_OK;
}

/* The numbers behind the name of a scaling, at most `most`. Returns how many; -1: not numbers. */
static int scaling_numbers(const char *text, double *numbers, int most)
{
    int count = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char part[32] = "";
        const size_t letters = strcspn(at, ",");
        if (letters == 0 || letters >= sizeof part || count == most)
            return -1;
        memcpy(part, at, letters);
        if (parse_amount(part, &numbers[count++]))
            return -1;
    }
    return count;
}

static const char *scaling_at(unsigned i)
{
    static const char *const scalings[] = {"none", "linear:", "llama3:", "yarn:", NULL};
    return scalings[i];
}

static int read_scaling(void *to, const char *option, const char *value)
{
    struct rope *rope = to;
    double x[4] = {0};
    const char *colon = strchr(value, ':');
    const size_t letters = strcspn(value, ":");
    const int count = colon ? scaling_numbers(colon + 1, x, 4) : 0;
    if (strcmp(value, "none") == 0) {
        rope->scaling = ROPE_NONE;
        return STATUS_OK;
    }
    rope->factor = x[0];
    if (letters == 6 && strncmp(value, "linear", 6) == 0 && count == 1) {
        rope->scaling = ROPE_LINEAR;
        return STATUS_OK;
    }
    if (letters == 6 && strncmp(value, "llama3", 6) == 0 && count == 4) {
        rope->scaling = ROPE_LLAMA3;
        rope->low = x[1];
        rope->high = x[2];
        rope->original = x[3];
        return STATUS_OK;
    }
    if (letters == 4 && strncmp(value, "yarn", 4) == 0 && (count == 2 || count == 3)) {
        rope->scaling = ROPE_YARN;
        rope->original = x[1];
        rope->attention_factor = x[2];
        return STATUS_OK;
    }
    return usage_error("%s '%.*s' is not known; give none, linear:FACTOR, "
                       "llama3:FACTOR,LOW,HIGH,ORIGINAL or yarn:FACTOR,ORIGINAL[,ATTENTION]",
                       option, VALUE_SHOWN, value);
}

static const char *bf16_at(unsigned i)
{
    return i ? NULL : sim_dtype_name(SIM_BF16);
}

static int read_bf16(void *to, const char *option, const char *value)
{
    *(enum sim_dtype *)to = SIM_BF16;
    return strcmp(value, bf16_at(0)) == 0
               ? STATUS_OK
               : usage_error("%s '%.*s' is not known; give bf16, or leave %s out for other types",
                             option, VALUE_SHOWN, value, option);
}

static const char *per_at(unsigned i)
{
    return i == 0 ? "query" : i == 1 ? "key" : NULL;
}

static int read_per(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, per_at, 2, &i);
    *(bool *)to = i == 1;
    return status;
}

/* ---- the table */

#define AT(member) offsetof(struct sparse_settings, member)
/* A row of METHOD_OPTIONS as an option. */
#define METHOD_ARGUMENT(kind, member, option, usual, least, most, meaning) \
    {option, METHOD_##kind, AT(options.member), meaning METHOD_DEFAULT_##kind(usual)},
#define METHOD_WHOLE "N", BY(read_small)
#define METHOD_REAL "F", BY(read_factor)
#define METHOD_FLAG NULL, BY(read_switch)
#define METHOD_DEFAULT_WHOLE(usual) " (default " #usual ")"
#define METHOD_DEFAULT_REAL METHOD_DEFAULT_WHOLE
#define METHOD_DEFAULT_FLAG(usual) ""

#define TENSOR KIND(read_paths, .endings = "npy")

const struct argument sparse_options[] = {
    {"--queries", "LIST", TENSOR, AT(paths[TENSOR_QUERIES]),
     ".npy files, one for each document: [heads, n_q, d] or [layers, heads, n_q, d], the queries "
     "of the last n_q positions, after RoPE"},
    {"--keys", "LIST", TENSOR, AT(paths[TENSOR_KEYS]),
     "the same for the keys: [key heads, n, d], after RoPE"},
    {"--values", "LIST", TENSOR, AT(paths[TENSOR_VALUES]),
     "the same for the values; without them the error of the output is not known"},
    {"--keys-unroped", "LIST", TENSOR, AT(paths[TENSOR_KEYS_UNROPED]),
     "keys before RoPE, for methods that cluster these"},
    {"--queries-unroped", "LIST", TENSOR, AT(paths[TENSOR_QUERIES_UNROPED]), "queries before RoPE"},
    {"--needles", "LIST", KIND(read_paths, .endings = "csv"), AT(needles),
     "CSV files with the columns query_head, query and key, as recallmodel tensors writes them: "
     "also print how many of these keys their queries read"},
    {"--method", "LIST", KIND(read_methods, .names = method_at), 0,
     "the methods to compare (default: all that need no training)"},
    {"--budget", "LIST", BY(read_budgets), AT(budgets),
     "shares of the keys to visit (default 0.01,0.02,0.05,0.1,0.2); 0.01:0.05:0.3 is first, step "
     "and last"},
    {"--sink", "N", BY(read_small_or_0), AT(options.dense.sink),
     "the first N keys are always read (default 1)"},
    {"--window", "N", BY(read_small_or_0), AT(options.dense.window),
     "the last N keys are always read, the query's own among them (default 128)"},
    {"--k", "LIST", BY(read_k), AT(k),
     "measure the recall of the top K keys outside of sink and window (default 64)"},
    {"--layers", "LIST", BY(read_layers), AT(layers),
     "the numbers of the layers in the files (default 0,1,.. for four axes); for three axes, one "
     "number for all files or one for each"},
    {"--dense-layers", "LIST", KIND(read_layers, .also = "none"), AT(dense_layers),
     "layers that read all keys, if layer numbers are known (default 0), or none"},
    {"--per-head", NULL, BY(read_switch), AT(per_head),
     "print a row for each layer and query head"},
    {"--last", "N", BY(read_count), AT(last), "use only the last N queries of each head"},
    {"--share", NULL, BY(read_switch), AT(share),
     "query heads that share a key head choose the same keys, if the method can"},
    {"--seed", "S", BY(read_seed), AT(options.seed), "seed of the random numbers (default 1)"},
    {"--rope-theta", "T", BY(read_rope_theta), AT(rope.theta),
     "the base of RoPE; keys and queries before RoPE are then computed from those after it"},
    {"--rope-pairing", "P", &kind_of_pairing, AT(rope.pairing),
     "which components RoPE pairs: half (default) or interleaved"},
    {"--rope-scaling", "S", KIND(read_scaling, .names = scaling_at), AT(rope),
     "none (default), linear:FACTOR, llama3:FACTOR,LOW,HIGH,ORIGINAL or "
     "yarn:FACTOR,ORIGINAL[,ATTENTION]"},
    METHOD_OPTIONS(METHOD_ARGUMENT){"--assignment", "A", &kind_of_assignment,
                                    IN_QUESTION(assignments),
                                    "how keys go to the buckets of bucketed: interleaved "
                                    "(default), contiguous, contiguous-floor"},
    {"--dtype", "T", KIND(read_bf16, .names = bf16_at), AT(dtype),
     "bf16: the files hold bfloat16 as 2-byte elements"},
    {"--train-keys", "LIST", TENSOR, AT(train.paths[TENSOR_KEYS]),
     "train the partitions of kmeans, and saap, on these keys of other documents"},
    {"--train-queries", "LIST", TENSOR, AT(train.paths[TENSOR_QUERIES]),
     "the queries to train on, at the last positions of --train-keys"},
    {"--train-keys-unroped", "LIST", TENSOR, AT(train.paths[TENSOR_KEYS_UNROPED]),
     "the keys of --train-keys before RoPE"},
    {"--train-queries-unroped", "LIST", TENSOR, AT(train.paths[TENSOR_QUERIES_UNROPED]),
     "the queries of --train-queries before RoPE"},
    {"--train-steps", "N", BY(read_count), AT(train.steps),
     "training steps of a query model (default 300)"},
    {"--train-width", "N", BY(read_count), AT(train.width),
     "hidden units of a query model (default 1024)"},
    {"--train-sample", "N", BY(read_count), AT(train.sample),
     "train on at most N queries of a head in a document, evenly spaced (default: all)"},
    {"--train-per", "H", KIND(read_per, .names = per_at), AT(train.per_key_head),
     "train a model for each query head: query (default), or for each key head: key"},
    {"--train-residual", NULL, BY(read_switch), AT(train.residual),
     "add a linear path, initialised from kmeans, to the query model"},
    {"--save", "FILE", BY(read_text), AT(train.save), "write what was trained to FILE"},
    {"--index", "FILE", BY(read_text), AT(train.index),
     "read from FILE what --save wrote, and train nothing"},
    {"--threads", "T", BY(read_threads), AT(threads),
     "threads (default: all); the result does not depend on them"},
    {"--checkpoint", "FILE", BY(read_text), AT(checkpoint),
     "save the state to FILE every 2 s; resume from FILE if it exists"},
    {"--time", "CACHE", &kind_of_time, AT(cache),
     "also time a step of one head with this cache: cold or warm (default: time nothing)"},
    {"--device", "D", &kind_of_device, IN_QUESTION(device),
     "also predict the time of a step of all heads of a layer on this device: its name, or the "
     "path of a device file"},
    {"--multiprocessors", "S", BY(read_count), AT(multiprocessors),
     "those of --device: the largest bucket, read by one of them, then counts too"},
    {"--launch-us", "T", BY(read_launch), AT(launch_us),
     "microseconds that a launch takes on --device (default: that of its profile, or 2.2)"},
    {OPTION_PLOT},
    OPTIONS_FORM,
};

const struct argument_rule sparse_rules[] = {
    {.options = "--time", .needs = "--values"},
    {.options = "--time", .excludes = "--int8-keys", .why = "--time measures float32 keys"},
    {.options = "--multiprocessors --launch-us", .needs = "--device"},
    {.options = "--rope-scaling --rope-pairing", .needs = "--rope-theta"},
    {.options = "--index",
     .excludes = "--train-keys --save",
     .why = "--index reads what was trained before"},
    {.options = "--train-keys", .needs = "--train-queries"},
    {.options = "--train-queries --train-keys-unroped --train-queries-unroped",
     .needs = "--train-keys"},
    {0},
};

void sparse_settings_free(struct sparse_settings *settings)
{
    for (int i = 0; i < TENSORS; i++) {
        free(settings->paths[i].text);
        free(settings->paths[i].paths.items);
        free(settings->train.paths[i].text);
        free(settings->train.paths[i].paths.items);
    }
    free(settings->needles.text);
    free(settings->needles.paths.items);
    free(settings->budgets.items);
    free(settings->k.items);
    free(settings->layers.items);
    free(settings->dense_layers.items);
    question_free(&settings->question);
}
