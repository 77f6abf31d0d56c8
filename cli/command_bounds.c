/* command_bounds.c - how many buckets for a target: the exact answer beside every closed form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "commands.h"

/* Who says it, and why. */
struct said {
    const char *name, *formula, *source;
    double recall; /* that it states at its b; NaN: none */
};

static void put_rule(struct table *table, const struct query *query, struct decimal recall,
                     struct said said, struct rcm_topk p, uint64_t smallest)
{
    table_row(table, strcmp(said.name, "exact") == 0);
    put_query(table, query);
    table_real(table, (struct column){"recall_target", "recall_target", "target", STYLE_PLAIN, 0},
               decimal_value(recall));
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_text(table, column("rule", STYLE_PLAIN), said.name);
    if (p.b) {
        table_count(table, column("b", STYLE_PLAIN), p.b);
        table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
    } else {
        table_null(table, column("b", STYLE_PLAIN));
        table_null(table, column("candidates", STYLE_PLAIN));
    }
    table_real(table,
               (struct column){"recall_stated", "recall_stated", "states\nrecall", STYLE_RECALL, 0},
               said.recall);
    table_real(table, (struct column){"recall", "recall", "has\nrecall", STYLE_RECALL, 0},
               p.b ? rcm_recall_exact(p) : NAN);
    table_real(table,
               (struct column){"b_over_exact", "b_over_exact", "b over\nexact", STYLE_PLAIN, 0},
               p.b && smallest ? (double)p.b / (double)smallest : NAN);
    table_text(table, (struct column){"formula", "formula", NULL, STYLE_PLAIN, 0}, said.formula);
    table_text(table, (struct column){"source", "source", NULL, STYLE_PLAIN, 0}, said.source);
}

/* What others deploy for a target in rows like these, if it is of this k_b; b = 0: nothing. They do
 * not know of padding. */
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
                     (struct said){practice->name, practice->rule, "recallmodel select", NAN}, q,
                     smallest);
    }
}

static const struct decimal usual = {95, 2};

static size_t target_count(const struct options *options)
{
    return options->targets.length ? options->targets.length : 1;
}
static struct decimal target_at(const struct options *options, size_t t)
{
    return options->targets.length ? options->targets.items[t] : usual;
}

static struct table *rows(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    struct rcm_factors factors = rcm_factorise(query->base.n);
    for (size_t t = 0; t < target_count(options); t++) {
        struct decimal recall = target_at(options, t);
        struct rcm_target target = query->target;
        target.loss = decimal_complement(recall);
        for (size_t i = 0; i < query->k_b_count; i++) {
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            uint64_t smallest = p.b = rcm_smallest_b(p, target);
            put_rule(table, query, recall,
                     (struct said){"exact", "smallest with loss <= 1-R", "docs/models.md 8",
                                   p.b ? rcm_recall_exact(p) : NAN},
                     p, smallest);
            const struct rcm_rule *rule;
            for (size_t r = 0; (rule = rcm_rule(r)); r++)
                if (rule->applies(p)) {
                    uint64_t asked = rcm_rule_b(rule, p, target.loss);
                    p.b = asked ? rcm_next_b(p.n, asked, target.align,
                                             target.divisors ? &factors : NULL)
                                : 0;
                    if (p.b > rcm_deployable_b(p).high)
                        p.b = 0;
                    put_rule(table, query, recall,
                             (struct said){rule->name, rule->formula, rule->source,
                                           p.b ? 1.0 - rule->loss(p) : NAN},
                             p, smallest);
                }
            put_practices(table, query, recall, p, smallest);
        }
    }
    return table;
}

/* Has it a row? */
static bool rule_applies(const struct rcm_rule *rule, const struct query *query)
{
    for (size_t i = 0; i < query->k_b_count; i++)
        if (rule->applies(query->smallest[i]))
            return true;
    return false;
}
static bool practice_applies(const struct rcm_practice *practice, const struct query *query,
                             const struct options *options)
{
    for (size_t t = 0; t < target_count(options); t++)
        for (size_t i = 0; i < query->k_b_count; i++) {
            struct rcm_topk p = query->base;
            p.k_b = query->smallest[i].k_b;
            if (deployed(practice, p, decimal_complement(target_at(options, t))).b)
                return true;
        }
    return false;
}

static void text(const struct query *query, const struct table *table,
                 const struct options *options, bool colour)
{
    const struct rcm_rule *rule;
    const struct rcm_practice *practice;
    bool rules = false, practices = false;
    table_print(table, stdout, colour);
    for (size_t r = 0; (rule = rcm_rule(r)); r++)
        if (rule_applies(rule, query)) {
            if (!rules)
                puts("\nexact: the smallest b with loss <= 1-R. The rules ask for b =");
            rules = true;
            printf("  %-20s  %-33s  %s\n", rule->name, rule->formula, rule->source);
        }
    for (size_t i = 0; (practice = rcm_practice(i)); i++)
        if (practice_applies(practice, query, options)) {
            if (!practices)
                puts("Others deploy");
            practices = true;
            printf("  %-20s  %s\n", practice->name, practice->rule);
        }
    if (rules)
        puts("states: the recall that the rule's own formula gives at its b; has: the exact one. "
             "Every rule's b is\n"
             "rounded up to one that is legal (with --align and --divisors). Forms for b | n are "
             "no bounds else.");
    else
        puts("\nNo closed form covers rows like these.");
}

int command_bounds(const struct options *options)
{
    return answer_queries(options, &(struct answer){SHAPES_NONE, rows, text, NULL, "bounds", NULL});
}
