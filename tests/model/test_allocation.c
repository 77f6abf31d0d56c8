/* test_allocation.c - which functions of the library allocate memory: those that
 * model/recallmodel.h names, and no others.
 *
 * The test defines malloc, calloc and realloc itself, so that it counts every call in this process,
 * and passes the calls on to glibc. It is skipped with another C library and under the sanitizers,
 * which define these functions, too.
 *
 * Against: the list in `recallmodel.h`; every call of malloc, calloc and realloc, counted (with
 * glibc, without sanitizers).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#ifdef __has_feature
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && \
    !FEATURE(address_sanitizer) && !FEATURE(thread_sanitizer) && !FEATURE(memory_sanitizer)

static volatile uint64_t allocations;

/* glibc's own names of the three functions. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

/* How often evaluating an expression allocates. */
#define ALLOCATIONS(count, expression) \
    do { \
        const uint64_t before_ = allocations; \
        (void)(expression); \
        count = allocations - before_; \
    } while (0)

#define ck_allocates_nothing(p, expression) \
    do { \
        uint64_t count_; \
        ALLOCATIONS(count_, expression); \
        ck_assert_msg(count_ == 0, "%s: %" PRIu64 " allocations at " TOPK_FMT, #expression, \
                      count_, TOPK_ARG(p)); \
    } while (0)

#define ck_allocates(p, expression) \
    do { \
        uint64_t count_; \
        ALLOCATIONS(count_, expression); \
        ck_assert_msg(count_ > 0, "%s: no allocation at " TOPK_FMT, #expression, TOPK_ARG(p)); \
    } while (0)

/* Few and many buckets, k_b from 1 to 10^4, uneven and padded rows, and one shape that is not
 * legal. */
static const struct rcm_topk shapes[] = {
    {.n = 1000, .k = 10, .b = 50, .k_b = 1, .m = 1},
    {.n = 262144, .k = 1024, .b = 512, .k_b = 4, .m = 64},
    {.n = 128256, .k = 2048, .b = 1000, .k_b = 3, .m = 8},
    {.n = 1000000, .k = 100000, .b = 12, .k_b = 10000, .m = 2},
    {.n = 1000000, .k = 1000, .b = 2, .k_b = 600},
    {.n = 65536, .k = 64, .b = 100, .k_b = 2, .valid = 60001, .assignment = RCM_CONTIGUOUS},
    {.n = UINT64_C(1) << 40, .k = 1 << 20, .b = 1 << 20, .k_b = 8, .m = 1},
    {.n = 10, .k = 20, .b = 5, .k_b = 1},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static const struct rcm_target target = {.loss = 0.05};

START_TEST(recall_and_bounds)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const struct rcm_topk p = shapes[i];
        const struct rcm_buckets buckets = rcm_buckets_of(p);
        ck_allocates_nothing(p, rcm_recall_exact(p));
        ck_allocates_nothing(p, rcm_loss_exact(p));
        ck_allocates_nothing(p, rcm_recall_binomial(p));
        ck_allocates_nothing(p, rcm_loss_binomial(p));
        ck_allocates_nothing(p, rcm_recall_sd(p));
        ck_allocates_nothing(p, rcm_survival(p, p.k));
        ck_allocates_nothing(p, rcm_recall_worst_case(p));
        ck_allocates_nothing(p, rcm_buckets_loss(&buckets, p.k, p.k_b));
        ck_allocates_nothing(p, rcm_buckets_sd(&buckets, p.k, p.k_b));
        ck_allocates_nothing(p, rcm_buckets_survival(&buckets, p.k_b, 1));
        ck_allocates_nothing(p, rcm_loss_series(p, 5));
        ck_allocates_nothing(p, rcm_loss_bound(p));
        ck_allocates_nothing(p, rcm_reaches(p, target));
        ck_allocates_nothing(p, rcm_smallest_b(p, target));
        ck_allocates_nothing(p, rcm_largest_k(p, target));
        ck_allocates_nothing(p, rcm_largest_n(p, target));
        for (size_t r = 0; rcm_rule(r); r++)
            ck_allocates_nothing(p, rcm_rule_b(rcm_rule(r), p, target.loss));
        for (size_t r = 0; rcm_baseline(r); r++)
            ck_allocates_nothing(p, rcm_baseline(r)->choose(p, target.loss));
    }
}
END_TEST

