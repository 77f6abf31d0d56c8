/* simulation_report.c - see simulation_report.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulation_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "memory.h"
#include "table.h"

#define ALPHA 0.05 /* of the lower bounds, for all shapes of a rho and shuffle at once */

/* With fewer elements lost in all, z is far from normal, and says nothing of the rows. */
#define FEW_LOST 25.0

/* What the exact model says of a shape. */
struct modelled {
    struct rcm_topk p;
    double loss, sd;
};

static struct modelled model_of(const struct simulated *s, size_t shape)
{
    struct modelled model = {.p = s->query->shapes[shape % s->query->length]};
    model.p.assignment = s->options->assignments[shape / s->query->length];
    model.loss = rcm_loss_exact(model.p);
    model.sd = rcm_recall_sd(model.p);
    return model;
}

static double z_of(const struct sim_result *r, const struct modelled *model)
{
    return model->sd > 0.0
               ? (r->recall_mean - (1.0 - model->loss)) / (model->sd / sqrt((double)r->rows))
               : NAN;
}

struct scenario {
    size_t rho, shuffle;
};

static size_t result_index(const struct simulated *s, struct scenario at, size_t shape)
{
    return (at.rho * s->spec->shuffles + at.shuffle) * s->spec->shapes + shape;
}

/* The lower bounds of all results. The caller frees them. */
static double *lower_bounds(const struct simulated *s)
{
    double *lower =
        checked(calloc(s->spec->rhos * s->spec->shuffles * s->spec->shapes, sizeof *lower));
    for (size_t rho = 0; rho < s->spec->rhos; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++)
            for (size_t i = 0; i < s->spec->shapes; i++) {
                struct sim_result r = simulation_result(s->simulation, rho, shuffle, i);
                lower[result_index(s, (struct scenario){rho, shuffle}, i)] =
                    sim_recall_lower(&r.lost, s->spec->k, ALPHA, s->spec->shapes);
            }
    return lower;
}

/* ---- choosing */

/* Of one rho and shuffle: the shape with the fewest candidates whose lower bound reaches the
 * target, and the model's choice. */
struct choice {
    bool any, model_any;
    size_t shape, model_shape;
};

/* Does the measured lower bound reach the target? */
static bool reaches(const struct simulated *s, struct scenario at, size_t shape)
{
    return s->lower[result_index(s, at, shape)] >=
           decimal_value(s->query->recall_target); /* no with NaN */
}

static struct choice choose(const struct simulated *s, const struct modelled *models,
                            struct scenario at)
{
    struct choice choice = {0};
    for (size_t i = 0; i < s->spec->shapes; i++) {
        uint64_t candidates = rcm_candidates(models[i].p);
        if (reaches(s, at, i) &&
            (!choice.any || candidates < rcm_candidates(models[choice.shape].p))) {
            choice.any = true;
            choice.shape = i;
        }
        if (rcm_reaches(models[i].p, s->query->target) &&
            (!choice.model_any || candidates < rcm_candidates(models[choice.model_shape].p))) {
            choice.model_any = true;
            choice.model_shape = i;
        }
    }
    return choice;
}

/* ---- the table of results */

static bool shows_rho(const struct simulated *s)
{
    return s->spec->input == SIM_AR1;
}

static bool shows_shuffle(const struct simulated *s)
{
    return s->spec->shuffles > 1 || s->spec->shuffle[0] != SIM_SHUFFLE_NONE;
}

static void put_scenario(struct table *table, const struct simulated *s, struct scenario at)
{
    struct column rho = column("rho", STYLE_PLAIN), shuffle = column("shuffle", STYLE_PLAIN);
    if (!shows_rho(s))
        rho.heading = NULL;
    if (!shows_shuffle(s))
        shuffle.heading = NULL;
    if (shows_rho(s))
        table_real(table, rho, s->spec->rho[at.rho]);
    else
        table_null(table, rho);
    table_text(table, shuffle, sim_shuffle_name(s->spec->shuffle[at.shuffle]));
}

static void put_shape(struct table *table, const struct modelled *model)
{
    table_text(table, column("assignment", STYLE_PLAIN), assignment_name(model->p.assignment));
    table_count(table, column("b", STYLE_PLAIN), model->p.b);
    table_count(table, column("k_b", STYLE_PLAIN), model->p.k_b);
}

