/* configuration.c - see configuration.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "configuration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <programs/common/wrap.h>

/* Sets the quantile and the probability that were asked for, by the distribution of the lost
 * elements. NAN: the distribution does not determine it. */
static void ask_distribution(struct configuration *c, const struct distribution_question *asked)
{
    const uint64_t m = c->p.m;
    if (asked->quantile.given) {
        /* A share so small that the rest rounds to 1 is not 0: not all rows are asked for. */
        const double rest = decimal_complement(asked->quantile.value);
        const double others = rest < 1.0 ? rest : NAN;
        c->quantile = rcm_recall_quantile(c->p, others, 1);
        c->quantile_all = m > 1 ? rcm_recall_quantile(c->p, others, m) : c->quantile;
    }
    if (asked->at_least.given) {
        struct rcm_lost dist;
        rcm_lost(c->p, &dist);
        const double lost = (double)decimal_most_lost(asked->at_least.value, c->p.k);
        c->at_least = rcm_lost_all_at_most(&dist, lost, 1);
        c->at_least_all = rcm_lost_all_at_most(&dist, lost, m);
        rcm_lost_free(&dist);
    }
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
    set_real(object, "memory_bytes", memory > 0.0 ? memory : NAN);
}

static const struct rcm_profile *profile_of(const struct question *question)
{
    return question->device.given
               ? profile_of_type(&question->device.text, question_dtype(question))
               : NULL;
}

static bool has_roofline(const struct question *question)
{
    return question->device.given && question->device.text.device.bandwidth_bytes_per_s > 0.0;
}

enum {
    WITH_QUANTILE = 1,
    WITH_QUANTILE_ALL = 2,
    WITH_AT_LEAST = 4,
    WITH_AT_LEAST_ALL = 8,
    WITH_PROFILE = 16,
    WITH_ROOFLINE = 32,
    SHOW_COSTS = 64,
    WITH_WEIGHTS = 128,
    WITH_MASS_DISTRIBUTION = 256,
    WITH_TOKEN_CHANGE = 512,
    WITH_VECTORS = 1024, /* which are rounded */
    WITH_ROUNDING = 2048
};

/* Sets what the lost elements weigh. */
static void weigh(struct configuration *c, const struct query *query,
                  const struct distribution_question *asked)
{
    const struct rcm_weights *weights = &query->weights.weights;
    if (weights->k == 0)
        return;
    c->lost_mass = rcm_lost_mass(c->p, weights);
    c->attention_error = rcm_attention_error(c->p, weights);
    c->token = token_change(&query->weights, c->p,
                            asked->quantile.given ? decimal_value(asked->quantile.value)
                                                  : TOKEN_CHANGE_REST,
                            query->length);
    if (!asked->quantile.given)
        return;
    struct mass_distribution dist = mass_distribution(&query->weights, c->p);
    c->lost_mass_sd = dist.sd;
    c->lost_mass_quantile = mass_distribution_quantile(&dist, decimal_value(asked->quantile.value));
    mass_distribution_free(&dist);
}

unsigned configuration_parts(const struct query *query, const struct question *question,
                             const struct distribution_question *asked)
{
    const bool rows = query->base.m > 1;
    return SHOW_COSTS |
           (asked->quantile.given ? WITH_QUANTILE | (rows ? WITH_QUANTILE_ALL : 0) : 0U) |
           (asked->at_least.given ? WITH_AT_LEAST | (rows ? WITH_AT_LEAST_ALL : 0) : 0U) |
           (weights_given(&question->weights) ? WITH_WEIGHTS : 0U) |
           (asked->quantile.given && mass_distribution_is_known(&query->weights, query->base)
                ? WITH_MASS_DISTRIBUTION
                : 0U) |
           (token_change_is_known(&query->weights, query->base) ? WITH_TOKEN_CHANGE : 0U) |
           (question->rounding.to.vectors ? WITH_VECTORS : 0U) |
           (question->rounding.to.name ? WITH_ROUNDING : 0U) |
           (profile_of(question) ? WITH_PROFILE : 0U) |
           (has_roofline(question) ? WITH_ROOFLINE : 0U);
}

