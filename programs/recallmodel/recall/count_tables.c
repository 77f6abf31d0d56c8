/* count_tables.c - see count.h: the tables of `recallmodel count`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "count.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <programs/common/wrap.h>

/* The cost model's formula for an algorithm of that name, or NULL; and its unit. */
static const struct rcm_algorithm *modelled_algorithm(const char *name, const char **unit)
{
    for (size_t i = 0; rcm_cost_model(i); i++)
        for (unsigned j = 0; j < RCM_MAX_ALGORITHMS && rcm_cost_model(i)->algorithms[j].cost; j++) {
            const struct rcm_algorithm *algorithm = &rcm_cost_model(i)->algorithms[j];
            *unit = rcm_cost_model(i)->unit;
            if (algorithm->name && strcmp(algorithm->name, name) == 0)
                return algorithm;
        }
    *unit = "operations";
    return NULL;
}

/* The model of what is left after the first digit; NaN where there is none. */
static struct rcm_threshold_bin modelled_bin(const struct count_settings *settings,
                                             const struct subject *s)
{
    const char *dist = sim_input_distribution(settings->input.kind);
    const double shift = settings->shift.length ? decimal_value(settings->shift.items[0]) : 0.0;
    if (!dist || strcmp(s->keys, "ranks") == 0 || s->operations.left == 0)
        return (struct rcm_threshold_bin){NAN, NAN};
    return rcm_threshold_bin(
        settings->question.n.items[0], settings->question.k.items[0],
        (struct rcm_bins){s->algorithm->float16_bins ? RCM_BINS_FLOAT16 : RCM_BINS_FLOAT32,
                          s->digit},
        (struct rcm_values){rcm_values_distribution_by_name(dist),
                            settings->smallest ? -shift : shift, settings->smallest ? -1.0 : 1.0},
        settings->places);
}

struct algorithm_row {
    struct count_settings settings;
    struct subject subject;
    const char *version, *input, *algorithm, *unit;
    uint64_t n, k, repetitions, digit;
    bool partial;
    double shift, modelled, counted, residual, ratio, taken;
    double passes, bytes, left, over;
    struct rcm_threshold_bin modelled_bin;
};

/* Which aligned table: what was counted; or how much was read and written, and what was left. */
enum { COUNTED = 1, TRAFFIC = 2 };
#define ROW(field) FIELD(struct algorithm_row, field)

static const struct column algorithm_items[] = {
    {ROW(version), .csv = "version"},
    {ROW(n), .csv = "n"},
    {ROW(k), .csv = "k"},
    {ROW(input), .csv = "input"},
    {ROW(settings.smallest), .csv = "smallest"},
    {ROW(shift), .csv = "shift"},
    {ROW(settings.seed), .csv = "seed"},
    {ROW(repetitions), .csv = "repetitions"},
    {ROW(partial), .csv = "partial"},
    {ROW(algorithm), EVERYWHERE("algorithm")},
    {ROW(subject.keys), EVERYWHERE("keys")},
    {ROW(digit), HEADED("digit_bits", "bits a\npass")},
    {ROW(unit), EVERYWHERE("unit"), .shown = COUNTED},
    {ROW(modelled), EVERYWHERE("modelled"), .style = STYLE_COST, .shown = COUNTED},
    {ROW(counted), EVERYWHERE("counted"), .style = STYLE_COST, .shown = COUNTED},
    {ROW(residual), EVERYWHERE("residual"), .style = STYLE_COST, .shown = COUNTED},
    {ROW(ratio), HEADED("ratio", "counted/\nmodelled"), .shown = COUNTED},
    {ROW(taken), HEADED("taken", "branches\ntaken only"), .style = STYLE_COST, .shown = COUNTED},
    {ROW(passes), EVERYWHERE("passes"), .shown = TRAFFIC},
    {ROW(bytes), EVERYWHERE("bytes"), .style = STYLE_COST, .shown = TRAFFIC},
    {ROW(left), EVERYWHERE("left"), .style = STYLE_COST, .shown = TRAFFIC},
    {ROW(modelled_bin.mean), HEADED("left_modelled", "modelled"), .style = STYLE_COST,
     .shown = TRAFFIC},
    {ROW(over), HEADED("over", "rows over\nplaces"), .style = STYLE_SHARE, .shown = TRAFFIC},
    {ROW(modelled_bin.overflow), HEADED("over_modelled", "modelled"), .style = STYLE_SHARE,
     .shown = TRAFFIC},
};
const struct columns count_columns = COLUMNS(struct algorithm_row, algorithm_items);

