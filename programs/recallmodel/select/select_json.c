/* select_json.c - select: the answer as JSON, and the rows of CSV.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <programs/recallmodel/question/answer.h>
#include "calls.h"
#include <programs/recallmodel/question/configuration.h>
#include "selection.h"

static json_t *choice_json(const struct selection_answer *answer)
{
    if (!selection_has_buckets(answer))
        return json_null();
    struct table *table = selection_shape_table(answer);
    table_add(table, selection_chosen(answer), true);
    json_t *object = row_as_json(table);
    if (answer->query->weights.weights.k > 0) {
        struct mass_distribution dist = selection_lost_mass(answer);
        set_real(object, "lost_mass_sd", dist.sd);
        set_real(object, "lost_mass_quantile",
                 mass_distribution_quantile(&dist, selection_quantile_rest(answer->settings)));
        mass_distribution_free(&dist);
        const struct token_change change = selection_token_change(answer);
        token_change_json(object, &change);
        set_real(object, "attention_error",
                 rcm_attention_error(answer->choice.p, &answer->query->weights.weights));
    }
    return object;
}

static json_t *threshold_json(const struct rcm_choice *c)
{
    if (!(c->threshold.objective < INFINITY))
        return json_null();
    json_t *object = json_object();
    set_count(object, "b", c->threshold.p.b);
    set_count(object, "k_b", c->threshold.p.k_b);
    set_real(object, "reaching_mean", c->reaching);
    set_real(object, "objective", c->threshold.objective);
    return object;
}

/* The calls, which of them is the one below the answer, and which is to be timed beside it. */
static void put_usage(json_t *object, const struct selection_answer *answer)
{
    struct call calls[CALLS];
    json_t *usage = json_object();
    const struct call *rival, *shown = selection_call(answer, calls, &rival);
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].offered)
            set_text(usage, calls[i].key, *calls[i].text ? calls[i].text : NULL);
    json_object_set_new(object, "usage", usage);
    set_text(object, "call", shown ? shown->key : NULL);
    set_text(object, "rival_call", rival ? rival->key : NULL);
}

/* Whose kernels can be called; null: all. */
static json_t *have_json(uint32_t have)
{
    json_t *names = have ? json_array() : json_null();
    for (unsigned i = 0; rcm_provider(i); i++)
        if (have >> i & 1)
            json_array_append_new(names, json_string(rcm_provider(i)->kernel));
    return names;
}

static void put_question(json_t *object, const struct selection_answer *answer)
{
    const struct select_settings *settings = answer->settings;
    const bool budget = settings->budget > 0.0, device = settings->question.device.given;
    const double target = decimal_value(answer->query->recall_target);
    const struct decimal confidence = settings->confidence.value;
    set_real(object, "recall_target", budget || answer->query->target.weights ? NAN : target);
    weights_json(object, &settings->question.weights, &answer->query->weights);
    rounding_json(object, &settings->question.rounding, &answer->query->rounding);
    set_real(object, "confidence", settings->confidence.given ? decimal_value(confidence) : NAN);
    set_real(object, "budget", budget ? settings->budget : NAN);
    set_real(object, "quantile", selection_quantile_rest(settings));
    if (settings->ties)
        set_text(object, "ties", rcm_ties_name(settings->ties));
    json_object_set_new(object, "have", have_json(settings->have));
    set_text(object, "kernel", answer->asked.kernel->name);
    set_text(object, "device_family", settings->question.device.family);
    set_text(object, "device", device ? settings->question.device.text.device.name : NULL);
    if (device)
        put_memory(object, &settings->question, &answer->query->base, answer->asked.machine.dtype);
    set_count(object, "k_b_max", answer->k_b_max);
}

/* The profile that stands in for one of the device. */
static json_t *stand_in_json(const struct selection_answer *answer)
{
    if (!selection_stands_in(answer))
        return json_null();
    json_t *object = json_object();
    const struct rcm_profile *q = answer->asked.machine.profile;
    const double floor = selection_floor(answer);
    set_text(object, "profile", q->name);
    set_text(object, "kernel", q->kernel->name);
    set_text(object, "dtype_of_profile", rcm_dtype_name(q->carried_from));
    set_real(object, "low_ratio", q->held_out_p05_ratio);
    set_real(object, "high_ratio", q->held_out_p95_ratio);
    set_real(object, "floor_us", floor > 0.0 ? floor : NAN);
    return object;
}

/* The best shape beyond the runs, where it takes no part and its band ends below the rest. */
static json_t *beyond_json(const struct selection_answer *answer)
{
    char beyond[RCM_BEYOND_TEXT];
    const struct rcm_point *point = &answer->choice.beyond;
    if (!(point->objective < INFINITY))
        return json_null();
    const struct rcm_prediction r = selection_prediction(answer, point->p);
    json_t *object = json_object();
    selection_format_beyond(beyond, answer, point->p);
    set_count(object, "b", point->p.b);
    set_count(object, "k_b", point->p.k_b);
    set_real(object, "time_us", r.time_us);
    set_real(object, "low_us", r.low_us);
    set_real(object, "high_us", r.high_us);
    set_text(object, "beyond", beyond);
    return object;
}

/* Of which buckets the times are; NULL: there are none. */
static const char *time_assignment(const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    if (!profile)
        return NULL;
    const enum rcm_assignment asked = answer->query->base.assignment;
    return assignment_name(rcm_profile_knows(profile, asked) ? asked
                           : profile->kernel->contiguous     ? RCM_CONTIGUOUS
                                                             : RCM_INTERLEAVED);
}

