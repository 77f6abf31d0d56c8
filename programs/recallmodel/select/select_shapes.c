/* select_shapes.c - select: what is known of one bucketed shape, computed once, and its columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "selection.h"

enum {
    OF_A_LIST = 1, /* of devices, which may have a profile */
    BY_TIME = 2,   /* what the aligned table shows as the objective */
    BY_BOUND = 4,
    BY_COST = 8,
    BESIDE_EXACT = 16,
    BY_KERNEL = 32, /* of exact top-k */
    WITH_PRODUCT = 64,
    WITH_PREDICTION = 128,
    WITH_TIME = 256, /* a predicted time that is not the objective */
    WITH_ROPE = 512,
    WITH_WEIGHTS = 1024,
    WITH_VECTORS = 2048, /* which are rounded */
    WITH_ROUNDING = 4096
};

static bool is_candidates(const struct selection_answer *answer)
{
    return answer->asked.objective->measure & RCM_COUNTS_CANDIDATES;
}

static unsigned parts_of(const struct selection_answer *answer)
{
    const bool list = answer->settings->lists.count > 1, d = answer->settings->d > 0;
    const bool profile = answer->asked.machine.profile != NULL;
    const bool compared = isfinite(answer->choice.exact_objective) && !is_candidates(answer);
    const bool by_prediction = answer->asked.objective->need == RCM_NEEDS_PROFILE;
    const unsigned shown = answer->asked.objective->need == RCM_NEEDS_DEVICE ? BY_BOUND
                           : selection_is_time(answer)                       ? BY_TIME
                           : is_candidates(answer)                           ? 0U
                                                                             : BY_COST;
    return shown | (list ? OF_A_LIST : 0U) | (compared ? BESIDE_EXACT : 0U) |
           (selection_exact(answer) || list ? BY_KERNEL : 0U) | (d ? WITH_PRODUCT : 0U) |
           (!d && (profile || list) ? WITH_PREDICTION : 0U) |
           (!d && (profile || list) && !by_prediction ? WITH_TIME : 0U) |
           (answer->query->weights.weights.k > 0 ? WITH_WEIGHTS : 0U) |
           (answer->settings->question.rounding.to.vectors ? WITH_VECTORS : 0U) |
           (answer->settings->question.rounding.to.name ? WITH_ROUNDING : 0U) |
           (selection_has_rope(answer) ? WITH_ROPE : 0U);
}

#define ROW(field) FIELD(struct selection_shape, field)

static const struct column product_items[] = {
    {FIELD(struct rcm_product, fused_us), HEADED("fused_us", "fused\n>="), .style = STYLE_US},
    {FIELD(struct rcm_product, fused_bound), HEADED("fused_bound", "by")},
};
static const struct columns product_columns = COLUMNS(struct rcm_product, product_items);

static const struct column intensity_items[] = {
    {FIELD(struct rcm_product, product_intensity), IN_DATA("product_intensity")},
    {FIELD(struct rcm_product, fused_intensity), IN_DATA("fused_intensity")},
};
static const struct columns intensity_columns = COLUMNS(struct rcm_product, intensity_items);

/* What the data have, and what the aligned table shows in its place: as many nines as are true, and
 * with a launch where the objective is a bound, as the sentence of the answer has it. */
static const struct column shape_items[] = {
    {PART(struct selection_shape, query, query_columns)},
    {ROW(device), IN_DATA("device"), .when = OF_A_LIST},
    {ROW(minimised), IN_DATA("minimised"), .when = OF_A_LIST},
    {ROW(p.k_b), EVERYWHERE("k_b")},
    {ROW(p.b), EVERYWHERE("b")},
    {ROW(candidates), EVERYWHERE("candidates")},
    {ROW(recall), IN_DATA("recall")},
    {ROW(recall_text), .heading = "recall"},
    {ROW(sd), HEADED("recall_sd", "sd"), .style = STYLE_LOSS},
    {ROW(row_recall), IN_DATA("recall_quantile")},
    {ROW(row_text), .heading = "rows reach"},
    {ROW(lost_mass_target), .csv = "lost_mass_target", .when = WITH_WEIGHTS},
    {ROW(score_sd), .csv = "score_sd", .when = WITH_WEIGHTS},
    {ROW(lost_mass), HEADED("lost_mass", "lost\nmass"), .style = STYLE_LOSS, .when = WITH_WEIGHTS},
    {ROW(rounding), .csv = "rounding", .when = WITH_ROUNDING},
    {ROW(rounding_loss), .csv = "rounding_loss", .when = WITH_ROUNDING},
    {ROW(recall_rounded), HEADED("recall_rounded", "after\nrounding"), .style = STYLE_RECALL,
     .when = WITH_VECTORS},
    {ROW(objective), IN_DATA("objective")},
    {ROW(shown), .heading = "time", .style = STYLE_US, .when = BY_TIME},
    {ROW(shown), .heading = "time\n>=", .style = STYLE_US, .when = BY_BOUND},
    {ROW(shown), .heading = "cost", .style = STYLE_COST, .when = BY_COST},
    {ROW(over_least), IN_DATA("over_least")},
    {ROW(shown_over_least), .heading = "over\nleast", .style = STYLE_SPEEDUP},
    {ROW(exact), IN_DATA("exact_objective")},
    {ROW(exact_kernel), IN_DATA("exact_kernel"), .when = BY_KERNEL},
    {ROW(over_exact), IN_DATA("over_exact")},
    {ROW(verdict), IN_DATA("verdict")},
    {ROW(shown_over_exact), .heading = "of\nexact", .style = STYLE_PERCENT, .when = BESIDE_EXACT},
    {PART(struct selection_shape, product, product_columns), .when = WITH_PRODUCT},
    {ROW(stage2_us), IN_DATA("stage2_us"), .when = WITH_PRODUCT},
    {PART(struct selection_shape, product, intensity_columns), .when = WITH_PRODUCT},
    {ROW(prediction.time_us), IN_DATA("predicted_us"), .when = WITH_PREDICTION},
    {ROW(prediction.time_us), .heading = "time", .style = STYLE_US, .when = WITH_TIME},
    {ROW(prediction.low_us), IN_DATA("low_us"), .when = WITH_PREDICTION},
    {ROW(prediction.high_us), IN_DATA("high_us"), .when = WITH_PREDICTION},
    {ROW(prediction.within_runs), IN_DATA("within_runs"), .when = WITH_PREDICTION},
    {ROW(beyond), IN_DATA("beyond"), .when = WITH_PREDICTION},
    {ROW(resonance.drift), IN_DATA("rope_drift"), .when = WITH_ROPE},
    {ROW(resonance.wavelength), IN_DATA("rope_wavelength"), .when = WITH_ROPE},
};
const struct columns selection_columns = COLUMNS(struct selection_shape, shape_items);

