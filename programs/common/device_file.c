/* device_file.c - see device_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <base/files/text_file.h>

#include "error.h"

/* ---- reading */

int device_file_read(const char *path, struct rcm_device_text *text, char *error, size_t error_size)
{
    char wrong[600];
    size_t length = RCM_PROFILE_TEXT_MOST; /* where there is more, the reader refuses it */
    char *bytes = text_file_read(path, RCM_PROFILE_TEXT_MOST, &length);
    if (!bytes && errno != EFBIG) {
        snprintf(error, error_size, "%s: %s", path,
                 errno ? strerror(errno) : "is not a regular file");
        return -1;
    }
    const int line = rcm_profile_text_read(bytes, length, text, wrong, sizeof wrong);
    free(bytes);
    if (line > 0)
        snprintf(error, error_size, "%s:%d: %s", path, line, wrong);
    else if (line < 0)
        snprintf(error, error_size, "%s: %s", path, wrong);
    return line == 0 ? 0 : -1;
}

/* ---- writing */

static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* The profile with as many digits as its numbers are worth: parameters have errors of per cents. */
static struct rcm_profile rounded_profile(const struct rcm_profile *profile)
{
    struct rcm_profile q = *profile;
    struct rcm_text_key key;
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++) {
        if (key.kind != RCM_TEXT_PARAMETER && key.kind != RCM_TEXT_NUMBER)
            continue;
        const size_t offset = key.offset - offsetof(struct rcm_device_text, profile);
        double *number = (double *)(void *)((char *)&q + offset);
        *number = rounded(*number, key.kind == RCM_TEXT_PARAMETER ? 6 : 10);
    }
    return q;
}

bool device_file_write(FILE *file, const struct rcm_profile *profile,
                       const struct rcm_device *device, const double *errors)
{
    const struct rcm_profile q = rounded_profile(profile);
    const size_t length = rcm_profile_text_write(NULL, 0, &q, device, errors);
    char *text = require_memory(malloc(length + 1));
    rcm_profile_text_write(text, length + 1, &q, device, errors);
    const bool written = length > 0 && fwrite(text, 1, length, file) == length;
    free(text);
    return written;
}

/* ---- what a profile answers for */

const struct rcm_profile *device_profile(const struct rcm_device_text *entry, size_t index)
{
    const struct rcm_profile *q;
    if (entry->has_profile)
        return index == 0 ? &entry->profile : NULL;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (strcmp(q->name, entry->device.name) == 0 && index-- == 0)
            break;
    return q;
}

const struct rcm_profile *profile_of_type(const struct rcm_device_text *entry, enum rcm_dtype dtype)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = device_profile(entry, i)) && q->dtype != dtype; i++)
        ;
    return q;
}

const struct rcm_profile *exact_profile_at(size_t i)
{
    const struct rcm_profile *q;
    for (size_t at = 0; (q = rcm_profile(at)); at++)
        if (q->kernel->model == RCM_TIME_EXACT && i-- == 0)
            return q;
    return NULL;
}

const struct rcm_profile *exact_profile_by_prefix(const char *beginning)
{
    const struct rcm_profile *q, *found = NULL;
    for (size_t i = 0; (q = exact_profile_at(i)); i++) {
        if (!rcm_name_begins(q->name, beginning))
            continue;
        if (found)
            return NULL;
        found = q;
    }
    return found;
}

bool is_exact_only(const struct rcm_device_text *entry)
{
    return entry->has_profile && entry->profile.kernel->model == RCM_TIME_EXACT;
}

struct rcm_profile_answer profile_for_question(const struct rcm_device_text *entry,
                                               const struct rcm_kernel *kernel,
                                               const enum rcm_dtype *dtype)
{
    return rcm_profile_for(&entry->device, entry->has_profile ? &entry->profile : NULL, kernel,
                           dtype);
}

void kernels_known(const struct rcm_device_text *entry, char *text, size_t size)
{
    const struct rcm_kernel *kernel;
    const struct rcm_profile *q;
    *text = '\0';
    for (size_t i = 0; (kernel = rcm_kernel(i)); i++) {
        bool known = false;
        for (size_t j = 0; (q = device_profile(entry, j)); j++)
            known = known || strcmp(q->kernel->family, kernel->family) == 0;
        const size_t length = strlen(text);
        if (known)
            snprintf(text + length, size - length, "%s%s", length ? ", " : "", kernel->name);
    }
}

/* ---- a name that no device has */

/* How often each letter or digit is there; others do not count. */
static void count_letters(const char *name, unsigned counts[256])
{
    memset(counts, 0, 256 * sizeof *counts);
    for (; *name; name++)
        if (isalnum((unsigned char)*name))
            counts[tolower((unsigned char)*name)]++;
}

int unknown_device(const char *option, const char *value, const char *also)
{
    const struct rcm_device *d, *same = rcm_device_same_chip(value);
    unsigned typed[256], own[256];
    if (same)
        return usage_error("%s '%.60s' is not known; it has the chip and the memory of %s: give "
                           "that",
                           option, value, same->name);
    if (rcm_device_is_part(value))
        return usage_error("%s '%.60s' is a part of a card, and none is known; give the path of a "
                           "profile measured on it (recallmodel bench --calibrate)",
                           option, value);
    if (strstr(value, " MiB"))
        return usage_error("%s '%.60s' is a size of memory; of a line of nvidia-smi give the name "
                           "alone, without the comma and what is behind it",
                           option, value);
    count_letters(value, typed);
    for (size_t i = 0; (d = rcm_device(i)); i++) {
        count_letters(d->name, own);
        if (memcmp(typed, own, sizeof own) == 0)
            return usage_error("%s '%.60s' is not known; did you mean %s?", option, value, d->name);
    }
    return usage_error("%s '%.60s' is %s; give one that recallmodel devices lists%s", option, value,
                       strchr(value, '.') ? "no device and no file"
                                          : "not known, and no other card answers for it",
                       also);
}
