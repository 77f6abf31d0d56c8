/* trained_file.c - see trained.h. The file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "trained.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/atomic_file.h>
#include <base/files/bytes.h>
#include <base/memory.h>
#include <base/files/state_file.h>

static const char magic[8] = {'R', 'C', 'M', 'I', 'N', 'D', 'E', 'X'};
enum { HEAD_NUMBERS = 13, SHAPE_MAX = 1 << 20, HEADS_MAX = 1 << 20, CHECKSUM_BYTES = 8 };

/* ---- writing */

static void put_number(struct bytes *writer, uint32_t number)
{
    bytes_put(writer, &number, sizeof number);
}

static void put_head(struct bytes *writer, const struct trained_head *head)
{
    const struct partition *p = head->partition;
    const struct query_model *first = NULL;
    for (uint32_t m = 0; head->models && m < head->models_length && !first; m++)
        first = head->models[m];
    const uint32_t numbers[HEAD_NUMBERS] = {head->layer,
                                            head->key_head,
                                            head->query_head,
                                            head->query_heads,
                                            head->unroped,
                                            p->d,
                                            p->clusters,
                                            p->spherical,
                                            head->models ? head->models_length : 0,
                                            first ? first->width : 0,
                                            first ? first->residual : 0,
                                            head->before,
                                            head->iterations};
    bytes_put(writer, numbers, sizeof numbers);
    bytes_put(writer, p->centroids, (size_t)p->clusters * p->d * sizeof(float));
    for (uint32_t m = 0; head->models && m < head->models_length; m++) {
        const struct query_model *model = head->models[m];
        put_number(writer, model != NULL);
        if (!model)
            continue;
        bytes_put(writer, model->parameters, model->length * sizeof(float));
        bytes_put(writer, model->mean, model->width * sizeof(float));
        bytes_put(writer, model->variance, model->width * sizeof(float));
    }
}

static void put_rope(struct bytes *writer, const struct rope *rope)
{
    const double numbers[] = {rope->theta, rope->factor,   rope->low,
                              rope->high,  rope->original, rope->attention_factor};
    put_number(writer, (uint32_t)rope->pairing);
    put_number(writer, (uint32_t)rope->scaling);
    bytes_put(writer, numbers, sizeof numbers);
}

char *trained_bytes(const struct trained *trained, size_t *length)
{
    struct bytes writer = {0};
    bytes_put(&writer, magic, sizeof magic);
    put_number(&writer, TRAINED_VERSION);
    put_number(&writer, (uint32_t)trained->length);
    put_rope(&writer, &trained->rope);
    for (size_t i = 0; i < trained->length; i++)
        put_head(&writer, &trained->heads[i]);
    const uint64_t sum = state_file_checksum(writer.items, writer.length);
    bytes_put(&writer, &sum, sizeof sum);
    *length = writer.length;
    return writer.items;
}

int trained_save(const struct trained *trained, const char *path, struct message error)
{
    char phrase[200];
    char *target = atomic_file_target(path, MESSAGE(phrase));
    if (!target)
        return message_set(error, "%s %s", path, phrase);
    size_t length;
    char *bytes = trained_bytes(trained, &length);
    const int failed = atomic_file_write(target, bytes, length);
    if (failed)
        message_set(error, "%s cannot be written: %s", path, strerror(errno));
    free(bytes);
    free(target);
    return failed;
}

/* ---- reading */

static bool get_floats(struct byte_reader *reader, float *to, size_t count)
{
    if (!bytes_get(reader, to, count * sizeof *to))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(to[i]))
            return false;
    return true;
}

/* Are the shapes possible, and do the bytes that are left suffice for them? So nothing is allocated
 * that the file does not fill. No product overflows, because shapes are at most 2^20. */
static bool shapes_fit(const uint32_t *x, size_t left)
{
    const uint32_t query_heads = x[3], d = x[5], clusters = x[6], models = x[8], width = x[9];
    if (x[1] > SHAPE_MAX || x[2] > SHAPE_MAX || query_heads < 1 || query_heads > SHAPE_MAX ||
        x[4] > 1 || d < 1 || d > SHAPE_MAX || clusters < 1 || clusters > SHAPE_MAX || x[7] > 1 ||
        x[10] > 1 || x[11] > x[4])
        return false;
    if (models != 0 && models != 1 && models != query_heads)
        return false;
    if (models == 0 || width == 0 ? width != 0 || x[10] != 0 : width > SHAPE_MAX)
        return false;
    double floats = (double)clusters * d + models;
    if (width > 0) /* there is one model at least */
        floats += (double)query_model_length(d, width, clusters, x[10]) + 2.0 * width;
    return floats * sizeof(float) <= (double)left;
}

/* Do the bytes that are left suffice for a model? */
static bool model_fits(const uint32_t *x, size_t left)
{
    const double floats = (double)query_model_length(x[5], x[9], x[6], x[10]) + 2.0 * x[9];
    return x[9] > 0 && floats * sizeof(float) <= (double)left;
}

