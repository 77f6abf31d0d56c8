/* simulate.c - see simulate.h: what is needed is allocated, blocks of repetitions are dealt to
 * ranks and threads, sums merged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "simulation.h"
#include "team.h"

#define BLOCK_SECONDS 0.05     /* of work between two looks at the clock */
#define CHECKPOINT_SECONDS 2.0 /* unless the spec says otherwise */

static unsigned all_threads(void)
{
#ifdef _OPENMP
    return (unsigned)omp_get_max_threads();
#else
    return 1;
#endif
}

static unsigned this_thread(void)
{
#ifdef _OPENMP
    return (unsigned)omp_get_thread_num();
#else
    return 0;
#endif
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- making and freeing */

static bool sums_make(struct sums *sums, const struct simulation *simulation)
{
    sums->rows = calloc(simulation->spec.rhos, sizeof *sums->rows);
    sums->results = calloc(simulation->results, sizeof *sums->results);
    bool good = sums->rows && sums->results;
    for (size_t i = 0; i < simulation->results && good && simulation->spec.ranks; i++)
        good = (sums->results[i].survived = calloc(simulation->spec.ranks, sizeof(uint64_t)));
    return good;
}

static void sums_clear(struct sums *sums, const struct simulation *simulation)
{
    memset(sums->rows, 0, simulation->spec.rhos * sizeof *sums->rows);
    for (size_t i = 0; i < simulation->results; i++)
        tally_clear(&sums->results[i], simulation->spec.ranks);
}

static void sums_free(struct sums *sums, const struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->results && sums->results; i++)
        tally_free(&sums->results[i]);
    free(sums->results);
    free(sums->rows);
}

struct indexed_shape {
    struct sim_shape shape;
    size_t index;
};

static int by_shape(const void *a, const void *b)
{
    const struct sim_shape *x = &((const struct indexed_shape *)a)->shape,
                           *y = &((const struct indexed_shape *)b)->shape;
    if (x->assignment != y->assignment)
        return x->assignment < y->assignment ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->k_b > y->k_b) - (x->k_b < y->k_b);
}

/* Groups the shapes of one assignment and b; in a group k_b rises. */
static bool group_shapes(struct simulation *s)
{
    const struct sim_spec *spec = &s->spec;
    struct indexed_shape *sorted = malloc(spec->shapes * sizeof *sorted);
    s->shape = calloc(spec->shapes, sizeof *s->shape);
    s->group = calloc(spec->shapes, sizeof *s->group);
    s->has_k = calloc(spec->shapes, sizeof *s->has_k);
    for (size_t i = 0; i < spec->shapes && sorted; i++)
        sorted[i] = (struct indexed_shape){spec->shape[i], i};
    if (sorted)
        qsort(sorted, spec->shapes, sizeof *sorted, by_shape);
    for (size_t i = 0; i < spec->shapes && sorted && s->shape && s->group && s->has_k; i++) {
        const struct sim_shape *shape = &sorted[i].shape;
        struct group *group = s->groups ? &s->group[s->groups - 1] : NULL;
        if (!group || group->buckets.assignment != shape->assignment ||
            group->buckets.b != shape->b) {
            group = &s->group[s->groups++];
            *group = (struct group){.buckets = buckets_of(shape->assignment, spec->n, shape->b),
                                    .salt = shape->b << 2 | (uint64_t)shape->assignment,
                                    .shape = &s->shape[i]};
        }
        s->shape[i] = sorted[i].index;
        s->has_k[sorted[i].index] =
            buckets_candidates(&group->buckets, spec->valid, shape->k_b) >= spec->k;
        group->members++;
        group->cap = (uint32_t)(shape->k_b < spec->k ? shape->k_b : spec->k);
        s->largest_k_b = group->cap > s->largest_k_b ? group->cap : s->largest_k_b;
    }
    free(sorted);
    return sorted && s->shape && s->group && s->has_k;
}

/* Allocates, or only adds up what would be allocated. */
struct room {
    bool measuring, failed;
    double bytes;
};

static void *take(struct room *room, size_t count, size_t size)
{
    room->bytes += (double)count * (double)size;
    if (room->measuring)
        return NULL;
    void *taken = calloc(count, size);
    room->failed |= !taken;
    return taken;
}

