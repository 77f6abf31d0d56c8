/* row.c - see row.h. A new input is a generator and one row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <math.h>
#include <string.h>

#include "random.h"
#include "rope.h"

/* What a generator makes a row from: the words of its repetition. */
struct source {
    struct random_key key;
    uint64_t repetition;
    const uint64_t *words;
};

typedef void generator(const struct source *source, double rho, double *x, size_t n);

static void iid(const struct source *source, double rho, double *x, size_t n)
{
    (void)rho;
    random_normals(source->key, source->repetition, source->words, x, n);
}

static void ar1(const struct source *source, double rho, double *x, size_t n)
{
    double innovation = sqrt(1.0 - rho * rho);
    random_normals(source->key, source->repetition, source->words, x, n);
    for (size_t i = 1; i < n; i++)
        x[i] = rho * x[i - 1] + innovation * x[i];
}

static void lognormal(const struct source *source, double rho, double *x, size_t n)
{
    iid(source, rho, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = exp(x[i]);
}

static void uniform(const struct source *source, double rho, double *x, size_t n)
{
    (void)rho;
    for (size_t i = 0; i < n; i++)
        x[i] = random_unit(source->words[i]);
}

static void ties(const struct source *source, double rho, double *x, size_t n)
{
    (void)rho;
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(source->words[i] >> 60);
}

static void rising(const struct source *source, double rho, double *x, size_t n)
{
    (void)source, (void)rho;
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
}

static void constant(const struct source *source, double rho, double *x, size_t n)
{
    (void)source, (void)rho;
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
}

static const struct {
    const char *name;
    generator *generate; /* NULL: it is made elsewhere */
} inputs[SIM_INPUTS] = {
    [SIM_PLACEMENT] = {"placement", NULL},
    [SIM_FILE] = {"file", NULL},
    [SIM_IID] = {"iid", iid},
    [SIM_AR1] = {"ar1", ar1},
    [SIM_LOGNORMAL] = {"lognormal", lognormal},
    [SIM_UNIFORM] = {"uniform", uniform},
    [SIM_TIES] = {"ties", ties},
    [SIM_SORTED] = {"sorted", rising},
    [SIM_CONSTANT] = {"constant", constant},
    [SIM_ROPE] = {"rope", NULL},
};

const char *sim_input_name(enum sim_input input)
{
    return inputs[input].name;
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
    return input == SIM_AR1 ? bits : (uint64_t)input;
}

void row_generate(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, double *x,
                  size_t n, uint64_t *words)
{
    if (input == SIM_ROPE) {
        rope_generate(&sim_rope_default, seed, repetition, x, n, words);
        return;
    }
    struct source source = {random_key(seed, RANDOM_ROW, salt_of(input, rho)), repetition, words};
    if (input != SIM_SORTED && input != SIM_CONSTANT)
        random_words(source.key, repetition, words, n);
    inputs[input].generate(&source, rho, x, n);
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