static void put_result(struct table *table, const struct simulated *s, const struct sim_result *r,
                       const struct modelled *model)
{
    bool weights = s->spec->weights;
    table_count(table, (struct column){"candidates", "candidates", "candi-\ndates", STYLE_PLAIN, 2},
                rcm_candidates(model->p));
    table_real(table, (struct column){"recall_mean", "recall_mean", "recall", STYLE_RECALL, 0},
               r->recall_mean);
    table_real(table, (struct column){"recall_sd", "recall_sd", "sd of\na row", STYLE_LOSS, 7},
               r->recall_sd);
    table_real(table, (struct column){"recall_stderr", "recall_stderr", "stderr", STYLE_LOSS, 3},
               r->recall_stderr);
    table_real(table, (struct column){"recall_p50", "recall_p50", NULL, STYLE_RECALL, 0},
               r->recall_p50);
    table_real(table,
               (struct column){"recall_p05", "recall_p05", "5 % of\nrows <=", STYLE_RECALL, 6},
               r->recall_p05);
    table_real(table, (struct column){"recall_p01", "recall_p01", NULL, STYLE_RECALL, 0},
               r->recall_p01);
    table_real(table,
               (struct column){"recall_worst", "recall_worst", "worst\nrow", STYLE_RECALL, 0},
               r->recall_worst);
    table_real(table,
               (struct column){"recall_value_mean", "recall_value_mean",
                               s->shows_value ? "by\nvalue" : NULL, STYLE_RECALL, 0},
               r->recall_value_mean);
    table_real(table, (struct column){"exact_rows", "exact_rows", "exact\nrows", STYLE_PLAIN, 4},
               r->exact_rows);
    table_real(table, (struct column){"certified_rows", "certified_rows", NULL, STYLE_PLAIN, 0},
               r->certified_rows);
    table_real(
        table,
        (struct column){"mass_mean", "mass_mean", weights ? "mass\nkept" : NULL, STYLE_RECALL, 0},
        r->mass_mean);
    table_real(table,
               (struct column){"mass_worst", "mass_worst", weights ? "worst\nmass" : NULL,
                               STYLE_RECALL, 5},
               r->mass_worst);
    table_real(table, (struct column){"value_mean", "value_mean", NULL, STYLE_RECALL, 0},
               r->value_mean);
    table_real(table, (struct column){"value_worst", "value_worst", NULL, STYLE_RECALL, 0},
               r->value_worst);
    if (weights)
        table_count(table, (struct column){"value_rows", "value_rows", NULL, STYLE_PLAIN, 0},
                    r->value_rows);
    else
        table_null(table, (struct column){"value_rows", "value_rows", NULL, STYLE_PLAIN, 0});
    table_real(table,
               (struct column){"reaching_mean", "reaching_mean", "rank R\nreached", STYLE_COST, 8},
               r->reaching_mean);
    table_real(table, (struct column){"reaching_sd", "reaching_sd", NULL, STYLE_COST, 0},
               r->reaching_sd);
    table_real(table, (struct column){"reaching_worst", "reaching_worst", NULL, STYLE_COST, 0},
               r->reaching_worst);
    table_real(table,
               (struct column){"model_recall", "model_recall", "model\nrecall", STYLE_RECALL, 0},
               1.0 - model->loss);
    table_real(table, (struct column){"model_sd", "model_sd", NULL, STYLE_LOSS, 0}, model->sd);
    table_real(table, (struct column){"model_exact_rows", "model_exact_rows", NULL, STYLE_PLAIN, 0},
               rcm_probability_exact(model->p));
    table_real(table,
               (struct column){"model_worst_case", "model_worst_case", NULL, STYLE_RECALL, 0},
               rcm_recall_worst_case(model->p));
    table_real(table, (struct column){"z", "z", "z", STYLE_Z, 0}, z_of(r, model));
}