static struct query_model *get_model(struct byte_reader *reader, const uint32_t *x)
{
    struct query_model *model = query_model_new(x[5], x[9], x[6], x[10]);
    bool good = get_floats(reader, model->parameters, model->length) &&
                get_floats(reader, model->mean, model->width) &&
                get_floats(reader, model->variance, model->width);
    for (uint32_t i = 0; good && i < model->width; i++)
        good = model->variance[i] >= 0.0f;
    if (good)
        return model;
    query_model_free(model);
    return NULL;
}

/* Returns what is wrong with the head, or NULL. What was read is freed with `trained`. */
static const char *get_head(struct byte_reader *reader, struct trained *trained)
{
    static const char not_numbers[] = "has numbers that are not finite",
                      not_fitting[] = "has shapes that do not fit its length";
    uint32_t x[HEAD_NUMBERS];
    if (!bytes_get(reader, x, sizeof x))
        return "ends too early";
    if (!shapes_fit(x, reader->left))
        return not_fitting;
    struct trained_head *head = trained_add(trained);
    head->layer = x[0];
    head->key_head = x[1];
    head->query_head = x[2];
    head->query_heads = x[3];
    head->unroped = x[4];
    head->before = x[11];
    head->iterations = x[12];
    const size_t floats = (size_t)x[6] * x[5];
    float *centroids = require_memory(malloc(floats * sizeof *centroids));
    const bool good = get_floats(reader, centroids, floats);
    if (good)
        head->partition = partition_new(x[6], x[5], x[7], centroids);
    free(centroids);
    if (!good)
        return not_numbers;
    if (x[8] > 0)
        head->models = require_memory(calloc(x[3], sizeof *head->models));
    for (uint32_t m = 0; m < x[8]; m++) {
        uint32_t has;
        if (!bytes_get(reader, &has, sizeof has) || has > 1 ||
            (has && !model_fits(x, reader->left)))
            return not_fitting;
        if (has && !(head->models[m] = get_model(reader, x)))
            return not_numbers;
        head->models_length++;
    }
    for (uint32_t m = x[8]; x[8] > 0 && m < x[3]; m++)
        head->models[m] = head->models[0];
    return NULL;
}

/* Returns what is wrong with the RoPE, or NULL. */
static const char *get_rope(struct byte_reader *reader, struct rope *rope)
{
    uint32_t kind[2];
    double x[6];
    if (!bytes_get(reader, kind, sizeof kind) || !bytes_get(reader, x, sizeof x))
        return "ends too early";
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (!isfinite(x[i]) || x[i] < 0)
            return "has numbers that are not finite, or below 0, for RoPE";
    if (kind[0] > ROPE_INTERLEAVED || kind[1] > ROPE_YARN)
        return "has a kind of RoPE that is not known";
    *rope = (struct rope){.theta = x[0],
                          .pairing = (enum rope_pairing)kind[0],
                          .scaling = (enum rope_scaling)kind[1],
                          .factor = x[1],
                          .low = x[2],
                          .high = x[3],
                          .original = x[4],
                          .attention_factor = x[5]};
    return NULL;
}

static const char *fault_of(struct trained *trained, const char *bytes, size_t length,
                            uint32_t *version)
{
    struct byte_reader reader = {bytes, length};
    char start[sizeof magic];
    uint32_t heads;
    if (!bytes_get(&reader, start, sizeof start) || memcmp(start, magic, sizeof magic) != 0)
        return "is not an index of recallmodel; give a file that " MEMBER "save wrote";
    if (!bytes_get(&reader, version, sizeof *version) ||
        !bytes_get(&reader, &heads, sizeof heads) || reader.left < CHECKSUM_BYTES)
        return "ends too early";
    if (*version != TRAINED_VERSION)
        return "";
    uint64_t sum;
    memcpy(&sum, bytes + length - CHECKSUM_BYTES, sizeof sum);
    if (sum != state_file_checksum(bytes, length - CHECKSUM_BYTES))
        return "is damaged: its checksum differs";
    reader.left -= CHECKSUM_BYTES;
    if (heads > HEADS_MAX)
        return "has shapes that do not fit its length";
    const char *wrong = get_rope(&reader, &trained->rope);
    if (wrong)
        return wrong;
    for (uint32_t i = 0; i < heads; i++) {
        const char *fault = get_head(&reader, trained);
        if (fault)
            return fault;
    }
    return reader.left > 0 ? "has bytes after its end" : NULL;
}

int trained_parse(struct trained *trained, const void *bytes, size_t length, struct message error)
{
    uint32_t version = 0;
    *trained = (struct trained){0};
    const char *fault = fault_of(trained, bytes, length, &version);
    if (!fault)
        return 0;
    trained_free(trained);
    if (*fault)
        message_set(error, "%s", fault);
    else
        message_set(error, "is of version %" PRIu32 ", but this program reads %d; train again",
                    version, TRAINED_VERSION);
    return -1;
}

int trained_load(struct trained *trained, const char *path, struct message error)
{
    char phrase[160];
    size_t length = 0;
    *trained = (struct trained){0};
    char *bytes = state_file_read(path, &length);
    if (!bytes)
        return message_set(error, "%s cannot be read: %s", path,
                           errno ? strerror(errno) : "it is not a regular file");
    const int failed = trained_parse(trained, bytes, length, MESSAGE(phrase));
    if (failed)
        message_set(error, "%s %s", path, phrase);
    free(bytes);
    return failed;
}
