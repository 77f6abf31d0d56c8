/* test_query_model.c - the query model of SAAP and its trainer: gradients against differences of
 * the loss, written out in double; AdamW by hand; cases whose least loss is known in closed form.
 *
 * Against: differences of a loss that is written out in double; three steps by hand; two cases
 * whose least loss has a closed form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

#include <attention/training/adam.h>
#include <attention/training/query_gradient.h>
#include <attention/training/query_training.h>
#include <attention/training/targets.h>
#include <tests/test.h>

static uint64_t state = 1;

static double random_value(void)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += (double)(next_random(&state) >> 11) * 0x1p-53 - 0.5;
    return sum * 1.7;
}

static struct query_model *random_model(uint32_t d, uint32_t width, uint32_t clusters,
                                        bool residual)
{
    struct query_model *model = query_model_new(d, width, clusters, residual);
    for (size_t i = 0; i < model->length; i++)
        model->parameters[i] = (float)random_value();
    for (uint32_t i = 0; i < width; i++) {
        model->mean[i] = (float)random_value();
        model->variance[i] = (float)(0.2 + fabs(random_value()));
    }
    return model;
}

static struct query_batch random_batch(uint32_t rows, uint32_t d, uint32_t clusters)
{
    float *queries = malloc((size_t)rows * d * sizeof *queries);
    float *targets = malloc((size_t)rows * clusters * sizeof *targets);
    for (size_t i = 0; i < (size_t)rows * d; i++)
        queries[i] = (float)random_value() + 0.5f;
    for (uint32_t row = 0; row < rows; row++) {
        double sum = 0.0, weight[64];
        for (uint32_t c = 0; c < clusters; c++)
            sum += weight[c] =
                next_random(&state) % 3 ? fabs(random_value()) + 1e-3 * (c == 0) : 0.0;
        for (uint32_t c = 0; c < clusters; c++)
            targets[(size_t)row * clusters + c] = sum > 0.0 ? (float)(weight[c] / sum) : c == 0;
    }
    return (struct query_batch){rows, queries, targets};
}

/* ---- the model written out, in double. x are the parameters, in the order of the header. */

static void widen(double *to, const float *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = (double)from[i];
}

static void logits_of(const struct query_model *shape, const double *x, const float *q,
                      const double *mean, const double *variance, double *z)
{
    const double *w1 = x, *gamma = w1 + shape->width * shape->d, *beta = gamma + shape->width,
                 *w2 = beta + shape->width, *b = w2 + shape->clusters * shape->width,
                 *s = b + shape->clusters;
    for (uint32_t c = 0; c < shape->clusters; c++) {
        z[c] = b[c];
        for (uint32_t i = 0; shape->residual && i < shape->d; i++)
            z[c] += s[c * shape->d + i] * (double)q[i];
    }
    for (uint32_t k = 0; k < shape->width; k++) {
        double a = 0.0;
        for (uint32_t i = 0; i < shape->d; i++)
            a += w1[k * shape->d + i] * (double)q[i];
        const double y = gamma[k] * (a - mean[k]) / sqrt(variance[k] + 1e-5) + beta[k];
        for (uint32_t c = 0; c < shape->clusters && y > 0.0; c++)
            z[c] += w2[c * shape->width + k] * y;
    }
}

static void statistics_of(const struct query_model *shape, const double *x,
                          const struct query_batch *batch, double *mean, double *variance)
{
    for (uint32_t k = 0; k < shape->width; k++) {
        double sum = 0.0, squares = 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t row = 0; row < batch->rows; row++) {
                double a = 0.0;
                for (uint32_t i = 0; i < shape->d; i++)
                    a += x[k * shape->d + i] * (double)batch->queries[row * shape->d + i];
                if (pass == 0)
                    sum += a / batch->rows;
                else
                    squares += (a - sum) * (a - sum) / batch->rows;
            }
        mean[k] = sum;
        variance[k] = squares;
    }
}

static double loss_by(const struct query_model *shape, const double *x,
                      const struct query_batch *batch, const double *mean, const double *variance)
{
    double loss = 0.0, z[64];
    for (uint32_t row = 0; row < batch->rows; row++) {
        double sum = 0.0;
        logits_of(shape, x, batch->queries + row * shape->d, mean, variance, z);
        for (uint32_t c = 0; c < shape->clusters; c++)
            sum += exp(z[c]);
        for (uint32_t c = 0; c < shape->clusters; c++) {
            const double t = (double)batch->targets[row * shape->clusters + c];
            loss += t > 0.0 ? t * log(t / (exp(z[c]) / sum)) / batch->rows : 0.0;
        }
    }
    return loss;
}

static double loss_of(const struct query_model *shape, const double *x,
                      const struct query_batch *batch)
{
    double mean[64], variance[64];
    statistics_of(shape, x, batch, mean, variance);
    return loss_by(shape, x, batch, mean, variance);
}

/* 150 rows are three slices. Central differences in double, step 1e-5, are within 1e-8; float32
 * gradients within 1e-5 of the largest (4e-7 was seen). */
