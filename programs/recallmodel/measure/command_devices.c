/* command_devices.c - the devices that the roofline knows, with their ridge points.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/columns.h>
#include <programs/recallmodel/command.h>

struct settings {
    struct question question;
    bool verbose;
};

static const struct argument devices_options[] = {
    {"--device", "D", read_device, IN_QUESTION(device),
     "print one device: its name, a prefix of just one name (h200, rtx5090), or the path of a "
     "device file"},
    {"--verbose", NULL, read_switch, offsetof(struct settings, verbose),
     "also print the sources of the rates, and the ridge points of Samaga et al."},
    {OPTION_JSON},
    {OPTION_CSV},
    {OPTIONS_END},
};

/* NaN for 0, which stands for a number that is not known. */
static double positive_or_nan(double number)
{
    return number > 0.0 ? number : NAN;
}

/* Table 1 of the paper: in the aligned table only if `verbose`. */
static void put_paper(struct table *table, const struct rcm_device *d, bool verbose)
{
    const double memory = rcm_ridge_memory(d->fma_rate_per_s, d->bandwidth_bytes_per_s);
    const double matrix = rcm_ridge_matrix(d->fma_rate_per_s, d->matrix_rate_printed_per_s);
    table_real(table, headed("paper_ridge_memory", verbose ? "paper:\n4 bytes" : NULL, STYLE_TIME),
               memory);
    table_real(table, headed("paper_ridge_matrix", verbose ? "paper:\n128-dot" : NULL, STYLE_TIME),
               matrix);
    put_count_if(!isnan(memory), table,
                 headed("paper_k_b_max", verbose ? "paper:\nk_b max" : NULL, STYLE_PLAIN),
                 rcm_ridge_k_b(memory));
}

/* Whose profile answers for a device without one; NULL: its own does, or none. */
static const char *stand_in_of(const struct rcm_device *device)
{
    const struct rcm_profile *q;
    static struct rcm_profile stand_in;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (!q->kernel->exact_only && strcmp(q->name, device->name) == 0)
            return NULL;
    return rcm_stand_in_for(device, NULL, NULL, NULL, &stand_in) ? stand_in.name : NULL;
}

static void put_device(struct table *table, const struct rcm_device *d, bool verbose)
{
    const double memory = rcm_ridge_memory(d->vector_rate_per_s, d->bandwidth_bytes_per_s);
    const double matrix = rcm_ridge_matrix(d->vector_rate_per_s, d->matrix_rate_per_s);
    const struct {
        const char *name, *heading;
        double rate;
    } rates[] = {
        {"bandwidth_bytes_per_s", "TB/s", d->bandwidth_bytes_per_s},
        {"fma_rate_per_s", "fp32\nT/s", d->fma_rate_per_s},
        {"matrix_rate_per_s", "matrix\nT/s", d->matrix_rate_per_s},
        {"vector_rate_per_s", "vector\nT/s", d->vector_rate_per_s},
        {"matrix_rate_printed_per_s", NULL, d->matrix_rate_printed_per_s},
    };
    table_row(table, false);
    table_text(table, column("device", STYLE_PLAIN), d->name);
    table_real(table, in_data("memory_bytes"), positive_or_nan(d->memory_bytes));
    table_real(table, in_data("on_chip_bytes"), positive_or_nan(d->on_chip_bytes));
    table_text(table, in_data("architecture"), d->architecture ? d->architecture : "");
    table_real(table, in_data("multiprocessors"), positive_or_nan(d->multiprocessors));
    table_real(table, in_data("shortest_kernel_us"), positive_or_nan(d->shortest_kernel_us));
    table_real(table, in_table("memory\nGB", STYLE_PLAIN), positive_or_nan(d->memory_bytes / 1e9));
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        table_real(table, headed(rates[i].name, rates[i].heading, STYLE_TERA),
                   positive_or_nan(rates[i].rate));
    table_real(table, headed("ridge_memory", "ops per\n4 bytes", STYLE_TIME), memory);
    table_real(table, headed("ridge_matrix", verbose ? "ops per\n128-dot" : NULL, STYLE_TIME),
               matrix);
    put_count_if(!isnan(memory), table, headed("k_b_max", "k_b\nmax", STYLE_PLAIN),
                 rcm_ridge_k_b(memory));
    put_paper(table, d, verbose);
    table_text(table, in_json("stand_in"), stand_in_of(d));
    table_text(table, in_data("source"), d->source);
}

/* A column of the text that profiles with a stage 1 have. */
static struct column unless_exact(bool exact, struct column c)
{
    c.heading = exact ? NULL : c.heading;
    return c;
}

