/* count_tables.c - see count.h: the tables of `recallmodel count`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "count.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/columns.h>

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
    static const char *const laws[SIM_INPUTS] = {
        [SIM_IID] = "normal", [SIM_LOGNORMAL] = "lognormal", [SIM_UNIFORM] = "uniform"};
    const char *law = laws[settings->input.kind];
    const double shift = settings->shift.length ? decimal_value(settings->shift.items[0]) : 0.0;
    if (!law || strcmp(s->keys, "ranks") == 0 || s->operations.left == 0)
        return (struct rcm_threshold_bin){NAN, NAN};
    return rcm_threshold_bin(
        settings->question.n.items[0], settings->question.k.items[0],
        (struct rcm_bins){s->algorithm->float16_bins ? RCM_BINS_FLOAT16 : RCM_BINS_FLOAT32,
                          s->digit},
        (struct rcm_values){rcm_values_law_by_name(law), settings->smallest ? -shift : shift,
                            settings->smallest ? -1.0 : 1.0},
        settings->places);
}

/* What is read and written a row, and left after the first digit: for people, or in data. */
static void put_traffic(struct table *table, const struct counting *c, const struct subject *s,
                        bool people)
{
    const double rows = (double)c->rows, left = (double)s->operations.left / rows;
    const struct rcm_threshold_bin bin = modelled_bin(c->settings, s);
    const struct {
        struct column column;
        double value;
    } puts[] = {
        {people ? in_table("passes", STYLE_PLAIN) : in_data("passes"),
         s->skipped ? NAN : (double)s->operations.passes / rows},
        {people ? in_table("bytes", STYLE_COST) : in_data("bytes"),
         s->skipped ? NAN : (double)s->operations.bytes / rows},
        {people ? in_table("left", STYLE_COST) : in_data("left"), left > 0.0 ? left : NAN},
        {people ? in_table("modelled", STYLE_COST) : in_data("left_modelled"), bin.mean},
        {people ? in_table("rows over\nplaces", STYLE_SHARE) : in_data("over"),
         left > 0.0 ? (double)s->over / rows : NAN},
        {people ? in_table("modelled", STYLE_SHARE) : in_data("over_modelled"), bin.overflow},
    };
    for (size_t i = 0; i < sizeof puts / sizeof *puts; i++)
        table_real(table, puts[i].column, puts[i].value);
}

static struct table *algorithm_table(const struct counting *c)
{
    const struct count_settings *settings = c->settings;
    const uint64_t rows = c->rows;
    struct table *table = table_new();
    for (size_t i = 0; i < c->count; i++) {
        const struct subject *s = &c->subjects[i];
        const char *unit = NULL;
        const struct rcm_algorithm *model = modelled_algorithm(s->algorithm->name, &unit);
        double cost = model && s->digit == 1
                          ? model->cost((double)settings->question.n.items[0],
                                        (double)settings->question.k.items[0], 1.0)
                          : NAN;
        double all = s->skipped ? NAN : (double)s->operations.all / (double)rows,
               taken = s->skipped ? NAN : (double)s->operations.taken / (double)rows;
        table_row(table, false);
        table_text(table, in_csv("version"), rcm_version());
        table_count(table, in_csv("n"), settings->question.n.items[0]);
        table_count(table, in_csv("k"), settings->question.k.items[0]);
        table_text(table, in_csv("input"), sim_input_name(settings->input.kind));
        table_bool(table, in_csv("smallest"), settings->smallest);
        table_real(table, in_csv("shift"),
                   settings->shift.length ? decimal_value(settings->shift.items[0]) : 0.0);
        table_count(table, in_csv("seed"), settings->seed);
        table_count(table, in_csv("repetitions"), rows);
        table_bool(table, in_csv("partial"), rows < c->wanted);
        table_text(table, column("algorithm", STYLE_PLAIN), s->algorithm->name);
        table_text(table, column("keys", STYLE_PLAIN), s->keys);
        put_count_if(s->algorithm->takes_digit, table,
                     headed("digit_bits", "bits a\npass", STYLE_PLAIN), s->digit);
        table_text(table, column("unit", STYLE_PLAIN), unit);
        table_real(table, column("modelled", STYLE_COST), cost);
        table_real(table, column("counted", STYLE_COST), all);
        table_real(table, column("residual", STYLE_COST), all - cost);
        table_real(table, headed("ratio", "counted/\nmodelled", STYLE_PLAIN), all / cost);
        table_real(table, headed("taken", "branches\ntaken only", STYLE_COST), taken);
        put_traffic(table, c, s, false);
    }
    return table;
}

/* The second table, for people: who has read and written how much, and what was left. */
static struct table *traffic_table(const struct counting *c)
{
    struct table *table = table_new();
    for (size_t i = 0; i < c->count; i++) {
        const struct subject *s = &c->subjects[i];
        table_row(table, false);
        table_text(table, in_table("algorithm", STYLE_PLAIN), s->algorithm->name);
        table_text(table, in_table("keys", STYLE_PLAIN), s->keys);
        put_count_if(s->algorithm->takes_digit, table, in_table("bits a\npass", STYLE_PLAIN),
                     s->digit);
        put_traffic(table, c, s, true);
    }
    return table;
}

static struct table *stage1_table(const struct stage1 *stage1, size_t shapes, double rows)
{
    struct table *table = table_new();
    for (size_t i = 0; i < shapes; i++) {
        const struct stage1 *s = &stage1[i];
        double elements = (double)s->p.n * rows, insertions = rcm_insertions(s->p),
               k_b = (double)s->p.k_b;
        table_row(table, false);
        table_count(table, column("b", STYLE_PLAIN), s->p.b);
        table_count(table, column("k_b", STYLE_PLAIN), s->p.k_b);
        table_real(table, headed("modelled_per_element", "5 k_b - 2", STYLE_PLAIN),
                   5.0 * k_b - 2.0);
        table_real(table, headed("counted_per_element", "counted", STYLE_PLAIN),
                   (double)s->operations.all / elements);
        table_real(table, headed("taken_per_element", "branches\ntaken only", STYLE_PLAIN),
                   (double)s->operations.taken / elements);
        table_real(table, headed("expected_per_element", "expected\nof that", STYLE_PLAIN),
                   1.0 + (5.0 * k_b - 3.0) * insertions / (double)s->p.n);
        table_real(table, headed("insertions", "insertions\na row", STYLE_COST),
                   (double)s->insertions / rows);
        table_real(table, headed("insertions_expected", "expected", STYLE_COST), insertions);
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
        print_wrapped(
            "\nmodelled: the formula of the cost model, for ranks of log2 n bits; counted: with "
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
    struct table *algorithms = algorithm_table(c), *traffic = traffic_table(c),
                 *queues = stage1_table(c->stage1, c->shapes, (double)c->rows);
    int status = print_tables(c, algorithms, traffic, queues);
    table_free(algorithms);
    table_free(traffic);
    table_free(queues);
    return status == STATUS_OK && c->rows < c->wanted ? STATUS_INTERRUPTED : status;
}
