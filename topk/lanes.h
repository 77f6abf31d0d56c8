/* lanes.h - internal to topk: vectors of the instruction set that a file is compiled for, by GCC's
 * vector extensions. Only what these do badly has intrinsics: the maximum, comparisons, choices.
 *
 * The maximum of numbers ignores a NaN in its first operand: a > b ? a : b. A mask is what a
 * comparison gives; BITS turns it into an integer, a bit for each lane from the lowest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_LANES_H
#define TOPK_LANES_H

#include <stdint.h>
#include <string.h>
#if defined __AVX2__
#include <immintrin.h>
#endif

#if defined __AVX512VBMI2__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define VECTOR(type) __attribute__((vector_size(VECTOR_BYTES))) type
typedef VECTOR(float) v_f32;
typedef VECTOR(double) v_f64;
typedef VECTOR(int8_t) v_i8;
typedef VECTOR(int16_t) v_i16;
typedef VECTOR(int32_t) v_i32;
typedef VECTOR(int64_t) v_i64;
typedef VECTOR(uint32_t) v_u32;

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* Keeps a vector in a register: the compiler would load it again for each use. */
#if VECTOR_BYTES == 64
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#elif defined __SSE2__
#define IN_REGISTER(v) __asm__("" : "+x"(v))
#elif defined __aarch64__
#define IN_REGISTER(v) __asm__("" : "+w"(v))
#else
#define IN_REGISTER(v) (void)(v)
#endif

