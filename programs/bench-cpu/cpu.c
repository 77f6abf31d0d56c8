/* cpu.c - see cpu.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <base/memory.h>

#include "check.h"
#include "device.h"
#include "grids.h"
#include "inputs.h"
#include "library.h"
#include "machine.h"

/* ---- the instruction set */

static const char *isa_at(unsigned i)
{
    return topk_library() ? topk_library()->isa(i) : NULL;
}

static int read_isa(void *to, const char *option, const char *value)
{
    if (topk_library_check() != STATUS_OK)
        return STATUS_USAGE;
    if (!topk_library()->use_isa(value))
        return unknown_name(option, value, isa_at, UNTIL_NULL);
    *(const char **)to = value;
    return STATUS_OK;
}

const struct value_kind kind_of_isa = {.read = read_isa, .names = isa_at, .of_machine = true};

/* ---- the device */

static int open_device(struct device **device, uint64_t seed)
{
    if (topk_library_check() != STATUS_OK)
        return STATUS_USAGE;
    struct device *r = require_memory(calloc(1, sizeof *r));
    r->seed = seed;
    r->cell_work.run = cpu_run_cell;
    r->roof_work.run = cpu_run_roof;
    *device = r;
    return STATUS_OK;
}

static bool make_room(struct device *r)
{
    struct buffer *all[] = {&r->x,         &r->true_keys, &r->values, &r->indices,
                            &r->workspace, &r->roof,      &r->other,  &r->narrow};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cpu_release(all[i]);
    r->input_cell.kernel = NULL;
    r->true_k = 0;
    return true;
}

static void close_device(struct device *r)
{
    if (r)
        make_room(r);
    free(r);
}

static const char *name_of(const struct device *r)
{
    (void)r;
    return machine()->name;
}

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void describe(struct device *r, char *text, size_t size)
{
    const struct machine *m = machine();
    struct utsname system = {.sysname = "unknown"};
    (void)r;
    uname(&system);
    snprintf(text, size,
             "cpu=\"%s\" family=%u model=%u cores=%u l1d=%zu l2=%zu l3=%zu memory=%.0f "
             "clock_mhz=%u clock_max_mhz=%u governor=%s huge_pages=%s system=\"%.30s %.60s\" "
             "compiler=\"%.60s\" isa=%s",
             m->name, m->family, m->model, m->cores, m->l1_bytes, m->l2_bytes, m->l3_bytes,
             memory_limit_bytes(), m->clock_mhz, m->clock_most_mhz, m->governor, m->huge_pages,
             system.sysname, system.release, COMPILER, topk_library()->isa_in_use());
}

static bool works(struct device *r)
{
    (void)r;
    return true;
}

/* ---- a cell */

static const char *reason_of(const struct device *r)
{
    return r->reason;
}

static enum outcome refuse(struct device *r, int status, const char *what)
{
    snprintf(r->reason, sizeof r->reason, "%s: %s", what,
             status == CPU_PEER_FAILED ? "the peer failed"
                                       : topk_library()->message((enum rcm_top_k_status)status));
    return FAILED;
}

static enum outcome no_memory(struct device *r, const char *what)
{
    snprintf(r->reason, sizeof r->reason, "%s: not enough memory", what);
    return SKIPPED;
}

static bool same_rows(const struct cell *a, const struct cell *b)
{
    return a->kernel && a->m == b->m && a->n == b->n && a->dtype == b->dtype &&
           a->input == b->input;
}

/* Together 2^16 elements, at most 16, and as many as the file has. */
static unsigned count_sets(const struct cell *c)
{
    const uint64_t most = c->input == INPUT_FILE ? cpu_row_source()->rows / c->m : 16;
    unsigned sets = 1;
    while (sets < 16 && 2 * sets <= most && sets * c->m * c->n < 1 << 16)
        sets *= 2;
    return sets;
}

/* Reads the rows of all sets, one after the other in the file. */
static enum outcome read_rows(struct device *r, const struct cell *c)
{
    double *buffer = cpu_reserve(&r->other, c->n * sizeof *buffer);
    if (!buffer)
        return no_memory(r, "a row of the file");
    if (cpu_read_rows(c->dtype, 0, r->sets * c->m, buffer, r->x.at) == 0)
        return MEASURED;
    snprintf(r->reason, sizeof r->reason, "the rows cannot be read: %s",
             errno ? strerror(errno) : "the file ends early");
    return FAILED;
}

