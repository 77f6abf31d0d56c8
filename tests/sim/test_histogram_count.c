/* test_histogram_count.c - the counted algorithms of two notes on exact top-k: a histogram of
 * float16 bins, and the radix select that keeps what is undecided. (test_topk runs them on every
 * kind of row, with every number of bits.)
 *
 * Against: bins by hand, the edges of the model; every row of seven integers of 4 bits; operations
 * and bytes to the digit; the model of what is left; rows that overflow 3072 places.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>

#include <sim/selection/key.h>
#include <sim/selection/operations.h>
#include <tests/test.h>

static const struct sim_algorithm *algorithm(const char *name)
{
    for (size_t i = 0; sim_algorithm(i); i++)
        if (strcmp(sim_algorithm(i)->name, name) == 0)
            return sim_algorithm(i);
    ck_abort_msg("no algorithm %s", name);
    return NULL;
}

static uint32_t bin_of(double x, unsigned digit)
{
    const struct keys keys = {.bits = 32, .float32 = true};
    return sim_bin_of(&keys, key32_of(x), digit);
}

START_TEST(bins_by_hand)
{
    const struct {
        double x;
        uint32_t bin;
    } known[] = {
        {NAN, 0},
        {-NAN, 0},
        {-INFINITY, 7},
        {-65520.0, 7}, /* rounds to -infinity */
        {-65519.0, 8},
        {-1.0, 135},
        {-0x1p-24, 255}, /* the smallest subnormal number */
        {-0x1p-26, 255}, /* rounds to -0 */
        {-0.0, 256},     /* equal to +0 */
        {0.0, 256},
        {0x1p-149, 256},        /* a subnormal float32, 0 as float16 */
        {127.0 * 0x1p-24, 256}, /* the largest subnormal number of the first bin */
        {127.5 * 0x1p-24, 257}, /* a tie, to even */
        {128.0 * 0x1p-24, 257},
        {0x1p-14, 264},          /* the smallest normal number */
        {0.9375 - 0x1p-12, 375}, /* a tie, to even */
        {0.9375 - 0x1.001p-12, 374},
        {1.0 - 0x1p-12, 376}, /* a tie that rounds to 1 */
        {1.0 - 0x1.001p-12, 375},
        {1.0, 376},
        {65519.0, 503},
        {65520.0, 504}, /* rounds to infinity */
        {FLT_MAX, 504},
        {INFINITY, 504},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(bin_of(known[i].x, 9) == known[i].bin, "%a: bin %u, want %u", known[i].x,
                      bin_of(known[i].x, 9), known[i].bin);
    /* Integers: their leading bits. */
    const struct keys integers = {.bits = 4};
    ck_assert_uint_eq(sim_bin_of(&integers, 13, 2), 3);
    ck_assert_uint_eq(sim_bin_of(&integers, 13, 9), 13);
}
END_TEST

/* Each value lies between the edges of its bin that the model has, also beside an edge. */
START_TEST(bins_are_those_of_the_model)
{
    uint64_t state = 3;
    for (unsigned digit = 1; digit <= 15; digit++) {
        const struct rcm_bins bins = {RCM_BINS_FLOAT16, digit};
        for (int i = 0; i < 3000; i++) {
            uint32_t bits = (uint32_t)next_random(&state), bin;
            float x;
            if (i % 3) { /* of the order of float16 */
                x = (float)ldexp((double)(int32_t)bits, (int)(next_random(&state) % 44) - 60);
            } else {
                uint64_t j = random_between(&state, 0, UINT64_C(1) << digit);
                x = (float)rcm_bin_edge(bins, j);
                x = bits % 3 == 0 ? x : nextafterf(x, bits % 3 == 1 ? INFINITY : -INFINITY);
            }
            if (isinf(x))
                continue;
            bin = bin_of(x, digit);
            ck_assert_msg(rcm_bin_edge(bins, bin) <= x && x <= rcm_bin_edge(bins, bin + 1),
                          "%a: bin %u of 2^%u from %a to %a", (double)x, bin, digit,
                          rcm_bin_edge(bins, bin), rcm_bin_edge(bins, bin + 1));
            /* On an edge of positive numbers, the upper bin (ties to even). */
            ck_assert(x < 0.0f || x < rcm_bin_edge(bins, bin + 1));
        }
    }
}
END_TEST

