/* test_topk.c - exact top-k: the selection and the counted algorithms, each on every kind of row;
 * and what they count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include <sim/selection/key.h>
#include <sim/selection/operations.h>
#include <sim/selection/quickselect.h>
#include <tests/test.h>

#include "by_rank.h"

/* Kinds of rows: those that are generated, and hostile ones. */
enum { HOSTILE = SIM_INPUTS, NANS, ALL_NAN, INFINITIES, FALLING, ZEROS, KINDS };

static void fill(int kind, uint64_t seed, double *x, size_t n)
{
    uint64_t words[600], state = seed;
    for (size_t i = 0; i < n; i++)
        switch (kind) {
        case HOSTILE: /* the same leading bits */
            x[i] = 1.0 + (double)(next_random(&state) % 64) * 0x1p-52;
            break;
        case NANS:
            x[i] = next_random(&state) % 3 ? (double)(next_random(&state) % 7)
                                           : (next_random(&state) % 2 ? NAN : -NAN);
            break;
        case ALL_NAN:
            x[i] = NAN;
            break;
        case INFINITIES:
            x[i] = next_random(&state) % 2 ? (next_random(&state) % 4 ? -INFINITY : INFINITY)
                                           : (double)next_random(&state);
            break;
        case FALLING:
            x[i] = -(double)i;
            break;
        case ZEROS:
            x[i] = next_random(&state) % 2 ? 0.0 : -0.0;
            break;
        default:
            row_generate((enum sim_input)kind, 0.7, seed, 0, x, n, words);
            return;
        }
}

static int by_index(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return (i > j) - (i < j);
}

/* The indices of the top-k by rank, best first, found by sorting everything. */
static void by_sorting(const uint64_t *keys, size_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sorting = keys;
    qsort(order, n, sizeof *order, by_rank);
}

START_TEST(keys_keep_the_order)
{
    const double values[] = {-INFINITY, -1e308, -2.0, -1.0,          -1e-310, 0.0,
                             1e-310,    0.5,    1.0,  1.0 + 0x1p-52, 1e308,   INFINITY};
    for (size_t i = 0; i + 1 < sizeof values / sizeof *values; i++)
        ck_assert_uint_lt(key_of(values[i]), key_of(values[i + 1]));
    ck_assert_uint_lt(key_of(NAN), key_of(-INFINITY));
    ck_assert_uint_eq(key_of(NAN), key_of(-NAN));
    ck_assert_uint_eq(key_of(0.0), key_of(-0.0));
    const float floats[] = {-INFINITY, -3e38f, -1.0f, -1e-44f, 0.0f, 1e-44f, 1.0f, 3e38f, INFINITY};
    for (size_t i = 0; i + 1 < sizeof floats / sizeof *floats; i++)
        ck_assert_uint_lt(key32_of(floats[i]), key32_of(floats[i + 1]));
    ck_assert_uint_lt(key32_of(NAN), key32_of(-INFINITY));
    ck_assert_uint_eq(key32_of(0.0), key32_of(-0.0));
}
END_TEST

START_TEST(selection_selects)
{
    static double x[600];
    static uint64_t keys[600], scratch[1200];
    static uint32_t at[600], order[600];
    uint64_t state = 1;
    for (int kind = SIM_IID; kind < KINDS; kind++)
        for (int i = 0; i < 400; i++) {
            size_t n = random_scale(&state, 1, i % 8 ? 40 : 599), k = random_scale(&state, 1, n);
            fill(kind, (uint64_t)i, x, n);
            for (size_t j = 0; j < n; j++)
                keys[j] = key_of(x[j]);
            by_sorting(keys, n, order);
            struct selection s = select_largest(keys, n, k, scratch, at);
            ck_assert_msg(s.threshold == keys[order[k - 1]], "kind %d n %zu k %zu: threshold", kind,
                          n, k);
            size_t larger = 0, equal = 0;
            for (size_t j = 0; j < n; j++) {
                larger += keys[j] > s.threshold;
                equal += keys[j] == s.threshold;
            }
            if (s.tied) {
                ck_assert_msg(s.wanted == larger && s.tied == equal,
                              "kind %d n %zu k %zu: %zu wanted, %zu tied", kind, n, k, s.wanted,
                              s.tied);
            } else {
                ck_assert_msg(s.wanted == k && larger + equal == k,
                              "kind %d n %zu k %zu: %zu wanted", kind, n, k, s.wanted);
                ck_assert_msg(s.threshold != KEY_NAN, "kind %d n %zu k %zu: NaN not set apart",
                              kind, n, k);
            }
            for (size_t j = 1; j < s.wanted + s.tied; j++)
                ck_assert_msg(j == s.wanted || at[j] > at[j - 1],
                              "kind %d n %zu k %zu: not in index order", kind, n, k);
            sort_by_rank(keys, at, k, scratch);
            for (size_t j = 0; j < k; j++)
                ck_assert_msg(at[j] == order[j], "kind %d n %zu k %zu: place %zu is %u, want %u",
                              kind, n, k, j, at[j], order[j]);
        }
}
END_TEST

