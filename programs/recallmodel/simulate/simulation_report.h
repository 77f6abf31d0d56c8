/* simulation_report.h - the settings of simulate, and the report of its results beside the exact
 * model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_REPORT_H
#define SIMULATION_REPORT_H

#include <programs/common/progress.h>
#include <programs/common/table.h>
#include <sim/simulate.h>

#include <programs/recallmodel/question/input.h>
#include <programs/recallmodel/question/query.h>
#include <programs/recallmodel/question/rope_options.h>

struct simulate_settings {
    struct question question;
    struct input_option input;
    const char *file, *offsets, *groups, *checkpoint; /* NULL: none */
    enum sim_dtype file_dtype;
    struct rows_as as;
    uint64_t group_axes;                            /* GROUP_AXES_USUAL: not given */
    uint64_t row, seed, repetitions, threads, deal; /* 0: not given, but for the seed */
    struct decimal_list rho;
    double temperature; /* 0: none */
    struct rope_options rope;
    struct shuffles {
        enum sim_shuffle items[SIM_SHUFFLES];
        unsigned length;
    } shuffles;
    struct count_list ranks;
};

/* What the exact model says of a shape. */
struct shape_model {
    struct rcm_topk p;
    uint64_t candidates;
    double loss, recall, sd, exact_rows, worst_case;
    double wave_loss; /* for the input rope without a shuffle: rcm_loss_waves() */
};

/* One result over the groups of rows. */
struct over_groups {
    struct sim_over_groups of;    /* with Student's interval of 95 %; all have the same groups */
    struct sim_group worst_group; /* that with the least recall, the first of them */
    const char *worst_label;      /* NULL if no group lost anything */
};

/* A simulation that has run, and what was asked. Shape s of the spec is shape s % query->length of
 * the query, with assignment s / query->length of the options. */
struct simulation_answer {
    const struct simulate_settings *settings;
    const struct query *query;
    const struct sim_spec *spec;
    const struct simulation *simulation;
    struct progress *progress; /* shown until the report has computed what it prints */
    bool partial;

    /* Set by report_simulation(). */
    struct sim_result *results; /* in the order of result_index() */
    struct shape_model *models; /* of each shape of the spec */
    bool shows_value;           /* recall by value, which differs from recall where ties are lost */
    double *lower;   /* for each result the lower bound of its recall; NULL without --recall */
    double *student; /* the same by Student's t over groups; NULL without groups, too */
    struct over_groups *over; /* of each result; 0 groups where rows have none */
};

/* Prints what the simulation found, in the form that was asked for, and draws it for --plot.
 * Returns a status. */
int report_simulation(struct simulation_answer *s);

/* ---- the results, in the order of rho, then shuffle, then shape */

struct scenario {
    size_t rho, shuffle;
};

size_t scenario_count(const struct simulation_answer *s);
struct scenario scenario_at(const struct simulation_answer *s, size_t index);

size_t result_count(const struct simulation_answer *s);
size_t result_index(const struct simulation_answer *s, struct scenario at, size_t shape);

/* Does the column or the title name it? */
bool shows_rho(const struct simulation_answer *s);
bool shows_shuffle(const struct simulation_answer *s);

/* How far the measured recall is from the model, in standard errors of the model; NaN where the
 * model has none. */
double z_of(const struct sim_result *r, const struct shape_model *model);

/* ---- the choice for --recall */

#define ALPHA 0.05 /* of the lower bounds, for all shapes of a scenario at once */

/* A model and the lower bounds of all results; the caller frees the bounds. */
struct shape_model model_of_shape(const struct simulation_answer *s, size_t shape);
double *lower_bounds(const struct simulation_answer *s);
double *student_bounds(const struct simulation_answer *s); /* NULL without groups */

/* Of one scenario: the shape with the fewest candidates whose lower bound reaches the target, the
 * one whose bound by Student's t does, and the one that the model would choose. */
struct simulation_choice {
    bool any, student_any, model_any;
    size_t shape, student_shape, model_shape;
};
struct simulation_choice choose_shape(const struct simulation_answer *s, struct scenario at);

/* Does a lower bound of the measured recall reach the target? */
bool reaches_target(const struct simulation_answer *s, struct scenario at, size_t shape);

/* ---- over groups */

/* Over the groups of rows of a result. */
struct over_groups over_groups(const struct simulation_answer *s, size_t index);

/* The label of a group. The caller frees it. */
char *group_label(const struct simulation_answer *s, size_t group);

/* What makes a group: "labels of FILE", "the first axis of the array". */
void format_grouping(char *text, size_t size, const struct simulation_answer *s);

/* The table over groups, and what it covers. */
void print_group_notes(const struct simulation_answer *s);

/* ---- the parts of the report */

/* One row for each result; with FIRST_REACHING only for the first of each k_b that reaches the
 * target. */
enum which_results { EVERY_RESULT, FIRST_REACHING };
struct simulation_tables {
    struct table *results;
    struct table *groups; /* the same results over groups, for people */
    struct table *ranks;  /* a row for each rank of --ranks, for people and JSON */
};
extern const struct columns simulation_columns; /* of the results */
struct simulation_tables simulation_tables(const struct simulation_answer *s,
                                           enum which_results which);
void simulation_tables_free(const struct simulation_tables *tables);

void print_simulation(const struct simulation_answer *s);
int print_simulation_json(const struct simulation_answer *s);
int draw_simulation(const struct simulation_answer *s);

#endif
