/* report.c - see report.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What the law of the lost elements says, where it was asked for. NAN where it cannot say it. */
static void ask_law(struct configuration *c, const struct options *options)
{
    struct rcm_lost law;
    c->has_quantile = options->has_quantile;
    c->has_at_least = options->has_at_least;
    if (!c->has_quantile && !c->has_at_least)
        return;
    rcm_lost(c->p, &law);
    if (c->has_quantile) {
        /* A share so small that the rest rounds to 1 is not 0: not all rows are asked for. */
        const double rest = decimal_complement(options->quantile);
        const double others = rest < 1.0 ? rest : NAN;
        c->quantile = rcm_lost_recall_quantile(&law, c->p.k, others, 1);
        c->quantile_all = rcm_lost_recall_quantile(&law, c->p.k, others, c->p.m);
    }
    if (c->has_at_least) {
        const double lost = (double)goal_of(options->at_least, c->p.k).most_lost;
        c->at_least = rcm_lost_all_at_most(&law, lost, 1);
        c->at_least_all = rcm_lost_all_at_most(&law, lost, c->p.m);
    }
    rcm_lost_free(&law);
}

enum rcm_dtype values_dtype(const struct options *options)
{
    const struct rcm_device_text *device = &options->device;
    return options->has_device && device->has_profile && !options->has_dtype ? device->profile.dtype
                                                                             : options->dtype;
}

static double bytes_of_rows(const struct rcm_topk *p, enum rcm_dtype dtype)
{
    return (double)(p->m ? p->m : 1) * (double)p->n * rcm_dtype_bytes(dtype);
}

bool print_memory(const struct options *options, const struct rcm_topk *p, enum rcm_dtype dtype)
{
    const struct rcm_device *device = &options->device.device;
    const double bytes = bytes_of_rows(p, dtype);
    char n[32];
    unsigned log = 0;
    if (!options->has_device || !(device->memory_bytes > 0.0) || bytes <= device->memory_bytes)
        return false;
    while (p->n >> log > 1)
        log++;
    if (p->n >> log << log == p->n && log >= 16)
        snprintf(n, sizeof n, "2^%u", log);
    else
        snprintf(n, sizeof n, "%" PRIu64, p->n);
    printf("%" PRIu64 " row%s of %s %s %s %.4g GB; the %s has %.4g GB.\n", p->m ? p->m : 1,
           p->m > 1 ? "s" : "", n, rcm_dtype_name(dtype), p->m > 1 ? "are" : "is", bytes / 1e9,
           device->name, device->memory_bytes / 1e9);
    return true;
}

void put_memory(json_t *object, const struct options *options, const struct rcm_topk *p,
                enum rcm_dtype dtype)
{
    const double memory = options->device.device.memory_bytes;
    const bool exceeds = bytes_of_rows(p, dtype) > memory;
    json_object_set_new(object, "exceeds_memory",
                        memory > 0.0 ? json_boolean(exceeds) : json_null());
}

struct configuration evaluate(struct rcm_topk p, const struct options *options)
{
    /* A predicted time is shown where the values have the profile's type, too. */
    const enum rcm_dtype dtype = values_dtype(options);
    struct configuration c = {
        .p = p,
        .candidates = rcm_candidates(p),
        .loss = rcm_loss_exact(p),
        .sd = rcm_recall_sd(p),
        .loss_binomial = rcm_loss_binomial(p),
        .loss_bound = rcm_loss_bound(p),
        .worst_case = rcm_recall_worst_case(p),
        .probability_exact = rcm_probability_exact(p),
        .has_roofline = options->has_device && options->device.device.bandwidth_bytes_per_s > 0.0,
        .profile = options->has_device ? profile_of_type(&options->device, dtype) : NULL,
    };
    c.recall = 1.0 - c.loss;
    c.recall_binomial = 1.0 - c.loss_binomial;
    for (size_t i = 0; i < MAX_COST_MODELS && rcm_cost_model(i); i++)
        c.cost[i] = rcm_cost(rcm_cost_model(i), p);
    ask_law(&c, options);
    if (c.has_roofline)
        c.roofline = rcm_roofline(&options->device.device, dtype, p);
    return c;
}

void put_cost(struct table *table, const struct rcm_cost_model *model, const struct rcm_cost *cost,
              int drop)
{
    const struct {
        const char *csv, *json;
    } names[] = {
        {"cost_%s", "cost/%s/approximate"}, {"cost_%s_exact", "cost/%s/exact"},
        {"speedup_%s", "cost/%s/speedup"},  {"stage1_%s", "cost/%s/stage1"},
        {"stage2_%s", "cost/%s/stage2"},
    };
    char csv[5][64], json[5][64], heading[2][64];
    for (int i = 0; i < 5; i++) {
        snprintf(csv[i], sizeof csv[i], names[i].csv, model->name);
        snprintf(json[i], sizeof json[i], names[i].json, model->name);
    }
    snprintf(heading[0], sizeof heading[0], "%s\ncost", model->name);
    snprintf(heading[1], sizeof heading[1], "%s\nx", model->name);
    table_real(table, (struct column){csv[0], json[0], drop ? heading[0] : NULL, STYLE_COST, drop},
               cost->approximate);
    table_real(table, (struct column){csv[1], json[1], NULL, STYLE_COST, 0}, cost->exact);
    table_real(table, (struct column){csv[2], json[2], drop ? heading[1] : NULL, STYLE_SPEEDUP, 0},
               cost->speedup);
    table_text(table, (struct column){csv[3], json[3], NULL, STYLE_PLAIN, 0}, cost->stage1);
    table_text(table, (struct column){csv[4], json[4], NULL, STYLE_PLAIN, 0}, cost->stage2);
}

