/* command_count.c - counts the operations of the cost models by running the algorithms on rows of
 * values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/progress.h>
#include <programs/common/table.h>
#include <programs/common/wrap.h>
#include <sim/operations.h>

#include "answer.h"
#include "columns.h"
#include "command.h"
#include "input.h"

struct settings {
    struct question question;
    struct input_option input;
    struct decimal_list rho;
    struct count_list digits;
    uint64_t repetitions; /* 0: not given */
    uint64_t seed;
};

static int read_digits(void *to, const char *option, const char *value)
{
    const struct count_list *digits = to;
    const int status = read_sorted_counts(to, option, value);
    if (status == STATUS_OK && digits->items[digits->length - 1] > 16)
        return usage_error("%s '%.*s' is above 16; give 1 to 16 bits per pass", option, VALUE_SHOWN,
                           value);
    return status;
}

#define AT(member) offsetof(struct settings, member)

static const struct argument count_options[] = {
    {"--n", "N", read_counts, IN_QUESTION(n), "elements in a row"},
    {"--k", "K", read_counts, IN_QUESTION(k), "elements wanted"},
    {OPTION_KB},
    {"--b", "LIST", read_sorted_counts, IN_QUESTION(b),
     "buckets of stage 1 (default: the fewest, k/kb)"},
    {"--input", "I", read_input, AT(input),
     "iid (default), ar1, lognormal, uniform, ties, sorted, constant or rope"},
    {"--rho", "R", read_rho, AT(rho), "correlation of neighbours in ar1 (default 0.5)"},
    {"--repetitions", "R", read_count, AT(repetitions),
     "rows to count on (default 1); the counts are means over the rows"},
    {"--seed", "S", read_seed, AT(seed),
     "seed of the random numbers (default 1); a seed always gives the same result"},
    {"--digits", "LIST", read_digits, AT(digits),
     "bits per pass of the radix selects, 1 to 16 (default 1,4,8,11)"},
    {OPTION_JSON},
    {OPTION_CSV},
    {OPTIONS_END},
};

#define N_MAX (UINT64_C(1) << 28)
#define QUADRATIC_MAX \
    (UINT64_C(1) << 30) /* n k of an algorithm that takes n k steps to run: a second or two */

/* The cost model's formula for an algorithm of that name, and its unit. */
static const struct rcm_algorithm *modelled_algorithm(const char *name, const char **unit)
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
    struct operations operations;
};

/* Algorithm by algorithm, ranks then float32, digit by digit. */
static struct subject *subjects_of(const struct settings *settings, size_t *count)
{
    static const uint64_t usual[] = {1, 4, 8, 11};
    const uint64_t *digits = settings->digits.length ? settings->digits.items : usual;
    size_t length =
               settings->digits.length ? settings->digits.length : sizeof usual / sizeof *usual,
           capacity = 0;
    struct subject *subjects = NULL;
    *count = 0;
    for (size_t i = 0; sim_algorithm(i); i++)
        for (int raw = 0; raw < 2; raw++)
            for (size_t d = 0; d < (sim_algorithm(i)->takes_digit ? length : 1); d++) {
                subjects = array_grow(subjects, *count, &capacity, sizeof *subjects);
                subjects[(*count)++] = (struct subject){
                    .algorithm = sim_algorithm(i),
                    .keys = raw ? "float32" : "ranks",
                    .digit = sim_algorithm(i)->takes_digit ? (unsigned)digits[d] : 1,
                    .skipped = sim_algorithm(i)->quadratic &&
                               settings->question.k.items[0] >
                                   QUADRATIC_MAX / settings->question.n.items[0],
                };
            }
    return subjects;
}

/* Stage 1 of one shape, over all rows. */
struct stage1 {
    struct rcm_topk p;
    struct operations operations;
    uint64_t insertions;
};

