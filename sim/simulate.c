/* simulate.c - running a simulation: see simulate.h. Blocks of repetitions are shared out among the
 * ranks and their threads, and what they counted is merged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <base/clock.h>
#include <base/threads.h>

#include "checkpoint.h"
#include "repetition.h"
#include "simulation_state.h"
#include "team.h"

#define BLOCK_SECONDS 0.05     /* how long a block should take */
#define CHECKPOINT_SECONDS 2.0 /* unless the spec says otherwise */

/* All ranks call it, as every function here that begins with "All". Has any rank an error? Then
 * each gets the line. */
static bool any_failed(struct message error)
{
    team_share_error(error);
    return *error.text;
}

/* ---- merging */

/* Adds what the workers counted to the totals. */
static bool merge_workers(struct simulation *s)
{
    bool good = true;
    for (size_t t = 0; t < s->threads; t++) {
        good = tallies_merge(&s->total, &s->worker[t].tallies) && good;
        tallies_clear(&s->worker[t].tallies);
    }
    return good;
}

static int add_tallies(void *context, const char *bytes, size_t length)
{
    struct simulation *s = context;
    (void)length;
    return tallies_add_text(&s->total, s->spec.k, &bytes) ? 0 : -1;
}

/* All: merges what the workers counted, and on rank 0 also what the other ranks counted. Returns
 * false with a line in `error` if memory runs out. */
static bool merge(struct simulation *s, struct message error)
{
    char *text = NULL;
    size_t length = 0;
    bool good = merge_workers(s);
    if (team_rank() > 0) {
        FILE *file = open_memstream(&text, &length);
        if (file) {
            tallies_print(file, &s->total);
            fclose(file);
        }
        good = good && text;
        tallies_clear(&s->total);
    }
    if (team_size() > 1)
        good = team_gather(text ? text : "", text ? length : 0, add_tallies, s) == 0 && good;
    if (!good)
        message_set(error, "out of memory while results were merged");
    free(text);
    return !any_failed(error);
}

/* ---- checkpoints */

/* All: continues from the checkpoint if there is one. Returns 0, or -1 or SIM_REFUSED with a line
 * in `error`. */
static int resume(struct simulation *s, struct message error)
{
    bool refused =
        s->spec.checkpoint && team_rank() == 0 && checkpoint_load(s, error) == SIM_REFUSED;
    if (any_failed(error))
        return team_max(refused) ? SIM_REFUSED : -1;
    s->done = team_max(s->done);
    return 0;
}

/* All: rank 0 writes the checkpoint if the spec has one. Returns false with a line in `error` if it
 * cannot be written. */
static bool save(const struct simulation *s, struct message error)
{
    if (s->spec.checkpoint && team_rank() == 0)
        checkpoint_save(s, error);
    return !any_failed(error);
}

/* ---- blocks */

/* Counts this rank's repetitions of a block, on all of its threads. */
static void count_block(struct simulation *s, uint64_t first, uint64_t last)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(guided) num_threads((int)s->threads)
#endif
    for (uint64_t repetition = first; repetition < last; repetition++) {
        struct worker *worker = &s->worker[this_thread()];
        if (!worker->failed)
            count_repetition(s, worker, repetition);
    }
}

static void report_failure(const struct simulation *s, struct message error)
{
    const char *file = s->spec.name ? s->spec.name : "the file";
    for (size_t t = 0; t < s->threads; t++) {
        int failed = s->worker[t].failed;
        if (failed == ENOMEM)
            message_set(error, "out of memory");
        else if (failed)
            message_set(error, "%s cannot be read: %s", file,
                        failed > 0 ? strerror(failed) : "it has become shorter");
    }
}

/* All: runs the next block, of *per_rank repetitions a rank, and sets *per_rank for the block after
 * it: that one should take BLOCK_SECONDS on the slowest rank. Returns false with a line in `error`
 * if it failed. */
static bool run_block(struct simulation *s, uint64_t *per_rank, struct message error)
{
    double start = clock_seconds();
    uint64_t left = s->spec.repetitions - s->done, ranks = team_size(), rank = team_rank();
    uint64_t block = left / ranks < *per_rank ? left : *per_rank * ranks;
    count_block(s, s->done + block * rank / ranks, s->done + block * (rank + 1) / ranks);
    report_failure(s, error);
    if (any_failed(error))
        return false;
    s->done += block;
    uint64_t elapsed_ns = team_max((uint64_t)((clock_seconds() - start) * 1e9) + 1);
    double wanted = (double)*per_rank * fmin(BLOCK_SECONDS * 1e9 / (double)elapsed_ns, 4.0);
    *per_rank = team_max(wanted > (double)s->threads ? (uint64_t)wanted : s->threads);
    return true;
}

int simulation_run(struct simulation *s, watch_stop *watch, void *context, struct message error)
{
    const struct sim_spec *spec = &s->spec;
    const double pause =
        spec->checkpoint_seconds > 0.0 ? spec->checkpoint_seconds : CHECKPOINT_SECONDS;
    uint64_t per_rank = team_max(s->threads);
    double saved = clock_seconds();
    bool stop = false;
    *error.text = '\0';
    int status = resume(s, error);
    if (status != 0)
        return status;
    bool fresh = s->done < spec->repetitions;
    if (fresh && !save(s, error)) /* a path that cannot be written shows at once */
        return -1;
    while (s->done < spec->repetitions && !stop) {
        if (!run_block(s, &per_rank, error))
            return -1;
        stop = team_max(watch && watch(context, s->done, spec->repetitions));
        if (!spec->checkpoint || stop || s->done == spec->repetitions ||
            !team_max(clock_seconds() - saved >= pause))
            continue;
        if (!merge(s, error))
            return -1;
        if (!save(s, error))
            return 1;
        saved = clock_seconds();
    }
    if (!merge(s, error))
        return -1;
    return fresh && !save(s, error) ? 1 : 0;
}

uint64_t simulation_done(const struct simulation *s)
{
    return s->done;
}
