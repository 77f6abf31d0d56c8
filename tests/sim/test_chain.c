/* test_chain.c - a sampler's chain: how buckets change the distribution of a token.
 *
 * Against: all ways in which the elements of rows of 6 to 9 can lie, weighed by definition; in
 * every order of the steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <tests/test.h>

#include <sim/sampler/rank_weights.h>

enum { ROWS = 2, MOST = 9, LEVELS = 3 };

static const double levels[LEVELS] = {0.0, 0.1, 0.3};

/* ---- by definition */

/* Keeps the tokens, those with the least `order` first, until they have this share. */
static void keep_share(const double *w, const double *order, int n, double share, bool *alive)
{
    bool kept[MOST] = {false};
    double all = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++)
        all += alive[i] ? w[i] : 0.0;
    while (sum < share * all * (1.0 - 1e-14)) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (alive[i] && !kept[i] && (best < 0 || order[i] < order[best] - 1e-13))
                best = i;
        kept[best] = true;
        sum += w[best];
    }
    memcpy(alive, kept, sizeof kept);
}

static void keep_typical(const double *w, int n, double share, bool *alive)
{
    double all = 0.0, entropy = 0.0, far[MOST] = {0.0};
    for (int i = 0; i < n; i++)
        all += alive[i] ? w[i] : 0.0;
    for (int i = 0; i < n; i++)
        entropy -= alive[i] ? w[i] / all * log(w[i] / all) : 0.0;
    for (int i = 0; i < n; i++)
        far[i] = fabs(-log(w[i] / all) - entropy);
    keep_share(w, far, n, share, alive);
}

/* p[i]: the probability of the i-th largest of scores x, of which those in `gone` are lost. */
static void distribution(const struct chain *chain, const double *x, int n, int k, unsigned gone,
                         double *p)
{
    double w[MOST], temperature = 1.0, sum = 0.0, falling[MOST];
    bool alive[MOST];
    for (int i = 0; i < n; i++) {
        alive[i] = true;
        falling[i] = -x[i];
    }
    struct chain_step steps[CHAIN_MOST + 1] = {{CHAIN_TOP_K, 0.0}}; /* first if it is not named */
    memcpy(steps + 1, chain->of, chain->length * sizeof *steps);
    bool named = false;
    for (unsigned s = 0; s < chain->length; s++)
        named = named || chain->of[s].kind == CHAIN_TOP_K;
    for (unsigned s = named ? 1 : 0; s < chain->length + 1; s++) {
        const struct chain_step *step = &steps[s];
        int count = 0;
        double largest = 0.0;
        temperature = step->kind == CHAIN_TEMPERATURE ? step->value : temperature;
        for (int i = 0; i < n; i++) {
            w[i] = exp(x[i] / temperature);
            largest = alive[i] ? fmax(largest, w[i]) : largest;
        }
        for (int i = 0; i < n; i++)
            if (step->kind == CHAIN_TOP_K)
                alive[i] = alive[i] && !(gone >> i & 1) && ++count <= k;
            else if (step->kind == CHAIN_MIN_P)
                alive[i] = alive[i] && w[i] >= step->value * largest;
        if (step->kind == CHAIN_TOP_P)
            keep_share(w, falling, n, step->value, alive);
        else if (step->kind == CHAIN_TYPICAL)
            keep_typical(w, n, step->value, alive);
    }
    for (int i = 0; i < n; i++)
        sum += p[i] = alive[i] ? exp(x[i] / temperature) : 0.0;
    for (int i = 0; i < n; i++)
        p[i] /= sum;
}

/* The token at which the sum of p, in this order, passes u. */
static int token_at(const double *p, const int *order, int n, double u)
{
    double sum = 0.0;
    int last = -1;
    for (int i = 0; i < n; i++) {
        last = p[order[i]] > 0.0 ? order[i] : last;
        if ((sum += p[order[i]]) > u)
            break;
    }
    return last;
}

/* How likely two distributions give two tokens for one u: between the ends of all intervals. */
static double differ_in_order(const double *p, const double *q, const int *order, int n)
{
    double ends[2 * MOST + 1] = {0.0}, sum[2] = {0.0, 0.0}, differs = 0.0;
    for (int i = 0; i < n; i++) {
        ends[2 * i + 1] = sum[0] += p[order[i]];
        ends[2 * i + 2] = sum[1] += q[order[i]];
    }
    for (int i = 1; i < 2 * n + 1; i++)
        for (int j = i; j > 0 && ends[j - 1] > ends[j]; j--) {
            const double end = ends[j];
            ends[j] = ends[j - 1];
            ends[j - 1] = end;
        }
    for (int i = 0; i < 2 * n; i++) {
        const double u = 0.5 * (ends[i] + ends[i + 1]);
        if (ends[i + 1] - ends[i] > 1e-12 && token_at(p, order, n, u) != token_at(q, order, n, u))
            differs += ends[i + 1] - ends[i];
    }
    return differs;
}