/* Survival of the ranks asked for: columns of the CSV. */
static void put_survival(struct table *table, const struct simulated *s, const struct sim_result *r,
                         const struct modelled *model)
{
    char measured[64], modelled[64];
    for (size_t i = 0; i < s->spec->ranks; i++) {
        snprintf(measured, sizeof measured, "survival_%" PRIu64, s->spec->rank[i]);
        snprintf(modelled, sizeof modelled, "model_survival_%" PRIu64, s->spec->rank[i]);
        table_real(table, (struct column){.csv = measured},
                   (double)r->survived[i] / (double)r->rows);
        table_real(table, (struct column){.csv = modelled},
                   rcm_survival(model->p, s->spec->rank[i]));
    }
}

/* Calls visit() for each rho, shuffle and shape, in this order. */
typedef void visitor(struct table *table, const struct simulated *s, struct scenario at,
                     const struct sim_result *r, const struct modelled *model, bool chosen);

enum which { EVERY_SHAPE, FIRST_REACHING };

static struct table *each_result(const struct simulated *s, const struct modelled *models,
                                 visitor *visit, enum which which)
{
    struct table *table = table_new();
    for (size_t rho = 0; rho < s->spec->rhos; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++) {
            const struct scenario at = {rho, shuffle};
            struct choice choice = {0};
            uint64_t k_b = 0; /* of which a shape has been shown */
            if (s->options->targets.length)
                choice = choose(s, models, at);
            for (size_t i = 0; i < s->spec->shapes; i++) { /* for an assignment and k_b, b rises */
                struct sim_result r = simulation_result(s->simulation, rho, shuffle, i);
                if (i % s->query->length == 0)
                    k_b = 0;
                if (which == FIRST_REACHING && (models[i].p.k_b == k_b || !reaches(s, at, i)))
                    continue;
                k_b = models[i].p.k_b;
                visit(table, s, at, &r, &models[i], choice.any && choice.shape == i);
            }
        }
    return table;
}

static void put_run(struct table *table, const struct simulated *s)
{
    table_text(table, (struct column){.csv = "version"}, rcm_version());
    table_count(table, (struct column){.csv = "n"}, s->spec->n);
    table_count(table, (struct column){.csv = "k"}, s->spec->k);
    table_count(table, (struct column){.csv = "valid"}, s->spec->valid);
    table_text(table, (struct column){.csv = "input"}, sim_input_name(s->spec->input));
    table_count(table, (struct column){.csv = "seed"}, s->spec->seed);
    table_count(table, (struct column){.csv = "repetitions"}, simulation_done(s->simulation));
    table_bool(table, (struct column){.csv = "partial"}, s->partial);
}

static void put_row(struct table *table, const struct simulated *s, struct scenario at,
                    const struct sim_result *r, const struct modelled *model, bool chosen)
{
    table_row(table, chosen);
    put_run(table, s);
    put_scenario(table, s, at);
    put_shape(table, model);
    put_result(table, s, r, model);
    put_survival(table, s, r, model);
}

/* One row for each rank that is followed. */
static void put_ranks(struct table *table, const struct simulated *s, struct scenario at,
                      const struct sim_result *r, const struct modelled *model, bool chosen)
{
    (void)chosen;
    for (size_t i = 0; i < s->spec->ranks; i++) {
        double survival = rcm_survival(model->p, s->spec->rank[i]),
               measured = (double)r->survived[i] / (double)r->rows;
        double sd = sqrt(survival * (1.0 - survival) / (double)r->rows);
        table_row(table, false);
        put_scenario(table, s, at);
        put_shape(table, model);
        table_count(table, column("rank", STYLE_PLAIN), s->spec->rank[i]);
        table_real(table, column("survival", STYLE_RECALL), measured);
        table_real(
            table,
            (struct column){"model_survival", "model_survival", "model\nsurvival", STYLE_RECALL, 0},
            survival);
        table_real(table, (struct column){"z", "z", "z", STYLE_Z, 0},
                   sd > 0.0 ? (measured - survival) / sd : NAN);
    }
}

/* ---- text */

/* A file's name, with control characters as '?'. */
static void print_name(const char *name)
{
    fputs("; rows of ", stdout);
    for (; *name; name++)
        putchar((unsigned char)*name < ' ' || *name == 127 ? '?' : *name);
}

