/* test_blocks.c - the top-k inside the best blocks: its recall against counting, rationals, a
 * recurrence, and rows that are sorted.
 *
 * Against: counting (every shape with n <= 9), rationals (n <= 60), a recurrence (k <= 300), 2000
 * sorted rows of four shapes (false alarm 6e-7 a shape).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gmp.h>

#include <tests/test.h>

#define BLOCKS_FMT "n %" PRIu64 " k %" PRIu64 " size %" PRIu64 " kept %" PRIu64
#define BLOCKS_ARG(b) (b).n, (b).k, (b).size, (b).kept
#define SMALL 9

/* Asserts the bounds; keeps the largest errors. */
struct worst {
    double loss, sd;
    unsigned shapes;
};

static void compare(struct rcm_blocks b, double loss, double sd, struct worst *worst)
{
    const double got = rcm_blocks_loss(b), got_sd = sd < 0.0 ? sd : rcm_blocks_sd(b);
    worst->shapes++;
    worst->loss = fmax(worst->loss, relative_error(got, loss));
    worst->sd = fmax(worst->sd, relative_error(got_sd, sd));
    ck_assert_msg(relative_error(got, loss) <= RCM_BLOCKS_LOSS_MAX_RELERR,
                  BLOCKS_FMT " loss %.17g, should be %.17g", BLOCKS_ARG(b), got, loss);
    ck_assert_msg(relative_error(got_sd, sd) <= RCM_BLOCKS_SD_MAX_RELERR,
                  BLOCKS_FMT " sd %.17g, should be %.17g", BLOCKS_ARG(b), got_sd, sd);
    ck_assert_double_eq(rcm_blocks_recall(b), 1.0 - got);
}

/* ---- all placements, one by one */

struct placements {
    uint64_t n, blocks, free[SMALL]; /* free places of each block */
    unsigned block_of[SMALL];        /* of each rank */
    uint64_t count;
    uint64_t lost[SMALL + 1][SMALL + 1], square[SMALL + 1][SMALL + 1]; /* [kept][k] */
};

/* Keeps the blocks of the `kept` largest maxima, and counts what is lost of each top-k. */
static void count_lost(struct placements *all, uint64_t kept)
{
    bool in[SMALL] = {false};
    uint64_t distinct = 0, lost = 0;
    for (uint64_t r = 0; r < all->n; r++)
        if (!in[all->block_of[r]] && distinct < kept) {
            in[all->block_of[r]] = true;
            distinct++;
        }
    for (uint64_t k = 1; k <= all->n; k++) {
        lost += !in[all->block_of[k - 1]];
        all->lost[kept][k] += lost;
        all->square[kept][k] += lost * lost;
    }
}

/* A placement stands for as many permutations as any other, so which place of a block does not
 * matter. */
static void place(struct placements *all, uint64_t rank)
{
    if (rank == all->n) {
        all->count++;
        for (uint64_t kept = 1; kept <= all->blocks; kept++)
            count_lost(all, kept);
        return;
    }
    for (unsigned block = 0; block < all->blocks; block++)
        if (all->free[block] > 0) {
            all->free[block]--;
            all->block_of[rank] = block;
            place(all, rank + 1);
            all->free[block]++;
        }
}

static void compare_counted(const struct placements *all, uint64_t size, struct worst *worst)
{
    struct rcm_blocks b = {.n = all->n, .size = size};
    for (b.kept = 1; b.kept <= all->blocks; b.kept++)
        for (b.k = 1; b.k <= all->n && b.k <= b.kept * size; b.k++) {
            const double rows = (double)all->count, lost = (double)all->lost[b.kept][b.k];
            const double k = (double)b.k;
            const double variance = rows * (double)all->square[b.kept][b.k] - lost * lost;
            compare(b, lost / rows / k, sqrt(variance) / rows / k, worst);
            ck_assert_int_eq(rcm_blocks_loss(b) == 0.0, all->lost[b.kept][b.k] == 0);
            if (b.k <= b.kept)
                ck_assert(rcm_blocks_recall(b) == 1.0);
        }
}

