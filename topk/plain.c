/* plain.c - the kernels of every type in plain C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels.h"

static void topk_put_indices(void *indices, uint64_t at, bool wide, const struct pair *pairs,
                             uint64_t count)
{
    if (!indices)
        return;
    for (uint64_t i = 0; i < count; i++)
        if (wide)
            ((int64_t *)indices)[at + i] = (int64_t)pairs[i].position;
        else
            ((int32_t *)indices)[at + i] = (int32_t)pairs[i].position;
}

#define NAME(f) f##_f32
#define T uint32_t
#define BITS 32
#define FLOAT 1
#define INFINITE UINT32_C(0x7f800000)
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT
#undef INFINITE

#define NAME(f) f##_f64
#define T uint64_t
#define BITS 64
#define FLOAT 1
#define INFINITE UINT64_C(0x7ff0000000000000)
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT
#undef INFINITE

#define NAME(f) f##_f16
#define T uint16_t
#define BITS 16
#define FLOAT 1
#define INFINITE UINT16_C(0x7c00)
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT
#undef INFINITE

#define NAME(f) f##_bf16
#define T uint16_t
#define BITS 16
#define FLOAT 1
#define INFINITE UINT16_C(0x7f80)
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT
#undef INFINITE

#define NAME(f) f##_i8
#define T uint8_t
#define BITS 8
#define FLOAT 0
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT

#define NAME(f) f##_i32
#define T uint32_t
#define BITS 32
#define FLOAT 0
#include "plain.inc"
#undef NAME
#undef T
#undef BITS
#undef FLOAT

/* clang-format off */
#define KERNELS(type, width) \
    { \
        .bytes = width / 8, .bits = width, .pack = pack_##type, .best = best_##type, \
        .count_digits = count_digits_##type, .count_above = count_above_##type, \
        .collect = collect_##type, .take = take_##type, .stage1 = stage1_##type \
    }
/* clang-format on */

const struct kernels topk_plain[RCM_TOP_K_TYPES] = {
    [RCM_TOP_K_F32] = KERNELS(f32, 32), [RCM_TOP_K_F64] = KERNELS(f64, 64),
    [RCM_TOP_K_F16] = KERNELS(f16, 16), [RCM_TOP_K_BF16] = KERNELS(bf16, 16),
    [RCM_TOP_K_I8] = KERNELS(i8, 8),    [RCM_TOP_K_I32] = KERNELS(i32, 32),
};
