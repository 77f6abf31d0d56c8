/* run_fields.c - what one field of a table of runs says: see runs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include <base/number.h>
#include <base/text.h>

#include "runs.h"

bool run_count(const char *text, uint64_t *count)
{
    const double value = text_number(text);
    const char *const point = strchr(text, '.');
    if (strchr(text, '^'))
        return parse_count(text, count) == NULL;
    if (!(value >= 1.0 && value <= (double)RCM_N_MAX) || value != floor(value) ||
        (point && strlen(point) == sizeof ".000" - 1))
        return false;
    *count = (uint64_t)value;
    return true;
}

const struct rcm_device *run_device(const char *text)
{
    size_t others;
    return rcm_device_meant(text, NULL, 0, &others);
}

bool run_is_missing(const char *time)
{
    static const char *const words[] = {"",     "-",   "nan",  "inf",  "n/a",     "na",
                                        "none", "oom", "null", "skip", "skipped", "failed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(time, words[i]) == 0)
            return true;
    return false;
}

bool run_dtype(const char *name, enum rcm_dtype *dtype)
{
    *dtype = RCM_F32;
    return strcmp(name, "uint32") == 0 || strcmp(name, "int32") == 0 ||
           strcasecmp(name, "u32") == 0 || strcasecmp(name, "i32") == 0 ||
           rcm_dtype_by_name(name, dtype);
}
