/* command_bounds.c - how many buckets for a target: the exact answer beside every closed form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/columns.h>
#include <programs/recallmodel/command.h>

static const struct argument bounds_options[] = {
    {OPTION_N},          {OPTION_K},      {OPTION_KB},    {OPTION_VALID},
    {OPTION_ASSIGNMENT}, {OPTION_RECALL}, {OPTION_ALIGN}, {OPTION_DIVISORS},
    {OPTION_JSON},       {OPTION_CSV},    {OPTIONS_END},
};

/* What a rule says of itself. */
struct statement {
    const char *name, *formula, *source;
    double recall; /* what the formula of the rule gives at its b; NaN: it gives none */
};

static void put_rule(struct table *table, const struct query *query, struct decimal recall,
                     struct statement statement, struct rcm_topk p, uint64_t smallest)
{
    table_row(table, strcmp(statement.name, "exact") == 0);
    put_query(table, query);
    table_real(table, headed("recall_target", "target", STYLE_PLAIN), decimal_value(recall));
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_text(table, column("rule", STYLE_PLAIN), statement.name);
    put_count_if(p.b, table, column("b", STYLE_PLAIN), p.b);
    put_count_if(p.b, table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
    table_real(table, headed("recall_stated", "states\nrecall", STYLE_RECALL), statement.recall);
    table_real(table, headed("recall", "has\nrecall", STYLE_RECALL),
               p.b ? rcm_recall_exact(p) : NAN);
    table_real(table, headed("b_over_exact", "b over\nexact", STYLE_PLAIN),
               p.b && smallest ? (double)p.b / (double)smallest : NAN);
    table_text(table, in_data("formula"), statement.formula);
    table_text(table, in_data("source"), statement.source);
}

/* The shape that others deploy for a target in rows like these, if it has this k_b. Otherwise, and
 * for rows with padding, which they do not handle, b = 0. */
static struct rcm_topk deployed(const struct rcm_practice *practice, struct rcm_topk p, double loss)
{
    struct rcm_topk q = practice->choose(p, loss);
    if (q.k_b != p.k_b || (p.valid && p.valid < p.n))
        q.b = 0;
    return q;
}

static void put_practices(struct table *table, const struct query *query, struct decimal recall,
                          struct rcm_topk p, uint64_t smallest)
{
    const struct rcm_practice *practice;
    for (size_t i = 0; (practice = rcm_practice(i)); i++) {
        const struct rcm_topk q = deployed(practice, p, decimal_complement(recall));
        if (q.b)
            put_rule(table, query, recall,
                     (struct statement){practice->name, practice->rule, "recallmodel select", NAN},
                     q, smallest);
    }
}

static size_t target_count(const struct question *question)
{
    return question->targets.length ? question->targets.length : 1;
}

static struct decimal target_at(const struct question *question, size_t t)
{
    return question->targets.length ? question->targets.items[t] : question_recall(question);
}

/* The exact row, and a row of each rule and practice that applies to this k_b. */
static void put_rules(struct table *table, const struct query *query, struct decimal recall,
                      struct rcm_topk p, const struct rcm_factors *factors)
{
    struct rcm_target target = query->target;
    target.loss = decimal_complement(recall);
    const uint64_t smallest = p.b = rcm_smallest_b(p, target);
    put_rule(table, query, recall,
             (struct statement){"exact", "smallest with loss <= 1-R", "docs/models.md 8",
                                p.b ? rcm_recall_exact(p) : NAN},
             p, smallest);
    const struct rcm_rule *rule;
    for (size_t r = 0; (rule = rcm_rule(r)); r++) {
        if (!rule->applies(p))
            continue;
        const uint64_t asked = rcm_rule_b(rule, p, target.loss);
        p.b = asked ? rcm_next_b(p.n, asked, target.align, target.divisors ? factors : NULL) : 0;
        if (p.b > rcm_deployable_b(p).high)
            p.b = 0;
        put_rule(table, query, recall,
                 (struct statement){rule->name, rule->formula, rule->source,
                                    p.b ? 1.0 - rule->loss(p) : NAN},
                 p, smallest);
    }
    put_practices(table, query, recall, p, smallest);
}

static struct table *bounds_rows(const struct query *query, void *state)
{
    const struct question *question = state;
    struct table *table = table_new();
    const struct rcm_factors factors = rcm_factorise(query->base.n);
    for (size_t t = 0; t < target_count(question); t++)
        for (size_t i = 0; i < query->k_b_count; i++) {
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            put_rules(table, query, target_at(question, t), p, &factors);
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

static bool practice_applies(const struct rcm_practice *practice, const struct query *query,
                             const struct question *question)
{
    for (size_t t = 0; t < target_count(question); t++)
        for (size_t i = 0; i < query->k_b_count; i++) {
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            if (deployed(practice, p, decimal_complement(target_at(question, t))).b)
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

static void print_practices(const struct query *query, const struct question *question)
{
    const struct rcm_practice *practice;
    bool any = false;
    size_t width = 0;
    for (size_t i = 0; (practice = rcm_practice(i)); i++)
        if (practice_applies(practice, query, question) && strlen(practice->name) > width)
            width = strlen(practice->name);
    for (size_t i = 0; (practice = rcm_practice(i)); i++) {
        if (!practice_applies(practice, query, question))
            continue;
        if (!any)
            puts("Others deploy:");
        any = true;
        print_wrapped("  %-*s  %s", (int)width, practice->name, practice->rule);
    }
}

static void bounds_text(const struct query *query, const struct table *table, void *state,
                        bool colour)
{
    table_print(table, stdout, colour);
    const bool rules = print_rules(query);
    print_practices(query, state);
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
    return answer_arguments(bounds_options, &bounds_answer, count, arguments);
}

const struct command command_bounds = {
    .name = "bounds",
    .summary = "how many buckets a target needs: the exact minimum beside each closed form",
    .example = "recallmodel bounds --n 262144 --k 1024 --recall 0.95,0.99",
    .options = bounds_options,
    .run = run_bounds,
};
