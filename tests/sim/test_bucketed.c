/* test_bucketed.c - the simulation against bucketed top-k written out: every input, assignment,
 * shuffle and tie rule, on small rows.
 *
 * Against: stage 1 and 2 written out with queues, small configurations, 12 rows each: every input,
 * shuffle and assignment, padding, ties, NaN, infinities.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <sim/selection/key.h>
#include <sim/simulate.h>
#include <tests/test.h>

#include "bucketed.h"
#include "by_rank.h"

enum { ROWS = 12, N_MAX = 40, SHAPES = 6, RANKS = 3 };

/* What the literal algorithm says, summed over rows. */
struct expected {
    uint64_t lost, lost_by_value, exact, lossless_by_value, certified, most_lost, survived[RANKS],
        mass_rows, value_rows;
    double mass, mass_worst, value, value_worst;
};

static int falling(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* How many values two lists have in common, each counted as often as it stands in both; NaN and
 * -inf are not counted. */
static uint64_t in_common(uint64_t *a, size_t a_length, uint64_t *b, size_t b_length)
{
    uint64_t common = 0;
    qsort(a, a_length, sizeof *a, falling);
    qsort(b, b_length, sizeof *b, falling);
    for (size_t i = 0, j = 0; i < a_length && j < b_length;)
        if (a[i] == b[j]) {
            common += a[i] != KEY_NOTHING;
            i++, j++;
        } else if (a[i] > b[j]) {
            i++;
        } else {
            j++;
        }
    return common;
}

static double softmax_weight(double x, double largest)
{
    if (isnan(x))
        return 0.0;
    return x == largest ? 1.0 : exp((x - largest) / 0.5);
}

/* Adds one row. */
static void expect(struct expected *e, const double *x, size_t n, size_t valid, size_t k,
                   struct sim_shape shape, const uint64_t *ranks)
{
    uint64_t keys[N_MAX], exact[N_MAX], approximate[N_MAX], lost = 0, numbers = 0;
    uint32_t order[N_MAX];
    struct bucketed bucketed;
    for (uint32_t i = 0; i < valid; i++) {
        keys[i] = recall_key_of(x[i]);
        order[i] = i;
    }
    sorting = keys;
    qsort(order, valid, sizeof *order, by_rank);
    ck_assert(bucketed_topk(keys, n, valid, k, shape.b, shape.k_b, shape.assignment, &bucketed));
    bool survives[N_MAX] = {false};
    for (size_t j = 0; j < bucketed.candidates; j++)
        survives[bucketed.candidate[j]] = true;
    double mass = 0.0, kept_mass = 0.0, value = 0.0, kept_value = 0.0;
    bool has_value = true;
    for (size_t j = 0; j < k; j++) {
        double v = x[order[j]], w = softmax_weight(v, x[order[0]]);
        lost += !survives[order[j]] && v > -INFINITY;
        numbers += v > -INFINITY;
        exact[j] = keys[order[j]];
        mass += w;
        kept_mass += survives[order[j]] ? w : 0.0;
        has_value &= v >= 0.0 && v < INFINITY;
        value += v;
        kept_value += survives[order[j]] ? v : 0.0;
    }
    for (size_t j = 0; j < bucketed.length; j++)
        approximate[j] = keys[bucketed.result[j]];
    uint64_t lost_by_value = numbers - in_common(exact, k, approximate, bucketed.length);
    bucketed_free(&bucketed);
    e->lost += lost;
    e->lost_by_value += lost_by_value;
    e->exact += lost == 0;
    e->certified += bucketed.certified;
    e->lossless_by_value += lost_by_value == 0;
    e->most_lost = lost > e->most_lost ? lost : e->most_lost;
    /* The certificate holds exactly when nothing is lost by value. (With fewer than k values above
     * -inf it counts the others too, and may fail where nothing is lost.) */
    if (numbers == k || bucketed.candidates == valid)
        ck_assert_msg(bucketed.certified == (lost_by_value == 0),
                      "certified %d, lost by value %" PRIu64, bucketed.certified, lost_by_value);
    for (size_t r = 0; r < RANKS; r++)
        e->survived[r] +=
            survives[order[ranks[r] - 1]] || !(x[order[ranks[r] - 1]] > -INFINITY); /* a mask */
    if (mass > 0.0 && x[order[0]] > -INFINITY) {
        e->mass_rows++;
        e->mass += kept_mass / mass;
        e->mass_worst = fmin(e->mass_worst, kept_mass / mass);
    }
    if (has_value && value > 0.0) {
        e->value_rows++;
        e->value += kept_value / value;
        e->value_worst = fmin(e->value_worst, kept_value / value);
    }
}

/* The kinds of rows that come from a file; all others are generated. */
enum { NUMBERS, NANS, INFINITIES, FEW_VALUES, ALL_NAN, MASKED, FILE_KINDS };

static double number_of(int kind, uint64_t *state)
{
    switch (kind) {
    case NANS:
        return next_random(state) % 3 ? (double)(next_random(state) % 9) : NAN;
    case INFINITIES:
        return next_random(state) % 2 ? (next_random(state) % 3 ? -INFINITY : INFINITY)
                                      : (double)(next_random(state) % 99) - 50.0;
    case FEW_VALUES:
        return (double)(next_random(state) % 3) - (next_random(state) % 2 ? 0.0 : 1.0);
    case ALL_NAN:
        return NAN;
    case MASKED:
        return next_random(state) % 3   ? -INFINITY
               : next_random(state) % 2 ? NAN
                                        : (double)(next_random(state) % 5);
    default:
        return (double)(next_random(state) % 1000) / 7.0;
    }
}

static void write_rows(const char *path, int kind, size_t n, uint64_t *state,
                       double rows[ROWS][N_MAX])
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t i = 0; i < n; i++)
            rows[r][i] = number_of(kind, state);
        ck_assert_uint_eq(fwrite(rows[r], sizeof **rows, n, file), n);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Generates what the simulation generates, and then shuffles. The content of the padding does not
 * matter. */
