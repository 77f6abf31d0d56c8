/* step.c - see step.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <attention/products.h>

void step_start(struct step *step, const struct key_head *head)
{
    const size_t width = head->d > head->d_v ? head->d : head->d_v;
    *step = (struct step){
        .keys = require_memory(malloc(head->n * sizeof *step->keys)),
        .weights = require_memory(malloc(head->n * sizeof *step->weights)),
        .gathered = require_memory(malloc(GATHERED * width * sizeof *step->gathered)),
        .out = require_memory(malloc(head->d_v * sizeof *step->out)),
    };
}

void step_free(struct step *step)
{
    visit_free(&step->visit);
    free(step->keys);
    free(step->weights);
    free(step->gathered);
    free(step->out);
    *step = (struct step){0};
}

/* What is done with rows x d, the keys or values of the list entries first .. first + rows - 1. */
struct work {
    struct step *step;
    const float *matrix; /* [n][d] */
    uint32_t d;
    const struct attention_query *query; /* NULL: values are added up; else logits are computed */
};

static void do_rows(const struct work *work, const float *rows, size_t first, size_t count)
{
    float *weights = work->step->weights + first;
    if (work->query)
        products_vector(weights, rows, count, work->d, work->query->q, work->query->scale);
    else
        products_weighted(work->step->out, rows, count, work->d, weights, 1);
}

/* Walks the list of keys in runs. */
static void do_list(const struct work *work, size_t length)
{
    const uint32_t *keys = work->step->keys;
    const size_t bytes = work->d * sizeof(float);
    size_t waiting = 0; /* rows that are gathered: those in front of entry i */
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && keys[i + run] == keys[i] + run)
            run++;
        if (run >= RUN_LEAST || waiting + run > GATHERED) {
            if (waiting > 0)
                do_rows(work, work->step->gathered, i - waiting, waiting);
            waiting = 0;
        }
        const float *rows = work->matrix + (size_t)keys[i] * work->d;
        if (run >= RUN_LEAST) {
            do_rows(work, rows, i, run);
        } else {
            memcpy(work->step->gathered + waiting * work->d, rows, run * bytes);
            waiting += run;
        }
        i += run;
    }
    if (waiting > 0)
        do_rows(work, work->step->gathered, length - waiting, waiting);
}

/* From logits to weights that add up to 1, each times its factor unless `factors` is NULL. */
static void to_weights(float *x, size_t length, const float *factors)
{
    float most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < length; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < length; i++) {
        x[i] = expf(x[i] - most) * (factors ? factors[i] : 1);
        sum += (double)x[i];
    }
    for (size_t i = 0; i < length; i++)
        x[i] /= (float)sum;
}

void step_full(struct step *step, const struct key_head *head, const struct attention_query *query)
{
    const size_t count = (size_t)query->position + 1;
    products_vector(step->weights, head->keys, count, head->d, query->q, query->scale);
    to_weights(step->weights, count, NULL);
    products_weighted(step->out, head->values, count, head->d_v, step->weights, 0);
}

/* The factors of a weighted visit: 1 for keys of the dense part. The caller frees them. */
static float *factors_of(const struct visit *visit, size_t before, size_t length)
{
    if (!visit->weighted)
        return NULL;
    float *factors = require_memory(malloc(length * sizeof *factors));
    for (size_t i = 0; i < length; i++)
        factors[i] = i >= before && i - before < visit->length ? visit->weights[i - before] : 1;
    return factors;
}

/* Moves the output to the correction of the visit, if it has one. */
static void correct(struct step *step, uint32_t d_v)
{
    const float moved = (float)step->visit.correction_weight;
    if (moved > 0)
        for (uint32_t c = 0; c < d_v; c++)
            step->out[c] = (1 - moved) * step->out[c] + moved * step->visit.correction[c];
}

size_t step_sparse(struct step *step, const struct key_head *head,
                   const struct attention_query *query)
{
    const struct visit *visit = &step->visit;
    size_t length = 0;
    for (uint32_t j = 0; j < query->range.first; j++)
        step->keys[length++] = j;
    const size_t before = length;
    if (visit->length) /* otherwise there may be no array */
        memcpy(step->keys + length, visit->keys, visit->length * sizeof *step->keys);
    length += visit->length;
    for (uint32_t j = query->range.last; j <= query->position; j++)
        step->keys[length++] = j;
    float *factors = factors_of(visit, before, length);
    const struct work logits = {step, head->keys, head->d, query};
    const struct work values = {step, head->values, head->d_v, NULL};
    do_list(&logits, length);
    to_weights(step->weights, length, factors);
    memset(step->out, 0, head->d_v * sizeof *step->out);
    do_list(&values, length);
    correct(step, head->d_v);
    free(factors);
    return length;
}
