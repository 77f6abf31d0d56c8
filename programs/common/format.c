/* format.c - see format.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>

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

void format_real(char *buffer, size_t size, double value)
{
    char text[48];
    text_of_number(text, 15, value);
    snprintf(buffer, size, "%s", text);
}

/* 1.23e+04 -> 1.23e4, in place. */
static void shorten_exponent(char *text)
{
    char *from = strchr(text, 'e');
    if (!from)
        return;
    char *to = ++from;
    if (*from == '+')
        from++;
    else if (*from == '-')
        *to++ = *from++;
    while (*from == '0' && from[1])
        from++;
    memmove(to, from, strlen(from) + 1);
}

void format_styled(char *buffer, size_t size, enum style style, double value)
{
    switch (style) {
    case STYLE_RECALL:
        /* A target counts as reached within 1e-12: do not show 0.929999 for a 0.93 that is off by
         * its last bit. */
        if (value == 1.0)
            snprintf(buffer, size, "1");
        else if (value < 0.0)
            snprintf(buffer, size, "%.2e", value);
        else
            snprintf(buffer, size, "%.6f",
                     fmin(floor(value * 1e6 * (1.0 + 2e-12)), 999999.0) / 1e6);
        break;
    case STYLE_SHARE:
        snprintf(buffer, size, fabs(value - 1.0) < 1e-9 ? "1" : "%.4f",
                 value < 1.0 ? fmin(value, 0.9999) : value);
        break;
    case STYLE_LOSS:
        snprintf(buffer, size, value == 0.0 ? "0" : "%.2e", value);
        break;
    case STYLE_COST:
        snprintf(buffer, size, value < 1e5 ? "%.0f" : "%.2e", value);
        break;
    case STYLE_SPEEDUP:
        snprintf(buffer, size, value < 99.95 ? "%.1fx" : value < 1e5 ? "%.0fx" : "%.0ex", value);
        break;
    case STYLE_TIME:
        snprintf(buffer, size, value < 1e5 ? "%.3g" : "%.2e", value);
        break;
    case STYLE_US:
        format_us(buffer, size, value);
        break;
    case STYLE_PERCENT:
        snprintf(buffer, size, "%.1f %%", 100.0 * value);
        break;
    case STYLE_TERA:
        snprintf(buffer, size, "%.4g", value * 1e-12);
        break;
    case STYLE_Z:
        snprintf(buffer, size, fabs(value) < 999.5 ? "%.2f" : "%.1e", value);
        break;
    case STYLE_GIVEN:
        format_real(buffer, size, value);
        break;
    case STYLE_PLAIN:
        snprintf(buffer, size, "%.4g", value);
        break;
    }
    shorten_exponent(buffer);
}
