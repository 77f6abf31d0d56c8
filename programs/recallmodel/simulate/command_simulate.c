/* command_simulate.c - bucketed top-k, run on random placements, generated rows or a person's own,
 * beside the exact model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/progress.h>
#include <sim/team.h>

#include <programs/recallmodel/command.h>
#include "simulation_input.h"

_Static_assert((int)RCM_INTERLEAVED == (int)SIM_INTERLEAVED &&
                   (int)RCM_CONTIGUOUS == (int)SIM_CONTIGUOUS &&
                   (int)RCM_CONTIGUOUS_FLOOR == (int)SIM_CONTIGUOUS_FLOOR,
               "the model and the simulation number the assignments alike");

#define REPETITIONS 100
#define GROUPS_IN_JSON 1000000      /* objects, which take some 700 bytes each */
#define REPETITIONS_CHOSEN_BY 10000 /* at most, of a choice; more where they are asked for */

/* ---- options */

static const char *shuffle_at(unsigned i)
{
    return i < SIM_SHUFFLES ? sim_shuffle_name((enum sim_shuffle)i) : NULL;
}

static int read_shuffles(void *to, const char *option, const char *value)
{
    struct shuffles *shuffles = to;
    unsigned found[SIM_SHUFFLES];
    const int status =
        read_names(option, value, shuffle_at, SIM_SHUFFLES, found, &shuffles->length);
    for (unsigned i = 0; i < shuffles->length; i++)
        shuffles->items[i] = (enum sim_shuffle)found[i];
    return status;
}

static const char *file_dtype_at(unsigned i)
{
    return i < SIM_DTYPES - SIM_F16 ? sim_dtype_name((enum sim_dtype)(SIM_F16 + i)) : NULL;
}

static int read_file_dtype(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, file_dtype_at, UNTIL_NULL, &i);
    *(enum sim_dtype *)to = (enum sim_dtype)(SIM_F16 + i);
    return status;
}

#define AT(member) offsetof(struct simulate_settings, member)

static const struct argument simulate_options[] = {
    {"--n", "N", BY(read_one_count), IN_QUESTION(n), "elements in a row"},
    {"--k", "K", BY(read_one_count), IN_QUESTION(k), "elements wanted"},
    {OPTION_KB},
    {"--b", "LIST", BY(read_sorted_counts), IN_QUESTION(b),
     "buckets (default: the fewest, k/kb; with --recall a selection)"},
    {"--input", "I", &kind_of_input, AT(input),
     "the kind of rows: placement (default: no rows, but random positions of the top-k), iid, ar1, "
     "lognormal, uniform, ties, sorted, constant or rope"},
    {"--rho", "LIST", BY(read_rho), AT(rho),
     "correlation of neighbours in ar1 (default 0.5), or a list such as 0:0.1:0.9"},
    {"--rope-theta", "T", BY(read_rope_theta), AT(rope.theta),
     "the base of RoPE in the input rope (default 10000)"},
    {"--head-dim", "D", BY(read_head_dim), AT(rope.head_dim),
     "elements of a head, two for each wavelength of RoPE (default 128)"},
    {"--rope-share", "S", BY(read_rope_share), AT(rope.share),
     "the share of the variance that is periodic in the input rope (default 0.15)"},
    {"--rope-spread", "S", BY(read_one_decimal), AT(rope.spread),
     "how unequal the wavelengths are: the standard deviation of the log of their variance "
     "(default 1.1)"},
    {"--rope-weights", "LIST", BY(read_decimals), AT(rope.weights),
     "relative variances of the first wavelengths, others 0; not with --rope-spread"},
    {"--shuffle", "LIST", KIND(read_shuffles, .names = shuffle_at), AT(shuffles),
     "permute elements: none (default), row (each row anew) or once (all rows alike)"},
    {"--file", "PATH", BY(read_text), AT(file),
     "take the rows from a .npy or .safetensors file (its last axis), or raw numbers"},
    {"--dtype", "T", KIND(read_file_dtype, .names = file_dtype_at), AT(file_dtype),
     "type of the values in a raw file; for a .npy file bf16, f8e4m3 or f8e5m2, which the format "
     "cannot say"},
    {"--row", "N", BY(read_count), AT(row), "elements in a row of a raw file"},
    OPTION_MASK_BELOW(AT(as.mask)),
    OPTION_WEIGHTS_ARE(AT(as.weights)),
    {"--groups", "FILE", BY(read_text), AT(groups),
     "a text file with a label for each row: rows with the same label are a group, and errors and "
     "bounds are over groups"},
    {"--group-axes", "N", BY(read_seed), AT(group_axes),
     "the N leading axes of --file give the group of a row (default: 1 if there are more than two "
     "axes, else 0: rows are independent)"},
    {OPTION_VALID},
    {OPTION_LENGTHS},
    {"--offsets", "FILE", KIND(read_text, .endings = "npy txt"), AT(offsets),
     "row i of --file is from the i-th to before the next of these places, in elements, whatever "
     "its shape: text or .npy, with the end of the last row"},
    {"--assignment", "LIST", &kind_of_assignments, IN_QUESTION(assignments),
     "how elements go to buckets: interleaved (default), contiguous, contiguous-floor"},
    {"--deal", "S", BY(read_count), AT(deal),
     "interleaved buckets get S neighbours at a time (default 1); S b must divide n"},
    {"--repetitions", "R", BY(read_count), AT(repetitions),
     "rows to simulate (default 100; with --recall up to 10000; with --file all)"},
    {"--seed", "S", BY(read_seed), AT(seed),
     "seed of the random numbers (default 1); a seed always gives the same result"},
    {"--recall", "R", BY(read_target), IN_QUESTION(targets),
     "the recall to reach; also print the shape to choose for these rows"},
    {"--ranks", "LIST", BY(read_sorted_counts), AT(ranks),
     "also print how often the elements of these ranks survive"},
    {"--temperature", "T", BY(read_temperature), AT(temperature),
     "also print the kept share of the softmax mass at temperature T (with --file always; default "
     "1)"},
    OPTIONS_RESTRICTION,
    {"--threads", "T", BY(read_threads), AT(threads),
     "threads (default: all); the result does not depend on them"},
    {"--checkpoint", "FILE", BY(read_text), AT(checkpoint),
     "save the state to FILE every 2 s; resume from FILE if it exists"},
    {OPTION_PLOT},
    OPTIONS_FORM,
};