static struct algorithm_row row_of(const struct counting *c, const struct subject *s)
{
    const struct count_settings *settings = c->settings;
    const uint64_t n = settings->question.n.items[0], k = settings->question.k.items[0];
    const double rows = s->skipped ? NAN : (double)c->rows;
    const double left = (double)s->operations.left / (double)c->rows;
    struct algorithm_row row = {
        .settings = *settings,
        .subject = *s,
        .version = rcm_version(),
        .n = n,
        .k = k,
        .input = sim_input_name(settings->input.kind),
        .shift = settings->shift.length ? decimal_value(settings->shift.items[0]) : 0.0,
        .repetitions = c->rows,
        .partial = c->rows < c->wanted,
        .algorithm = s->algorithm->name,
        .digit = s->algorithm->takes_digit ? s->digit : NO_COUNT,
        .counted = (double)s->operations.all / rows,
        .taken = (double)s->operations.taken / rows,
        .passes = (double)s->operations.passes / rows,
        .bytes = (double)s->operations.bytes / rows,
        .left = left > 0.0 ? left : NAN,
        .over = left > 0.0 ? (double)s->over / (double)c->rows : NAN,
        .modelled_bin = modelled_bin(settings, s),
    };
    const struct rcm_algorithm *model = modelled_algorithm(s->algorithm->name, &row.unit);
    row.modelled = model && s->digit == 1 ? model->cost((double)n, (double)k, 1.0) : NAN;
    row.residual = row.counted - row.modelled;
    row.ratio = row.counted / row.modelled;
    return row;
}

struct stage1_row {
    struct rcm_topk p;
    double modelled, counted, taken, expected, insertions, insertions_expected;
};

#define STAGE1(field) FIELD(struct stage1_row, field)

static const struct column stage1_items[] = {
    {STAGE1(p.b), EVERYWHERE("b")},
    {STAGE1(p.k_b), EVERYWHERE("k_b")},
    {STAGE1(modelled), HEADED("modelled_per_element", "5 k_b - 2")},
    {STAGE1(counted), HEADED("counted_per_element", "counted")},
    {STAGE1(taken), HEADED("taken_per_element", "branches\ntaken only")},
    {STAGE1(expected), HEADED("expected_per_element", "expected\nof that")},
    {STAGE1(insertions), HEADED("insertions", "insertions\na row"), .style = STYLE_COST},
    {STAGE1(insertions_expected), HEADED("insertions_expected", "expected"), .style = STYLE_COST},
};
static const struct columns stage1_columns = COLUMNS(struct stage1_row, stage1_items);

static struct table *stage1_table(const struct stage1 *stage1, size_t shapes, double rows)
{
    struct table *table = table_of(&stage1_columns, 0);
    for (size_t i = 0; i < shapes; i++) {
        const struct stage1 *s = &stage1[i];
        const double n = (double)s->p.n, k_b = (double)s->p.k_b, insertions = rcm_insertions(s->p);
        const struct stage1_row row = {s->p,
                                       5.0 * k_b - 2.0,
                                       (double)s->operations.all / (n * rows),
                                       (double)s->operations.taken / (n * rows),
                                       1.0 + (5.0 * k_b - 3.0) * insertions / n,
                                       (double)s->insertions / rows,
                                       insertions};
        table_add(table, &row, false);
    }
    return table;
}

