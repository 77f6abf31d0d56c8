/* product.h - values that are products of vectors (--d): the roofline of the product, alone and
 * with stage 1 in the same kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include <model/recallmodel.h>
#include <programs/common/table.h>

struct product_question {
    const struct rcm_device *device;
    enum rcm_dtype dtype;
    uint64_t d; /* 0: the values lie in memory */
};

/* Has the device the rates that the bound of the product needs, or (fused) that with stage 1?
 * Returns a status, after a line on stderr if it is not STATUS_OK. */
int product_check(const struct rcm_device *device, uint64_t d, bool fused);

/* The columns of one shape: the bounds of the product and of the fused kernel; with a prediction
 * (r; NULL: none) also what they are with the stages that it predicts. */
void put_product(struct table *table, struct product_question q, struct rcm_topk p,
                 const struct rcm_prediction *r, double exact_us);

/* Prints the intensities of a shape beside the ridge of the device. Returns how many lines. */
unsigned product_print_intensity(struct product_question q, struct rcm_topk p);

/* Puts d, the intensities of a shape and the ridge of the device into the JSON. */
void product_json(json_t *object, struct product_question q, struct rcm_topk p);

#endif