START_TEST(algorithms_are_exact)
{
    static double x[600];
    static uint64_t wide[600];
    static uint32_t keys[600], out[600], order[600];
    uint64_t state = 2, runs = 0;
    for (size_t a = 0; sim_algorithm(a); a++)
        for (unsigned digit = 1; digit <= (sim_algorithm(a)->takes_digit ? 16 : 1); digit++)
            for (int kind = SIM_IID; kind < KINDS; kind++)
                for (int i = 0; i < 20; i++) {
                    size_t n = random_scale(&state, 1, i % 8 ? 40 : 599),
                           k = random_scale(&state, 1, n);
                    struct operations work = {0};
                    fill(kind, (uint64_t)i, x, n);
                    for (size_t j = 0; j < n; j++)
                        wide[j] = keys[j] = key32_of(x[j]);
                    by_sorting(wide, n, order);
                    struct keys subject = {keys, n, k, 32, i % 2 == 0};
                    if (i % 2) { /* on ranks */
                        for (size_t j = 0; j < n; j++)
                            keys[order[j]] = (uint32_t)(n - 1 - j);
                        for (subject.bits = 0; (UINT64_C(1) << subject.bits) < n;)
                            subject.bits++;
                    }
                    ck_assert(sim_algorithm(a)->run(&subject, digit, out, &work));
                    qsort(out, k, sizeof *out, by_index);
                    qsort(order, k, sizeof *order, by_index);
                    for (size_t j = 0; j < k; j++)
                        ck_assert_msg(out[j] == order[j],
                                      "%s digit %u kind %d n %zu k %zu: %u, want %u",
                                      sim_algorithm(a)->name, digit, kind, n, k, out[j], order[j]);
                    ck_assert_uint_le(work.taken, work.all);
                    runs++;
                }
    printf("exact top-k: %" PRIu64 " runs of the counted algorithms\n", runs);
}
END_TEST

static struct operations count(const char *name, enum sim_input input, size_t n, size_t k,
                               unsigned digit, bool raw)
{
    struct count_row row;
    struct operations work = {0};
    uint32_t *out = malloc(n * sizeof *out);
    ck_assert(sim_count_row(input, 0.5, 1, 0, n, 0.0, false, &row));
    struct keys keys = {raw ? row.raw : row.ranks, n, k, raw ? 32 : row.rank_bits, raw};
    for (size_t a = 0; sim_algorithm(a); a++)
        if (strcmp(sim_algorithm(a)->name, name) == 0)
            ck_assert(sim_algorithm(a)->run(&keys, digit, out, &work));
    ck_assert_uint_gt(work.all, 0);
    sim_count_row_free(&row);
    free(out);
    return work;
}

/* Key et al., Table 1, with the residual spelt out: docs/simulation.md 6. Ranks, n a power of two,
 * so that log2 n bits tell them apart. */
START_TEST(counts_are_those_of_the_models)
{
    for (unsigned bits = 2; bits <= 12; bits++)
        for (size_t k = 1; k <= (size_t)1 << bits; k *= 3) {
            uint64_t n = UINT64_C(1) << bits, L = bits;
            ck_assert_uint_eq(count("insertion_queue", SIM_IID, n, k, 1, false).all,
                              n * (3 * k - 1));
            ck_assert_uint_eq(count("radix_select", SIM_IID, n, k, 1, false).all,
                              n * (4 * L + 4) + 12 * L);
            ck_assert_uint_eq(count("scan_max", SIM_IID, n, k, 1, false).all, k * (2 * L + 3));
            ck_assert_uint_eq(count("parallel_radix_select", SIM_IID, n, k, 1, false).all,
                              L * (2 * L + 16) + 4);
        }
    /* And they agree with the formulas of the library. */
    for (size_t i = 0; rcm_cost_model(i); i++)
        for (int j = 0; j < RCM_MAX_ALGORITHMS && rcm_cost_model(i)->algorithms[j].cost; j++) {
            const struct rcm_algorithm *model = &rcm_cost_model(i)->algorithms[j];
            if (!model->name)
                continue;
            double counted = (double)count(model->name, SIM_IID, 4096, 64, 1, false).all,
                   formula = model->cost(4096.0, 64.0, 1.0);
            ck_assert_msg(counted >= formula && counted <= formula + 12.0 * 12.0,
                          "%s: counted %.0f, model %.0f", model->name, counted, formula);
        }
    /* 32-bit keys: 32 passes where the model has log2 n. Each tie costs one comparison more, and
     * the count says so. */
    ck_assert_uint_eq(count("radix_select", SIM_UNIFORM, 4096, 64, 1, true).all,
                      4096 * (4 * 32 + 4) + 12 * 32);
    ck_assert_uint_gt(count("radix_select", SIM_CONSTANT, 4096, 64, 1, true).all,
                      4096 * (4 * 32 + 4) + 12 * 32);
    /* A radix select that takes only the branches that it needs does about half as much; with more
     * bits a pass it does even less. */
    struct operations one = count("radix_select", SIM_IID, 4096, 64, 1, true),
                      eight = count("radix_select", SIM_IID, 4096, 64, 8, true);
    ck_assert_uint_lt(one.taken, one.all);
    ck_assert_uint_lt(eight.all, one.all);
    ck_assert_uint_lt(eight.taken, one.taken);
}
END_TEST