static enum outcome make_rows(struct device *r, const struct cell *c)
{
    enum outcome outcome = MEASURED;
    r->call = r->roof_call = 0;
    if (same_rows(&r->input_cell, c))
        return MEASURED;
    r->sets = count_sets(c);
    r->input_cell.kernel = NULL;
    r->true_k = 0;
    if (!cpu_reserve(&r->x, r->sets * cell_bytes_read(c)))
        return no_memory(r, "inputs");
    if (c->input == INPUT_FILE)
        outcome = read_rows(r, c);
    for (unsigned set = 0; set < r->sets && c->input != INPUT_FILE; set++)
        cpu_fill(c->dtype, c->input, c->m, c->n, r->seed + set,
                 (char *)r->x.at + set * cell_bytes_read(c));
    if (outcome == MEASURED)
        r->input_cell = *c;
    return outcome;
}

/* Overwrites the outputs, so that what a proof sees was written after this. */
static int poison(struct device *r)
{
    memset(r->values.at, 0xee, r->values.bytes);
    memset(r->indices.at, 0xee, r->indices.bytes);
    return RCM_TOP_K_OK;
}

/* What a peer does once for many calls. */
static enum rcm_top_k_status prepare_peer(struct device *r, const struct rcm_peer *peer)
{
    const struct rcm_peer_call call = cpu_peer_call(r, cpu_rows(r, 0));
    return peer->prepare && peer->prepare(&call, NULL) != 0 ? CPU_PEER_FAILED : RCM_TOP_K_OK;
}

static enum outcome run_once(struct device *r, const struct cell *c)
{
    const struct rcm_peer *peer = c->kernel->peer;
    const size_t out = c->m * cell_results(c);
    size_t workspace_bytes;
    r->cell = c;
    r->cell_work.repeats = r->roof_work.repeats = 0;
    enum outcome outcome = make_rows(r, c);
    if (outcome != MEASURED)
        return outcome;
    if (!cpu_reserve(&r->values, out * dtype_bytes(c->dtype)) ||
        !cpu_reserve(&r->indices, out * (peer ? peer->index_bytes : sizeof(int32_t))) ||
        !cpu_reserve(&r->roof, c->m * dtype_bytes(c->dtype)))
        return no_memory(r, "outputs");
    enum rcm_top_k_status status = cpu_workspace(c, &workspace_bytes);
    if (status != RCM_TOP_K_OK)
        return refuse(r, (int)status, "workspace");
    if (!cpu_reserve(&r->workspace, workspace_bytes))
        return no_memory(r, "workspace");
    poison(r);
    if (peer)
        status = prepare_peer(r, peer);
    if (status == RCM_TOP_K_OK)
        status = r->cell_work.run(r);
    return status == RCM_TOP_K_OK ? MEASURED : refuse(r, (int)status, c->kernel->name);
}