static void print_title(const struct simulated *s)
{
    const struct sim_spec *spec = s->spec;
    uint64_t done = simulation_done(s->simulation);
    printf("n = %" PRIu64 ", k = %" PRIu64, spec->n, spec->k);
    if (spec->valid < spec->n)
        printf(", valid = %" PRIu64, spec->valid);
    if (spec->input == SIM_FILE)
        print_name(spec->name);
    else
        printf("; input %s", sim_input_name(spec->input));
    printf(", %" PRIu64 " repetition%s", done, done == 1 ? "" : "s");
    if (s->partial)
        printf(" of %" PRIu64 ": PARTIAL, stopped", spec->repetitions);
    if (spec->weights)
        printf(", temperature %.15g", spec->temperature);
    printf(", seed %" PRIu64 ", recallmodel %s\n", spec->seed, rcm_version());
}

/* Do the rows behave as the model assumes? */
static void print_verdict(const struct simulated *s, const struct modelled *models)
{
    size_t known = 0, far = 0, all = s->spec->rhos * s->spec->shuffles * s->spec->shapes;
    double largest = 0.0;
    for (size_t rho = 0; rho < s->spec->rhos; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++)
            for (size_t i = 0; i < s->spec->shapes; i++) {
                struct sim_result r = simulation_result(s->simulation, rho, shuffle, i);
                double z = z_of(&r, &models[i]), elements = (double)r.rows * (double)s->spec->k;
                if (isnan(z) || fmax(1.0 - r.recall_mean, models[i].loss) * elements < FEW_LOST)
                    continue;
                known++;
                far += fabs(z) > 4.0;
                largest = fmax(largest, fabs(z));
            }
    puts("\nmodel recall: if the top-k lie anywhere; z: how far the recall is from it, in standard "
         "errors of the model.");
    if (known < all)
        printf("Too few elements are lost in %zu of %zu configurations for z to mean something. Of "
               "the others:\n",
               all - known, all);
    if (far)
        printf("In %zu of %zu configurations |z| > 4: these rows do not behave as the model "
               "assumes.\n",
               far, known);
    else if (known)
        printf("All |z| <= %.1f: these rows behave as the model assumes, as far as so many can "
               "tell.\n",
               ceil(largest * 10.0) / 10.0);
    else
        puts("none.");
}

static void print_rows_notes(const struct simulated *s)
{
    for (size_t rho = 0; rho < s->spec->rhos; rho++) {
        struct sim_rows rows = simulation_rows(s->simulation, rho);
        if (s->spec->rhos > 1 && (rows.with_nan || rows.short_rows || s->spec->weights))
            printf("rho %.15g: ", s->spec->rho[rho]);
        if (rows.with_nan)
            printf("%" PRIu64 " of %" PRIu64 " rows with NaN, which never count as lost.\n",
                   rows.with_nan, rows.rows);
        if (rows.short_rows)
            printf(
                "%" PRIu64 " of %" PRIu64
                " rows with fewer than k values above -inf; what they lack never counts as lost.\n",
                rows.short_rows, rows.rows);
        if (s->spec->weights && !isnan(rows.topk_mass_mean))
            printf("The exact top-k has %.6f of a row's softmax mass; `mass kept` is what stage 1 "
                   "keeps of that.\n",
                   rows.topk_mass_mean);
    }
}

/* The fewest rows that carry a recall of `target` for some shape if they lose nothing. */
static double rows_needed(const struct simulated *s, const struct modelled *models, double target)
{
    double needed = INFINITY, tail = ALPHA / (double)s->spec->shapes;
    for (size_t i = 0; i < s->spec->shapes; i++)
        needed = fmin(
            needed, sim_rows_needed(1.0 - rcm_recall_worst_case(models[i].p), 1.0 - target, tail));
    return needed;
}

/* Nothing was chosen: is it for want of rows? */
static void print_no_choice(const struct simulated *s, const struct modelled *models,
                            struct scenario at)
{
    double target = decimal_value(s->query->recall_target), needed = rows_needed(s, models, target);
    double rows = (double)simulation_done(s->simulation);
    size_t in_the_mean = 0;
    for (size_t i = 0; i < s->spec->shapes; i++)
        in_the_mean +=
            simulation_result(s->simulation, at.rho, at.shuffle, i).recall_mean >= target;
    if (needed > rows) {
        printf(": %.0f row%s cannot show it with 95 %% confidence, even if nothing is lost; "
               "%.10g or more can.\n",
               rows, rows == 1.0 ? "" : "s", needed);
        return;
    }
    puts(": none of these configurations reaches it on these rows with 95 % confidence.");
    if (in_the_mean)
        printf("In the mean %zu of them reach%s it: more rows may show it.\n", in_the_mean,
               in_the_mean == 1 ? "es" : "");
}