START_TEST(counting)
{
    struct worst worst = {0};
    for (uint64_t n = 1; n <= SMALL; n++)
        for (uint64_t size = 1; size <= n; size++) {
            struct placements all = {.n = n, .blocks = (n + size - 1) / size};
            for (uint64_t block = 0; block < all.blocks; block++)
                all.free[block] = n - block * size < size ? n - block * size : size;
            place(&all, 0);
            compare_counted(&all, size, &worst);
        }
    printf("counting: %u shapes, errors of the loss %.1e, of the sd %.1e\n", worst.shapes,
           worst.loss, worst.sd);
}
END_TEST

/* ---- a recurrence over (blocks occupied, ranks seen) */

/* The lost keys are counted by block, at its first rank m: it is lost if `kept` blocks come before
 * it, and then also those of its other places that hold one of the ranks m + 1 .. k. The library
 * sums over the rank at which one block too many is occupied. */
struct recurrence {
    uint64_t whole, rest, reach;
    mpq_t *p[2]; /* [short block occupied][whole blocks occupied] */
};

static void set_ratio(mpq_t q, uint64_t a, uint64_t b)
{
    mpq_set_ui(q, a, b);
    mpq_canonicalize(q);
}

/* sum += p * a/b */
static void add_scaled(mpq_t sum, mpq_t p, uint64_t a, uint64_t b)
{
    mpq_t q;
    mpq_init(q);
    set_ratio(q, a, b);
    mpq_mul(q, q, p);
    mpq_add(sum, sum, q);
    mpq_clear(q);
}

/* What rank m loses if it is the first of a block of `size`. */
static void add_lost(mpq_t lost, mpq_t p, struct rcm_blocks b, uint64_t m, uint64_t blocks,
                     uint64_t size)
{
    mpq_t q;
    mpq_init(q);
    add_scaled(q, p, blocks * size, b.n - m + 1);
    mpq_add(lost, lost, q);
    if (m < b.n)
        add_scaled(lost, q, (size - 1) * (b.k - m), b.n - m);
    mpq_clear(q);
}

static void step(struct recurrence *now, struct rcm_blocks b, uint64_t m, mpq_t lost)
{
    const uint64_t left = b.n - m + 1;
    for (int shorts = 1; shorts >= 0; shorts--)
        for (uint64_t d = now->reach + 1; d-- > 0;) {
            mpq_t *p = &now->p[shorts][d], next;
            const uint64_t keys = d * b.size + (shorts ? now->rest : 0);
            if (d + (uint64_t)shorts >= b.kept) {
                add_lost(lost, *p, b, m, now->whole - d, b.size);
                if (!shorts && now->rest)
                    add_lost(lost, *p, b, m, 1, now->rest);
            }
            mpq_init(next);
            if (keys >= m)
                add_scaled(next, *p, keys - (m - 1), left);
            if (d > 0)
                add_scaled(next, now->p[shorts][d - 1], (now->whole - d + 1) * b.size, left);
            if (shorts && now->rest)
                add_scaled(next, now->p[0][d], now->rest, left);
            mpq_set(*p, next);
            mpq_clear(next);
        }
}

static double rational_loss(struct rcm_blocks b)
{
    struct recurrence now = {.whole = b.n / b.size, .rest = b.n % b.size};
    mpq_t lost;
    mpq_init(lost);
    now.reach = now.whole < b.k ? now.whole : b.k;
    for (int shorts = 0; shorts < 2; shorts++) {
        now.p[shorts] = malloc((now.reach + 1) * sizeof(mpq_t));
        for (uint64_t d = 0; d <= now.reach; d++)
            mpq_init(now.p[shorts][d]);
    }
    mpq_set_ui(now.p[0][0], 1, 1);
    for (uint64_t m = 1; m <= b.k; m++)
        step(&now, b, m, lost);
    const double loss = mpq_get_d(lost) / (double)b.k;
    for (int shorts = 0; shorts < 2; shorts++) {
        for (uint64_t d = 0; d <= now.reach; d++)
            mpq_clear(now.p[shorts][d]);
        free(now.p[shorts]);
    }
    mpq_clear(lost);
    return loss;
}

