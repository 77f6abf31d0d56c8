/* options.c - see options.h. A new option is one row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "options.h"
#include "nearest.h"
#include "plot.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line, whatever the user typed: control characters become '?'. */
int usage_error(const char *format, ...)
{
    char line[1200] = "recallmodel: ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + strlen(line), sizeof line - strlen(line), format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "%s\n", line);
    return STATUS_USAGE;
}

#define SHOWN 60 /* characters of a value that a message repeats */

/* Each sets what its option stands for, `offset` into the options, and returns a status. */
typedef int setter(struct options *options, size_t offset, const char *name, const char *value);

static int set_list(struct options *options, size_t offset, const char *name, const char *value)
{
    struct count_list *list = (struct count_list *)(void *)((char *)options + offset);
    char item[ITEM_MAX];
    free(list->items);
    const char *wrong = parse_count_list(value, list, item);
    if (wrong && strcmp(item, value) != 0)
        return usage_error("%s '%.*s': '%s' is %s; give a list such as 1,2,4 or 1..8", name, SHOWN,
                           value, item, wrong);
    return wrong ? usage_error("%s '%s' is %s; give a whole number from 1 on, such as 262144, "
                               "2^18, 256Ki or 1e6",
                               name, item, wrong)
                 : STATUS_OK;
}

static int set_sorted_list(struct options *options, size_t offset, const char *name,
                           const char *value)
{
    int status = set_list(options, offset, name, value);
    if (status == STATUS_OK)
        sort_counts((struct count_list *)(void *)((char *)options + offset));
    return status;
}

static int set_count(struct options *options, size_t offset, const char *name, const char *value)
{
    const char *wrong = parse_count(value, (uint64_t *)(void *)((char *)options + offset));
    return wrong
               ? usage_error(
                     "%s '%.*s' is %s; give one whole number from 1 on, such as 4096, 2^12 or 4Ki",
                     name, SHOWN, value, wrong)
               : STATUS_OK;
}

static int set_targets(struct options *options, size_t offset, const char *name, const char *value)
{
    char item[ITEM_MAX];
    (void)offset;
    free(options->targets.items);
    const char *wrong = parse_decimal_list(value, &options->targets, item);
    if (wrong)
        return usage_error("%s '%.*s' is %s; give a decimal fraction such as 0.95, or for bounds a "
                           "list: 0.8,0.9 or 0.8:0.05:0.95",
                           name, SHOWN, value, wrong);
    for (size_t i = 0; i < options->targets.length; i++) {
        struct decimal recall = options->targets.items[i];
        if (!(recall.digits > 0 && decimal_complement(recall) >= 0.0))
            return usage_error("%s '%.*s' is outside (0, 1]; write 0.95 for 95 %%", name, SHOWN,
                               value);
    }
    return STATUS_OK;
}

/* For each name of a list, in order, where it stands among `names`. Names given twice count once.
 */
static int set_names(const char *option, const char *value, const char *const *names,
                     unsigned count, unsigned *found, unsigned *length)
{
    char known[200] = "";
    for (unsigned i = 0; i < count; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 names[i]);
    *length = 0;
    for (const char *at = value;; at++) {
        size_t name = strcspn(at, ",");
        unsigned i = 0, j = 0;
        while (i < count && !(strlen(names[i]) == name && strncmp(at, names[i], name) == 0))
            i++;
        if (i == count)
            return usage_error("%s '%.*s' is not known; give one of %s", option,
                               (int)(name < SHOWN ? name : SHOWN), at, known);
        while (j < *length && found[j] != i)
            j++;
        if (j == *length)
            found[(*length)++] = i;
        at += name;
        if (*at == '\0')
            return STATUS_OK;
    }
}

static const char *const assignment_names[] = {[RCM_INTERLEAVED] = "interleaved",
                                               [RCM_CONTIGUOUS] = "contiguous",
                                               [RCM_CONTIGUOUS_FLOOR] = "contiguous-floor"};

const char *assignment_name(enum rcm_assignment assignment)
{
    return assignment_names[assignment];
}

static int set_assignments(struct options *options, size_t offset, const char *name,
                           const char *value)
{
    unsigned found[SIM_ASSIGNMENTS], length;
    (void)offset;
    int status = set_names(name, value, assignment_names, SIM_ASSIGNMENTS, found, &length);
    for (unsigned i = 0; i < length; i++)
        options->assignments[i] = (enum rcm_assignment)found[i];
    options->assignment_count = length;
    return status;
}

