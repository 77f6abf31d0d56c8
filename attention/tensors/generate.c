/* generate.c - see generate.h. The tensors without the sink and the needles.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "generate_parts.h"

#define PI 3.14159265358979323846
#define CHUNK 8192 /* rows between two ticks */

/* What all rows of a head share. */
struct plan {
    const struct generator *g;
    struct random_key draws;
    double *amplitudes; /* [d]: root mean square of a component of an own part, mean square 1 */
    double *clusters;   /* [clusters][d] */
    double *below;      /* [clusters]: the share of the keys in this cluster and those before */
    double *key_mean, *query_mean; /* [d] */
    double key_scale, query_scale; /* of own parts, a component */
};

/* Standard normals 0 .. d - 1 of one repetition, each times its amplitude. `words` has room for
 * d. */
static void draw_normals(const struct plan *plan, uint64_t repetition, uint64_t *words, double *x)
{
    const uint32_t d = plan->g->d;
    random_words(plan->draws, repetition, words, d);
    random_normals(plan->draws, repetition, words, x, d);
    for (uint32_t c = 0; c < d; c++)
        x[c] *= plan->amplitudes[c];
}

/* The first word of a repetition, as a number in (0, 1). */
static double draw_unit(const struct plan *plan, uint64_t repetition)
{
    uint64_t words[2];
    random_words(plan->draws, repetition, words, 2);
    return random_open_unit(words[0]);
}

