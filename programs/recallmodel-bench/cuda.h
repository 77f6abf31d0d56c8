/* cuda.h - the back end that runs the kernels of gpu/ on a GPU, or emulated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_H
#define CUDA_H

#include <programs/bench/backend.h>

extern const struct backend cuda_backend;

#endif
