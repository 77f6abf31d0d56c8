/* property_vectors.c - see property_vectors.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "property_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <attention/partition/partition.h>

/* What is known of rows x d. */
struct cloud {
    double *mean;     /* [d] */
    double spread;    /* root mean square distance from the mean */
    double norm, cv;  /* mean norm, and its standard deviation over it */
    double neighbour; /* correlation of rows i and i + 1 about the mean */
};

static double norm_of(const float *x, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += (double)x[c] * (double)x[c];
    return sqrt(sum);
}

static double length_of(const double *x, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += x[c] * x[c];
    return sqrt(sum);
}

static struct cloud cloud_of(const float *x, size_t rows, uint32_t d)
{
    struct cloud cloud = {.mean = require_memory(calloc(d, sizeof(double)))};
    double norms = 0, squares = 0, own = 0, next = 0;
    for (size_t i = 0; i < rows; i++) {
        const double norm = norm_of(x + i * d, d);
        norms += norm;
        squares += norm * norm;
        for (uint32_t c = 0; c < d; c++)
            cloud.mean[c] += (double)x[i * d + c];
    }
    for (uint32_t c = 0; c < d; c++)
        cloud.mean[c] /= (double)rows;
    for (size_t i = 0; i < rows; i++)
        for (uint32_t c = 0; c < d; c++) {
            const double a = (double)x[i * d + c] - cloud.mean[c];
            own += a * a;
            if (i + 1 < rows)
                next += a * ((double)x[(i + 1) * d + c] - cloud.mean[c]);
        }
    cloud.spread = sqrt(own / (double)rows);
    cloud.norm = norms / (double)rows;
    cloud.cv = sqrt(fmax(squares / (double)rows - cloud.norm * cloud.norm, 0)) / cloud.norm;
    cloud.neighbour = next / (double)(rows - 1) / (own / (double)rows);
    return cloud;
}

static double offset_of(const struct cloud *cloud, uint32_t d)
{
    return cloud->spread > 0 ? length_of(cloud->mean, d) / cloud->spread : NAN;
}

/* The sum of the squared distances of rows from the centroids of their buckets. */
static double within(const struct partition *partition, const float *x, uint32_t rows, uint32_t d)
{
    uint32_t *bucket = require_memory(malloc(rows * sizeof *bucket));
    double sum = 0;
    partition_assign(partition, x, rows, bucket);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t c = 0; c < d; c++) {
            const double a = (double)x[(size_t)i * d + c] -
                             (double)partition->centroids[(size_t)bucket[i] * d + c];
            sum += a * a;
        }
    free(bucket);
    return sum;
}

static double clustered(const float *x, uint32_t rows, uint32_t d)
{
    const struct partition_options options = {
        .clusters = PROPERTY_CENTROIDS, .iterations = PROPERTY_ITERATIONS, .seed = 1};
    const uint32_t count = rows < PROPERTY_SAMPLE ? rows : PROPERTY_SAMPLE;
    if (rows < PROPERTY_CENTROIDS)
        return NAN;
    float *sample = require_memory(malloc((size_t)count * d * sizeof *sample));
    for (uint32_t i = 0; i < count; i++)
        memcpy(sample + (size_t)i * d, x + (size_t)i * rows / count * d, d * sizeof *sample);
    struct partition *partition = partition_train(sample, count, d, &options, NULL, NULL);
    const struct cloud cloud = cloud_of(sample, count, d);
    const double left = within(partition, sample, count, d) / (cloud.spread * cloud.spread * count);
    free(cloud.mean);
    free(sample);
    partition_free(partition);
    return 1 - left;
}

static double angle_between(const double *a, const double *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += a[c] * b[c];
    const double cosine = sum / (length_of(a, d) * length_of(b, d));
    return acos(fmax(-1, fmin(1, cosine))) * 180 / 3.14159265358979323846;
}

/* The mean length of pair i in rows x d. */
static double pair_length(const float *x, size_t rows, uint32_t d, uint32_t i,
                          enum rope_pairing pairing)
{
    const uint32_t a = pairing == ROPE_HALF ? i : 2 * i,
                   b = pairing == ROPE_HALF ? i + d / 2 : 2 * i + 1;
    double sum = 0;
    for (size_t r = 0; r < rows; r++)
        sum += sqrt((double)x[r * d + a] * (double)x[r * d + a] +
                    (double)x[r * d + b] * (double)x[r * d + b]);
    return sum / (double)rows;
}

