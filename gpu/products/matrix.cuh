/* matrix.cuh - the tensor core instructions of a warp: products of 16 x 16 and 16 x 8 matrices of
 * bfloat16, summed in float32, and the load that feeds them. The emulation has them in
 * gpu/emulate/matrix.h.
 *
 * A lane holds these parts, where g = lane / 4 and t = lane % 4; a word is two neighbours:
 *     a[0..3]   16 queries of 16 components: rows g, g + 8, g, g + 8;
 *               columns 2t, 2t, 2t + 8, 2t + 8 and their neighbours
 *     b[0..1]   8 elements of 16 components: element g; components 2t, 2t + 8 and their neighbours
 *     c[0..3]   16 x 8 products: rows g, g, g + 8, g + 8; elements 2t, 2t + 1, 2t, 2t + 1
 *
 * Those of a warpgroup, four warps, take the elements from shared memory: wide_multiply, for sm_90a
 * alone. They run behind the program until wide_wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_MATRIX_CUH
#define RCM_MATRIX_CUH

#include <gpu/kernels/cuda.cuh>

/* Is this code that may use them? The host's is, and the bounds of a kernel that uses them are
 * wide_bounds(the threads of its blocks). */
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool wide_code = false;
#else
constexpr bool wide_code = true;
#endif
constexpr uint32_t wide_least = 128; /* threads of a warpgroup */
constexpr uint32_t wide_bounds(uint32_t threads)
{
    return wide_code ? threads : 32;
}

#ifdef __CUDACC__

/* c += a b. */
__device__ __forceinline__ void multiply_tile(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                              uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Loads four 8 x 8 matrices from shared memory. `row` of lane 8 i + r points to row r of matrix i,
 * 16 bytes. words[i] becomes columns 2t and 2t + 1 of row g. */
__device__ __forceinline__ void load_matrices(uint32_t (&words)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* ---- of a warpgroup */

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define RCM_WIDE(...) asm volatile(__VA_ARGS__)
#else
#define RCM_WIDE(...) __trap()
#endif

/* Lets wide_multiply read what this thread's copies have brought, after a barrier. */
__device__ __forceinline__ void copies_to_wide()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
/* Before the first wide_multiply that uses registers which were written or read. */
__device__ __forceinline__ void wide_fence()
{
    RCM_WIDE("wgmma.fence.sync.aligned;" ::: "memory");
}
/* Makes a group of those that were started. */
__device__ __forceinline__ void wide_commit()
{
    RCM_WIDE("wgmma.commit_group.sync.aligned;" ::: "memory");
}

#define RCM_WIDE_STEP(c, s) "+f"(c[s][0][0]), "+f"(c[s][0][1]), "+f"(c[s][0][2]), "+f"(c[s][0][3])
#define RCM_WIDE_ALL(c) \
    RCM_WIDE_STEP(c, 0), RCM_WIDE_STEP(c, 1), RCM_WIDE_STEP(c, 2), RCM_WIDE_STEP(c, 3), \
        RCM_WIDE_STEP(c, 4), RCM_WIDE_STEP(c, 5), RCM_WIDE_STEP(c, 6), RCM_WIDE_STEP(c, 7)

/* c = a b, or with `add` c += a b: of each warp 16 queries of 16 components, a as above; of all
 * four the same 64 elements, b of wide_matrix. c[s] are the products with elements 8 s, .. as
 * above. */
__device__ __forceinline__ void wide_multiply(float (&c)[8][1][4], const uint32_t (&a)[4],
                                              uint64_t b, bool add)
{
    RCM_WIDE("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
             "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
             "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
             "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
             "{%32, %33, %34, %35}, %36, p, 1, 1, 0;\n\t}"
             : RCM_WIDE_ALL(c)
             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((uint32_t)add));
}

/* Waits until at most PENDING groups are not done, that of c before them. */
template <int PENDING> __device__ __forceinline__ void wide_wait(float (&c)[8][1][4])
{
    RCM_WIDE("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
    asm volatile("" : RCM_WIDE_ALL(c)::"memory"); /* nothing reads c above this */
}

#endif

/* 64 elements of 16 components, 32 bytes, in rows of 128 bytes whose chunks of 16 bytes lie at
 * c ^ row % 8; groups of 8 rows are `group` bytes apart, at multiples of 1024. */
__device__ __forceinline__ uint64_t wide_matrix(const void *first, uint32_t group)
{
    return (uint64_t)1 << 62 | (uint64_t)(group >> 4) << 32 | (uint64_t)1 << 16 |
           (shared_address(first) & 0x3ffffu) >> 4;
}
/* The one so many bytes behind it, a multiple of 16. */
__device__ __forceinline__ uint64_t wide_matrix_after(uint64_t matrix, uint32_t bytes)
{
    return matrix + bytes / 16;
}

#endif