#if VECTOR_BYTES > 16
#if VECTOR_BYTES == 64
#define PREFIX(f) _mm512_##f
#define REGISTER __m512i
#define SINGLES __m512
#define DOUBLES __m512d
#else
#define PREFIX(f) _mm256_##f
#define REGISTER __m256i
#define SINGLES __m256
#define DOUBLES __m256d
#endif
#define WRAP_PICK(pick, type, register, suffix) \
    INLINE v_##type pick##_##type(v_##type a, v_##type b) \
    { \
        return (v_##type)PREFIX(pick##_##suffix)((register)a, (register)b); \
    }
WRAP_PICK(max, f32, SINGLES, ps)
WRAP_PICK(max, f64, DOUBLES, pd)
WRAP_PICK(max, i8, REGISTER, epi8)
WRAP_PICK(max, i16, REGISTER, epi16)
WRAP_PICK(max, i32, REGISTER, epi32)
WRAP_PICK(min, f32, SINGLES, ps)
WRAP_PICK(min, f64, DOUBLES, pd)
WRAP_PICK(min, i16, REGISTER, epi16)
#else
#define SELECT(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define WRAP_PICK(pick, type, as, more, less) \
    INLINE v_##type pick##_##type(v_##type a, v_##type b) \
    { \
        as mask = (as)(a > b); \
        return (v_##type)SELECT(mask, (as)more, (as)less); \
    }
WRAP_PICK(max, f32, v_i32, a, b)
WRAP_PICK(max, f64, v_i64, a, b)
WRAP_PICK(max, i8, v_i8, a, b)
WRAP_PICK(max, i16, v_i16, a, b)
WRAP_PICK(max, i32, v_i32, a, b)
WRAP_PICK(min, f32, v_i32, b, a)
WRAP_PICK(min, f64, v_i64, b, a)
WRAP_PICK(min, i16, v_i16, b, a)
#endif

#if VECTOR_BYTES == 64
WRAP_PICK(max, i64, REGISTER, epi64)
typedef __mmask32 m_16;
typedef __mmask16 m_32;
typedef __mmask8 m_64;
#define BITS_16(mask) ((uint32_t)(mask))
#define BITS_32(mask) ((uint32_t)(mask))
#define BITS_64(mask) ((uint32_t)(mask))
#define MORE_f32(a, b) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_GT_OQ)
#define MORE_f64(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_GT_OQ)
#define MORE_i16(a, b) _mm512_cmpgt_epi16_mask((__m512i)(a), (__m512i)(b))
#define MORE_i32(a, b) _mm512_cmpgt_epi32_mask((__m512i)(a), (__m512i)(b))
#define MORE_i64(a, b) _mm512_cmpgt_epi64_mask((__m512i)(a), (__m512i)(b))
#define NOT_LESS_i32(a, b) _mm512_cmpge_epi32_mask((__m512i)(a), (__m512i)(b))
#define NOT_LESS_i64(a, b) _mm512_cmpge_epi64_mask((__m512i)(a), (__m512i)(b))
#define NOT_LESS_f32(a, b) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_GE_OQ)
#define NOT_LESS_f64(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_GE_OQ)
#define CHOOSE_16(mask, a, b) _mm512_mask_mov_epi16((__m512i)(b), mask, (__m512i)(a))
#define CHOOSE_32(mask, a, b) _mm512_mask_mov_epi32((__m512i)(b), mask, (__m512i)(a))
#define CHOOSE_64(mask, a, b) _mm512_mask_mov_epi64((__m512i)(b), mask, (__m512i)(a))
INLINE uint64_t bits_not_less_i8(v_i8 a, v_i8 b)
{
    return _mm512_cmpge_epi8_mask((__m512i)a, (__m512i)b);
}
INLINE uint64_t bits_not_less_i16(v_i16 a, v_i16 b)
{
    return _mm512_cmpge_epi16_mask((__m512i)a, (__m512i)b);
}

#else
#if VECTOR_BYTES == 32
#define CHOOSE_16(mask, a, b) _mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask))
#define CHOOSE_32(mask, a, b) _mm256_blendv_ps((__m256)(b), (__m256)(a), (__m256)(mask))
#define CHOOSE_64(mask, a, b) _mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(mask))
#define BITS_8(mask) ((uint32_t)_mm256_movemask_epi8((__m256i)(mask)))
#define BITS_32(mask) ((uint32_t)_mm256_movemask_ps((__m256)(mask)))
#define BITS_64(mask) ((uint32_t)_mm256_movemask_pd((__m256d)(mask)))
INLINE uint32_t bits_of_16(v_i16 mask)
{
    uint32_t two = (uint32_t)_mm256_movemask_epi8((__m256i)mask);
    return _pext_u32(two, 0x55555555);
}
#else
#define CHOOSE_16(mask, a, b) SELECT(mask, (v_i16)(a), (v_i16)(b))
#define CHOOSE_32(mask, a, b) SELECT(mask, (v_i32)(a), (v_i32)(b))
#define CHOOSE_64(mask, a, b) SELECT(mask, (v_i64)(a), (v_i64)(b))
#define SUM_OF_BITS(mask, lanes) \
    ({ \
        uint32_t bits = 0; \
        for (unsigned lane = 0; lane < lanes; lane++) \
            bits |= (uint32_t)((mask)[lane] & 1) << lane; \
        bits; \
    })
#define BITS_8(mask) SUM_OF_BITS(mask, 16)
#define BITS_32(mask) SUM_OF_BITS(mask, 4)
#define BITS_64(mask) SUM_OF_BITS(mask, 2)
INLINE uint32_t bits_of_16(v_i16 mask)
{
    return SUM_OF_BITS(mask, 8);
}
#endif
INLINE v_i64 max_i64(v_i64 a, v_i64 b)
{
    v_i64 more = a > b;
    return (v_i64)CHOOSE_64(more, a, b);
}
typedef v_i16 m_16;
typedef v_i32 m_32;
typedef v_i64 m_64;
#define BITS_16(mask) bits_of_16(mask)
#define MORE_f32(a, b) ((v_i32)((a) > (b)))
#define MORE_f64(a, b) \
    ({ \
        v_i64 more = (v_i64)((a) > (b)); \
        IN_REGISTER(more); /* GCC 12 -O1 fails where it sees through this */ \
        more; \
    })
#define MORE_i16(a, b) ((v_i16)((a) > (b)))
#define MORE_i32(a, b) ((a) > (b))
#define MORE_i64(a, b) ((a) > (b))
#define NOT_LESS_i32(a, b) ((a) >= (b))
#define NOT_LESS_i64(a, b) ((a) >= (b))
#define NOT_LESS_f32(a, b) ((v_i32)((a) >= (b)))
#define NOT_LESS_f64(a, b) ((v_i64)((a) >= (b)))
INLINE uint64_t bits_not_less_i8(v_i8 a, v_i8 b)
{
    v_i8 mask = a >= b;
    return BITS_8(mask);
}
INLINE uint64_t bits_not_less_i16(v_i16 a, v_i16 b)
{
    return bits_of_16((v_i16)(a >= b));
}
#endif

#define WRAP_NOT_LESS(type, bits) \
    INLINE uint64_t bits_not_less_##type(v_##type a, v_##type b) \
    { \
        m_##bits mask = NOT_LESS_##type(a, b); \
        return BITS_##bits(mask); \
    }
WRAP_NOT_LESS(i32, 32)
WRAP_NOT_LESS(i64, 64)
WRAP_NOT_LESS(f32, 32)
WRAP_NOT_LESS(f64, 64)

/* Two vectors into one with the maxima of neighbours: in each 16 bytes those of `a`, then those of
 * `b`; and then of neighbouring 16 bytes. Applied to as many vectors as there are lanes, in pairs,
 * they leave the maximum of each vector, in order. */
#if VECTOR_BYTES == 64
#define EVEN_32 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#define ODD_32 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31
#define EVEN_64 0, 8, 2, 10, 4, 12, 6, 14
#define ODD_64 1, 9, 3, 11, 5, 13, 7, 15
#define EVEN_128 0, 1, 4, 5, 8, 9, 12, 13
#define ODD_128 2, 3, 6, 7, 10, 11, 14, 15
#elif VECTOR_BYTES == 32
#define EVEN_32 0, 2, 8, 10, 4, 6, 12, 14
#define ODD_32 1, 3, 9, 11, 5, 7, 13, 15
#define EVEN_64 0, 4, 2, 6
#define ODD_64 1, 5, 3, 7
#define EVEN_128 0, 1, 4, 5
#define ODD_128 2, 3, 6, 7
#else
#define EVEN_32 0, 2, 4, 6
#define ODD_32 1, 3, 5, 7
#define EVEN_64 0, 2
#define ODD_64 1, 3
#endif

INLINE v_i32 fold_32(v_i32 a, v_i32 b)
{
    return max_i32(__builtin_shufflevector(a, b, EVEN_32), __builtin_shufflevector(a, b, ODD_32));
}
INLINE v_i64 fold_64(v_i64 a, v_i64 b)
{
    return max_i64(__builtin_shufflevector(a, b, EVEN_64), __builtin_shufflevector(a, b, ODD_64));
}
#if VECTOR_BYTES > 16
#define WRAP_ACROSS(bits) \
    INLINE v_i##bits across_##bits(v_i##bits a, v_i##bits b) \
    { \
        v_i64 even = __builtin_shufflevector((v_i64)a, (v_i64)b, EVEN_128); \
        v_i64 odd = __builtin_shufflevector((v_i64)a, (v_i64)b, ODD_128); \
        return max_i##bits((v_i##bits)even, (v_i##bits)odd); \
    }
WRAP_ACROSS(32)
WRAP_ACROSS(64)
#else /* a vector is the 16 bytes that fold_* is for */
#define across_32 fold_32
#define across_64 fold_64
#endif

/* The maximum of each of as many vectors as there are lanes; uses them up. The first levels are
 * those of the lanes within 16 bytes. */
#define WRAP_MAXIMA(bits, levels_within) \
    INLINE v_i##bits maxima_##bits(v_i##bits *v) \
    { \
        enum { LANES = 8 * VECTOR_BYTES / bits }; \
        for (unsigned level = 0, count = LANES / 2; count > 0; count /= 2, level++) \
            for (unsigned i = 0; i < count; i++) \
                v[i] = level < levels_within ? fold_##bits(v[2 * i], v[2 * i + 1]) \
                                             : across_##bits(v[2 * i], v[2 * i + 1]); \
        return v[0]; \
    }
WRAP_MAXIMA(32, 2)
WRAP_MAXIMA(64, 1)

/* zip: from each 16 bytes of two vectors the low, or the high, lanes by turns. even and odd undo
 * it: the lanes of the one, or of the other, of two vectors that were zipped. */
#if VECTOR_BYTES > 16
#define ZIP(name, bits) (v_i##bits) PREFIX(unpack##name##_epi##bits)((REGISTER)a, (REGISTER)b)
#define WRAP_ZIP(bits) \
    INLINE v_i##bits zip_low_##bits(v_i##bits a, v_i##bits b) \
    { \
        return ZIP(lo, bits); \
    } \
    INLINE v_i##bits zip_high_##bits(v_i##bits a, v_i##bits b) \
    { \
        return ZIP(hi, bits); \
    }
INLINE v_i32 even_32(v_i32 a, v_i32 b)
{
    return (v_i32)PREFIX(shuffle_ps)((SINGLES)(a), (SINGLES)(b), 0x88);
}
INLINE v_i32 odd_32(v_i32 a, v_i32 b)
{
    return (v_i32)PREFIX(shuffle_ps)((SINGLES)(a), (SINGLES)(b), 0xdd);
}
INLINE v_i16 even_16(v_i16 a, v_i16 b)
{
    v_i32 low = (v_i32)a & 0xffff, high = (v_i32)b & 0xffff;
    return (v_i16)PREFIX(packus_epi32)((REGISTER)low, (REGISTER)high);
}
INLINE v_i16 odd_16(v_i16 a, v_i16 b)
{
    v_i32 low = (v_i32)a >> 16, high = (v_i32)b >> 16;
    return (v_i16)PREFIX(packs_epi32)((REGISTER)low, (REGISTER)high);
}
INLINE v_i8 even_8(v_i8 a, v_i8 b)
{
    v_i16 low = (v_i16)a & 0xff, high = (v_i16)b & 0xff;
    return (v_i8)PREFIX(packus_epi16)((REGISTER)low, (REGISTER)high);
}
INLINE v_i8 odd_8(v_i8 a, v_i8 b)
{
    v_i16 low = (v_i16)a >> 8, high = (v_i16)b >> 8;
    return (v_i8)PREFIX(packs_epi16)((REGISTER)low, (REGISTER)high);
}
#else
#define LOW_8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_16 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_16 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_32 0, 4, 1, 5
#define HIGH_32 2, 6, 3, 7
#define LOW_64 0, 2
#define HIGH_64 1, 3
#define WRAP_ZIP(bits) \
    INLINE v_i##bits zip_low_##bits(v_i##bits a, v_i##bits b) \
    { \
        return __builtin_shufflevector(a, b, LOW_##bits); \
    } \
    INLINE v_i##bits zip_high_##bits(v_i##bits a, v_i##bits b) \
    { \
        return __builtin_shufflevector(a, b, HIGH_##bits); \
    }
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15
#define WRAP_EVEN(bits) \
    INLINE v_i##bits even_##bits(v_i##bits a, v_i##bits b) \
    { \
        return __builtin_shufflevector(a, b, EVEN_##bits); \
    } \
    INLINE v_i##bits odd_##bits(v_i##bits a, v_i##bits b) \
    { \
        return __builtin_shufflevector(a, b, ODD_##bits); \
    }
WRAP_EVEN(8)
WRAP_EVEN(16)
WRAP_EVEN(32)
#endif
WRAP_ZIP(8)
WRAP_ZIP(16)
WRAP_ZIP(32)
WRAP_ZIP(64)

/* A vector of 16 bytes each from `at`, `step` pointers apart. */
INLINE v_i64 of_lines(const char *const *at, unsigned step, size_t offset)
{
#if VECTOR_BYTES == 16
    v_i64 line;
    memcpy(&line, at[0] + offset, sizeof line);
    (void)step;
    return line;
#else
#define LINE_AT(i) _mm_loadu_si128((const __m128i *)(const void *)(at[i * step] + offset))
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(LINE_AT(0)), LINE_AT(1), 1);
#if VECTOR_BYTES == 32
    return (v_i64)low;
#else
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(LINE_AT(2)), LINE_AT(3), 1);
    return (v_i64)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#endif
#endif
}

/* From lane after lane in each of `count` vectors to vector after vector in each lane: within 16
 * bytes. So the j-th 16 bytes of vector i are the (j count + i)-th of the result. */
#define WRAP_DEAL(bits) \
    INLINE void deal_##bits(v_i##bits *v, unsigned count) \
    { \
        _Pragma("GCC unroll 4") for (unsigned round = 1; round < count; round *= 2) \
        { \
            v_i##bits next[16]; \
            _Pragma("GCC unroll 8") for (unsigned i = 0; i < count / 2; i++) \
            { \
                next[2 * i] = zip_low_##bits(v[i], v[i + count / 2]); \
                next[2 * i + 1] = zip_high_##bits(v[i], v[i + count / 2]); \
            } \
            _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) v[i] = next[i]; \
        } \
    }
WRAP_DEAL(8)
WRAP_DEAL(16)
WRAP_DEAL(32)
WRAP_DEAL(64)

/* The same for 1, 2, 4, 8 or 16 vectors. */
#define WRAP_DEAL_COLUMNS(bits) \
    static NOINLINE void deal_columns_##bits(v_i##bits *v, unsigned count) \
    { \
        if (count == 2) \
            deal_##bits(v, 2); \
        else if (count == 4) \
            deal_##bits(v, 4); \
        else if (count == 8) \
            deal_##bits(v, 8); \
        else if (count == 16) \
            deal_##bits(v, 16); \
    }
WRAP_DEAL_COLUMNS(8)
WRAP_DEAL_COLUMNS(16)
WRAP_DEAL_COLUMNS(32)

#endif
