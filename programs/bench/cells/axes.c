/* axes.c - see axes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "axes.h"

#include <stdlib.h>

#include <programs/bench/backend.h>

/* The axes, in the order in which they move: the last one first. Those of the rows come before the
 * others, so that cells of the same rows are neighbours. */
enum axis {
    AXIS_N,
    AXIS_M,
    AXIS_D,
    AXIS_DTYPE,
    AXIS_INPUT,
    AXIS_ASSIGNMENT,
    AXIS_K,
    AXIS_K_B,
    AXIS_B,
    AXIS_THREADS,
    AXIS_KERNEL,
    AXES
};

static uint64_t ceil_divide(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Item i of an axis, or its default. */
static uint64_t count_at(const struct count_list *list, size_t i, uint64_t otherwise)
{
    return list->length ? list->items[i] : otherwise;
}

static unsigned place_at(const struct places *places, size_t i)
{
    return places->length ? places->items[i] : 0;
}

/* The cell whose item on each axis is the one at[axis]. */
static struct cell cell_at(const struct axes *a, const size_t at[AXES])
{
    const bool exact = a->task == TASK_EXACT, fused = a->task == TASK_FUSED;
    struct cell c = {
        .kernel = kernel_of_task(a->task, place_at(&a->kernels, at[AXIS_KERNEL])),
        .dtype = place_at(&a->dtypes, at[AXIS_DTYPE]),
        .assignment = (enum rcm_assignment)place_at(&a->assignments, at[AXIS_ASSIGNMENT]),
        .input = place_at(&a->inputs, at[AXIS_INPUT]),
        .n = count_at(&a->n, at[AXIS_N], 1 << 18),
        .m = count_at(&a->m, at[AXIS_M], fused ? 1024 : backend->m),
        .d = fused ? count_at(&a->d, at[AXIS_D], 128) : 0,
        .threads = count_at(&a->threads, at[AXIS_THREADS], backend->has_threads),
        .k_b = count_at(&a->k_b, at[AXIS_K_B], 1),
        .warm = a->warm,
        .graph = a->graph,
    };
    if (fused)
        c.dtype = c.kernel->dtype;
    if (exact) {
        c.k = count_at(&a->k, at[AXIS_K], 1024);
        c.b = 1;
        c.k_b = c.k;
        return c;
    }
    c.b = count_at(&a->b, at[AXIS_B],
                   a->k.length  ? ceil_divide(a->k.items[at[AXIS_K]], c.k_b)
                   : c.n < 1024 ? c.n
                                : 1024);
    c.k = count_at(&a->k, at[AXIS_K], c.b <= c.n ? candidates_of(c.n, c.b, c.k_b) : c.n);
    return c;
}

static size_t at_least_1(size_t length)
{
    return length ? length : 1;
}

void axes_add_cells(const struct axes *a, struct cell_list *list)
{
    const size_t lengths[AXES] = {
        [AXIS_N] = at_least_1(a->n.length),
        [AXIS_M] = at_least_1(a->m.length),
        [AXIS_D] = at_least_1(a->d.length),
        [AXIS_DTYPE] = at_least_1(a->dtypes.length),
        [AXIS_INPUT] = at_least_1(a->inputs.length),
        [AXIS_ASSIGNMENT] = at_least_1(a->assignments.length),
        [AXIS_K] = at_least_1(a->k.length),
        [AXIS_K_B] = at_least_1(a->k_b.length),
        [AXIS_B] = at_least_1(a->b.length),
        [AXIS_THREADS] = at_least_1(a->threads.length),
        [AXIS_KERNEL] = at_least_1(a->kernels.length),
    };
    size_t at[AXES] = {0};
    for (;;) {
        const struct cell cell = cell_at(a, at);
        cell_list_add(list, &cell);
        size_t axis = AXES; /* the last axis that has another item moves, those behind it begin */
        while (axis > 0 && ++at[axis - 1] == lengths[axis - 1])
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

bool axes_are_given(const struct axes *a)
{
    return a->n.length || a->k.length || a->b.length || a->k_b.length || a->m.length ||
           a->d.length || a->threads.length || a->kernels.length || a->dtypes.length ||
           a->assignments.length || a->inputs.length;
}

void axes_free(struct axes *a)
{
    free(a->n.items);
    free(a->k.items);
    free(a->b.items);
    free(a->k_b.items);
    free(a->m.items);
    free(a->d.items);
    free(a->threads.items);
}