struct configuration evaluate(struct rcm_topk p, const struct query *query,
                              const struct question *question,
                              const struct distribution_question *asked)
{
    /* A predicted time is shown where the values have the profile's type, too. */
    const struct rcm_profile *profile = profile_of(question);
    struct configuration c = {
        .query = fields_of(query),
        .p = p,
        .candidates = rcm_candidates(p),
        .loss = rcm_loss_exact(p),
        .sd = rcm_recall_sd(p),
        .loss_binomial = rcm_loss_binomial(p),
        .loss_bound = rcm_loss_bound(p),
        .worst_case = rcm_recall_worst_case(p),
        .probability_exact = rcm_probability_exact(p),
        .rounding = question->rounding.to.name,
        .rounding_loss = query->rounding.loss,
        .recall_rounded = rounding_recall(&query->rounding, p),
        .target = query->target.weights ? NAN : decimal_value(query->recall_target),
        .reaches = rcm_reaches(p, query->target),
    };
    c.recall = 1.0 - c.loss;
    c.recall_binomial = 1.0 - c.loss_binomial;
    for (size_t i = 0; i < RCM_COST_MODELS; i++)
        c.cost[i] = rcm_cost(rcm_cost_model(i), p);
    ask_distribution(&c, asked);
    weigh(&c, query, asked);
    if (profile)
        c.prediction = rcm_predict(profile, p);
    if (!has_roofline(question))
        return c;
    struct rcm_roofline *r = &c.roofline;
    *r = rcm_roofline(&question->device.text.device, question_dtype(question), p);
    /* Without a vector rate the bound is that of the bandwidth alone: which of the two binds is not
     * known. */
    const bool known = !isnan(r->time_vector_us);
    c.bound = !known ? NULL : r->memory_bound ? "memory" : "vector";
    r->k_b_max = known ? r->k_b_max : NO_COUNT;
    return c;
}

const char *cost_model_name(size_t i)
{
    return rcm_cost_model(i)->name;
}

static const struct column cost_items[] = {
    {FIELD(struct rcm_cost, approximate), .csv = "cost_%s", .json = "cost/%s/approximate",
     .heading = "%s\ncost", .style = STYLE_COST, .drop = 4, .shown = SHOW_COSTS},
    {FIELD(struct rcm_cost, exact), .csv = "cost_%s_exact", .json = "cost/%s/exact"},
    {FIELD(struct rcm_cost, speedup), .csv = "speedup_%s", .json = "cost/%s/speedup",
     .heading = "%s\nx", .style = STYLE_SPEEDUP, .shown = SHOW_COSTS},
    {FIELD(struct rcm_cost, stage1), .csv = "stage1_%s", .json = "cost/%s/stage1"},
    {FIELD(struct rcm_cost, stage2), .csv = "stage2_%s", .json = "cost/%s/stage2"},
};
const struct columns cost_columns = COLUMNS(struct rcm_cost, cost_items);

static const struct column prediction_items[] = {
    {FIELD(struct rcm_prediction, time_us), HEADED("predicted_us", "both\nstages us")},
    {FIELD(struct rcm_prediction, low_us), IN_DATA("predicted_low_us")},
    {FIELD(struct rcm_prediction, high_us), IN_DATA("predicted_high_us")},
    {FIELD(struct rcm_prediction, within_runs), IN_DATA("predicted_within_runs")},
};
static const struct columns prediction_columns = COLUMNS(struct rcm_prediction, prediction_items);

/* A column whose name has a prefix in CSV and a folder in JSON. */
#define ROOFLINE(field, name) \
    FIELD(struct configuration, field), .csv = "roofline_" name, .json = "roofline/" name