/* The mean over all orders of those not yet in one. */
static double differ_in_orders(const double *p, const double *q, int *order, int from, int n)
{
    double sum = 0.0;
    if (from == n)
        return differ_in_order(p, q, order, n);
    for (int i = from; i < n; i++) {
        const int first = order[i];
        order[i] = order[from];
        order[from] = first;
        sum += differ_in_orders(p, q, order, from + 1, n) / (n - from);
        order[from] = order[i];
        order[i] = first;
    }
    return sum;
}

/* Noise E for each token, exponential: the least E/p is token i with probability 1/(the sum over j
 * of p[j]/p[i]), and it is i for both p and q with that of the larger of both ratios. */
static double differ_by_noise(const double *p, const double *q, int n)
{
    double same = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += fmax(p[j] / p[i], q[j] / q[i]);
        same += p[i] > 0.0 && q[i] > 0.0 ? 1.0 / sum : 0.0;
    }
    return 1.0 - same;
}

/* ---- all places */

enum { VARIATION, NOISE, RANK, POSITION, ABOVE, NUMBERS = ABOVE + LEVELS };

struct census {
    int n, k;
    struct rank_placement to;
    double count[1 << MOST]; /* in how many ways these are lost */
};

static void place(struct census *all, int rank, unsigned *in, unsigned gone, double ways)
{
    if (rank == all->n) {
        all->count[gone] += ways;
        return;
    }
    for (unsigned bucket = 0; bucket < all->to.b; bucket++) {
        const unsigned n = (unsigned)all->n, b = (unsigned)all->to.b;
        const unsigned size = n / b + (bucket < n % b);
        const bool lost = in[bucket] >= all->to.k_b;
        if (in[bucket] == size)
            continue;
        in[bucket]++;
        place(all, rank + 1, in, gone | (unsigned)lost << rank, ways * (size - in[bucket] + 1));
        in[bucket]--;
    }
}

static void count_all(struct census *all, const struct chain *chain, const double *x,
                      bool positions, double *mean)
{
    double p[MOST], q[MOST], ways = 0.0;
    int order[MOST];
    for (int i = 0; i < all->n; i++)
        order[i] = i;
    distribution(chain, x, all->n, all->k, 0, p);
    for (int i = 0; i < NUMBERS; i++)
        mean[i] = 0.0;
    for (unsigned gone = 0; gone < 1U << all->n; gone++) {
        const double of = all->count[gone];
        double variation = 0.0;
        if (of == 0.0)
            continue;
        distribution(chain, x, all->n, all->k, gone, q);
        for (int i = 0; i < all->n; i++)
            variation += 0.5 * fabs(p[i] - q[i]);
        ways += of;
        mean[VARIATION] += of * variation;
        mean[NOISE] += of * differ_by_noise(p, q, all->n);
        mean[RANK] += of * differ_in_order(p, q, order, all->n);
        if (positions)
            mean[POSITION] += of * differ_in_orders(p, q, order, 0, all->n);
        for (int l = 0; l < LEVELS; l++)
            mean[ABOVE + l] += variation > levels[l] + 1e-12 ? of : 0.0;
    }
    for (int i = 0; i < NUMBERS; i++)
        mean[i] /= ways;
}

/* ---- draws */

static double rows[ROWS][MOST];

static void open_rows(struct row_file *file, int n)
{
    char path[] = "/tmp/chain_XXXXXX", error[300];
    const int descriptor = mkstemp(path);
    uint64_t state = (uint64_t)n;
    ck_assert_int_ge(descriptor, 0);
    for (int r = 0; r < ROWS; r++) {
        double x = 0.0;
        for (int i = 0; i < n; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            rows[r][i] = x -= (double)(state >> 43) * 0x1p-21;
        }
        ck_assert_int_eq(write(descriptor, rows[r], (size_t)n * sizeof(double)), n * 8);
    }
    close(descriptor);
    ck_assert_msg(row_file_open(file, path, SIM_F64, (uint64_t)n, MESSAGE(error)) == 0, "%s",
                  error);
    unlink(path);
}

static struct rank_changed each[RANK_DRAWS];
static double value[NUMBERS][RANK_DRAWS];
static double most; /* |z| of all */
static int compared;

