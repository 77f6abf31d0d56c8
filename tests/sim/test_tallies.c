/* test_tallies.c - histograms and tallies: adding them up, and their text.
 *
 * Against: each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sim/tally/tallies.h>
#include <tests/test.h>

enum { RHOS = 2, RESULTS = 3, RANKS = 2, GROUPS = 4, K = 50 };

static const struct tally_lengths lengths = {RANKS, GROUPS};

/* Counts `rows` random rows, each of which loses `first` to `first` + 9 elements. */
static void count_rows(struct tallies *tallies, uint64_t *state, int rows, uint64_t first)
{
    for (int row = 0; row < rows; row++) {
        for (size_t i = 0; i < RHOS; i++) {
            struct row_tally *rho = &tallies->rows[i];
            rho->rows++;
            rho->with_nan += next_random(state) % 2;
            rho->short_rows += next_random(state) % 3 == 0;
            shares_add(&rho->outside, (double)(next_random(state) >> 11) * 0x1p-53);
        }
        for (size_t i = 0; i < RESULTS; i++) {
            struct tally *result = &tallies->of_results[i];
            ck_assert(histogram_add(&result->lost, first + next_random(state) % 10, 1));
            result->lost_by_value += next_random(state) % 10;
            result->certified += next_random(state) % 2;
            shares_add(&result->mass, (double)(next_random(state) >> 11) * 0x1p-53);
            shares_add(&result->value, i == 0 ? 1.0 : 0.0);
            reaching_add(&result->reaching, next_random(state) >> (16 + next_random(state) % 48));
            for (size_t r = 0; r < RANKS; r++)
                result->survived[r] += next_random(state) % 2;
            /* The last group never has rows. */
            struct group_tally *group = &result->by_group[next_random(state) % (GROUPS - 1)];
            group->rows++;
            group->lost += next_random(state) % 10;
            shares_add(&group->mass, (double)(next_random(state) >> 11) * 0x1p-53);
        }
    }
}

static uint64_t count_at(const struct histogram *h, uint64_t value)
{
    return value >= h->first && value - h->first < h->length ? h->count[value - h->first] : 0;
}

static void assert_same(const struct tallies *a, const struct tallies *b)
{
    for (size_t i = 0; i < RHOS; i++)
        ck_assert_mem_eq(&a->rows[i], &b->rows[i], sizeof a->rows[i]);
    for (size_t i = 0; i < RESULTS; i++) {
        const struct tally *x = &a->of_results[i], *y = &b->of_results[i];
        for (uint64_t value = 0; value <= K; value++)
            ck_assert_msg(count_at(&x->lost, value) == count_at(&y->lost, value),
                          "result %zu, lost %" PRIu64 ": %" PRIu64 " and %" PRIu64 " rows", i,
                          value, count_at(&x->lost, value), count_at(&y->lost, value));
        ck_assert_uint_eq(x->lost_by_value, y->lost_by_value);
        ck_assert_uint_eq(x->certified, y->certified);
        ck_assert_mem_eq(&x->mass, &y->mass, sizeof x->mass);
        ck_assert_mem_eq(&x->value, &y->value, sizeof x->value);
        ck_assert_mem_eq(&x->reaching, &y->reaching, sizeof x->reaching);
        ck_assert_mem_eq(x->survived, y->survived, RANKS * sizeof *x->survived);
        ck_assert_mem_eq(x->by_group, y->by_group, GROUPS * sizeof *x->by_group);
    }
}

/* Two parts that are merged are the same as all rows counted into one. */
START_TEST(merging)
{
    uint64_t state = 1, again = 1;
    struct tallies whole, part, total;
    ck_assert(tallies_make(&whole, RHOS, RESULTS, lengths));
    ck_assert(tallies_make(&part, RHOS, RESULTS, lengths));
    ck_assert(tallies_make(&total, RHOS, RESULTS, lengths));
    for (uint64_t first = 40; first <= 40; first -= 20) { /* 40, 20, 0: the windows grow down */
        count_rows(&whole, &state, 30, first);
        count_rows(&part, &again, 30, first);
        ck_assert(tallies_merge(&total, &part));
        tallies_clear(&part);
        assert_same(&total, &whole);
    }
    ck_assert_uint_eq(total.rows[1].rows, 90);
    ck_assert_uint_eq(histogram_spread(&total.of_results[2].lost).rows, 90);
    ck_assert_double_eq(shares_mean(&total.of_results[0].value), 1.0);
    tallies_free(&whole);
    tallies_free(&part);
    tallies_free(&total);
}
END_TEST

static char *text_of(const struct tallies *tallies)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(file);
    tallies_print(file, tallies);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

/* The text of tallies, added to nothing, gives the same tallies; a text that is cut off is refused,
 * and so is one in which a row lost more than k. */
START_TEST(texts)
{
    uint64_t state = 2;
    struct tallies tallies, other;
    ck_assert(tallies_make(&tallies, RHOS, RESULTS, lengths));
    ck_assert(tallies_make(&other, RHOS, RESULTS, lengths));
    count_rows(&tallies, &state, 100, 41);
    char *text = text_of(&tallies);
    const char *at = text;
    ck_assert(tallies_add_text(&other, K, &at));
    ck_assert_str_eq(at, "");
    assert_same(&other, &tallies);
    at = text;
    tallies_clear(&other);
    ck_assert(!tallies_add_text(&other, 49, &at)); /* some row lost 50 */
    for (size_t length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        at = text;
        tallies_clear(&other);
        ck_assert_msg(!tallies_add_text(&other, K, &at), "taken: '%s'", text);
    }
    free(text);
    tallies_free(&tallies);
    tallies_free(&other);
}
END_TEST

TEST_MAIN("tallies", merging, texts)
