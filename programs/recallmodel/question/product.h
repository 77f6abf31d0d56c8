/* product.h - values that are products of vectors (--d): the roofline of the product, alone and
 * with stage 1 in the same kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include <model/recallmodel.h>
#include <programs/common/json.h>

/* Has the device the rates that the bound of the product needs, or (fused) that with stage 1?
 * Returns a status, after a line on stderr if it is not STATUS_OK. */
int product_check(const struct rcm_device *device, uint64_t d, bool fused);

/* Prints the intensities of a shape beside the ridge of the device. Returns how many lines. */
unsigned product_print_intensity(const struct rcm_product *product, const struct rcm_device *device,
                                 uint64_t d);

/* Puts d, the intensities of a shape and the ridge of the device into the JSON. */
void product_json(json_t *object, const struct rcm_product *product, uint64_t d);

#endif
