/* tensors_measured.c - what both kinds of tensors are measured with: see tensors_command.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/memory.h>

#include "tensors_command.h"

struct dense_part tensors_dense(const struct tensors_settings *settings)
{
    const uint64_t most = UINT32_MAX;
    return (struct dense_part){(uint32_t)(settings->sink < most ? settings->sink : most),
                               (uint32_t)(settings->window < most ? settings->window : most)};
}

double *measured_head(struct measured_heads *measured)
{
    measured->properties = array_grow(measured->properties, measured->heads, &measured->capacity,
                                      PROPERTY_COUNT * sizeof(double));
    return measured->properties + measured->heads++ * PROPERTY_COUNT;
}
