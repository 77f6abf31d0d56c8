/* dtype.c - names of types: see row_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_file.h"

static const char *const names[] = {"unknown", "f16", "bf16", "f32", "f64"};

const char *sim_dtype_name(enum sim_dtype dtype)
{
    return names[dtype];
}
