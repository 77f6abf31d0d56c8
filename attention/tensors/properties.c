/* properties.c - see properties.h. Logits and their mass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/grouped.h>
#include <base/memory.h>
#include <base/statistics.h>

#include <attention/products.h>
#include "property_vectors.h"
#include <attention/top_keys.h>

const struct property_text property_texts[PROPERTY_COUNT] = {
#define PROPERTY_TEXT(name, meaning) {#name, meaning},
    PROPERTIES(PROPERTY_TEXT)
#undef PROPERTY_TEXT
};

#define QUERIES 8 /* whose logits are computed together */
#define TOP_MOST 1024

/* The logits of a set of keys, largest first. */
struct sorted {
    struct visit visit;
    double *logits; /* rising, negated */
    size_t length;
};

static void sorted_top(struct sorted *top, const float *logits, struct key_range range,
                       size_t wanted)
{
    visit_top(&top->visit, logits, range, wanted);
    top->length = top->visit.length;
    top->logits = require_memory(realloc(top->logits, (top->length + 1) * sizeof *top->logits));
    for (size_t i = 0; i < top->length; i++)
        top->logits[i] = -(double)logits[top->visit.keys[i]];
    sort_doubles(top->logits, top->length);
}

static void sorted_free(struct sorted *top)
{
    visit_free(&top->visit);
    free(top->logits);
}

/* The sum of exp(logit - most) over the keys first .. last - 1. */
static double weight(const float *logits, uint32_t first, uint32_t last, double most)
{
    double sum = 0;
    for (uint32_t j = first; j < last; j++)
        sum += exp((double)logits[j] - most);
    return sum;
}

static double deviation(const float *logits, struct key_range range)
{
    const double count = (double)(range.last - range.first);
    double sum = 0, squares = 0;
    for (uint32_t j = range.first; j < range.last; j++)
        sum += (double)logits[j];
    for (uint32_t j = range.first; j < range.last; j++)
        squares += pow((double)logits[j] - sum / count, 2);
    return count > 1 ? sqrt(squares / (count - 1)) : NAN;
}

/* Hill's estimator: the mean of ln(weight i / weight K + 1) over the K largest is 1 / index. */
static double tail_index(const float *logits, struct key_range range, struct sorted *top)
{
    const size_t count = range.last - range.first;
    const size_t largest = count / 100 > TAIL_KEYS_LEAST ? count / 100 : TAIL_KEYS_LEAST;
    double sum = 0;
    if (count <= largest)
        return NAN;
    sorted_top(top, logits, range, largest + 1);
    for (size_t i = 0; i < largest; i++)
        sum += top->logits[largest] - top->logits[i];
    return (double)largest / sum;
}

/* The properties of one row of logits. */
static void of_row(const float *logits, uint32_t position, struct dense_part dense,
                   struct sorted *top, double *out)
{
    const struct key_range seen = {0, position + 1}, open = open_keys(dense, position);
    sorted_top(top, logits, seen, TOP_MOST);
    const double most = -top->logits[0], all = weight(logits, 0, position + 1, most);
    double sum = 0;
    for (size_t i = 0; i < top->length; i++) {
        sum += exp(-top->logits[i] - most);
        if (i < 64)
            out[PROPERTY_top_64] = sum / all;
        if (i < 256)
            out[PROPERTY_top_256] = sum / all;
        out[PROPERTY_top_1024] = sum / all;
    }
    const uint32_t sink = open.first,
                   window = dense.window < seen.last - sink ? seen.last - dense.window : sink;
    out[PROPERTY_sink_mass] = weight(logits, 0, sink, most) / all;
    out[PROPERTY_window_mass] = weight(logits, window, seen.last, most) / all;
    out[PROPERTY_logit_sd] = deviation(logits, open);
    out[PROPERTY_tail_index] = tail_index(logits, open, top);
}

/* Rows of up to QUERIES queries of one head, from query `first` on. */
static void of_rows(const struct context *c, struct dense_part dense, uint32_t head, uint32_t first,
                    uint32_t last, double *rows)
{
    float *logits = require_memory(malloc((size_t)(last - first) * c->n * sizeof *logits));
    struct sorted top = {0};
    products_transposed(logits, c->queries + ((size_t)head * c->n_q + first) * c->d, last - first,
                        c->keys, c->n, c->d, c->scale, 0);
    for (uint32_t i = first; i < last; i++)
        of_row(logits + (size_t)(i - first) * c->n, c->n - c->n_q + i, dense, &top,
               rows + (size_t)(i - first) * PROPERTY_COUNT);
    sorted_free(&top);
    free(logits);
}

/* The mean of values that are not NaN; NaN where there are none. */
static struct property_mean mean_of(const double *values, size_t count, size_t stride)
{
    struct group_sum *groups = require_memory(malloc((count + 1) * sizeof *groups));
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * stride]))
            groups[known++] = (struct group_sum){values[i * stride], 1};
    const struct grouped_mean mean = grouped_mean(groups, known);
    free(groups);
    return (struct property_mean){mean.mean, mean.error};
}

void properties_of_head(const struct context *c, struct dense_part dense, enum rope_pairing pairing,
                        double out[PROPERTY_COUNT])
{
    const uint32_t blocks = (c->n_q + QUERIES - 1) / QUERIES;
    const size_t count = (size_t)c->query_heads * c->n_q;
    double *rows = require_memory(malloc(count * PROPERTY_COUNT * sizeof *rows));
    for (size_t i = 0; i < count * PROPERTY_COUNT; i++)
        rows[i] = NAN;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t b = 0; b < blocks * c->query_heads; b++) {
        const uint32_t head = b / blocks, first = b % blocks * QUERIES;
        const uint32_t last = c->n_q - first < QUERIES ? c->n_q : first + QUERIES;
        of_rows(c, dense, head, first, last,
                rows + ((size_t)head * c->n_q + first) * PROPERTY_COUNT);
    }
    for (int p = 0; p < PROPERTY_COUNT; p++)
        out[p] = mean_of(rows + p, count, PROPERTY_COUNT).mean;
    free(rows);
    properties_of_vectors(c, dense.sink < c->n - 1 ? dense.sink : c->n - 1, pairing, out);
}

void properties_mean(const double *of_heads, size_t heads,
                     struct property_mean means[PROPERTY_COUNT])
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        means[p] = mean_of(of_heads + p, heads, PROPERTY_COUNT);
}
