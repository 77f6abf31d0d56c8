/* command_calibrate.c - a profile of a kernel on a device from measured runs, and how far it can be
 * trusted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/atomic_file.h>
#include <sim/team.h>

#include "calibrate.h"
#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/timings.h>

/* ---- options */

/* A device that is known, a file, or a name for a card of one's own. */
static int read_card(void *to, const char *option, const char *value)
{
    struct device_option *device = to;
    size_t several;
    const bool path = strpbrk(value, "./"),
               known = rcm_device_meant(value, NULL, 0, &several) || several > 0;
    if (path || known || strcmp(value, "this") == 0 || !isalnum((unsigned char)*value))
        return read_device(to, option, value);
    *device = (struct device_option){.given = true, .given_as = value, .text.device.name = value};
    return STATUS_OK;
}

#define AT(member) offsetof(struct calibrate_settings, member)

static const struct argument calibrate_options[] = {
    {"--runs", "FILE", &kind_of_runs_path, AT(runs),
     "measured runs: a CSV with the columns n, k, b, k_b, m and time_us_median (or time_us), or "
     "the name of runs that come with recallmodel (recallmodel runs); --runs may be left out "
     "before FILE"},
    {"--exact", "FILE", &kind_of_runs_path, AT(exact_runs),
     "measured runs of exact top-k, which say more about stage 2: a CSV with n, k, m and the time, "
     "or a name"},
    {"--contiguous", "FILE", &kind_of_runs_path, AT(contiguous_runs),
     "measured runs of contiguous buckets: rows of a CSV with contiguous in the column assignment, "
     "which may be the file of --runs"},
    {"--name", "NAME", BY(read_text), AT(name),
     "the name of the device in the profile (default: that of --device, or device)"},
    {"--source", "TEXT", BY(read_text), AT(source),
     "a text for the profile that says where the runs come from"},
    {"--card", "TEXT", BY(read_text), AT(card),
     "the card or CPU that the runs were measured on, if --name says something else (bench "
     "--calibrate sets it)"},
    {"--kernel", "K", &kind_of_kernel, AT(kernel),
     "the kernel that ran: graphcore (default), graphcore-thread, graphcore-block, ours, xla, "
     "drtopk, cpu (topk/, measured by recallmodel bench), helion or generic for a kernel of which "
     "only the times are known, or exact, exact-once or torch-topk for one that only finds the "
     "exact top-k"},
    {"--runs-kernel", "K", BY(read_text), AT(runs_kernel),
     "fit only rows with K in the column kernel (default: auto if a row has it, otherwise that of "
     "the first row)"},
    {OPTION_COLUMNS},
    {OPTION_TIME_UNIT},
    {"-o", "FILE", BY(read_text), AT(profile_file), "write the profile to FILE"},
    {"--cross-validate", NULL, BY(read_switch), AT(cross_validate),
     "also print the regret of choosing by this model and by those of the papers, on every second "
     "size n, which the fit leaves out; --csv then prints the regret of each size left out in "
     "turn"},
    {"--no-held-out", NULL, BY(read_switch), AT(no_held_out),
     "only fit: do not also predict each size n by a fit to the others, which takes most of the "
     "time; the profile then has no held-out errors and no bands"},
    {"--plan", NULL, BY(read_switch), AT(plan),
     "print, as CSV, which shapes to time and what each is for: few shapes that together determine "
     "the parameters (D-optimal), or those that the runs of --runs leave open; takes only --runs, "
     "--kernel, --device and --dtype"},
    {"--leave-out", "LIST", BY(read_sorted_counts), AT(leave_out),
     "with --cross-validate: the sizes n to leave out, instead of every second one"},
    {"--device", "D", KIND(read_card, DEVICE_NAMES), IN_QUESTION(device),
     "the device: its name goes into the profile and, if it is known, its rates; or any name for a "
     "card of your own"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "type of the values: f16 (default), bf16 or f32; a column dtype of the runs may say it "
     "instead"},
    OPTIONS_FORM,
};

static const struct argument_rule calibrate_rules[] = {
    {.options = "--plan",
     .excludes = "--exact --contiguous -o --cross-validate --no-held-out",
     .why = "--plan prints shapes to time, and fits and writes nothing"},
    {.options = "--no-held-out",
     .excludes = "--cross-validate --json --csv",
     .why = "--no-held-out leaves out what they print"},
    {.options = "--leave-out", .needs = "--cross-validate"},
    {0},
};

/* ---- the command */

/* The file that -o writes: the path, or the file that it links to. *target is NULL without -o; the
 * caller frees it. Returns a status. */
static int find_target(const struct calibrate_settings *settings, char **target)
{
    char error[600];
    *target = NULL;
    if (!settings->profile_file)
        return STATUS_OK;
    *target = atomic_file_target(settings->profile_file, MESSAGE(error));
    return *target ? STATUS_OK : usage_error("-o %s %s", settings->profile_file, error);
}

static int calibrate(const struct calibrate_settings *settings)
{
    struct calibration c = {0};
    char *target;
    int status = find_target(settings, &target);
    if (status == STATUS_OK)
        status = calibration_read(&c, settings);
    if (status == STATUS_OK)
        status = calibration_describe(&c, settings);
    if (status == STATUS_OK)
        status = calibration_fit(&c, settings);
    if (status == STATUS_OK && target && team_rank() == 0)
        status = calibration_write(&c, settings, target);
    if (status == STATUS_OK)
        status = calibration_report(&c, settings);
    free(target);
    calibration_free(&c);
    return status;
}

static int run_calibrate(int count, char **arguments)
{
    struct calibrate_settings settings = {.question = QUESTION_DEFAULT};
    int status = arguments_read_ruled(calibrate_options, calibrate_rules, command_calibrate.bare,
                                      &settings, count, arguments);
    if (status == STATUS_OK)
        status = settings.plan ? calibrate_plan(&settings) : calibrate(&settings);
    question_free(&settings.question);
    free(settings.leave_out.items);
    return status;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .summary = "a profile of a kernel on a device, fitted to measured runs",
    .example = "recallmodel calibrate runs.csv --exact exact.csv --name 'My GPU' -o my.profile\n"
               "  recallmodel calibrate runs.csv --cross-validate\n"
               "  recallmodel calibrate --plan > shapes.csv",
    .detail = "calibrate fits a physical model of the time of both stages: kernel launches, waves "
              "of thread blocks, memory traffic, merges. It prints the parameters, the error of "
              "the fit in each regime, and how well a fit to the other sizes predicts each n.\n"
              "\n"
              "The fit begins from the parameters of the nearest card that has a profile "
              "(recallmodel devices), and parameters that the runs do not determine stay as they "
              "are there; 8 runs are enough. --kernel exact, exact-once and torch-topk fit a model "
              "of eight parameters to runs of exact top-k alone.\n"
              "\n"
              "--plan chooses one shape after the other, each time the one whose time is most "
              "uncertain (docs/calibrating.md). With runs it prints the fewest shapes that "
              "determine what they leave open.",
    .options = calibrate_options,
    .bare = "--runs",
    .run = run_calibrate,
};
