/* oracle.h - what topk/topk.h promises, by its definitions: sorts whole rows and whole buckets,
 * knows nothing of the library but its header, and is as slow as that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORACLE_H
#define ORACLE_H

#include <topk/topk.h>

/* A number to sort by, larger first: the element, or its negative if `smallest`; NaN comes last. Of
 * two zeros +0 comes first; the negative of a zero is the other zero. */
double oracle_merit(enum rcm_top_k_type type, const void *element, bool smallest);

/* For qsort(): the better merit first. 0 for equal ones, and for two NaNs. */
int oracle_by_merit(const void *a, const void *b);

/* The address of element i of row r. */
const unsigned char *oracle_element(const struct rcm_top_k_rows *rows, uint64_t r, uint64_t i);

/* The bucket that element i is in. */
uint64_t oracle_bucket(const struct rcm_top_k_call *call, uint64_t i);

/* How many outputs a row has: k, or the candidates of stage 1. The call is legal. */
uint64_t oracle_outputs(const struct rcm_top_k_call *call, bool stage1);

/* The statuses, 1 << status each, that the header allows for this call with a good workspace: none
 * if the call is legal. With `query` the outputs are not looked at. */
unsigned oracle_faults(const struct rcm_top_k_call *call, bool stage1, bool query);

/* Whether the outputs of a legal call are what the header promises; otherwise `why` says what is
 * wrong. All of these have to hold: values and indices are distinct elements of the row, each value
 * has the bits of the element at its index, the values are those of the best, candidates lie where
 * their bucket begins, and the order is as asked. */
enum { ORACLE_WHY = 300 };
bool oracle_is_right(const struct rcm_top_k_call *call, bool stage1, char why[ORACLE_WHY]);

#endif
