/* command_count.c - the operations that the cost models count, counted: the algorithms run on real
 * rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "commands.h"
#include "memory.h"
#include "progress.h"
#include "query.h"
#include "sim/count.h"
#include "table.h"

#define N_MAX (UINT64_C(1) << 28)
#define QUADRATIC_MAX \
    (UINT64_C(1) << 30) /* n k of an algorithm that takes n k steps to run: a second or two */

/* The cost model's formula for an algorithm of that name, and its unit. */
static const struct rcm_algorithm *modelled(const char *name, const char **unit)
{
    for (size_t i = 0; rcm_cost_model(i); i++)
        for (unsigned j = 0; j < RCM_MAX_ALGORITHMS && rcm_cost_model(i)->algorithms[j].cost; j++) {
            const struct rcm_algorithm *algorithm = &rcm_cost_model(i)->algorithms[j];
            *unit = rcm_cost_model(i)->unit;
            if (algorithm->name && strcmp(algorithm->name, name) == 0)
                return algorithm;
        }
    return NULL;
}

/* One algorithm on one kind of keys, over all rows. */
struct subject {
    const struct sim_algorithm *algorithm;
    const char *keys; /* "ranks" or "float32" */
    unsigned digit;
    bool skipped;
    struct work work;
};

/* Algorithm by algorithm, ranks then float32, digit by digit. */
static struct subject *subjects_of(const struct options *o, size_t *count)
{
    static const uint64_t usual[] = {1, 4, 8, 11};
    const uint64_t *digits = o->digits.length ? o->digits.items : usual;
    size_t length = o->digits.length ? o->digits.length : sizeof usual / sizeof *usual,
           capacity = 0;
    struct subject *subjects = NULL;
    *count = 0;
    for (size_t i = 0; sim_algorithm(i); i++)
        for (int raw = 0; raw < 2; raw++)
            for (size_t d = 0; d < (sim_algorithm(i)->takes_digit ? length : 1); d++) {
                subjects = grown(subjects, *count, &capacity, sizeof *subjects);
                subjects[(*count)++] = (struct subject){
                    .algorithm = sim_algorithm(i),
                    .keys = raw ? "float32" : "ranks",
                    .digit = sim_algorithm(i)->takes_digit ? (unsigned)digits[d] : 1,
                    .skipped = sim_algorithm(i)->quadratic &&
                               o->k.items[0] > QUADRATIC_MAX / o->n.items[0],
                };
            }
    return subjects;
}

/* Stage 1 of one shape, over all rows. */
struct stage1 {
    struct rcm_topk p;
    struct work work;
    uint64_t insertions;
};

/* What is counted, and how far it is: a step is a row made, or an algorithm run on one. */
struct counting {
    const struct options *options;
    struct subject *subjects;
    size_t count;
    struct stage1 *stage1;
    size_t shapes;
    uint64_t wanted, rows; /* to be counted, and counted as a whole */
    struct progress progress;
    uint64_t step, steps;
    bool stopped;
};

/* One step is done. Returns false to stop. */
static bool step(struct counting *c)
{
    c->stopped = progress_tick(&c->progress, ++c->step, c->steps);
    return !c->stopped;
}

/* Runs everything on one row, into `subjects` and `stage1`. Returns false when it is stopped, or
 * memory runs out. */
static bool count_row(struct counting *c, const struct count_row *row, struct subject *subjects,
                      struct stage1 *stage1)
{
    size_t n = (size_t)c->options->n.items[0], k = (size_t)c->options->k.items[0];
    uint32_t *out = checked(malloc(n * sizeof *out));
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++) {
        bool raw = strcmp(subjects[i].keys, "ranks") != 0;
        struct keys keys = {raw ? row->raw : row->ranks, n, k, raw ? 32 : row->rank_bits};
        if (!subjects[i].skipped)
            good = subjects[i].algorithm->run(&keys, subjects[i].digit, out, &subjects[i].work) &&
                   step(c);
    }
    for (size_t i = 0; i < c->shapes && good; i++) {
        struct rcm_topk p = stage1[i].p;
        uint32_t *candidates = checked(malloc(p.b * p.k_b * sizeof *candidates));
        good = sim_stage1_queue(&(struct keys){row->raw, n, k, 32}, p.b, p.k_b, candidates,
                                &stage1[i].work, &stage1[i].insertions) &&
               step(c);
        free(candidates);
    }
    free(out);
    return good;
}

/* Counts row by row; a row that is not done when it is stopped does not count. Returns false when
 * memory runs out. */
