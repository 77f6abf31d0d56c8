/* query_training.c - see query_training.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query_training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/clock.h>
#include <base/memory.h>
#include <sim/rows/random.h>

#include "adam.h"

/* Repetitions of the random numbers. */
enum { DRAWS_W1, DRAWS_W2, DRAWS_ORDER };

struct training {
    const struct query_batch *batches;
    uint32_t *order; /* of the batches that have rows */
    uint32_t count;
    struct query_model *model;
    struct gradient_workspace *workspace;
    float *gradient, *mean, *variance;
};

static void draw_normals(float *x, size_t count, double deviation, struct random_key key,
                         uint64_t repetition)
{
    uint64_t *words = require_memory(malloc((count + 1) * sizeof *words));
    double *normals = require_memory(malloc((count + 1) * sizeof *normals));
    random_words(key, repetition, words, count);
    random_normals(key, repetition, words, normals, count);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(deviation * normals[i]);
    free(normals);
    free(words);
}

static struct query_model *starting_model(const struct partition *partition, float scale,
                                          const struct training_options *options,
                                          struct random_key key)
{
    struct query_model *model =
        query_model_new(partition->d, options->width, partition->clusters, options->residual);
    draw_normals(model->w1, (size_t)model->width * model->d, sqrt(2.0 / model->d), key, DRAWS_W1);
    if (!model->residual)
        draw_normals(model->w2, (size_t)model->clusters * model->width, sqrt(1.0 / model->width),
                     key, DRAWS_W2);
    else
        for (size_t i = 0; i < (size_t)model->clusters * model->d; i++)
            model->s[i] = scale * partition->centroids[i];
    return model;
}

/* 1 for the parameters that decay. */
static float *decay_of(const struct query_model *model)
{
    float *decay = require_memory(calloc(model->length, sizeof *decay));
    for (size_t i = 0; i < model->length; i++) {
        const float *at = model->parameters + i;
        decay[i] = at < model->gamma || (at >= model->w2 && at < model->b) ||
                   (model->residual && at >= model->s);
    }
    return decay;
}

static void shuffle(uint32_t *order, uint32_t count, struct random_stream *stream)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = (uint32_t)random_below(stream, i), swapped = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swapped;
    }
}

static void run_steps(struct training *t, const struct training_options *options,
                      struct random_key key, const struct watch *watch,
                      struct training_report *report)
{
    struct adam adam = adam_new(t->model->length);
    float *decay = decay_of(t->model);
    struct random_stream stream = random_stream(key, DRAWS_ORDER);
    const double start = clock_seconds();
    const uint32_t first_round = t->count < options->steps ? t->count : options->steps;
    for (uint32_t step = 0; step < options->steps; step++) {
        if (step % t->count == 0)
            shuffle(t->order, t->count, &stream);
        const double loss = query_gradient(t->model, &t->batches[t->order[step % t->count]],
                                           t->workspace, t->gradient, t->mean, t->variance);
        const double rate = options->rate * (1.0 - (double)step / options->steps);
        adam_step(&adam, t->model->parameters, t->gradient, decay, rate, options->weight_decay);
        report->steps = step + 1;
        report->product_seconds += gradient_product_seconds(t->workspace);
        if (step < first_round)
            report->first_loss += loss / first_round;
        if (watch_step(watch, step + 1, options->steps))
            break;
    }
    report->seconds = clock_seconds() - start;
    free(decay);
    adam_free(&adam);
}

/* Mean and variance over all queries, with the final weights: of a query in a random batch, the
 * mean of the means, and the mean of the variances plus the variance of the means. */
static void final_statistics(struct training *t, struct training_report *report)
{
    const uint32_t width = t->model->width;
    double *sums = require_memory(calloc(2 * (size_t)width, sizeof *sums)), rows = 0.0, loss = 0.0;
    for (uint32_t b = 0; b < t->count; b++) {
        const struct query_batch *batch = &t->batches[t->order[b]];
        loss += batch->rows *
                query_gradient(t->model, batch, t->workspace, t->gradient, t->mean, t->variance);
        rows += batch->rows;
        for (uint32_t i = 0; i < width; i++) {
            const double mean = (double)t->mean[i];
            sums[i] += batch->rows * mean;
            sums[width + i] += batch->rows * ((double)t->variance[i] + mean * mean);
        }
    }
    for (uint32_t i = 0; i < width; i++) {
        const double mean = sums[i] / rows;
        t->model->mean[i] = (float)mean;
        t->model->variance[i] = (float)fmax(0.0, sums[width + i] / rows - mean * mean);
    }
    report->last_loss = loss / rows;
    free(sums);
}

struct query_model *query_model_train(const struct query_batch *batches, uint32_t count,
                                      const struct partition *partition, float scale,
                                      const struct training_options *options,
                                      const struct watch *watch, struct training_report *report)
{
    const struct random_key key = random_key(options->seed, RANDOM_TRAINING, options->salt);
    struct training_report own = {0};
    struct training t = {.batches = batches};
    uint32_t rows_max = 0;
    t.order = require_memory(malloc(((size_t)count + 1) * sizeof *t.order));
    for (uint32_t i = 0; i < count; i++)
        if (batches[i].rows > 0) {
            t.order[t.count++] = i;
            rows_max = batches[i].rows > rows_max ? batches[i].rows : rows_max;
        }
    t.model = starting_model(partition, scale, options, key);
    t.workspace = gradient_workspace_new(t.model, rows_max);
    t.gradient = require_memory(malloc(t.model->length * sizeof *t.gradient));
    t.mean = require_memory(malloc(options->width * sizeof *t.mean));
    t.variance = require_memory(malloc(options->width * sizeof *t.variance));
    if (t.count > 0) {
        run_steps(&t, options, key, watch, &own);
        final_statistics(&t, &own);
    }
    if (report)
        *report = own;
    gradient_workspace_free(t.workspace);
    free(t.gradient);
    free(t.mean);
    free(t.variance);
    free(t.order);
    return t.model;
}
