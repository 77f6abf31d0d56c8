/* outputs.h - the attention of one layer when each query reads only what a method chooses: the
 * output itself, to run a model with, where evaluate.h says what it loses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/context.h>
#include "evaluate.h"

struct outputs_spec {
    struct context context; /* with values; the scale is 1 / sqrt(d), or 0, which stands for it */
    uint32_t layer;         /* named in errors; LAYER_UNKNOWN */
    const struct method *method;
    double budget; /* in (0, 1]: the share of the n keys that are visited beside the dense part */
    struct method_options options;
    bool share;       /* query heads that share keys choose together, if the method can */
    unsigned threads; /* 0: all */
    struct trained_heads trained[2]; /* as in evaluation_spec, one for each key head; or zeros */
    struct watch watch;              /* asked often whether to stop */
    const char *index; /* a file of trained.h with the key heads of `layer`: methods that cluster
                        * use that in place of `trained`; or NULL */
};

struct outputs_report {
    uint32_t knob;      /* KNOB_NONE: the method has none */
    double visited;     /* keys visited, the dense part not counted, over n: a mean over queries */
    double selectivity; /* the same with the dense part */
    double bytes_read, index_bytes; /* for a query */
};

/* out[h][i] = sum over the dense and visited keys j of softmax_j(scale q . k_j) v_j, for queries i
 * of query heads h: [query_heads][n_q][d_v]. The weights are renormalised over these keys; 0 if
 * there are none. The knob is that of evaluate.h for the queries of all heads of the layer. The
 * index comes from the keys before the first query, if they are at least 4 C, and later ones are
 * appended.
 * Domain    1 <= n_q <= n, 1 <= d, d_v; query_heads a multiple of key_heads; all numbers finite.
 * Accuracy  the logits are float32; all sums over them are double, but those of the method full,
 *           which has that of full_attention() (full.h). The same bits for any number of threads.
 * Returns   0; 1 if the watch stopped it, and then `out` is of no use; or -1 with one line in
 * `error`, which names what is wrong as the command does. Where memory runs out, the handler of
 * base/memory.h is called. */
int sparse_outputs(const struct outputs_spec *spec, float *out, struct outputs_report *report,
                   struct message error);

/* METHOD_OPTIONS_DEFAULT, for callers that are not C. */
struct method_options method_options_default(void);

#endif
