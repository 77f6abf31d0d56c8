/* products.c - see products.h.
 *
 * OpenBLAS is loaded at the first product, not linked. A program that is linked with it starts its
 * threads, which takes several times as long as most answers of the command. And GSL's libgslcblas,
 * which tests link, defines functions of the same names, which are slow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define LEADING(x) ((blasint)((x) ? (x) : 1))

static __typeof__(cblas_sgemm) *sgemm;
static __typeof__(cblas_sgemv) *sgemv;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    /* Before it is loaded, so that it starts no threads; it does not overrule the caller's. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    __typeof__(openblas_set_num_threads) *threads;
    *(void **)&threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&sgemv = dlsym(library, "cblas_sgemv");
#ifdef _OPENMP
    /* An OpenBLAS with threads of OpenMP sets their number for the whole program. */
    const int before = omp_get_max_threads();
    if (threads)
        threads(1);
    omp_set_num_threads(before);
#else
    if (threads)
        threads(1);
#endif
}

bool products_ready(char *error, size_t size)
{
    pthread_once(&once, load);
    if (sgemm && sgemv)
        return true;
    snprintf(error, size, "OpenBLAS was not found; install it (Debian: libopenblas0)");
    return false;
}

static void need_library(void)
{
    char error[1];
    if (!products_ready(error, sizeof error))
        abort();
}

void products_transposed(float *out, const float *a, size_t a_rows, const float *b, size_t b_rows,
                         size_t d, float alpha, float beta)
{
    need_library();
    sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)a_rows, (blasint)b_rows, (blasint)d,
          alpha, a, LEADING(d), b, LEADING(d), beta, out, LEADING(b_rows));
}

void products(float *out, const float *a, size_t rows, const float *b, size_t inner, size_t columns,
              float alpha, float beta)
{
    need_library();
    sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)columns,
          (blasint)inner, alpha, a, LEADING(inner), b, LEADING(columns), beta, out,
          LEADING(columns));
}

void products_of_columns(float *out, const float *a, size_t rows, size_t columns_a, const float *b,
                         size_t columns_b, float alpha, float beta)
{
    need_library();
    sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)columns_a, (blasint)columns_b,
          (blasint)rows, alpha, a, LEADING(columns_a), b, LEADING(columns_b), beta, out,
          LEADING(columns_b));
}

void products_vector(float *out, const float *b, size_t rows, size_t d, const float *q, float alpha)
{
    need_library();
    sgemv(CblasRowMajor, CblasNoTrans, (blasint)rows, (blasint)d, alpha, b, LEADING(d), q, 1, 0.0f,
          out, 1);
}

void products_weighted(float *out, const float *b, size_t rows, size_t d, const float *w,
                       float beta)
{
    need_library();
    sgemv(CblasRowMajor, CblasTrans, (blasint)rows, (blasint)d, 1.0f, b, LEADING(d), w, 1, beta,
          out, 1);
}
