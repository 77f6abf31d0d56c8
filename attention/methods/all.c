/* all.c - the registry of the methods: see method.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "all.h"

#include <string.h>

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
    &method_hisa,
    &method_previous_query,
    &method_previous_layer,
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
