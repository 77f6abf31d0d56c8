/* dd.h - double-double arithmetic: a number is the unevaluated sum hi + lo, |lo| <= ulp(hi)/2,
 * about 31 digits.
 *
 * Needs IEEE doubles without excess precision and without contraction (-ffp-contract=off, never
 * -ffast-math). The error-free sum and product are Knuth's and Dekker's; the relative error of the
 * others is a few 2^-104 (of the sum: of its operands, where they cancel).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DD_H
#define DD_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include <model/shape/wide.h>

#if FLT_EVAL_METHOD != 0 && defined __SIZEOF_INT128__ /* otherwise there is an error already */
#error "double-double arithmetic needs FLT_EVAL_METHOD == 0"
#endif

struct dd {
    double hi, lo;
};

static inline struct dd dd(double x)
{
    return (struct dd){x, 0.0};
}

static inline struct dd dd_two_sum(double a, double b)
{
    double sum = a + b;
    double part = sum - a;
    return (struct dd){sum, (a - (sum - part)) + (b - part)};
}

static inline struct dd dd_fast_two_sum(double a, double b) /* |a| >= |b| */
{
    double sum = a + b;
    return (struct dd){sum, b - (sum - a)};
}

static inline struct dd dd_two_product(double a, double b)
{
    double product = a * b;
    return (struct dd){product, fma(a, b, -product)};
}

static inline struct dd dd_add(struct dd a, struct dd b)
{
    struct dd high = dd_two_sum(a.hi, b.hi);
    struct dd low = dd_two_sum(a.lo, b.lo);
    struct dd sum = dd_fast_two_sum(high.hi, high.lo + low.hi);
    return dd_fast_two_sum(sum.hi, sum.lo + low.lo);
}

static inline struct dd dd_negate(struct dd a)
{
    return (struct dd){-a.hi, -a.lo};
}

static inline struct dd dd_subtract(struct dd a, struct dd b)
{
    return dd_add(a, dd_negate(b));
}

static inline struct dd dd_multiply(struct dd a, struct dd b)
{
    struct dd product = dd_two_product(a.hi, b.hi);
    return dd_fast_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline struct dd dd_scale(struct dd a, double factor)
{
    return dd_multiply(a, dd(factor));
}

static inline struct dd dd_divide(struct dd a, struct dd b)
{
    double first = a.hi / b.hi;
    struct dd rest = dd_subtract(a, dd_scale(b, first));
    double second = rest.hi / b.hi;
    rest = dd_subtract(rest, dd_scale(b, second));
    return dd_add(dd_fast_two_sum(first, second), dd(rest.hi / b.hi));
}

/* Exact for |x| < 2^106. */
static inline struct dd dd_from_int128(int128 x)
{
    double high = (double)x;
    return dd_fast_two_sum(high, (double)(x - (int128)high));
}

/* log(x), x > 0: x = 2^e f with f in [1/sqrt 2, sqrt 2), log f = 2 atanh z, z = (f - 1)/(f + 1),
 * |z| <= 0.172; 21 terms of the series reach 2^-106. */
static inline struct dd dd_log(struct dd x)
{
    int exponent;
    if (frexp(x.hi, &exponent) < 0.70710678118654752)
        exponent--;
    struct dd f = {ldexp(x.hi, -exponent), ldexp(x.lo, -exponent)};
    struct dd z = dd_divide(dd_add(f, dd(-1.0)), dd_add(f, dd(1.0)));
    struct dd w = dd_multiply(z, z);
    struct dd sum = dd(0.0);
    for (int j = 21; j >= 0; j--)
        sum = dd_add(dd_multiply(sum, w), dd_divide(dd(1.0), dd(2.0 * j + 1.0)));
    const struct dd log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return dd_add(dd_scale(log_2, exponent), dd_scale(dd_multiply(z, sum), 2.0));
}

#endif
