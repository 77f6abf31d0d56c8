/* calibrate_profile.c - calibrate: what the profile says of itself, and its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <base/files/atomic_file.h>
#include <base/memory.h>
#include <programs/common/device_file.h>
#include <programs/common/runs_folder.h>

#include "calibrate.h"

/* ---- what it says of itself */

/* The last part of a path; the whole name of measured runs. */
static const char *file_name(const char *given)
{
    const char *slash = runs_is_path(given) ? strrchr(given, '/') : NULL;
    return slash ? slash + 1 : given;
}

/* Which runs they were: how many of which files. A character that a profile cannot hold becomes
 * '?'. */
static void describe_runs(struct calibration *c, const struct calibrate_settings *settings)
{
    char *text = c->runs_text;
    const size_t rows = c->bucketed - c->runs.second;
    if (settings->exact_runs)
        snprintf(text, sizeof c->runs_text, "%zu rows of %.60s, %zu of %.60s", rows,
                 file_name(settings->runs), c->runs.length - c->bucketed,
                 file_name(settings->exact_runs));
    else
        snprintf(text, sizeof c->runs_text, "%zu rows of %.60s%s%.60s", rows,
                 file_name(settings->runs), settings->runs_kernel ? ", kernel " : "",
                 settings->runs_kernel ? settings->runs_kernel : "");
    if (settings->contiguous_runs)
        snprintf(text + strlen(text), sizeof c->runs_text - strlen(text),
                 ", %zu contiguous of %.60s", c->contiguous.length,
                 file_name(settings->contiguous_runs));
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '#')
            *text = '?';
}

static void set_date(struct calibration *c)
{
    const time_t now = time(NULL);
    struct tm day;
    strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime_r(&now, &day));
}

/* Can a line of a profile hold this text? Returns a status. */
static int check_text(const char *option, const char *text, size_t size)
{
    return strlen(text) >= size || strchr(text, '#') || !rcm_text_is_plain(text)
               ? usage_error("%s is too long, has a # or control characters, or is not UTF-8; give "
                             "plain text of at most %zu bytes",
                             option, size - 1)
               : STATUS_OK;
}

int calibration_describe(struct calibration *c, const struct calibrate_settings *settings)
{
    const struct question *question = &settings->question;
    set_date(c);
    describe_runs(c, settings);
    c->profile = (struct rcm_profile){
        .name = settings->name           ? settings->name
                : question->device.given ? question->device.text.device.name
                                         : "device",
        .kernel = calibration_kernel(settings, "graphcore"),
        .dtype = c->runs.has_dtype       ? c->runs.dtype
                 : question->dtype.given ? question->dtype.type
                                         : RCM_F16,
        .date = c->date,
        .source = settings->source ? settings->source : "",
        .runs = c->runs_text,
        .l2_bytes = c->runs.l2_bytes,
        .l3_bytes = c->runs.l3_bytes,
    };
    const char *device = question->device.given ? question->device.text.device.name : "";
    const bool says_else = c->profile.kernel->model == RCM_TIME_EXACT ||
                           (strcmp(c->profile.name, device) != 0 && rcm_device_by_name(device));
    c->profile.card = settings->card ? settings->card : says_else ? device : "";
    const struct rcm_device_text *room = &question->device.text;
    const int status = check_text("--name", c->profile.name, sizeof room->name);
    if (status == STATUS_OK &&
        check_text("--card", c->profile.card, sizeof room->card) != STATUS_OK)
        return STATUS_USAGE;
    return status == STATUS_OK ? check_text("--source", c->profile.source, sizeof room->source)
                               : status;
}

/* ---- its file */

int calibration_write(const struct calibration *c, const struct calibrate_settings *settings,
                      const char *target)
{
    const struct rcm_device *device =
        settings->question.device.given ? &settings->question.device.text.device : NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = require_memory(open_memstream(&text, &length));
    bool whole = device_file_write(memory, &c->profile, device, c->fit.error);
    whole = fclose(memory) == 0 && whole;
    const bool written = whole && atomic_file_write(target, text, length) == 0;
    const int reason = errno;
    free(text);
    if (!written)
        usage_error("-o %s could not be written: %s", settings->profile_file, strerror(reason));
    return written ? STATUS_OK : STATUS_FAILED;
}