static const struct argument_rule simulate_rules[] = {
    {.options = "--input", .excludes = "--file"},
    {.options = "--row --dtype --groups --group-axes --mask-below --weights-are",
     .needs = "--file"},
    {.options = "--groups", .excludes = "--group-axes"},
    {.options = "--offsets", .needs = "--file"},
    {.options = "--offsets --lengths",
     .excludes = "--valid --shuffle --ranks --deal",
     .why = "it is about rows of one length"},
    {.options = "--offsets", .excludes = "--lengths", .why = "they say how long each row is"},
    {.options = "--rope-spread",
     .excludes = "--rope-weights",
     .why = "--rope-spread draws the weights"},
    {0},
};

/* What cannot go together. */
static int check_options(const struct simulate_settings *settings)
{
    const uint64_t largest_rank =
        settings->ranks.length ? settings->ranks.items[settings->ranks.length - 1] : 0;
    bool has_rows =
        settings->file || (settings->input.given && settings->input.kind != SIM_PLACEMENT);
    if (!has_rows &&
        (settings->shuffles.length > 1 || settings->shuffles.items[0] != SIM_SHUFFLE_NONE))
        return usage_error("--shuffle permutes rows, and a placement has none; give --input iid or "
                           "another, or --file");
    if (!has_rows && settings->temperature > 0.0)
        return usage_error("--temperature weighs values, and a placement has none; give --input "
                           "iid or another, or --file");
    if (check_rho(&settings->rho, settings->input.kind, true) != STATUS_OK)
        return STATUS_USAGE;
    if (settings->question.k.length && largest_rank > settings->question.k.items[0])
        return usage_error("--ranks %" PRIu64 " is larger than k = %" PRIu64
                           "; give ranks from 1 to k",
                           largest_rank, settings->question.k.items[0]);
    if (rope_option_given(&settings->rope) && settings->input.kind != SIM_ROPE)
        return usage_error("%s describes the rows of the input rope; give --input rope",
                           rope_option_given(&settings->rope));
    return STATUS_OK;
}

/* The shapes of the query with each assignment. */
static struct sim_shape *shapes_of(const struct query *query,
                                   const struct simulate_settings *settings)
{
    struct sim_shape *shapes = require_memory(
        calloc(query->length * settings->question.assignments.length, sizeof *shapes));
    for (unsigned a = 0; a < settings->question.assignments.length; a++)
        for (size_t i = 0; i < query->length; i++)
            shapes[a * query->length + i] =
                (struct sim_shape){query->shapes[i].b, query->shapes[i].k_b,
                                   (enum sim_assignment)settings->question.assignments.items[a]};
    return shapes;
}

