/* command_devices.c - the devices that the roofline knows, with their ridge points.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

struct settings {
    struct question question;
    bool verbose;
};

static const struct argument devices_options[] = {
    {"--device", "D", &kind_of_device, IN_QUESTION(device),
     "print one device: its name, a prefix of just one name (h200, rtx5090), or the path of a "
     "device file"},
    {"--verbose", NULL, BY(read_switch), offsetof(struct settings, verbose),
     "also print the sources of the rates, and the ridge points of Samaga et al."},
    OPTIONS_FORM,
};

/* Whose profile answers for a device without one; NULL: its own does, or none. */
static const char *stand_in_of(const struct rcm_device *device)
{
    const struct rcm_profile *q;
    static struct rcm_profile stand_in;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (q->kernel->model != RCM_TIME_EXACT && strcmp(q->name, device->name) == 0)
            return NULL;
    return rcm_stand_in_for(device, NULL, NULL, NULL, &stand_in) ? stand_in.name : NULL;
}

struct device_row {
    struct rcm_device d;
    double memory_gb, ridge_memory, ridge_matrix;
    double paper_ridge_memory, paper_ridge_matrix; /* Table 1 of the paper */
    uint64_t k_b_max, paper_k_b_max;
    const char *stand_in;
};

#define DEVICE(field) FIELD(struct device_row, field)
#define KNOWN(field) POSITIVE(struct device_row, d.field)
enum { VERBOSE = 1 };

static const struct column device_items[] = {
    {DEVICE(d.name), EVERYWHERE("device")},
    {KNOWN(memory_bytes), IN_DATA("memory_bytes")},
    {KNOWN(on_chip_bytes), IN_DATA("on_chip_bytes")},
    {DEVICE(d.architecture), IN_DATA("architecture")},
    {KNOWN(multiprocessors), IN_DATA("multiprocessors")},
    {KNOWN(shortest_kernel_us), IN_DATA("shortest_kernel_us")},
    {POSITIVE(struct device_row, memory_gb), .heading = "memory\nGB"},
    {KNOWN(bandwidth_bytes_per_s), HEADED("bandwidth_bytes_per_s", "TB/s"), .style = STYLE_TERA},
    {KNOWN(fma_rate_per_s), HEADED("fma_rate_per_s", "fp32\nT/s"), .style = STYLE_TERA},
    {KNOWN(matrix_rate_per_s), HEADED("matrix_rate_per_s", "matrix\nT/s"), .style = STYLE_TERA},
    {KNOWN(vector_rate_per_s), HEADED("vector_rate_per_s", "vector\nT/s"), .style = STYLE_TERA},
    {KNOWN(matrix_rate_printed_per_s), IN_DATA("matrix_rate_printed_per_s")},
    {DEVICE(ridge_memory), HEADED("ridge_memory", "ops per\n4 bytes"), .style = STYLE_TIME},
    {DEVICE(ridge_matrix), HEADED("ridge_matrix", "ops per\n128-dot"), .style = STYLE_TIME,
     .shown = VERBOSE},
    {DEVICE(k_b_max), HEADED("k_b_max", "k_b\nmax")},
    {DEVICE(paper_ridge_memory), HEADED("paper_ridge_memory", "paper:\n4 bytes"),
     .style = STYLE_TIME, .shown = VERBOSE},
    {DEVICE(paper_ridge_matrix), HEADED("paper_ridge_matrix", "paper:\n128-dot"),
     .style = STYLE_TIME, .shown = VERBOSE},
    {DEVICE(paper_k_b_max), HEADED("paper_k_b_max", "paper:\nk_b max"), .shown = VERBOSE},
    {DEVICE(stand_in), .json = "stand_in"},
    {DEVICE(d.source), IN_DATA("source")},
};
static const struct columns device_columns = COLUMNS(struct device_row, device_items);

static uint64_t k_b_max(double ridge)
{
    return isnan(ridge) ? NO_COUNT : rcm_ridge_k_b(ridge);
}

