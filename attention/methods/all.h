/* all.h - internal to attention/: every method, for the registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_ALL_H
#define METHODS_ALL_H

#include <attention/method.h>

extern const struct method method_full, method_streaming, method_random, method_topk;
extern const struct method method_bucketed, method_sparq, method_sparq_bucketed;
extern const struct method method_lsh_magicpig, method_lsh_sampled, method_lsh_gray;
extern const struct method method_lsh_argmax, method_lsh_argmax_query;
extern const struct method method_quest, method_blocks, method_hisa, method_previous_query,
    method_previous_layer;
extern const struct method method_kmeans, method_kmeans_unroped, method_kmeans_topk;
extern const struct method method_kmeans_oracle, method_kmeans_unroped_oracle;
extern const struct method method_saap, method_saap_roped;

#endif
