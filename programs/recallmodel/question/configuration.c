/* configuration.c - see configuration.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "configuration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <programs/common/wrap.h>

#include "columns.h"

/* Sets the quantile and the probability that were asked for, by the law of the lost elements. NAN:
 * the law does not determine it. */
static void ask_law(struct configuration *c, const struct law_question *asked)
{
    struct rcm_lost law;
    c->has_quantile = asked->quantile.given;
    c->has_at_least = asked->at_least.given;
    if (!c->has_quantile && !c->has_at_least)
        return;
    rcm_lost(c->p, &law);
    if (c->has_quantile) {
        /* A share so small that the rest rounds to 1 is not 0: not all rows are asked for. */
        const double rest = decimal_complement(asked->quantile.value);
        const double others = rest < 1.0 ? rest : NAN;
        c->quantile = rcm_lost_recall_quantile(&law, c->p.k, others, 1);
        c->quantile_all = rcm_lost_recall_quantile(&law, c->p.k, others, c->p.m);
    }
    if (c->has_at_least) {
        const double lost = (double)goal_of(asked->at_least.value, c->p.k).most_lost;
        c->at_least = rcm_lost_all_at_most(&law, lost, 1);
        c->at_least_all = rcm_lost_all_at_most(&law, lost, c->p.m);
    }
    rcm_lost_free(&law);
}

static double bytes_of_rows(const struct rcm_topk *p, enum rcm_dtype dtype)
{
    return (double)(p->m ? p->m : 1) * (double)p->n * rcm_dtype_bytes(dtype);
}

bool print_memory(const struct question *question, const struct rcm_topk *p, enum rcm_dtype dtype)
{
    const struct rcm_device *device = &question->device.text.device;
    const double bytes = bytes_of_rows(p, dtype);
    char n[32];
    unsigned log = 0;
    if (!question->device.given || !(device->memory_bytes > 0.0) || bytes <= device->memory_bytes)
        return false;
    while (p->n >> log > 1)
        log++;
    if (p->n >> log << log == p->n && log >= 16)
        snprintf(n, sizeof n, "2^%u", log);
    else
        snprintf(n, sizeof n, "%" PRIu64, p->n);
    print_wrapped("%" PRIu64 " row%s of %s %s values take%s %.4g GB; the %s has %.4g GB.",
                  p->m ? p->m : 1, p->m > 1 ? "s" : "", n, rcm_dtype_name(dtype),
                  p->m > 1 ? "" : "s", bytes / 1e9, device->name, device->memory_bytes / 1e9);
    return true;
}

void put_memory(json_t *object, const struct question *question, const struct rcm_topk *p,
                enum rcm_dtype dtype)
{
    const double memory = question->device.text.device.memory_bytes;
    const bool exceeds = bytes_of_rows(p, dtype) > memory;
    json_object_set_new(object, "exceeds_memory",
                        memory > 0.0 ? json_boolean(exceeds) : json_null());
}

struct configuration evaluate(struct rcm_topk p, const struct question *question,
                              const struct law_question *asked)
{
    /* A predicted time is shown where the values have the profile's type, too. */
    const enum rcm_dtype dtype = question_dtype(question);
    struct configuration c = {
        .p = p,
        .candidates = rcm_candidates(p),
        .loss = rcm_loss_exact(p),
        .sd = rcm_recall_sd(p),
        .loss_binomial = rcm_loss_binomial(p),
        .loss_bound = rcm_loss_bound(p),
        .worst_case = rcm_recall_worst_case(p),
        .probability_exact = rcm_probability_exact(p),
        .has_roofline =
            question->device.given && question->device.text.device.bandwidth_bytes_per_s > 0.0,
        .profile = question->device.given ? profile_of_type(&question->device.text, dtype) : NULL,
    };
    c.recall = 1.0 - c.loss;
    c.recall_binomial = 1.0 - c.loss_binomial;
    for (size_t i = 0; i < RCM_COST_MODELS; i++)
        c.cost[i] = rcm_cost(rcm_cost_model(i), p);
    ask_law(&c, asked);
    if (c.has_roofline)
        c.roofline = rcm_roofline(&question->device.text.device, dtype, p);
    return c;
}

void put_cost(struct table *table, const struct rcm_cost_model *model, const struct rcm_cost *cost,
              int drop)
{
    static const struct {
        const char *csv, *json, *heading; /* %s: the name of the model */
        enum style style;
    } columns[] = {
        {"cost_%s", "cost/%s/approximate", "%s\ncost", STYLE_COST},
        {"cost_%s_exact", "cost/%s/exact", NULL, STYLE_COST},
        {"speedup_%s", "cost/%s/speedup", "%s\nx", STYLE_SPEEDUP},
        {"stage1_%s", "cost/%s/stage1", NULL, STYLE_PLAIN},
        {"stage2_%s", "cost/%s/stage2", NULL, STYLE_PLAIN},
    };
    const double values[] = {cost->approximate, cost->exact, cost->speedup};
    const char *const algorithms[] = {NULL, NULL, NULL, cost->stage1, cost->stage2};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char csv[64], json[64], heading[64];
        const bool shown = drop && columns[i].heading;
        snprintf(csv, sizeof csv, columns[i].csv, model->name);
        snprintf(json, sizeof json, columns[i].json, model->name);
        snprintf(heading, sizeof heading, shown ? columns[i].heading : "%s", model->name);
        const struct column column = {.csv = csv,
                                      .json = json,
                                      .heading = shown ? heading : NULL,
                                      .style = columns[i].style,
                                      .drop = columns[i].style == STYLE_COST && shown ? drop : 0};
        if (i < sizeof values / sizeof *values)
            table_real(table, column, values[i]);
        else
            table_text(table, column, algorithms[i]);
    }
}

