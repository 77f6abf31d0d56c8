/* softmax.h - the weight of a value beside the largest of its row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <math.h>

/* exp((x - largest) / temperature), with its limits: NaN has no weight, and if the largest is
 * infinite, only the elements equal to it have one. */
static inline double softmax_weight(double x, double largest, double temperature)
{
    return x == largest ? 1.0 : x < largest ? exp((x - largest) / temperature) : 0.0;
}

#endif