/* Room for one thread. */
static void worker_make(struct worker *w, const struct simulation *s, struct room *room)
{
    const struct sim_spec *spec = &s->spec;
    bool rows = spec->input != SIM_PLACEMENT, moves = false, per_row = false;
    size_t n = rows ? (size_t)spec->n : 0, k = (size_t)spec->k, stride = s->largest_k_b + (size_t)1;
    uint64_t b = 1;
    for (size_t i = 0; i < s->groups; i++)
        b = s->group[i].buckets.b > b ? s->group[i].buckets.b : b;
    for (size_t i = 0; i < spec->shuffles; i++) {
        moves |= spec->shuffle[i] != SIM_SHUFFLE_NONE;
        per_row |= spec->shuffle[i] == SIM_SHUFFLE_ROW;
    }
    w->before = take(room, rows ? n : k, sizeof *w->before);
    w->counts.count = take(room, (size_t)b, sizeof *w->counts.count);
    w->kept = take(room, 3 * stride, sizeof *w->kept);
    w->missing = take(room, spec->shapes, sizeof *w->missing);
    if (rows) {
        w->words = take(room, n + 1, sizeof *w->words);
        w->x = take(room, n, sizeof *w->x);
        w->keys = take(room, n, sizeof *w->keys);
        w->at = take(room, n, sizeof *w->at);
    }
    if (moves)
        w->shuffled = take(room, n, sizeof *w->shuffled);
    if (per_row)
        w->permutation = take(room, n, sizeof *w->permutation);
    if (rows && spec->reaching)
        w->subset = take(room, n, sizeof *w->subset);
    if (rows && (spec->weights || spec->ranks)) {
        w->sorting = take(room, 2 * k, sizeof *w->sorting);
        w->sorting_room = k;
    }
    if (spec->weights) {
        w->weight = take(room, 2 * k, sizeof *w->weight);
        w->lost_weight = take(room, stride, sizeof *w->lost_weight);
    }
}

static void worker_free(struct worker *w, const struct simulation *s)
{
    sums_free(&w->sums, s);
    free(w->words);
    free(w->x);
    free(w->shuffled);
    free(w->keys);
    free(w->at);
    free(w->permutation);
    free(w->subset);
    free(w->sorting);
    free(w->missing);
    free(w->before);
    free(w->counts.count);
    free(w->kept);
    free(w->weight);
    free(w->lost_weight);
}

/* The permutations that all rows of a rho share. */
static bool make_permutations(struct simulation *s)
{
    const struct sim_spec *spec = &s->spec;
    bool once = false;
    for (size_t i = 0; i < spec->shuffles; i++)
        once |= spec->shuffle[i] == SIM_SHUFFLE_ONCE;
    s->permutation = calloc(spec->rhos, sizeof *s->permutation);
    for (size_t i = 0; i < spec->rhos && s->permutation && once; i++) {
        s->permutation[i] = malloc((size_t)spec->valid * sizeof **s->permutation);
        if (!s->permutation[i])
            return false;
        row_permutation(spec->input, spec->rho[i], spec->seed, UINT64_MAX, s->permutation[i],
                        (size_t)spec->valid);
    }
    return s->permutation;
}

const char *simulation_limit(const struct sim_spec *spec)
{
    if (spec->input != SIM_PLACEMENT && spec->n > UINT32_MAX)
        return "rows of 2^32 elements or more cannot be simulated; give a smaller --n, or --input "
               "placement";
    if (spec->k > UINT32_MAX)
        return "k of 2^32 or more cannot be simulated; give a smaller --k";
    if (spec->shapes > SIM_RESULTS_MAX / spec->rhos / spec->shuffles)
        return "more than 100000 results are asked for; give shorter lists";
    for (size_t i = 0; i < spec->shapes; i++)
        if (spec->shape[i].b > SIM_B_MAX)
            return "more than 2^28 buckets cannot be simulated; give a smaller --b or a larger "
                   "--kb";
    return NULL;
}

static size_t threads_of(const struct sim_spec *spec)
{
    size_t threads = spec->threads ? spec->threads : all_threads();
    return threads > spec->repetitions ? (size_t)spec->repetitions : threads;
}

double simulation_bytes(const struct sim_spec *spec)
{
    struct simulation s = {.spec = *spec};
    struct worker worker = {0};
    struct room room = {.measuring = true};
    if (group_shapes(&s))
        worker_make(&worker, &s, &room);
    free(s.shape);
    free(s.group);
    free(s.has_k);
    double results = (double)spec->rhos * (double)spec->shuffles * (double)spec->shapes,
           permutations = 0.0;
    for (size_t i = 0; i < spec->shuffles; i++)
        if (spec->shuffle[i] == SIM_SHUFFLE_ONCE)
            permutations = (double)spec->rhos * (double)spec->valid * sizeof **s.permutation;
    double sums = results * ((double)sizeof(struct tally) + 8.0 * (double)spec->ranks),
           threads = (double)threads_of(spec);
    return threads * (room.bytes + sums) + sums + permutations;
}

