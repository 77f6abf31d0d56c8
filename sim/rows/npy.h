/* npy.h - the header of a .npy file: a magic, a version, a length, and a Python dictionary with
 * three entries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NPY_H
#define NPY_H

#include "row_file.h"

extern const struct row_format npy_format;

#endif
