/* profile_text.c - devices and profiles as text: the one reader and the one writer of the format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* ---- the keys */

#define AT(member) \
    offsetof(struct rcm_device_text, member), sizeof((struct rcm_device_text *)NULL)->member
#define WORDS(name) \
    { \
#name, RCM_TEXT_WORDS, AT(name) \
    }
#define RATE(name) \
    { \
#name, RCM_TEXT_RATE, AT(device.name) \
    }
#define FIGURE(name) \
    { \
#name, RCM_TEXT_FIGURE, AT(profile.name) \
    }

/* Before and after the parameters, which are rcm_time_parameter's. */
static const struct rcm_text_key head[] = {
    WORDS(name),
    WORDS(source),
    RATE(bandwidth_bytes_per_s),
    RATE(vector_rate_per_s),
    RATE(fma_rate_per_s),
    RATE(matrix_rate_per_s),
    RATE(memory_bytes),
    {"kernel", RCM_TEXT_KERNEL, AT(profile.kernel)},
    {"dtype", RCM_TEXT_DTYPE, AT(profile.dtype)},
    WORDS(date),
    WORDS(runs),
};
static const struct rcm_text_key tail[] = {
    FIGURE(n_low),
    FIGURE(n_high),
    FIGURE(k_low),
    FIGURE(k_high),
    FIGURE(b_low),
    FIGURE(b_high),
    FIGURE(k_b_low),
    FIGURE(k_b_high),
    FIGURE(m_low),
    FIGURE(m_high),
    FIGURE(run_count),
    FIGURE(exact_count),
    FIGURE(median_error),
    FIGURE(p95_error),
    FIGURE(worst_error),
    FIGURE(held_out_median_error),
    FIGURE(held_out_p95_error),
    FIGURE(held_out_p05_ratio),
    FIGURE(held_out_p95_ratio),
    FIGURE(held_out_exact_p05_ratio),
    FIGURE(held_out_exact_p95_ratio),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define KEYS_MOST 128 /* there are fewer, which tests/test_profile_text.c asserts */

struct rcm_text_key rcm_text_key(size_t index)
{
    const struct rcm_time_parameter *parameter;
    if (index < COUNT(head))
        return head[index];
    index -= COUNT(head);
    if ((parameter = rcm_time_parameter(index)))
        return (struct rcm_text_key){parameter->name, RCM_TEXT_PARAMETER,
                                     offsetof(struct rcm_device_text, profile) + parameter->offset,
                                     sizeof(double)};
    for (size_t i = 0; rcm_time_parameter(i); i++)
        index--;
    return index < COUNT(tail) ? tail[index] : (struct rcm_text_key){.name = NULL};
}

static double *number_at(struct rcm_device_text *text, struct rcm_text_key key)
{
    return (double *)(void *)((char *)text + key.offset);
}

static char *words_at(struct rcm_device_text *text, struct rcm_text_key key)
{
    return (char *)text + key.offset;
}

/* ---- reading */

struct reader {
    struct rcm_device_text *out;
    char *error;
    size_t error_size;
    int line, seen[KEYS_MOST]; /* the line of each key; 0: none */
};

/* Notes what is wrong. Always false. */
static bool refuse(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, r->error_size, format, arguments);
    va_end(arguments);
    return false;
}

/* The names of kernels that have a profile: "ours, graphcore, xla". */
static const char *kernel_names(char names[200])
{
    const struct rcm_kernel *kernel;
    *names = '\0';
    for (size_t i = 0; (kernel = rcm_kernel(i)); i++)
        if (kernel->work)
            snprintf(names + strlen(names), 200 - strlen(names), "%s%s", *names ? ", " : "",
                     kernel->name);
    return names;
}

/* The names of the keys of a device. */
static const char *device_names(char names[200])
{
    *names = '\0';
    for (size_t i = 0; head[i].kind != RCM_TEXT_KERNEL; i++)
        snprintf(names + strlen(names), 200 - strlen(names), "%s%s", *names ? ", " : "",
                 head[i].name);
    return names;
}