static void add_device(struct table *table, const struct rcm_device *d)
{
    struct device_row row = {
        .d = *d,
        .memory_gb = d->memory_bytes / 1e9,
        .ridge_memory = rcm_ridge_memory(d->vector_rate_per_s, d->bandwidth_bytes_per_s),
        .ridge_matrix = rcm_ridge_matrix(d->vector_rate_per_s, d->matrix_rate_per_s),
        .paper_ridge_memory = rcm_ridge_memory(d->fma_rate_per_s, d->bandwidth_bytes_per_s),
        .paper_ridge_matrix = rcm_ridge_matrix(d->fma_rate_per_s, d->matrix_rate_printed_per_s),
        .stand_in = stand_in_of(d)};
    row.d.architecture = d->architecture ? d->architecture : "";
    row.k_b_max = k_b_max(row.ridge_memory);
    row.paper_k_b_max = k_b_max(row.paper_ridge_memory);
    table_add(table, &row, false);
}

/* Which profiles: those with a stage 1, of exact top-k alone, or both. */
enum of { OF_BUCKETS = 1, OF_EXACT = 2, OF_BOTH = OF_BUCKETS | OF_EXACT };

struct profile_row {
    struct rcm_profile q;
    const char *card, *kernel, *dtype, *ties;
    uint64_t run_count;
    bool exact_only;
    char band[48];
};

#define PROFILE(field) FIELD(struct profile_row, field)
#define TRIED(field) POSITIVE(struct profile_row, q.field)

static const struct column profile_items[] = {
    {PROFILE(card), EVERYWHERE("card"), .shown = OF_EXACT},
    {PROFILE(q.name), EVERYWHERE("device"), .shown = OF_BUCKETS},
    {PROFILE(q.name), .heading = "profile", .when = OF_EXACT},
    {PROFILE(exact_only), .json = "exact_only"},
    {PROFILE(kernel), EVERYWHERE("kernel"), .shown = OF_BUCKETS},
    {PROFILE(dtype), EVERYWHERE("dtype")},
    {PROFILE(q.date), EVERYWHERE("date"), .shown = OF_BUCKETS},
    {PROFILE(run_count), HEADED("run_count", "runs")},
    {TRIED(median_error), HEADED("median_error", "median\nerror"), .style = STYLE_PERCENT,
     .shown = OF_BUCKETS},
    {TRIED(p95_error), HEADED("p95_error", "95 %"), .style = STYLE_PERCENT, .shown = OF_BUCKETS},
    {TRIED(held_out_median_error), HEADED("held_out_median_error", "held out\nmedian"),
     .style = STYLE_PERCENT},
    {TRIED(held_out_p95_error), HEADED("held_out_p95_error", "95 %"), .style = STYLE_PERCENT},
    {TRIED(held_out_k_median_error), .json = "held_out_k_median_error"},
    {TRIED(held_out_k_p95_error), .json = "held_out_k_p95_error"},
    {PROFILE(band), .heading = "measured over\npredicted"},
    {PROFILE(ties), EVERYWHERE("ties"), .shown = OF_EXACT},
    {TRIED(held_out_p05_ratio), .json = "held_out_p05_ratio"},
    {TRIED(held_out_p95_ratio), .json = "held_out_p95_ratio"},
    {TRIED(held_out_exact_p05_ratio), .json = "held_out_exact_p05_ratio"},
    {TRIED(held_out_exact_p95_ratio), .json = "held_out_exact_p95_ratio"},
    {PROFILE(q.runs), .json = "runs"},
    {PROFILE(q.source), .json = "source"},
};
static const struct columns profile_columns = COLUMNS(struct profile_row, profile_items);

static const char *ties_of(const struct rcm_profile *q)
{
    const struct rcm_tie_rule *rule =
        rcm_tie_rule_of(q->kernel->model == RCM_TIME_EXACT ? q->name : q->kernel->name);
    return rule ? rcm_ties_name(rule->ties) : "not read";
}

static void add_profile(struct table *table, const struct rcm_profile *q)
{
    const bool exact = q->kernel->model == RCM_TIME_EXACT;
    const double low = exact ? q->held_out_exact_p05_ratio : q->held_out_p05_ratio,
                 high = exact ? q->held_out_exact_p95_ratio : q->held_out_p95_ratio;
    struct profile_row row = {
        *q,         *q->card ? q->card : q->name, q->kernel->name,  rcm_dtype_name(q->dtype),
        ties_of(q), .exact_only = exact,          .band = "unknown"};
    row.run_count = (uint64_t)fmin(q->run_count + q->exact_count, (double)RCM_N_MAX);
    if (low > 0.0 && high > 0.0)
        snprintf(row.band, sizeof row.band, "%.2f to %.2f", low, high);
    table_add(table, &row, false);
}

