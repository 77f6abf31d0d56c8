/* question.c - see question.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <programs/common/device_file.h>
#include <programs/common/this_machine.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/output/plot.h>

void question_free(struct question *question)
{
    free(question->n.items);
    free(question->k.items);
    free(question->b.items);
    free(question->k_b.items);
    free(question->targets.items);
    free(question->device.here.rows);
    lengths_free(&question->lengths);
}

int question_check(const struct question *question)
{
    if (question->plot && strcmp(question->plot, "-") == 0 && question->output != OUTPUT_TABLE)
        return usage_error("--plot - would draw into the output of %s; give a file",
                           question->output == OUTPUT_JSON ? "--json" : "--csv");
    if (question->plot && (question->n.length > 1 || question->k.length > 1))
        return usage_error("--plot draws one picture; give one --n and one --k");
    const int status = weights_check(&question->weights);
    return status == STATUS_OK ? rounding_check(&question->rounding, &question->weights) : status;
}

enum rcm_dtype question_dtype(const struct question *question)
{
    const struct rcm_device_text *device = &question->device.text;
    const bool from_file = question->device.given && device->has_profile && !question->dtype.given;
    return from_file ? device->profile.dtype : question->dtype.type;
}

struct decimal question_recall(const struct question *question)
{
    return question->targets.length ? question->targets.items[0] : (struct decimal){95, 2};
}

/* ---- readers */

int read_targets(void *to, const char *option, const char *value)
{
    struct decimal_list *targets = to;
    char item[ITEM_MAX];
    free(targets->items);
    const char *wrong = parse_decimal_list(value, targets, item);
    if (wrong)
        return usage_error("%s '%.*s' is %s; give a decimal fraction such as 0.95, or for bounds a "
                           "list: 0.8,0.9 or 0.8:0.05:0.95",
                           option, VALUE_SHOWN, value, wrong);
    for (size_t i = 0; i < targets->length; i++) {
        const struct decimal recall = targets->items[i];
        if (!(recall.digits > 0 && decimal_complement(recall) >= 0.0))
            return usage_error("%s '%.*s' is outside (0, 1]; write 0.95 for 95 %%", option,
                               VALUE_SHOWN, value);
    }
    return STATUS_OK;
}

int read_target(void *to, const char *option, const char *value)
{
    const int status = read_targets(to, option, value);
    return status == STATUS_OK && ((const struct decimal_list *)to)->length > 1
               ? usage_error("%s takes one target here, such as 0.95; give one, or ask recallmodel "
                             "bounds for the b of a list",
                             option)
               : status;
}

/* recallmodel-bench has its own names, because rcm_gpu_assignment is another enum: it has only the
 * two assignments of the kernels. */
static const char *const assignment_names[ASSIGNMENTS] = {
    [RCM_INTERLEAVED] = "interleaved",
    [RCM_CONTIGUOUS] = "contiguous",
    [RCM_CONTIGUOUS_FLOOR] = "contiguous-floor",
};

const char *assignment_name(enum rcm_assignment assignment)
{
    return assignment_names[assignment];
}

static const char *assignment_at(unsigned i)
{
    return i < ASSIGNMENTS ? assignment_names[i] : NULL;
}

static int read_assignments(void *to, const char *option, const char *value)
{
    struct assignments *assignments = to;
    unsigned found[ASSIGNMENTS];
    const int status =
        read_names(option, value, assignment_at, ASSIGNMENTS, found, &assignments->length);
    for (unsigned i = 0; i < assignments->length; i++)
        assignments->items[i] = (enum rcm_assignment)found[i];
    return status;
}

static int read_assignment(void *to, const char *option, const char *value)
{
    const int status = read_assignments(to, option, value);
    if (status == STATUS_OK && ((const struct assignments *)to)->length > 1)
        return usage_error("%s takes one value here; for several at once use recallmodel simulate",
                           option);
    return status;
}

#define NAMES_LISTED 64 /* devices that a prefix may mean */

/* The i-th profile that comes with the library for a device that is not in the list: a CPU. */
static const struct rcm_profile *cpu_profile_at(size_t i)
{
    const struct rcm_profile *q;
    for (size_t at = 0; (q = rcm_profile(at)); at++)
        if (q->kernel->model == RCM_TIME_CPU && i-- == 0)
            return q;
    return NULL;
}

/* All names that --device takes: devices, then CPUs. */
const char *device_name_at(unsigned i)
{
    unsigned devices = 0;
    while (devices < i && rcm_device(devices))
        devices++;
    if (rcm_device(devices))
        return rcm_device(devices)->name;
    const struct rcm_profile *cpu = cpu_profile_at(i - devices);
    return cpu ? cpu->name : NULL;
}

