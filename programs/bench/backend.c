/* backend.c - see backend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend.h"

const struct backend *backend;
