/* softmax.h - the weight of an element beside the largest of its row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <math.h>
#include <stdbool.h>

/* The logarithm of the weight at temperature 1, with its limits: NaN has no weight, and if the
 * largest is infinite, only the elements equal to it have one. */
static inline double softmax_score(double x, double largest, bool probabilities)
{
    if (x == largest || !(x < largest))
        return x == largest ? 0.0 : -INFINITY;
    return !probabilities ? x - largest : x > 0.0 ? log(x / largest) : -INFINITY;
}

/* Of a score exp((x - largest) / temperature), of a probability (x / largest)^(1 / temperature),
 * which is the same of its logarithm. */
static inline double softmax_weight(double x, double largest, double temperature,
                                    bool probabilities)
{
    return exp(softmax_score(x, largest, probabilities) / temperature);
}

/* Does a row with this largest element weigh anything? */
static inline bool softmax_weighs(double largest, bool probabilities)
{
    return largest > (probabilities ? 0.0 : -INFINITY);
}

#endif