static void print_choice(const struct simulated *s, const struct modelled *models,
                         struct scenario at)
{
    struct choice choice = choose(s, models, at);
    char target[32], mean[32], lower[32];
    format_decimal(target, sizeof target, s->query->recall_target);
    printf("\nRecall %s", target);
    if (shows_rho(s))
        printf(" at rho %.15g", s->spec->rho[at.rho]);
    if (s->spec->shuffles > 1)
        printf(", shuffle %s", sim_shuffle_name(s->spec->shuffle[at.shuffle]));
    if (!choice.any) {
        print_no_choice(s, models, at);
    } else {
        struct sim_result r = simulation_result(s->simulation, at.rho, at.shuffle, choice.shape);
        const struct rcm_topk *p = &models[choice.shape].p;
        format_styled(mean, sizeof mean, STYLE_RECALL, r.recall_mean);
        format_styled(lower, sizeof lower, STYLE_RECALL,
                      s->lower[result_index(s, at, choice.shape)]);
        printf(": take b = %" PRIu64 ", k_b = %" PRIu64 ", %s: %" PRIu64
               " candidates, %s, at least %s with 95 %% confidence.\n",
               p->b, p->k_b, assignment_name(p->assignment), rcm_candidates(*p), mean, lower);
    }
    if (!choice.model_any) {
        puts("By the model none of them reaches it.");
    } else if (choice.any && choice.model_shape == choice.shape) {
        puts("The model says the same.");
    } else {
        struct sim_result r =
            simulation_result(s->simulation, at.rho, at.shuffle, choice.model_shape);
        const struct rcm_topk *p = &models[choice.model_shape].p;
        format_styled(mean, sizeof mean, STYLE_RECALL, r.recall_mean);
        format_styled(lower, sizeof lower, STYLE_RECALL,
                      s->lower[result_index(s, at, choice.model_shape)]);
        printf("The model would have said b = %" PRIu64 ", k_b = %" PRIu64 ", %s: %" PRIu64
               " candidates; on these rows %s, at least %s.\n",
               p->b, p->k_b, assignment_name(p->assignment), rcm_candidates(*p), mean, lower);
    }
}

static void print_table(struct table *table, bool colour)
{
    if (table_rows(table))
        table_print(table, stdout, colour);
    else
        puts("  none");
    table_free(table);
}

static void print_text(const struct simulated *s, const struct modelled *models)
{
    bool sweep = s->options->targets.length && s->options->b.length == 0;
    struct table *results = each_result(s, models, put_row, sweep ? FIRST_REACHING : EVERY_SHAPE),
                 *ranks = NULL;
    if (s->spec->ranks)
        ranks = each_result(s, models, put_ranks, sweep ? FIRST_REACHING : EVERY_SHAPE);
    progress_end(s->progress);
    print_title(s);
    if (sweep)
        printf("%zu shapes were simulated, b in steps of 9 %% (--csv prints all, --b refines); of "
               "each k_b, the first that reaches the target:\n",
               s->spec->shapes);
    print_table(results, colour_wanted());
    if (ranks) {
        puts("\nSurvival by rank:");
        print_table(ranks, false);
    }
    print_verdict(s, models);
    print_rows_notes(s);
    for (size_t rho = 0; rho < s->spec->rhos && s->options->targets.length; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++)
            print_choice(s, models, (struct scenario){rho, shuffle});
}

/* ---- JSON */

static json_t *real_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *survival_json(const struct simulated *s, size_t result,
                             const struct modelled *models)
{
    size_t shape = result % s->spec->shapes, scenario = result / s->spec->shapes;
    struct sim_result r = simulation_result(s->simulation, scenario / s->spec->shuffles,
                                            scenario % s->spec->shuffles, shape);
    json_t *ranks = checked(json_array());
    for (size_t i = 0; i < s->spec->ranks; i++)
        json_array_append_new(
            ranks, json_pack("{s:I, s:f, s:f}", "rank", (json_int_t)s->spec->rank[i], "survival",
                             (double)r.survived[i] / (double)r.rows, "model_survival",
                             rcm_survival(models[shape].p, s->spec->rank[i])));
    return ranks;
}

