/* products.h - the products of this folder, by OpenBLAS, float32, on the calling thread.
 *
 * All matrices are row-major and contiguous. OpenBLAS is told to use one thread, so that a result
 * does not depend on the number of threads; what is parallel is parallel above these calls.
 *
 * It is libopenblas.so.0 of the system or, where there is none, the file that the environment
 * variable RECALLMODEL_OPENBLAS names. The Python package names the one in NumPy's wheel there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include <base/message.h>

/* Loads OpenBLAS, if that has not been done. The functions below need it: they do the same, and
 * where it is missing all that they write is NaN. Returns false with one line in `error` then. */
bool products_ready(struct message error);

/* out[i][j] = alpha * sum over c of a[i][c] b[j][c] + beta * out[i][j], for rows a x d, b x d. */
void products_transposed(float *out, const float *a, size_t a_rows, const float *b, size_t b_rows,
                         size_t d, float alpha, float beta);

/* out[i][c] = alpha * sum over j of a[i][j] b[j][c] + beta * out[i][c]; a is rows x inner, b is
 * inner x columns. */
void products(float *out, const float *a, size_t rows, const float *b, size_t inner, size_t columns,
              float alpha, float beta);

/* out[c][e] = alpha * sum over i of a[i][c] b[i][e] + beta * out[c][e]; a is rows x columns_a, b is
 * rows x columns_b. For gradients. */
void products_of_columns(float *out, const float *a, size_t rows, size_t columns_a, const float *b,
                         size_t columns_b, float alpha, float beta);

/* out[j] = alpha * (b[j] . q), for b rows x d. */
void products_vector(float *out, const float *b, size_t rows, size_t d, const float *q,
                     float alpha);

/* out[c] = sum over j of w[j] b[j][c] + beta * out[c], for b rows x d. */
void products_weighted(float *out, const float *b, size_t rows, size_t d, const float *w,
                       float beta);

#endif