START_TEST(gradients_are_differences)
{
    for (int trial = 0; trial < 8; trial++) {
        const bool residual = trial % 2;
        const uint32_t d = 2 + (uint32_t)trial % 4, width = 5, clusters = 2 + (uint32_t)trial % 3,
                       rows = trial < 4 ? 150 : 9;
        struct query_model *model = random_model(d, width, clusters, residual);
        struct query_batch batch = random_batch(rows, d, clusters);
        struct gradient_workspace *workspace = gradient_workspace_new(model, 150);
        float gradient[200], mean[5], variance[5];
        double x[200], want[200], largest = 0.0, at_mean[5], at_variance[5];
        ck_assert(model->length <= 200);
        widen(x, model->parameters, model->length);
        const double loss = query_gradient(model, &batch, workspace, gradient, mean, variance);
        ck_assert_msg(relative_error(loss, loss_of(model, x, &batch)) < 1e-5,
                      "loss %.9g, want %.9g", loss, loss_of(model, x, &batch));
        statistics_of(model, x, &batch, at_mean, at_variance);
        for (uint32_t k = 0; k < width; k++) {
            ck_assert(fabs((double)mean[k] - at_mean[k]) < 1e-5);
            ck_assert(fabs((double)variance[k] - at_variance[k]) < 1e-5 * (1 + at_variance[k]));
        }
        for (size_t i = 0; i < model->length; i++) {
            const double kept = x[i];
            x[i] = kept + 1e-5;
            const double above = loss_of(model, x, &batch);
            x[i] = kept - 1e-5;
            want[i] = (above - loss_of(model, x, &batch)) / 2e-5;
            x[i] = kept;
            largest = fmax(largest, fabs(want[i]));
        }
        for (size_t i = 0; i < model->length; i++)
            ck_assert_msg(fabs((double)gradient[i] - want[i]) < 1e-5 * largest,
                          "trial %d, parameter %zu: %.9g, want %.9g (largest %.3g)", trial, i,
                          (double)gradient[i], want[i], largest);
        gradient_workspace_free(workspace);
        query_batch_free(&batch);
        query_model_free(model);
    }
}
END_TEST

START_TEST(scores_use_the_statistics_of_the_model)
{
    for (int residual = 0; residual < 2; residual++) {
        struct query_model *model = random_model(6, 11, 4, residual);
        struct query_batch batch = random_batch(30, 6, 4);
        double x[300], mean[11], variance[11], want[4];
        float z[4];
        widen(x, model->parameters, model->length);
        widen(mean, model->mean, 11);
        widen(variance, model->variance, 11);
        for (uint32_t row = 0; row < batch.rows; row++) {
            query_model_scores(model, batch.queries + row * 6, z);
            logits_of(model, x, batch.queries + row * 6, mean, variance, want);
            for (int c = 0; c < 4; c++)
                ck_assert_msg(fabs((double)z[c] - want[c]) < 2e-5 * (1 + fabs(want[c])),
                              "%.9g, want %.9g", (double)z[c], want[c]);
        }
        query_batch_free(&batch);
        query_model_free(model);
    }
}
END_TEST

/* Three steps of a parameter that decays and of one that does not, in double. */
START_TEST(adam_by_hand)
{
    struct adam adam = adam_new(2);
    float x[2] = {1.5f, -2.0f};
    const float gradients[3][2] = {{0.5f, -1}, {0.25f, 2}, {-3, 0.125f}}, decay[2] = {1, 0};
    double want[2] = {1.5, -2.0}, m[2] = {0}, v[2] = {0};
    for (int t = 1; t <= 3; t++) {
        adam_step(&adam, x, gradients[t - 1], decay, 0.01, 0.1);
        for (int i = 0; i < 2; i++) {
            const double g = (double)gradients[t - 1][i];
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            want[i] -=
                0.01 * (0.1 * (double)decay[i] * want[i] +
                        m[i] / (1 - pow(0.9, t)) / (sqrt(v[i] / (1 - pow(0.999, t))) + 1e-8));
            ck_assert_msg(fabs((double)x[i] - want[i]) < 1e-6, "step %d: %.9g, want %.9g", t,
                          (double)x[i], want[i]);
        }
    }
    adam_free(&adam);
}
END_TEST

/* Eight queries along the axes, each many times, and a target for each: a model can give every
 * target, so that the divergence can fall to 0 (the cross-entropy to the entropy of the targets).
 */
static struct query_batch separable_batch(uint32_t copies, uint64_t salt)
{
    const struct query_batch targets = random_batch(8, 1, 6);
    struct query_batch batch = random_batch(8 * copies, 8, 6);
    float *queries = (float *)batch.queries, *wanted = (float *)batch.targets;
    for (uint32_t row = 0; row < batch.rows; row++) {
        const uint32_t kind = (uint32_t)((row + salt) % 8);
        for (uint32_t i = 0; i < 8; i++)
            queries[row * 8 + i] = i == kind ? 3.0f : 0.0f;
        memcpy(wanted + row * 6, targets.targets + kind * 6, 6 * sizeof *wanted);
    }
    query_batch_free((struct query_batch *)&targets);
    return batch;
}