/* A shape that may lose something. */
static struct rcm_blocks random_blocks(uint64_t *state, uint64_t n_most, uint64_t k_most)
{
    struct rcm_blocks b = {.n = random_between(state, 3, n_most)};
    for (;;) {
        b.size = random_between(state, 2, b.n > 9 && next_random(state) % 2 ? 9 : b.n - 1);
        b.k = random_between(state, 2, b.n < k_most ? b.n : k_most);
        const uint64_t count = rcm_blocks_count(b), low = (b.k - 1) / b.size + 1;
        const uint64_t high = (b.k < count ? b.k : count) - 1;
        if (low > high)
            continue;
        b.kept = random_between(state, low, high);
        return b;
    }
}

START_TEST(rationals)
{
    struct worst worst = {0};
    uint64_t state = 16;
    for (int i = 0; i < 150; i++) {
        const struct rcm_blocks b = random_blocks(&state, 60, 60);
        compare(b, rational_loss(b), -1.0, &worst);
    }
    printf("rationals: %u shapes, errors of the loss %.1e\n", worst.shapes, worst.loss);
}
END_TEST

/* ---- the same for larger rows, in long double */

struct moments {
    double loss, sd;
};

/* p[d] after r ranks becomes that after r + 1; `whole` blocks, no short one. */
static void step_long(long double *p, struct rcm_blocks b, uint64_t reach, uint64_t r)
{
    const long double each = 1.0L / (long double)(b.n - r);
    for (uint64_t d = reach < r + 1 ? reach : r + 1; d > 0; d--) {
        const uint64_t keys = d * b.size;
        p[d] = ((keys > r ? p[d] * (long double)(keys - r) : 0.0L) +
                p[d - 1] * (long double)(b.n - keys + b.size)) *
               each;
    }
    p[0] = 0.0L;
}

/* at[m] = P(T = m) for m <= last, T the first rank in one block too many. */
static void arrival_distribution(long double *at, struct rcm_blocks b, uint64_t last)
{
    const uint64_t count = b.n / b.size, reach = count < last ? count : last;
    const long double outside = (long double)(b.n - b.kept * b.size);
    long double *p = calloc(reach + 1, sizeof *p);
    p[0] = 1.0L;
    for (uint64_t m = 1; m <= last; m++) {
        at[m] = p[b.kept] * outside / (long double)(b.n - m + 1);
        step_long(p, b, reach, m - 1);
    }
    free(p);
}

/* The lost keys given T are this one and a hypergeometric number. */
static struct moments recurrence_moments(struct rcm_blocks b)
{
    const uint64_t most = b.kept * b.size + 1, last = most < b.k + 300 ? most : b.k + 300;
    const long double others = (long double)(b.n - b.kept * b.size - 1);
    long double *at = calloc(last + 1, sizeof *at), lost = 0.0L, square = 0.0L;
    long double losing = 0.0L, through = 0.0L;
    arrival_distribution(at, b, last);
    for (uint64_t m = last; m > b.k; m--)
        through += at[m];
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t m = b.k < last ? b.k : last; m > 0; m--) {
            const long double places = (long double)(b.n - m), wanted = (long double)(b.k - m);
            const long double share = places > 0.0L ? others / places : 0.0L;
            const long double mean = 1.0L + wanted * share;
            const long double free = places > 1.0L ? (places - wanted) / (places - 1.0L) : 0.0L;
            losing += pass == 0 ? at[m] : 0.0L;
            if (pass == 0)
                lost += at[m] * mean;
            else
                square += at[m] *
                          (wanted * share * (1.0L - share) * free + (mean - lost) * (mean - lost));
        }
    square += (losing < 0.999L ? 1.0L - losing : through) * lost * lost;
    free(at);
    return (struct moments){(double)(lost / (long double)b.k),
                            (double)(sqrtl(square) / (long double)b.k)};
}

