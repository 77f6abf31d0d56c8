/* axis_readers.c - see axis_readers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "axis_readers.h"

#include <stdlib.h>

#include "backend.h"

static int read_places(struct places *to, const char *option, const char *value, name_at *name,
                       unsigned count)
{
    if (count > PLACES_MAX)
        abort(); /* a registry that is too long; every test of the option would end here */
    return read_names(option, value, name, count, to->items, &to->length);
}

static unsigned count_names(name_at *name)
{
    unsigned count = 0;
    while (name(count))
        count++;
    return count;
}

/* ---- names of registries */

static const char *dtype_at(unsigned i)
{
    return dtype_name(i);
}

int read_dtypes(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, dtype_at, backend->dtypes);
}

static const char *assignment_at(unsigned i)
{
    return bench_assignment_name((enum rcm_assignment)i);
}

int read_bench_assignments(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, assignment_at, ASSIGNMENTS);
}

int read_inputs(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, backend->input_name, count_names(backend->input_name));
}

static const char *grid_at(unsigned i)
{
    return backend->grids[i].name;
}

int read_grids(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, grid_at, count_names(grid_at));
}

/* ---- kernels: the names depend on the task */

static const char *stage1_kernel_at(unsigned i)
{
    return kernel_of_task(TASK_STAGE1, i)->name;
}
static const char *exact_kernel_at(unsigned i)
{
    return kernel_of_task(TASK_EXACT, i)->name;
}
static const char *two_stage_kernel_at(unsigned i)
{
    return kernel_of_task(TASK_TWO_STAGE, i)->name;
}
static const char *fused_kernel_at(unsigned i)
{
    return kernel_of_task(TASK_FUSED, i)->name;
}

int read_kernels(void *to, const char *option, const char *value)
{
    static name_at *const names[TASKS] = {
        [TASK_STAGE1] = stage1_kernel_at,
        [TASK_EXACT] = exact_kernel_at,
        [TASK_TWO_STAGE] = two_stage_kernel_at,
        [TASK_FUSED] = fused_kernel_at,
    };
    struct axes *axes = to;
    unsigned count = 0;
    while (kernel_of_task(axes->task, count))
        count++;
    return read_places(&axes->kernels, option, value, names[axes->task], count);
}

/* ---- one of two names */

static int read_choice(struct choice *to, const char *option, const char *value, name_at *name)
{
    unsigned i;
    const int status = read_name(option, value, name, 2, &i);
    *to = (struct choice){.given = true, .second = i == 1};
    return status;
}

static const char *cache_at(unsigned i)
{
    return i ? "warm" : "cold";
}

int read_cache(void *to, const char *option, const char *value)
{
    return read_choice(to, option, value, cache_at);
}

static const char *timing_at(unsigned i)
{
    return backend->timings[i];
}

int read_timing(void *to, const char *option, const char *value)
{
    return read_choice(to, option, value, timing_at);
}
