/* property_vectors.h - internal to attention/: the properties of keys, queries and values as
 * vectors, for properties.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROPERTY_VECTORS_H
#define PROPERTY_VECTORS_H

#include "properties.h"

/* Sets those of `out` that need no logits. The keys 0 .. first - 1 are the sink. */
void properties_of_vectors(const struct context *context, uint32_t first, enum rope_pairing pairing,
                           double out[PROPERTY_COUNT]);

#endif
