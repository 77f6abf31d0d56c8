/* tops.h - internal to model/: how many of the top k the buckets of a row may have, where they have
 * more than k_b; one bucket, and two at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPS_H
#define TOPS_H

#include <stdbool.h>
#include <stddef.h>

#include <model/recallmodel/shape.h>

/* The numbers above k_b that one bucket of a class has, but for those that are never seen. */
struct tops {
    uint64_t size, count; /* of the class */
    uint64_t first;       /* length numbers from here on */
    size_t length;
    double *probability;
};

/* Those of each class of a row, and joint[c][d][x * length of d + y]: the probability that one
 * bucket of class c has first + x and another, of class d, has first + y; c <= d. */
struct row_tops {
    uint64_t k, k_b;
    unsigned classes; /* those that can lose something */
    struct tops of[RCM_MAX_CLASSES];
    double *joint[RCM_MAX_CLASSES][RCM_MAX_CLASSES];
};

/* Returns   0; or -1 outside the domain of rcm_loss_exact, where they are more than TOPS_MOST, or
 *           if memory runs out. row_tops_free frees them in each case. */
#define TOPS_MOST 512
int row_tops(struct rcm_topk p, struct row_tops *tops);
void row_tops_free(struct row_tops *tops);

#endif