/* A file's name; what is not UTF-8 in it cannot be said in JSON, and becomes '?'. */
static json_t *name_json(const char *name)
{
    json_t *json = name ? json_string(name) : json_null();
    if (json)
        return json;
    char *plain = copied(name);
    for (char *at = plain; *at; at++)
        if ((unsigned char)*at >= 128)
            *at = '?';
    json = checked(json_string(plain));
    free(plain);
    return json;
}

static json_t *rows_json(const struct simulated *s)
{
    json_t *array = checked(json_array());
    for (size_t rho = 0; rho < s->spec->rhos; rho++) {
        struct sim_rows rows = simulation_rows(s->simulation, rho);
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:I, s:I, s:o}", "rho",
                             shows_rho(s) ? json_real(s->spec->rho[rho]) : json_null(), "rows",
                             (json_int_t)rows.rows, "rows_with_nan", (json_int_t)rows.with_nan,
                             "short_rows", (json_int_t)rows.short_rows, "topk_mass_mean",
                             real_json(s->spec->weights ? rows.topk_mass_mean : NAN)));
    }
    return array;
}

static json_t *shape_json(const struct simulated *s, const struct modelled *models,
                          struct scenario at, bool any, size_t shape)
{
    if (!any)
        return json_null();
    struct sim_result r = simulation_result(s->simulation, at.rho, at.shuffle, shape);
    const struct rcm_topk *p = &models[shape].p;
    return checked(json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "assignment",
                             assignment_name(p->assignment), "b", (json_int_t)p->b, "k_b",
                             (json_int_t)p->k_b, "candidates", (json_int_t)rcm_candidates(*p),
                             "recall_mean", real_json(r.recall_mean), "recall_lower",
                             real_json(s->lower[result_index(s, at, shape)])));
}

static json_t *choices_json(const struct simulated *s, const struct modelled *models)
{
    json_t *array = checked(json_array());
    for (size_t rho = 0; rho < s->spec->rhos; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++) {
            struct scenario at = {rho, shuffle};
            struct choice choice = choose(s, models, at);
            bool same = choice.any && choice.model_any && choice.shape == choice.model_shape;
            json_array_append_new(
                array,
                json_pack("{s:o, s:s, s:f, s:o, s:o, s:b}", "rho",
                          shows_rho(s) ? json_real(s->spec->rho[rho]) : json_null(), "shuffle",
                          sim_shuffle_name(s->spec->shuffle[shuffle]), "recall_target",
                          decimal_value(s->query->recall_target), "measured",
                          shape_json(s, models, at, choice.any, choice.shape), "model",
                          shape_json(s, models, at, choice.model_any, choice.model_shape), "same",
                          same));
        }
    return array;
}

static int print_as_json(const struct simulated *s, const struct modelled *models)
{
    struct table *table = each_result(s, models, put_row, EVERY_SHAPE);
    json_t *results = table_json(table), *object = checked(json_object());
    for (size_t i = 0; i < table_rows(table) && s->spec->ranks; i++)
        json_object_set_new(json_array_get(results, i), "survival", survival_json(s, i, models));
    json_object_set_new(object, "version", json_string(rcm_version()));
    json_object_set_new(object, "n", json_integer((json_int_t)s->spec->n));
    json_object_set_new(object, "k", json_integer((json_int_t)s->spec->k));
    json_object_set_new(object, "valid", json_integer((json_int_t)s->spec->valid));
    json_object_set_new(object, "input", json_string(sim_input_name(s->spec->input)));
    json_object_set_new(object, "file", name_json(s->spec->name));
    json_object_set_new(object, "seed", json_integer((json_int_t)s->spec->seed));
    json_object_set_new(object, "repetitions",
                        json_integer((json_int_t)simulation_done(s->simulation)));
    json_object_set_new(object, "repetitions_wanted",
                        json_integer((json_int_t)s->spec->repetitions));
    json_object_set_new(object, "partial", json_boolean(s->partial));
    json_object_set_new(object, "temperature",
                        real_json(s->spec->weights ? s->spec->temperature : NAN));
    json_object_set_new(object, "rows", rows_json(s));
    json_object_set_new(object, "results", results);
    if (s->options->targets.length)
        json_object_set_new(object, "choices", choices_json(s, models));
    table_free(table);
    progress_end(s->progress);
    return print_json(object);
}

