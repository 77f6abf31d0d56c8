/* simulation_text.c - simulate: the report in words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/text.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include "simulation_report.h"

/* With fewer elements lost in all, z is far from normal, and says nothing of the rows. */
#define FEW_LOST 25.0

/* A file's name, with control characters as '?'. */
static void print_name(const char *name)
{
    fputs("; rows of ", stdout);
    for (; *name; name++)
        putchar((unsigned char)*name < ' ' || *name == 127 ? '?' : *name);
}

static void print_title(const struct simulation_answer *s)
{
    const struct sim_spec *spec = s->spec;
    uint64_t done = simulation_done(s->simulation);
    char grouping[80], lengths[LENGTHS_TEXT];
    printf("n = %" PRIu64 ", k = %" PRIu64, spec->n, spec->k);
    if (spec->length)
        fputs(lengths_text(lengths, s->query->base.lengths), stdout);
    else if (spec->valid < spec->n)
        printf(", valid = %" PRIu64, spec->valid);
    if (spec->input == SIM_FILE)
        print_name(spec->name);
    else
        printf("; input %s", sim_input_name(spec->input));
    printf(", %" PRIu64 " repetition%s", done, done == 1 ? "" : "s");
    if (s->partial)
        printf(" of %" PRIu64 ": PARTIAL, stopped", spec->repetitions);
    if (spec->groups) {
        format_grouping(grouping, sizeof grouping, s);
        printf(", %zu groups by %s", s->over[0].of.groups, grouping);
    }
    if (spec->weights)
        printf(", %stemperature %.15g", spec->probabilities ? "probabilities, " : "",
               spec->temperature);
    printf(", seed %" PRIu64 ", recallmodel %s\n", spec->seed, rcm_version());
}

/* Do the rows behave as the model assumes? */
static void print_verdict(const struct simulation_answer *s)
{
    size_t known = 0, far = 0, all = result_count(s);
    double largest = 0.0;
    for (size_t i = 0; i < all; i++) {
        const struct sim_result r = s->results[i];
        const struct shape_model *model = &s->models[i % s->spec->shapes];
        double z = z_of(&r, model), elements = (double)r.rows * (double)s->spec->k;
        if (isnan(z) || fmax(1.0 - r.recall_mean, model->loss) * elements < FEW_LOST)
            continue;
        known++;
        far += fabs(z) > 4.0;
        largest = fmax(largest, fabs(z));
    }
    print_wrapped("\nmodel recall: for a top-k that lies anywhere with equal probability; z: how "
                  "far the measured recall is from it, in standard errors of the model.");
    if (known < all)
        print_wrapped(
            "In %zu of %zu configurations too few elements are lost for z to mean anything. Of "
            "the others:",
            all - known, all);
    if (far)
        print_wrapped("In %zu of %zu configurations |z| > 4: these rows do not behave as the model "
                      "assumes.",
                      far, known);
    else if (known)
        print_wrapped(
            "All |z| <= %.1f: these rows behave as the model assumes, as far as this number of "
            "rows can tell.",
            ceil(largest * 10.0) / 10.0);
    else
        puts("none.");
}

static void print_rows_notes(const struct simulation_answer *s)
{
    for (size_t rho = 0; rho < s->spec->rhos; rho++) {
        struct sim_rows rows = simulation_rows(s->simulation, rho);
        if (s->spec->rhos > 1 && (rows.with_nan || rows.short_rows || s->spec->weights))
            printf("rho %.15g: ", s->spec->rho[rho]);
        if (rows.with_nan)
            print_wrapped("%" PRIu64 " of %" PRIu64 " rows have NaN, which never count as lost.",
                          rows.with_nan, rows.rows);
        if (rows.short_rows)
            print_wrapped("%" PRIu64 " of %" PRIu64
                          " rows have fewer than k values above -inf; the missing values never "
                          "count as lost.",
                          rows.short_rows, rows.rows);
        if (s->spec->weights && !isnan(rows.topk_mass_mean))
            print_wrapped("The exact top-k has %.6f of the %smass of a row; mass kept is the share "
                          "of that which stage 1 keeps.",
                          rows.topk_mass_mean, s->spec->probabilities ? "" : "softmax ");
    }
}

/* The fewest rows that carry a recall of `target` for some shape if they lose nothing. */
static double rows_needed(const struct simulation_answer *s, double target)
{
    double needed = INFINITY, tail = ALPHA / (double)s->spec->shapes;
    for (size_t i = 0; i < s->spec->shapes; i++)
        needed = fmin(needed, sim_rows_needed(1.0 - s->models[i].worst_case, 1.0 - target, tail));
    return needed;
}

/* Nothing was chosen: are there too few rows, or groups? `question` begins the line. */
static void print_no_choice(const struct simulation_answer *s, struct scenario at,
                            const char *question)
{
    const bool grouped = s->spec->groups;
    const double target = decimal_value(s->query->recall_target),
                 needed = fmax(rows_needed(s, target), grouped ? SIM_GROUPS_FEWEST : 1);
    const char *what = grouped ? "group" : "row";
    double rows = (double)(grouped ? s->over[0].of.groups : simulation_done(s->simulation));
    size_t in_the_mean = 0;
    for (size_t i = 0; i < s->spec->shapes; i++)
        in_the_mean += s->results[result_index(s, at, i)].recall_mean >= target;
    if (needed > rows) {
        print_wrapped(
            "%s: %.0f %s%s cannot show it with 95 %% confidence, even if nothing is lost; "
            "%.10g or more can.",
            question, rows, what, rows == 1.0 ? "" : "s", needed);
        return;
    }
    print_wrapped("%s: none of these configurations reaches it on these %ss with 95 %% confidence.",
                  question, what);
    if (in_the_mean)
        print_wrapped("In the mean %zu of them reach%s it; more %ss may show it.", in_the_mean,
                      in_the_mean == 1 ? "es" : "", what);
}

