/* products.c - see products.h.
 *
 * OpenBLAS is loaded at the first product, not linked. A program that is linked with it starts its
 * threads, which takes several times as long as most answers of the command. And GSL's libgslcblas,
 * which tests link, defines functions of the same names, which are slow.
 *
 * There are two kinds of it. Debian's has the names of CBLAS and sizes of 32 bits. The one that
 * NumPy's wheels carry has sizes of 64 bits and says so in its names: cblas_sgemm64_, since NumPy
 * 2.0 scipy_cblas_sgemm64_. Both are declared here, so that no header is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

#define LIBRARY_VARIABLE "RECALLMODEL_OPENBLAS"
#define THREADS_VARIABLE "OPENBLAS_NUM_THREADS"
#define LEADING(x) ((x) ? (x) : 1)

/* CBLAS_ORDER and CBLAS_TRANSPOSE. */
enum order { ROW_MAJOR = 101 };
enum transpose { AS_IT_IS = 111, TRANSPOSED = 112 };

typedef void sgemm_32(enum order, enum transpose, enum transpose, int32_t m, int32_t n, int32_t k,
                      float alpha, const float *a, int32_t lda, const float *b, int32_t ldb,
                      float beta, float *c, int32_t ldc);
typedef void sgemm_64(enum order, enum transpose, enum transpose, int64_t m, int64_t n, int64_t k,
                      float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                      float beta, float *c, int64_t ldc);
typedef void sgemv_32(enum order, enum transpose, int32_t m, int32_t n, float alpha, const float *a,
                      int32_t lda, const float *x, int32_t incx, float beta, float *y,
                      int32_t incy);
typedef void sgemv_64(enum order, enum transpose, int64_t m, int64_t n, float alpha, const float *a,
                      int64_t lda, const float *x, int64_t incx, float beta, float *y,
                      int64_t incy);

/* Those of one library: either both of 32 bits or both of 64, and NULL for the others. */
static struct {
    sgemm_32 *gemm_32;
    sgemm_64 *gemm_64;
    sgemv_32 *gemv_32;
    sgemv_64 *gemv_64;
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The function of that name, with what this library puts before and behind its names. */
static void *find(void *library, const char *before, const char *name, const char *behind)
{
    char text[80];
    snprintf(text, sizeof text, "%s%s%s", before, name, behind);
    return dlsym(library, text);
}

/* Sets one thread. An OpenBLAS with threads of OpenMP sets their number for the whole program. */
static void use_one_thread(void (*set_threads)(int))
{
    const unsigned before = threads_most();
    set_threads(1);
    threads_use(before);
}

/* Takes the functions of a library, if it has both. */
static bool take(void *library)
{
    static const struct {
        const char *before, *behind;
    } kinds[] = {{"", ""}, {"scipy_", "64_"}, {"", "64_"}, {"scipy_", ""}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *before = kinds[i].before, *behind = kinds[i].behind;
        void *gemm = find(library, before, "cblas_sgemm", behind);
        void *gemv = find(library, before, "cblas_sgemv", behind);
        if (!gemm || !gemv)
            continue;
        const bool wide = *behind;
        *(void **)(wide ? (void *)&blas.gemm_64 : (void *)&blas.gemm_32) = gemm;
        *(void **)(wide ? (void *)&blas.gemv_64 : (void *)&blas.gemv_32) = gemv;
        void (*set_threads)(int);
        *(void **)&set_threads = find(library, before, "openblas_set_num_threads", behind);
        if (set_threads)
            use_one_thread(set_threads);
        return true;
    }
    return false;
}

static void load(void)
{
    const char *given = getenv(LIBRARY_VARIABLE);
    const char *const names[] = {"libopenblas.so.0", "libopenblas.so", given};
    const char *threads = getenv(THREADS_VARIABLE);
    char *before = threads ? strdup(threads) : NULL;
    /* It looks when it is loaded, and then starts none. Children do not inherit that. */
    setenv(THREADS_VARIABLE, "1", 1);
    bool taken = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !taken; i++) {
        void *library = names[i] && *names[i] ? dlopen(names[i], RTLD_NOW | RTLD_LOCAL) : NULL;
        taken = library && take(library);
    }
    if (before)
        setenv(THREADS_VARIABLE, before, 1);
    else
        unsetenv(THREADS_VARIABLE);
    free(before);
}