static void put_profile(struct table *table, const struct rcm_profile *q)
{
    const bool exact = q->kernel->exact_only;
    table_row(table, false);
    table_text(table, exact ? headed("card", "card", STYLE_PLAIN) : in_json("card"),
               *q->card ? q->card : q->name);
    table_text(table, headed("device", exact ? "profile" : "device", STYLE_PLAIN), q->name);
    table_text(table, unless_exact(exact, column("kernel", STYLE_PLAIN)), q->kernel->name);
    table_text(table, column("dtype", STYLE_PLAIN), rcm_dtype_name(q->dtype));
    table_text(table, unless_exact(exact, column("date", STYLE_PLAIN)), q->date);
    table_count(table, headed("run_count", "runs", STYLE_PLAIN),
                (uint64_t)fmin(q->run_count + q->exact_count, (double)RCM_N_MAX));
    table_real(table, unless_exact(exact, headed("median_error", "median\nerror", STYLE_PERCENT)),
               positive_or_nan(q->median_error));
    table_real(table, unless_exact(exact, headed("p95_error", "95 %", STYLE_PERCENT)),
               positive_or_nan(q->p95_error));
    table_real(table, headed("held_out_median_error", "held out\nmedian", STYLE_PERCENT),
               positive_or_nan(q->held_out_median_error));
    table_real(table, headed("held_out_p95_error", "95 %", STYLE_PERCENT),
               positive_or_nan(q->held_out_p95_error));
    table_real(table, in_data("held_out_k_median_error"),
               positive_or_nan(q->held_out_k_median_error));
    table_real(table, in_data("held_out_k_p95_error"), positive_or_nan(q->held_out_k_p95_error));
    char band[48] = "unknown";
    const double low = exact ? q->held_out_exact_p05_ratio : q->held_out_p05_ratio,
                 high = exact ? q->held_out_exact_p95_ratio : q->held_out_p95_ratio;
    if (low > 0.0 && high > 0.0)
        snprintf(band, sizeof band, "%.2f to %.2f", low, high);
    table_text(table, in_table("measured over\npredicted", STYLE_PLAIN), band);
    table_real(table, in_json("held_out_p05_ratio"), positive_or_nan(q->held_out_p05_ratio));
    table_real(table, in_json("held_out_p95_ratio"), positive_or_nan(q->held_out_p95_ratio));
    table_real(table, in_json("held_out_exact_p05_ratio"),
               positive_or_nan(q->held_out_exact_p05_ratio));
    table_real(table, in_json("held_out_exact_p95_ratio"),
               positive_or_nan(q->held_out_exact_p95_ratio));
    table_text(table, in_json("runs"), q->runs);
    table_text(table, in_json("source"), q->source);
}

/* The index-th profile of the device that was asked for, or of all that come with the library.
 * NULL: no more. */
static const struct rcm_profile *profile_at(const struct settings *settings, size_t index)
{
    return settings->question.device.given ? device_profile(&settings->question.device.text, index)
                                           : rcm_profile(index);
}

/* Those of exact top-k alone that were measured on the card, or on the device that was asked for.
 */
static void put_exact_kernels(struct table *table, const char *card)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (q->kernel->exact_only && strcmp(q->card, card) == 0)
            put_profile(table, q);
}

/* Which profiles: those with a stage 1, of exact top-k alone, or both. */
enum of { OF_BUCKETS, OF_EXACT, OF_BOTH };
static struct table *profiles(const struct settings *settings, enum of of)
{
    struct table *table = table_new();
    const struct rcm_profile *q;
    for (size_t i = 0; of != OF_EXACT && (q = profile_at(settings, i)); i++)
        if (!q->kernel->exact_only)
            put_profile(table, q);
    if (of == OF_BUCKETS)
        return table;
    if (settings->question.device.given)
        put_exact_kernels(table, settings->question.device.text.device.name);
    for (size_t i = 0; !settings->question.device.given && rcm_device(i); i++)
        put_exact_kernels(table, rcm_device(i)->name);
    return table;
}

static void print_profiles_of(const struct settings *settings, enum of of, const char *title)
{
    struct table *table = profiles(settings, of);
    if (table_rows(table)) {
        print_wrapped("%s", title);
        table_print(table, stdout, false);
    }
    table_free(table);
}

static void print_stand_ins(void)
{
    const struct rcm_stand_in *row;
    puts("\nFor a card without a profile, that of another is used, carried over by the rates of "
         "both:");
    for (size_t i = 0; (row = rcm_stand_in(i)); i++) {
        if (i > 0 && !*rcm_stand_in(i - 1)->cards)
            break; /* the rows after this one are for kernels that are asked for by name */
        print_wrapped("  %-10s  %s, %s; measured over predicted %.2f to %.2f (%s)",
                      *row->cards ? "TPUs" : "others", row->profile, row->why, row->low_ratio,
                      row->high_ratio, row->measured);
    }
}