/* Takes out what has more buckets than can be simulated, unless nothing would be left. */
static void leave_out_large_b(struct query *query)
{
    size_t kept = 0, length = query->length;
    for (size_t i = 0; i < length; i++)
        kept += query->shapes[i].b <= SIM_B_MAX;
    if (kept == 0 || kept == length)
        return;
    query->length = 0;
    for (size_t i = 0; i < length; i++)
        if (query->shapes[i].b <= SIM_B_MAX)
            query->shapes[query->length++] = query->shapes[i];
    fprintf(stderr,
            "recallmodel: left out %zu of %zu shapes with more than 2^28 buckets, which cannot be "
            "simulated\n",
            length - kept, length);
}

static double *rhos_of(const struct simulate_settings *settings, size_t *count)
{
    *count = settings->rho.length ? settings->rho.length : 1;
    double *rhos = require_memory(calloc(*count, sizeof *rhos));
    rhos[0] = first_rho(&settings->rho, settings->input.kind);
    for (size_t i = 1; i < settings->rho.length; i++)
        rhos[i] = decimal_value(settings->rho.items[i]);
    return rhos;
}

/* Unless given: enough for the lower bounds of a choice to come near to the target, which takes
 * some rows for each loss. */
static uint64_t usual_repetitions(const struct simulate_settings *settings)
{
    double loss = settings->question.targets.length
                      ? 1.0 - decimal_value(settings->question.targets.items[0])
                      : 1.0;
    return (uint64_t)fmin(ceil(REPETITIONS / loss - 1e-6), REPETITIONS_CHOSEN_BY);
}

/* Runs the spec and reports; returns a status. */
static int run_spec(const struct sim_spec *spec, const struct simulate_settings *settings,
                    const struct query *query)
{
    char error[800] = "";
    const char *beyond = simulation_limit(spec);
    if (beyond)
        return usage_error("%s", beyond);
    if (spec->groups && settings->question.output == OUTPUT_JSON &&
        spec->groups->groups > GROUPS_IN_JSON / (spec->shapes * spec->shuffles))
        return usage_error("--json would list %zu groups for each of %zu results, which is more "
                           "than 10^6 in all; give --csv, or fewer shapes or groups",
                           spec->groups->groups, spec->shapes * spec->shuffles);
    if (spec->file)
        look_at_rows(spec->file, "--file", settings->file, &settings->as, spec->repetitions,
                     spec->valid, spec->length, spec->k, &(bool){team_rank() != 0}, MESSAGE(error));
    if (!*error)
        memory_fits(simulation_bytes(spec), "this simulation",
                    "give fewer --threads, a smaller --n or --k, or fewer shapes", MESSAGE(error));
    int status = team_status(MESSAGE(error), STATUS_USAGE);
    if (status != STATUS_OK)
        return status;
    struct progress progress;
    progress_start(&progress, spec->input == SIM_PLACEMENT ? "repetitions" : "rows");
    progress_watch(&progress);
    if (!spec->checkpoint)
        progress_holds_nothing();
    struct simulation *simulation = simulation_new(spec, MESSAGE(error));
    if (!simulation)
        progress_end(&progress);
    status = team_status(MESSAGE(error), STATUS_FAILED);
    if (status == STATUS_OK) {
        int failed = simulation_run(simulation, progress_tick, &progress, MESSAGE(error));
        struct simulation_answer answer = {.settings = settings,
                                           .query = query,
                                           .spec = spec,
                                           .simulation = simulation,
                                           .progress = &progress};
        answer.partial = simulation_done(simulation) < spec->repetitions;
        if (failed >= 0 && team_rank() == 0)
            status = report_simulation(&answer); /* removes the bar when all is computed */
        else
            progress_end(&progress);
        if (status == STATUS_OK && answer.partial)
            status = STATUS_INTERRUPTED;
        if (failed) {
            usage_error("%s", error);
            status = failed == SIM_REFUSED ? STATUS_USAGE : STATUS_FAILED;
        }
    }
    simulation_free(simulation);
    return status;
}

/* With lengths the longest, or k. */
static uint64_t valid_of(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    const struct rcm_lengths *l = p->lengths;
    const uint64_t valid = l ? l->length[l->count - 1] : p->valid ? p->valid : p->n;
    return valid > p->k ? valid : p->k;
}