static void expected_row(const struct sim_spec *spec, double rows[ROWS][N_MAX], size_t r,
                         enum sim_shuffle shuffle, double *x)
{
    double plain[N_MAX];
    uint64_t words[N_MAX + 2];
    uint32_t permutation[N_MAX];
    size_t n = (size_t)spec->n, valid = (size_t)spec->valid;
    if (spec->input == SIM_FILE)
        memcpy(plain, rows[r], n * sizeof *plain);
    else
        row_generate(spec->input, spec->rho[0], spec->seed, r, plain, n, words);
    row_permutation(spec->input, spec->rho[0], spec->seed,
                    shuffle == SIM_SHUFFLE_ONCE ? UINT64_MAX : r, permutation, valid);
    for (size_t i = 0; i < n; i++)
        x[i] = i >= valid ? 1e300 : shuffle == SIM_SHUFFLE_NONE ? plain[i] : plain[permutation[i]];
}

static void compare(const struct sim_spec *spec, const struct simulation *simulation,
                    size_t shuffle, size_t shape, const struct expected *e)
{
    const struct sim_shape *s = &spec->shape[shape];
    struct sim_result r = simulation_result(simulation, 0, shuffle, shape);
    char at[200];
    snprintf(at, sizeof at,
             "%s, shuffle %s: n %" PRIu64 " k %" PRIu64 " valid %" PRIu64 " b %" PRIu64
             " k_b %" PRIu64 " %s",
             sim_input_name(spec->input), sim_shuffle_name(spec->shuffle[shuffle]), spec->n,
             spec->k, spec->valid, s->b, s->k_b, sim_assignment_name(s->assignment));
    double k = (double)spec->k;
    const double rows = ROWS;
    ck_assert_msg(r.rows == ROWS, "%s: %" PRIu64 " rows", at, r.rows);
    ck_assert_msg(fabs(r.recall_mean - (1.0 - (double)e->lost / rows / k)) < 1e-15,
                  "%s: recall %.17g, lost %" PRIu64, at, r.recall_mean, e->lost);
    ck_assert_msg(fabs(r.recall_value_mean - (1.0 - (double)e->lost_by_value / rows / k)) < 1e-15,
                  "%s: by value %.17g, lost %" PRIu64, at, r.recall_value_mean, e->lost_by_value);
    ck_assert_msg(r.recall_worst == (k - (double)e->most_lost) / k,
                  "%s: worst %.17g, lost %" PRIu64, at, r.recall_worst, e->most_lost);
    ck_assert_msg(r.exact_rows == (double)e->exact / rows, "%s: exact %.17g, %" PRIu64, at,
                  r.exact_rows, e->exact);
    ck_assert_msg(r.certified_rows == (double)e->lossless_by_value / rows,
                  "%s: certified %.17g, %" PRIu64, at, r.certified_rows, e->lossless_by_value);
    for (size_t i = 0; i < RANKS; i++)
        ck_assert_msg(r.survived[i] == e->survived[i],
                      "%s: rank %" PRIu64 " survived %" PRIu64 ", want %" PRIu64, at, spec->rank[i],
                      r.survived[i], e->survived[i]);
    ck_assert_msg(e->mass_rows == 0 || fabs(r.mass_mean - e->mass / (double)e->mass_rows) < 1e-12,
                  "%s: mass %.17g, want %.17g", at, r.mass_mean, e->mass / (double)e->mass_rows);
    ck_assert_msg(e->mass_rows == 0 || fabs(r.mass_worst - e->mass_worst) < 1e-12,
                  "%s: worst mass %.17g, want %.17g", at, r.mass_worst, e->mass_worst);
    ck_assert_msg(r.value_rows == e->value_rows, "%s: %" PRIu64 " rows with value, want %" PRIu64,
                  at, r.value_rows, e->value_rows);
    if (e->value_rows) {
        ck_assert_msg(fabs(r.value_mean - e->value / (double)e->value_rows) < 1e-12,
                      "%s: value %.17g", at, r.value_mean);
        ck_assert_msg(fabs(r.value_worst - e->value_worst) < 1e-12, "%s: worst value %.17g", at,
                      r.value_worst);
    }
}

