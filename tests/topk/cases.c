/* cases.c - see cases.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

const char *const kind_names[KINDS] = {"normal",    "equal",        "few",        "rising",
                                       "falling",   "leading bits", "some -inf",  "all -inf",
                                       "some NaN",  "all NaN",      "zeros",      "any bits",
                                       "denormals", "rare NaN",     "neighbours", "extremes"};
const char *const type_names[RCM_TOP_K_TYPES] = {"f32", "f64", "f16", "bf16", "i8", "i32"};

/* ---- the bits of elements */

struct format {
    unsigned bits, fraction; /* fraction 0: integers */
    double scale;
};

static const struct format formats[RCM_TOP_K_TYPES] = {{32, 23, 1.0}, {64, 52, 1.0}, {16, 10, 1.0},
                                                       {16, 7, 1.0},  {8, 0, 20.0},  {32, 0, 1e6}};

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t sign_bit(enum rcm_top_k_type type)
{
    return UINT64_C(1) << (formats[type].bits - 1);
}

/* All ones in the exponent. Of integers: the largest. */
static uint64_t infinity_bits(enum rcm_top_k_type type, bool negative)
{
    const struct format f = formats[type];
    if (f.fraction == 0)
        return negative ? sign_bit(type) : sign_bit(type) - 1;
    return (sign_bit(type) - (UINT64_C(1) << f.fraction)) | (negative ? sign_bit(type) : 0);
}

/* A NaN of either sign, quiet or signalling, with any payload. Of integers: the smallest. */
static uint64_t nan_bits(enum rcm_top_k_type type, uint64_t any)
{
    const struct format f = formats[type];
    if (f.fraction == 0)
        return sign_bit(type);
    uint64_t payload = any >> 8 & ones(f.fraction);
    if (any % 4 == 0 || payload == 0)
        payload = any % 8 ? 1 : ones(f.fraction);
    return infinity_bits(type, any >> 7 & 1) | payload;
}

uint64_t number_bits(enum rcm_top_k_type type, double number)
{
    const struct format f = formats[type];
    if (f.fraction == 0) {
        const double most = (double)(sign_bit(type) - 1), scaled = trunc(number * f.scale);
        const int64_t whole = (int64_t)(scaled > most ? most : scaled < -most ? -most : scaled);
        return (uint64_t)whole & ones(f.bits);
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint64_t sign = bits >> 63 ? sign_bit(type) : 0;
    const unsigned exponent_bits = f.bits - 1 - f.fraction;
    const int64_t bias = (int64_t)ones(exponent_bits - 1),
                  exponent = (int64_t)(bits >> 52 & 2047) - 1023 + bias;
    const uint64_t fraction = (bits & ones(52)) >> (52 - f.fraction);
    if (exponent <= 0)
        return sign;
    if (exponent > 2 * bias)
        return sign | infinity_bits(type, false);
    return sign | (uint64_t)exponent << f.fraction | fraction;
}

/* The sum of twelve uniform numbers of 20 bits, which is exact. */
static double normal(uint64_t *state)
{
    double sum = -6.0;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t any = next_random(state);
        sum += (double)(any & ones(20)) * 0x1p-20 + (double)(any >> 20 & ones(20)) * 0x1p-20 +
               (double)(any >> 40 & ones(20)) * 0x1p-20;
    }
    return sum;
}

static uint64_t extreme(enum rcm_top_k_type type, uint64_t any)
{
    const struct format f = formats[type];
    const uint64_t sign = any >> 20 & 1 ? sign_bit(type) : 0, infinite = infinity_bits(type, false);
    if (f.fraction == 0) /* the ends and their neighbours */
        return ((any & 1 ? infinite : 0) + (any >> 1 & 3) - (any >> 3 & 1)) & ones(f.bits);
    switch (any % 8) {
    case 0:
        return sign | infinite;
    case 1:
    case 2: /* the largest number */
        return sign | (infinite - 1);
    case 3: /* the smallest normal number, the largest denormal */
        return sign | ((UINT64_C(1) << f.fraction) - (any >> 9 & 1));
    case 4:
        return sign | 1;
    case 5:
        return sign;
    case 6:
        return any >> 9 & 7 ? sign | number_bits(type, 1.0) : nan_bits(type, any >> 12);
    default:
        return sign | number_bits(type, 1.0);
    }
}