struct table *selection_shape_table(const struct selection_answer *answer)
{
    char heading[60], rows[40];
    struct table *table = table_of(&selection_columns, parts_of(answer));
    format_rows(rows, sizeof rows, selection_quantile_rest(answer->settings));
    snprintf(heading, sizeof heading, "%.*s\nrows reach", (int)strlen(rows) - 5, rows);
    table_heading(table, "rows reach", heading);
    return table;
}

static void predict(struct selection_shape *shape, const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    if (answer->settings->d)
        shape->product = selection_product(answer, shape->p);
    shape->stage2_us = NAN;
    if (!profile)
        return;
    shape->prediction = selection_prediction(answer, shape->p);
    shape->stage2_us = shape->prediction.stage2_us;
    rcm_beyond_text(shape->prediction.beyond, shape->beyond);
}

static void evaluate(struct selection_shape *shape, const struct selection_answer *answer,
                     const struct rcm_point *point)
{
    const struct rcm_topk p = point->p;
    const double least = selection_least(answer, answer->least),
                 exact = answer->choice.exact_objective,
                 shown = selection_least(answer, point->objective);
    const struct rcm_device *device = answer->asked.machine.device;
    const struct rcm_contender *kernel = selection_exact(answer);
    const struct rcm_weights *weights = &answer->query->weights.weights;
    *shape = (struct selection_shape){
        .query = fields_of(answer->query),
        .device = device ? device->name : NULL,
        .minimised = answer->asked.objective->name,
        .p = p,
        .candidates = rcm_candidates(p),
        .recall = rcm_recall_exact(p),
        .loss = rcm_loss_exact(p),
        .sd = rcm_recall_sd(p),
        .lost_mass = rcm_lost_mass(p, weights),
        .lost_mass_target = answer->query->target.weights ? answer->query->target.loss : NAN,
        .rounding = answer->settings->question.rounding.to.name,
        .rounding_loss = answer->query->rounding.loss,
        .recall_rounded = rounding_recall(&answer->query->rounding, p),
        .score_sd = weights->measured ? NAN : weights->score_sd,
        .row_recall = rcm_recall_quantile(p, selection_quantile(answer->settings), 1),
        .objective = point->objective,
        .shown = shown,
        .over_least = point->objective / answer->least,
        .shown_over_least = shown / least,
        .exact = exact,
        .exact_kernel = kernel && kernel->profile ? kernel->profile : "",
        .verdict = rcm_verdict_name(answer->decided.verdict),
        .over_exact = point->objective / exact,
        .shown_over_exact = shown / exact,
        .prediction = {.time_us = NAN, .low_us = NAN, .high_us = NAN},
        .resonance = selection_resonance(answer, p),
    };
    format_recall(shape->recall_text, sizeof shape->recall_text, shape->loss);
    format_recall(shape->row_text, sizeof shape->row_text, 1.0 - shape->row_recall);
    if (isnan(shape->row_recall))
        strcpy(shape->row_text, "-");
    predict(shape, answer);
}

const struct selection_shape *selection_shape(const struct selection_answer *answer,
                                              const struct rcm_point *point)
{
    struct selection_shapes *shapes = answer->shapes;
    for (const struct selection_shape *shape = shapes->first; shape; shape = shape->next)
        if (shape->p.b == point->p.b && shape->p.k_b == point->p.k_b)
            return shape;
    struct selection_shape *shape = require_memory(malloc(sizeof *shape));
    evaluate(shape, answer, point);
    shape->next = shapes->first;
    return shapes->first = shape;
}

const struct selection_shape *selection_chosen(const struct selection_answer *answer)
{
    return selection_shape(answer, &(struct rcm_point){answer->choice.p, answer->choice.objective});
}

struct table *selection_alternatives(const struct selection_answer *answer)
{
    struct table *table = selection_shape_table(answer);
    for (uint64_t i = 0; i < answer->k_b_max; i++)
        if (answer->each[i].objective < INFINITY)
            table_add(table, selection_shape(answer, &answer->each[i]),
                      i + 1 == answer->choice.p.k_b);
    return table;
}