static int set_assignment(struct options *options, size_t offset, const char *name,
                          const char *value)
{
    int status = set_assignments(options, offset, name, value);
    return status == STATUS_OK && options->assignment_count > 1
               ? usage_error("%s takes one here; for several at once use recallmodel simulate",
                             name)
               : status;
}

static int set_input(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    char names[200] = "";
    for (int i = 0; i < SIM_INPUTS; i++) {
        if (i == SIM_FILE)
            continue;
        if (strcmp(value, sim_input_name((enum sim_input)i)) == 0) {
            options->input = (enum sim_input)i;
            options->has_input = true;
            return STATUS_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 sim_input_name((enum sim_input)i));
    }
    return usage_error("%s '%.*s' is not known; give one of %s, or --file for rows of your own",
                       name, SHOWN, value, names);
}

static int set_shuffles(struct options *options, size_t offset, const char *name, const char *value)
{
    const char *names[SIM_SHUFFLES];
    unsigned found[SIM_SHUFFLES], length;
    (void)offset;
    for (int i = 0; i < SIM_SHUFFLES; i++)
        names[i] = sim_shuffle_name((enum sim_shuffle)i);
    int status = set_names(name, value, names, SIM_SHUFFLES, found, &length);
    for (unsigned i = 0; i < length; i++)
        options->shuffles[i] = (enum sim_shuffle)found[i];
    options->shuffle_count = length;
    return status;
}

static int set_file_dtype(struct options *options, size_t offset, const char *name,
                          const char *value)
{
    (void)offset;
    for (int i = SIM_F16; i <= SIM_F64; i++)
        if (strcmp(value, sim_dtype_name((enum sim_dtype)i)) == 0) {
            options->file_dtype = (enum sim_dtype)i;
            return STATUS_OK;
        }
    return usage_error("%s '%.*s' is not known; give f16, bf16, f32 or f64", name, SHOWN, value);
}

static int set_text(struct options *options, size_t offset, const char *name, const char *value)
{
    if (*value == '\0')
        return usage_error("%s is empty; give a value or leave it out", name);
    *(const char **)(void *)((char *)options + offset) = value;
    return STATUS_OK;
}

static int set_plot(struct options *options, size_t offset, const char *name, const char *value)
{
    const int status = set_text(options, offset, name, value);
    return status == STATUS_OK ? plot_check(value) : status;
}

static int set_runs(struct options *options, size_t offset, const char *name, const char *value)
{
    return options->runs
               ? usage_error("%s '%.*s': runs are given already, '%.*s'; put them into one file",
                             name, SHOWN, value, SHOWN, options->runs)
               : set_text(options, offset, name, value);
}

static int set_seed(struct options *options, size_t offset, const char *name, const char *value)
{
    if (strcmp(value, "0") != 0)
        return set_count(options, offset, name, value);
    options->seed = 0;
    return STATUS_OK;
}

static int set_decimals(struct options *options, size_t offset, const char *name, const char *value)
{
    struct decimal_list *list = (struct decimal_list *)(void *)((char *)options + offset);
    char item[ITEM_MAX];
    free(list->items);
    const char *wrong = parse_decimal_list(value, list, item);
    return wrong ? usage_error(
                       "%s '%.*s' is %s; give a decimal such as 0.5, or a list: 0,0.5 or 0:0.1:0.9",
                       name, SHOWN, value, wrong)
                 : STATUS_OK;
}

/* A probability or a share strictly between 0 and 1; `closed`: or 1. */
static int set_fraction(struct decimal *to, bool *given, bool closed, const char *name,
                        const char *value)
{
    struct decimal fraction;
    const char *wrong = parse_decimal(value, &fraction);
    if (wrong)
        return usage_error("%s '%.*s' is %s; give a decimal fraction such as 0.05", name, SHOWN,
                           value, wrong);
    if (!(fraction.digits > 0 &&
          (closed ? decimal_complement(fraction) >= 0.0 : decimal_complement(fraction) > 0.0)))
        return usage_error("%s '%.*s' is outside (0, 1%c; write 0.05 for 5 %%", name, SHOWN, value,
                           closed ? ']' : ')');
    *to = fraction;
    *given = true;
    return STATUS_OK;
}