static uint32_t draw_cluster(const struct plan *plan, uint64_t repetition)
{
    const double u = draw_unit(plan, repetition);
    uint32_t low = 0, high = (uint32_t)plan->g->clusters - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (u < plan->below[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double product(const double *a, const double *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += a[c] * b[c];
    return sum;
}

/* x += factor y. */
static void add(double *x, double factor, const double *y, uint32_t d)
{
    for (uint32_t c = 0; c < d; c++)
        x[c] += factor * y[c];
}

static void to_unit(double *x, uint32_t d)
{
    const double norm = sqrt(product(x, x, d));
    for (uint32_t c = 0; c < d; c++)
        x[c] /= norm;
}

/* The energy of pair i is proportional to exp(slow i / (pairs - 1)). */
static void plan_amplitudes(struct plan *plan)
{
    const uint32_t pairs = plan->g->d / 2;
    double sum = 0;
    for (uint32_t i = 0; i < pairs; i++)
        sum += exp(plan->g->slow * i / (pairs > 1 ? pairs - 1 : 1));
    for (uint32_t i = 0; i < pairs; i++) {
        const double energy = exp(plan->g->slow * i / (pairs > 1 ? pairs - 1 : 1));
        plan->amplitudes[i] = plan->amplitudes[i + pairs] = sqrt(energy * pairs / sum);
    }
}

static void plan_clusters(struct plan *plan, uint64_t *words)
{
    const uint32_t clusters = (uint32_t)plan->g->clusters;
    double sum = 0;
    for (uint32_t z = 0; z < clusters; z++) {
        draw_normals(plan, draw_of(DRAW_CLUSTER, z), words,
                     plan->clusters + (size_t)z * plan->g->d);
        sum += pow(z + 1, -plan->g->cluster_skew);
        plan->below[z] = sum;
    }
    for (uint32_t z = 0; z < clusters; z++)
        plan->below[z] /= sum;
}

/* A unit vector of equal length in each pair that turns by at most 1 / reach a position, or in the
 * slowest pair. Its product with itself at distance t is the mean of cos(f_i t) over them. */
static void recency_direction(const struct plan *plan, uint64_t *words, double *x)
{
    const uint32_t pairs = plan->g->d / 2;
    const struct rope rope = generator_rope(plan->g);
    double *frequencies = require_memory(malloc(pairs * sizeof *frequencies));
    rope_frequencies(&rope, plan->g->d, frequencies);
    random_words(plan->draws, draw_of(DRAW_DIRECTION, 2), words, pairs);
    for (uint32_t i = 0; i < pairs; i++) {
        const bool used = frequencies[i] * plan->g->reach <= 1 || i == pairs - 1;
        const double phase = 2 * PI * random_unit(words[i]);
        x[i] = used ? cos(phase) : 0;
        x[i + pairs] = used ? sin(phase) : 0;
    }
    to_unit(x, plan->g->d);
    free(frequencies);
}

/* The means: offsets at an angle, and the common direction of recency. */
static void plan_means(struct plan *plan, uint64_t *words)
{
    const struct generator *g = plan->g;
    const uint32_t d = g->d;
    const double angle = g->offset_angle / 180 * PI;
    /* Own parts have the norms key_spread and query_norm; their logits over sqrt(d) have the
     * standard deviation key_spread query_norm / d. */
    const double query_norm = g->contrast * d / g->key_spread;
    const double norms = query_norm > 0 ? query_norm / g->key_spread : 1;
    const double recent = g->recency * sqrt(d);
    double *across = require_memory(malloc(d * sizeof *across));
    double *along = require_memory(malloc(d * sizeof *along));
    plan->key_scale = g->key_spread / sqrt(d);
    plan->query_scale = query_norm / sqrt(d);
    draw_normals(plan, draw_of(DRAW_DIRECTION, 0), words, along);
    draw_normals(plan, draw_of(DRAW_DIRECTION, 1), words, across);
    to_unit(along, d);
    add(across, -product(across, along, d), along, d);
    to_unit(across, d);
    memset(plan->key_mean, 0, d * sizeof(double));
    memset(plan->query_mean, 0, d * sizeof(double));
    add(plan->key_mean, g->key_offset * g->key_spread, along, d);
    add(plan->query_mean, g->query_offset * query_norm * cos(angle), along, d);
    add(plan->query_mean, g->query_offset * query_norm * sin(angle), across, d);
    recency_direction(plan, words, along);
    add(plan->key_mean, sqrt(recent / norms), along, d);
    add(plan->query_mean, sqrt(recent * norms), along, d);
    free(across);
    free(along);
}

static void plan_make(struct plan *plan, const struct generator *g, uint32_t head)
{
    const uint32_t d = g->d, clusters = (uint32_t)g->clusters;
    uint64_t *words = require_memory(malloc((d + 2) * sizeof *words));
    *plan = (struct plan){
        .g = g,
        .draws = random_key(g->seed, RANDOM_TENSORS, head),
        .amplitudes = require_memory(malloc(d * sizeof(double))),
        .clusters = require_memory(malloc((size_t)clusters * d * sizeof(double))),
        .below = require_memory(malloc(clusters * sizeof(double))),
        .key_mean = require_memory(malloc(d * sizeof(double))),
        .query_mean = require_memory(malloc(d * sizeof(double))),
    };
    plan_amplitudes(plan);
    plan_clusters(plan, words);
    plan_means(plan, words);
    free(words);
}

static void plan_free(struct plan *plan)
{
    free(plan->amplitudes);
    free(plan->clusters);
    free(plan->below);
    free(plan->key_mean);
    free(plan->query_mean);
}

/* Room for one row while it is drawn. */
struct row {
    uint64_t *words;
    double *x;
};

static struct row row_new(uint32_t d)
{
    return (struct row){require_memory(malloc((d + 2) * sizeof(uint64_t))),
                        require_memory(malloc(d * sizeof(double)))};
}

static void row_free(struct row row)
{
    free(row.words);
    free(row.x);
}

static void make_key(const struct plan *plan, struct row row, uint32_t j, float *key)
{
    const struct generator *g = plan->g;
    const uint32_t z = draw_cluster(plan, draw_of(DRAW_RUN, j / (uint64_t)g->run));
    const double *cluster = plan->clusters + (size_t)z * g->d;
    const double exponential = -log(draw_unit(plan, draw_of(DRAW_FACTOR, j)));
    const double factor = plan->key_scale * sqrt(1 - g->heavy + g->heavy * exponential);
    const double shared = factor * sqrt(g->cluster_share),
                 alone = factor * sqrt(1 - g->cluster_share);
    draw_normals(plan, draw_of(DRAW_KEY, j), row.words, row.x);
    for (uint32_t c = 0; c < g->d; c++)
        key[c] = (float)(plan->key_mean[c] + shared * cluster[c] + alone * row.x[c]);
}

static void make_query(const struct plan *plan, struct row row, uint32_t member, uint32_t position,
                       float *query)
{
    const struct generator *g = plan->g;
    const uint64_t index = (uint64_t)member << 32 | position;
    const uint32_t z = draw_cluster(plan, draw_of(DRAW_TARGET, index));
    const double *cluster = plan->clusters + (size_t)z * g->d;
    const double shared = plan->query_scale * sqrt(g->query_share),
                 alone = plan->query_scale * sqrt(1 - g->query_share);
    draw_normals(plan, draw_of(DRAW_QUERY, index), row.words, row.x);
    for (uint32_t c = 0; c < g->d; c++)
        query[c] = (float)(plan->query_mean[c] + shared * cluster[c] + alone * row.x[c]);
}

static void make_value(const struct plan *plan, struct row row, uint32_t j, float *value)
{
    const uint32_t d = plan->g->d;
    const double norm = j == 0 ? plan->g->sink_value : 1;
    random_words(plan->draws, draw_of(DRAW_VALUE, j), row.words, d);
    random_normals(plan->draws, draw_of(DRAW_VALUE, j), row.words, row.x, d);
    for (uint32_t c = 0; c < d; c++)
        value[c] = (float)(norm * row.x[c]);
}

/* Keys and values first .. last - 1. */
static void make_keys(const struct plan *plan, uint32_t first, uint32_t last,
                      struct generated_head *to)
{
    const uint32_t d = plan->g->d;
#pragma omp parallel
    {
        struct row row = row_new(d);
#pragma omp for schedule(static)
        for (uint32_t j = first; j < last; j++) {
            make_key(plan, row, j, to->keys_unroped + (size_t)j * d);
            make_value(plan, row, j, to->values + (size_t)j * d);
        }
        row_free(row);
    }
    const struct rope rope = generator_rope(plan->g);
    const size_t start = (size_t)first * d, count = (size_t)(last - first) * d;
    memcpy(to->keys + start, to->keys_unroped + start, count * sizeof(float));
    rope_apply(&rope, to->keys + start, last - first, d, first);
}

static void make_queries(const struct plan *plan, struct generated_head *to)
{
    const struct generator *g = plan->g;
    const uint32_t first = g->n - g->n_q, group = generator_group(g);
    const size_t size = (size_t)g->n_q * g->d;
    const struct rope rope = generator_rope(g);
    struct row row = row_new(g->d);
    for (uint32_t member = 0; member < group; member++) {
        float *queries = to->queries_unroped + member * size;
        for (uint32_t i = 0; i < g->n_q; i++)
            make_query(plan, row, member, first + i, queries + (size_t)i * g->d);
        memcpy(to->queries + member * size, queries, size * sizeof(float));
        rope_apply(&rope, to->queries + member * size, g->n_q, g->d, first);
    }
    row_free(row);
}

int generate_head(const struct generator *g, uint32_t head, struct generated_head *to,
                  const struct watch *watch)
{
    struct plan plan;
    bool stopped = false;
    plan_make(&plan, g, head);
    for (uint32_t first = 0; first < g->n && !stopped; first += CHUNK) {
        const uint32_t last = g->n - first < CHUNK ? g->n : first + CHUNK;
        make_keys(&plan, first, last, to);
        stopped = watch_step(watch, last, g->n);
    }
    if (!stopped) {
        make_queries(&plan, to);
        generate_fit(g, head, plan.draws, to);
    }
    plan_free(&plan);
    return stopped;
}

static double floats_of_keys(const struct generator *g)
{
    return (double)g->n * g->d;
}

static double floats_of_queries(const struct generator *g)
{
    return (double)generator_group(g) * g->n_q * g->d;
}

double generated_head_bytes(const struct generator *g)
{
    return (3 * floats_of_keys(g) + 2 * floats_of_queries(g)) * sizeof(float) +
           g->clusters * g->d * sizeof(double) + g->needles * sizeof(struct needle);
}

struct generated_head *generated_head_new(const struct generator *g)
{
    struct generated_head *head = require_memory(calloc(1, sizeof *head));
    const size_t keys = (size_t)floats_of_keys(g) * sizeof(float),
                 queries = (size_t)floats_of_queries(g) * sizeof(float);
    head->keys = require_memory(malloc(keys));
    head->keys_unroped = require_memory(malloc(keys));
    head->values = require_memory(malloc(keys));
    head->queries = require_memory(malloc(queries));
    head->queries_unroped = require_memory(malloc(queries));
    head->needles = require_memory(malloc(((size_t)g->needles + 1) * sizeof *head->needles));
    return head;
}

void generated_head_free(struct generated_head *head)
{
    if (!head)
        return;
    free(head->keys);
    free(head->keys_unroped);
    free(head->values);
    free(head->queries);
    free(head->queries_unroped);
    free(head->needles);
    free(head);
}
