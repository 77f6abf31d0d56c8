/* query_gradient.c - see query_gradient.h. docs/models.md, section 18, derives the gradient.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query_gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/arena.h>
#include <base/clock.h>
#include <base/memory.h>

#include <attention/products.h>

/* The rows of a slice are taken CHUNK at a time, so that they stay in the cache from one product to
 * the next. */
enum { SLICES = 8, SLICE_ROWS_MIN = 64, CHUNK = 128 };

enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANES * sizeof(int32_t))));

/* What one slice adds up, and room for its rows. */
struct slice {
    uint32_t first, rows;
    float *gradient;        /* [length] */
    double *sums;           /* [2 width]: of columns */
    float *hidden, *logits; /* [CHUNK][width], [CHUNK][clusters] */
    double loss, product_seconds;
};

struct gradient_workspace {
    void *memory;
    float *a;               /* [rows][width], before the normalisation; then normalised */
    float *dy;              /* [rows][width], the derivative by y */
    float *inverse, *means; /* [width]: 1 / sqrt(variance + epsilon); means of dy and dy x */
    struct slice slice[SLICES];
    uint32_t slices;
};

static uint32_t rows_of_slice(uint32_t rows)
{
    const uint32_t even = rows / SLICES + (rows % SLICES > 0);
    return even < SLICE_ROWS_MIN ? SLICE_ROWS_MIN : even;
}

static void lay_out(struct gradient_workspace *w, const struct query_model *model, uint32_t rows,
                    struct arena *arena)
{
    const size_t width = model->width;
    w->a = arena_array(arena, rows, width, sizeof *w->a);
    w->dy = arena_array(arena, rows, width, sizeof *w->dy);
    w->inverse = arena_array(arena, 1, width, sizeof *w->inverse);
    w->means = arena_array(arena, 2, width, sizeof *w->means);
    for (int i = 0; i < SLICES; i++) {
        struct slice *s = &w->slice[i];
        s->gradient = arena_array(arena, 1, model->length, sizeof *s->gradient);
        s->sums = arena_array(arena, 2, width, sizeof *s->sums);
        s->hidden = arena_array(arena, CHUNK, width, sizeof *s->hidden);
        s->logits = arena_array(arena, CHUNK, model->clusters, sizeof *s->logits);
    }
}

struct gradient_workspace *gradient_workspace_new(const struct query_model *model, uint32_t rows)
{
    struct gradient_workspace *w = require_memory(calloc(1, sizeof *w));
    struct arena arena = {0};
    lay_out(w, model, rows, &arena);
    w->memory = require_memory(arena_open(&arena));
    lay_out(w, model, rows, &arena);
    return w;
}

void gradient_workspace_free(struct gradient_workspace *w)
{
    if (w)
        free(w->memory);
    free(w);
}

double gradient_product_seconds(const struct gradient_workspace *w)
{
    double seconds = 0.0;
    for (uint32_t i = 0; i < w->slices; i++)
        seconds += w->slice[i].product_seconds;
    return seconds;
}

static void cut_slices(struct gradient_workspace *w, uint32_t rows)
{
    const uint32_t each = rows_of_slice(rows);
    w->slices = 0;
    for (uint32_t first = 0; first < rows; first += each) {
        struct slice *s = &w->slice[w->slices++];
        s->first = first;
        s->rows = rows - first < each ? rows - first : each;
        s->loss = s->product_seconds = 0.0;
    }
}

/* Where in a gradient the derivatives by `part` of the model stand. */
static float *part_of(const struct query_model *model, const float *part, float *gradient)
{
    return gradient + (part - model->parameters);
}

/* ---- a, and the statistics of the batch */

static void first_product(const struct query_model *model, const struct query_batch *batch,
                          struct gradient_workspace *w, struct slice *s)
{
    float *a = w->a + (size_t)s->first * model->width;
    const double start = clock_seconds();
    products_transposed(a, batch->queries + (size_t)s->first * model->d, s->rows, model->w1,
                        model->width, model->d, 1.0f, 0.0f);
    s->product_seconds += clock_seconds() - start;
    memset(s->sums, 0, 2 * (size_t)model->width * sizeof *s->sums);
    for (uint32_t row = 0; row < s->rows; row++, a += model->width) {
        double *restrict sums = s->sums;
#pragma omp simd
        for (uint32_t i = 0; i < model->width; i++)
            sums[i] += (double)a[i];
    }
}

