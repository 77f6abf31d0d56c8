/* blocks_routing.c - see blocks_routing.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "blocks_routing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <programs/common/json.h>
#include <programs/common/wrap.h>

#define ROWS_DRAWN 20000

/* ---- options */

static const char *group_score_at(unsigned i)
{
    static const char *const names[] = {"best", "two-best"};
    return i < 2 ? names[i] : NULL;
}

static const char *expert_scores_at(unsigned i)
{
    static const char *const names[] = {"sigmoid", "softmax", "uniform"};
    return i < 3 ? names[i] : NULL;
}

static int read_group_score(void *to, const char *option, const char *value)
{
    struct group_score *const by = to;
    by->given = true;
    return read_name(option, value, group_score_at, UNTIL_NULL, &by->value);
}

static int read_expert_scores(void *to, const char *option, const char *value)
{
    return read_name(option, value, expert_scores_at, UNTIL_NULL, to);
}

const struct value_kind kind_of_group_score = {.read = read_group_score, .names = group_score_at};
const struct value_kind kind_of_expert_scores = {.read = read_expert_scores,
                                                 .names = expert_scores_at};

int read_bias_sd(void *to, const char *option, const char *value)
{
    const char *const wrong = parse_amount(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give the standard deviation of the bias, such as "
                               "0.02",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

const char *expert_scores_name(const struct routing_question *q)
{
    return expert_scores_at(q->scores);
}

/* ---- the model */

static double logit_sd(const struct routing_question *q)
{
    return q->score_sd.given ? q->score_sd.value : 1.0;
}

static struct rcm_routing routing_of(const struct routing_question *q, struct rcm_blocks groups,
                                     enum rcm_group_score by)
{
    return (struct rcm_routing){groups, by, (enum rcm_expert_scores)q->scores, logit_sd(q)};
}

struct routed routed_of(const struct routing_question *q, struct rcm_blocks groups)
{
    struct routed routed = {rcm_routing_loss(routing_of(q, groups, RCM_GROUP_BEST)),
                            rcm_routing_loss(routing_of(q, groups, RCM_GROUP_TWO_BEST)), NAN,
                            q->scores == RCM_SCORES_UNIFORM ? NAN : logit_sd(q)};
    routed.recall = 1.0 - (q->by.value == RCM_GROUP_BEST ? routed.best : routed.two_best).experts;
    return routed;
}

void routing_wrong(const struct routing_question *q, struct rcm_blocks groups,
                   char text[RCM_STATUS_TEXT_MOST])
{
    rcm_routing_wrong(routing_of(q, groups, RCM_GROUP_TWO_BEST), text, RCM_STATUS_TEXT_MOST);
}

/* ---- drawn rows */

static bool draws(const struct routing_question *q)
{
    return q->format || q->bias_sd > 0.0 || q->rows;
}

static uint64_t rows_of(const struct routing_question *q)
{
    return q->rows ? q->rows : ROWS_DRAWN;
}

static int draw(const struct routing_question *q, struct rcm_blocks g,
                struct sim_routing_means *means)
{
    struct rounding rounding;
    if (q->format)
        rounding = rounding_of_format(q->format);
    const struct sim_routing spec = {.n = g.n,
                                     .k = g.k,
                                     .size = g.size,
                                     .kept = g.kept,
                                     .rows = rows_of(q),
                                     .scores = (enum sim_scores)q->scores,
                                     .logit_sd = logit_sd(q),
                                     .rounding = q->format ? &rounding : NULL,
                                     .bias_sd = q->bias_sd,
                                     .seed = 1};
    return sim_routing(&spec, means);
}

void routing_print(const struct routing_question *q, struct rcm_blocks g)
{
    static const char *const selections[] = {"by best", "by two best", "no groups"};
    struct sim_routing_means means;
    char bias[60] = "";
    if (!draws(q))
        return;
    if (!g.kept) {
        print_wrapped("No rows are drawn, because none of these is the answer; give one number of "
                      "--blocks.");
        return;
    }
    if (draw(q, g, &means) != 0) {
        print_wrapped("No memory to draw rows.");
        return;
    }
    if (q->bias_sd > 0.0)
        snprintf(bias, sizeof bias, ", bias of standard deviation %.4g", q->bias_sd);
    print_wrapped("Drawn: %" PRIu64 " rows, scores in %s%s, %" PRIu64 " of %" PRIu64
                  " blocks. Against exact scores of all experts:",
                  rows_of(q), q->format ? q->format->name : "f64", bias, g.kept,
                  rcm_blocks_count(g));
    for (unsigned s = 0; s < SIM_SELECTIONS; s++)
        print_wrapped("  %-11s loses %.3g +- %.2g of the experts, %.3g +- %.2g of the weight",
                      selections[s], means.lost[s].mean, means.lost[s].error, means.weight[s].mean,
                      means.weight[s].error);
    print_wrapped("  load        without groups the fullest expert has %.3g times the mean (exact: "
                  "%.3g), the deviation is %.3g of the mean (exact: %.3g)",
                  means.load.largest, means.exact_load.largest, means.load.variation,
                  means.exact_load.variation);
}

/* A mean and its standard error. */
static void set_mean(json_t *object, const char *name, struct sim_mean mean)
{
    char error[60];
    set_real(object, name, mean.mean);
    snprintf(error, sizeof error, "%s_error", name);
    set_real(object, error, mean.error);
}

void routing_json(json_t *object, const struct routing_question *q, struct rcm_blocks g)
{
    static const char *const selections[] = {"best", "two_best", "ungrouped"};
    struct sim_routing_means means;
    char name[40];
    set_text(object, "by", group_score_at(q->by.value));
    set_text(object, "scores", expert_scores_name(q));
    set_text(object, "rounding", q->format ? q->format->name : NULL);
    set_real(object, "bias_sd", q->bias_sd);
    if (!g.kept || !draws(q) || draw(q, g, &means) != 0)
        return;
    json_t *const drawn = json_object();
    set_count(drawn, "rows", rows_of(q));
    for (unsigned s = 0; s < SIM_SELECTIONS; s++) {
        snprintf(name, sizeof name, "loss_%s", selections[s]);
        set_mean(drawn, name, means.lost[s]);
        snprintf(name, sizeof name, "weight_lost_%s", selections[s]);
        set_mean(drawn, name, means.weight[s]);
    }
    set_real(drawn, "load_largest", means.load.largest);
    set_real(drawn, "load_largest_exact", means.exact_load.largest);
    set_real(drawn, "load_variation", means.load.variation);
    set_real(drawn, "load_variation_exact", means.exact_load.variation);
    json_object_set_new(object, "drawn", drawn);
}