static struct rcm_device_text entry_of(const struct rcm_profile *profile)
{
    struct rcm_device_text text = {.profile = *profile, .has_profile = true};
    text.device.name = profile->name;
    text.device.source = profile->source;
    return text;
}

/* A CPU, or a kernel of exact top-k alone. */
static bool read_shipped_profile(struct rcm_device_text *text, const char *beginning)
{
    const struct rcm_profile *cpu = rcm_cpu_meant(beginning),
                             *found = cpu ? cpu : exact_profile_by_prefix(beginning);
    if (found)
        *text = entry_of(found);
    return found;
}

/* ---- the machine at hand */

void device_of_wisdom(struct device_option *device, struct wisdom wisdom)
{
    device->given = rcm_device_here(wisdom.gpu, &device->text);
    device->given_as = "this";
    device->here = wisdom;
}

/* The profile that recallmodel bench --calibrate stored. A status; STATUS_FAILED: there is none. */
static int read_stored_profile(struct rcm_device_text *text, const char *option)
{
    char path[THIS_MACHINE_PATH], error[800], cpu[RCM_CPU_TEXT];
    if (!this_machine_path("cpu.profile", path) || access(path, F_OK) != 0)
        return STATUS_FAILED;
    if (device_file_read(path, text, error, sizeof error) != 0)
        return usage_error(
            "%s this: %s; make a new one in two minutes: recallmodel bench --calibrate", option,
            error);
    if (*text->card && rcm_this_cpu(cpu) && strcmp(text->card, cpu) != 0)
        fprintf(stderr,
                "recallmodel: %s this: the stored profile is of %s, but this machine is %s; make a "
                "new one in two minutes: recallmodel bench --calibrate\n",
                option, text->card, cpu);
    return STATUS_OK;
}

/* --device this, or the file of measurements of tune --wisdom. */
static int read_this_machine(struct device_option *device, const char *option, const char *file)
{
    struct wisdom wisdom;
    const char *path = wisdom_path(file);
    if (!path)
        return STATUS_USAGE;
    int status = wisdom_read(path, &wisdom);
    if (status != STATUS_OK)
        return status;
    device_of_wisdom(device, wisdom);
    status = wisdom.gpu ? STATUS_FAILED : read_stored_profile(&device->text, option);
    if (status != STATUS_FAILED || wisdom.count > 0)
        return status == STATUS_FAILED ? STATUS_OK : status;
    return usage_error("%s %.200s%s; measure the question in seconds: recallmodel tune --n N --k K "
                       "--m M",
                       option, file ? file : "this",
                       file ? " has nothing that tune measured on this machine"
                            : ": nothing was measured on this machine");
}

/* Says which card answers a part of a name: "h100 is taken as H100-SXM; there are .. and .., too",
 * "a10 is taken as A10G". */
static void print_meant(const char *option, const char *value, const struct rcm_device *device,
                        const struct rcm_device *const *others, size_t count)
{
    fprintf(stderr, "recallmodel: %s: %.60s is taken as %s", option, value, device->name);
    if (count > 0)
        fprintf(stderr, "; there %s ", count > 1 ? "are" : "is");
    for (size_t i = 0; i < count && i < NAMES_LISTED; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", others[i]->name);
    fputs(count > 0 ? ", too\n" : "\n", stderr);
}

unsigned print_other_cpu(const struct device_option *device)
{
    const struct rcm_profile *q = &device->text.profile;
    char cpu[RCM_CPU_TEXT];
    if (!device->text.has_profile || q->kernel->model != RCM_TIME_CPU || !q->card || !*q->card ||
        strcmp(device->given_as, q->name) == 0 || strcmp(device->given_as, "this") == 0 ||
        !rcm_this_cpu(cpu) || strcmp(q->card, cpu) == 0)
        return 0;
    return print_wrapped("  device      %s is not this CPU, which recallmodel tune measures",
                         q->name);
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), ending = strlen(end);
    return length > ending && strcmp(text + length - ending, end) == 0;
}

int read_device(void *to, const char *option, const char *value)
{
    struct device_option *device = to;
    const struct rcm_device *found[NAMES_LISTED];
    size_t count;
    const struct rcm_device *meant = rcm_device_meant(value, found, NAMES_LISTED, &count);
    char several[800] = "", error[800];
    device->given = true;
    device->given_as = value;
    if (!*value)
        return usage_error("%s: a name is empty; recallmodel devices lists them", option);
    if (strcmp(value, "this") == 0)
        return read_this_machine(device, option, NULL);
    if (ends_in(value, ".csv"))
        return read_this_machine(device, option, value);
    if (meant) {
        device->family = count > 0 ? value : NULL;
        if (count > 0 || rcm_device_guessed(value, meant))
            print_meant(option, value, meant, found, count);
        device->given_as = meant->name; /* without blanks */
        device->text = (struct rcm_device_text){.device = *meant};
        return STATUS_OK;
    }
    if (count == 0 && read_shipped_profile(&device->text, value))
        return STATUS_OK;
    if (strpbrk(value, "./")) {
        if (device_file_read(value, &device->text, error, sizeof error) == 0)
            return STATUS_OK;
        if (strchr(value, '/') || access(value, F_OK) == 0)
            return usage_error("%s %s", option, error);
    }
    for (size_t i = 0; i < count && i < NAMES_LISTED; i++)
        append_name(several, sizeof several, found[i]->name);
    if (count > 0)
        return unclear_name(option, value, several, device_name_at, "");
    return unknown_device(option, value, ", this (machine), or the path of a file (./my.device)");
}

