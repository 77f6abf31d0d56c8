/* matrix.cuh - the tensor core instructions of a warp: 16 x 8 x 16 products of bfloat16, summed in
 * float32, and the load that feeds them.
 *
 * Fragments, g = lane / 4 and t = lane % 4; a word is two neighbours:
 *     a[0..3]: rows g, g + 8, g, g + 8; columns 2t, 2t, 2t + 8, 2t + 8      16 x 16, row after row
 *     b[0..1]: element g; components 2t, 2t + 8                              8 elements of 16
 * components c[0..3]: rows g, g, g + 8, g + 8; elements 2t, 2t + 1, 2t, 2t + 1      16 x 8
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

/* Four 8 x 8 matrices from shared memory: `row` of lane 8 i + r is row r of matrix i, 16 bytes.
 * words[i]: row g, columns 2t, 2t + 1. */
__device__ __forceinline__ void load_matrices(uint32_t (&words)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared_address(row))
                 : "memory");
}

#else

inline float bfloat_of(uint32_t word, int half)
{
    uint32_t bits = half ? word & 0xffff0000u : word << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

inline void multiply_tile(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    struct fragments {
        uint32_t a[4], b[2];
    } mine = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
    const uint64_t *of = emulate::gather((uint64_t)&mine);
    const unsigned g = lane_index() / 4, t = lane_index() % 4;
    for (int i = 0; i < 4; i++)
        for (unsigned k = 0; k < 16;
             k++) { /* components 2u, 2u + 1 and 2u + 8, 2u + 9 are lane u's */
            unsigned u = k % 8 / 2;
            const fragments *row = (const fragments *)of[g * 4 + u],
                            *element = (const fragments *)of[(2 * t + (unsigned)i % 2) * 4 + u];
            c[i] += bfloat_of(row->a[i / 2 + (k < 8 ? 0 : 2)], k % 2) *
                    bfloat_of(element->b[k < 8 ? 0 : 1], k % 2);
        }
    __syncwarp(); /* the others have read mine */
}

inline void load_matrices(uint32_t (&words)[4], const void *row)
{
    if ((uintptr_t)row % 16 != 0)
        emulate::fail("a row of a matrix is not aligned");
    const uint64_t *rows = emulate::gather((uint64_t)row);
    for (unsigned i = 0; i < 4; i++)
        memcpy(&words[i],
               (const unsigned char *)rows[8 * i + lane_index() / 4] + lane_index() % 4 * 4, 4);
    __syncwarp(); /* what is read may be written again from here on */
}

#endif

#endif