struct simulation *simulation_new(const struct sim_spec *spec, char *error, size_t size)
{
    const char *wrong = simulation_limit(spec);
    struct simulation *s = wrong ? NULL : calloc(1, sizeof *s);
    bool good = s;
    if (s) {
        s->spec = *spec;
        s->results = spec->rhos * spec->shuffles * spec->shapes;
        s->threads = threads_of(spec);
        s->worker = calloc(s->threads, sizeof *s->worker);
        good = s->worker && group_shapes(s) && make_permutations(s) && sums_make(&s->total, s);
        for (size_t t = 0; t < s->threads && good; t++) {
            struct room room = {0};
            worker_make(&s->worker[t], s, &room);
            good = sums_make(&s->worker[t].sums, s) && !room.failed;
        }
    }
    if (good)
        return s;
    snprintf(error, size, "%s",
             wrong ? wrong : "out of memory; give fewer shapes, a smaller n or fewer --threads");
    simulation_free(s);
    return NULL;
}

void simulation_free(struct simulation *s)
{
    if (!s)
        return;
    for (size_t t = 0; t < s->threads && s->worker; t++)
        worker_free(&s->worker[t], s);
    for (size_t i = 0; i < s->spec.rhos && s->permutation; i++)
        free(s->permutation[i]);
    sums_free(&s->total, s);
    free(s->worker);
    free(s->permutation);
    free(s->shape);
    free(s->has_k);
    free(s->group);
    free(s);
}

/* ---- running */

/* Adds the workers' sums to the totals, and those of the other ranks to rank 0's. */
static bool merge_workers(struct simulation *s)
{
    bool good = true;
    for (size_t t = 0; t < s->threads; t++) {
        struct sums *sums = &s->worker[t].sums;
        for (size_t i = 0; i < s->spec.rhos; i++)
            row_tally_merge(&s->total.rows[i], &sums->rows[i]);
        for (size_t i = 0; i < s->results; i++)
            good = tally_merge(&s->total.results[i], &sums->results[i], s->spec.ranks) && good;
        sums_clear(sums, s);
    }
    return good;
}

static int take_sums(void *context, const char *bytes, size_t length)
{
    struct simulation *s = context;
    (void)length;
    return sums_add_text(s, &s->total, &bytes) ? 0 : -1;
}

static void merge(struct simulation *s, char *error, size_t size)
{
    static const char no_memory[] = "out of memory while sums were merged";
    char *text = NULL;
    size_t length = 0;
    if (!merge_workers(s))
        snprintf(error, size, no_memory);
    if (team_size() == 1)
        return;
    if (team_rank() > 0) {
        FILE *file = open_memstream(&text, &length);
        if (file) {
            sums_print(file, s, &s->total);
            fclose(file);
        }
        if (!text)
            snprintf(error, size, no_memory);
        sums_clear(&s->total, s);
    }
    if (team_gather(text ? text : "", text ? length : 0, take_sums, s) != 0)
        snprintf(error, size, no_memory);
    free(text);
}

/* This rank's repetitions of a block, dealt to its threads. */
static void run_block(struct simulation *s, uint64_t first, uint64_t last)
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

static void report_failure(const struct simulation *s, char *error, size_t size)
{
    for (size_t t = 0; t < s->threads; t++) {
        int failed = s->worker[t].failed;
        if (failed == ENOMEM)
            snprintf(error, size, "out of memory");
        else if (failed)
            snprintf(error, size, "%s cannot be read: %s", s->spec.name ? s->spec.name : "the file",
                     failed > 0 ? strerror(failed) : "it has become shorter");
    }
}

