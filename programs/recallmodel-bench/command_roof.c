/* command_roof.c - measures what a roofline needs, and writes it as a device of recallmodel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <base/files/atomic_file.h>
#include <programs/bench/backend.h>
#include <programs/bench/session.h>

#include "command.h"
#include "roofs.h"

struct settings {
    struct roof_sizes sizes;
    const char *device_file; /* NULL: none is written */
    struct session_options session;
};

/* ---- options */

static int read_bytes(void *to, const char *option, const char *value)
{
    const int status = read_count(to, option, value);
    const uint64_t bytes = status == STATUS_OK ? *(const uint64_t *)to : 4096;
    return bytes < 4096 || bytes > UINT64_C(1) << 40
               ? usage_error("%s must be from 4096 to 2^40", option)
               : status;
}

static int read_elements(void *to, const char *option, const char *value)
{
    const int status = read_count(to, option, value);
    const uint64_t elements = status == STATUS_OK ? *(const uint64_t *)to : 4;
    return elements < 4 || elements > UINT64_C(1) << 36
               ? usage_error("%s must be from 4 to 2^36", option)
               : status;
}

#define AT(member) offsetof(struct settings, member)

static const struct argument roof_options[] = {
    {"--bytes", "N", BY(read_bytes), AT(sizes.bytes),
     "bytes that are moved to measure a bandwidth (default 2^30)"},
    {"--elements", "N", BY(read_elements), AT(sizes.elements),
     "elements that a vector program works on (default 2^24)"},
    {"--device-file", "FILE", BY(read_text), AT(device_file),
     "also write the rates to a device file, for recallmodel --device FILE"},
    {OPTION_SECONDS(AT(session))},
    {OPTION_O(AT(session))},
    {OPTION_OUTPUT(AT(session))},
    {OPTIONS_END},
};

/* ---- the device file */

static double round_to_4_digits(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

/* The lines of a device file: the rates, and in remarks what else was measured. Returns the length;
 * 0: it cannot be written, because of the name of the card. */
static size_t format_device(char *text, size_t size, const char *name,
                            const struct roof_rates *rates)
{
    char date[32], source[80], short_name[40];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(source, sizeof source, "measured by recallmodel-bench roof on %s", date);
    snprintf(short_name, sizeof short_name, "%.39s", name);
    const struct rcm_device device = {
        .name = short_name,
        .source = source,
        .bandwidth_bytes_per_s = round_to_4_digits(rates->read_bytes_per_s),
        .vector_rate_per_s = round_to_4_digits(rates->operations_per_s[RCM_GPU_COMPARISONS])};
    const size_t length = rcm_profile_text_write(text, size, NULL, &device, NULL);
    if (length == 0 || length >= size)
        return 0;
    const int more =
        snprintf(text + length, size - length,
                 "# vector rate: minima and maxima; additions %.4g, multiplications %.4g\n"
                 "# bandwidth: reads alone; 4 reads to a write %.4g, 1 to 1 %.4g; launch %.3g us\n",
                 rates->operations_per_s[RCM_GPU_ADDITIONS],
                 rates->operations_per_s[RCM_GPU_MULTIPLICATIONS], rates->mixed_bytes_per_s,
                 rates->copied_bytes_per_s, rates->launch_us);
    return length + (size_t)more < size ? length + (size_t)more : 0;
}

static int write_device_file(const char *path, const char *target, const char *name,
                             const struct roof_rates *rates)
{
    char text[2000];
    const char *reason = NULL;
    size_t length = 0;
    if (!(rates->read_bytes_per_s > 0.0 && rates->operations_per_s[RCM_GPU_COMPARISONS] > 0.0))
        reason =
            "its rates must come from one run, but the CSV had some already; give a new FILE to -o";
    else if ((length = format_device(text, sizeof text, name, rates)) == 0)
        reason = "a device file cannot hold the name of this card";
    else if (atomic_file_write(target, text, length) != 0)
        reason = strerror(errno);
    if (reason)
        fprintf(stderr, "recallmodel-bench: %s was not written: %s\n", path, reason);
    return reason ? STATUS_FAILED : STATUS_OK;
}

/* ---- the measurement */

static void print_rates(const struct roof_rates *rates)
{
    fprintf(stderr,
            "recallmodel-bench: read %.4g, 4:1 %.4g, 1:1 %.4g bytes/s; launch %.3g us; %.4g "
            "additions/s, %.4g multiplications/s, %.4g comparisons/s\n",
            rates->read_bytes_per_s, rates->mixed_bytes_per_s, rates->copied_bytes_per_s,
            rates->launch_us, rates->operations_per_s[RCM_GPU_ADDITIONS],
            rates->operations_per_s[RCM_GPU_MULTIPLICATIONS],
            rates->operations_per_s[RCM_GPU_COMPARISONS]);
}

/* `target`: where the device file is written; NULL: nowhere. */
static int measure(const struct settings *settings, struct device *device, const char *target)
{
    struct results results = {0};
    struct roof_rates rates;
    int status =
        session_open_results(&results, device, &settings->session, ROOF_COLUMNS, ROOF_KEY_COLUMNS);
    if (status != STATUS_OK)
        return status;
    const struct sampling rules = session_rules(&settings->session);
    status = measure_roofs(device, &rules, settings->sizes, &results, &rates);
    if (status == STATUS_OK && rates.read_bytes_per_s > 0.0)
        print_rates(&rates);
    if (status == STATUS_OK && target)
        status = write_device_file(settings->device_file, target, backend->name(device), &rates);
    if (results_close(&results) != 0 && status == STATUS_OK)
        status = output_failed();
    return status;
}

static int run_roof(int count, char **arguments)
{
    struct settings settings = {.sizes = {.bytes = 1 << 30, .elements = 1 << 24},
                                .session = {.seed = 1, .csv = true}};
    struct device *device = NULL;
    char *target = NULL, error[400];
    int status = arguments_read(roof_options, &settings, count, arguments);
    if (status == STATUS_OK && settings.device_file) {
        target = atomic_file_target(settings.device_file, MESSAGE(error));
        if (!target)
            status = usage_error("--device-file '%.200s' %s", settings.device_file, error);
    }
    if (status == STATUS_OK)
        status = backend->open(&device, settings.session.seed);
    if (status == STATUS_OK)
        status = measure(&settings, device, target);
    backend->close(device);
    free(target);
    return status;
}

const struct command command_roof = {
    .name = "roof",
    .summary = "measures what a roofline needs: bandwidths, launch time, vector rates",
    .detail = "roof measures the bandwidth of reads alone, of 4 reads to a write and of 1 read to "
              "a write; the time to launch an empty kernel; additions and multiplications per "
              "second, by the programs of Samaga et al., A.1; and comparisons per second. Without "
              "-o the CSV goes to stdout.",
    .example = "recallmodel-bench roof --device-file ./my.device -o roof.csv",
    .options = roof_options,
    .run = run_roof,
};
