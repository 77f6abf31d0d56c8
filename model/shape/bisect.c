/* bisect.c - see bisect.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bisect.h"

uint64_t bisect(uint64_t low, uint64_t high, bisect_property *property, void *context)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const enum answer answer = property(context, middle);
        if (answer == UNKNOWN)
            return 0;
        if (answer == YES)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t bisect_from(uint64_t low, uint64_t high, uint64_t guess, uint64_t step,
                     bisect_property *property, void *context)
{
    enum answer answer = property(context, guess);
    if (answer == YES) {
        high = guess;
        for (; answer == YES && low < high; step *= 2) {
            const uint64_t x = high - low > step ? high - step : low;
            answer = property(context, x);
            if (answer == YES)
                high = x;
            else
                low = x + 1;
        }
    } else {
        low = guess + 1;
        for (; answer == NO && low <= high; step *= 2) {
            const uint64_t x = high - low >= step ? low + step - 1 : high;
            answer = property(context, x);
            if (answer == YES)
                high = x;
            else
                low = x + 1;
        }
        if (answer == NO)
            return 0;
    }
    return answer == UNKNOWN ? 0 : bisect(low, high, property, context);
}
