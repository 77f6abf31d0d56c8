/* session.c - see session.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int read_output(void *to, const char *option, const char *value)
{
    if (*(const char **)to)
        return usage_error("%s: the output is given twice, by -o and --output; give it once",
                           option);
    return read_text(to, option, value);
}

const struct sampling *session_rules(const struct session_options *options)
{
    return options->single ? &sampling_single : &sampling_grid;
}

int output_failed(void)
{
    fprintf(stderr, "recallmodel-bench: output could not be written%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return STATUS_FAILED;
}

int session_open_runner(struct runner **runner, uint64_t seed)
{
    const enum rcm_gpu_status status = runner_open(runner, seed);
    if (status == RCM_GPU_OK)
        return STATUS_OK;
    fprintf(stderr, "recallmodel-bench: %s\n", rcm_gpu_message(status));
    return status == RCM_GPU_NO_DEVICE ? STATUS_NO_DEVICE : STATUS_FAILED;
}

static void format_remarks(char *remarks, size_t size, struct runner *r,
                           const struct session_options *options)
{
    const struct rcm_gpu_facts *f = runner_facts(r);
    const struct sampling *rules = session_rules(options);
    struct monitor *monitor = runner_monitor(r);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    snprintf(remarks, size,
             "# recallmodel-bench %s git=%s date=%s gpu=\"%s\" multiprocessors=%d l2=%zu "
             "memory=%zu driver=%s cuda_driver=%d.%d cuda_runtime=%d.%d"
             " sm_clock_max_mhz=%u memory_clock_mhz=%u power_limit_w=%u seed=%" PRIu64 "\n"
             "# stop=noise<%g%%|%gs samples>=%u interval=95%% cold=flush,rotation(graph) graph=%d "
             "calls bandwidth_share=roof_us_median/time_us_median, alternately\n",
             rcm_version(), sources_git, date, f->name, f->multiprocessors, f->l2_bytes,
             f->memory_bytes, monitor_driver(monitor), f->driver / 1000, f->driver % 1000 / 10,
             f->runtime / 1000, f->runtime % 1000 / 10, monitor_most_sm_clock_mhz(monitor),
             monitor_memory_clock_mhz(monitor), monitor_power_limit_watts(monitor), options->seed,
             100.0 * rules->noise, rules->seconds, rules->least, GRAPH_CALLS);
}

int session_open_results(struct results *results, struct runner *runner,
                         const struct session_options *options, const char *columns,
                         unsigned key_columns)
{
    char remarks[1200], error[300];
    format_remarks(remarks, sizeof remarks, runner, options);
    if (results_open(results, options->output, columns, key_columns, remarks, error,
                     sizeof error) != 0) {
        fprintf(stderr, "recallmodel-bench: %s\n", error);
        return STATUS_FAILED;
    }
    if (results->other_git)
        fprintf(
            stderr,
            "recallmodel-bench: %s has rows from other sources (see git= in its remarks); they are "
            "kept. Delete the file to measure everything again\n",
            options->output);
    return STATUS_OK;
}