/* Adds a part of a mean to a property. */
static void put(double *out, enum property property, double part)
{
    out[property] = (isnan(out[property]) ? 0 : out[property]) + part;
}

/* `key_lengths`: pair_length() of the keys. share: of this query head in the mean over them. */
static void of_pairs(const struct context *c, const double *key_lengths, const float *queries,
                     enum rope_pairing pairing, double share, double *out)
{
    const uint32_t pairs = c->d / 2;
    double all = 0, squares = 0, slow = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const double part = key_lengths[i] * pair_length(queries, c->n_q, c->d, i, pairing);
        all += part;
        squares += part * part;
        slow += i >= pairs - pairs / 2 ? part : 0;
    }
    put(out, PROPERTY_pairs_effective, share * all * all / squares);
    put(out, PROPERTY_pairs_slow, share * slow / all);
}

static void of_values(const struct context *c, uint32_t first, double *out)
{
    double sum = 0;
    for (uint32_t j = first; j < c->n; j++)
        sum += norm_of(c->values + (size_t)j * c->d_v, c->d_v);
    out[PROPERTY_sink_value] = norm_of(c->values, c->d_v) / (sum / (double)(c->n - first));
}

static void before_rope(const struct context *c, uint32_t first, double *out)
{
    const double share = 1.0 / c->query_heads;
    const struct cloud keys = cloud_of(c->keys_unroped + (size_t)first * c->d, c->n - first, c->d);
    out[PROPERTY_key_offset_unroped] = offset_of(&keys, c->d);
    out[PROPERTY_neighbour_unroped] = keys.neighbour;
    out[PROPERTY_clustered_unroped] =
        clustered(c->keys_unroped + (size_t)first * c->d, c->n - first, c->d);
    for (uint32_t h = 0; h < c->query_heads; h++) {
        const struct cloud queries =
            cloud_of(c->queries_unroped + (size_t)h * c->n_q * c->d, c->n_q, c->d);
        put(out, PROPERTY_query_offset_unroped, share * offset_of(&queries, c->d));
        put(out, PROPERTY_angle_unroped, share * angle_between(keys.mean, queries.mean, c->d));
        free(queries.mean);
    }
    free(keys.mean);
}

static void after_rope(const struct context *c, uint32_t first, enum rope_pairing pairing,
                       double *out)
{
    const double share = 1.0 / c->query_heads;
    const float *rows = c->keys + (size_t)first * c->d;
    const struct cloud keys = cloud_of(rows, c->n - first, c->d);
    double *lengths = require_memory(calloc(c->d, sizeof *lengths));
    for (uint32_t i = 0; i < c->d / 2; i++)
        lengths[i] = pair_length(rows, c->n - first, c->d, i, pairing);
    out[PROPERTY_key_norm] = keys.norm;
    out[PROPERTY_key_norm_cv] = keys.cv;
    out[PROPERTY_sink_norm] = norm_of(c->keys, c->d) / keys.norm;
    out[PROPERTY_key_offset] = offset_of(&keys, c->d);
    out[PROPERTY_neighbour] = keys.neighbour;
    out[PROPERTY_clustered] = clustered(rows, c->n - first, c->d);
    for (uint32_t h = 0; h < c->query_heads; h++) {
        const float *of_head = c->queries + (size_t)h * c->n_q * c->d;
        const struct cloud queries = cloud_of(of_head, c->n_q, c->d);
        put(out, PROPERTY_query_norm, share * queries.norm);
        put(out, PROPERTY_query_offset, share * offset_of(&queries, c->d));
        put(out, PROPERTY_angle, share * angle_between(keys.mean, queries.mean, c->d));
        if (c->d % 2 == 0)
            of_pairs(c, lengths, of_head, pairing, share, out);
        free(queries.mean);
    }
    free(keys.mean);
    free(lengths);
}

void properties_of_vectors(const struct context *c, uint32_t first, enum rope_pairing pairing,
                           double out[PROPERTY_COUNT])
{
    after_rope(c, first, pairing, out);
    if (c->values)
        of_values(c, first, out);
    if (c->keys_unroped && c->queries_unroped)
        before_rope(c, first, out);
}