/* |z| > 5 by chance: 6e-7 a number, of some thousand. The seeds are fixed. */
static void compare(const char *text, int n, int k, struct rank_placement to)
{
    struct chain chain;
    struct row_file file;
    struct rank_weights weights;
    struct census all = {.n = n, .k = k, .to = to};
    unsigned in[MOST] = {0};
    char error[300];
    double mean[ROWS][NUMBERS], found_error;
    const bool positions = n <= 6;
    char again[CHAIN_TEXT];
    ck_assert_msg(chain_read(&chain, text, MESSAGE(error)) == 0, "%s %s", text, error);
    chain_text(&chain, again);
    ck_assert_str_eq(again, text);
    open_rows(&file, n);
    const struct rank_scores scores = {
        .file = &file, .n = (uint64_t)n, .chain = chain, .change = true};
    ck_assert_msg(rank_weights(&weights, &scores, (uint64_t)k, MESSAGE(error)) == 0, "%s", error);
    place(&all, 0, in, 0, 1.0);
    for (int r = 0; r < ROWS; r++)
        count_all(&all, &chain, rows[r], positions, mean[r]);
    const size_t length = rank_change(&weights, &chain, to, RANK_DRAWS, each);
    ck_assert_uint_eq(length, RANK_DRAWS);
    for (size_t i = 0; i < length; i++) {
        const struct rcm_token_change t =
            rcm_token_change(each[i].exact, each[i].approximate, each[i].common);
        value[VARIATION][i] = t.total_variation;
        value[NOISE][i] = t.differs;
        value[RANK][i] = each[i].by_rank;
        value[POSITION][i] = each[i].by_position;
        for (int l = 0; l < LEVELS; l++)
            value[ABOVE + l][i] = t.total_variation > levels[l] + 1e-12;
    }
    for (int i = 0; i < NUMBERS; i++) {
        if (i == POSITION && !positions)
            continue;
        const double want = 0.5 * (mean[0][i] + mean[1][i]),
                     found = rank_change_mean(&weights, each, length, value[i], 1, &found_error),
                     z = (found - want) / (found_error + 1e-9 + 1e-3 * want / sqrt(RANK_DRAWS));
        most = fmax(most, fabs(z));
        compared++;
        ck_assert_msg(fabs(z) < 5.0, "%s, n %d k %d b %d k_b %d, number %d: %g (%g) for %g", text,
                      n, k, (int)to.b, (int)to.k_b, i, found, found_error, want);
    }
    rank_weights_free(&weights);
    row_file_close(&file);
}

/* Every order of five steps that chain_read() takes. */
START_TEST(every_order)
{
    static const char *const steps[] = {"temperature=0.7", "top-k", "top-p=0.8", "min-p=0.08",
                                        "typical=0.9"};
    unsigned taken = 0;
    for (int code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        char text[120] = "", error[300];
        struct chain chain;
        unsigned used = 0;
        for (int i = 0, left = code; i < 5; i++, left /= 5) {
            used |= 1U << left % 5;
            strcat(strcat(text, i ? "," : ""), steps[left % 5]);
        }
        if (used != 31 || chain_read(&chain, text, MESSAGE(error)) != 0)
            continue;
        compare(text, 6, 4, (struct rank_placement){2 + taken % 3U, 1 + taken % 2U, taken});
        taken++;
    }
    ck_assert_uint_eq(taken, 60 - 5); /* of 120, half with typical first; min-p, top-p, top-k */
    printf("measured: %u orders, %d numbers, |z| up to %.1f\n", taken, compared, most);
}
END_TEST

/* Those of serving stacks, and of each step alone. */
START_TEST(longer_rows)
{
    static const char *const chains[] = {
        "top-k",
        "temperature=1.5,top-k,top-p=0.5",
        "temperature=0.8,min-p=0.1,top-k,top-p=0.9",               /* vLLM */
        "temperature=0.8,top-p=0.9,top-k",                         /* SGLang */
        "temperature=0.8,top-k,top-p=0.9,min-p=0.1",               /* SGLang, Transformers */
        "top-k,typical=0.8,top-p=0.95,min-p=0.05,temperature=0.8", /* llama.cpp */
        "typical=0.6",
        "typical=0.3,min-p=0.7", /* the largest may be gone */
        "min-p=0.2",
        "top-p=0.6"};
    most = 0.0;
    for (int n = 6; n <= MOST; n++)
        for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
            const uint64_t b = 2 + (c + (uint64_t)n) % 3;
            compare(chains[c], n, 3 + n % 3, (struct rank_placement){b, 1 + (b < 4), c});
        }
    printf("measured: longer rows, |z| up to %.1f\n", most);
}
END_TEST

START_TEST(faults)
{
    static const char *const wrong[][2] = {
        {"", "has the step ''; the steps are temperature=T"},
        {"top-k,", "has the step ''"},
        {"topk", "has the step 'topk'"},
        {"top-p", "needs a decimal number above 0 and at most 1 behind top-p="},
        {"top-p=1.5", "needs a decimal number above 0 and at most 1"},
        {"min-p=0", "needs a decimal number above 0 and at most 1"},
        {"temperature=-1", "needs a decimal number above 0 behind"},
        {"top-k=50", "has a number behind top-k; give it as --k"},
        {"top-p=0.5,top-k,top-p=0.4", "has top-p twice"},
        {"typical=0.5,top-k", "has typical before top-k"},
        {"min-p=0.1,top-p=0.5,top-k", "has min-p before top-p"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct chain chain;
        char error[300];
        ck_assert_int_eq(chain_read(&chain, wrong[i][0], MESSAGE(error)), -1);
        ck_assert_msg(strstr(error, wrong[i][1]) == error, "'%s': %s", wrong[i][0], error);
    }
}
END_TEST

TEST_MAIN("chain", every_order, longer_rows, faults)
