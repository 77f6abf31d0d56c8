/* axis_readers.c - see axis_readers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "axis_readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <programs/bench/backend.h>

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
    return i < backend->dtypes ? dtype_name(i) : NULL;
}

static int read_dtypes(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, dtype_at, backend->dtypes);
}

static const char *assignment_at(unsigned i)
{
    return i < ASSIGNMENTS ? bench_assignment_name((enum rcm_assignment)i) : NULL;
}

static int read_bench_assignments(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, assignment_at, ASSIGNMENTS);
}

static const char *input_at(unsigned i)
{
    return backend->input_name(i);
}

static int read_inputs(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, input_at, count_names(input_at));
}

static const char *grid_at(unsigned i)
{
    return backend->grids[i].name;
}

static int read_grids(void *to, const char *option, const char *value)
{
    return read_places(to, option, value, grid_at, count_names(grid_at));
}

/* ---- kernels: the names depend on the task */

static const char *kernel_name(enum task task, unsigned i)
{
    return kernel_of_task(task, i) ? kernel_of_task(task, i)->name : NULL;
}

const char *stage1_kernel_at(unsigned i)
{
    return kernel_name(TASK_STAGE1, i);
}
const char *exact_kernel_at(unsigned i)
{
    return kernel_name(TASK_EXACT, i);
}
const char *two_stage_kernel_at(unsigned i)
{
    return kernel_name(TASK_TWO_STAGE, i);
}
const char *fused_kernel_at(unsigned i)
{
    return kernel_name(TASK_FUSED, i);
}

/* Copies a list of names without the word `peers`. Was the word there? */
static bool without_peers(const char *value, char *rest)
{
    bool found = false;
    *rest = '\0';
    for (const char *at = value;; at++) {
        const size_t letters = strcspn(at, ",");
        if (letters == 5 && strncmp(at, "peers", letters) == 0) {
            found = true;
        } else {
            const size_t length = strlen(rest);
            snprintf(rest + length, strlen(value) + 2 - length, "%s%.*s", length ? "," : "",
                     (int)letters, at);
        }
        at += letters;
        if (*at == '\0')
            return found;
    }
}

void add_foreign_kernels(struct axes *axes)
{
    struct places *to = &axes->kernels;
    const struct kernel *kernel;
    for (unsigned i = 0; (kernel = kernel_of_task(axes->task, i)) && to->length < PLACES_MAX; i++) {
        bool is_there = !kernel->peer;
        for (unsigned j = 0; j < to->length; j++)
            is_there |= to->items[j] == i;
        if (!is_there)
            to->items[to->length++] = i;
    }
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
    char *rest = require_memory(malloc(strlen(value) + 2));
    const bool peers = without_peers(value, rest);
    int status = STATUS_OK;
    if (*rest || !peers)
        status = read_places(&axes->kernels, option, rest, names[axes->task],
                             count_names(names[axes->task]));
    if (status == STATUS_OK && peers)
        add_foreign_kernels(axes);
    if (status == STATUS_OK && axes->kernels.length == 0)
        status = usage_error("%s peers: there are none here; make gpu-peers builds them", option);
    free(rest);
    return status;
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
    return i == 0 ? "cold" : i == 1 ? "warm" : NULL;
}

static int read_cache(void *to, const char *option, const char *value)
{
    return read_choice(to, option, value, cache_at);
}

static const char *timing_at(unsigned i)
{
    return i < 2 ? backend->timings[i] : NULL;
}

static int read_timing(void *to, const char *option, const char *value)
{
    return read_choice(to, option, value, timing_at);
}

/* ---- kinds of values */

const struct value_kind kind_of_dtypes = {.read = read_dtypes, .names = dtype_at};
const struct value_kind kind_of_bench_assignments = {.read = read_bench_assignments,
                                                     .names = assignment_at};
const struct value_kind kind_of_inputs = {.read = read_inputs, .names = input_at};
const struct value_kind kind_of_grids = {.read = read_grids, .names = grid_at};
const struct value_kind kind_of_cache = {.read = read_cache, .names = cache_at};
const struct value_kind kind_of_timing = {.read = read_timing, .names = timing_at};
