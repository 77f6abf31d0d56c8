/* test_resume.c - an evaluation that goes on from states that it kept ends with the same bits;
 * a stop within a head; states that are not its own; a keeper that fails.
 *
 * Against: the run in one piece, bit for bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "made_up_heads.h"

#include <stdlib.h>

enum { STATES_MAX = 600 };
static struct {
    char *bytes;
    size_t length;
} states[STATES_MAX];
static size_t states_length;
static int builds; /* of k-means: iterations that were reported */

static bool always(void *context)
{
    (void)context;
    return true;
}

/* Keeps a copy of each state; fails where *context is reached. */
static int keep_copy(void *context, const void *state, size_t length, struct message error)
{
    if (context && states_length == *(size_t *)context)
        return message_set(error, "no room");
    ck_assert_uint_lt(states_length, STATES_MAX);
    states[states_length].bytes = malloc(length);
    memcpy(states[states_length].bytes, state, length);
    states[states_length++].length = length;
    return 0;
}

static void forget(void)
{
    while (states_length > 0)
        free(states[--states_length].bytes);
}

static void compare_rows(const struct evaluation *a, const struct evaluation *b)
{
    ck_assert_uint_eq(a->length, b->length);
    for (size_t i = 0; i < a->length; i++) {
        struct evaluation_row x = a->rows[i], y = b->rows[i];
        ck_assert_mem_eq(x.recall, y.recall, K_LENGTH * sizeof *x.recall);
        ck_assert(x.method == y.method && x.budget == y.budget && x.knob == y.knob);
        ck_assert(x.layer == y.layer && x.head == y.head && x.groups == y.groups);
        x.recall = y.recall = NULL;
        ck_assert_mem_eq(&x.visited, &y.visited,
                         sizeof x - offsetof(struct evaluation_row, visited));
    }
}

/* Methods with and without an index, a knob that is searched, and a partition. */
static struct evaluation_spec whole_spec(bool per_head)
{
    static const struct method *list[4];
    list[0] = method_by_name("kmeans");
    list[1] = method_by_name("topk");
    list[2] = &some;
    list[3] = method_by_name("lsh-gray");
    struct evaluation_spec spec = spec_of(list, 4);
    spec.options.clusters = 6;
    spec.options.batch = 3; /* centroids of its own keys: an earlier run's are not shared either */
    spec.options.chunk = 4;
    spec.per_head = per_head;
    spec.threads = 1;
    return spec;
}

static bool count_ticks(void *context, uint64_t done, uint64_t total)
{
    (void)total;
    int *left = context;
    builds += done < EVALUATION_STEPS;
    return *left >= 0 && --*left < 0;
}

START_TEST(states_go_on)
{
    make_heads();
    for (int per_head = 0; per_head < 2; per_head++) {
        struct evaluation_spec spec = whole_spec(per_head);
        struct evaluation whole = run(&spec), e;
        struct evaluation_keeper keeper = {.due = always, .keep = keep_copy};
        spec.keeper = &keeper;
        e = run(&spec);
        compare_rows(&whole, &e);
        evaluation_free(&e);
        /* A state for each head and phase, at least. */
        ck_assert_uint_gt(states_length, 4 * 2 * HEADS);
        const size_t all = states_length;
        for (size_t i = 0; i < all; i += 5) {
            struct evaluation_keeper later = {.state = states[i].bytes,
                                              .length = states[i].length,
                                              .due = always,
                                              .keep = keep_copy};
            spec.keeper = &later;
            e = run(&spec);
            compare_rows(&whole, &e);
            evaluation_free(&e);
            while (states_length > all)
                free(states[--states_length].bytes);
        }
        forget();
        evaluation_free(&whole);
    }
}
END_TEST

/* Stopped after any number of ticks, also within a head, each time from where it was before. */
START_TEST(stops_anywhere)
{
    make_heads();
    struct evaluation_spec spec = whole_spec(false);
    struct evaluation whole = run(&spec), e;
    for (int step = 31; step < 1100; step = 4 * step + 3) {
        char error[300] = "";
        int status = 1, runs = 0, ticks = step;
        for (; status == 1; ticks += step, runs++) {
            const size_t last = states_length;
            struct evaluation_keeper keeper = {.due = always, .keep = keep_copy};
            if (last > 0) {
                keeper.state = states[last - 1].bytes;
                keeper.length = states[last - 1].length;
            }
            int left = ticks;
            spec.keeper = &keeper;
            status = evaluation_run(&spec, &(struct watch){count_ticks, &left}, &e, MESSAGE(error));
            ck_assert_msg(status == 0 || status == 1, "%s", error);
            if (status == 0)
                compare_rows(&whole, &e);
            evaluation_free(&e);
            while (states_length > last + 1) { /* the last one stays */
                states_length--;
                free(states[last].bytes);
                states[last] = states[states_length];
            }
        }
        ck_assert_int_gt(runs, step < 200);
        forget();
    }
    ck_assert_int_gt(builds, 0);
    evaluation_free(&whole);
}
END_TEST

START_TEST(wrong_states)
{
    make_heads();
    struct evaluation_spec spec = whole_spec(false);
    struct evaluation e;
    char error[300] = "";
    struct evaluation_keeper keeper = {.due = always, .keep = keep_copy};
    spec.keeper = &keeper;
    e = run(&spec);
    evaluation_free(&e);
    keeper.state = states[states_length / 2].bytes;
    for (size_t cut = 0; cut < states[states_length / 2].length; cut += 203) {
        keeper.length = cut;
        ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), -1);
        ck_assert_msg(strstr(error, "the saved state is not of this run") != NULL, "%s", error);
        evaluation_free(&e);
    }
    keeper.length = states[states_length / 2].length;
    spec.budgets_length--;
    ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), -1);
    evaluation_free(&e);
    spec.budgets_length++;
    forget();
    size_t most = 3;
    keeper = (struct evaluation_keeper){.due = always, .keep = keep_copy, .context = &most};
    ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), EVALUATION_UNKEPT);
    ck_assert_str_eq(error, "no room");
    ck_assert(e.length == 0 && states_length == 3);
    evaluation_free(&e);
    forget();
}
END_TEST

TEST_MAIN("resume", states_go_on, stops_anywhere, wrong_states)
