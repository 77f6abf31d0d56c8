/* profile_read.c - reads devices and profiles as text: the only reader of the format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>

#include "profile_keys.h"

struct reader {
    struct rcm_device_text *out;
    char *error;
    size_t error_size;
    int line, seen[PROFILE_KEYS_MOST]; /* the line of each key; 0: none */
};

/* Writes the fault into r->error. Returns false. */
static bool refuse(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, r->error_size, format, arguments);
    va_end(arguments);
    return false;
}

#define NAMES_SIZE 200

/* Adds a name to a list such as "ours, graphcore". */
static void append_name(char names[NAMES_SIZE], const char *name)
{
    const size_t length = strlen(names);
    snprintf(names + length, NAMES_SIZE - length, "%s%s", length > 0 ? ", " : "", name);
}

/* The names of the kernels that can have a profile: "ours, graphcore, xla". */
static const char *kernel_names(char names[NAMES_SIZE])
{
    const struct rcm_kernel *kernel;
    *names = '\0';
    for (size_t i = 0; (kernel = rcm_kernel(i)); i++)
        if (kernel->work)
            append_name(names, kernel->name);
    return names;
}

/* The names of the keys of a device, which are those before `kernel`. */
static const char *device_names(char names[NAMES_SIZE])
{
    *names = '\0';
    for (size_t i = 0; rcm_text_key(i).kind != RCM_TEXT_KERNEL; i++)
        append_name(names, rcm_text_key(i).name);
    return names;
}

static bool set_number(struct reader *r, struct rcm_text_key key, const char *value)
{
    char text[TEXT_SHOWN];
    const double number = text_number(value);
    if (!(number > 0.0) || isinf(number))
        return refuse(r,
                      "%s is not a positive number but '%s'; write a number such as 3.35e12, and "
                      "put comments after a #",
                      key.name, text_shown(text, value));
    *profile_number_at(r->out, key) = number;
    return true;
}

static bool set_words(struct reader *r, struct rcm_text_key key, const char *value)
{
    if (strlen(value) >= key.size)
        return refuse(r, "%s is too long; write at most %zu bytes", key.name, key.size - 1);
    if (!text_is_plain(value))
        return refuse(r, "%s has control characters or is not UTF-8", key.name);
    strcpy(profile_words_at(r->out, key), value);
    return true;
}

static bool set_kernel(struct reader *r, struct rcm_text_key key, const char *value)
{
    char names[NAMES_SIZE], text[TEXT_SHOWN];
    const struct rcm_kernel *kernel;
    for (size_t i = 0; (kernel = rcm_kernel(i)); i++)
        if (strcmp(value, kernel->name) == 0 && kernel->work) {
            r->out->profile.kernel = kernel;
            r->out->has_profile = true;
            return true;
        }
    return refuse(r, "%s is not a kernel whose times can be predicted (%s) but '%s'", key.name,
                  kernel_names(names), text_shown(text, value));
}

static bool set_dtype(struct reader *r, struct rcm_text_key key, const char *value)
{
    char text[TEXT_SHOWN];
    return rcm_dtype_by_name(value, &r->out->profile.dtype) ||
           refuse(r, "%s is not f32, f16 or bf16 but '%s'", key.name, text_shown(text, value));
}

static bool set_key(struct reader *r, const char *name, const char *value)
{
    static bool (*const setters[])(struct reader *, struct rcm_text_key, const char *) = {
        [RCM_TEXT_WORDS] = set_words,      [RCM_TEXT_RATE] = set_number,
        [RCM_TEXT_PARAMETER] = set_number, [RCM_TEXT_NUMBER] = set_number,
        [RCM_TEXT_KERNEL] = set_kernel,    [RCM_TEXT_DTYPE] = set_dtype,
    };
    char names[NAMES_SIZE], text[TEXT_SHOWN];
    struct rcm_text_key key;
    for (size_t i = 0; i < PROFILE_KEYS_MOST && (key = rcm_text_key(i)).name; i++) {
        if (strcmp(name, key.name) != 0)
            continue;
        if (!setters[key.kind](r, key, value))
            return false;
        if (r->seen[i])
            return refuse(r, "%s is given twice; line %d already has it", key.name, r->seen[i]);
        r->seen[i] = r->line;
        return true;
    }
    return refuse(r, "%s is not a known key (%s, or one of a profile)", text_shown(text, name),
                  device_names(names));
}

/* Reads one line, and changes it. */
static bool read_line(struct reader *r, char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *equals = strchr(line, '=');
    if (*text_trimmed(line) == '\0')
        return true;
    if (!equals)
        return refuse(r, "not of the form key = value, such as bandwidth_bytes_per_s = 3.35e12");
    *equals = '\0';
    return set_key(r, text_trimmed(line), text_trimmed(equals + 1));
}

#define LINE_MOST 511

static bool read_lines(struct reader *r, const char *text, size_t length)
{
    char line[LINE_MOST + 1];
    for (size_t at = text_mark(text, length), end; at < length; at = end + 1) {
        const char *newline = memchr(text + at, '\n', length - at);
        end = newline ? (size_t)(newline - text) : length;
        r->line++;
        if (end - at > LINE_MOST)
            return refuse(r, "a line of more than %d bytes", LINE_MOST);
        memcpy(line, text + at, end - at);
        line[end - at] = '\0';
        if (strlen(line) != end - at)
            return refuse(r, "a zero byte; this is %s", text_instead(text, length));
        if (!read_line(r, line))
            return false;
    }
    return true;
}

/* Does a profile have what its predictions need? */
static bool is_whole_profile(struct reader *r)
{
    const struct rcm_profile *q = &r->out->profile;
    const char *lacking = rcm_profile_lacks(q);
    return !lacking || refuse(r, "is a profile that %s", lacking);
}

/* Does the text have what a device or a profile needs? */
static bool is_whole(struct reader *r)
{
    const struct rcm_device *device = &r->out->device;
    char names[NAMES_SIZE];
    if (r->out->has_profile)
        return is_whole_profile(r);
    for (size_t i = 0; rcm_text_key(i).name; i++)
        if (r->seen[i] && rcm_text_key(i).kind == RCM_TEXT_PARAMETER)
            return refuse(r, "has the numbers of a profile, but no kernel = one of %s",
                          kernel_names(names));
    return device->bandwidth_bytes_per_s > 0.0 || refuse(r, "needs bandwidth_bytes_per_s");
}

static void point_to_texts(struct rcm_device_text *text)
{
    text->device.name = text->profile.name = text->name;
    text->device.source = text->profile.source = text->source;
    text->profile.date = text->date;
    text->profile.runs = text->runs;
    text->profile.card = text->card;
}

/* What runs on the card that the text names: by `card` or else `name`. */
static void set_architecture(struct rcm_device_text *text)
{
    size_t others;
    const struct rcm_device *card =
        rcm_device_meant(*text->card ? text->card : text->name, NULL, 0, &others);
    text->device.architecture = card ? card->architecture : NULL;
}

int rcm_profile_text_read(const char *text, size_t length, struct rcm_device_text *out, char *error,
                          size_t error_size)
{
    struct reader r = {.out = out, .error = error, .error_size = error_size};
    *out = (struct rcm_device_text){.profile = {.dtype = RCM_F32}};
    if (length >= RCM_PROFILE_TEXT_MOST) {
        refuse(&r, "a device file has less than 64 KB");
        return -1;
    }
    if (!read_lines(&r, text, length))
        return r.line;
    if (!is_whole(&r))
        return -1;
    if (!*out->name)
        strcpy(out->name, "device file");
    point_to_texts(out);
    set_architecture(out);
    return 0;
}
