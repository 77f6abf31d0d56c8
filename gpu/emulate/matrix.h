/* matrix.h - what gpu/kernels/matrix.cuh declares for the tensor cores. Its contracts are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_MATRIX_H
#define RCM_EMULATE_MATRIX_H

#include <cstring>

#include "intrinsics.h"

inline float float_of_bfloat16(uint32_t word, int half)
{
    uint32_t bits = half ? word & 0xffff0000u : word << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline void multiply_tile(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    struct fragments {
        uint32_t a[4], b[2];
    } mine = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
    const uint64_t *of_lane = emulate::gather((uint64_t)&mine);
    const unsigned g = emulate::lane_index() / 4, t = emulate::lane_index() % 4;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 16; k++) {
            /* Lane u holds components 2u, 2u + 1, 2u + 8 and 2u + 9. */
            const unsigned u = k % 8 / 2, upper = k < 8 ? 0 : 1;
            const fragments *row = (const fragments *)of_lane[g * 4 + u],
                            *element = (const fragments *)of_lane[(2 * t + i % 2) * 4 + u];
            c[i] += float_of_bfloat16(row->a[i / 2 + 2 * upper], k % 2) *
                    float_of_bfloat16(element->b[upper], k % 2);
        }
    __syncwarp(); /* until here the other lanes may read `mine` */
}

inline void load_matrices(uint32_t (&words)[4], const void *row)
{
    if ((uintptr_t)row % 16 != 0)
        emulate::fail("a row of a matrix is not aligned");
    const uint64_t *rows = emulate::gather((uint64_t)row);
    const unsigned lane = emulate::lane_index();
    for (unsigned i = 0; i < 4; i++)
        std::memcpy(&words[i], (const unsigned char *)rows[8 * i + lane / 4] + lane % 4 * 4, 4);
    __syncwarp(); /* after this the rows may be overwritten */
}

#endif