/* The radix note's setting: the 4 smallest of integers of 4 bits, 2 bits a pass. Every row of seven
 * up to its order, and the 4 largest: reversed keys. */
START_TEST(setting_of_the_radix_note)
{
    enum { N = 7, K = 4 };
    const struct sim_algorithm *radix = algorithm("compacting_radix");
    uint32_t row[N] = {0};
    unsigned rows = 0;
    for (;;) { /* rows that do not fall */
        for (int smallest = 0; smallest < 2; smallest++) {
            uint32_t keys[N], out[N], shuffled[N];
            struct operations work = {0};
            for (unsigned i = 0; i < N; i++)
                shuffled[i] = row[(i * 3 + rows) % N];
            for (int i = 0; i < N; i++)
                keys[i] = smallest ? 15 - shuffled[i] : shuffled[i];
            ck_assert(radix->run(&(struct keys){keys, N, K, 4, false}, 2, out, &work));
            uint32_t seen = 0, found[16] = {0}, want[16] = {0};
            for (int i = 0; i < K; i++) {
                ck_assert_uint_lt(out[i], N);
                seen |= UINT32_C(1) << out[i];
                found[shuffled[out[i]]]++;
                want[smallest ? row[i] : row[N - 1 - i]]++;
            }
            ck_assert_int_eq(__builtin_popcount(seen), K);
            ck_assert_mem_eq(found, want, sizeof found);
            ck_assert_uint_eq(work.passes, 4); /* two digits, each counted and then divided */
        }
        rows++;
        int i = N - 1;
        while (i >= 0 && row[i] == 15)
            i--;
        if (i < 0)
            break;
        uint32_t next = row[i] + 1;
        for (; i < N; i++)
            row[i] = next;
    }
    ck_assert_uint_eq(rows, 170544); /* (22 choose 7) */
}
END_TEST

/* The same setting on one row by hand: the 4 smallest of 9 6 13 1 4 7 6 15. The first digits are
 * 2 1 3 0 1 1 1 3, so 1 is taken, and four elements share the digit of the border, of which three
 * are wanted. Their second digits are 2 0 3 2: 4 is taken, and the sixes fill what is open. */
START_TEST(a_row_by_hand)
{
    const uint32_t row[] = {9, 6, 13, 1, 4, 7, 6, 15};
    uint32_t keys[8], out[8];
    struct operations work = {0};
    for (int i = 0; i < 8; i++)
        keys[i] = 15 - row[i];
    ck_assert(
        algorithm("compacting_radix")->run(&(struct keys){keys, 8, 4, 4, false}, 2, out, &work));
    const uint32_t want[] = {3, 4, 1, 6};
    ck_assert_mem_eq(out, want, sizeof want);
    ck_assert_uint_eq(work.left, 4);
    /* Keys of 8 elements twice; 4 with index written, their keys read, and both again; 4 indices.
     */
    ck_assert_uint_eq(work.bytes, 4 * 8 + 4 * 8 + 8 * 4 + 4 * 4 + 8 * 4 + 4 * 4);
}
END_TEST

/* The elements that share the leading bits of the k-th largest, or its bin. */
static uint64_t sharing(const struct keys *keys, const uint32_t *sorted, unsigned bits, bool bins)
{
    uint64_t count = 0;
    uint32_t border = sorted[keys->k - 1];
    for (size_t i = 0; i < keys->n; i++)
        count += bins ? sim_bin_of(keys, keys->key[i], bits) == sim_bin_of(keys, border, bits)
                      : keys->key[i] >> (32 - bits) == border >> (32 - bits);
    return count;
}

static int falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Operations, passes and bytes, from how many elements share the leading bits of the k-th
 * largest. */
