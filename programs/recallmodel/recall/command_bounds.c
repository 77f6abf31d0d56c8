/* command_bounds.c - how many buckets for a target: the exact answer beside every closed form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/answer.h>

static const struct argument bounds_options[] = {
    OPTIONS_ROW,
    {OPTION_KB},
    {OPTION_VALID},
    {OPTION_ASSIGNMENT},
    {OPTION_RECALL_BY(read_targets)},
    OPTIONS_RESTRICTION,
    OPTIONS_FORM,
};

/* A rule, what it says of itself, and the shape that it asks for. */
struct bounds_row {
    struct query_fields query;
    double target;
    uint64_t k_b, b, candidates;
    const char *name, *formula, *source;
    double stated; /* what the formula of the rule gives at its b; NaN: it gives none */
    double recall, over_exact;
};

static const struct column bounds_items[] = {
    {PART(struct bounds_row, query, query_columns)},
    {FIELD(struct bounds_row, target), HEADED("recall_target", "target")},
    {FIELD(struct bounds_row, k_b), EVERYWHERE("k_b")},
    {FIELD(struct bounds_row, name), EVERYWHERE("rule")},
    {FIELD(struct bounds_row, b), EVERYWHERE("b")},
    {FIELD(struct bounds_row, candidates), EVERYWHERE("candidates")},
    {FIELD(struct bounds_row, stated), HEADED("recall_stated", "states\nrecall"),
     .style = STYLE_RECALL},
    {FIELD(struct bounds_row, recall), HEADED("recall", "has\nrecall"), .style = STYLE_RECALL},
    {FIELD(struct bounds_row, over_exact), HEADED("b_over_exact", "b over\nexact")},
    {FIELD(struct bounds_row, formula), IN_DATA("formula")},
    {FIELD(struct bounds_row, source), IN_DATA("source")},
};
static const struct columns bounds_columns = COLUMNS(struct bounds_row, bounds_items);

/* The rule asks for the b of p, 0: for none. */
static void add_rule(struct table *table, struct bounds_row row, struct rcm_topk p,
                     uint64_t smallest)
{
    row.b = p.b ? p.b : NO_COUNT;
    row.candidates = p.b ? rcm_candidates(p) : NO_COUNT;
    row.recall = p.b ? rcm_recall_exact(p) : NAN;
    row.over_exact = p.b && smallest ? (double)p.b / (double)smallest : NAN;
    table_add(table, &row, strcmp(row.name, "exact") == 0);
}

/* The shape that others deploy for a target in rows like these, if it has this k_b. Otherwise, and
 * for rows with padding, which they do not handle, b = 0. */
static struct rcm_topk deployed(const struct rcm_baseline *baseline, struct rcm_topk p, double loss)
{
    struct rcm_topk q = baseline->choose(p, loss);
    if (q.k_b != p.k_b || (p.valid && p.valid < p.n))
        q.b = 0;
    return q;
}

static size_t target_count(const struct question *question)
{
    return question->targets.length ? question->targets.length : 1;
}

static struct decimal target_at(const struct question *question, size_t t)
{
    return question->targets.length ? question->targets.items[t] : question_recall(question);
}

/* The exact row, and a row of each rule and baseline that applies to this k_b. */
static void add_rules(struct table *table, const struct query *query, double recall_target,
                      struct rcm_topk p, struct rcm_target target,
                      const struct rcm_factors *factors)
{
    struct bounds_row row = {
        .query = fields_of(query), .target = recall_target, .k_b = p.k_b, .stated = NAN};
    const uint64_t smallest = p.b = rcm_smallest_b(p, target);
    row.name = "exact";
    row.formula = "smallest with loss <= 1-R";
    row.source = "docs/models.md 8";
    row.stated = p.b ? rcm_recall_exact(p) : NAN;
    add_rule(table, row, p, smallest);
    const struct rcm_rule *rule;
    for (size_t r = 0; (rule = rcm_rule(r)); r++) {
        if (!rule->applies(p))
            continue;
        const uint64_t asked = rcm_rule_b(rule, p, target.loss);
        p.b = asked ? rcm_next_b(p.n, asked, target.align, target.divisors ? factors : NULL) : 0;
        if (p.b > rcm_deployable_b(p).high)
            p.b = 0;
        row.name = rule->name;
        row.formula = rule->formula;
        row.source = rule->source;
        row.stated = p.b ? 1.0 - rule->loss(p) : NAN;
        add_rule(table, row, p, smallest);
    }
    const struct rcm_baseline *baseline;
    for (size_t i = 0; (baseline = rcm_baseline(i)); i++) {
        const struct rcm_topk q = deployed(baseline, p, target.loss);
        row.name = baseline->name;
        row.formula = baseline->rule;
        row.source = "model/select/baselines.c";
        row.stated = NAN;
        if (q.b)
            add_rule(table, row, q, smallest);
    }
}