static int set_quantile(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    return set_fraction(&options->quantile, &options->has_quantile, false, name, value);
}

static int set_at_least(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    return set_fraction(&options->at_least, &options->has_at_least, true, name, value);
}

static int set_confidence(struct options *options, size_t offset, const char *name,
                          const char *value)
{
    (void)offset;
    return set_fraction(&options->confidence, &options->has_confidence, false, name, value);
}

static int set_objective(struct options *options, size_t offset, const char *name,
                         const char *value)
{
    char names[200] = "";
    const struct rcm_objective *objective;
    (void)offset;
    options->objective = rcm_objective_by_name(value);
    for (size_t i = 0; (objective = rcm_objective(i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 objective->name);
    return options->objective
               ? STATUS_OK
               : usage_error("%s '%.*s' is not known; give one of %s", name, SHOWN, value, names);
}

static int set_exact_us(struct options *options, size_t offset, const char *name, const char *value)
{
    struct decimal us;
    (void)offset;
    const char *wrong = parse_decimal(value, &us);
    options->exact_us = wrong ? 0.0 : decimal_value(us);
    return options->exact_us > 0.0 ? STATUS_OK
                                   : usage_error("%s '%.*s' is %s; give what your exact top-k "
                                                 "takes, in microseconds, such as 44.3",
                                                 name, SHOWN, value, wrong ? wrong : "not above 0");
}

static int set_verbose(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->verbose = true;
    return STATUS_OK;
}

static int set_kernel(struct options *options, size_t offset, const char *name, const char *value)
{
    char names[200] = "";
    const struct rcm_kernel *kernel;
    (void)offset;
    for (size_t i = 0; (kernel = rcm_kernel(i)); i++) {
        if (strcmp(value, kernel->name) == 0) {
            options->kernel = kernel;
            return STATUS_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 kernel->name);
    }
    return usage_error("%s '%.*s' is not known; give one of %s", name, SHOWN, value, names);
}

static int set_k_b_max(struct options *options, size_t offset, const char *name, const char *value)
{
    int status = set_count(options, offset, name, value);
    return status == STATUS_OK && options->k_b_max > K_B_MOST
               ? usage_error("%s '%.*s' is above %d", name, SHOWN, value, K_B_MOST)
               : status;
}

static int set_rho(struct options *options, size_t offset, const char *name, const char *value)
{
    int status = set_decimals(options, offset, name, value);
    for (size_t i = 0; i < options->rho.length && status == STATUS_OK; i++)
        if (!(decimal_complement(options->rho.items[i]) > 0.0))
            status = usage_error(
                "%s '%.*s' is not below 1; the correlation of neighbours lies in [0, 1)", name,
                SHOWN, value);
    return status;
}

static int set_temperature(struct options *options, size_t offset, const char *name,
                           const char *value)
{
    char item[ITEM_MAX];
    (void)offset;
    free(options->temperature.items);
    const char *wrong = parse_decimal_list(value, &options->temperature, item);
    if (wrong || options->temperature.length != 1 || options->temperature.items[0].digits == 0)
        return usage_error("%s '%.*s' is not a decimal number above 0; give 1 for exp(x), or 0.5",
                           name, SHOWN, value);
    return STATUS_OK;
}

static int set_digits(struct options *options, size_t offset, const char *name, const char *value)
{
    int status = set_sorted_list(options, offset, name, value);
    if (status == STATUS_OK && options->digits.items[options->digits.length - 1] > 16)
        status =
            usage_error("%s '%.*s' is above 16; give bits a pass from 1 to 16", name, SHOWN, value);
    return status;
}

static int set_dtype(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    options->has_dtype = true;
    return rcm_dtype_by_name(value, &options->dtype)
               ? STATUS_OK
               : usage_error("%s '%.60s' is not known; give f32, f16 or bf16", name, value);
}

/* Adds a name to a list of them, where it still fits. */
static void list_name(char *names, size_t size, const char *name)
{
    snprintf(names + strlen(names), size - strlen(names), "%s%s", *names ? ", " : "", name);
}

#define NAMES_LISTED 64 /* of what a prefix may mean */

static int set_device(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    const struct rcm_device *found[NAMES_LISTED];
    const size_t count = rcm_devices_by_prefix(value, found, NAMES_LISTED);
    char names[800] = "", error[800];
    options->has_device = true;
    if (count == 1) {
        options->device = (struct rcm_device_text){.device = *found[0]};
        return STATUS_OK;
    }
    if (strpbrk(value, "./")) {
        if (device_file_read(value, &options->device, error, sizeof error) == 0)
            return STATUS_OK;
        return usage_error("%s %s", name, error);
    }
    for (size_t i = 0; i < count && i < NAMES_LISTED; i++)
        list_name(names, sizeof names, found[i]->name);
    if (count > 1)
        return usage_error("%s '%.60s' is one of %s; give one of them", name, value, names);
    for (size_t i = 0; rcm_device(i); i++)
        list_name(names, sizeof names, rcm_device(i)->name);
    return usage_error("%s '%.60s' is not known; give one of %s, or the path of a device file"
                       " (./my.device)",
                       name, value, names);
}

static int set_decoder(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    const struct rcm_decoder *found[NAMES_LISTED];
    const size_t count = rcm_decoders_by_prefix(value, found, NAMES_LISTED);
    char names[800] = "";
    options->all_decoders = strcmp(value, "all") == 0;
    options->decoder = count == 1 ? found[0] : NULL;
    if (options->all_decoders || count == 1)
        return STATUS_OK;
    for (size_t i = 0; i < count && i < NAMES_LISTED; i++)
        list_name(names, sizeof names, found[i]->name);
    if (count > 1)
        return usage_error("%s '%.60s' is one of %s; give one of them", name, value, names);
    for (size_t i = 0; rcm_decoder(i); i++)
        list_name(names, sizeof names, rcm_decoder(i)->name);
    return usage_error("%s '%.60s' is not known; give one of %s, all, or the numbers of another:"
                       " --layers, --width, --kv-heads and --head",
                       name, value, names);
}

static int set_components(struct options *options, size_t offset, const char *name,
                          const char *value)
{
    (void)offset;
    const char *wrong = parse_count(value, &options->components);
    return wrong ? usage_error("%s '%.*s' is %s; give a whole number from 1 to the elements of a"
                               " head, such as 16 of 128",
                               name, SHOWN, value, wrong)
                 : STATUS_OK;
}

static int set_budget(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    const char *wrong = parse_amount(value, &options->budget);
    return wrong ? usage_error("%s '%.*s' is %s; give what --objective may be at most, of time "
                               "microseconds: 4096, 2^12 or 59.5",
                               name, SHOWN, value, wrong)
                 : STATUS_OK;
}

static int set_cross_validate(struct options *options, size_t offset, const char *name,
                              const char *value)
{
    (void)offset, (void)name, (void)value;
    options->cross_validate = true;
    return STATUS_OK;
}

static int set_plan(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->plan = true;
    return STATUS_OK;
}

static int set_divisors(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->divisors = true;
    return STATUS_OK;
}

static int set_help(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->help = true;
    return STATUS_OK;
}

static int set_output(struct options *options, enum output output)
{
    if (options->output != OUTPUT_TABLE && options->output != output)
        return usage_error("--json and --csv exclude each other; give one of them");
    options->output = output;
    return STATUS_OK;
}

static int set_json(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    return set_output(options, OUTPUT_JSON);
}

static int set_csv(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    return set_output(options, OUTPUT_CSV);
}

#define FOR_SHAPES \
    (FOR_RECALL | FOR_RANKS | FOR_COST | FOR_BOUNDS | FOR_SELECT | FOR_PREDICT | FOR_ATTENTION | \
     FOR_EXACT)
#define FOR_BUCKETS (FOR_RECALL | FOR_RANKS | FOR_BOUNDS)
#define FOR_ROWS (FOR_SIMULATE | FOR_COUNT)
#define FOR_ALL (FOR_SHAPES | FOR_DEVICES | FOR_ROWS | FOR_CALIBRATE)

#define AT(field) offsetof(struct options, field)

static const struct {
    const char *name, *value; /* value == NULL: a switch */
    int commands;
    setter *set;
    size_t offset;
    const char *help;
} table[] = {
    {"--n", "N", FOR_SHAPES, set_list, AT(n), "elements in a row; a list asks for each"},
    {"--k", "K", FOR_SHAPES, set_list, AT(k), "elements wanted; a list asks for each"},
    {"--n", "N", FOR_ROWS, set_list, AT(n), "elements in a row"},
    {"--k", "K", FOR_ROWS, set_list, AT(k), "elements wanted"},
    {"--kb", "LIST", FOR_BUCKETS | FOR_ROWS | FOR_PREDICT, set_sorted_list, AT(k_b),
     "kept per bucket (default 1,2,3,4,6,8 as far as k allows)"},
    {"--b", "LIST", FOR_RECALL | FOR_RANKS | FOR_PREDICT, set_sorted_list, AT(b),
     "buckets (default: a choice between the fewest and n/kb)"},
    {"--b", "LIST", FOR_SIMULATE, set_sorted_list, AT(b),
     "buckets (default: the fewest, k/kb; with --recall a choice)"},
    {"--b", "LIST", FOR_COUNT, set_sorted_list, AT(b),
     "buckets of stage 1 (default: the fewest, k/kb)"},
    {"--runs", "FILE", FOR_PREDICT, set_runs, AT(runs),
     "predict these shapes: a CSV with the columns n, k, b, k_b, m"},
    {"--runs", "FILE", FOR_CALIBRATE, set_runs, AT(runs),
     "measured runs: a CSV with the columns n, k, b, k_b, m and time_us_median\n(or time_us); it "
     "may also stand without --runs"},
    {"--exact", "FILE", FOR_CALIBRATE, set_text, AT(exact_runs),
     "measured runs of exact top-k, for stage 2: n, k, m and the time"},
    {"--name", "NAME", FOR_CALIBRATE, set_text, AT(name),
     "of the device, in the profile (default: of --device, or device)"},
    {"--source", "TEXT", FOR_CALIBRATE, set_text, AT(source),
     "where the runs come from, in the profile"},
    {"--kernel", "K", FOR_CALIBRATE, set_kernel, 0,
     "the kernel that ran: graphcore (default), graphcore-thread, graphcore-block,\n"
     "ours, xla, or generic: one of which only the times are known"},
    {"--kernel", "K", FOR_PREDICT, set_kernel, 0,
     "of the profile, or another of its family (graphcore-thread, graphcore-block)"},
    {"-o", "FILE", FOR_CALIBRATE, set_text, AT(profile_file), "write the profile there"},
    {"--cross-validate", NULL, FOR_CALIBRATE, set_cross_validate, 0,
     "also the regret of choosing by this model and by the papers', on every\nsecond size n, left "
     "out of the fit; --csv then prints the\nregret of each size left out in turn"},
    {"--plan", NULL, FOR_CALIBRATE, set_plan, 0,
     "print, as CSV, which shapes to time and what each is for: few, chosen so that\n"
     "together they determine the parameters (D-optimal); --kernel, --device, --dtype"},
    {"--leave-out", "LIST", FOR_CALIBRATE, set_sorted_list, AT(leave_out),
     "with --cross-validate: leave out these sizes n instead"},
    {"--kernel", "K", FOR_SELECT, set_kernel, 0,
     "what it must run on: any (default), ours, graphcore or xla"},
    {"--objective", "O", FOR_SELECT, set_objective, 0,
     "what must be least: candidates (default), time (default with a --device\nthat has a "
     "profile), roofline (default with another --device), or the\ncost in the model basic, serial "
     "or parallel"},
    {"--budget", "X", FOR_SELECT, set_budget, 0,
     "instead of --recall: the most recall for an objective of at most X (time: us)"},
    {"--b", "B", FOR_EXACT, set_list, AT(b),
     "buckets (default: those for which the fewest elements are handled)"},
    {"--kb", "KB", FOR_EXACT, set_list, AT(k_b), "kept per bucket; goes with --b"},
    {"--b", "B", FOR_SELECT, set_list, AT(b),
     "with --kb, and without --k or --n: the largest k or n that keeps the recall"},
    {"--kb", "KB", FOR_SELECT, set_list, AT(k_b), "goes with --b"},
    {"--shards", "D", FOR_SELECT, set_count, AT(shards),
     "the row lies in D runs, one a device: how many each must send;\nwith --device also the time "
     "of a device and of the merge"},
    {"--confidence", "P", FOR_SELECT, set_confidence, 0,
     "reach --recall in a row with this probability, not in the mean"},
    {"--kb-max", "N", FOR_SELECT | FOR_EXACT, set_k_b_max, AT(k_b_max),
     "the largest kept per bucket (default 4)"},
    {"--exact-us", "T", FOR_SELECT, set_exact_us, 0,
     "your own exact top-k of this shape takes T us, measured: compare with it"},
    {"--verbose", NULL, FOR_SELECT, set_verbose, 0,
     "also the frontier, what others take, and the calls for all frameworks"},
    {"--m", "M", FOR_RECALL | FOR_COST | FOR_SELECT | FOR_PREDICT, set_count, AT(m),
     "rows in the batch (default 1)"},
    {"--d", "D", FOR_PREDICT, set_count, AT(d),
     "the values are products of vectors of D elements: also print their time (roofline)"},
    {"--decoder", "NAME", FOR_ATTENTION, set_decoder, 0,
     "the decoder: a name or the beginning of just one; all: each of\nthem (default Llama-2-7B)"},
    {"--layers", "L", FOR_ATTENTION, set_count, AT(own.layers),
     "a decoder by its numbers: these four are needed, and --width,"},
    {"--width", "W", FOR_ATTENTION, set_count, AT(own.width), "the hidden size,"},
    {"--kv-heads", "H", FOR_ATTENTION, set_count, AT(own.kv_heads),
     "the heads of keys and values,"},
    {"--head", "D", FOR_ATTENTION, set_count, AT(own.head), "the elements of a head"},
    {"--heads", "H", FOR_ATTENTION, set_count, AT(own.heads), "the heads of queries (default W/D)"},
    {"--ffn", "F", FOR_ATTENTION, set_count, AT(own.ffn),
     "the inner size of the gated feed-forward network: 3 W F\n"
     "parameters (default: 8 W^2 of them, as Key et al.)"},
    {"--vocabulary", "V", FOR_ATTENTION, set_count, AT(own.vocabulary),
     "the embedding, V x W (default: not counted)"},
    {"--components", "R", FOR_ATTENTION, set_components, 0,
     "elements of each key that SparQ reads first (default: an eighth of a head)"},
    {"--input", "I", FOR_SIMULATE, set_input, 0,
     "placement (default: no rows, random top-k positions), iid,\n"
     "ar1, lognormal, uniform, ties, sorted or constant"},
    {"--input", "I", FOR_COUNT, set_input, 0,
     "iid (default), ar1, lognormal, uniform, ties, sorted or constant"},
    {"--rho", "LIST", FOR_SIMULATE, set_rho, AT(rho),
     "correlation of neighbours in ar1 (default 0.5), such as 0:0.1:0.9"},
    {"--rho", "R", FOR_COUNT, set_rho, AT(rho), "correlation of neighbours in ar1 (default 0.5)"},
    {"--shuffle", "LIST", FOR_SIMULATE, set_shuffles, 0,
     "none (default), row (permute each row) or once (permute all rows alike)"},
    {"--file", "PATH", FOR_SIMULATE, set_text, AT(file),
     "rows from a .npy file (its last axis), or raw numbers"},
    {"--dtype", "T", FOR_SIMULATE, set_file_dtype, 0,
     "type of the file's values: f16, bf16, f32 or f64; of a .npy only bf16"},
    {"--row", "N", FOR_SIMULATE, set_count, AT(row), "elements in a row of a raw file"},
    {"--valid", "L", FOR_BUCKETS | FOR_SIMULATE | FOR_SELECT | FOR_EXACT, set_count, AT(valid),
     "only the first L elements of a row exist, the rest is padding"},
    {"--assignment", "A", FOR_BUCKETS | FOR_SELECT | FOR_EXACT, set_assignment, 0,
     "interleaved (default), contiguous or contiguous-floor; they\n"
     "differ only with --valid"},
    {"--assignment", "LIST", FOR_SIMULATE, set_assignments, 0,
     "interleaved (default), contiguous, contiguous-floor"},
    {"--repetitions", "R", FOR_SIMULATE, set_count, AT(repetitions),
     "rows to simulate (default 100, with --recall up to\n"
     "10000, of a file all)"},
    {"--repetitions", "R", FOR_COUNT, set_count, AT(repetitions),
     "rows to count on (default 1); the counts are their mean"},
    {"--seed", "S", FOR_ROWS, set_seed, AT(seed),
     "seed of the random numbers (default 1); a seed always gives the same result"},
    {"--recall", "R", FOR_SELECT, set_targets, 0, "recall to reach (default 0.95)"},
    {"--recall", "R", FOR_BUCKETS, set_targets, 0,
     "expected recall to reach, within 1e-12 of the loss (default 0.95)"},
    {"--recall", "R", FOR_SIMULATE, set_targets, 0,
     "recall to reach; also print the shape to choose for these rows"},
    {"--quantile", "Q", FOR_SELECT, set_quantile, 0,
     "of recall_quantile: all but so many rows reach it (default 0.05, or 1 - P)"},
    {"--quantile", "Q", FOR_EXACT, set_quantile, 0,
     "the share of rows that may need a larger buffer (default 0.000001)"},
    {"--quantile", "Q", FOR_RECALL, set_quantile, 0,
     "also print the recall that all but a share Q of rows reach, such as 0.05"},
    {"--at-least", "R", FOR_RECALL, set_at_least, 0,
     "also print the probability that a row has at least recall R"},
    {"--ranks", "LIST", FOR_RANKS, set_sorted_list, AT(ranks),
     "ranks to show (default 1, 2, 4, .. and k)"},
    {"--ranks", "LIST", FOR_SIMULATE, set_sorted_list, AT(ranks),
     "also print how often the elements of these ranks survive"},
    {"--temperature", "T", FOR_SIMULATE, set_temperature, AT(temperature),
     "also print the softmax mass that is kept (with --file always, T = 1)"},
    {"--digits", "LIST", FOR_COUNT, set_digits, AT(digits),
     "bits a pass of the radix selects, 1 to 16 (default 1,4,8,11)"},
    {"--device", "D", FOR_RECALL | FOR_DEVICES, set_device, 0,
     "the roofline of a device: a name or the beginning of just one\n"
     "(h200, rtx5090), or the path of a device file"},
    {"--verbose", NULL, FOR_DEVICES, set_verbose, 0,
     "also the sources of the rates, and the ridge points of Samaga et al."},
    {"--device", "D", FOR_SELECT | FOR_PREDICT, set_device, 0,
     "a device with a calibrated profile: a name, or the path of a profile"},
    {"--device", "D", FOR_ATTENTION, set_device, 0,
     "a device with a matrix rate: a name, or the path of a device file\n(default H100-PCIe)"},
    {"--device", "D", FOR_CALIBRATE, set_device, 0,
     "a device whose rates the profile shall repeat"},
    {"--dtype", "T", FOR_RECALL, set_dtype, 0,
     "f32 (default), f16 or bf16: bytes of a value in the roofline"},
    {"--dtype", "T", FOR_SELECT | FOR_PREDICT, set_dtype, 0,
     "of the profile: f16, bf16 or f32, where a device has several"},
    {"--dtype", "T", FOR_CALIBRATE, set_dtype, 0,
     "of the values: f16 (default), bf16 or f32; a column dtype says it, too"},
    {"--align", "A", FOR_BUCKETS | FOR_SIMULATE | FOR_SELECT | FOR_EXACT, set_count, AT(align),
     "take only multiples of A for b, where b is not given"},
    {"--divisors", NULL, FOR_BUCKETS | FOR_SIMULATE | FOR_SELECT | FOR_EXACT, set_divisors, 0,
     "take only divisors of n for b, where b is not given"},
    {"--threads", "T", FOR_SIMULATE, set_count, AT(threads),
     "threads (default: all); the result does not depend on them"},
    {"--checkpoint", "FILE", FOR_SIMULATE, set_text, AT(checkpoint),
     "save the state to FILE every 2 s; resume from FILE if it exists"},
    {"--plot", "FILE", FOR_RECALL | FOR_SELECT | FOR_SIMULATE, set_plot, AT(plot),
     "also draw the answer: a .png, .pdf or .svg, or - for the terminal (gnuplot)"},
    {"--json", NULL, FOR_ALL, set_json, 0, "print JSON"},
    {"--csv", NULL, FOR_ALL, set_csv, 0, "print CSV"},
    {"--help", NULL, FOR_ALL, set_help, 0, "print this help; also -h"},
};

#define TABLE_LENGTH (sizeof table / sizeof *table)

void options_describe(enum command_bit command)
{
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        if (table[i].commands & (int)command) {
            char left[40];
            snprintf(left, sizeof left, "%s %s", table[i].name,
                     table[i].value ? table[i].value : "");
            const char *help = table[i].help, *end;
            for (; (end = strchr(help, '\n')); help = end + 1, *left = '\0')
                printf("  %-18s %.*s\n", left, (int)(end - help), help);
            printf("  %-18s %s\n", left, help);
        }
}

static int unknown_option(const char *argument, size_t length, enum command_bit command)
{
    char names[500] = "";
    struct nearest nearest = {.typed = argument, .length = length};
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        if (table[i].commands & (int)command) {
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " " : "",
                     table[i].name);
            nearest_try(&nearest, table[i].name);
        }
    return nearest.name ? usage_error("unknown option '%.*s'; did you mean %s?", (int)length,
                                      argument, nearest.name)
                        : usage_error("unknown option '%.*s'; the options here are %s", (int)length,
                                      argument, names);
}

/* What holds between options, whatever the subcommand does with them. */
static int check_together(const struct options *options, enum command_bit command)
{
    if (options->plot && strcmp(options->plot, "-") == 0 && options->output != OUTPUT_TABLE)
        return usage_error("--plot - draws between the lines of %s; name a file",
                           options->output == OUTPUT_JSON ? "--json" : "--csv");
    if (options->plot && (options->n.length > 1 || options->k.length > 1))
        return usage_error("--plot draws one picture; give one --n and one --k");
    if (command == FOR_RECALL && options->has_dtype && !options->has_device)
        return usage_error("--dtype is of the roofline of a device; give a --device, such as "
                           "--device h200, or leave --dtype out");
    return STATUS_OK;
}

int options_parse(struct options *options, enum command_bit command, int count, char **arguments,
                  int first)
{
    bool given[TABLE_LENGTH] = {false};
    *options = (struct options){
        .m = 1, .align = 1, .dtype = RCM_F32, .assignment_count = 1, .shuffle_count = 1, .seed = 1};
    for (int a = first; a < count; a++) {
        const char *argument = strcmp(arguments[a], "-h") == 0 ? "--help" : arguments[a];
        if (*argument != '-' && *argument && command == FOR_CALIBRATE && !options->runs) {
            options->runs = argument;
            continue;
        }
        if (strncmp(argument, "--", 2) != 0 &&
            !(strcmp(argument, "-o") == 0 && command == FOR_CALIBRATE))
            return usage_error("'%.60s' is not an option; options begin with --, as in --n 262144",
                               argument);
        size_t length = strcspn(argument, "=");
        size_t row = 0;
        while (row < TABLE_LENGTH &&
               !((table[row].commands & (int)command) && strlen(table[row].name) == length &&
                 strncmp(argument, table[row].name, length) == 0))
            row++;
        if (row == TABLE_LENGTH)
            return unknown_option(argument, length, command);
        const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
        if (!table[row].value && value)
            return usage_error("%s takes no value, but was given '%s'", table[row].name, value);
        if (table[row].value && !value) {
            if (a + 1 == count || strncmp(arguments[a + 1], "--", 2) == 0)
                return usage_error("%s needs a value: %s %s", table[row].name, table[row].name,
                                   table[row].value);
            value = arguments[++a];
        }
        if (given[row])
            return usage_error("%s is given twice; give it once%s", table[row].name,
                               table[row].value && strcmp(table[row].value, "LIST") == 0
                                   ? ", with a list such as 1,2,4"
                                   : "");
        given[row] = true;
        int status = table[row].set(options, table[row].offset, table[row].name, value);
        if (status != STATUS_OK)
            return status;
    }
    return check_together(options, command);
}

void options_free(struct options *options)
{
    free(options->n.items);
    free(options->k.items);
    free(options->b.items);
    free(options->k_b.items);
    free(options->ranks.items);
    free(options->digits.items);
    free(options->leave_out.items);
    free(options->targets.items);
    free(options->rho.items);
    free(options->temperature.items);
}
