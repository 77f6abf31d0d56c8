/* test_outputs.c - what a call may want besides the k best: best first, wide indices, no values,
 * rows with lengths and starts, page tables. Each combination, on every kind of row, for each
 * kernel of exact top-k and for both stages.
 *
 * Against: plain C, as `test_stage1`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

/* A number of the host, on the device. */
static void *on_device(const void *from, size_t bytes)
{
    void *to = rcm_gpu_allocate(bytes);
    ck_assert_ptr_nonnull(to);
    ck_assert_int_eq(rcm_gpu_to_device(to, from, bytes), RCM_GPU_OK);
    return to;
}

enum { BOTH_STAGES = RCM_GPU_EXACT_KERNELS };

struct extents {
    int32_t lengths[4], starts[4];
    void *device_lengths, *device_starts;
};

/* Rows that are whole, short, shorter than k, empty; some that the caller may not ask for. */
static struct extents make_extents(const struct batch *batch, uint64_t k, uint64_t *state)
{
    const int32_t n = (int32_t)batch->n;
    struct extents e;
    for (unsigned r = 0; r < 4; r++) {
        e.starts[r] = (int32_t)(next_random(state) % 3 ? random_scale(state, 1, batch->n) - 1 : 0);
        const uint64_t rest = (uint64_t)(n - e.starts[r]), which = next_random(state) % 4;
        e.lengths[r] = (int32_t)(which == 0   ? rest
                                 : which == 1 ? random_between(state, 0, rest < k ? rest : k)
                                              : random_between(state, 0, rest));
        if (next_random(state) % 8 == 0)
            e.lengths[r] = next_random(state) % 2 ? -3 : n + 5;
        if (next_random(state) % 16 == 0)
            e.starts[r] = next_random(state) % 2 ? -3 : n + 5;
    }
    e.device_lengths = on_device(e.lengths, sizeof e.lengths);
    e.device_starts = on_device(e.starts, sizeof e.starts);
    return e;
}

/* Page tables of four rows, or one for all: each page of a row has another place. Slots are beyond
 * 2^31 if indices are wide. */
static int32_t *make_pages(struct wanted *w, uint64_t n, uint64_t *state)
{
    const int32_t first = w->index_bytes == 8 ? 1 << 22 : 0;
    w->page_size = first ? 1024u : 1u << random_between(state, n < 500 ? 0 : 4, 10);
    w->pages_stride = next_random(state) % 4 ? ceil_divide(n, w->page_size) + 3 : 0;
    int32_t *pages = malloc((4 * w->pages_stride + n + 1) * sizeof *pages);
    for (uint64_t p = 0; p < 4 * w->pages_stride + n + 1; p++)
        pages[p] = first + (int32_t)(p * 7919 % (1 << 20));
    w->pages = pages;
    return pages;
}

/* Runs exact top-k by this kernel, or both stages. */
static struct output output_of(const struct batch *batch, const struct wanted *w, unsigned kernel,
                               const struct extents *e, uint64_t *state)
{
    const bool both = kernel == BOTH_STAGES;
    const size_t elements = (batch->m - 1) * batch->stride + batch->n;
    int32_t *labels = calloc(elements, sizeof *labels);
    for (uint64_t at = 0; at < elements; at++)
        labels[at] = label_of(at / batch->stride, at % batch->stride);
    void *device_labels = on_device(labels, elements * sizeof *labels),
         *device_pages =
             w->pages ? on_device(w->pages, (4 * w->pages_stride + batch->n + 1) * sizeof *w->pages)
                      : NULL;
    const unsigned index_bytes = w->index_bytes == 4 && next_random(state) % 2 ? 0 : w->index_bytes;
    struct rcm_gpu_exact exact = {.rows = rows_of(batch),
                                  .k = w->k,
                                  .kernel = (enum rcm_gpu_exact_kernel)kernel,
                                  .labels = w->labels ? device_labels : NULL,
                                  .sorted = w->sorted,
                                  .deterministic = w->by_index,
                                  .index_bytes = index_bytes,
                                  .lengths = w->lengths ? e->device_lengths : NULL,
                                  .starts = w->starts ? e->device_starts : NULL,
                                  .fill = w->fill,
                                  .pages = device_pages,
                                  .pages_stride = w->pages_stride,
                                  .page_size = w->page_size};
    struct rcm_gpu_two_stage stages = {
        .rows = exact.rows,
        .k = w->k,
        .b = w->b,
        .k_b = w->k_b,
        .assignment = w->assignment,
        .stage2 = (enum rcm_gpu_exact_kernel)(next_random(state) % RCM_GPU_EXACT_KERNELS),
        .sorted = exact.sorted,
        .deterministic = exact.deterministic,
        .index_bytes = index_bytes,
        .lengths = exact.lengths,
        .starts = exact.starts,
        .fill = exact.fill};
    size_t bytes, less;
    ck_assert_int_eq(both ? rcm_gpu_two_stage_workspace(&stages, &bytes)
                          : rcm_gpu_exact_workspace(&exact, &bytes),
                     RCM_GPU_OK);
    struct output o = make_output(batch->m * w->k, batch->bytes, bytes);
    exact.values = stages.values = w->values ? o.device_values : NULL;
    exact.indices = stages.indices = o.device_indices;
    ck_assert_int_eq(both ? rcm_gpu_two_stage_workspace(&stages, &less)
                          : rcm_gpu_exact_workspace(&exact, &less),
                     RCM_GPU_OK);
    ck_assert_uint_le(less, bytes);
    ck_assert_int_eq(both ? rcm_gpu_two_stage(&stages, o.workspace, bytes, NULL)
                          : rcm_gpu_exact(&exact, o.workspace, bytes, NULL),
                     RCM_GPU_OK);
    fetch_output(&o);
    rcm_gpu_free(device_labels);
    rcm_gpu_free(device_pages);
    free(labels);
    return o;
}