/* Samaga et al., Algorithm 1. */
START_TEST(stage1_counts)
{
    enum { N = 1 << 14, ROWS = 20 };
    const struct {
        uint64_t b, k_b;
    } shapes[] = {{128, 1}, {128, 4}, {100, 3}, {7, 16}, {16384, 1}, {5000, 8}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        uint64_t b = shapes[s].b, k_b = shapes[s].k_b, insertions = 0;
        struct operations work = {0};
        uint32_t *out = malloc(b * k_b * sizeof *out);
        for (uint64_t r = 0; r < ROWS; r++) {
            struct count_row row;
            ck_assert(sim_count_row(SIM_IID, 0.0, 9, r, N, 0.0, false, &row));
            ck_assert(sim_stage1_queue(&(struct keys){row.ranks, N, 1, row.rank_bits, false}, b,
                                       k_b, out, &work, &insertions));
            /* The largest of each bucket, in falling order. */
            for (uint64_t j = 0; j < b * k_b; j++) {
                uint64_t bucket = j / k_b, place = j % k_b, above = 0;
                if (out[j] == UINT32_MAX) {
                    ck_assert_uint_le(N / b + (bucket < N % b), place);
                    continue;
                }
                ck_assert_uint_eq(out[j] % b, bucket);
                if (r > 0)
                    continue;
                for (uint64_t i = bucket; i < N; i += b)
                    above += row.ranks[i] > row.ranks[out[j]];
                ck_assert_uint_eq(above, place);
            }
            sim_count_row_free(&row);
        }
        ck_assert_uint_eq(work.all, ROWS * N * (5 * k_b - 2));
        ck_assert_uint_eq(work.taken, ROWS * N + insertions * (5 * k_b - 3));
        struct rcm_topk p = {.n = N, .k = 1, .b = b, .k_b = k_b};
        double want = rcm_insertions(p), got = (double)insertions / ROWS, direct = 0.0,
               variance = 0.0;
        for (uint64_t bucket = 0; bucket < b; bucket++)
            for (uint64_t t = 1; t <= N / b + (bucket < N % b); t++) {
                double chance = fmin(1.0, (double)k_b / (double)t); /* records are independent */
                direct += chance;
                variance += chance * (1.0 - chance);
            }
        ck_assert_msg(relative_error(want, direct) <= RCM_INSERTIONS_MAX_RELERR,
                      "b %" PRIu64 " k_b %" PRIu64 ": %.17g, term by term %.17g", b, k_b, want,
                      direct);
        double z = variance > 0.0 ? (got - want) / sqrt(variance / ROWS) : got - want;
        ck_assert_msg(fabs(z) < 5.0,
                      "b %" PRIu64 " k_b %" PRIu64 ": %.1f insertions, want %.1f, z %.2f", b, k_b,
                      got, want, z);
        free(out);
    }
    /* A sorted row inserts every element, a falling one only the first k_b of a bucket. */
    ck_assert(isnan(rcm_insertions((struct rcm_topk){.n = 10, .k = 20, .b = 1, .k_b = 1})));
    ck_assert_double_eq(rcm_insertions((struct rcm_topk){.n = 10, .k = 1, .b = 5, .k_b = 2}), 10.0);
}
END_TEST

TEST_MAIN("topk", keys_keep_the_order, selection_selects, algorithms_are_exact,
          counts_are_those_of_the_models, stage1_counts)