/* The index-th device, and profile, of the device that was asked for, or of all that come with the
 * library. NULL: no more. */
static const struct rcm_device *device_at(const struct settings *settings, size_t index)
{
    const struct device_option *asked = &settings->question.device;
    return !asked->given ? rcm_device(index) : index == 0 ? &asked->text.device : NULL;
}

static const struct rcm_profile *profile_at(const struct settings *settings, size_t index)
{
    const struct device_option *asked = &settings->question.device;
    return asked->given ? device_profile(&asked->text, index) : rcm_profile(index);
}

/* Those of exact top-k alone stand in the order of the cards on which they were measured. */
static struct table *profiles(const struct settings *settings, enum of of)
{
    struct table *table = table_of(&profile_columns, of);
    const struct rcm_profile *q;
    const struct rcm_device *card;
    for (size_t i = 0; (of & OF_BUCKETS) && (q = profile_at(settings, i)); i++)
        if (q->kernel->model != RCM_TIME_EXACT)
            add_profile(table, q);
    for (size_t i = 0; (of & OF_EXACT) && (card = device_at(settings, i)); i++)
        for (size_t j = 0; (q = rcm_profile(j)); j++)
            if (q->kernel->model == RCM_TIME_EXACT && strcmp(q->card, card->name) == 0)
                add_profile(table, q);
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

static void print_profiles(const struct settings *settings)
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
    for (size_t i = 0; settings->verbose && (q = profile_at(settings, i)); i++)
        print_wrapped("  %s, %s:  %s; %s", q->name, q->kernel->name, q->runs ? q->runs : "",
                      q->source ? q->source : "");
}

static void print_devices(const struct table *table, const struct settings *settings)
{
    table_print(table, stdout, false);
    print_wrapped(
        "\nvector: compares and selects; matrix: dense bfloat16; ops per 4 bytes: the vector "
        "operations that fit into the time of reading 4 bytes; k_b max: the largest k_b with "
        "which stage 1 stays memory-bound (5 k_b - 2 operations per element, float32); -: not "
        "known. All rates are peaks of datasheets; none was measured here.");
    if (!settings->verbose)
        puts("--verbose adds the sources of the rates and the ridge points of the paper.");
    puts("A device of your own: --device FILE, with lines such as\n"
         "  name = My GPU\n  bandwidth_bytes_per_s = 3.35e12\n  vector_rate_per_s = 16.7e12");
    if (!settings->verbose)
        return;
    print_wrapped(
        "\npaper: Table 1 of Samaga et al. Its GPU rates count a fused multiply-add as two "
        "operations (fp32). Its 1,979 Tflop/s for the H100 SXM is with sparsity; its 312 for "
        "the A100 is dense. Sources:");
    const struct rcm_device *d;
    for (size_t i = 0; (d = device_at(settings, i)); i++)
        print_wrapped("  %s:  %s", d->name, d->source && *d->source ? d->source : "not given");
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
    struct table *table = table_of(&device_columns, settings->verbose ? VERBOSE : 0),
                 *calibrated = profiles(settings, OF_BOTH);
    const struct rcm_device *d;
    int status = STATUS_OK;
    for (size_t i = 0; (d = device_at(settings, i)); i++)
        add_device(table, d);
    switch (settings->question.output) {
    case OUTPUT_TABLE:
        print_devices(table, settings);
        if (table_rows(calibrated))
            print_profiles(settings);
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
    settings.verbose |= settings.question.device.given;
    return status == STATUS_OK ? print_answer(&settings) : status;
}

const struct command command_devices = {
    .name = "devices",
    .summary = "the known devices, their rates and ridge points",
    .example = "recallmodel devices --device b200\n  recallmodel devices --verbose",
    .columns = &device_columns,
    .options = devices_options,
    .no_numbers = true,
    .run = run_devices,
};
