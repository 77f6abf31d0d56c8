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
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_MATRIX_CUH
#define RCM_MATRIX_CUH

#include "cuda.cuh"

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

#endif

#endif
