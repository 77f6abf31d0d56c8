/* tensors_command.h - what the files of `recallmodel tensors` share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TENSORS_COMMAND_H
#define TENSORS_COMMAND_H

#include <attention/tensors/generate.h>
#include <attention/tensors/properties.h>
#include <attention/tensors/tensors.h>

#include <programs/recallmodel/question/question.h>

struct tensors_settings {
    struct question question;                         /* only its output */
    const char *paths[TENSORS];                       /* NULL: not given */
    const char *folder;                               /* of --generate; NULL: tensors are read */
    struct generator generator;                       /* knobs that were not given are NaN */
    uint64_t seed, n, n_q, d, key_heads, query_heads; /* 0: not given; the seed begins as 1 */
    uint64_t sink, window;
    double theta; /* 0: not given */
    enum rope_pairing pairing;
};

extern const struct value_kind kind_of_pairing; /* enum rope_pairing; of sparse, too */

/* The properties of each key head, one after the other: [heads][PROPERTY_COUNT]. */
struct measured_heads {
    double *properties;
    size_t heads, capacity;
    uint32_t n, n_q, d, query_heads;
};

/* Room for one more head; its properties. */
double *measured_head(struct measured_heads *measured);

struct dense_part tensors_dense(const struct tensors_settings *settings);

/* Generates tensors into the folder, and measures them. Returns a status, after a line on stderr
 * if it is not STATUS_OK. */
int tensors_generate(const struct tensors_settings *settings, struct measured_heads *measured);

/* What was measured of a real model, by `recallmodel tensors`: means over heads and documents. */
struct real_property {
    double mean;      /* over the layers */
    double low, high; /* the smallest and the largest mean of a layer */
};
extern const struct real_property real_properties[PROPERTY_COUNT];
extern const char real_properties_source[];

#endif