static json_t *fused_exact_json(const struct rcm_selection *asked)
{
    const struct rcm_fused_exact f = rcm_fused_exact(asked);
    json_t *object = json_object();
    set_count(object, "sample", f.sample.sample);
    set_count(object, "rank", f.sample.rank);
    set_count(object, "survivors", f.survivors);
    set_real(object, "fused_us", f.product.fused_us);
    set_text(object, "fused_bound", f.product.fused_bound);
    set_real(object, "stage2_us", f.stage2_us);
    set_real(object, "time_us", f.time_us);
    return object;
}

static void put_choice(json_t *object, const struct selection_answer *answer)
{
    char headline[600];
    const struct rcm_choice *c = &answer->choice;
    const bool pays = selection_is_time(answer) && selection_has_buckets(answer);
    if (answer->settings->d) {
        const struct rcm_product product =
            selection_product(answer, selection_has_buckets(answer) ? c->p : answer->query->base);
        product_json(object, &product, answer->settings->d);
        set_real(object, "product_share", answer->decided.product_share);
    }
    set_text(object, "verdict", rcm_verdict_name(answer->decided.verdict));
    selection_headline(headline, sizeof headline, answer);
    set_text(object, "headline", headline);
    set_text(object, "deploy", rcm_deployed(c));
    json_object_set_new(object, "choice", choice_json(answer));
    if (answer->settings->d)
        json_object_set_new(object, "fused_exact", fused_exact_json(&answer->asked));
    set_real(object, "exact_objective", c->exact_objective);
    set_real(object, "over_exact", c->over_exact);
    set_real(object, "break_even_us", pays ? selection_least(answer, c->objective) : NAN);
    json_object_set_new(object, "threshold", threshold_json(c));
    set_text(object, "objective", answer->asked.objective->name);
    set_text(object, "objective_unit", answer->asked.objective->unit);
    set_truth(object, "objective_is_bound", selection_is_bound(answer));
    set_text(object, "reason", rcm_reason_text(c->reason));
    set_text(object, "cause", rcm_reason_name(c->reason));
    json_object_set_new(object, "beyond", beyond_json(answer));
    set_text(object, "time_assignment", time_assignment(answer));
    set_truth(object, "too_close", answer->choice.too_close);
    json_object_set_new(object, "stand_in", stand_in_json(answer));
}

/* The cells of its row in the table. */
static json_t *shown_json(const struct selection_answer *answer, const struct contender_text *t)
{
    const char *const cells[] = {t->name, t->value, t->band, t->loses, t->basis};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (cells[i] != t->band || answer->decided.by_profile)
            json_array_append_new(array, json_string(cells[i]));
    return array;
}

static json_t *contender_json(const struct selection_answer *answer, const struct rcm_contender *c)
{
    struct contender_text text;
    json_t *object = json_object();
    const bool shape = c->kind != RCM_CONTENDER_EXACT;
    selection_format_contender(answer, c, &text);
    set_text(object, "name", c->name);
    set_text(object, "kind", rcm_contender_kind_name(c->kind));
    json_object_set_new(object, "b", shape ? json_integer((json_int_t)c->p.b) : json_null());
    json_object_set_new(object, "k_b", shape ? json_integer((json_int_t)c->p.k_b) : json_null());
    set_real(object, "objective", c->objective);
    set_real(object, "time_us", c->time_us);
    set_truth(object, "bound", c->bound);
    set_truth(object, "fused", c->fused);
    set_real(object, "low_us", c->low_us);
    set_real(object, "high_us", c->high_us);
    set_truth(object, "measured", c->measured);
    set_truth(object, "fitted", c->fitted);
    set_truth(object, "at_most", c->at_most);
    json_object_set_new(object, "padded_n",
                        c->padded_n ? json_integer((json_int_t)c->padded_n) : json_null());
    set_truth(object, "beyond", c->beyond);
    set_real(object, "loses", c->loss);
    set_text(object, "basis", text.basis);
    json_object_set_new(object, "shown", shown_json(answer, &text));
    set_truth(object, "callable", c->callable);
    set_truth(object, "left_out", c->left_out);
    set_text(object, "package", c->package);
    set_text(object, "call", c->call);
    set_text(object, "fault", c->fault);
    set_text(object, "profile", c->profile);
    set_text(object, "card", c->card && *c->card ? c->card : NULL);
    set_truth(object, "carried", c->carried);
    set_truth(object, "other_type", c->other_type);
    return object;
}

static json_t *contenders_json(const struct selection_answer *answer)
{
    json_t *array = json_array();
    for (size_t i = 0; i < answer->decided.count; i++)
        json_array_append_new(array, contender_json(answer, &answer->decided.of[i]));
    return array;
}

static json_t *quirk_json(const struct rcm_quirk *q)
{
    json_t *object = json_object();
    set_text(object, "kernels", q->kernels);
    set_text(object, "when", q->when);
    set_real(object, "median_ratio", q->median_ratio);
    set_real(object, "high_ratio", q->high_ratio);
    set_text(object, "runs", q->runs);
    set_text(object, "mend", q->mend);
    return object;
}

json_t *selection_json(const struct selection_answer *answer)
{
    json_t *object = query_json(answer->query);
    put_question(object, answer);
    put_choice(object, answer);
    const struct contender_text headings = selection_contender_headings(answer);
    json_object_set_new(object, "contender_columns", shown_json(answer, &headings));
    json_object_set_new(object, "contenders", contenders_json(answer));
    if (selection_quirk(answer))
        json_object_set_new(object, "quirk", quirk_json(selection_quirk(answer)));
    if (selection_has_rope(answer))
        json_object_set_new(object, "rope", selection_rope_json(answer));
    json_object_set_new(object, "alternatives", rows_as_json(selection_alternatives(answer)));
    if (!answer->settings->brief)
        json_object_set_new(object, "frontier", rows_as_json(selection_frontier(answer)));
    put_usage(object, answer);
    return object;
}
