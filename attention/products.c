/* products.c - see products.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <cblas.h>

#define LEADING(x) ((blasint)((x) ? (x) : 1))

/* Before main(), so that no thread runs yet. */
__attribute__((constructor)) static void one_thread(void)
{
    openblas_set_num_threads(1);
}

void products_transposed(float *out, const float *a, size_t a_rows, const float *b, size_t b_rows,
                         size_t d, float alpha, float beta)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)a_rows, (blasint)b_rows,
                (blasint)d, alpha, a, LEADING(d), b, LEADING(d), beta, out, LEADING(b_rows));
}

void products(float *out, const float *a, size_t rows, const float *b, size_t inner, size_t columns,
              float alpha, float beta)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)columns,
                (blasint)inner, alpha, a, LEADING(inner), b, LEADING(columns), beta, out,
                LEADING(columns));
}

void products_of_columns(float *out, const float *a, size_t rows, size_t columns_a, const float *b,
                         size_t columns_b, float alpha, float beta)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)columns_a, (blasint)columns_b,
                (blasint)rows, alpha, a, LEADING(columns_a), b, LEADING(columns_b), beta, out,
                LEADING(columns_b));
}

void products_vector(float *out, const float *b, size_t rows, size_t d, const float *q, float alpha)
{
    cblas_sgemv(CblasRowMajor, CblasNoTrans, (blasint)rows, (blasint)d, alpha, b, LEADING(d), q, 1,
                0.0f, out, 1);
}
