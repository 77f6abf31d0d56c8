/* method.c - see method.h. What a query reads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "method.h"

#include <stdlib.h>

#include <base/memory.h>

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
