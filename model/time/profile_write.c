/* profile_write.c - writes devices and profiles as text: the only writer of the format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>
#include <model/recallmodel.h> /* rcm_version */

#include "profile_keys.h"

struct writer {
    char *buffer;
    size_t size, length;
};

static void append(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool room = w->length < w->size;
    const int length = vsnprintf(room ? w->buffer + w->length : NULL,
                                 room ? w->size - w->length : 0, format, arguments);
    va_end(arguments);
    w->length += length > 0 ? (size_t)length : 0;
}

/* Copies a text without the blanks at its ends. False where the reader would not read the same. */
static bool copy_words(char *to, size_t size, const char *from)
{
    if (!from)
        return true;
    while (text_is_blank(*from))
        from++;
    size_t length = strlen(from);
    while (length > 0 && text_is_blank(from[length - 1]))
        length--;
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return !strchr(to, '#') && text_is_plain(to);
}

/* The text as the reader will have it. False where it cannot be written. */
static bool collect_text(struct rcm_device_text *text, const struct rcm_profile *profile,
                         const struct rcm_device *device)
{
    if ((!profile && !device) || (profile && (!profile->kernel || !profile->kernel->work)))
        return false;
    *text = (struct rcm_device_text){.has_profile = profile != NULL};
    if (device)
        text->device = *device;
    if (profile)
        text->profile = *profile;
    return copy_words(text->name, sizeof text->name, profile ? profile->name : device->name) &&
           copy_words(text->source, sizeof text->source,
                      profile ? profile->source : device->source) &&
           copy_words(text->date, sizeof text->date, text->profile.date) &&
           copy_words(text->runs, sizeof text->runs, text->profile.runs) &&
           copy_words(text->card, sizeof text->card, text->profile.card);
}

/* The lines above the first key of a kind. */
static const char *heading(enum rcm_text_kind kind)
{
    switch (kind) {
    case RCM_TEXT_KERNEL:
        return "\n";
    case RCM_TEXT_PARAMETER:
        return "\n# fitted; after each value its unit, its standard error and its meaning\n";
    case RCM_TEXT_NUMBER:
        return "\n# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a "
               "fit "
               "to the others did not see\n";
    default:
        return "";
    }
}

static void put_number(struct writer *w, struct rcm_text_key key, double value)
{
    char text[48];
    if (!(value > 0.0) || isinf(value))
        return;
    text_of_number(text, 6, value);
    append(w, "%s = %s\n", key.name, text);
}

static void put_parameter(struct writer *w, const struct rcm_time_parameter *parameter,
                          double value, double error)
{
    char text[48], percent[48], remark[64] = "";
    if (!(value > 0.0) || isinf(value))
        return;
    text_of_number(text, 6, value);
    if (isinf(error))
        snprintf(remark, sizeof remark, "not by these runs: of another card, ");
    if (isfinite(error)) {
        text_of_digits(percent, 2, 100.0 * error);
        snprintf(remark, sizeof remark, "+- %s %%, ", percent);
    }
    append(w, "%s = %-12s # %s%s%s%s\n", parameter->name, text, parameter->unit,
           *parameter->unit ? ", " : "", remark, parameter->meaning);
}

static void put_key(struct writer *w, struct rcm_device_text *text, struct rcm_text_key key)
{
    switch (key.kind) {
    case RCM_TEXT_WORDS:
        if (*profile_words_at(text, key))
            append(w, "%s = %s\n", key.name, profile_words_at(text, key));
        break;
    case RCM_TEXT_KERNEL:
        append(w, "%s = %s\n", key.name, text->profile.kernel->name);
        break;
    case RCM_TEXT_DTYPE:
        append(w, "%s = %s\n", key.name, rcm_dtype_name(text->profile.dtype));
        break;
    default:
        put_number(w, key, *profile_number_at(text, key));
    }
}

size_t rcm_profile_text_write(char *buffer, size_t size, const struct rcm_profile *profile,
                              const struct rcm_device *device, const double *errors)
{
    struct rcm_device_text text;
    struct writer w = {buffer, size, 0};
    if (!collect_text(&text, profile, device))
        return 0;
    append(&w, "# Written by recallmodel %s. What each number means: docs/models.md 14.\n",
           rcm_version());
    enum rcm_text_kind last = RCM_TEXT_WORDS;
    struct rcm_text_key key;
    for (size_t i = 0, parameter = 0; (key = rcm_text_key(i)).name; last = key.kind, i++) {
        if (!profile && key.kind == RCM_TEXT_KERNEL)
            break;
        if (key.kind != last)
            append(&w, "%s", heading(key.kind));
        if (key.kind == RCM_TEXT_PARAMETER) {
            put_parameter(&w, rcm_time_parameter(parameter), *profile_number_at(&text, key),
                          errors ? errors[parameter] : NAN);
            parameter++;
        } else {
            put_key(&w, &text, key);
        }
    }
    return w.length;
}

bool rcm_text_is_plain(const char *text)
{
    return text_is_plain(text);
}
