/* element.c - see element.h. A new type is a row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "element.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A sign, an exponent and a fraction, which fill a word. Where all bits of the exponent are set it
 * is infinite or NaN; or else just NaN, and only if the whole fraction is set, too. */
static inline double of_bits(uint32_t bits, int exponent_bits, int fraction_bits, bool infinite)
{
    const uint32_t most = (UINT32_C(1) << exponent_bits) - 1,
                   whole = (UINT32_C(1) << fraction_bits) - 1,
                   exponent = bits >> fraction_bits & most, fraction = bits & whole;
    const int bias = (int)(most >> 1);
    double value = fraction * ldexp(1.0, 1 - bias - fraction_bits);
    if (exponent > 0) {
        const bool special = exponent == most && (infinite || fraction == whole);
        const uint64_t wide = (special ? UINT64_C(2047) : (uint64_t)((int)exponent + 1023 - bias))
                                  << 52 |
                              (uint64_t)fraction << (52 - fraction_bits);
        memcpy(&value, &wide, sizeof value);
    }
    return bits >> (exponent_bits + fraction_bits) ? -value : value;
}

#define WIDEN(name, type, value) \
    static void name(const void *from, double *x, uint64_t count) \
    { \
        const type *at = from; \
        for (uint64_t i = 0; i < count; i++) \
            x[i] = value; \
    }
WIDEN(widen_f16, uint16_t, of_bits(at[i], 5, 10, true))
WIDEN(widen_bf16, uint16_t, of_bits(at[i], 8, 7, true))
WIDEN(widen_f32, float, (double)at[i])
WIDEN(widen_f64, double, at[i])
WIDEN(widen_i8, int8_t, (double)at[i])
WIDEN(widen_i16, int16_t, (double)at[i])
WIDEN(widen_i32, int32_t, (double)at[i])
WIDEN(widen_i64, int64_t, (double)at[i])
WIDEN(widen_u8, uint8_t, (double)at[i])
WIDEN(widen_u16, uint16_t, (double)at[i])
WIDEN(widen_u32, uint32_t, (double)at[i])
WIDEN(widen_u64, uint64_t, (double)at[i])
WIDEN(widen_f8e4m3, uint8_t, of_bits(at[i], 4, 3, false))
WIDEN(widen_f8e5m2, uint8_t, of_bits(at[i], 5, 2, true))

const struct element elements[SIM_U64 + 1] = {
    [SIM_DTYPE_UNKNOWN] = {"unknown", "", 1, NULL},
    [SIM_F16] = {"f16", "F16", 2, widen_f16},
    [SIM_BF16] = {"bf16", "BF16", 2, widen_bf16},
    [SIM_F32] = {"f32", "F32", 4, widen_f32},
    [SIM_F64] = {"f64", "F64", 8, widen_f64},
    [SIM_F8E4M3] = {"f8e4m3", "F8_E4M3", 1, widen_f8e4m3},
    [SIM_F8E5M2] = {"f8e5m2", "F8_E5M2", 1, widen_f8e5m2},
    [SIM_I32] = {"i32", "", 4, widen_i32},
    [SIM_I64] = {"i64", "", 8, widen_i64},
    [SIM_I8] = {"i8", "", 1, widen_i8},
    [SIM_I16] = {"i16", "", 2, widen_i16},
    [SIM_U8] = {"u8", "", 1, widen_u8},
    [SIM_U16] = {"u16", "", 2, widen_u16},
    [SIM_U32] = {"u32", "", 4, widen_u32},
    [SIM_U64] = {"u64", "", 8, widen_u64},
};

const char *sim_dtype_name(enum sim_dtype dtype)
{
    return elements[dtype].name;
}
