/* log_choose.c - see log_choose.h. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "log_choose.h"

enum { FEW = 128 }; /* a product of fewer factors; from here on Stirling's formula */

/* log m! = (m + 1/2) log m - m + log(2 pi)/2 + this, for m >= FEW; the next term is below 1e-25.
 * The first term is in double-double: a double would have an error of 1e-20, which a billion
 * buckets multiply. */
static struct dd stirling_rest(double m)
{
    const double w = 1.0 / (m * m);
    const double rest = w * (-1.0 / 360.0 + w * (1.0 / 1260.0 + w * (-1.0 / 1680.0 + w / 1188.0)));
    return dd_add(dd_divide(dd(1.0), dd(12.0 * m)), dd(rest / m));
}

/* By the ratios C(m, j + 1) / C(m, j) = (m - j) / (j + 1). */
static struct dd log_of_product(uint64_t m, uint64_t i)
{
    const struct dd log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    struct dd product = dd(1.0);
    int exponent = 0;
    for (uint64_t j = 0; j < i; j++) {
        product = dd_divide(dd_scale(product, (double)(m - j)), dd((double)(j + 1)));
        if (product.hi > 0x1p500) {
            product = (struct dd){ldexp(product.hi, -500), ldexp(product.lo, -500)};
            exponent += 500;
        }
    }
    return dd_add(dd_log(product), dd_scale(log_2, exponent));
}

/* The large terms of Stirling's formula combine to i log(m/i) + (m - i) log(m/(m - i)). The
 * difference of log m! and log (m - i)! itself would have only 15 digits behind the point,
 * because log m! can be as large as 3e17. */
struct dd log_choose(uint64_t m, uint64_t i)
{
    if (i > m - i)
        i = m - i;
    if (i < FEW)
        return log_of_product(m, i);
    const double all = (double)m, one = (double)i, other = (double)(m - i);
    const struct dd log_two_pi = {0x1.d67f1c864beb5p0, -0x1.65b5a1b7ff5dfp-54};
    const struct dd of_one = dd_log(dd_divide(dd(all), dd(one)));
    const struct dd of_other = dd_log(dd_divide(dd(all), dd(other)));
    struct dd sum = dd_add(dd_scale(of_one, one), dd_scale(of_other, other));
    struct dd square = dd_subtract(dd_subtract(of_one, dd_log(dd(other))), log_two_pi);
    sum = dd_add(sum, dd_scale(square, 0.5));
    const struct dd rests = dd_add(stirling_rest(one), stirling_rest(other));
    return dd_add(sum, dd_subtract(stirling_rest(all), rests));
}