START_TEST(counts_to_the_digit)
{
    const enum sim_input inputs[] = {SIM_IID, SIM_UNIFORM, SIM_LOGNORMAL, SIM_TIES, SIM_CONSTANT};
    for (size_t input = 0; input < sizeof inputs / sizeof *inputs; input++)
        for (size_t k = 1; k <= 4000; k = 3 * k + 1) {
            enum { N = 4000 };
            struct count_row row;
            static uint32_t sorted[N], out[N];
            ck_assert(sim_count_row(inputs[input], 0.0, 7, 0, N, 0.0, k % 2, &row));
            memcpy(sorted, row.raw, sizeof sorted);
            qsort(sorted, N, sizeof *sorted, falling);
            struct keys keys = {row.raw, N, k, 32, true};
            struct operations histogram = {0}, radix = {0};
            ck_assert(algorithm("histogram")->run(&keys, 9, out, &histogram));
            ck_assert(algorithm("compacting_radix")->run(&keys, 8, out, &radix));
            uint64_t inside = sharing(&keys, sorted, 9, true), above = 0;
            uint32_t threshold = sim_bin_of(&keys, sorted[k - 1], 9);
            for (size_t i = 0; i < N; i++)
                above += sim_bin_of(&keys, row.raw[i], 9) > threshold;
            /* Counters cleared and scanned down to the bin; a bin and a count each; a bin and two
             * comparisons, with what they store; eight passes over the threshold bin, 10 an
             * element and 48; and the elements that are taken of it. */
            ck_assert_uint_eq(histogram.all, 512 + 512 + 2 * (511 - threshold) + 2 + N * (4 + 2) +
                                                 N * (4 + 1 + 3 + 1 + 4) + 8 * (10 * inside + 48) +
                                                 3 * (k - above));
            ck_assert_uint_eq(histogram.passes, 2);
            ck_assert_uint_eq(histogram.bytes, 8 * N + 4 * k);
            ck_assert_uint_eq(histogram.left, inside);
            uint64_t bytes = 8 * N + 4 * k;
            for (unsigned bits = 8; bits < 32; bits += 8)
                bytes += 20 * sharing(&keys, sorted, bits, false);
            ck_assert_uint_eq(radix.bytes, bytes);
            ck_assert_uint_eq(radix.passes, 8);
            ck_assert_uint_eq(radix.left, sharing(&keys, sorted, 8, false));
            ck_assert_uint_le(histogram.taken, histogram.all);
            ck_assert_uint_le(radix.taken, radix.all);
            sim_count_row_free(&row);
        }
}
END_TEST

/* What docs/runs.md says of the bytes of normal rows at the histogram note's n and k: the radix by
 * 8 and 11 bits over the histogram. One row; another one differs by 0.01. */
START_TEST(bytes_side_by_side)
{
    enum { N = 50000, K = 2048 };
    static uint32_t out[N];
    struct count_row row;
    struct operations histogram = {0}, eight = {0}, eleven = {0};
    ck_assert(sim_count_row(SIM_IID, 0.0, 1, 0, N, 0.0, false, &row));
    struct keys keys = {row.raw, N, K, 32, true};
    ck_assert(algorithm("histogram")->run(&keys, 9, out, &histogram));
    ck_assert(algorithm("compacting_radix")->run(&keys, 8, out, &eight));
    ck_assert(algorithm("compacting_radix")->run(&keys, 11, out, &eleven));
    ck_assert_uint_eq(histogram.bytes, 408192);
    ck_assert_double_eq_tol((double)eight.bytes / 408192.0, 1.70, 0.02);
    ck_assert_double_eq_tol((double)eleven.bytes / 408192.0, 1.06, 0.02);
    ck_assert_double_eq_tol((double)eight.left / N, 0.29, 0.01);
    sim_count_row_free(&row);
}
END_TEST

/* What is left after the first digit, on 150 rows: within 5 standard errors of the model (false
 * alarm 6e-7 each). */