static bool set_number(struct reader *r, struct rcm_text_key key, const char *value)
{
    char text[TEXT_SHOWN];
    const double number = text_number(value);
    if (!(number > 0.0) || isinf(number))
        return refuse(r,
                      "%s is not a positive number but '%s'; write 3.35e12, and remarks behind a #",
                      key.name, text_shown(text, value));
    *number_at(r->out, key) = number;
    return true;
}

static bool set_words(struct reader *r, struct rcm_text_key key, const char *value)
{
    if (strlen(value) >= key.size)
        return refuse(r, "%s is too long; write at most %zu bytes", key.name, key.size - 1);
    if (!rcm_text_is_plain(value))
        return refuse(r, "%s has control characters or is not UTF-8", key.name);
    strcpy(words_at(r->out, key), value);
    return true;
}

static bool set_kernel(struct reader *r, struct rcm_text_key key, const char *value)
{
    char names[200], text[TEXT_SHOWN];
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

static bool set(struct reader *r, const char *name, const char *value)
{
    static bool (*const setters[])(struct reader *, struct rcm_text_key, const char *) = {
        [RCM_TEXT_WORDS] = set_words,      [RCM_TEXT_RATE] = set_number,
        [RCM_TEXT_PARAMETER] = set_number, [RCM_TEXT_FIGURE] = set_number,
        [RCM_TEXT_KERNEL] = set_kernel,    [RCM_TEXT_DTYPE] = set_dtype,
    };
    char names[200], text[TEXT_SHOWN];
    struct rcm_text_key key;
    for (size_t i = 0; i < KEYS_MOST && (key = rcm_text_key(i)).name; i++) {
        if (strcmp(name, key.name) != 0)
            continue;
        if (!setters[key.kind](r, key, value))
            return false;
        if (r->seen[i])
            return refuse(r, "%s stands twice; line %d has it already", key.name, r->seen[i]);
        r->seen[i] = r->line;
        return true;
    }
    return refuse(r, "%s is not a known key (%s, or one of a profile)", text_shown(text, name),
                  device_names(names));
}

/* One line, in place. */
static bool take_line(struct reader *r, char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *equals = strchr(line, '=');
    if (*text_trimmed(line) == '\0')
        return true;
    if (!equals)
        return refuse(r, "not of the form key = value, such as bandwidth_bytes_per_s = 3.35e12");
    *equals = '\0';
    return set(r, text_trimmed(line), text_trimmed(equals + 1));
}

#define LINE_MOST 511

static bool take_lines(struct reader *r, const char *text, size_t length)
{
    char line[LINE_MOST + 1];
    for (size_t at = 0, end; at < length; at = end + 1) {
        const char *newline = memchr(text + at, '\n', length - at);
        end = newline ? (size_t)(newline - text) : length;
        r->line++;
        if (end - at > LINE_MOST)
            return refuse(r, "a line of more than %d bytes", LINE_MOST);
        memcpy(line, text + at, end - at);
        line[end - at] = '\0';
        if (strlen(line) != end - at)
            return refuse(r, "a zero byte; a device file is text");
        if (!take_line(r, line))
            return false;
    }
    return true;
}

/* Does a profile have what every prediction of stage 1 needs? */
static bool is_whole_profile(struct reader *r)
{
    const struct rcm_profile *q = &r->out->profile;
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; !q->kernel->times_only && (parameter = rcm_time_parameter(i)); i++)
        if (parameter->always && !(rcm_time_value(q, parameter) > 0.0))
            return refuse(r, "is a profile that lacks %s; recallmodel calibrate writes whole ones",
                          parameter->name);
    const char *lacking = rcm_profile_lacks(q);
    return !lacking || refuse(r, "is a profile that %s", lacking);
}