static void put_model(struct table *table, const struct configuration *c)
{
    table_count(table, column("b", STYLE_PLAIN), c->p.b);
    table_count(table, column("k_b", STYLE_PLAIN), c->p.k_b);
    table_count(table, headed("candidates", "candi-\ndates", STYLE_PLAIN), c->candidates);
    table_real(table, column("recall", STYLE_RECALL), c->recall);
    table_real(table, dropped(5, "recall_sd", "sd", STYLE_LOSS), c->sd);
    table_real(table, column("loss", STYLE_LOSS), c->loss);
    table_real(table, dropped(6, "recall_binomial", "binomial\nrecall", STYLE_RECALL),
               c->recall_binomial);
    table_real(table, in_data("loss_binomial"), c->loss_binomial);
    table_real(table, in_data("loss_bound"), c->loss_bound);
    table_real(table, in_data("recall_worst_case"), c->worst_case);
    table_real(table, in_data("probability_exact"), c->probability_exact);
}

/* What --quantile and --at-least ask for: of one row, and of all rows of a batch. */
static void put_law(struct table *table, const struct configuration *c)
{
    static const char all_rows[] = "of all\nm rows";
    if (c->has_quantile) {
        table_real(table, headed("recall_quantile", "quantile\nof a row", STYLE_RECALL),
                   c->quantile);
        if (c->p.m > 1)
            table_real(table, headed("recall_quantile_all", all_rows, STYLE_RECALL),
                       c->quantile_all);
    }
    if (c->has_at_least) {
        table_real(table, headed("probability", "P(recall\n>= R)", STYLE_RECALL), c->at_least);
        if (c->p.m > 1)
            table_real(table, headed("probability_all", all_rows, STYLE_RECALL), c->at_least_all);
    }
}

static void put_prediction(struct table *table, const struct configuration *c)
{
    if (!c->profile)
        return;
    const struct rcm_prediction r = rcm_predict(c->profile, c->p);
    table_real(table, headed("predicted_us", "both\nstages us", STYLE_PLAIN), r.time_us);
    table_real(table, in_data("predicted_low_us"), r.low_us);
    table_real(table, in_data("predicted_high_us"), r.high_us);
    table_bool(table, in_data("predicted_within_runs"), r.within_runs);
}

/* A column whose name has a prefix in CSV and a folder in JSON. */
#define ROOFLINE(name) .csv = "roofline_" name, .json = "roofline/" name

static void put_roofline(struct table *table, const struct configuration *c)
{
    if (!c->has_roofline)
        return;
    const struct rcm_roofline *r = &c->roofline;
    table_real(table, (struct column){ROOFLINE("bytes")}, r->bytes);
    table_real(table, (struct column){ROOFLINE("operations")}, r->operations);
    table_real(table, (struct column){ROOFLINE("time_memory_us")}, r->time_memory_us);
    table_real(table, (struct column){ROOFLINE("time_vector_us")}, r->time_vector_us);
    table_real(table, (struct column){ROOFLINE("through_memory_us")}, r->through_memory_us);
    table_real(
        table,
        (struct column){ROOFLINE("time_us"), .heading = "stage 1\nus, >=", .style = STYLE_TIME},
        r->time_us);
    /* Without a vector rate the bound is that of the bandwidth alone: which of the two binds is not
     * known. */
    const bool known = !isnan(r->time_vector_us);
    table_text(table, (struct column){ROOFLINE("bound"), .heading = "bound\nby"},
               !known            ? NULL
               : r->memory_bound ? "memory"
                                 : "vector");
    put_count_if(known, table, (struct column){ROOFLINE("k_b_max")}, r->k_b_max);
}

void put_configuration(struct table *table, const struct configuration *c,
                       const struct query *query)
{
    put_model(table, c);
    put_law(table, c);
    table_real(table, in_csv("recall_target"), decimal_value(query->recall_target));
    table_bool(table, in_data("reaches_target"), rcm_reaches(c->p, query->target));
    /* The table has room for three; a model that is added is in CSV and JSON. */
    for (int i = 0; i < RCM_COST_MODELS; i++)
        put_cost(table, rcm_cost_model((size_t)i), &c->cost[i], i <= RCM_PARALLEL ? 4 - i : 0);
    put_prediction(table, c);
    put_roofline(table, c);
}
