/* row.c - see row.h. A new input is a generator and one row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <math.h>
#include <string.h>

#include "random.h"
#include "rope.h"

/* What a generator makes a row from. */
struct source {
    struct random_key key;
    uint64_t repetition;
    uint64_t *words; /* room for those of the repetition */
};

typedef void generator(const struct source *source, double *x, size_t n);
typedef void generator_with_rho(const struct source *source, double rho, double *x, size_t n);

static const uint64_t *words_of(const struct source *source, size_t n)
{
    random_words(source->key, source->repetition, source->words, n);
    return source->words;
}

static void iid(const struct source *source, double *x, size_t n)
{
    random_normals(source->key, source->repetition, words_of(source, n), x, n);
}

static void ar1(const struct source *source, double rho, double *x, size_t n)
{
    double innovation = sqrt(1.0 - rho * rho);
    iid(source, x, n);
    for (size_t i = 1; i < n; i++)
        x[i] = rho * x[i - 1] + innovation * x[i];
}

static void lognormal(const struct source *source, double *x, size_t n)
{
    iid(source, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = exp(x[i]);
}

static void uniform(const struct source *source, double *x, size_t n)
{
    const uint64_t *words = words_of(source, n);
    for (size_t i = 0; i < n; i++)
        x[i] = random_unit(words[i]);
}

static void ties(const struct source *source, double *x, size_t n)
{
    const uint64_t *words = words_of(source, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(words[i] >> 60);
}

static void rising(const struct source *source, double *x, size_t n)
{
    (void)source;
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
}

static void constant(const struct source *source, double *x, size_t n)
{
    (void)source;
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
}

/* One generator, with or without a rho; none: the rows are made elsewhere. */
static const struct {
    const char *name;
    generator *generate;
    generator_with_rho *generate_with_rho;
    const char *dist; /* of the values, as rcm_values_distribution_by_name() calls it, or NULL */
} inputs[SIM_INPUTS] = {
    [SIM_PLACEMENT] = {.name = "placement"},
    [SIM_FILE] = {.name = "file"},
    [SIM_IID] = {.name = "iid", .generate = iid, .dist = "normal"},
    [SIM_AR1] = {.name = "ar1", .generate_with_rho = ar1},
    [SIM_LOGNORMAL] = {.name = "lognormal", .generate = lognormal, .dist = "lognormal"},
    [SIM_UNIFORM] = {.name = "uniform", .generate = uniform, .dist = "uniform"},
    [SIM_TIES] = {.name = "ties", .generate = ties},
    [SIM_SORTED] = {.name = "sorted", .generate = rising},
    [SIM_CONSTANT] = {.name = "constant", .generate = constant},
    [SIM_ROPE] = {.name = "rope"},
};

const char *sim_input_name(enum sim_input input)
{
    return inputs[input].name;
}

bool sim_input_has_rho(enum sim_input input)
{
    return inputs[input].generate_with_rho;
}

const char *sim_input_distribution(enum sim_input input)
{
    return inputs[input].dist;
}

const char *sim_shuffle_name(enum sim_shuffle shuffle)
{
    static const char *const names[SIM_SHUFFLES] = {"none", "row", "once"};
    return names[shuffle];
}

/* Rows of different inputs and rho are independent. */
static uint64_t salt_of(enum sim_input input, double rho)
{
    uint64_t bits;
    memcpy(&bits, &rho, sizeof bits);
    /* SIM_AR1 was the first with a rho, and its salt is the bits alone. */
    return sim_input_has_rho(input) ? bits ^ (uint64_t)(input - SIM_AR1) * 0x9e3779b97f4a7c15
                                    : (uint64_t)input;
}

void row_generate(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, double *x,
                  size_t n, uint64_t *words)
{
    if (input == SIM_ROPE) {
        rope_generate(&sim_rope_default, seed, repetition, x, n, words);
        return;
    }
    struct source source = {random_key(seed, RANDOM_ROW, salt_of(input, rho)), repetition, words};
    if (sim_input_has_rho(input))
        inputs[input].generate_with_rho(&source, rho, x, n);
    else
        inputs[input].generate(&source, x, n);
}

void row_permutation(enum sim_input input, double rho, uint64_t seed, uint64_t repetition,
                     uint32_t *permutation, size_t length)
{
    struct random_stream stream =
        random_stream(random_key(seed, RANDOM_SHUFFLE, salt_of(input, rho)), repetition);
    /* Durstenfeld's method from the front ("inside out"). */
    for (uint32_t i = 0; i < length; i++) {
        uint32_t j = (uint32_t)random_below(&stream, (uint64_t)i + 1);
        permutation[i] = permutation[j];
        permutation[j] = i;
    }
}