static bool count_rows(struct counting *c)
{
    const struct options *o = c->options;
    double rho = o->rho.length ? decimal_value(o->rho.items[0]) : 0.5;
    size_t subjects_size = c->count * sizeof *c->subjects,
           stage1_size = c->shapes * sizeof *c->stage1;
    struct subject *subjects = checked(malloc(subjects_size + 1));
    struct stage1 *stage1 = checked(malloc(stage1_size + 1));
    bool good = true;
    progress_start(&c->progress, "steps");
    progress_watch(&c->progress);
    while (c->rows < c->wanted && good) {
        struct count_row row;
        memcpy(subjects, c->subjects, subjects_size);
        memcpy(stage1, c->stage1, stage1_size);
        good = sim_count_row(o->input, rho, o->seed, c->rows, (size_t)o->n.items[0], &row) &&
               step(c) && count_row(c, &row, subjects, stage1);
        sim_count_row_free(&row);
        if (!good)
            break;
        memcpy(c->subjects, subjects, subjects_size);
        memcpy(c->stage1, stage1, stage1_size);
        c->rows++;
    }
    progress_end(&c->progress);
    free(subjects);
    free(stage1);
    return good || c->stopped;
}

static struct table *algorithm_table(const struct counting *c)
{
    const struct options *o = c->options;
    const uint64_t rows = c->rows;
    struct table *table = table_new();
    for (size_t i = 0; i < c->count; i++) {
        const struct subject *s = &c->subjects[i];
        const char *unit = NULL;
        const struct rcm_algorithm *model = modelled(s->algorithm->name, &unit);
        double cost = model && s->digit == 1
                          ? model->cost((double)o->n.items[0], (double)o->k.items[0], 1.0)
                          : NAN;
        double all = s->skipped ? NAN : (double)s->work.all / (double)rows,
               taken = s->skipped ? NAN : (double)s->work.taken / (double)rows;
        table_row(table, false);
        table_text(table, (struct column){.csv = "version"}, rcm_version());
        table_count(table, (struct column){.csv = "n"}, o->n.items[0]);
        table_count(table, (struct column){.csv = "k"}, o->k.items[0]);
        table_text(table, (struct column){.csv = "input"}, sim_input_name(o->input));
        table_count(table, (struct column){.csv = "seed"}, o->seed);
        table_count(table, (struct column){.csv = "repetitions"}, rows);
        table_bool(table, (struct column){.csv = "partial"}, rows < c->wanted);
        table_text(table, column("algorithm", STYLE_PLAIN), s->algorithm->name);
        table_text(table, column("keys", STYLE_PLAIN), s->keys);
        if (s->algorithm->takes_digit)
            table_count(table,
                        (struct column){"digit_bits", "digit_bits", "bits a\npass", STYLE_PLAIN, 0},
                        s->digit);
        else
            table_null(table,
                       (struct column){"digit_bits", "digit_bits", "bits a\npass", STYLE_PLAIN, 0});
        table_text(table, column("unit", STYLE_PLAIN), unit);
        table_real(table, column("modelled", STYLE_COST), cost);
        table_real(table, column("counted", STYLE_COST), all);
        table_real(table, column("residual", STYLE_COST), all - cost);
        table_real(table, (struct column){"ratio", "ratio", "counted/\nmodelled", STYLE_PLAIN, 0},
                   all / cost);
        table_real(table, (struct column){"taken", "taken", "branches\ntaken only", STYLE_COST, 0},
                   taken);
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
        table_real(table,
                   (struct column){"modelled_per_element", "modelled_per_element", "5 k_b - 2",
                                   STYLE_PLAIN, 0},
                   5.0 * k_b - 2.0);
        table_real(table,
                   (struct column){"counted_per_element", "counted_per_element", "counted",
                                   STYLE_PLAIN, 0},
                   (double)s->work.all / elements);
        table_real(table,
                   (struct column){"taken_per_element", "taken_per_element", "branches\ntaken only",
                                   STYLE_PLAIN, 0},
                   (double)s->work.taken / elements);
        table_real(table,
                   (struct column){"expected_per_element", "expected_per_element",
                                   "expected\nof that", STYLE_PLAIN, 0},
                   1.0 + (5.0 * k_b - 3.0) * insertions / (double)s->p.n);
        table_real(table,
                   (struct column){"insertions", "insertions", "insertions\na row", STYLE_COST, 0},
                   (double)s->insertions / rows);
        table_real(table,
                   (struct column){"insertions_expected", "insertions_expected", "expected",
                                   STYLE_COST, 0},
                   insertions);
    }
    return table;
}

