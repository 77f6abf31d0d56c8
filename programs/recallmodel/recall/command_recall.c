/* command_recall.c - the main question: what does every choice of buckets cost in recall and in
 * work?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

#include <programs/common/format.h>
#include <programs/common/progress.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/configuration.h>

struct settings {
    struct question question;
    struct distribution_question asked;
};

static const struct argument recall_options[] = {
    OPTIONS_ROW,
    {OPTION_KB},
    {OPTION_B},
    {OPTION_M},
    {OPTION_VALID},
    {OPTION_LENGTHS},
    {OPTION_ASSIGNMENT},
    {OPTION_RECALL},
    OPTIONS_WEIGHTS("the share of the softmax mass that may be lost on average, in place of "
                    "--recall"),
    OPTIONS_ROUNDING,
    {"--quantile", "Q", BY(read_probability), offsetof(struct settings, asked.quantile),
     "also print the recall that all but a share Q of the rows reach; Q is a fraction such as "
     "0.05"},
    {"--at-least", "R", BY(read_recall), offsetof(struct settings, asked.at_least),
     "also print the probability that the recall of a row is at least R"},
    {"--device", "D", &kind_of_device, IN_QUESTION(device),
     "also print the roofline of this device: its name, a prefix of just one name (h200, rtx5090), "
     "or the path of a device file"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "type of the values in the roofline: f32 (default), f16 or bf16"},
    OPTIONS_RESTRICTION,
    {OPTION_PLOT},
    OPTIONS_FORM,
};

/* What was asked, and what the parts of an answer know of one query. */
struct state {
    struct settings settings;
    const struct rcm_objective *objective; /* what is least at the best shape */
    struct rcm_machine machine;            /* what the objective is computed with */
    const struct rcm_topk *best;           /* of the query's smallest b; NULL: none reaches */
    struct configuration *rows;            /* of the query's shapes */
};

/* The objective of the best shape: with a device the time by its profile or its roofline, otherwise
 * the candidates. */
static void choose_objective(struct state *state)
{
    const struct question *question = &state->settings.question;
    const enum rcm_dtype dtype = question_dtype(question);
    const char *name = "candidates";
    state->machine = (struct rcm_machine){.dtype = dtype};
    if (question->device.given) {
        state->machine.device = &question->device.text.device;
        state->machine.profile = profile_of_type(&question->device.text, dtype);
        name = state->machine.profile ? "time" : "roofline";
    }
    state->objective = rcm_objective_by_name(name);
}

/* The shape with the least objective among those that reach the target of the query; of equal ones
 * the one with the fewest candidates. NULL if no shape reaches the target. */
static const struct rcm_topk *best_shape(const struct state *state, const struct query *query,
                                         const struct rcm_topk *shapes, size_t length)
{
    const struct rcm_topk *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < length; i++) {
        if (!rcm_reaches(shapes[i], query->target))
            continue;
        const double value =
            state->objective->bucketed(state->objective, &state->machine, shapes[i]);
        if (value < least ||
            (value == least && best && rcm_candidates(shapes[i]) < rcm_candidates(*best))) {
            least = value;
            best = &shapes[i];
        }
    }
    return best;
}

static struct table *configuration_table(const struct state *state, const struct query *query)
{
    return table_of(&configuration_columns,
                    configuration_parts(query, &state->settings.question, &state->settings.asked));
}

static struct table *recall_rows(const struct query *query, void *context)
{
    struct state *state = context;
    struct table *table = configuration_table(state, query);
    choose_objective(state);
    state->best = best_shape(state, query, query->smallest, query->k_b_count);
    const struct rcm_topk *best = best_shape(state, query, query->shapes, query->length);
    free(state->rows);
    state->rows = require_memory(malloc((query->length + 1) * sizeof *state->rows));
    struct progress progress; /* a distribution of 2^40 elements takes seconds */
    progress_start(&progress, "shapes");
    progress_watch(&progress);
    for (size_t i = 0; i < query->length; i++) {
        progress_tick(&progress, i, query->length);
        progress_holds_nothing();
        state->rows[i] =
            evaluate(query->shapes[i], query, &state->settings.question, &state->settings.asked);
        table_add(table, &state->rows[i], &query->shapes[i] == best);
    }
    progress_end(&progress);
    return table;
}

struct smallest_row {
    struct rcm_topk p;
    uint64_t candidates;
    double recall;
};