static void print_exact_carried(void)
{
    const struct rcm_exact_carried *row;
    puts("\nWhere a card has none, that of another card of its architecture is carried to it:");
    for (size_t i = 0; (row = rcm_exact_carried(i)); i++)
        print_wrapped("  %-13s measured over predicted %.2f to %.2f (%s)", row->architecture,
                      row->low_ratio, row->high_ratio, row->measured);
    puts("recallmodel runs --cards counts all measured runs by card and kernel.");
}

static void print_profiles(const struct settings *settings, bool verbose)
{
    const struct rcm_profile *q;
    print_profiles_of(settings, OF_BUCKETS,
                      "\nCalibrated profiles, for select --objective time and predict (held out: "
                      "sizes n that a fit to the other sizes did not see):");
    if (!settings->question.device.given)
        print_stand_ins();
    print_profiles_of(settings, OF_EXACT,
                      "\nKernels that only find the exact top-k, for select --exact-kernel and "
                      "predict:");
    if (!settings->question.device.given)
        print_exact_carried();
    for (size_t i = 0; verbose && (q = profile_at(settings, i)); i++) {
        print_wrapped("  %s, %s:  %s; %s", q->name, q->kernel->name, q->runs ? q->runs : "",
                      q->source ? q->source : "");
    }
}

static void print_devices(const struct table *table, const struct settings *settings, bool verbose)
{
    table_print(table, stdout, false);
    print_wrapped(
        "\nvector: compares and selects; matrix: dense bfloat16; ops per 4 bytes: the vector "
        "operations that fit into the time of reading 4 bytes; k_b max: the largest k_b with "
        "which stage 1 stays memory-bound (5 k_b - 2 operations per element, float32); -: not "
        "known. All rates are peaks of datasheets; none was measured here.");
    if (!verbose)
        puts("--verbose adds the sources of the rates and the ridge points of the paper.");
    puts("A device of your own: --device FILE, with lines such as\n"
         "  name = My GPU\n  bandwidth_bytes_per_s = 3.35e12\n  vector_rate_per_s = 16.7e12");
    if (!verbose)
        return;
    print_wrapped(
        "\npaper: Table 1 of Samaga et al. Its GPU rates count a fused multiply-add as two "
        "operations (fp32). Its 1,979 Tflop/s for the H100 SXM is with sparsity; its 312 for "
        "the A100 is dense. Sources:");
    const struct rcm_device *d = &settings->question.device.text.device;
    if (settings->question.device.given)
        print_wrapped("  %s:  %s", d->name, d->source && *d->source ? d->source : "not given");
    for (size_t i = 0; !settings->question.device.given && (d = rcm_device(i)); i++)
        print_wrapped("  %s:  %s", d->name, d->source);
}

static int print_as_json(const struct table *devices, const struct table *calibrated)
{
    json_t *object = object_with_version();
    json_object_set_new(object, "devices", table_json(devices));
    json_object_set_new(object, "profiles", table_json(calibrated));
    return print_json(object);
}

static int print_answer(const struct settings *settings)
{
    const bool verbose = settings->verbose || settings->question.device.given;
    struct table *table = table_new(), *calibrated = profiles(settings, OF_BOTH);
    int status = STATUS_OK;
    if (settings->question.device.given)
        put_device(table, &settings->question.device.text.device, verbose);
    for (size_t i = 0; !settings->question.device.given && rcm_device(i); i++)
        put_device(table, rcm_device(i), verbose);
    switch (settings->question.output) {
    case OUTPUT_TABLE:
        print_devices(table, settings, verbose);
        if (table_rows(calibrated))
            print_profiles(settings, verbose);
        break;
    case OUTPUT_CSV:
        table_print_csv(table, stdout, true);
        break;
    case OUTPUT_JSON:
        status = print_as_json(table, calibrated);
        break;
    }
    table_free(table);
    table_free(calibrated);
    return status;
}

static int run_devices(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    const int status = arguments_read(devices_options, &settings, count, arguments);
    return status == STATUS_OK ? print_answer(&settings) : status;
}

const struct command command_devices = {
    .name = "devices",
    .summary = "the known devices, their rates and ridge points",
    .example = "recallmodel devices --device b200\n  recallmodel devices --verbose",
    .options = devices_options,
    .no_numbers = true,
    .run = run_devices,
};