static const char *exact_at(unsigned i)
{
    return exact_profile_at(i) ? exact_profile_at(i)->name : NULL;
}

static int read_exact_kernel(void *to, const char *option, const char *value)
{
    struct device_option *exact = to;
    const struct rcm_profile *found = exact_profile_by_prefix(value);
    char several[800] = "", error[800];
    exact->given = true;
    if (found) {
        exact->text = entry_of(found);
        return STATUS_OK;
    }
    if (strpbrk(value, "./")) {
        if (device_file_read(value, &exact->text, error, sizeof error) != 0)
            return usage_error("%s %s", option, error);
        return exact->text.has_profile
                   ? STATUS_OK
                   : usage_error("%s %s is a device without a profile; give the file that "
                                 "recallmodel calibrate writes",
                                 option, value);
    }
    for (size_t i = 0; exact_at((unsigned)i); i++)
        if (rcm_name_begins(exact_at((unsigned)i), value))
            append_name(several, sizeof several, exact_at((unsigned)i));
    return unclear_name(option, value, several, exact_at,
                        "or the path of a profile (./my.profile)");
}

static const char *dtype_at(unsigned i)
{
    return i <= RCM_BF16 ? rcm_dtype_name((enum rcm_dtype)i) : NULL;
}

static int read_dtype(void *to, const char *option, const char *value)
{
    struct dtype_option *dtype = to;
    dtype->given = true;
    return rcm_dtype_by_name(value, &dtype->type)
               ? STATUS_OK
               : unknown_name(option, value, dtype_at, UNTIL_NULL);
}

static const char *kernel_at(unsigned i)
{
    return rcm_kernel(i) ? rcm_kernel(i)->name : NULL;
}

static int read_kernel(void *to, const char *option, const char *value)
{
    const struct rcm_kernel **kernel = to;
    *kernel = rcm_kernel_by_name(value);
    return *kernel ? STATUS_OK : unknown_name(option, value, kernel_at, UNTIL_NULL);
}

int read_rope_theta(void *to, const char *option, const char *value)
{
    const char *wrong = parse_amount(value, to);
    if (!wrong && !(*(double *)to > 1.0))
        wrong = "not above 1";
    return wrong ? usage_error("%s '%.*s' is %s; give the base of RoPE, such as 10000 or 500000",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

int read_k_b_max(void *to, const char *option, const char *value)
{
    const int status = read_count(to, option, value);
    return status == STATUS_OK && *(const uint64_t *)to > K_B_MOST
               ? usage_error("%s '%.*s' is above %d; give at most that", option, VALUE_SHOWN, value,
                             K_B_MOST)
               : status;
}

static int read_output(enum output *to, enum output output)
{
    if (*to != OUTPUT_TABLE && *to != output)
        return usage_error("--json and --csv exclude each other; give one of them");
    *to = output;
    return STATUS_OK;
}

int read_json(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    return read_output(to, OUTPUT_JSON);
}

int read_csv(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    return read_output(to, OUTPUT_CSV);
}

static int read_plot(void *to, const char *option, const char *value)
{
    const int status = read_text(to, option, value);
    return status == STATUS_OK ? plot_check(value) : status;
}

/* ---- kinds of values */

const struct value_kind kind_of_assignments = {.read = read_assignments, .names = assignment_at};
const struct value_kind kind_of_assignment = {.read = read_assignment, .names = assignment_at};
const struct value_kind kind_of_device = {.read = read_device, DEVICE_NAMES};
const struct value_kind kind_of_exact_kernel = {
    .read = read_exact_kernel, .names = exact_at, .endings = "profile"};
const struct value_kind kind_of_dtype = {.read = read_dtype, .names = dtype_at};
const struct value_kind kind_of_kernel = {.read = read_kernel, .names = kernel_at};
const struct value_kind kind_of_plot = {.read = read_plot, .also = "-"};
const struct value_kind kind_of_runs_path = {.read = read_text, .endings = "csv", .runs = true};
