/* multiplier.c - see multiplier.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "multiplier.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"

/* The numbers of cuBLAS's interface that are used here. The interface is stable. */
enum {
    OPERATION_NONE = 0,
    OPERATION_TRANSPOSE = 1,
    REAL_32F = 0,
    REAL_16BF = 14,
    COMPUTE_32F = 68,
    ALGORITHM_DEFAULT = -1
};

struct multiplier {
    void *library; /* stays open: unloaded, it would leave memory that nobody can free */
    void *handle;
    int (*destroy)(void *);
    int (*set_stream)(void *, void *);
    int (*multiply)(void *, int, int, int, int, int, const void *, const void *, int, int,
                    const void *, int, int, const void *, void *, int, int, int, int);
};

struct multiplier *multiplier_open(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so"};
    struct multiplier *m = calloc(1, sizeof *m);
    int (*create)(void **) = NULL;
    for (size_t i = 0; m && !m->library && i < sizeof names / sizeof *names; i++)
        m->library = dlopen(names[i], RTLD_NOW);
    if (!m || !m->library) {
        free(m);
        return NULL;
    }
    library_find(m->library, "cublasCreate_v2", &create);
    library_find(m->library, "cublasDestroy_v2", &m->destroy);
    library_find(m->library, "cublasSetStream_v2", &m->set_stream);
    library_find(m->library, "cublasGemmEx", &m->multiply);
    if (!create || !m->destroy || !m->set_stream || !m->multiply || create(&m->handle) != 0) {
        free(m);
        return NULL;
    }
    return m;
}

void multiplier_close(struct multiplier *m)
{
    if (!m)
        return;
    m->destroy(m->handle);
    free(m);
}

/* cuBLAS stores matrices by columns. To it, the rows of the database are the columns of a d x n
 * matrix, and the products are n x m. */
enum rcm_gpu_status multiply(struct multiplier *x, const void *queries, const void *database,
                             uint64_t m, uint64_t n, uint64_t d, void *products,
                             enum rcm_gpu_dtype type, rcm_gpu_stream stream)
{
    const float one = 1.0f, zero = 0.0f;
    if (!x)
        return RCM_GPU_BAD_TYPE;
    if (x->set_stream(x->handle, stream) != 0)
        return RCM_GPU_ERROR;
    int failed = x->multiply(x->handle, OPERATION_TRANSPOSE, OPERATION_NONE, (int)n, (int)m, (int)d,
                             &one, database, REAL_16BF, (int)d, queries, REAL_16BF, (int)d, &zero,
                             products, type == RCM_GPU_F32 ? REAL_32F : REAL_16BF, (int)n,
                             COMPUTE_32F, ALGORITHM_DEFAULT);
    return failed ? RCM_GPU_ERROR : RCM_GPU_OK;
}
