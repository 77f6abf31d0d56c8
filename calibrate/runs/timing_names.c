/* timing_names.c - see timing_names.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "timing_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>

#include "timings.h"

/* A name in lower case, its words joined by _: "GPU Time (sec)" gpu_time_sec, "Elements{io}"
 * elements, "param:topk" topk. */
void timing_plain_name(char to[TIMING_NAME], const char *name)
{
    size_t length = 0;
    bool braces = false, gap = false;
    if (strncmp(name, "param:", 6) == 0)
        name += 6;
    for (; *name && length + 2 < TIMING_NAME; name++) {
        braces = *name == '{' || (braces && *name != '}');
        const bool utf8 = strncmp(name, "\xC2\xB5", 2) == 0 || strncmp(name, "\xCE\xBC", 2) == 0,
                   micro = utf8 || *name == '\xB5'; /* Latin-1 */
        name += utf8;
        if (braces || (!micro && !isalnum((unsigned char)*name))) {
            gap = length > 0;
            continue;
        }
        if (gap)
            to[length++] = '_';
        gap = false;
        to[length++] = micro ? 'u' : (char)tolower((unsigned char)*name);
    }
    to[length] = '\0';
}

/* Does a word stand in a list with blanks around each? */
bool timing_word_is_in(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length > 0 && (at = strstr(at, word)); at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* Calls a word of a plain name after the other. */
static const char *next_word(const char *at, char word[TIMING_NAME])
{
    const size_t length = strcspn(at, "_");
    snprintf(word, TIMING_NAME, "%.*s", (int)length, at);
    return at[length] ? at + length + 1 : NULL;
}

/* ---- times */

const struct timing_unit timing_units[TIMING_UNITS] = {
    {" us usec usecs microsecond microseconds ", "us", 1.0},
    {" ms msec msecs millisecond milliseconds ", "ms", 1e3},
    {" ns nsec nsecs nanosecond nanoseconds ", "ns", 1e-3},
    {" s sec secs second seconds ", "s", 1e6},
};

size_t timing_unit_of(const char *word)
{
    size_t i = 0;
    while (i < TIMING_UNITS &&
           !(*word && timing_word_is_in(timing_units[i].words, word, strlen(word))))
        i++;
    return i;
}

#define TIME_WORDS " time times latency duration elapsed runtime "
#define BESIDE_TIME " wall gpu cuda kernel call exec per iter "
#define PER " per s sec bandwidth throughput bw gbps gbs tbps "
#define RATE_WORDS " per bandwidth throughput bw mem memory globalmem achieved effective s sec "

struct timing_meaning timing_meaning_of(const char *name)
{
    static const struct {
        const char *word;
        double bytes_per_s;
    } rates[] = {{"gb", 1e9},    {"gbps", 1e9}, {"gbs", 1e9},    {"tb", 1e12},
                 {"tbps", 1e12}, {"mb", 1e6},   {"gib", 0x1p30}, {"bytes", 1.0}};
    struct timing_meaning time = {TIMING_TIME, 1, TIMING_UNITS, 0.0},
                          rate = {TIMING_RATE, 0, TIMING_UNITS, 0.0};
    char plain[TIMING_NAME], word[TIMING_NAME];
    timing_plain_name(plain, name);
    bool is_time = false, is_rate = true, per = false,
         other = strchr(name, '%') || strcmp(plain, "s") == 0;
    for (const char *at = plain; at;) {
        at = next_word(at, word);
        const size_t length = strlen(word), unit = timing_unit_of(word);
        const bool median = timing_word_is_in(" median med p50 ", word, length),
                   mean = timing_word_is_in(" mean avg average ", word, length),
                   named = timing_word_is_in(TIME_WORDS, word, length);
        size_t i = 0;
        while (i < sizeof rates / sizeof *rates && strcmp(word, rates[i].word) != 0)
            i++;
        const bool whole = timing_word_is_in(" elapsed duration wall ", word, length);
        time.rank = median ? 0 : mean ? 2 : whole ? 3 : time.rank;
        other |= unit < TIMING_UNITS && time.unit < TIMING_UNITS && unit != time.unit;
        time.unit = unit < TIMING_UNITS ? unit : time.unit;
        const bool of_time = median || mean || named || unit < TIMING_UNITS;
        is_time |= of_time;
        other |= !of_time && !timing_word_is_in(BESIDE_TIME, word, length);
        per |= timing_word_is_in(PER, word, length);
        if (i < sizeof rates / sizeof *rates)
            rate.bytes_per_s = rates[i].bytes_per_s;
        else
            is_rate &= timing_word_is_in(RATE_WORDS, word, length);
    }
    if (!per) /* a size */
        rate.bytes_per_s = 0.0;
    return is_time && !other ? time
           : is_rate && rate.bytes_per_s > 0.0
               ? rate
               : (struct timing_meaning){TIMING_OTHER, 1, time.unit, rate.bytes_per_s};
}

/* ---- what is not a setting */

#define MEASURED \
    " us ms ns sec time sample samples round rounds iteration iterations iters reps repetitions " \
    "repeat repeats warmup run trial seed index idx id unnamed date timestamp outliers bytes " \
    "clock mhz power watts flops ops noise min max std stddev stderr sd median mean avg low high " \
    "iqr recall cost speedup score hits gb bandwidth throughput error status skipped stop " \
    "dropped roof busy note source "

static bool counts_up(const struct csv *csv, size_t column)
{
    const double first = csv->rows ? text_number(csv_field(csv, 0, column)) : 0.0;
    size_t row = 0;
    while (row < csv->rows && text_number(csv_field(csv, row, column)) == first + (double)row)
        row++;
    return row == csv->rows;
}

bool timings_is_setting(const struct csv *csv, size_t column)
{
    char plain[TIMING_NAME], word[TIMING_NAME];
    timing_plain_name(plain, csv->fields[column]);
    if (!*csv->fields[column] && counts_up(csv, column)) /* the index of pandas */
        return false;
    for (const char *at = plain; at;) {
        at = next_word(at, word);
        if (timing_word_is_in(MEASURED, word, strlen(word)))
            return false;
    }
    for (size_t row = 0; row < csv->rows; row++) {
        const double value = text_number(csv_field(csv, row, column));
        if (value != floor(value) && !isnan(value))
            return false;
    }
    return true;
}