static void sum_squares(const struct query_model *model, struct gradient_workspace *w,
                        struct slice *s, const float *mean)
{
    float *a = w->a + (size_t)s->first * model->width;
    memset(s->sums, 0, (size_t)model->width * sizeof *s->sums);
    for (uint32_t row = 0; row < s->rows; row++, a += model->width) {
        double *restrict sums = s->sums;
#pragma omp simd
        for (uint32_t i = 0; i < model->width; i++) {
            a[i] -= mean[i];
            sums[i] += (double)a[i] * (double)a[i];
        }
    }
}

/* The sums of all slices, divided by the rows. */
static void mean_of_sums(const struct gradient_workspace *w, uint32_t length, uint32_t rows,
                         float *mean)
{
    for (uint32_t i = 0; i < length; i++) {
        double sum = 0.0;
        for (uint32_t s = 0; s < w->slices; s++)
            sum += w->slice[s].sums[i];
        mean[i] = (float)(sum / rows);
    }
}

/* ---- from y to the loss, and back to y: the rows first .. first + rows - 1 of the batch */

static void hidden_of_rows(const struct query_model *model, struct gradient_workspace *w,
                           struct slice *s, size_t first, uint32_t rows)
{
    const float *restrict gamma = model->gamma, *restrict beta = model->beta,
                          *restrict inverse = w->inverse;
    for (uint32_t row = 0; row < rows; row++) {
        float *restrict x = w->a + (first + row) * model->width;
        float *restrict h = s->hidden + (size_t)row * model->width;
#pragma omp simd
        for (uint32_t i = 0; i < model->width; i++) {
            x[i] *= inverse[i];
            const float y = gamma[i] * x[i] + beta[i];
            h[i] = y > 0.0f ? y : 0.0f;
        }
    }
}

/* Turns logits z into (p - t) / rows. Returns the divergence of the row. */
static double divergence_of_row(float *z, const float *target, const struct query_model *model,
                                uint32_t rows)
{
    float largest = -INFINITY;
    for (uint32_t c = 0; c < model->clusters; c++) {
        z[c] += model->b[c];
        largest = z[c] > largest ? z[c] : largest;
    }
    double sum = 0.0, loss = 0.0;
    for (uint32_t c = 0; c < model->clusters; c++)
        sum += (double)expf(z[c] - largest);
    const double log_sum = log(sum) + (double)largest;
    for (uint32_t c = 0; c < model->clusters; c++) {
        const double t = (double)target[c], log_p = (double)z[c] - log_sum;
        if (t > 0.0)
            loss += t * (log(t) - log_p);
        z[c] = (float)(((double)expf((float)log_p) - t) / rows);
    }
    return loss;
}

static void loss_of_rows(const struct query_model *model, const struct query_batch *batch,
                         struct slice *s, size_t first, uint32_t rows)
{
    const double start = clock_seconds();
    products_transposed(s->logits, s->hidden, rows, model->w2, model->clusters, model->width, 1.0f,
                        0.0f);
    if (model->residual)
        products_transposed(s->logits, batch->queries + first * model->d, rows, model->s,
                            model->clusters, model->d, 1.0f, 1.0f);
    s->product_seconds += clock_seconds() - start;
    float *db = part_of(model, model->b, s->gradient);
    for (uint32_t row = 0; row < rows; row++) {
        float *z = s->logits + (size_t)row * model->clusters;
        s->loss += divergence_of_row(z, batch->targets + (first + row) * model->clusters, model,
                                     batch->rows);
        for (uint32_t c = 0; c < model->clusters; c++)
            db[c] += z[c];
    }
}

/* Sets d to 0 where h is 0. By SIMD, because a branch would be taken at random. */
static void clear_where_closed(float *d, const float *h, size_t count)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes x;
        lane_mask back;
        memcpy(&x, h + i, sizeof x);
        memcpy(&back, d + i, sizeof back);
        back &= x > 0.0f;
        memcpy(d + i, &back, sizeof back);
    }
    for (; i < count; i++)
        if (!(h[i] > 0.0f))
            d[i] = 0.0f;
}

/* Adds the derivatives by w2 and s; and that by y where y > 0, its column sums, and those of
 * dy x. */