bool products_ready(struct message error)
{
    pthread_once(&once, load);
    if (blas.gemm_32 || blas.gemm_64)
        return true;
    message_set(error,
                "OpenBLAS was not found; install it (Debian: apt install libopenblas0), or install "
                "recallmodel and numpy by pip");
    return false;
}

/* Without the library, which the caller should have asked for, the products are not numbers. */
static bool have_library(float *c, size_t rows, size_t columns)
{
    char error[1];
    if (products_ready(MESSAGE(error)))
        return true;
    for (size_t i = 0; i < rows * columns; i++)
        c[i] = NAN;
    return false;
}

/* c = alpha * a b + beta * c, with a and b as they are or transposed. Sizes of heads and batches
 * are far below 2^31. */
static void gemm(enum transpose of_a, enum transpose of_b, size_t m, size_t n, size_t k,
                 float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                 float *c)
{
    if (!have_library(c, m, n))
        return;
    lda = LEADING(lda), ldb = LEADING(ldb);
    const size_t ldc = LEADING(n);
    if (blas.gemm_64)
        blas.gemm_64(ROW_MAJOR, of_a, of_b, (int64_t)m, (int64_t)n, (int64_t)k, alpha, a,
                     (int64_t)lda, b, (int64_t)ldb, beta, c, (int64_t)ldc);
    else
        blas.gemm_32(ROW_MAJOR, of_a, of_b, (int32_t)m, (int32_t)n, (int32_t)k, alpha, a,
                     (int32_t)lda, b, (int32_t)ldb, beta, c, (int32_t)ldc);
}

/* y = alpha * a x + beta * y, for a of rows x d, as it is or transposed. */
static void gemv(enum transpose of_a, size_t rows, size_t d, float alpha, const float *a,
                 const float *x, float beta, float *y)
{
    if (!have_library(y, of_a == AS_IT_IS ? rows : d, 1))
        return;
    if (blas.gemv_64)
        blas.gemv_64(ROW_MAJOR, of_a, (int64_t)rows, (int64_t)d, alpha, a, (int64_t)LEADING(d), x,
                     1, beta, y, 1);
    else
        blas.gemv_32(ROW_MAJOR, of_a, (int32_t)rows, (int32_t)d, alpha, a, (int32_t)LEADING(d), x,
                     1, beta, y, 1);
}

void products_transposed(float *out, const float *a, size_t a_rows, const float *b, size_t b_rows,
                         size_t d, float alpha, float beta)
{
    gemm(AS_IT_IS, TRANSPOSED, a_rows, b_rows, d, alpha, a, d, b, d, beta, out);
}

void products(float *out, const float *a, size_t rows, const float *b, size_t inner, size_t columns,
              float alpha, float beta)
{
    gemm(AS_IT_IS, AS_IT_IS, rows, columns, inner, alpha, a, inner, b, columns, beta, out);
}

void products_of_columns(float *out, const float *a, size_t rows, size_t columns_a, const float *b,
                         size_t columns_b, float alpha, float beta)
{
    gemm(TRANSPOSED, AS_IT_IS, columns_a, columns_b, rows, alpha, a, columns_a, b, columns_b, beta,
         out);
}

void products_vector(float *out, const float *b, size_t rows, size_t d, const float *q, float alpha)
{
    gemv(AS_IT_IS, rows, d, alpha, b, q, 0.0f, out);
}

void products_weighted(float *out, const float *b, size_t rows, size_t d, const float *w,
                       float beta)
{
    gemv(TRANSPOSED, rows, d, 1.0f, b, w, beta, out);
}