/* Indices of 8 bytes as 4; one that does not fit is outside every row. */
static bool narrow_indices(struct device *r, size_t count)
{
    const int64_t *from = r->indices.at;
    int32_t *to = cpu_reserve(&r->narrow, count * sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = from[i] < 0 || from[i] > INT32_MAX ? -1 : (int32_t)from[i];
    return to;
}

/* The values at the indices of a peer that gives these alone. */
static void gather_values(struct device *r, const struct cell *c, const void *x,
                          const int32_t *indices)
{
    const size_t bytes = dtype_bytes(c->dtype);
    for (size_t i = 0; i < c->m * c->k; i++)
        if (indices[i] >= 0 && (uint64_t)indices[i] < c->n)
            memcpy((char *)r->values.at + i * bytes,
                   (const char *)x + (i / c->k * c->n + (size_t)indices[i]) * bytes, bytes);
}

/* The indices of the last call as 4 bytes each, and its values: in the outputs, from wherever a
 * peer left them. NULL, and the reason, if that fails. */
static const int32_t *collect(struct device *r, const struct cell *c, const void *x)
{
    const struct rcm_peer *peer = c->kernel->peer;
    if (!peer)
        return r->indices.at;
    const struct rcm_peer_call call = cpu_peer_call(r, x);
    if (peer->collect && peer->collect(&call, NULL) != 0) {
        refuse(r, CPU_PEER_FAILED, "collect");
        return NULL;
    }
    if (peer->index_bytes == 8 && !narrow_indices(r, c->m * c->k)) {
        no_memory(r, "indices");
        return NULL;
    }
    const int32_t *indices = peer->index_bytes == 8 ? r->narrow.at : r->indices.at;
    if (peer->no_values)
        gather_values(r, c, x, indices);
    return indices;
}

static enum outcome prove(struct device *r, unsigned call)
{
    const struct cell *c = r->cell;
    const void *x = cpu_rows(r, (r->call - 1) % r->sets);
    const int32_t *indices = collect(r, c, x);
    (void)call; /* the outputs are those of the last call */
    if (!indices)
        return FAILED;
    const struct verdict v = check_outputs(c, how_of(c).sorted, x, r->values.at, indices);
    if (v.invalid + v.repeated + v.misplaced + v.altered + v.missed + v.unsorted == 0)
        return MEASURED;
    snprintf(r->reason, sizeof r->reason,
             "%s: %" PRIu64 " indices outside the row, %" PRIu64 " repeated, %" PRIu64
             " of another bucket, %" PRIu64 " values that are not those at their index, %" PRIu64
             " elements missed, %" PRIu64 " not in order",
             task_name(c->kernel->task), v.invalid, v.repeated, v.misplaced, v.altered, v.missed,
             v.unsorted);
    return WRONG;
}

static enum outcome count_hits_of_cell(struct device *r, double *hits)
{
    const struct cell *c = r->cell;
    if (r->true_k != c->k) {
        r->true_k = 0;
        if (!cpu_reserve(&r->true_keys, c->m * c->k * sizeof(int64_t)))
            return no_memory(r, "exact top-k");
        true_topk(c, r->x.at, r->true_keys.at);
        r->true_k = c->k;
    }
    *hits = (double)count_hits(c, r->true_keys.at, r->values.at);
    return MEASURED;
}

/* ---- what is timed */

static const void *cell_work(struct device *r)
{
    return &r->cell_work;
}

static const void *roof_work(struct device *r)
{
    return &r->roof_work;
}

static const char *roof_name(unsigned roof)
{
    (void)roof;
    return "max";
}

static void use_roof(struct device *r, unsigned roof)
{
    (void)r;
    (void)roof;
}

/* ---- the registry */

static void put_key(const struct cell *cell, char *text, size_t size)
{
    const int length =
        snprintf(text, size, ",%" PRIu64 ",%s,", cell->threads, topk_library()->isa_in_use());
    if (cell->tail)
        snprintf(text + length, size - (size_t)length, "%u", cell->busy);
}

static void put_last(const struct device *device, const struct cell *cell,
                     const struct timing *time, char *text, size_t size)
{
    (void)device;
    const int length =
        snprintf(text, size, ",%s",
                 cell->warm ? machine_level((double)(count_sets(cell) * cell_bytes_read(cell)),
                                            (unsigned)cell->threads)
                            : "memory");
    if (cell->tail)
        snprintf(text + length, size - (size_t)length, ",%.6g,%.6g,%.6g", time->most_us[0],
                 time->most_us[1], time->most_us[2]);
    else
        snprintf(text + length, size - (size_t)length, ",,,");
}

const struct backend cpu_backend = {
    .command = "recallmodel bench",
    .kernels = cpu_kernels,
    .grids = cpu_grids,
    .dtypes = DTYPES,
    .input_name = cpu_input_name,
    .m = 1,
    .has_threads = true,
    .refusal = cpu_refusal,
    .axis_options =
        "--n, --k, --b, --kb, --m, --threads, --dtype, --assignment, --input, --cache and --kernel",
    .timings = {"calls", NULL},
    .key_columns = ",threads,isa,busy",
    .key_column_count = 3,
    .last_columns = ",level,time_us_99,time_us_999,time_us_max",
    .put_key = put_key,
    .put_last = put_last,
    .remark = "cold=flush,1 call warm=calls of 50 us rotation=short rows,2^16 elements roof=max of "
              "the same rows, same threads "
              "bandwidth_share=roof_us_median/time_us_median, alternately",
    .open = open_device,
    .close = close_device,
    .name = name_of,
    .describe = describe,
    .works = works,
    .reason = reason_of,
    .refuse = refuse,
    .run_once = run_once,
    .poison = poison,
    .prove = prove,
    .count_hits = count_hits_of_cell,
    .make_room = make_room,
    .cell_work = cell_work,
    .roof_work = roof_work,
    .roofs = 1,
    .roof_name = roof_name,
    .use_roof = use_roof,
    .stopwatch = &cpu_stopwatch,
};