static void back_to_y(const struct query_model *model, const struct query_batch *batch,
                      struct gradient_workspace *w, struct slice *s, size_t first, uint32_t rows)
{
    float *dy = w->dy + first * model->width;
    const double start = clock_seconds();
    products_of_columns(part_of(model, model->w2, s->gradient), s->logits, rows, model->clusters,
                        s->hidden, model->width, 1.0f, 1.0f);
    if (model->residual)
        products_of_columns(part_of(model, model->s, s->gradient), s->logits, rows, model->clusters,
                            batch->queries + first * model->d, model->d, 1.0f, 1.0f);
    products(dy, s->logits, rows, model->w2, model->clusters, model->width, 1.0f, 0.0f);
    s->product_seconds += clock_seconds() - start;
    clear_where_closed(dy, s->hidden, (size_t)rows * model->width);
    double *restrict of_y = s->sums, *restrict of_x = s->sums + model->width;
    for (uint32_t row = 0; row < rows; row++, dy += model->width) {
        const float *restrict x = w->a + (first + row) * model->width;
        const float *restrict d = dy;
#pragma omp simd
        for (uint32_t i = 0; i < model->width; i++) {
            of_y[i] += (double)d[i];
            of_x[i] += (double)(d[i] * x[i]);
        }
    }
}

static void loss_and_back(const struct query_model *model, const struct query_batch *batch,
                          struct gradient_workspace *w, struct slice *s)
{
    memset(s->gradient, 0, model->length * sizeof *s->gradient);
    memset(s->sums, 0, 2 * (size_t)model->width * sizeof *s->sums);
    for (uint32_t row = 0; row < s->rows; row += CHUNK) {
        const uint32_t rows = s->rows - row < CHUNK ? s->rows - row : CHUNK;
        const size_t first = (size_t)s->first + row;
        hidden_of_rows(model, w, s, first, rows);
        loss_of_rows(model, batch, s, first, rows);
        back_to_y(model, batch, w, s, first, rows);
    }
}

/* ---- through the normalisation to w1 */

static void back_to_w1(const struct query_model *model, const struct query_batch *batch,
                       struct gradient_workspace *w, struct slice *s)
{
    const float *restrict mean_y = w->means, *restrict mean_x = w->means + model->width;
    const float *restrict gamma = model->gamma, *restrict inverse = w->inverse;
    for (uint32_t row = 0; row < s->rows; row++) {
        const size_t at = ((size_t)s->first + row) * model->width;
        float *restrict d = w->dy + at;
        const float *restrict x = w->a + at;
#pragma omp simd
        for (uint32_t i = 0; i < model->width; i++)
            d[i] = gamma[i] * inverse[i] * (d[i] - mean_y[i] - x[i] * mean_x[i]);
    }
    const double start = clock_seconds();
    products_of_columns(part_of(model, model->w1, s->gradient),
                        w->dy + (size_t)s->first * model->width, s->rows, model->width,
                        batch->queries + (size_t)s->first * model->d, model->d, 1.0f, 0.0f);
    s->product_seconds += clock_seconds() - start;
}

/* The sum of the gradients of the slices, and those of gamma and beta. */
static void add_slices(const struct query_model *model, struct gradient_workspace *w, uint32_t rows,
                       float *gradient)
{
    float *dgamma = part_of(model, model->gamma, gradient);
    float *dbeta = part_of(model, model->beta, gradient);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < model->length; i++) {
        float sum = 0.0f;
        for (uint32_t s = 0; s < w->slices; s++)
            sum += w->slice[s].gradient[i];
        gradient[i] = sum;
    }
    for (uint32_t i = 0; i < model->width; i++) {
        dbeta[i] = w->means[i] * (float)rows;
        dgamma[i] = w->means[model->width + i] * (float)rows;
    }
}

double query_gradient(const struct query_model *model, const struct query_batch *batch,
                      struct gradient_workspace *w, float *gradient, float *batch_mean,
                      float *batch_variance)
{
    cut_slices(w, batch->rows);
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t i = 0; i < w->slices; i++)
        first_product(model, batch, w, &w->slice[i]);
    mean_of_sums(w, model->width, batch->rows, batch_mean);
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t i = 0; i < w->slices; i++)
        sum_squares(model, w, &w->slice[i], batch_mean);
    mean_of_sums(w, model->width, batch->rows, batch_variance);
    for (uint32_t i = 0; i < model->width; i++)
        w->inverse[i] = 1.0f / sqrtf(batch_variance[i] + QUERY_MODEL_EPSILON);
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t i = 0; i < w->slices; i++)
        loss_and_back(model, batch, w, &w->slice[i]);
    mean_of_sums(w, 2 * model->width, batch->rows, w->means);
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t i = 0; i < w->slices; i++)
        back_to_w1(model, batch, w, &w->slice[i]);
    add_slices(model, w, batch->rows, gradient);
    double loss = 0.0;
    for (uint32_t i = 0; i < w->slices; i++)
        loss += w->slice[i].loss;
    return loss / batch->rows;
}