/* The counts and the progress. A step makes one row, or runs one algorithm on one row. */
struct counting {
    const struct settings *settings;
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
    size_t n = (size_t)c->settings->question.n.items[0],
           k = (size_t)c->settings->question.k.items[0];
    uint32_t *out = require_memory(malloc(n * sizeof *out));
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++) {
        bool raw = strcmp(subjects[i].keys, "ranks") != 0;
        struct keys keys = {raw ? row->raw : row->ranks, n, k, raw ? 32 : row->rank_bits};
        if (!subjects[i].skipped)
            good = subjects[i].algorithm->run(&keys, subjects[i].digit, out,
                                              &subjects[i].operations) &&
                   step(c);
    }
    for (size_t i = 0; i < c->shapes && good; i++) {
        struct rcm_topk p = stage1[i].p;
        uint32_t *candidates = require_memory(malloc(p.b * p.k_b * sizeof *candidates));
        good = sim_stage1_queue(&(struct keys){row->raw, n, k, 32}, p.b, p.k_b, candidates,
                                &stage1[i].operations, &stage1[i].insertions) &&
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
    const struct settings *settings = c->settings;
    double rho = settings->rho.length ? decimal_value(settings->rho.items[0]) : 0.5;
    size_t subjects_size = c->count * sizeof *c->subjects,
           stage1_size = c->shapes * sizeof *c->stage1;
    struct subject *subjects = require_memory(malloc(subjects_size + 1));
    struct stage1 *stage1 = require_memory(malloc(stage1_size + 1));
    bool good = true;
    progress_start(&c->progress, "steps");
    progress_watch(&c->progress);
    while (c->rows < c->wanted && good) {
        struct count_row row;
        memcpy(subjects, c->subjects, subjects_size);
        memcpy(stage1, c->stage1, stage1_size);
        good = sim_count_row(settings->input.kind, rho, settings->seed, c->rows,
                             (size_t)settings->question.n.items[0], &row) &&
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
    const struct settings *settings = c->settings;
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

static int print_tables(const struct counting *c, const struct table *algorithms,
                        const struct table *stage1)
{
    const struct settings *settings = c->settings;
    uint64_t rows = c->rows, n = settings->question.n.items[0], k = settings->question.k.items[0];
    switch (settings->question.output) {
    case OUTPUT_TABLE:
        printf("n = %" PRIu64 ", k = %" PRIu64 "; input %s, %" PRIu64 " row%s", n, k,
               sim_input_name(settings->input.kind), rows, rows == 1 ? "" : "s (mean)");
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
        return print_json(json_pack(
            "{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:b, s:o, s:o}", "version", rcm_version(), "n",
            (json_int_t)n, "k", (json_int_t)k, "input", sim_input_name(settings->input.kind),
            "seed", (json_int_t)settings->seed, "repetitions", (json_int_t)rows,
            "repetitions_wanted", (json_int_t)c->wanted, "partial", (int)(rows < c->wanted),
            "algorithms", table_json(algorithms), "stage1", table_json(stage1)));
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

static int count_query(const struct settings *settings, const struct query *query)
{
    char error[200];
    struct counting c = {.settings = settings,
                         .shapes = query->length,
                         .wanted = settings->repetitions ? settings->repetitions : 1};
    if (!memory_fits(SIM_COUNT_ROW_BYTES * (double)query->base.n, "a row of this --n",
                     "give a smaller --n", error, sizeof error))
        return usage_error("%s", error);
    c.subjects = subjects_of(settings, &c.count);
    c.stage1 = require_memory(calloc(c.shapes, sizeof *c.stage1));
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

static int check_count(const struct settings *settings)
{
    const struct question *question = &settings->question;
    if (question->n.length > 1 || question->k.length > 1)
        return usage_error("--n and --k take one value each here");
    if (settings->input.given && settings->input.kind == SIM_PLACEMENT)
        return usage_error("--input placement has no rows to count on; give iid or another");
    if (settings->rho.length && settings->input.kind != SIM_AR1)
        return usage_error("--rho is the correlation of ar1; give --input ar1");
    if (settings->rho.length > 1)
        return usage_error("--rho takes one value here");
    if (question->n.length && question->n.items[0] > N_MAX)
        return usage_error("--n %" PRIu64 " is too large to be counted; give at most 2^28",
                           question->n.items[0]);
    return STATUS_OK;
}

static int run_count(int count, char **arguments)
{
    struct settings settings = {
        .question = QUESTION_DEFAULT, .input = {.kind = SIM_IID}, .seed = 1};
    struct query_list queries = {NULL, 0};
    int status = arguments_read(count_options, &settings, count, arguments);
    if (status == STATUS_OK)
        status = check_count(&settings);
    if (status == STATUS_OK)
        status = queries_build(&queries, &settings.question, SHAPES_FEWEST);
    if (status == STATUS_OK)
        status = count_query(&settings, &queries.items[0]);
    queries_free(&queries);
    question_free(&settings.question);
    free(settings.rho.items);
    free(settings.digits.items);
    return status;
}

const struct command command_count = {
    .name = "count",
    .summary = "the operations of the cost models, counted on generated rows",
    .example = "recallmodel count --n 4096 --k 64",
    .detail = "The algorithms run on ranks (keys of log2 n bits, as the model assumes) and on the "
              "32-bit keys of float32 values.\n"
              "\n"
              "  modelled        the formula of the cost model\n"
              "  counted         the operations of the algorithm on a row, if every branch is "
              "taken, as the model assumes\n"
              "  residual        what the model leaves out\n"
              "  taken only      the operations that are really executed\n"
              "\n"
              "Ctrl-C prints the rows counted so far and exits with status 130.",
    .options = count_options,
    .run = run_count,
};