START_TEST(left_is_what_the_model_expects)
{
    enum { N = 6000, K = 300, ROWS = 150 };
    const struct {
        enum sim_input input;
        const char *dist;
        double shift;
    } inputs[] = {{SIM_IID, "normal", 0.0},
                  {SIM_UNIFORM, "uniform", 0.0},
                  {SIM_LOGNORMAL, "lognormal", 0.0},
                  {SIM_IID, "normal", 10.0}};
    static uint32_t out[N];
    double worst = 0.0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (int smallest = 0; smallest < 2; smallest++)
            for (int bins = 0; bins < 2; bins++) {
                double sum = 0.0, square = 0.0;
                for (uint64_t r = 0; r < ROWS; r++) {
                    struct count_row row;
                    struct operations work = {0};
                    ck_assert(sim_count_row(inputs[i].input, 0.0, 11, r, N, inputs[i].shift,
                                            smallest, &row));
                    struct keys keys = {row.raw, N, K, 32, true};
                    ck_assert(algorithm(bins ? "histogram" : "compacting_radix")
                                  ->run(&keys, 10, out, &work));
                    sum += (double)work.left;
                    square += (double)work.left * (double)work.left;
                    sim_count_row_free(&row);
                }
                double mean = sum / ROWS, error = sqrt((square / ROWS - mean * mean) / ROWS);
                struct rcm_threshold_bin model = rcm_threshold_bin(
                    N, K, (struct rcm_bins){bins ? RCM_BINS_FLOAT16 : RCM_BINS_FLOAT32, 10},
                    (struct rcm_values){rcm_values_distribution_by_name(inputs[i].dist),
                                        smallest ? -inputs[i].shift : inputs[i].shift,
                                        smallest ? -1.0 : 1.0},
                    1000);
                worst = fmax(worst, fabs(mean - model.mean) / error);
                ck_assert_msg(fabs(mean - model.mean) < 5.0 * error,
                              "%s%s, bins %d: counted %.2f +- %.2f, model %.2f", inputs[i].dist,
                              smallest ? ", smallest" : "", bins, mean, error, model.mean);
            }
    printf("threshold bin: counted within %.1f standard errors of the model\n", worst);
}
END_TEST

/* The histogram note keeps the first 3072 elements of the threshold bin and forgets the others. At
 * its own n and k, rows of uniform values lose some of their top-k; normal ones do not. */
START_TEST(places_that_overflow)
{
    enum { N = 50000, K = 2048, PLACES = 3072, ROWS = 40 };
    static uint32_t out[N], sorted[N];
    uint64_t over = 0, lost = 0;
    for (uint64_t r = 0; r < ROWS; r++) {
        struct count_row row;
        struct operations work = {0};
        ck_assert(sim_count_row(r % 2 ? SIM_IID : SIM_UNIFORM, 0.0, 4, r, N, 0.0, false, &row));
        struct keys keys = {row.raw, N, K, 32, true};
        ck_assert(algorithm("histogram")->run(&keys, 9, out, &work));
        memcpy(sorted, row.raw, sizeof sorted);
        qsort(sorted, N, sizeof *sorted, falling);
        uint32_t threshold = sim_bin_of(&keys, sorted[K - 1], 9);
        uint64_t place = 0, forgotten = 0;
        for (uint32_t i = 0; i < N; i++)
            if (sim_bin_of(&keys, row.raw[i], 9) == threshold)
                forgotten += place++ >= PLACES && row.ranks[i] >= N - K;
        if (r % 2)
            ck_assert_uint_eq(forgotten, 0);
        ck_assert_uint_le(forgotten, place > PLACES ? place - PLACES : 0);
        over += work.left > PLACES;
        lost += forgotten;
        sim_count_row_free(&row);
    }
    /* 20 uniform rows, of which 0.834 overflow: at least 8 (false alarm 2e-6). docs/runs.md names
     * what these rows have. */
    ck_assert_uint_ge(over, 8);
    ck_assert_uint_eq(over, 13);
    ck_assert_double_eq_tol((double)lost / 20.0, 31.0, 0.5);
    printf("3072 places: %" PRIu64 " of 20 uniform rows overflow and lose %.1f of %d in the mean\n",
           over, (double)lost / 20.0, K);
}
END_TEST

TEST_MAIN("histogram_count", bins_by_hand, bins_are_those_of_the_model, setting_of_the_radix_note,
          a_row_by_hand, counts_to_the_digit, bytes_side_by_side, left_is_what_the_model_expects,
          places_that_overflow)