static int simulate_query(const struct simulate_settings *settings,
                          const struct simulation_input *input)
{
    struct query_list queries;
    int status = queries_build(&queries, &settings->question,
                               settings->question.targets.length ? SHAPES_NEAR : SHAPES_FEWEST);
    if (status == STATUS_OK) {
        struct query *query = &queries.items[0];
        size_t rhos;
        leave_out_large_b(query);
        double *rho = rhos_of(settings, &rhos);
        struct sim_shape *shapes = shapes_of(query, settings);
        double weights[SIM_PAIRS_MAX];
        const struct sim_rope rope = rope_of_options(&settings->rope, weights);
        struct sim_spec spec = {
            .n = query->base.n,
            .k = query->base.k,
            .valid = valid_of(query),
            .length = settings->question.lengths.of_row,
            .lengths = settings->question.lengths.rows,
            .input = settings->input.kind,
            .file = input ? &input->file : NULL,
            .groups = input && input->grouped ? &input->groups : NULL,
            .rho = rho,
            .rhos = rhos,
            .shuffle = settings->shuffles.items,
            .shuffles = settings->shuffles.length,
            .shape = shapes,
            .shapes = query->length * settings->question.assignments.length,
            .rank = settings->ranks.items,
            .ranks = settings->ranks.length,
            .reaching = !query->base.lengths,
            .weights = input || settings->temperature > 0.0,
            .temperature = settings->temperature > 0.0 ? settings->temperature : 1.0,
            .probabilities = settings->as.weights == SIM_PROBABILITIES,
            .seed = settings->seed,
            .deal = settings->deal,
            .repetitions =
                settings->repetitions ? settings->repetitions : usual_repetitions(settings),
            .threads = (unsigned)settings->threads,
            .checkpoint = settings->checkpoint,
            .name = settings->file,
            .rope = &rope,
        };
        status = run_spec(&spec, settings, query);
        free(shapes);
        free(rho);
    }
    queries_free(&queries);
    return status;
}

/* Opens the file, if there is one, and simulates. */
static int simulate(const struct simulate_settings *settings)
{
    struct simulate_settings own = *settings; /* with what the file says */
    struct simulation_input input;
    if (!settings->file)
        return simulate_query(&own, NULL);
    int status = simulation_input_open(&input, &own);
    if (status == STATUS_OK)
        status = simulate_query(&own, &input);
    simulation_input_close(&input);
    return status;
}

static int run_simulate(int count, char **arguments)
{
    struct simulate_settings settings = {.question = QUESTION_DEFAULT,
                                         .seed = 1,
                                         .group_axes = GROUP_AXES_USUAL,
                                         .shuffles = {.length = 1}};
    int status =
        arguments_read_ruled(simulate_options, simulate_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = question_check(&settings.question);
    if (status == STATUS_OK)
        status = check_options(&settings);
    if (status == STATUS_OK)
        status = rope_options_check(&settings.rope);
    if (status == STATUS_OK)
        status = simulate(&settings);
    question_free(&settings.question);
    free(settings.rho.items);
    rope_options_free(&settings.rope);
    free(settings.ranks.items);
    return status;
}

const struct command command_simulate = {
    .name = "simulate",
    .group = "What do my rows, or correlated ones, lose?",
    .summary = "the measured recall of rows (random, correlated or your own) beside the model",
    .example = "recallmodel simulate --n 2048 --k 256 --kb 1,2 --input ar1 --rho 0:0.3:0.9 "
               "--assignment contiguous\n"
               "  recallmodel simulate --file logits.npy --k 2048 --kb 1..8 --recall 0.95",
    .detail = "  recall          the share of the top-k that survives, a mean over rows; equal "
              "values are ranked by index\n"
              "  sd of a row     the standard deviation of the recall of a row\n"
              "  stderr          the standard error of the mean, if rows are independent\n"
              "  5 % of rows <=  the recall that 5 % of the rows do not exceed\n"
              "  worst row       the recall of the worst row\n"
              "  exact rows      the share of rows that lost nothing\n"
              "  mass kept       the share of the softmax mass of the top-k that survives\n"
              "  rank R reached  the rank in its row of the k-th largest candidate: so many "
              "elements are at least as large\n"
              "  model recall    the recall of the exact model, if the top-k lie anywhere with "
              "equal probability\n"
              "  z               the measured less the model recall, in standard errors of the "
              "model for independent rows\n"
              "\n"
              "Over groups, stderr takes the groups as independent, while rows of one group may be "
              "alike; 95 % from .. to is Student's interval of the mean, which holds if the "
              "recalls of groups are near normal.\n"
              "\n"
              "NaN and -inf, such as those of masks, never count as lost; of masks that are finite "
              "say so "
              "with --mask-below. Ctrl-C prints what has "
              "been measured and exits with status 130.",
    .columns = &simulation_columns,
    .options = simulate_options,
    .run = run_simulate,
};