START_TEST(cost_and_time)
{
    const struct rcm_device *h100 = rcm_device_by_name("H100 PCIe");
    const struct rcm_profile *q = rcm_profile(0);
    ck_assert_ptr_nonnull(h100);
    for (size_t i = 0; i < SHAPES; i++) {
        const struct rcm_topk p = shapes[i];
        for (size_t c = 0; rcm_cost_model(c); c++) {
            ck_allocates_nothing(p, rcm_cost(rcm_cost_model(c), p));
            ck_allocates_nothing(p, rcm_cost_threshold(rcm_cost_model(c), p, 1.1 * (double)p.k));
        }
        ck_allocates_nothing(p, rcm_insertions(p));
        ck_allocates_nothing(p, rcm_roofline(h100, RCM_F16, p));
        ck_allocates_nothing(p, rcm_product(h100, RCM_F16, p, 128));
        ck_allocates_nothing(p, rcm_attention(rcm_decoder(0), h100, p.n, p.k, 32));
        ck_allocates_nothing(
            p, rcm_attention_selected(rcm_decoder(0),
                                      rcm_attention(rcm_decoder(0), h100, p.n, p.k, 32), 10.0));
        ck_allocates_nothing(p, rcm_predict(q, p));
        ck_allocates_nothing(p, rcm_predict_exact(q, p));
        ck_allocates_nothing(p, rcm_predict_exact_unpadded(q, p));
        ck_allocates_nothing(p, rcm_predict_threshold(q, p, 1.1 * (double)p.k));
    }
}
END_TEST

/* A choice of b and k_b by its mean recall allocates nothing, whatever the objective is. */
START_TEST(choice_by_mean)
{
    struct rcm_goal goal;
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t o = 0; rcm_objective(o); o++) {
            const struct rcm_topk p = shapes[i];
            const struct rcm_selection s = {
                .p = p,
                .target = target,
                .objective = rcm_objective(o),
                .machine = {.profile = rcm_profile(0), .device = rcm_device(0)},
            };
            ck_allocates_nothing(p, rcm_best_buckets(&s));
            ck_allocates_nothing(p, rcm_select_k_b(&s, 2));
            ck_allocates_nothing(p, rcm_fewest_k_b(&s));
            ck_allocates_nothing(p, rcm_goal("0.95", p.k, &goal));
        }
}
END_TEST

START_TEST(text)
{
    static char buffer[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text read;
    char error[200];
    const struct rcm_topk p = {0};
    const struct rcm_profile *q = rcm_profile(0);
    ck_allocates_nothing(p, rcm_profile_text_write(buffer, sizeof buffer, q, NULL, NULL));
    ck_allocates_nothing(p,
                         rcm_profile_text_read(buffer, strlen(buffer), &read, error, sizeof error));
    ck_assert_msg(read.has_profile, "%s", error);
}
END_TEST

/* The functions that the header names do allocate, so the counting works and the list is not too
 * long. */
START_TEST(functions_that_allocate)
{
    const struct rcm_topk p = shapes[1];
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    struct rcm_lost dist;
    struct rcm_point points[8];
    ck_allocates(p, rcm_lost(p, &dist));
    rcm_lost_free(&dist);
    ck_allocates(p, rcm_buckets_lost(&buckets, p.k, p.k_b, &dist));
    rcm_lost_free(&dist);
    ck_allocates(p, rcm_recall_quantile(p, 0.9, 1));
    ck_allocates(p, rcm_probability_exact(p));
    ck_allocates(p, rcm_buckets_probability_exact(&buckets, p.k, p.k_b));
    ck_allocates(p, rcm_reaching(p));
    ck_allocates(p, rcm_buckets_reaching(&buckets, p.k, p.k_b));
    ck_allocates(p, rcm_reaching_above(p, p.k + 1));
    ck_allocates(p, rcm_buckets_reaching_above(&buckets, p.k, p.k_b, p.k + 1));
    ck_allocates(p, rcm_reaching_quantile(p, 0.01));
    double reaching;
    struct rcm_selection s = {.p = p, .target = target};
    ck_allocates(p, rcm_best_threshold(&s, &reaching));
    ck_allocates_nothing(p, rcm_select(&s));
    s.kernel = rcm_kernel_by_name("cpu"); /* its exact top-k is by threshold */
    ck_allocates(p, rcm_select(&s));
    ck_allocates(p, rcm_select_each(&s, points));
    ck_allocates(p, rcm_best_recall(&s, 10000.0, NULL));
    ck_allocates(p, rcm_frontier(&s, points, 8));
    s.confidence = 0.99;
    s.most_lost = 51;
    ck_allocates(p, rcm_best_buckets(&s));
    ck_allocates(p, rcm_select_k_b(&s, 2));
    ck_allocates(p, rcm_fewest_k_b(&s));
}
END_TEST

TEST_MAIN("allocation", recall_and_bounds, cost_and_time, choice_by_mean, text,
          functions_that_allocate)

#else

int main(void)
{
    puts("SKIPPED: allocations are counted with glibc and without sanitizers");
    return EXIT_SUCCESS;
}

#endif
