/* log_choose.h - internal to model/: logarithms of binomial coefficients in double-double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LOG_CHOOSE_H
#define LOG_CHOOSE_H

#include "dd.h"

/* log C(m, i), 0 <= i <= m <= RCM_N_MAX. Absolute error <= 1e-15, and <= 1e-28 of the logarithm
 * where that or 1e-18 is more. Takes 10 us. */
struct dd log_choose(uint64_t m, uint64_t i);

#endif