static uint64_t log_uniform(uint64_t *state, double low, double high)
{
    const double u = (double)(next_random(state) >> 11) * 0x1p-53;
    return (uint64_t)(low * pow(high / low, u));
}

START_TEST(recurrence)
{
    struct worst worst = {0};
    uint64_t state = 17;
    while (worst.shapes < 250) {
        struct rcm_blocks b = {.size = log_uniform(&state, 2.0, 1e5)};
        b.n = b.size * log_uniform(&state, 2.0, 1e9);
        b.k = log_uniform(&state, 2.0, fmin((double)b.n, 300.0) + 0.5);
        const uint64_t count = rcm_blocks_count(b), low = (b.k - 1) / b.size + 1;
        const uint64_t high = (b.k < count ? b.k : count) - 1;
        if (low > high)
            continue;
        b.kept = random_between(&state, low, high);
        const struct moments want = recurrence_moments(b);
        if (want.loss >= 1e-270)
            compare(b, want.loss, want.sd, &worst);
    }
    printf("recurrence: %u shapes, errors of the loss %.1e, of the sd %.1e\n", worst.shapes,
           worst.loss, worst.sd);
}
END_TEST

/* ---- rows that are sorted */

struct key {
    double value;
    uint64_t block;
};

static int larger_first(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return (x->value < y->value) - (x->value > y->value);
}

/* The selection as it is deployed. Returns how many of the top-k it misses. */
static uint64_t missed_by_selection(struct rcm_blocks b, uint64_t *state, struct key *keys,
                                    struct key *maxima, struct key *inside)
{
    const uint64_t count = rcm_blocks_count(b);
    uint64_t candidates = 0, hits = 0;
    for (uint64_t i = 0; i < b.n; i++) {
        keys[i] = (struct key){(double)(next_random(state) >> 11), i / b.size};
        if (i % b.size == 0 || keys[i].value > maxima[i / b.size].value)
            maxima[i / b.size] = keys[i];
    }
    qsort(maxima, count, sizeof *maxima, larger_first);
    for (uint64_t i = 0; i < b.n; i++)
        for (uint64_t j = 0; j < b.kept; j++)
            if (maxima[j].block == keys[i].block)
                inside[candidates++] = keys[i];
    qsort(inside, candidates, sizeof *inside, larger_first);
    qsort(keys, b.n, sizeof *keys, larger_first);
    for (uint64_t i = 0; i < b.k && i < candidates; i++)
        hits += inside[i].value >= keys[b.k - 1].value;
    return b.k - hits;
}

/* |z| > 5 in a mean by chance: 6e-7 a shape. The variance of 2000 rows is within 20 % of the true
 * one but for six of its standard errors (sqrt(2/2000) = 3.2 %). The seed is fixed. */
START_TEST(sorted_rows)
{
    const struct rcm_blocks shapes[] = {
        {500, 40, 8, 20}, {497, 64, 8, 8}, {300, 30, 64, 3}, {301, 20, 100, 3}};
    const int rows = 2000;
    uint64_t state = 18;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct rcm_blocks b = shapes[i];
        struct key keys[500], maxima[500], inside[500];
        double sum = 0.0, square = 0.0;
        for (int row = 0; row < rows; row++) {
            const double lost =
                (double)missed_by_selection(b, &state, keys, maxima, inside) / (double)b.k;
            sum += lost;
            square += lost * lost;
        }
        const double mean = sum / rows, variance = square / rows - mean * mean;
        const double sd = rcm_blocks_sd(b), z = (mean - rcm_blocks_loss(b)) / sd * sqrt(rows);
        printf("sorted: " BLOCKS_FMT " loss %.4f, z %+.2f, variance %.3f of the model's\n",
               BLOCKS_ARG(b), mean, z, variance / (sd * sd));
        ck_assert_msg(fabs(z) <= 5.0, BLOCKS_FMT ": z %.2f", BLOCKS_ARG(b), z);
        ck_assert_double_eq_tol(variance / (sd * sd), 1.0, 0.2);
    }
}
END_TEST

TEST_MAIN("blocks", counting, rationals, recurrence, sorted_rows)
