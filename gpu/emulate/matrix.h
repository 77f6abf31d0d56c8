/* matrix.h - what gpu/products/matrix.cuh declares for the tensor cores. Its contracts are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_MATRIX_H
#define RCM_EMULATE_MATRIX_H

#include <cmath>
#include <cstring>

#include "intrinsics.h"
#include "runtime.h"

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

/* ---- of a warpgroup. A product is formed at the wait: until then c holds NaN, and what it reads
 * must not change. */

inline void copies_to_wide()
{
    emulate::self->copies_fenced = true;
}
inline void wide_fence()
{
}
inline void wide_commit()
{
    emulate::self->wide_committed.push_back(std::move(emulate::self->wide_open));
    emulate::self->wide_open.clear();
}

namespace emulate
{

/* Reads 64 elements of 16 components as the fields of the descriptor say: the address in units of
 * 16 bytes, bits 0 to 13; that from a group of 8 rows to the next, bits 32 to 45; no offset of the
 * pattern, bits 49 to 51; the swizzle of 128 bytes, 1 in bits 62 and 63: bits 4 to 6 of an address
 * are exchanged by its bits 7 to 9. */
inline void read_wide(uint64_t b, uint16_t (&to)[64][16])
{
    if (b >> 62 != 1 || (b >> 49 & 7) != 0)
        fail("a matrix of a warpgroup has another swizzle, or an offset in it");
    for (uint32_t row = 0; row < 64; row++)
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t at = (uint32_t)(b & 0x3fff) * 16 +
                                row / 8 * ((uint32_t)(b >> 32 & 0x3fff) * 16) + row % 8 * 128 +
                                k * 2,
                           swizzled = at ^ (at >> 7 & 7) << 4;
            if (swizzled + 2 > self->block->shared_bytes)
                fail("a matrix of a warpgroup lies outside shared memory");
            std::memcpy(&to[row][k], self->block->shared.get() + swizzled, 2);
        }
}

/* Counts one product more, or with -1 one less, that will read the panel of this matrix. */
inline void count_wide(uint64_t b, int by)
{
    for (unsigned group = 0; group < 8; group++)
        __atomic_fetch_add(
            &self->block
                 ->wide_reads[((b & 0x3fff) * 16 + group * (b >> 32 & 0x3fff) * 16) / 1024 % 256],
            (unsigned)by, __ATOMIC_RELAXED);
}

inline void run_wide(const wide_product &p)
{
    uint16_t now[64][16];
    read_wide(p.b, now);
    if (std::memcmp(now, p.elements, sizeof now) != 0)
        fail("a matrix of a warpgroup was overwritten while it was read");
    count_wide(p.b, -1);
    const uint64_t *of_lane = gather((uint64_t)&p);
    const unsigned g = lane_index() / 4, t = lane_index() % 4;
    for (unsigned s = 0; s < 8; s++)
        for (unsigned i = 0; i < 4; i++) {
            float sum = p.add ? p.c[s][0][i] : 0.0f;
            for (unsigned k = 0; k < 16; k++) {
                const wide_product *row = (const wide_product *)of_lane[g * 4 + k % 8 / 2];
                if (row->b != p.b)
                    fail("the lanes of a warp give different matrices");
                sum += float_of_bfloat16(row->a[i / 2 + (k < 8 ? 0 : 2)], k % 2) *
                       float_of_bfloat16(p.elements[s * 8 + 2 * t + i % 2][k], 0);
            }
            p.c[s][0][i] = sum;
        }
    __syncwarp(); /* until here the other lanes may read `p` */
}

} // namespace emulate

inline void wide_multiply(float (&c)[8][1][4], const uint32_t (&a)[4], uint64_t b, bool add)
{
    emulate::wide_product p = {c, {a[0], a[1], a[2], a[3]}, b, add, {}};
    if (!emulate::self->copies_fenced)
        emulate::fail("a warpgroup multiplies what copies have brought without a fence");
    emulate::read_wide(b, p.elements);
    emulate::count_wide(b, 1);
    for (unsigned s = 0; s < 8 && !add; s++)
        for (float &x : c[s][0])
            x = NAN;
    emulate::self->wide_open.push_back(p);
}

template <int PENDING> void wide_wait(float (&)[8][1][4])
{
    auto &groups = emulate::self->wide_committed;
    while (groups.size() > PENDING) {
        for (const emulate::wide_product &p : groups.front())
            emulate::run_wide(p);
        groups.erase(groups.begin());
    }
}

#endif