static struct partition *axes_partition(void)
{
    float centroids[48] = {0};
    for (int c = 0; c < 6; c++)
        centroids[c * 8 + c] = 1.0f;
    return partition_new(6, 8, false, centroids);
}

START_TEST(separable_case_reaches_the_entropy)
{
    struct partition *p = axes_partition();
    for (int residual = 0; residual < 2; residual++) {
        struct query_batch batch = separable_batch(12, 0);
        struct training_options options = TRAINING_OPTIONS_DEFAULT;
        struct training_report report;
        options.width = 64;
        options.steps = 300;
        options.rate = 0.01;
        options.residual = residual;
        struct query_model *model = query_model_train(&batch, 1, p, 0.25f, &options, NULL, &report);
        ck_assert_uint_eq(report.steps, 300);
        ck_assert_msg(report.first_loss > 0.2, "it began at %.3g", report.first_loss);
        ck_assert_msg(report.last_loss < 2e-3, "%.3g nats left", report.last_loss);
        double x[1100], mean[64], variance[64];
        ck_assert(model->length <= 1100);
        widen(x, model->parameters, model->length);
        widen(mean, model->mean, 64);
        widen(variance, model->variance, 64);
        ck_assert(fabs(loss_by(model, x, &batch, mean, variance) - report.last_loss) < 1e-4);
        query_model_free(model);
        query_batch_free(&batch);
    }
    partition_free(p);
}
END_TEST

/* All queries are equal, their targets are not. The best p is the mean of the targets, and the
 * least divergence H(mean of t) - mean of H(t). */
START_TEST(equal_queries_reach_the_mean_target)
{
    struct partition *p = axes_partition();
    struct query_batch batch = random_batch(100, 8, 6);
    for (uint32_t row = 1; row < batch.rows; row++)
        memcpy((float *)batch.queries + row * 8, batch.queries, 8 * sizeof(float));
    double mean[6] = {0}, least = -query_batch_entropy(&batch, 6);
    for (uint32_t i = 0; i < 600; i++)
        mean[i % 6] += (double)batch.targets[i] / 100;
    for (int c = 0; c < 6; c++)
        least -= mean[c] * log(mean[c]);
    struct training_options options = TRAINING_OPTIONS_DEFAULT;
    struct training_report report;
    options.width = 16;
    options.rate = 0.01;
    query_model_free(query_model_train(&batch, 1, p, 0.25f, &options, NULL, &report));
    ck_assert_msg(report.last_loss > least - 1e-6 && report.last_loss < least + 1e-3,
                  "%.9g, the least is %.9g", report.last_loss, least);
    query_batch_free(&batch);
    partition_free(p);
}
END_TEST

static bool stops(void *context, uint64_t done, uint64_t total)
{
    (void)context, (void)total;
    return done == 3;
}

/* Two batches, one of them empty; 1, 2 and 5 threads; and a watch. */
START_TEST(threads_give_the_same_bits)
{
    struct partition *p = axes_partition();
    struct query_batch batches[3] = {random_batch(333, 8, 6), {0}, random_batch(70, 8, 6)};
    struct training_options options = TRAINING_OPTIONS_DEFAULT;
    struct training_report report[3];
    struct query_model *models[3];
    const struct watch stopping = {.stop = stops};
    options.width = 48;
    options.steps = 30;
    options.rate = 0.01;
    options.residual = true;
    for (int run = 0; run < 3; run++) {
        omp_set_num_threads((int[]){1, 2, 5}[run]);
        models[run] = query_model_train(batches, 3, p, 0.25f, &options, NULL, &report[run]);
        ck_assert_mem_eq(models[run]->parameters, models[0]->parameters,
                         models[0]->length * sizeof(float));
        ck_assert_mem_eq(models[run]->mean, models[0]->mean, 48 * sizeof(float));
        ck_assert_mem_eq(models[run]->variance, models[0]->variance, 48 * sizeof(float));
        ck_assert(report[run].last_loss == report[0].last_loss);
    }
    ck_assert_msg(report->last_loss < 0.95 * report->first_loss,
                  "the divergence fell from %.3g to %.3g", report->first_loss, report->last_loss);
    for (int run = 0; run < 3; run++)
        query_model_free(models[run]);
    query_model_free(query_model_train(batches, 3, p, 0.25f, &options, &stopping, report));
    ck_assert_uint_eq(report[0].steps, 3);
    for (int i = 0; i < 3; i++)
        query_batch_free(&batches[i]);
    partition_free(p);
}
END_TEST

TEST_MAIN("query model", gradients_are_differences, scores_use_the_statistics_of_the_model,
          adam_by_hand, separable_case_reaches_the_entropy, equal_queries_reach_the_mean_target,
          threads_give_the_same_bits)