static int print_as_json(const struct counting *c, const struct table *algorithms,
                         const struct table *stage1)
{
    const struct count_settings *settings = c->settings;
    json_t *object = object_with_version();
    set_count(object, "n", settings->question.n.items[0]);
    set_count(object, "k", settings->question.k.items[0]);
    set_truth(object, "smallest", settings->smallest);
    set_text(object, "input", sim_input_name(settings->input.kind));
    set_count(object, "places", settings->places);
    set_count(object, "seed", settings->seed);
    set_count(object, "repetitions", c->rows);
    set_count(object, "repetitions_wanted", c->wanted);
    set_truth(object, "partial", c->rows < c->wanted);
    json_object_set_new(object, "algorithms", table_json(algorithms));
    json_object_set_new(object, "stage1", table_json(stage1));
    return print_json(object);
}

static int print_tables(const struct counting *c, const struct table *algorithms,
                        const struct table *traffic, const struct table *stage1)
{
    const struct count_settings *settings = c->settings;
    uint64_t rows = c->rows, n = settings->question.n.items[0], k = settings->question.k.items[0];
    switch (settings->question.output) {
    case OUTPUT_TABLE:
        printf("n = %" PRIu64 ", k = %" PRIu64 "%s; input %s, %" PRIu64 " row%s", n, k,
               settings->smallest ? " smallest" : "", sim_input_name(settings->input.kind), rows,
               rows == 1 ? "" : "s (mean)");
        if (rows < c->wanted)
            printf(" (of %" PRIu64 ": PARTIAL, stopped)", c->wanted);
        printf(", seed %" PRIu64 ", recallmodel %s\n", settings->seed, rcm_version());
        table_print(algorithms, stdout, false);
        print_wrapped("\nmodelled: the formula of the cost model, for ranks of log2 n bits, one "
                      "bit a pass; -: "
                      "it has none, as for a histogram; counted: with "
                      "every branch taken, as in the model; residual: what the model leaves out. "
                      "float32: keys of 32 bits.");
        if (k > QUADRATIC_MAX / n)
            print_wrapped(
                "insertion_queue and scan_max take n k steps to run. They are left out above n k = "
                "2^30.");
        printf("\nWhat is read and written, and left after the first digit, of a row (%" PRIu64
               " places):\n",
               settings->places);
        table_print(traffic, stdout, false);
        print_wrapped(
            "\nbytes: keys and indices of 4 bytes, read and written, if counters, queues and the "
            "threshold bin stay on the chip; left: the elements that share the first digit, or the "
            "bin, of the k-th largest; rows over places: those of which more are left.");
        puts("\nStage 1 with a queue in each of b interleaved buckets, operations per element:");
        table_print(stage1, stdout, false);
        print_wrapped(
            "\nexpected: if an element enters its queue only if it is larger than the smallest "
            "element there, on rows in random order.");
        return STATUS_OK;
    case OUTPUT_CSV:
        table_print_csv(algorithms, stdout, true);
        return STATUS_OK;
    default:
        return print_as_json(c, algorithms, stage1);
    }
}

int report_counts(const struct counting *c)
{
    if (c->rows == 0) {
        usage_error("stopped before a row was counted");
        return STATUS_INTERRUPTED;
    }
    struct table *algorithms = table_of(&count_columns, COUNTED),
                 *traffic = table_of(&count_columns, TRAFFIC),
                 *queues = stage1_table(c->stage1, c->shapes, (double)c->rows);
    for (size_t i = 0; i < c->count; i++) {
        const struct algorithm_row row = row_of(c, &c->subjects[i]);
        table_add(algorithms, &row, false);
        table_add(traffic, &row, false);
    }
    int status = print_tables(c, algorithms, traffic, queues);
    table_free(algorithms);
    table_free(traffic);
    table_free(queues);
    return status == STATUS_OK && c->rows < c->wanted ? STATUS_INTERRUPTED : status;
}
