/* session.c - see session.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <base/text.h>

#include "backend.h"

static const char *sources_git = "unknown";

void set_sources_git(const char *state)
{
    sources_git = state;
}

int read_output(void *to, const char *option, const char *value)
{
    if (*(const char **)to)
        return usage_error("%s: the output is given twice, by -o and --output; give it once",
                           option);
    return read_text(to, option, value);
}

int read_load(void *to, const char *option, const char *value)
{
    uint64_t busy;
    const int status = read_seed(&busy, option, value);
    if (status != STATUS_OK)
        return status;
    if (busy > 256)
        return usage_error("%s %.*s: at most 256 processes", option, VALUE_SHOWN, value);
    *(struct load *)to = (struct load){true, (unsigned)busy};
    return STATUS_OK;
}

int session_check(const struct session_options *options)
{
    return options->csv && options->output
               ? usage_error("-o %.*s is CSV; leave --csv out, or -o for CSV on stdout",
                             VALUE_SHOWN, options->output)
               : STATUS_OK;
}

int read_positive(void *to, const char *option, const char *value)
{
    const double number = text_number(value);
    if (!(number > 0.0) || !isfinite(number))
        return usage_error("%s '%.*s' is not a positive number; give one such as 9 or 0.5", option,
                           VALUE_SHOWN, value);
    *(double *)to = number;
    return STATUS_OK;
}

struct sampling session_rules(const struct session_options *options)
{
    struct sampling rules = options->load.given ? sampling_tail : sampling_grid;
    if (options->seconds > 0.0 && !options->load.given)
        rules.seconds = options->seconds;
    return rules;
}

int output_failed(void)
{
    fprintf(stderr, "%s: output could not be written%s%s\n", program_name(), errno ? ": " : "",
            errno ? strerror(errno) : "");
    return STATUS_FAILED;
}

static void format_remarks(char *remarks, size_t size, struct device *device,
                           const struct session_options *options)
{
    const struct sampling rules = session_rules(options);
    char date[32], facts[800];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    backend->describe(device, facts, sizeof facts);
    snprintf(remarks, size,
             "# %s %s git=%s date=%s %s seed=%" PRIu64 "\n"
             "# stop=noise<%g%%|%gs samples>=%u interval=95%% %s\n",
             backend->command, rcm_version(), sources_git, date, facts, options->seed,
             100.0 * rules.noise, rules.seconds, rules.least, backend->remark);
}

int session_open_results(struct results *results, struct device *device,
                         const struct session_options *options, const char *columns,
                         unsigned key_columns)
{
    char remarks[1600], error[300];
    if (!options->output && !options->csv)
        return STATUS_OK;
    format_remarks(remarks, sizeof remarks, device, options);
    if (results_open(results, options->output, columns, key_columns, remarks, error,
                     sizeof error) != 0) {
        fprintf(stderr, "%s: %s\n", program_name(), error);
        return STATUS_FAILED;
    }
    if (results->other_git)
        fprintf(stderr,
                "%s: %s has rows from another version of the sources (see git= in its comments); "
                "they are kept. Delete the file to measure everything again\n",
                program_name(), options->output);
    return STATUS_OK;
}