/* Compares every shuffle and shape of a simulation with the literal algorithm. Returns how many
 * rows have a certificate. */
static uint64_t compare_all(const struct sim_spec *spec, struct simulation *simulation,
                            double rows[ROWS][N_MAX])
{
    uint64_t certified = 0;
    for (size_t s = 0; s < spec->shuffles; s++)
        for (size_t i = 0; i < SHAPES; i++) {
            struct expected e = {.mass_worst = 1.0, .value_worst = 1.0};
            for (size_t r = 0; r < ROWS; r++) {
                double x[N_MAX];
                expected_row(spec, rows, r, spec->shuffle[s], x);
                expect(&e, x, (size_t)spec->n, (size_t)spec->valid, (size_t)spec->k, spec->shape[i],
                       spec->rank);
            }
            compare(spec, simulation, s, i, &e);
            certified += e.certified;
        }
    return certified;
}

START_TEST(the_simulation_is_the_literal_algorithm)
{
    char path[] = "/tmp/recallmodel-rows-XXXXXX", error[200];
    ck_assert_int_eq(close(mkstemp(path)), 0);
    uint64_t state = 4, compared = 0, certified = 0;
    const enum sim_shuffle shuffles[] = {SIM_SHUFFLE_NONE, SIM_SHUFFLE_ROW, SIM_SHUFFLE_ONCE};
    for (int kind = 0; kind < FILE_KINDS + SIM_INPUTS - SIM_IID; kind++)
        for (int repeat = 0; repeat < 25; repeat++) {
            static double rows[ROWS][N_MAX];
            const double rho = 0.8;
            struct row_file file = {.descriptor = -1};
            size_t n = random_between(&state, 1, N_MAX), k = random_scale(&state, 1, n);
            uint64_t ranks[RANKS] = {1, (k + 1) / 2, k};
            struct sim_shape shapes[SHAPES];
            for (int i = 0; i < SHAPES; i++)
                shapes[i] = (struct sim_shape){random_scale(&state, 1, n),
                                               random_scale(&state, 1, i % 2 ? k : n),
                                               (enum sim_assignment)(i % SIM_ASSIGNMENTS)};
            if (kind < FILE_KINDS) {
                write_rows(path, kind, n, &state, rows);
                ck_assert_msg(row_file_open(&file, path, SIM_F64, n, MESSAGE(error)) == 0, "%s",
                              error);
            }
            struct sim_spec spec = {.n = n,
                                    .k = k,
                                    .valid = repeat % 3 ? n : random_between(&state, k, n),
                                    .input = kind < FILE_KINDS
                                                 ? SIM_FILE
                                                 : (enum sim_input)(SIM_IID + kind - FILE_KINDS),
                                    .file = &file,
                                    .rho = &rho,
                                    .rhos = 1,
                                    .shuffle = shuffles,
                                    .shuffles = 3,
                                    .shape = shapes,
                                    .shapes = SHAPES,
                                    .rank = ranks,
                                    .ranks = RANKS,
                                    .reaching = true,
                                    .weights = true,
                                    .temperature = 0.5,
                                    .seed = (uint64_t)repeat,
                                    .repetitions = ROWS,
                                    .threads = 1};
            struct simulation *simulation = simulation_new(&spec, MESSAGE(error));
            ck_assert_ptr_nonnull(simulation);
            ck_assert_msg(simulation_run(simulation, NULL, NULL, MESSAGE(error)) == 0, "%s", error);
            certified += compare_all(&spec, simulation, rows);
            compared += 3 * SHAPES;
            simulation_free(simulation);
            row_file_close(&file);
        }
    unlink(path);
    printf("literal algorithm: %" PRIu64 " configurations of %d rows agree, %" PRIu64
           " rows certified\n",
           compared, ROWS, certified);
}
END_TEST

