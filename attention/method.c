/* method.c - see method.h. The registry of the methods.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "method.h"

#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <attention/methods/all.h>

/* One a line. */
/* clang-format off */
const struct method *const methods[] = {
    &method_full,
    &method_streaming,
    &method_random,
    &method_topk,
    &method_bucketed,
    &method_sparq,
    &method_sparq_bucketed,
    &method_kmeans,
    &method_kmeans_unroped,
    &method_kmeans_topk,
    &method_kmeans_oracle,
    &method_kmeans_unroped_oracle,
    &method_saap,
    &method_saap_roped,
    &method_lsh_magicpig,
    &method_lsh_sampled,
    &method_lsh_gray,
    &method_lsh_argmax,
    &method_lsh_argmax_query,
    &method_quest,
    &method_blocks,
    NULL,
};
/* clang-format on */

const struct method *method_by_name(const char *name)
{
    for (const struct method *const *method = methods; *method; method++)
        if (strcmp((*method)->name, name) == 0)
            return *method;
    return NULL;
}

void visit_reserve(struct visit *visit, size_t length, bool weighted)
{
    if (length > visit->capacity) {
        visit->keys = require_memory(realloc(visit->keys, length * sizeof *visit->keys));
        visit->capacity = length;
    }
    if (weighted && length > visit->weights_capacity) {
        visit->weights = require_memory(realloc(visit->weights, length * sizeof *visit->weights));
        visit->weights_capacity = length;
    }
    visit->weighted = weighted;
    visit->correction_weight = 0;
}

void visit_reserve_correction(struct visit *visit, size_t d_v)
{
    if (d_v > visit->correction_capacity) {
        visit->correction = require_memory(realloc(visit->correction, d_v * sizeof(float)));
        visit->correction_capacity = d_v;
    }
}

void visit_free(struct visit *visit)
{
    free(visit->keys);
    free(visit->weights);
    free(visit->correction);
    *visit = (struct visit){0};
}
