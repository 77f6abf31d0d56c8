/* softmax.h - the weight of an element beside the largest of its row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <math.h>
#include <stdbool.h>

/* Of a score exp((x - largest) / temperature), with its limits: NaN has no weight, and if the
 * largest is infinite, only the elements equal to it have one. Of a probability
 * (x / largest)^(1 / temperature), which is the same of its logarithm. */
static inline double softmax_weight(double x, double largest, double temperature,
                                    bool probabilities)
{
    if (x == largest || !(x < largest))
        return x == largest ? 1.0 : 0.0;
    if (!probabilities)
        return exp((x - largest) / temperature);
    return !(x > 0.0)           ? 0.0
           : temperature == 1.0 ? x / largest
                                : pow(x / largest, 1.0 / temperature);
}

/* Does a row with this largest element weigh anything? */
static inline bool softmax_weighs(double largest, bool probabilities)
{
    return largest > (probabilities ? 0.0 : -INFINITY);
}

#endif