int simulation_run(struct simulation *s, sim_tick *tick, void *context, char *error, size_t size)
{
    const struct sim_spec *spec = &s->spec;
    uint64_t per_rank = team_max(s->threads); /* repetitions that a rank takes of a block */
    double saved = now(),
           pause = spec->checkpoint_seconds > 0.0 ? spec->checkpoint_seconds : CHECKPOINT_SECONDS;
    bool stop = false;
    *error = '\0';
    bool refused =
        spec->checkpoint && team_rank() == 0 && checkpoint_load(s, error, size) == SIM_REFUSED;
    team_share_error(error, size);
    if (*error)
        return team_max(refused) ? SIM_REFUSED : -1;
    s->done = team_max(s->done);
    bool fresh = s->done < spec->repetitions, unwritable = false;
    if (spec->checkpoint && fresh && team_rank() == 0)
        checkpoint_save(s, error, size); /* a path that cannot be written shows now */
    team_share_error(error, size);
    if (*error)
        return -1;
    while (s->done < spec->repetitions && !stop && !unwritable) {
        double start = now();
        uint64_t left = spec->repetitions - s->done, ranks = team_size(), rank = team_rank();
        uint64_t block = left / ranks < per_rank ? left : per_rank * ranks;
        run_block(s, s->done + block * rank / ranks, s->done + block * (rank + 1) / ranks);
        report_failure(s, error, size);
        team_share_error(error, size);
        if (*error)
            return -1;
        s->done += block;
        /* The next block is as long as this one should have been; the slowest rank decides. */
        uint64_t elapsed_ns = team_max((uint64_t)((now() - start) * 1e9) + 1);
        double next = (double)per_rank * fmin(BLOCK_SECONDS * 1e9 / (double)elapsed_ns, 4.0);
        per_rank = team_max(next > (double)s->threads ? (uint64_t)next : s->threads);
        stop = team_max(tick && tick(context, s->done, spec->repetitions));
        if (spec->checkpoint && !stop && s->done < spec->repetitions &&
            team_max(now() - saved >= pause)) {
            merge(s, error, size);
            team_share_error(error, size);
            if (*error)
                return -1;
            if (team_rank() == 0)
                checkpoint_save(s, error, size);
            team_share_error(error, size);
            unwritable = *error;
            saved = now();
        }
    }
    if (unwritable)
        return 1;
    merge(s, error, size);
    team_share_error(error, size);
    if (*error)
        return -1;
    if (spec->checkpoint && fresh && team_rank() == 0)
        checkpoint_save(s, error, size);
    team_share_error(error, size);
    return *error ? 1 : 0;
}

uint64_t simulation_done(const struct simulation *s)
{
    return s->done;
}

/* ---- results */

/* Without the empty ends of the window, which depend on the order in which it grew. */
static struct sim_lost lost_of(const struct histogram *h, uint64_t most)
{
    size_t first = 0, end = h->length;
    while (end > 0 && h->count[end - 1] == 0)
        end--;
    while (first < end && h->count[first] == 0)
        first++;
    return (struct sim_lost){h->first + first, end - first, h->count ? h->count + first : NULL,
                             most};
}

struct sim_result simulation_result(const struct simulation *s, size_t rho, size_t shuffle,
                                    size_t shape)
{
    const struct tally *tally =
        &s->total.results[(rho * s->spec.shuffles + shuffle) * s->spec.shapes + shape];
    const struct histogram *lost = &tally->lost;
    const struct sim_shape *wanted = &s->spec.shape[shape];
    struct buckets buckets = buckets_of(wanted->assignment, s->spec.n, wanted->b);
    struct spread spread = histogram_spread(lost);
    double k = (double)s->spec.k, rows = (double)spread.rows;
    uint64_t exact = lost->length && lost->first == 0 ? lost->count[0] : 0;
    struct sim_result r = {
        .rows = spread.rows,
        .recall_mean = (k - spread.mean) / k,
        .recall_sd = spread.sd / k,
        .recall_stderr = spread.sd / k / sqrt(rows),
        .recall_worst = (k - (double)spread.largest) / k,
        .recall_p01 = (k - (double)histogram_upper(lost, 1)) / k,
        .recall_p05 = (k - (double)histogram_upper(lost, 5)) / k,
        .recall_p50 = (k - (double)histogram_upper(lost, 50)) / k,
        .recall_value_mean = (k - (double)tally->lost_by_value / rows) / k,
        .exact_rows = (double)exact / rows,
        .certified_rows = (double)tally->certified / rows,
        .mass_mean = 1.0 - shares_mean(&tally->mass),
        .mass_worst = 1.0 - shares_worst(&tally->mass),
        .value_mean = 1.0 - shares_mean(&tally->value),
        .value_worst = 1.0 - shares_worst(&tally->value),
        .value_rows = tally->value.rows,
        .reaching_mean = k + reaching_mean(&tally->reaching),
        .reaching_sd = reaching_sd(&tally->reaching),
        .reaching_worst = k + reaching_largest(&tally->reaching),
        .survived = tally->survived,
        .lost = lost_of(lost, buckets_most_lost(&buckets, s->spec.valid, s->spec.k, wanted->k_b)),
    };
    return r;
}

struct sim_rows simulation_rows(const struct simulation *s, size_t rho)
{
    const struct row_tally *rows = &s->total.rows[rho];
    return (struct sim_rows){rows->rows, rows->with_nan, rows->short_rows,
                             1.0 - shares_mean(&rows->outside)};
}