static int print_tables(const struct counting *c, const struct table *algorithms,
                        const struct table *stage1)
{
    const struct options *o = c->options;
    uint64_t rows = c->rows, n = o->n.items[0], k = o->k.items[0];
    switch (o->output) {
    case OUTPUT_TABLE:
        printf("n = %" PRIu64 ", k = %" PRIu64 "; input %s, %" PRIu64 " row%s", n, k,
               sim_input_name(o->input), rows, rows == 1 ? "" : "s, mean of them");
        if (rows < c->wanted)
            printf(" (of %" PRIu64 ": PARTIAL, stopped)", c->wanted);
        printf(", seed %" PRIu64 ", recallmodel %s\n", o->seed, rcm_version());
        table_print(algorithms, stdout, false);
        puts("\nmodelled: the formula of the cost model, for ranks of log2 n bits; counted: every "
             "branch taken, as in the\n"
             "model; residual: what the model leaves out. float32: keys of 32 bits.");
        if (k > QUADRATIC_MAX / n)
            puts("insertion_queue and scan_max take n k steps to run, and were left out above n k "
                 "= 2^30.");
        puts("\nStage 1 with a queue in each of b interleaved buckets, operations an element:");
        table_print(stage1, stdout, false);
        puts("\nexpected: if an element enters its queue only where it beats the smallest, on rows "
             "in random order.");
        return STATUS_OK;
    case OUTPUT_CSV:
        table_print_csv(algorithms, stdout, true);
        return STATUS_OK;
    default:
        return print_json(json_pack(
            "{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:b, s:o, s:o}", "version", rcm_version(), "n",
            (json_int_t)n, "k", (json_int_t)k, "input", sim_input_name(o->input), "seed",
            (json_int_t)o->seed, "repetitions", (json_int_t)rows, "repetitions_wanted",
            (json_int_t)c->wanted, "partial", (int)(rows < c->wanted), "algorithms",
            table_json(algorithms), "stage1", table_json(stage1)));
    }
}

/* Prints what has been counted. Returns a status. */
static int report_counts(const struct counting *c)
{
    if (c->rows == 0) {
        usage_error("stopped before a row was counted");
        return STATUS_INTERRUPTED;
    }
    struct table *algorithms = algorithm_table(c),
                 *queues = stage1_table(c->stage1, c->shapes, (double)c->rows);
    int status = print_tables(c, algorithms, queues);
    table_free(algorithms);
    table_free(queues);
    return status == STATUS_OK && c->rows < c->wanted ? STATUS_INTERRUPTED : status;
}

static int count_query(const struct options *o, const struct query *query)
{
    char error[200];
    struct counting c = {
        .options = o, .shapes = query->length, .wanted = o->repetitions ? o->repetitions : 1};
    if (!memory_has(SIM_COUNT_ROW_BYTES * (double)query->base.n, "a row of this --n",
                    "give a smaller --n", error, sizeof error))
        return usage_error("%s", error);
    c.subjects = subjects_of(o, &c.count);
    c.stage1 = checked(calloc(c.shapes, sizeof *c.stage1));
    for (size_t i = 0; i < c.shapes; i++)
        c.stage1[i].p = query->shapes[i];
    c.steps = 1 + c.shapes;
    for (size_t i = 0; i < c.count; i++)
        c.steps += !c.subjects[i].skipped;
    c.steps *= c.wanted;
    int status = STATUS_FAILED;
    if (count_rows(&c))
        status = report_counts(&c);
    else
        usage_error("out of memory; give a smaller --n");
    free(c.subjects);
    free(c.stage1);
    return status;
}

int command_count(const struct options *options)
{
    struct options own = *options;
    struct query_list queries;
    if (own.n.length > 1 || own.k.length > 1)
        return usage_error("--n and --k take one value each here");
    if (own.has_input && own.input == SIM_PLACEMENT)
        return usage_error("--input placement has no rows to count on; give iid or another");
    if (own.rho.length && own.input != SIM_AR1)
        return usage_error("--rho is the correlation of ar1; give --input ar1");
    if (own.rho.length > 1)
        return usage_error("--rho takes one value here");
    if (own.n.length && own.n.items[0] > N_MAX)
        return usage_error("--n %" PRIu64 " is too large to be counted; give at most 2^28",
                           own.n.items[0]);
    if (!own.has_input)
        own.input = SIM_IID;
    int status = queries_build(&queries, &own, SHAPES_FEWEST);
    if (status == STATUS_OK)
        status = count_query(&own, &queries.items[0]);
    queries_free(&queries);
    return status;
}