static struct table *bounds_rows(const struct query *query, void *state)
{
    const struct question *question = state;
    struct table *table = table_of(&bounds_columns, 0);
    const struct rcm_factors factors = rcm_factorise(query->base.n);
    for (size_t t = 0; t < target_count(question); t++)
        for (size_t i = 0; i < query->k_b_count; i++) {
            const struct decimal recall = target_at(question, t);
            struct rcm_target target = query->target;
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            target.loss = decimal_complement(recall);
            add_rules(table, query, decimal_value(recall), p, target, &factors);
        }
    return table;
}

/* Does the table have a row of this rule? */
static bool rule_applies(const struct rcm_rule *rule, const struct query *query)
{
    for (size_t i = 0; i < query->k_b_count; i++)
        if (rule->applies(query->smallest[i]))
            return true;
    return false;
}

static bool baseline_applies(const struct rcm_baseline *baseline, const struct query *query,
                             const struct question *question)
{
    for (size_t t = 0; t < target_count(question); t++)
        for (size_t i = 0; i < query->k_b_count; i++) {
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            if (deployed(baseline, p, decimal_complement(target_at(question, t))).b)
                return true;
        }
    return false;
}

/* Prints the rules that have rows in the table. Returns true if there are any. */
static bool print_rules(const struct query *query)
{
    const struct rcm_rule *rule;
    bool any = false;
    for (size_t r = 0; (rule = rcm_rule(r)); r++) {
        if (!rule_applies(rule, query))
            continue;
        if (!any)
            puts("\nexact: the smallest b with loss <= 1-R. The rules ask for this b:");
        any = true;
        print_wrapped("  %-20s  %s; %s", rule->name, rule->formula, rule->source);
    }
    return any;
}

static void print_baselines(const struct query *query, const struct question *question)
{
    const struct rcm_baseline *baseline;
    bool any = false;
    size_t width = 0;
    for (size_t i = 0; (baseline = rcm_baseline(i)); i++)
        if (baseline_applies(baseline, query, question) && strlen(baseline->name) > width)
            width = strlen(baseline->name);
    for (size_t i = 0; (baseline = rcm_baseline(i)); i++) {
        if (!baseline_applies(baseline, query, question))
            continue;
        if (!any)
            puts("Others deploy:");
        any = true;
        print_wrapped("  %-*s  %s", (int)width, baseline->name, baseline->rule);
    }
}

static void bounds_text(const struct query *query, const struct table *table, void *state,
                        bool colour)
{
    table_print(table, stdout, colour);
    const bool rules = print_rules(query);
    print_baselines(query, state);
    if (rules)
        print_wrapped(
            "states: the recall by the formula of the rule at its b; has: the exact recall. Each b "
            "is rounded up to a legal one (--align, --divisors). Formulas for b | n are not bounds "
            "for other b.");
    else
        puts("\nNo closed form covers rows like these.");
}

static const struct answer bounds_answer = {
    .shapes = SHAPES_NONE, .rows = bounds_rows, .text = bounds_text, .json_key = "bounds"};

static int run_bounds(int count, char **arguments)
{
    struct question question = QUESTION_DEFAULT;
    return answer_arguments(bounds_options, &bounds_answer, &question, count, arguments);
}

const struct command command_bounds = {
    .name = "bounds",
    .summary = "how many buckets a target needs: the exact minimum beside each closed form",
    .example = "recallmodel bounds --n 262144 --k 1024 --recall 0.95,0.99",
    .columns = &bounds_columns,
    .options = bounds_options,
    .run = run_bounds,
};