/* Bits of `combination`: sorted, deterministic, wide, values, lengths, starts. */
static void run(const struct batch *batch, unsigned kernel, unsigned combination, uint64_t k,
                uint64_t *state)
{
    struct extents e = make_extents(batch, k, state);
    struct wanted w = {.k = k,
                       .sorted = combination & 1,
                       .by_index = combination & 2,
                       .lowest_index = combination & 2 && kernel != BOTH_STAGES,
                       .index_bytes = combination & 4 ? 8 : 4,
                       .values = combination & 8,
                       .labels = kernel != BOTH_STAGES && next_random(state) % 4 == 0,
                       .lengths = combination & 16 ? e.lengths : NULL,
                       .starts = combination & 32 ? e.starts : NULL};
    int32_t *pages = kernel != BOTH_STAGES && !w.labels && next_random(state) % 3 == 0
                         ? make_pages(&w, batch->n, state)
                         : NULL;
    w.fill = next_random(state) % 2 ? -1 : w.index_bytes == 8 ? INT64_C(1) << 40 : 0;
    if (kernel == BOTH_STAGES) {
        w.assignment = (enum rcm_gpu_assignment)(next_random(state) % 2);
        w.b = random_scale(state, ceil_divide(k, 16), batch->n);
        const uint64_t most = ceil_divide(batch->n, w.b);
        w.k_b = random_between(state, ceil_divide(k, w.b), most < 16 ? most : 16);
    }
    struct output o = output_of(batch, &w, kernel, &e, state);
    char what[100];
    snprintf(what, sizeof what, "%s%s%s%s%s, %u bytes%s%s%s",
             kernel == BOTH_STAGES ? "both stages"
                                   : rcm_gpu_exact_kernel_name((enum rcm_gpu_exact_kernel)kernel),
             w.labels ? ", labels" : "", w.pages ? ", pages" : "", w.sorted ? ", sorted" : "",
             w.by_index ? ", deterministic" : "", w.index_bytes, w.values ? "" : ", no values",
             w.lengths ? ", lengths" : "", w.starts ? ", starts" : "");
    check_wanted(batch, &w, &o, what);
    free_output(&o);
    free(pages);
    rcm_gpu_free(e.device_lengths);
    rcm_gpu_free(e.device_starts);
}

/* Short rows mostly: those that fit into one block's sort, and now and then those that do not. The
 * short form: one kernel for each combination, short rows. */
START_TEST(outputs)
{
    uint64_t state = 12, cases = 0;
    for (unsigned repeat = 0; repeat < (few_cases() ? 1 : 6); repeat++)
        for (unsigned combination = 0; combination < 64; combination++)
            for (unsigned kernel = RCM_GPU_EXACT_RADIX; kernel <= BOTH_STAGES; kernel++) {
                if (few_cases() && (combination + combination / 4 + kernel) % 4)
                    continue;
                const uint64_t most = few_cases()               ? 300
                                      : next_random(&state) % 8 ? 1000
                                                                : 20000,
                               n = random_scale(&state, 1, most),
                               k = next_random(&state) % 4 ? random_scale(&state, 1, n) : n;
                struct batch batch =
                    random_batch((enum rcm_gpu_dtype)(next_random(&state) % 3),
                                 (enum kind)(next_random(&state) % KINDS), n, 4, &state);
                pretend_device(&state);
                run(&batch, kernel, combination, k, &state);
                free_batch(&batch);
                cases++;
            }
    printf("outputs: %" PRIu64 " runs agree with plain C\n", cases);
}
END_TEST

/* A sample is taken of the longer ones of these rows, and a cluster shares some. */
START_TEST(long_rows)
{
    uint64_t state = 13;
    for (unsigned repeat = 0; repeat < (few_cases() ? 1 : 24); repeat++) {
        const uint64_t n = random_between(&state, 20000, 60000);
        struct batch batch = random_batch(
            (enum rcm_gpu_dtype)(repeat % 3),
            (enum kind)(next_random(&state) % 2 ? NORMAL : next_random(&state) % KINDS), n, 4,
            &state);
        pretend_device(&state);
        run(&batch, RCM_GPU_EXACT_RADIX, 16 + (unsigned)(next_random(&state) % 48),
            random_scale(&state, 1, 4000), &state);
        free_batch(&batch);
    }
}
END_TEST

/* All elements of two bytes, in order: the bits of the values, NaN too, come from their ranks. Not
 * in the short form: the emulation has a thread for each. */
START_TEST(every_bit)
{
    uint64_t state = 14;
    for (unsigned i = 0; i < (few_cases() ? 0 : 4); i++) {
        const enum rcm_gpu_dtype dtype = i % 2 ? RCM_GPU_BF16 : RCM_GPU_F16;
        struct batch batch = make_batch(dtype, ANY_BITS, 1, 65536, 65536, 0, i / 2, &state);
        for (uint32_t bits = 0; bits < 65536; bits++)
            memcpy(batch.memory + 2 * bits, &(uint16_t){(uint16_t)(bits * 40503u)}, 2);
        ck_assert_int_eq(rcm_gpu_to_device(batch.device, batch.memory, batch.size), RCM_GPU_OK);
        run(&batch, RCM_GPU_EXACT_SORT, 1 + 2 + 8, batch.n, &state);
        free_batch(&batch);
    }
}
END_TEST

TEST_MAIN("gpu outputs", outputs, long_rows, every_bit)
