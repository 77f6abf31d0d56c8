/* device_file.c - see device_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Can it go to a terminal and into JSON? */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at; at++)
        if (iscntrl((unsigned char)*at))
            return false;
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

/* Sets one key. Returns NULL or what is wrong. */
static const char *set(struct device_entry *entry, const char *key, const char *value)
{
    struct rcm_device *device = &entry->device;
    const struct {
        const char *key;
        double *rate;
    } rates[] = {
        {"bandwidth_bytes_per_s", &device->bandwidth_bytes_per_s},
        {"fma_rate_per_s", &device->fma_rate_per_s},
        {"vector_rate_per_s", &device->vector_rate_per_s},
        {"matrix_rate_per_s", &device->matrix_rate_per_s},
    };
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {
        {"name", entry->name, sizeof entry->name},
        {"source", entry->source, sizeof entry->source},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(key, rates[i].key) == 0) {
            char *end;
            *rates[i].rate = strtod(value, &end);
            return *end || end == value || !(*rates[i].rate > 0.0) || !isfinite(*rates[i].rate)
                       ? "is not a positive number; write 3.35e12, and remarks behind a #"
                       : NULL;
        }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) {
            if (strlen(value) >= texts[i].size)
                return "is too long";
            if (!is_plain(value))
                return "has control characters or is not UTF-8";
            strcpy(texts[i].text, value);
            return NULL;
        }
    return "is not a known key (name, bandwidth_bytes_per_s, vector_rate_per_s, fma_rate_per_s, matrix_rate_per_s, source)";
}

int device_file_read(const char *path, struct device_entry *entry, char *error, size_t error_size)
{
    *entry = (struct device_entry){0};
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    char line[512];
    const char *wrong = NULL;
    int number = 0;
    while (!wrong && fgets(line, sizeof line, file)) {
        number++;
        if (!strchr(line, '\n') && !feof(file)) {
            snprintf(error, error_size, "%s:%d: a line of more than 500 characters", path, number);
            fclose(file);
            return -1;
        }
        line[strcspn(line, "#")] = '\0';
        char *equals = strchr(line, '='), *key = trimmed(line);
        if (*key == '\0')
            continue;
        if (!equals) {
            snprintf(error, error_size, "%s:%d: not of the form key = value, such as bandwidth_bytes_per_s = 3.35e12", path, number);
            fclose(file);
            return -1;
        }
        *equals = '\0';
        key = trimmed(line);
        wrong = set(entry, key, trimmed(equals + 1));
        if (wrong)
            snprintf(error, error_size, "%s:%d: %.40s %s", path, number, key, wrong);
    }
    if (!wrong && ferror(file)) {
        wrong = "cannot be read";
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    if (!wrong && !(entry->device.bandwidth_bytes_per_s > 0.0 && entry->device.vector_rate_per_s > 0.0)) {
        wrong = "incomplete";
        snprintf(error, error_size, "%s: needs bandwidth_bytes_per_s and vector_rate_per_s", path);
    }
    if (wrong)
        return -1;
    if (!*entry->name)
        strcpy(entry->name, "device file");
    entry->device.name = entry->name;
    entry->device.source = entry->source;
    return 0;
}