static uint64_t element_bits(enum rcm_top_k_type type, enum kind kind, uint64_t i, uint64_t n,
                             uint64_t *state)
{
    const double value = normal(state);
    const uint64_t any = next_random(state);
    const struct format f = formats[type];
    switch (kind) {
    case EQUAL:
        return number_bits(type, 1.5);
    case FEW:
        return number_bits(type, (double)(any % 3) - 1.0);
    case RISING:
        return number_bits(type, (double)i / (double)n - 0.5);
    case FALLING:
        return number_bits(type, 0.5 - (double)i / (double)n);
    case LEADING_BITS: /* all but the last few bits agree */
        return number_bits(type, 1.0) ^ (any & 15);
    case SOME_INFINITE:
        return any % 10 == 0   ? infinity_bits(type, true)
               : any % 97 == 1 ? infinity_bits(type, false)
                               : number_bits(type, value);
    case ALL_INFINITE:
        return infinity_bits(type, true);
    case SOME_NAN: /* more often than values */
        return any % 3 > 0    ? nan_bits(type, any >> 8)
               : any % 5 == 0 ? infinity_bits(type, true)
                              : number_bits(type, value);
    case ALL_NAN:
        return nan_bits(type, any);
    case ZEROS:
        return any % 2 ? 0 : f.fraction ? sign_bit(type) : ones(f.bits);
    case ANY_BITS:
        return any & ones(f.bits);
    case DENORMALS:
        return f.fraction ? (any & ones(f.fraction)) | (any >> 60 & 1 ? sign_bit(type) : 0)
                          : any & 7;
    case RARE_NAN:
        return any % 101 == 0 ? nan_bits(type, any >> 8) : number_bits(type, value);
    case NEIGHBOURS: /* a run of an eighth of the row is better, in either order */
        return number_bits(type, i / (n / 8 + 1) == 3 ? copysign(value + 8.0, n & 1 ? 1 : -1)
                                                      : value / 8.0);
    case EXTREMES:
        return extreme(type, any);
    default:
        return number_bits(type, value);
    }
}

/* ---- rows */

size_t rows_bytes(const struct rcm_top_k_rows *rows, size_t *before)
{
    const int64_t bytes = (int64_t)rcm_top_k_type_bytes(rows->type),
                  stride = rows->stride ? rows->stride : 1,
                  row_stride = rows->row_stride ? rows->row_stride : (int64_t)rows->n * stride,
                  row = (int64_t)(rows->m - 1) * row_stride,
                  element = (int64_t)(rows->n - 1) * stride,
                  low = (row < 0 ? row : 0) + (element < 0 ? element : 0),
                  high = (row > 0 ? row : 0) + (element > 0 ? element : 0);
    *before = (size_t)(-low * bytes);
    return (size_t)((high - low + 1) * bytes);
}

void draw_rows(struct rcm_top_k_rows *rows, enum kind kind, unsigned char *block, uint64_t *state)
{
    const size_t bytes = rcm_top_k_type_bytes(rows->type);
    const int64_t stride = rows->stride ? rows->stride : 1,
                  row_stride = rows->row_stride ? rows->row_stride : (int64_t)rows->n * stride;
    size_t before, all = rows_bytes(rows, &before);
    const bool whole = formats[rows->type].fraction == 0;
    memset(block, rows->smallest ? (whole ? 0x80 : 0xfb) : 0x7b, all);
    rows->x = block + before;
    for (uint64_t r = 0; r < rows->m; r++)
        for (uint64_t i = 0; i < rows->n; i++) {
            const uint64_t bits = element_bits(rows->type, kind, i, rows->n, state);
            const int64_t at = (int64_t)r * row_stride + (int64_t)i * stride;
            unsigned char little[8];
            for (unsigned byte = 0; byte < 8; byte++)
                little[byte] = (unsigned char)(bits >> 8 * byte);
            memcpy(block + (int64_t)before + at * (int64_t)bytes, little, bytes);
        }
}

