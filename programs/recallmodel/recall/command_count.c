/* command_count.c - counts the operations of the cost models by running the algorithms on rows of
 * values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <programs/recallmodel/command.h>
#include "count.h"

static int read_digits(void *to, const char *option, const char *value)
{
    const struct count_list *digits = to;
    const int status = read_sorted_counts(to, option, value);
    if (status == STATUS_OK && digits->items[digits->length - 1] > 16)
        return usage_error("%s '%.*s' is above 16; give 1 to 16 bits per pass", option, VALUE_SHOWN,
                           value);
    return status;
}

static const char *algorithm_name(unsigned i)
{
    return sim_algorithm(i) ? sim_algorithm(i)->name : NULL;
}

static int read_algorithms(void *to, const char *option, const char *value)
{
    struct count_settings *settings = (struct count_settings *)to;
    return read_names(option, value, algorithm_name, COUNT_ALGORITHMS, settings->algorithms,
                      &settings->algorithms_length);
}

#define AT(member) offsetof(struct count_settings, member)

static const struct argument count_options[] = {
    {"--n", "N", BY(read_one_count), IN_QUESTION(n), "elements in a row"},
    {"--k", "K", BY(read_one_count), IN_QUESTION(k), "elements wanted"},
    {OPTION_KB},
    {"--b", "LIST", BY(read_sorted_counts), IN_QUESTION(b),
     "buckets of stage 1 (default: the fewest, k/kb)"},
    {"--input", "I", &kind_of_made_input, AT(input),
     "the kind of rows: iid (default), ar1, lognormal, uniform, ties, sorted, constant or rope"},
    {"--rho", "R", BY(read_rho), AT(rho), "correlation of neighbours in ar1 (default 0.5)"},
    {"--shift", "X", BY(read_decimals), AT(shift),
     "a number that is added to each value (default 0)"},
    {"--repetitions", "R", BY(read_count), AT(repetitions),
     "rows to count on (default 1); the counts are means over the rows"},
    {"--seed", "S", BY(read_seed), AT(seed),
     "seed of the random numbers (default 1); a seed always gives the same result"},
    {"--digits", "LIST", BY(read_digits), AT(digits),
     "bits per pass, 1 to 16: of the radix selects (default 1,4,8,11; with compaction 4,8,11) and "
     "of the bins of a histogram (default 9,11)"},
    {"--algorithm", "LIST", KIND(read_algorithms, .names = algorithm_name), 0,
     "count only these algorithms (default: all)"},
    {"--smallest", NULL, BY(read_switch), AT(smallest),
     "select the k smallest instead of the k largest"},
    {"--places", "P", BY(read_count), AT(places),
     "the elements of the threshold bin for which a kernel has room (default 3072)"},
    {"--trace", NULL, BY(read_switch), AT(trace),
     "print the passes of compacting_radix on the row of --file instead: how many elements have "
     "each digit, and the result; takes --k, --digits and --smallest"},
    {"--file", "PATH", KIND(read_text, .endings = "npy"), AT(file),
     "the row of --trace: a .npy of floats that are whole numbers"},
    OPTIONS_FORM,
};

static const struct argument_rule count_rules[] = {
    {.options = "--trace --file", .needs = "--trace --file"},
    {.options = "--trace",
     .excludes = "--n --kb --b --input --rho --shift --repetitions --seed --algorithm --places",
     .why = "--trace reads one row"},
    {0},
};

#define N_MAX (UINT64_C(1) << 28)

static bool is_wanted(const struct count_settings *settings, unsigned algorithm)
{
    bool wanted = settings->algorithms_length == 0;
    for (unsigned i = 0; i < settings->algorithms_length; i++)
        wanted = wanted || settings->algorithms[i] == algorithm;
    return wanted;
}

/* The d-th number of bits that an algorithm is run with, 0 after the last. */
static unsigned digit_of(const struct count_settings *settings,
                         const struct sim_algorithm *algorithm, size_t d)
{
    if (!algorithm->takes_digit)
        return d == 0;
    if (settings->digits.length)
        return d < settings->digits.length ? (unsigned)settings->digits.items[d] : 0;
    return algorithm->usual_digits[d];
}

/* Algorithm by algorithm, ranks then float32, digit by digit. */
static struct subject *subjects_of(const struct count_settings *settings, size_t *count)
{
    struct subject *subjects = NULL;
    size_t capacity = 0;
    *count = 0;
    for (unsigned i = 0; sim_algorithm(i); i++)
        for (int raw = 0; raw < 2 && is_wanted(settings, i); raw++)
            for (size_t d = 0; digit_of(settings, sim_algorithm(i), d); d++) {
                subjects = array_grow(subjects, *count, &capacity, sizeof *subjects);
                subjects[(*count)++] = (struct subject){
                    .algorithm = sim_algorithm(i),
                    .keys = raw ? "float32" : "ranks",
                    .digit = digit_of(settings, sim_algorithm(i), d),
                    .skipped = sim_algorithm(i)->quadratic &&
                               settings->question.k.items[0] >
                                   QUADRATIC_MAX / settings->question.n.items[0],
                };
            }
    return subjects;
}

