/* all.h - internal to attention/: every method, for the registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_ALL_H
#define METHODS_ALL_H

#include <attention/method.h>

extern const struct method method_full, method_streaming, method_random, method_topk;
extern const struct method method_kmeans, method_kmeans_unroped, method_kmeans_topk;

#endif