/* ---- calls */

static unsigned bit_length(uint64_t x)
{
    unsigned length = 0;
    for (; x; x >>= 1)
        length++;
    return length;
}

uint64_t draw_scale(uint64_t *state, uint64_t low, uint64_t high)
{
    const uint64_t choice = next_random(state) % 8;
    if (choice < 2)
        return choice ? high : low;
    const unsigned length = (unsigned)random_between(state, bit_length(low), bit_length(high));
    const uint64_t value =
        length ? (next_random(state) & ones(length)) | UINT64_C(1) << (length - 1) : 0;
    return value < low ? low : value > high ? high : value;
}

/* With a short stride a row may overlap the next, or the columns of a matrix be its rows. */
static void draw_strides(struct rcm_top_k_rows *rows, uint64_t *state)
{
    static const int64_t strides[] = {0, 0, 0, 0, 1, 1, 1, -1, -1, 2, 3, -2, 5, -7};
    rows->stride = strides[next_random(state) % (sizeof strides / sizeof *strides)];
    const int64_t length = (int64_t)rows->n * (rows->stride ? rows->stride : 1),
                  gap = (int64_t)(next_random(state) % 9);
    switch (next_random(state) % 8) {
    case 0:
        rows->row_stride = length + gap;
        break;
    case 1:
        rows->row_stride = -length - gap;
        break;
    case 2:
        rows->row_stride = 1 + gap / 4;
        break;
    case 3:
        rows->stride = (int64_t)rows->m;
        rows->row_stride = 1;
        break;
    default:
        rows->row_stride = 0;
    }
}

void draw_shape(struct topk_case *c, uint64_t *state)
{
    struct rcm_top_k_call *call = &c->call;
    const uint64_t n = call->rows.n;
    const bool buckets = c->stage1 || call->method == RCM_TOP_K_BUCKETED;
    call->b = draw_scale(state, 1, n);
    const uint64_t longest = ceil_divide(n, call->b);
    call->k_b = next_random(state) % 2 ? random_between(state, 1, 16)
                                       : draw_scale(state, 1, longest < 40 ? longest : 40);
    if (call->k_b > longest)
        call->k_b = longest;
    const uint64_t candidates = call->b * call->k_b < n ? call->b * call->k_b : n;
    call->k = draw_scale(state, call->k_b, candidates);
    if (!buckets) {
        call->k = draw_scale(state, 1, n);
        call->b = next_random(state) % 2 ? next_random(state) : 0;
        call->k_b = next_random(state) % 2 ? next_random(state) : 0;
        call->assignment = (enum rcm_assignment)(next_random(state) % 9);
    } else if (c->stage1) {
        call->k = next_random(state) % 2 ? next_random(state) : 0;
        call->method = (enum rcm_top_k_method)(next_random(state) % 9);
    }
}

struct topk_case draw_case(uint64_t *state, uint64_t n_max)
{
    struct topk_case c = {.stage1 = next_random(state) % 5 < 2,
                          .kind = (enum kind)(next_random(state) % KINDS)};
    struct rcm_top_k_call *call = &c.call;
    call->rows.type = (enum rcm_top_k_type)(next_random(state) % RCM_TOP_K_TYPES);
    call->rows.smallest = next_random(state) % 3 == 0;
    call->rows.n = draw_scale(state, 1, n_max);
    call->rows.m = next_random(state) % 2 ? 1 : random_between(state, 1, 6);
    draw_strides(&call->rows, state);
    call->method = (enum rcm_top_k_method)(next_random(state) % 2);
    call->assignment = (enum rcm_assignment)(next_random(state) % 2);
    call->sorted = next_random(state) % 2;
    call->wide = next_random(state) % 2;
    call->threads = next_random(state) % 2 ? 1 : (unsigned)(next_random(state) % 6);
    draw_shape(&c, state);
    const uint64_t wanted = next_random(state) % 8;
    c.want_values = wanted != 0;
    c.want_indices = wanted != 1;
    c.shift = next_random(state) % 2 ? 0 : next_random(state) % 64;
    return c;
}