/* A small example by hand: 11 elements, b = 3 interleaved, k_b = 2, k = 4, as in Key et al., Figure
 * 2 left. */
START_TEST(by_hand)
{
    const double x[11] = {9, 1, 2, 8, 3, 4, 7, 5, 6, 0, 0};
    uint64_t keys[11];
    struct bucketed r;
    for (int i = 0; i < 11; i++)
        keys[i] = key_of(x[i]);
    ck_assert(bucketed_topk(keys, 11, 11, 4, 3, 2, SIM_INTERLEAVED, &r));
    const uint32_t candidates[] = {0, 3, 7, 4, 8, 5},
                   result[] = {0, 3, 8, 7}; /* 7 is the third of bucket 0, and lost */
    ck_assert_uint_eq(r.candidates, 6);
    ck_assert_uint_eq(r.length, 4);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(r.candidate[i], candidates[i]);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(r.result[i], result[i]);
    ck_assert(!r.certified);
    bucketed_free(&r);
    /* floor(4 i / 10) gives runs of 3, 2, 3, 2; the kernel's rule 3, 3, 2, 2. */
    const uint64_t floors[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3},
                   runs[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3};
    struct buckets floor_buckets = buckets_of(SIM_CONTIGUOUS_FLOOR, 10, 4),
                   run_buckets = buckets_of(SIM_CONTIGUOUS, 10, 4);
    for (uint64_t i = 0; i < 10; i++) {
        ck_assert_uint_eq(place_of(&floor_buckets, i).bucket, floors[i]);
        ck_assert_uint_eq(place_of(&run_buckets, i).bucket, runs[i]);
    }
}
END_TEST

START_TEST(places_are_places)
{
    for (uint64_t n = 1; n <= 30; n++)
        for (uint64_t b = 1; b <= n; b++)
            for (int a = 0; a < SIM_ASSIGNMENTS; a++) {
                struct buckets buckets = buckets_of((enum sim_assignment)a, n, b);
                uint64_t before[30] = {0};
                for (uint64_t i = 0; i < n; i++) {
                    struct place place = place_of(&buckets, i);
                    ck_assert_uint_lt(place.bucket, b);
                    ck_assert_uint_eq(place.slot, before[place.bucket]);
                    before[place.bucket]++;
                }
                for (uint64_t j = 0; j < b; j++)
                    ck_assert(before[j] == n / b || before[j] == n / b + 1);
            }
}
END_TEST

TEST_MAIN("bucketed", by_hand, places_are_places, the_simulation_is_the_literal_algorithm)