/* Do recall by rank and by value differ anywhere? */
static bool differs_by_value(const struct simulated *s)
{
    for (size_t rho = 0; rho < s->spec->rhos; rho++)
        for (size_t shuffle = 0; shuffle < s->spec->shuffles; shuffle++)
            for (size_t i = 0; i < s->spec->shapes; i++) {
                struct sim_result r = simulation_result(s->simulation, rho, shuffle, i);
                if (r.recall_mean != r.recall_value_mean)
                    return true;
            }
    return false;
}

/* Error over candidates (or, of several rho, over rho), a line for each kb, assignment and shuffle,
 * bars of two standard errors; the model's as lines. */
static int draw(const struct simulated *s, const struct modelled *models)
{
    const bool over_rho = s->spec->rhos > 1;
    char title[200];
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64 ", %s, %" PRIu64 " rows",
             s->spec->n, s->spec->k, sim_input_name(s->spec->input),
             simulation_done(s->simulation));
    size_t colour = 0;
    struct plot *plot = plot_new(
        title, over_rho ? "correlation of neighbours, rho" : "candidates, b kb", !over_rho);
    for (unsigned a = 0; a < s->options->assignment_count; a++)
        for (size_t shuffle = 0; shuffle < s->options->shuffle_count; shuffle++)
            for (size_t first = 0, end; first < s->query->length; first = end) {
                const uint64_t k_b = s->query->shapes[first].k_b;
                for (end = first; end < s->query->length && s->query->shapes[end].k_b == k_b; end++)
                    ;
                snprintf(
                    title, sizeof title, "kb = %" PRIu64 "%s%s%s%s", k_b,
                    s->options->assignment_count > 1 ? ", " : "",
                    s->options->assignment_count > 1 ? assignment_name(s->options->assignments[a])
                                                     : "",
                    s->options->shuffle_count > 1 ? ", shuffle " : "",
                    s->options->shuffle_count > 1 ? sim_shuffle_name(s->options->shuffles[shuffle])
                                                  : "");
                plot_series(plot, title, over_rho, true, colour++);
                for (size_t i = first; i < end; i++)
                    for (size_t rho = 0; rho < s->spec->rhos; rho++) {
                        const struct sim_result r = simulation_result(s->simulation, rho, shuffle,
                                                                      a * s->query->length + i);
                        plot_point(plot,
                                   over_rho ? s->spec->rho[rho]
                                            : (double)rcm_candidates(s->query->shapes[i]),
                                   1.0 - r.recall_mean, 2.0 * r.recall_stderr);
                    }
                if (a > 0 || shuffle > 0 || over_rho)
                    continue;
                snprintf(title, sizeof title, "kb = %" PRIu64 ", exact model", k_b);
                plot_series(plot, title, true, false, colour - 1);
                for (size_t i = first; i < end; i++)
                    plot_point(plot, (double)rcm_candidates(s->query->shapes[i]), models[i].loss,
                               0.0);
            }
    const int status = plot_draw(plot, s->options);
    plot_free(plot);
    return status;
}

int report_simulation(struct simulated *s)
{
    int status = STATUS_OK;
    s->shows_value = differs_by_value(s);
    struct modelled *models = checked(calloc(s->spec->shapes, sizeof *models));
    for (size_t i = 0; i < s->spec->shapes; i++)
        models[i] = model_of(s, i);
    s->lower = s->options->targets.length ? lower_bounds(s) : NULL;
    if (s->options->output == OUTPUT_TABLE) {
        print_text(s, models);
    } else if (s->options->output == OUTPUT_CSV) {
        struct table *table = each_result(s, models, put_row, EVERY_SHAPE);
        progress_end(s->progress);
        table_print_csv(table, stdout, true);
        table_free(table);
    } else {
        status = print_as_json(s, models);
    }
    if (status == STATUS_OK && s->options->plot)
        status = draw(s, models);
    free(models);
    free(s->lower);
    return status;
}