/* Is all there that a device or a profile needs? */
static bool is_whole(struct reader *r)
{
    const struct rcm_device *device = &r->out->device;
    char names[200];
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
    if (!take_lines(&r, text, length))
        return r.line;
    if (!is_whole(&r))
        return -1;
    if (!*out->name)
        strcpy(out->name, "device file");
    point_to_texts(out);
    return 0;
}

/* ---- writing */

struct writer {
    char *buffer;
    size_t size, length;
};

static void put(struct writer *w, const char *format, ...)
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
    return !strchr(to, '#') && rcm_text_is_plain(to);
}

/* What is written, as the reader will have it. */
static bool gather(struct rcm_device_text *text, const struct rcm_profile *profile,
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
           copy_words(text->runs, sizeof text->runs, text->profile.runs);
}

/* What stands above the first key of a kind. */
static const char *heading(enum rcm_text_kind kind)
{
    switch (kind) {
    case RCM_TEXT_KERNEL:
        return "\n";
    case RCM_TEXT_PARAMETER:
        return "\n# fitted; behind each its unit, its standard error and its meaning\n";
    case RCM_TEXT_FIGURE:
        return "\n# the runs: how far they go, and |predicted/measured - 1|; held out: sizes n "
               "that a fit to the others did not "
               "see\n";
    default:
        return "";
    }
}

static void put_number(struct writer *w, struct rcm_text_key key, double value)
{
    char text[48];
    if (!(value > 0.0) || isinf(value))
        return;
    text_of_number(text, value);
    put(w, "%s = %s\n", key.name, text);
}

static void put_parameter(struct writer *w, const struct rcm_time_parameter *parameter,
                          double value, double error)
{
    char text[48], percent[48], remark[64] = "";
    if (!(value > 0.0) || isinf(value))
        return;
    text_of_number(text, value);
    if (isfinite(error)) {
        text_of_digits(percent, 2, 100.0 * error);
        snprintf(remark, sizeof remark, "+- %s %%, ", percent);
    }
    put(w, "%s = %-12s # %s%s%s%s\n", parameter->name, text, parameter->unit,
        *parameter->unit ? ", " : "", remark, parameter->meaning);
}

static void put_key(struct writer *w, struct rcm_device_text *text, struct rcm_text_key key)
{
    switch (key.kind) {
    case RCM_TEXT_WORDS:
        if (*words_at(text, key))
            put(w, "%s = %s\n", key.name, words_at(text, key));
        break;
    case RCM_TEXT_KERNEL:
        put(w, "%s = %s\n", key.name, text->profile.kernel->name);
        break;
    case RCM_TEXT_DTYPE:
        put(w, "%s = %s\n", key.name, rcm_dtype_name(text->profile.dtype));
        break;
    default:
        put_number(w, key, *number_at(text, key));
    }
}

size_t rcm_profile_text_write(char *buffer, size_t size, const struct rcm_profile *profile,
                              const struct rcm_device *device, const double *errors)
{
    struct rcm_device_text text;
    struct writer w = {buffer, size, 0};
    if (!gather(&text, profile, device))
        return 0;
    put(&w, "# Written by recallmodel %s. What each number means: docs/models.md 14.\n",
        rcm_version());
    enum rcm_text_kind last = RCM_TEXT_WORDS;
    struct rcm_text_key key;
    for (size_t i = 0, parameter = 0; (key = rcm_text_key(i)).name; last = key.kind, i++) {
        if (!profile && key.kind == RCM_TEXT_KERNEL)
            break;
        if (key.kind != last)
            put(&w, "%s", heading(key.kind));
        if (key.kind == RCM_TEXT_PARAMETER) {
            put_parameter(&w, rcm_time_parameter(parameter), *number_at(&text, key),
                          errors ? errors[parameter] : NAN);
            parameter++;
        } else {
            put_key(&w, &text, key);
        }
    }
    return w.length;
}