static const struct column smallest_items[] = {
    {FIELD(struct smallest_row, p.k_b), EVERYWHERE("k_b")},
    {FIELD(struct smallest_row, p.b), EVERYWHERE("b")},
    {FIELD(struct smallest_row, candidates), EVERYWHERE("candidates")},
    {FIELD(struct smallest_row, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
};
static const struct columns smallest_columns = COLUMNS(struct smallest_row, smallest_items);

/* One row for each k_b: the smallest b that reaches the target. No row if no b fits. */
static struct table *smallest_b(const struct query *query, const struct state *state)
{
    struct table *table = table_of(&smallest_columns, 0);
    for (size_t i = 0; i < query->k_b_count; i++) {
        const struct rcm_topk p = query->smallest[i];
        const struct smallest_row row = {p, rcm_candidates(p), rcm_recall_exact(p)};
        if (p.b > 0)
            table_add(table, &row, &query->smallest[i] == state->best);
    }
    return table;
}

/* What the column of microseconds is. */
static void print_roofline(const struct settings *settings)
{
    const struct rcm_device *device = &settings->question.device.text.device;
    if (!settings->question.device.given || !(device->bandwidth_bytes_per_s > 0.0))
        return;
    print_wrapped("stage 1 us, >=: by the roofline of the %s; a bound, not calibrated",
                  device->name);
    if (!(device->vector_rate_per_s > 0.0))
        print_wrapped("The bound is by bandwidth alone: the vector rate of the device is not "
                      "known, so it is not known which of the two binds.");
}

/* What the columns of --quantile and --at-least are, and why "-" stands in them. */
static void explain_distribution(const struct query *query, const struct state *state)
{
    const struct distribution_question *asked = &state->settings.asked;
    const double share = decimal_value(asked->quantile.value);
    const bool small = asked->quantile.given && share < RCM_LOST_MAX_ERROR;
    bool no_distribution = false, no_distribution_of_all = false;
    for (size_t i = 0; i < query->length; i++) {
        const struct configuration *c = &state->rows[i];
        no_distribution = no_distribution || isnan(c->at_least) || (!small && isnan(c->quantile));
        no_distribution_of_all =
            no_distribution_of_all || isnan(c->at_least_all) || isnan(c->quantile_all);
    }
    char reaching[40];
    format_rows(reaching, sizeof reaching, share);
    if (asked->quantile.given)
        printf("quantile: the recall that %s reach\n", reaching);
    if (no_distribution)
        print_wrapped("-: not computed, because the distribution of the recall is too "
                      "wide or would take too long");
    else if (small)
        print_wrapped("-: the distribution of the recall is accurate to %.0e, which says "
                      "nothing about a share of %.3g",
                      RCM_LOST_MAX_ERROR, share);
    else if (no_distribution_of_all && query->base.m > 1)
        print_wrapped(
            "-: the distribution of the recall is accurate to %.0e, which says nothing about "
            "%" PRIu64 " rows at once",
            RCM_LOST_MAX_ERROR, query->base.m);
}

/* The smallest b of each k_b, and which is the best. */
static void print_smallest(const struct query *query, const struct state *state, bool colour)
{
    const struct rcm_topk *best = state->best;
    const bool device = state->settings.question.device.given;
    struct table *smallest = smallest_b(query, state);
    char target[TARGET_TEXT];
    query_target(target, query);
    printf("The smallest b for %s", target);
    if (query->target.align > 1)
        printf(", multiples of %" PRIu64, query->target.align);
    printf("%s%s%s%s:\n", query->target.divisors ? ", divisors of n" : "",
           best ? "; * has the " : "",
           !best    ? ""
           : device ? "least us"
                    : "fewest candidates",
           best && device && state->objective->need == RCM_NEEDS_DEVICE ? " by the roofline" : "");
    if (table_rows(smallest))
        table_print(smallest, stdout, colour);
    else
        puts("  no b reaches it");
    if (best && best->b == 1)
        puts("b = 1 is the exact top-k of the whole row; no approximation has fewer candidates "
             "than k.");
    table_free(smallest);
}

/* A question with --recall is answered first; otherwise the table comes first. */
static void recall_text(const struct query *query, const struct table *rows, void *context,
                        bool colour)
{
    const struct state *state = context;
    const struct settings *settings = &state->settings;
    const struct question *question = &settings->question;
    const bool free_b = query->target.align == 1 && !query->target.divisors;
    const struct rcm_topk *p = &query->base;
    const bool even = p->assignment == RCM_INTERLEAVED || (p->valid == 0 && !p->lengths);
    if (question->targets.length || query->target.weights) {
        print_smallest(query, state, colour);
        putchar('\n');
    }
    table_print(rows, stdout, colour);
    print_roofline(settings);
    print_memory(question, &query->base, question_dtype(question));
    weights_print(&question->weights, &query->weights);
    rounding_print(&question->rounding, &question->weights, &query->rounding, NULL);
    explain_distribution(query, state);
    if (!question->targets.length && !query->target.weights) {
        putchar('\n');
        print_smallest(query, state, colour);
    }
    if (query->target.loss > exp(-1.0) && even && free_b && !query->target.weights)
        print_wrapped(
            "Every legal shape has a recall of at least 1 - 1/e = .632, so this target gives b = "
            "ceil(k / k_b).");
}

/* The row of the best shape; null if no shape reaches the target. */
static json_t *recommended_json(const struct query *query, const struct state *state)
{
    if (!state->best)
        return json_null();
    struct table *table = configuration_table(state, query);
    const struct configuration c =
        evaluate(*state->best, query, &state->settings.question, &state->settings.asked);
    table_add(table, &c, false);
    return row_as_json(table);
}

static void recall_json(json_t *object, const struct query *query, const struct table *rows,
                        void *context)
{
    const struct state *state = context;
    const struct question *question = &state->settings.question;
    if (question->device.given) {
        set_text(object, "device", question->device.text.device.name);
        put_memory(object, question, &query->base, question_dtype(question));
    }
    set_real(object, "recall_target",
             query->target.weights ? NAN : decimal_value(query->recall_target));
    weights_json(object, &question->weights, &query->weights);
    rounding_json(object, &question->rounding, &query->rounding);
    set_count(object, "align", query->target.align);
    set_truth(object, "divisors", query->target.divisors);
    json_object_set_new(object, "configurations", table_json(rows));
    json_object_set_new(object, "recommended", recommended_json(query, state));
    json_object_set_new(object, "smallest_b", rows_as_json(smallest_b(query, state)));
}

/* One k_b: its recall error; with --quantile also what single rows lose. */
static void plot_k_b(struct plot *plot, const struct query *query, const struct state *state,
                     size_t first, size_t colour)
{
    char title[200], reaching[40];
    const struct fraction *quantile = &state->settings.asked.quantile;
    const struct configuration *rows = state->rows;
    const size_t end = end_of_k_b(query, first);
    snprintf(title, sizeof title, "kb = %" PRIu64, rows[first].p.k_b);
    plot_series(plot, title, true, true, colour);
    for (size_t i = first; i < end; i++)
        plot_point(plot, (double)rows[i].candidates, rows[i].loss, 0.0);
    if (!quantile->given)
        return;
    format_rows(reaching, sizeof reaching, decimal_value(quantile->value));
    snprintf(title, sizeof title, "kb = %" PRIu64 ", %s", rows[first].p.k_b, reaching);
    plot_series(plot, title, false, true, colour);
    for (size_t i = first; i < end; i++)
        plot_point(plot, (double)rows[i].candidates, 1.0 - rows[i].quantile, 0.0);
}

/* Recall error over candidates, a line for each k_b; and the target. */
static struct plot *recall_picture(const struct query *query, void *context)
{
    const struct state *state = context;
    char title[200];
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64, query->base.n, query->base.k);
    struct plot *plot = plot_new(title, "candidates, b kb", true);
    size_t colour = 0;
    for (size_t first = 0; first < query->length; first = end_of_k_b(query, first))
        plot_k_b(plot, query, state, first, colour++);
    snprintf(title, sizeof title, "recall %.6g", decimal_value(query->recall_target));
    if (!query->target.weights)
        plot_target(plot, query->target.loss, title);
    return plot;
}

static const struct argument_rule recall_rules[] = {
    {.options = "--dtype", .needs = "--device", .why = "it is the type of values in a roofline"},
    WEIGHTS_RULES,
    LENGTHS_RULE(LENGTHS_NO_WEIGHTS " --rounding"),
    {0},
};

static const struct answer recall_answer = {.rules = recall_rules,
                                            .shapes = SHAPES_SWEEP,
                                            .rows = recall_rows,
                                            .text = recall_text,
                                            .json = recall_json,
                                            .plot = recall_picture};

static int run_recall(int count, char **arguments)
{
    struct state state = {.settings.question = QUESTION_DEFAULT};
    const int status = answer_arguments(recall_options, &recall_answer, &state.settings.question,
                                        count, arguments);
    free(state.rows);
    return status;
}

const struct command command_recall = {
    .name = "recall",
    .group = "Should I approximate, and which parameters do I deploy? Begin with these.",
    .summary = "the recall and the work of every choice of buckets (the default subcommand)",
    .example = "recallmodel --n 262144 --k 1024 --kb 4",
    .detail = "A row of n values is split into b buckets. Stage 1 keeps the kb largest values of "
              "each bucket. If more than k values are left, stage 2 takes their exact top-k.\n"
              "\n"
              "  candidates      min(b kb, n), the values that stage 1 keeps\n"
              "  recall          the expected share of the true top-k that survives, if the top-k "
              "lie anywhere in the row with equal probability\n"
              "  sd              the standard deviation of the recall over rows\n"
              "  loss            1 - recall\n"
              "  lost mass       with --score-sd or --weights: the share of the softmax mass that "
              "the lost elements have\n"
              "  token changes   with --top-p or --chain: the total variation of the next token's "
              "distribution, half the sum of the differences of all probabilities, by drawn rows\n"
              "  after rounding  with --rounding qk: the recall if queries and keys are stored so\n"
              "  binomial        the approximation of Key et al., a lower bound of the recall\n"
              "  cost            operations (basic, serial) or parallel steps (parallel) of both "
              "stages, by that cost model\n"
              "  x               the speed-up over exact top-k by the same cost model\n"
              "  *               marks the fewest candidates that reach --recall",
    .columns = &configuration_columns,
    .options = recall_options,
    .run = run_recall,
};