static const struct column roofline_items[] = {
    {ROOFLINE(roofline.bytes, "bytes")},
    {ROOFLINE(roofline.operations, "operations")},
    {ROOFLINE(roofline.time_memory_us, "time_memory_us")},
    {ROOFLINE(roofline.time_vector_us, "time_vector_us")},
    {ROOFLINE(roofline.through_memory_us, "through_memory_us")},
    {ROOFLINE(roofline.time_us, "time_us"), .heading = "stage 1\nus, >=", .style = STYLE_TIME},
    {ROOFLINE(bound, "bound"), .heading = "bound\nby"},
    {ROOFLINE(roofline.k_b_max, "k_b_max")},
};
static const struct columns roofline_columns = COLUMNS(struct configuration, roofline_items);

static const char all_rows[] = "of all\nm rows";
static const struct column configuration_items[] = {
    {PART(struct configuration, query, query_columns)},
    {FIELD(struct configuration, p.b), EVERYWHERE("b")},
    {FIELD(struct configuration, p.k_b), EVERYWHERE("k_b")},
    {FIELD(struct configuration, candidates), HEADED("candidates", "candi-\ndates")},
    {FIELD(struct configuration, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {FIELD(struct configuration, sd), HEADED("recall_sd", "sd"), .style = STYLE_LOSS, .drop = 5},
    {FIELD(struct configuration, loss), EVERYWHERE("loss"), .style = STYLE_LOSS},
    {FIELD(struct configuration, recall_binomial), HEADED("recall_binomial", "binomial\nrecall"),
     .style = STYLE_RECALL, .drop = 6},
    {FIELD(struct configuration, loss_binomial), IN_DATA("loss_binomial")},
    {FIELD(struct configuration, loss_bound), IN_DATA("loss_bound")},
    {FIELD(struct configuration, worst_case), IN_DATA("recall_worst_case")},
    {FIELD(struct configuration, probability_exact), IN_DATA("probability_exact")},
    {FIELD(struct configuration, quantile), HEADED("recall_quantile", "quantile\nof a row"),
     .style = STYLE_RECALL, .when = WITH_QUANTILE},
    {FIELD(struct configuration, quantile_all), HEADED("recall_quantile_all", all_rows),
     .style = STYLE_RECALL, .when = WITH_QUANTILE_ALL},
    {FIELD(struct configuration, at_least), HEADED("probability", "P(recall\n>= R)"),
     .style = STYLE_RECALL, .when = WITH_AT_LEAST},
    {FIELD(struct configuration, at_least_all), HEADED("probability_all", all_rows),
     .style = STYLE_RECALL, .when = WITH_AT_LEAST_ALL},
    {FIELD(struct configuration, lost_mass), HEADED("lost_mass", "lost\nmass"), .style = STYLE_LOSS,
     .when = WITH_WEIGHTS},
    {FIELD(struct configuration, attention_error), IN_DATA("attention_error"),
     .when = WITH_WEIGHTS},
    {FIELD(struct configuration, lost_mass_sd), IN_DATA("lost_mass_sd"),
     .when = WITH_MASS_DISTRIBUTION},
    {FIELD(struct configuration, lost_mass_quantile), HEADED("lost_mass_quantile", "of a\nrow"),
     .style = STYLE_LOSS, .when = WITH_MASS_DISTRIBUTION},
    {PART(struct configuration, token, token_change_columns), .when = WITH_TOKEN_CHANGE},
    {FIELD(struct configuration, rounding), .csv = "rounding", .when = WITH_ROUNDING},
    {FIELD(struct configuration, rounding_loss), .csv = "rounding_loss", .when = WITH_ROUNDING},
    {FIELD(struct configuration, recall_rounded), HEADED("recall_rounded", "after\nrounding"),
     .style = STYLE_RECALL, .when = WITH_VECTORS},
    {FIELD(struct configuration, target), .csv = "recall_target"},
    {FIELD(struct configuration, reaches), IN_DATA("reaches_target")},
    {COSTS(struct configuration, cost)},
    {PART(struct configuration, prediction, prediction_columns), .when = WITH_PROFILE},
    {.part = &roofline_columns, .when = WITH_ROOFLINE},
};
const struct columns configuration_columns = COLUMNS(struct configuration, configuration_items);