void put_configuration(struct table *table, const struct configuration *c,
                       const struct query *query)
{
    table_count(table, column("b", STYLE_PLAIN), c->p.b);
    table_count(table, column("k_b", STYLE_PLAIN), c->p.k_b);
    table_count(table, (struct column){"candidates", "candidates", "candi-\ndates", STYLE_PLAIN, 0},
                c->candidates);
    table_real(table, column("recall", STYLE_RECALL), c->recall);
    table_real(table, (struct column){"recall_sd", "recall_sd", "sd", STYLE_LOSS, 5}, c->sd);
    table_real(table, column("loss", STYLE_LOSS), c->loss);
    table_real(
        table,
        (struct column){"recall_binomial", "recall_binomial", "binomial\nrecall", STYLE_RECALL, 6},
        c->recall_binomial);
    table_real(table, (struct column){"loss_binomial", "loss_binomial", NULL, STYLE_LOSS, 0},
               c->loss_binomial);
    table_real(table, (struct column){"loss_bound", "loss_bound", NULL, STYLE_LOSS, 0},
               c->loss_bound);
    table_real(table,
               (struct column){"recall_worst_case", "recall_worst_case", NULL, STYLE_RECALL, 0},
               c->worst_case);
    table_real(table,
               (struct column){"probability_exact", "probability_exact", NULL, STYLE_RECALL, 0},
               c->probability_exact);
    if (c->has_quantile) {
        table_real(table,
                   (struct column){"recall_quantile", "recall_quantile", "quantile\nof a row",
                                   STYLE_RECALL, 0},
                   c->quantile);
        if (c->p.m > 1)
            table_real(table,
                       (struct column){"recall_quantile_all", "recall_quantile_all",
                                       "of all\nm rows", STYLE_RECALL, 0},
                       c->quantile_all);
    }
    if (c->has_at_least) {
        table_real(
            table,
            (struct column){"probability", "probability", "P(recall\n>= R)", STYLE_RECALL, 0},
            c->at_least);
        if (c->p.m > 1)
            table_real(table,
                       (struct column){"probability_all", "probability_all", "of all\nm rows",
                                       STYLE_RECALL, 0},
                       c->at_least_all);
    }
    table_real(table, (struct column){.csv = "recall_target"}, decimal_value(query->recall_target));
    table_bool(table, (struct column){"reaches_target", "reaches_target", NULL, STYLE_PLAIN, 0},
               rcm_reaches(c->p, query->target));
    for (size_t i = 0; i < MAX_COST_MODELS && rcm_cost_model(i); i++)
        put_cost(table, rcm_cost_model(i), &c->cost[i], 4 - (int)i);
    if (c->profile) {
        const struct rcm_prediction r = rcm_predict(c->profile, c->p);
        table_real(
            table,
            (struct column){"predicted_us", "predicted_us", "both\nstages us", STYLE_PLAIN, 0},
            r.time_us);
        table_real(table, (struct column){.csv = "predicted_low_us", .json = "predicted_low_us"},
                   r.low_us);
        table_real(table, (struct column){.csv = "predicted_high_us", .json = "predicted_high_us"},
                   r.high_us);
        table_bool(table,
                   (struct column){.csv = "predicted_within_runs", .json = "predicted_within_runs"},
                   r.within_runs);
    }
    if (!c->has_roofline)
        return;
    const struct rcm_roofline *r = &c->roofline;
    table_real(table, (struct column){"roofline_bytes", "roofline/bytes", NULL, STYLE_COST, 0},
               r->bytes);
    table_real(table,
               (struct column){"roofline_operations", "roofline/operations", NULL, STYLE_COST, 0},
               r->operations);
    table_real(
        table,
        (struct column){"roofline_time_memory_us", "roofline/time_memory_us", NULL, STYLE_TIME, 0},
        r->time_memory_us);
    table_real(
        table,
        (struct column){"roofline_time_vector_us", "roofline/time_vector_us", NULL, STYLE_TIME, 0},
        r->time_vector_us);
    table_real(
        table,
        (struct column){"roofline_time_us", "roofline/time_us", "stage 1\nus, >=", STYLE_TIME, 0},
        r->time_us);
    /* Without a vector rate the bandwidth alone gives the bound: what it is by is not known. */
    const bool known = !isnan(r->time_vector_us);
    table_text(table,
               (struct column){"roofline_bound", "roofline/bound", "bound\nby", STYLE_PLAIN, 0},
               !known            ? NULL
               : r->memory_bound ? "memory"
                                 : "vector");
    const struct column k_b_max = {.csv = "roofline_k_b_max", .json = "roofline/k_b_max"};
    if (known)
        table_count(table, k_b_max, r->k_b_max);
    else
        table_null(table, k_b_max);
}