/* Runs a subject on one row, and notes whether what is left of it exceeds the places. Returns false
 * when memory runs out. */
static bool run_subject(struct subject *subject, const struct keys *keys, uint64_t places,
                        uint32_t *out)
{
    uint64_t before = subject->operations.left;
    bool good = subject->algorithm->run(keys, subject->digit, out, &subject->operations);
    subject->over += subject->operations.left - before > places;
    return good;
}

/* One step is done. Returns false to stop. */
static bool step(struct counting *c)
{
    c->stopped = progress_tick(&c->progress, ++c->step, c->steps);
    if (c->rows == 0)
        progress_holds_nothing();
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
        struct keys keys = {raw ? row->raw : row->ranks, n, k, raw ? 32 : row->rank_bits, raw};
        if (!subjects[i].skipped)
            good = run_subject(&subjects[i], &keys, c->settings->places, out) && step(c);
    }
    for (size_t i = 0; i < c->shapes && good; i++) {
        struct rcm_topk p = stage1[i].p;
        uint32_t *candidates = require_memory(malloc(p.b * p.k_b * sizeof *candidates));
        good = sim_stage1_queue(&(struct keys){row->raw, n, k, 32, true}, p.b, p.k_b, candidates,
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
    const struct count_settings *settings = c->settings;
    double rho = first_rho(&settings->rho, settings->input.kind),
           shift = settings->shift.length ? decimal_value(settings->shift.items[0]) : 0.0;
    size_t subjects_size = c->count * sizeof *c->subjects,
           stage1_size = c->shapes * sizeof *c->stage1;
    struct subject *subjects = require_memory(malloc(subjects_size + 1));
    struct stage1 *stage1 = require_memory(malloc(stage1_size + 1));
    bool good = true;
    progress_start(&c->progress, "steps");
    progress_watch(&c->progress);
    progress_holds_nothing();
    while (c->rows < c->wanted && good) {
        struct count_row row;
        memcpy(subjects, c->subjects, subjects_size);
        memcpy(stage1, c->stage1, stage1_size);
        good =
            sim_count_row(settings->input.kind, rho, settings->seed, c->rows,
                          (size_t)settings->question.n.items[0], shift, settings->smallest, &row) &&
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

static int count_query(const struct count_settings *settings, const struct query *query)
{
    char error[200];
    struct counting c = {.settings = settings,
                         .shapes = query->length,
                         .wanted = settings->repetitions ? settings->repetitions : 1};
    if (!memory_fits(SIM_COUNT_ROW_BYTES * (double)query->base.n, "a row of this --n",
                     "give a smaller --n", MESSAGE(error)))
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

static int check_count(const struct count_settings *settings)
{
    const struct question *question = &settings->question;
    if (settings->input.given && settings->input.kind == SIM_PLACEMENT)
        return usage_error(
            "--input placement has no rows to count on; give --input iid or another");
    if (check_rho(&settings->rho, settings->input.kind, false) != STATUS_OK)
        return STATUS_USAGE;
    if (settings->shift.length > 1)
        return usage_error("--shift takes one value here; give one");
    if (question->n.length && question->n.items[0] > N_MAX)
        return usage_error("--n %" PRIu64 " is too large to be counted; give at most 2^28",
                           question->n.items[0]);
    return STATUS_OK;
}

static int run_count(int count, char **arguments)
{
    struct count_settings settings = {
        .question = QUESTION_DEFAULT, .input = {.kind = SIM_IID}, .seed = 1, .places = 3072};
    struct query_list queries = {NULL, 0};
    int status =
        arguments_read_ruled(count_options, count_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = check_count(&settings);
    if (status == STATUS_OK && settings.trace)
        status = trace_count(&settings);
    else if (status == STATUS_OK) {
        status = queries_build(&queries, &settings.question, SHAPES_FEWEST);
        if (status == STATUS_OK)
            status = count_query(&settings, &queries.items[0]);
    }
    queries_free(&queries);
    question_free(&settings.question);
    free(settings.rho.items);
    free(settings.shift.items);
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
              "  counted         the operations of the algorithm on a row, with every branch "
              "taken, as the model assumes\n"
              "  residual        counted less modelled: what the model leaves out\n"
              "  taken only      the operations of the branches that are taken\n"
              "  left            the elements left after the first pass: they share the first "
              "digit, or the bin, of the k-th largest\n"
              "\n"
              "Ctrl-C prints the rows counted so far and exits with status 130.",
    .columns = &count_columns,
    .options = count_options,
    .run = run_count,
};