/* "b = 128, k_b = 2, interleaved: 256 candidates"; its recall and the lower bound. */
struct shape_words {
    char shape[160], mean[32], lower[32];
};

static struct shape_words words_of(const struct simulation_answer *s, struct scenario at,
                                   size_t shape, const double *bounds)
{
    struct shape_words words;
    const size_t index = result_index(s, at, shape);
    const struct shape_model *model = &s->models[shape];
    snprintf(words.shape, sizeof words.shape,
             "b = %" PRIu64 ", k_b = %" PRIu64 ", %s: %" PRIu64 " candidates", model->p.b,
             model->p.k_b, assignment_name(model->p.assignment), model->candidates);
    format_styled(words.mean, sizeof words.mean, STYLE_RECALL, s->results[index].recall_mean);
    format_styled(words.lower, sizeof words.lower, STYLE_RECALL, bounds[index]);
    return words;
}

/* "Recall 0.9 at rho 0.5, shuffle row" */
static void format_question(char *text, size_t size, const struct simulation_answer *s,
                            struct scenario at)
{
    char target[32], rho[48] = "";
    const bool shuffles = s->spec->shuffles > 1;
    format_decimal(target, sizeof target, s->query->recall_target);
    if (shows_rho(s))
        snprintf(rho, sizeof rho, " at rho %.15g", s->spec->rho[at.rho]);
    snprintf(text, size, "Recall %s%s%s%s", target, rho, shuffles ? ", shuffle " : "",
             shuffles ? sim_shuffle_name(s->spec->shuffle[at.shuffle]) : "");
}

/* "WHO: take b = .., recall .., at least .. with 95 % confidence." */
static void print_taken(const struct simulation_answer *s, struct scenario at, const char *who,
                        size_t shape, const double *bounds)
{
    const struct shape_words words = words_of(s, at, shape, bounds);
    print_wrapped("%s: take %s, recall %s, at least %s with 95 %% confidence.", who, words.shape,
                  words.mean, words.lower);
}

/* The choice by Student's t, which fewer groups can make, and what the bounds cover. */
static void print_over_groups(const struct simulation_answer *s, struct scenario at,
                              const struct simulation_choice *choice)
{
    static const char who[] = "By Student's t, if the recalls of groups are normal";
    if (s->over[0].of.groups < SIM_GROUPS_FEWEST)
        return;
    if (choice->student_any)
        print_taken(s, at, who, choice->student_shape, s->student);
    else
        print_wrapped("%s: none reaches it.", who);
    if (!choice->any && !choice->student_any)
        return;
    const size_t shape = choice->any ? choice->shape : choice->student_shape;
    const struct over_groups *over = &s->over[result_index(s, at, shape)];
    const char *label = over->worst_label;
    char shown[TEXT_SHOWN], worst[32];
    format_styled(worst, sizeof worst, STYLE_RECALL, over->worst_group.recall_mean);
    print_wrapped("This covers the mean over the rows of new groups like these, not a single "
                  "group%s%s%s%s.",
                  label ? ": the worst one here, " : "", label ? text_shown(shown, label) : "",
                  label ? ", has " : "", label ? worst : "");
}

static void print_choice(const struct simulation_answer *s, struct scenario at)
{
    const struct simulation_choice choice = choose_shape(s, at);
    char question[120];
    format_question(question, sizeof question, s, at);
    putchar('\n');

    if (choice.any)
        print_taken(s, at, question, choice.shape, s->lower);
    else
        print_no_choice(s, at, question);
    if (s->student)
        print_over_groups(s, at, &choice);
    if (!choice.model_any) {
        puts("According to the model, none of them reaches it.");
    } else if (choice.any && choice.model_shape == choice.shape) {
        puts("The model chooses the same.");
    } else {
        const struct shape_words words = words_of(s, at, choice.model_shape, s->lower);
        const bool bound = !isnan(s->lower[result_index(s, at, choice.model_shape)]);
        print_wrapped("The model would choose %s; on these rows its recall is %s%s%s.", words.shape,
                      words.mean, bound ? ", at least " : "", bound ? words.lower : "");
    }
}

static void print_table(const struct table *table, bool colour)
{
    if (table_rows(table))
        table_print(table, stdout, colour);
    else
        puts("  none");
}

void print_simulation(const struct simulation_answer *s)
{
    const bool targets = s->settings->question.targets.length > 0;
    const bool sweep = targets && s->settings->question.b.length == 0;
    const enum which_results which = sweep ? FIRST_REACHING : EVERY_RESULT;
    const struct simulation_tables tables = simulation_tables(s, which);
    progress_end(s->progress);
    print_title(s);
    if (sweep)
        print_wrapped("%zu shapes were simulated, with b in steps of 9 %% (--csv prints all "
                      "of them, --b sets others). The first of each k_b that reaches the target%s:",
                      s->spec->shapes, s->spec->groups ? ", by one of the bounds below" : "");
    print_table(tables.results, colour_wanted());
    if (s->spec->ranks) {
        puts("\nSurvival by rank:");
        print_table(tables.ranks, false);
    }
    if (s->spec->groups) {
        puts("\nOver groups:");
        print_table(tables.groups, false);
    }
    simulation_tables_free(&tables);
    print_verdict(s);
    print_group_notes(s);
    print_rows_notes(s);
    for (size_t i = 0; i < scenario_count(s) && targets; i++)
        print_choice(s, scenario_at(s, i));
}
