/* format.c - see format.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include <math.h>
#include <stdio.h>

void format_us(char *buffer, size_t size, double us)
{
    static const char *const units[] = {"us", "ms", "s"};
    size_t unit = 0;
    while (unit < 2 && us >= 999.5) {
        us /= 1e3;
        unit++;
    }
    if (!isfinite(us))
        snprintf(buffer, size, "unknown");
    else if (us >= 99.95)
        snprintf(buffer, size, "%.0f %s", us, units[unit]);
    else
        snprintf(buffer, size, "%.3g %s", us, units[unit]);
}

void format_recall(char *buffer, size_t size, double loss)
{
    if (isnan(loss))
        snprintf(buffer, size, "unknown");
    else if (loss <= 0.0)
        snprintf(buffer, size, "1");
    else if (loss < 1e-14)
        snprintf(buffer, size, "1 - %.0e", loss);
    else
        snprintf(buffer, size, "%.*f", loss >= 0.01 ? 3 : (int)ceil(-log10(loss)) + 1, 1.0 - loss);
}

void format_rows(char *buffer, size_t size, double rest)
{
    if (rest >= 1e-6)
        snprintf(buffer, size, "%.10g %% of rows", 100.0 * (1.0 - rest));
    else
        snprintf(buffer, size, "all but %.3g of rows", rest);
}

void format_elements(char *buffer, size_t size, double count)
{
    snprintf(buffer, size, "%.0f element%s", count, round(count) == 1.0 ? "" : "s");
}
