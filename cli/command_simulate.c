/* command_simulate.c - bucketed top-k, run on random placements, generated rows or a person's own,
 * beside the exact model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "memory.h"
#include "progress.h"
#include "query.h"
#include "sim/team.h"
#include "simulation_report.h"

_Static_assert((int)RCM_INTERLEAVED == (int)SIM_INTERLEAVED &&
                   (int)RCM_CONTIGUOUS == (int)SIM_CONTIGUOUS &&
                   (int)RCM_CONTIGUOUS_FLOOR == (int)SIM_CONTIGUOUS_FLOOR,
               "the model and the simulation number the assignments alike");

#define REPETITIONS 100
#define REPETITIONS_CHOSEN_BY 10000 /* at most, of a choice; more where they are asked for */

/* Prints the first error of the team, if there is one: then returns `status`. All ranks call it. */
static int team_status(char *error, size_t size, int status)
{
    team_share_error(error, size);
    if (*error == '\0')
        return STATUS_OK;
    usage_error("%s", error);
    return status;
}

/* The same for files of the same kind, and hardly ever for others: what ranks must agree on. */
static uint64_t identity_of(const struct row_file *file)
{
    const uint64_t parts[] = {file->size, file->offset, file->rows, file->row,
                              (uint64_t)file->dtype};
    uint64_t identity = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        identity = (identity ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (identity >> 29);
    return identity;
}

/* Opens --file and takes n from it. */
static int open_file(struct row_file *file, struct options *own, uint64_t *n)
{
    char error[700] = "", reason[500];
    int failed = row_file_open(file, own->file, own->file_dtype, own->row, reason, sizeof reason);
    uint64_t identity = failed ? 0 : identity_of(file), largest = team_max(identity),
             least = ~team_max(~identity);
    if (failed)
        snprintf(error, sizeof error, "--file %.150s %s", own->file, reason);
    else if (least != 0 &&
             (largest != identity || least != identity)) /* 0: elsewhere it could not be opened */
        snprintf(error, sizeof error,
                 "--file %.150s is not the same on all ranks; copy one to all, or share it",
                 own->file);
    else if (own->n.length && own->n.items[0] != file->row)
        snprintf(error, sizeof error,
                 "--n %" PRIu64 " is not the length of a row of --file, %" PRIu64 "; leave --n out",
                 own->n.items[0], file->row);
    else if (own->repetitions > file->rows)
        snprintf(error, sizeof error,
                 "--repetitions %" PRIu64 " is more than the %" PRIu64
                 " rows of --file; give at most that",
                 own->repetitions, file->rows);
    *n = file->row;
    own->n = (struct count_list){1, n};
    own->repetitions = own->repetitions ? own->repetitions : file->rows;
    own->input = SIM_FILE;
    return team_status(error, sizeof error, STATUS_USAGE);
}

/* What cannot go together. */
static int check_options(const struct options *o)
{
    const uint64_t largest_rank = o->ranks.length ? o->ranks.items[o->ranks.length - 1] : 0;
    bool has_rows = o->file || (o->has_input && o->input != SIM_PLACEMENT);
    if (o->n.length > 1 || o->k.length > 1)
        return usage_error("--n and --k take one value each here");
    if (o->file && o->has_input)
        return usage_error("--input and --file exclude each other; leave --input out");
    if (!o->file && (o->row || o->file_dtype))
        return usage_error("%s describes a file; give --file too", o->row ? "--row" : "--dtype");
    if (!has_rows && (o->shuffle_count > 1 || o->shuffles[0] != SIM_SHUFFLE_NONE))
        return usage_error("--shuffle permutes rows, and a placement has none; give --input iid or "
                           "another, or --file");
    if (!has_rows && o->temperature.length)
        return usage_error("--temperature weighs values, and a placement has none; give --input "
                           "iid or another, or --file");
    if (o->rho.length && o->input != SIM_AR1)
        return usage_error("--rho is the correlation of ar1; give --input ar1");
    if (o->k.length && largest_rank > o->k.items[0])
        return usage_error("--ranks %" PRIu64 " is larger than k = %" PRIu64
                           "; give ranks from 1 to k",
                           largest_rank, o->k.items[0]);
    if (o->threads > 4096)
        return usage_error("--threads %" PRIu64 " is too many; give at most 4096", o->threads);
    return STATUS_OK;
}

/* The shapes of the query with each assignment. */
static struct sim_shape *shapes_of(const struct query *query, const struct options *options)
{
    struct sim_shape *shapes =
        checked(calloc(query->length * options->assignment_count, sizeof *shapes));
    for (unsigned a = 0; a < options->assignment_count; a++)
        for (size_t i = 0; i < query->length; i++)
            shapes[a * query->length + i] =
                (struct sim_shape){query->shapes[i].b, query->shapes[i].k_b,
                                   (enum sim_assignment)options->assignments[a]};
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

static double *rhos_of(const struct options *options, size_t *count)
{
    *count = options->rho.length ? options->rho.length : 1;
    double *rhos = checked(calloc(*count, sizeof *rhos));
    rhos[0] = options->input == SIM_AR1 ? 0.5 : 0.0;
    for (size_t i = 0; i < options->rho.length; i++)
        rhos[i] = decimal_value(options->rho.items[i]);
    return rhos;
}

/* Unless given: enough for the lower bounds of a choice to come near to the target, which takes
 * some rows for each loss. */
static uint64_t usual_repetitions(const struct options *options)
{
    double loss = options->targets.length ? 1.0 - decimal_value(options->targets.items[0]) : 1.0;
    return (uint64_t)fmin(ceil(REPETITIONS / loss - 1e-6), REPETITIONS_CHOSEN_BY);
}

/* Runs the spec and reports; returns a status. */
static int run(const struct sim_spec *spec, const struct options *options,
               const struct query *query)
{
    char error[800] = "";
    const char *beyond = simulation_limit(spec);
    if (beyond)
        return usage_error("%s", beyond);
    memory_has(simulation_bytes(spec), "this simulation",
               "give fewer --threads, a smaller --n or --k, or fewer shapes", error, sizeof error);
    int status = team_status(error, sizeof error, STATUS_USAGE);
    if (status != STATUS_OK)
        return status;
    struct progress progress;
    progress_start(&progress, spec->input == SIM_PLACEMENT ? "repetitions" : "rows");
    progress_watch(&progress);
    struct simulation *simulation = simulation_new(spec, error, sizeof error);
    if (!simulation)
        progress_end(&progress);
    status = team_status(error, sizeof error, STATUS_FAILED);
    if (status == STATUS_OK) {
        int failed = simulation_run(simulation, progress_tick, &progress, error, sizeof error);
        struct simulated simulated = {.options = options,
                                      .query = query,
                                      .spec = spec,
                                      .simulation = simulation,
                                      .progress = &progress};
        simulated.partial = simulation_done(simulation) < spec->repetitions;
        if (failed >= 0 && team_rank() == 0)
            status = report_simulation(&simulated); /* removes the bar when all is computed */
        else
            progress_end(&progress);
        if (status == STATUS_OK && simulated.partial)
            status = STATUS_INTERRUPTED;
        if (failed) {
            usage_error("%s", error);
            status = failed == SIM_REFUSED ? STATUS_USAGE : STATUS_FAILED;
        }
    }
    simulation_free(simulation);
    return status;
}

static int simulate_query(const struct options *options, const struct row_file *file)
{
    struct query_list queries;
    int status =
        queries_build(&queries, options, options->targets.length ? SHAPES_NEAR : SHAPES_FEWEST);
    if (status == STATUS_OK) {
        struct query *query = &queries.items[0];
        size_t rhos;
        leave_out_large_b(query);
        double *rho = rhos_of(options, &rhos);
        struct sim_shape *shapes = shapes_of(query, options);
        struct sim_spec spec = {
            .n = query->base.n,
            .k = query->base.k,
            .valid = query->base.valid ? query->base.valid : query->base.n,
            .input = options->input,
            .file = file,
            .rho = rho,
            .rhos = rhos,
            .shuffle = options->shuffles,
            .shuffles = options->shuffle_count,
            .shape = shapes,
            .shapes = query->length * options->assignment_count,
            .rank = options->ranks.items,
            .ranks = options->ranks.length,
            .reaching = true,
            .weights = file || options->temperature.length,
            .temperature =
                options->temperature.length ? decimal_value(options->temperature.items[0]) : 1.0,
            .seed = options->seed,
            .repetitions = options->repetitions ? options->repetitions : usual_repetitions(options),
            .threads = (unsigned)options->threads,
            .checkpoint = options->checkpoint,
            .name = options->file,
        };
        status = run(&spec, options, query);
        free(shapes);
        free(rho);
    }
    queries_free(&queries);
    return status;
}

int command_simulate(const struct options *options)
{
    struct options own = *options; /* with what the file says */
    struct row_file file = {.descriptor = -1};
    uint64_t n;
    int status = check_options(options);
    if (status == STATUS_OK && options->file)
        status = open_file(&file, &own, &n);
    if (status == STATUS_OK)
        status = simulate_query(&own, options->file ? &file : NULL);
    row_file_close(&file);
    return status;
}
