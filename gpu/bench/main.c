/* main.c - recallmodel-bench: options, the loop over cells, what is printed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/progress.h"
#include "grid.h"
#include "results.h"
#include "roofs.h"
#include "runner.h"
#include "status.h"

#ifndef RCM_GIT
#define RCM_GIT "unknown"
#endif

#define ROW_COLUMNS \
    CELL_COLUMNS ",samples,stop,dropped,time_us_median,time_us_low,time_us_high,noise,bytes," \
                 "bandwidth_bytes_per_s,roof_us_median,bandwidth_share,roof_kernel," \
                 "flops_per_s,recall,recall_model,z,predicted_us,cost_basic,cost_serial,cost_" \
                 "parallel,sm_clock_mhz,power_capped"
#define CELL_KEY_COLUMNS 13

struct options {
    struct axes axes;
    bool roof, device_only, once, single, list, help, has_axes;
    const struct grid *chosen[32];
    unsigned chosen_count;
    const char *output, *device_file;
    const struct rcm_device *device;
    double minutes; /* 0: no limit */
    uint64_t seed;
    struct roof_sizes sizes;
};

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...)
{
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "recallmodel-bench: %s\n", line);
    return STATUS_USAGE;
}

/* ---- options */

static int set_counts(struct options *o, const char *name, const char *value, size_t offset)
{
    struct count_list *list = (struct count_list *)(void *)((char *)&o->axes + offset);
    char wrong_item[ITEM_MAX];
    free(list->items);
    *list = (struct count_list){0};
    const char *wrong = parse_count_list(value, list, wrong_item);
    o->has_axes = true;
    return wrong ? usage_error("%s '%s' is %s; give a list such as 1,2,4 or 1..8, of numbers such "
                               "as 262144, 2^18 or 256Ki",
                               name, wrong_item, wrong)
                 : STATUS_OK;
}

/* The first place among `count` names where the item of `length` stands; count if nowhere. */
static unsigned find_name(const char *item, size_t length, const char *(*name)(unsigned),
                          unsigned count)
{
    unsigned i = 0;
    while (i < count && !(strlen(name(i)) == length && strncmp(name(i), item, length) == 0))
        i++;
    return i;
}

static int unknown_name(const char *option, const char *item, size_t length,
                        const char *(*name)(unsigned), unsigned count)
{
    char known[800] = "";
    for (unsigned i = 0; i < count; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 name(i));
    return usage_error("%s '%.*s' is not known; give one of %s", option,
                       (int)(length < 60 ? length : 60), item, known);
}

static const char *dtype_at(unsigned i)
{
    return dtype_name((enum rcm_gpu_dtype)i);
}
static const char *assignment_at(unsigned i)
{
    return assignment_name((enum rcm_gpu_assignment)i);
}
static const char *input_at(unsigned i)
{
    return rcm_gpu_input_name((enum rcm_gpu_input)i);
}
static const char *grid_at(unsigned i)
{
    return grids[i].name;
}
static const char *device_at(unsigned i)
{
    return rcm_device(i)->name;
}
static const char *cache_at(unsigned i)
{
    return i ? "warm" : "cold";
}
static const char *timing_at(unsigned i)
{
    return i ? "graph" : "events";
}
static enum work kernels_of; /* which kernels kernel_at counts */
static const char *kernel_at(unsigned i)
{
    for (size_t k = 0; k < kernel_count; k++)
        if (kernels[k].work == kernels_of && i-- == 0)
            return kernels[k].name;
    return NULL;
}

/* Takes each name of a comma-separated list, in order. */
static int take_names(const char *option, const char *value, const char *(*name)(unsigned),
                      unsigned count, unsigned most, unsigned *found, unsigned *found_count)
{
    *found_count = 0;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        unsigned i = find_name(at, length, name, count);
        if (i == count)
            return unknown_name(option, at, length, name, count);
        if (*found_count < most)
            found[(*found_count)++] = i;
        at += length;
        if (*at == '\0')
            return STATUS_OK;
    }
}

static int set_option(struct options *o, const char *name, const char *value)
{
    static const struct {
        const char *name;
        size_t offset;
    } lists[] = {{"--n", offsetof(struct axes, n)}, {"--k", offsetof(struct axes, k)},
                 {"--b", offsetof(struct axes, b)}, {"--kb", offsetof(struct axes, k_b)},
                 {"--m", offsetof(struct axes, m)}, {"--d", offsetof(struct axes, d)}};
    unsigned found[32], count = 0, devices = 0;
    int status = STATUS_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(name, lists[i].name) == 0)
            return set_counts(o, name, value, lists[i].offset);
    if (strcmp(name, "--dtype") == 0) {
        status = take_names(name, value, dtype_at, 3, 3, found, &count);
        for (unsigned i = 0; i < count; i++)
            o->axes.dtypes[i] = (enum rcm_gpu_dtype)found[i];
        o->axes.dtype_count = count;
        o->has_axes = true;
    } else if (strcmp(name, "--assignment") == 0) {
        status = take_names(name, value, assignment_at, 2, 2, found, &count);
        for (unsigned i = 0; i < count; i++)
            o->axes.assignments[i] = (enum rcm_gpu_assignment)found[i];
        o->axes.assignment_count = count;
        o->has_axes = true;
    } else if (strcmp(name, "--input") == 0) {
        status = take_names(name, value, input_at, RCM_GPU_INPUTS, RCM_GPU_INPUTS, found, &count);
        for (unsigned i = 0; i < count; i++)
            o->axes.inputs[i] = (enum rcm_gpu_input)found[i];
        o->axes.input_count = count;
        o->has_axes = true;
    } else if (strcmp(name, "--kernel") == 0) {
        unsigned of_work = 0;
        kernels_of = o->axes.work;
        while (kernel_at(of_work))
            of_work++;
        status = take_names(name, value, kernel_at, of_work, 32, found, &count);
        for (unsigned i = 0; i < count; i++)
            o->axes.kernels[i] =
                kernel_by_name(o->axes.work, kernel_at(found[i]), strlen(kernel_at(found[i])));
        o->axes.kernel_count = count;
        o->has_axes = true;
    } else if (strcmp(name, "--cache") == 0) {
        status = take_names(name, value, cache_at, 2, 1, found, &count);
        o->axes.warm = count && found[0] == 1;
        o->has_axes = true;
    } else if (strcmp(name, "--timing") == 0) {
        status = take_names(name, value, timing_at, 2, 1, found, &count);
        o->axes.graph = count && found[0] == 1;
        o->has_axes = true;
    } else if (strcmp(name, "--grid") == 0) {
        status = take_names(name, value, grid_at, (unsigned)grid_count, 32, found, &count);
        for (unsigned i = 0; i < count; i++)
            o->chosen[i] = &grids[found[i]];
        o->chosen_count = count;
    } else if (strcmp(name, "--device") == 0) {
        while (rcm_device(devices))
            devices++;
        o->device = rcm_device_by_name(value);
        if (!o->device)
            status = unknown_name(name, value, strlen(value), device_at, devices);
    } else if (strcmp(name, "--minutes") == 0) {
        char *end;
        o->minutes = strtod(value, &end);
        if (*end || end == value || !(o->minutes > 0.0) || !isfinite(o->minutes))
            status = usage_error("--minutes '%.60s' is not a positive number", value);
    } else if (strcmp(name, "--seed") == 0 || strcmp(name, "--bytes") == 0 ||
               strcmp(name, "--elements") == 0) {
        uint64_t *to = name[2] == 's'   ? &o->seed
                       : name[2] == 'b' ? &o->sizes.bytes
                                        : &o->sizes.elements;
        const char *wrong = parse_count(value, to);
        if (wrong)
            status = usage_error("%s '%.60s' is %s; give one whole number from 1 on", name, value,
                                 wrong);
        else if (to == &o->sizes.bytes &&
                 (o->sizes.bytes < 4096 || o->sizes.bytes > (uint64_t)1 << 40))
            status = usage_error("--bytes must be from 4096 to 2^40");
        else if (to == &o->sizes.elements &&
                 (o->sizes.elements < 4 || o->sizes.elements > (uint64_t)1 << 36))
            status = usage_error("--elements must be from 4 to 2^36");
    } else if (strcmp(name, "--output") == 0 || strcmp(name, "-o") == 0) {
        o->output = value;
    } else { /* --device-file */
        o->device_file = value;
    }
    return status;
}

static bool takes_value(const char *name)
{
    static const char *const names[] = {
        "--n",          "--k",     "--b",      "--kb",       "--m",      "--d",    "--dtype",
        "--assignment", "--input", "--kernel", "--cache",    "--timing", "--grid", "--device",
        "--minutes",    "--seed",  "--bytes",  "--elements", "--output", "-o",     "--device-file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void print_help(const struct options *o)
{
    if (o->roof) {
        puts("usage: recallmodel-bench roof [options]\n\n"
             "Measures what the roofline needs: read bandwidth, reads and writes 4:1 and 1:1, the "
             "launch of an empty\n"
             "kernel, additions and multiplications a second (the programs of Samaga et al., A.1), "
             "and comparisons.\n\n"
             "  --bytes N           for a bandwidth (2^30)\n"
             "  --elements N        for the vector programs (2^24)\n"
             "  --device-file FILE  write what was measured as a device of recallmodel --device "
             "FILE\n"
             "  -o FILE, --output   CSV, gone on with if it is there (stdout)");
        return;
    }
    printf("usage: recallmodel-bench %s [options]\n       recallmodel-bench %s --grid NAME "
           "[options]\n\n",
           work_name(o->axes.work), work_name(o->axes.work));
    puts("Proves each result on the device, times it, and proves it again.\n\n"
         "  --n --k --b --kb --m  lists such as 2^18,2^20 or 1..4; without --k all candidates, "
         "without --b k/kb buckets\n"
         "  --d LIST              fused: components of a vector, 64 or 128 (128)\n"
         "  --dtype LIST          float32, float16, bfloat16 (float32)\n"
         "  --assignment LIST     interleaved, contiguous (interleaved)\n"
         "  --input LIST          normal, equal, few, rising, falling, leading-bits, masked-10, "
         "masked-100 (normal)\n"
         "  --cache C             cold (before each call other data goes through the cache), warm "
         "(cold)\n"
         "  --timing T            events, graph: CUDA graphs of 16 calls (events)\n"
         "  --kernel LIST");
    kernels_of = o->axes.work;
    for (unsigned i = 0; kernel_at(i); i++)
        printf("%s%s", i ? ", " : "      ", kernel_at(i));
    puts("\n  --grid LIST           instead of all these:");
    for (size_t i = 0; i < grid_count; i++)
        if (grids[i].work == o->axes.work)
            printf("      %-18s %s\n", grids[i].name, grids[i].what);
    puts("  --single              15 s for each instead of 0.15 s, where the noise is not below "
         "0.5 % before\n"
         "  --minutes X           begin nothing more after so long; the same command goes on\n"
         "  --device NAME         whose roofline predicts (the one of this card's name)\n"
         "  --seed N              of the inputs (1)\n"
         "  --once                run each once, neither proved nor timed, for a profiler\n"
         "  --list                print the cells, measure nothing\n"
         "  -o FILE, --output     CSV, gone on with if it is there (stdout)");
}

static const char usage[] =
    "usage: recallmodel-bench stage1|exact|two-stage|fused|roof [options]\n"
    "       recallmodel-bench device prints the name of the GPU\n"
    "       recallmodel-bench SUBCOMMAND --help shows the options of one\n"
    "\n"
    "Times the GPU kernels of recallmodel, each proved right before and after.\n";

/* Returns a status, or -1 to go on. */
static int parse(struct options *o, int count, char **arguments)
{
    *o = (struct options){.seed = 1, .sizes = {.bytes = 1 << 30, .elements = 1 << 24}};
    if (count < 2 || strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        fputs(usage, count < 2 ? stderr : stdout);
        return count < 2 ? STATUS_USAGE : STATUS_OK;
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("recallmodel-bench %s\n", rcm_version());
        return STATUS_OK;
    }
    o->roof = strcmp(arguments[1], "roof") == 0;
    o->device_only = strcmp(arguments[1], "device") == 0;
    if (o->device_only && count > 2)
        return usage_error("device takes no options");
    while (!o->roof && !o->device_only && o->axes.work < WORKS &&
           strcmp(arguments[1], work_name(o->axes.work)) != 0)
        o->axes.work++;
    if (o->axes.work == WORKS)
        return usage_error("unknown subcommand '%.60s'; the subcommands are stage1, exact, "
                           "two-stage, fused, roof, device",
                           arguments[1]);
    for (int i = 2; i < count; i++) {
        const char *name = arguments[i];
        bool *flag = strcmp(name, "--once") == 0     ? &o->once
                     : strcmp(name, "--single") == 0 ? &o->single
                     : strcmp(name, "--list") == 0   ? &o->list
                     : strcmp(name, "--help") == 0   ? &o->help
                                                     : NULL;
        if (flag) {
            *flag = true;
            continue;
        }
        if (!takes_value(name))
            return usage_error(
                "unknown option '%.60s'; recallmodel-bench %s --help lists the options", name,
                arguments[1]);
        if (++i == count)
            return usage_error("%s needs a value", name);
        int status = set_option(o, name, arguments[i]);
        if (status != STATUS_OK)
            return status;
    }
    if (o->help) {
        print_help(o);
        return STATUS_OK;
    }
    if (o->roof &&
        (o->has_axes || o->chosen_count || o->list || o->once || o->device || o->minutes > 0.0))
        return usage_error(
            "roof takes --bytes, --elements, --device-file, --single and --output alone");
    if (!o->roof && o->device_file)
        return usage_error("--device-file is for recallmodel-bench roof");
    if (o->chosen_count && o->has_axes)
        return usage_error("--grid takes no axes beside it; leave out --n, --k, --b, --kb, --m, "
                           "--dtype, --kernel and the like");
    const struct axes *a = &o->axes;
    if (a->work == WORK_FUSED &&
        (a->dtype_count || a->assignment_count || a->input_count || a->warm || a->graph))
        return usage_error("fused multiplies bfloat16 normals, interleaved, cold, between events; "
                           "leave out --dtype, --assignment, --input, --cache, --timing");
    if (a->work == WORK_EXACT && (a->b.length || a->k_b.length || a->assignment_count))
        return usage_error("exact has no buckets; leave out --b, --kb, --assignment");
    if (a->work != WORK_FUSED && a->d.length)
        return usage_error("--d is for recallmodel-bench fused");
    for (unsigned i = 0; i < o->chosen_count; i++)
        if (o->chosen[i]->work != o->axes.work)
            return usage_error("the grid %s is for recallmodel-bench %s", o->chosen[i]->name,
                               work_name(o->chosen[i]->work));
    if (o->axes.kernel_count == 0) {
        kernels_of = o->axes.work;
        o->axes.kernels[o->axes.kernel_count++] =
            o->roof || o->device_only
                ? NULL
                : kernel_by_name(o->axes.work, kernel_at(0), strlen(kernel_at(0)));
    }
    o->axes.dtype_count += o->axes.dtype_count == 0; /* what is 0 is the default */
    o->axes.assignment_count += o->axes.assignment_count == 0;
    o->axes.input_count += o->axes.input_count == 0;
    return -1;
}

/* ---- what is printed */

/* A column of a real number: empty if it is not known. */
static void put_real(char *row, size_t size, double value)
{
    size_t length = strlen(row);
    if (isnan(value))
        snprintf(row + length, size - length, ",");
    else
        snprintf(row + length, size - length, ",%.9g", value);
}

static void format_row(char *row, size_t size, const struct cell *cell, const struct measurement *m)
{
    const uint64_t bytes = cell_bytes_read(cell) + cell_bytes_written(cell);
    cell_key(cell, row);
    size_t length = strlen(row);
    snprintf(row + length, size - length, ",%zu,%s,%u,%.6g,%.6g,%.6g,%.4g,%" PRIu64,
             m->time.samples, m->time.stop, m->time.dropped, m->time.median_us, m->time.low_us,
             m->time.high_us, m->time.noise, bytes);
    put_real(row, size, (double)bytes / (1e-6 * m->time.median_us));
    put_real(row, size, m->roof.samples ? m->roof.median_us : NAN);
    put_real(row, size, m->roof.samples ? m->roof.median_us / m->time.median_us : NAN);
    length = strlen(row);
    snprintf(row + length, size - length, ",%s", m->roof_kernel);
    put_real(row, size,
             cell->d ? 2.0 * (double)cell->m * (double)cell->n * (double)cell->d /
                           (1e-6 * m->time.median_us)
                     : NAN);
    put_real(row, size, m->recall);
    put_real(row, size, m->recall_model);
    put_real(row, size, m->z);
    put_real(row, size, m->predicted_us);
    for (size_t i = 0; i < 3; i++)
        put_real(row, size, m->cost[i]);
    put_real(row, size, m->time.sm_clock_mhz ? (double)m->time.sm_clock_mhz : NAN);
    put_real(row, size, m->time.power_capped < 0 ? NAN : (double)m->time.power_capped);
    length = strlen(row);
    snprintf(row + length, size - length, "\n");
}

/* Beside a file, a line to read. */
static void print_line(const struct cell *cell, const struct measurement *m)
{
    static bool headed;
    if (!headed)
        printf("%-18s %-8s %-11s %-12s %9s %8s %8s %4s %6s %12s %8s %6s %9s\n", "kernel", "dtype",
               "assignment", "input", "n", "k", "b", "k_b", "m", "time us", "GB/s", "roof",
               "recall");
    headed = true;
    printf("%-18s %-8s %-11s %-12s %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %4" PRIu64 " %6" PRIu64
           " %12.2f %8.1f",
           cell->kernel->name, dtype_name(cell->dtype),
           cell->kernel->work == WORK_EXACT ? "-" : assignment_name(cell->assignment),
           rcm_gpu_input_name(cell->input), cell->n, cell->k, cell->b, cell->k_b, cell->m,
           m->time.median_us,
           1e-9 * (double)(cell_bytes_read(cell) + cell_bytes_written(cell)) /
               (1e-6 * m->time.median_us));
    if (m->roof.samples)
        printf(" %5.1f%%", 100.0 * m->roof.median_us / m->time.median_us);
    else
        printf(" %6s", "-");
    if (isnan(m->recall))
        printf(" %9s\n", "-");
    else
        printf(" %9.6f\n", m->recall);
    fflush(stdout);
}

/* Who, where, when, by which rules: lines of remarks. */
static void format_remark(char *remark, size_t size, struct runner *r, const struct options *o)
{
    const struct rcm_gpu_facts *f = runner_facts(r);
    struct monitor *monitor = runner_monitor(r);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    const struct sampling *rules = o->single ? &sampling_single : &sampling_grid;
    snprintf(remark, size,
             "# recallmodel-bench %s git=%s date=%s gpu=\"%s\" multiprocessors=%d l2=%zu "
             "memory=%zu driver=%s cuda_driver=%d.%d cuda_runtime=%d.%d"
             " sm_clock_max_mhz=%u memory_clock_mhz=%u power_limit_w=%u seed=%" PRIu64 "\n"
             "# stop=noise<%g%%|%gs samples>=%u interval=95%% cold=flush,rotation(graph) graph=%d "
             "calls bandwidth_share=roof_us_median/time_us_median,"
             " by turns\n",
             rcm_version(), RCM_GIT, date, f->name, f->multiprocessors, f->l2_bytes,
             f->memory_bytes, monitor_driver(monitor), f->driver / 1000, f->driver % 1000 / 10,
             f->runtime / 1000, f->runtime % 1000 / 10, monitor_most_sm_clock_mhz(monitor),
             monitor_memory_clock_mhz(monitor), monitor_power_limit_watts(monitor), o->seed,
             100.0 * rules->noise, rules->seconds, rules->least, GRAPH_CALLS);
}

/* The device of the registry that is this card; NULL: none. */
static const struct rcm_device *device_of(const char *name)
{
    static const char *const others[][2] = {{"NVIDIA H100 80GB HBM3", "H100-SXM"},
                                            {"NVIDIA A100 80GB PCIe", "A100-PCIe"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return rcm_device_by_name(others[i][1]);
    return rcm_device_by_name(strncmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name);
}

/* ---- work */

static int output_failed(void)
{
    fprintf(stderr, "recallmodel-bench: output could not be written%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return STATUS_FAILED;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure_cells(struct runner *runner, const struct cell_list *cells,
                         struct results *results, const struct options *o)
{
    struct progress progress;
    size_t measured = 0, skipped = 0, wrong = 0, failed = 0, there = 0, left = 0;
    int status = STATUS_OK;
    const double begin = now_s();
    progress_start(&progress, "cells");
    for (size_t i = 0; i < cells->length && status == STATUS_OK; i++) {
        const struct cell *cell = &cells->items[i];
        char key[CELL_KEY_MAX], row[1024] = "", why[400] = "";
        struct measurement m;
        cell_key(cell, key);
        if (results_have(results, key)) {
            there++;
            continue;
        }
        if (o->minutes > 0.0 && now_s() - begin > 60.0 * o->minutes) {
            left = cells->length - i;
            break;
        }
        if (progress_tick(&progress, i, cells->length)) {
            left = cells->length - i;
            status = STATUS_INTERRUPTED;
            break;
        }
        switch (runner_measure(runner, cell, o->single ? &sampling_single : &sampling_grid, &m, why,
                               sizeof why)) {
        case MEASURED:
            format_row(row, sizeof row, cell, &m);
            if (results_add(results, row) != 0)
                status = output_failed();
            progress_end(&progress);
            if (o->output)
                print_line(cell, &m);
            measured++;
            break;
        case SKIPPED:
            progress_end(&progress);
            fprintf(stderr, "recallmodel-bench: left out %s: %s\n", key, why);
            skipped++;
            break;
        case WRONG:
            progress_end(&progress);
            fprintf(stderr, "recallmodel-bench: WRONG %s: %s\n", key, why);
            if (results_note(results, key, why, true) != 0)
                status = output_failed();
            wrong++;
            break;
        case FAILED: /* it is not tried again; the rest is, if the device has survived */
            progress_end(&progress);
            fprintf(stderr, "recallmodel-bench: %s: %s\n", key, why);
            failed++;
            if (results_note(results, key, why, false) != 0)
                status = output_failed();
            if (rcm_gpu_wait() != RCM_GPU_OK) {
                left = cells->length - i - 1;
                status = STATUS_FAILED;
            }
            break;
        }
    }
    progress_end(&progress);
    fprintf(stderr,
            "recallmodel-bench: %zu measured, %zu there already, %zu left out, %zu wrong, %zu "
            "failed, %zu to do%s\n",
            measured, there, skipped, wrong, failed, left,
            left ? "; the same command goes on" : "");
    return status == STATUS_OK && wrong + failed > 0 ? STATUS_FAILED : status;
}

static int run_once(struct runner *runner, const struct cell_list *cells)
{
    char key[CELL_KEY_MAX], why[400];
    for (size_t i = 0; i < cells->length; i++)
        if (runner_once(runner, &cells->items[i], why, sizeof why) != MEASURED) {
            cell_key(&cells->items[i], key);
            fprintf(stderr, "recallmodel-bench: %s: %s\n", key, why);
            return STATUS_FAILED;
        }
    return STATUS_OK;
}

static double rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

/* The lines of a device file: what was measured, and what else is known in remarks. Returns the
 * length; 0: it cannot be. */
static size_t device_text(char *text, size_t size, const char *name, const struct roof_rates *rates)
{
    char date[32], source[80], short_name[40];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(source, sizeof source, "measured by recallmodel-bench roof on %s", date);
    snprintf(short_name, sizeof short_name, "%.39s", name);
    const struct rcm_device device = {.name = short_name,
                                      .source = source,
                                      .bandwidth_bytes_per_s = rounded(rates->read_bytes_per_s),
                                      .vector_rate_per_s =
                                          rounded(rates->operations_per_s[RCM_GPU_COMPARISONS])};
    const size_t length = rcm_profile_text_write(text, size, NULL, &device, NULL);
    if (length == 0 || length >= size)
        return 0;
    const int more =
        snprintf(text + length, size - length,
                 "# vector rate: minima and maxima; additions %.4g, multiplications %.4g\n"
                 "# bandwidth: reads alone; 4 reads to a write %.4g, 1 to 1 %.4g; launch %.3g us\n",
                 rates->operations_per_s[RCM_GPU_ADDITIONS],
                 rates->operations_per_s[RCM_GPU_MULTIPLICATIONS], rates->mixed_bytes_per_s,
                 rates->copied_bytes_per_s, rates->launch_us);
    return length + (size_t)more < size ? length + (size_t)more : 0;
}

static int write_device_file(const char *path, struct runner *runner,
                             const struct roof_rates *rates)
{
    char text[2000];
    if (!(rates->read_bytes_per_s > 0.0 && rates->operations_per_s[RCM_GPU_COMPARISONS] > 0.0)) {
        fprintf(stderr,
                "recallmodel-bench: %s was not written: it takes all rows of one run, and some "
                "were there already\n",
                path);
        return STATUS_FAILED;
    }
    const size_t length = device_text(text, sizeof text, runner_facts(runner)->name, rates);
    if (length == 0) {
        fprintf(stderr,
                "recallmodel-bench: %s was not written: the card's name cannot stand in it\n",
                path);
        return STATUS_FAILED;
    }
    FILE *file = fopen(path, "w");
    if (file)
        fwrite(text, 1, length, file);
    if (!file || ferror(file) | fclose(file)) {
        fprintf(stderr, "recallmodel-bench: %s: %s\n", path, strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static bool tick(void *progress, uint64_t done, uint64_t total)
{
    return progress_tick(progress, done, total);
}

static int run_roofs(struct runner *runner, struct results *results, const struct options *o)
{
    struct progress progress;
    struct roof_rates rates;
    progress_start(&progress, "rows");
    int status = measure_roofs(runner_timer(runner), runner_monitor(runner),
                               o->single ? &sampling_single : &sampling_grid, o->sizes, results,
                               &rates, tick, &progress);
    progress_end(&progress);
    if (status == STATUS_OK && rates.read_bytes_per_s > 0.0)
        fprintf(stderr,
                "recallmodel-bench: read %.4g, 4:1 %.4g, 1:1 %.4g bytes/s; launch %.3g us; %.4g "
                "additions/s, %.4g multiplications/s, %.4g comparisons/s\n",
                rates.read_bytes_per_s, rates.mixed_bytes_per_s, rates.copied_bytes_per_s,
                rates.launch_us, rates.operations_per_s[RCM_GPU_ADDITIONS],
                rates.operations_per_s[RCM_GPU_MULTIPLICATIONS],
                rates.operations_per_s[RCM_GPU_COMPARISONS]);
    return status == STATUS_OK && o->device_file ? write_device_file(o->device_file, runner, &rates)
                                                 : status;
}

static void build_cells(struct cell_list *cells, const struct options *o)
{
    if (o->chosen_count == 0)
        cells_of_axes(cells, &o->axes);
    for (unsigned i = 0; i < o->chosen_count; i++)
        o->chosen[i]->build(cells, o->chosen[i]);
}

static int work(const struct options *o)
{
    struct cell_list cells = {0};
    struct results results = {0};
    struct runner *runner = NULL;
    char remark[1200], error[300];
    int status = STATUS_OK;
    if (!o->roof && !o->device_only)
        build_cells(&cells, o);
    if (!o->roof && !o->device_only && cells.length == 0) {
        status =
            usage_error("none of these can be run: %s", cells.refusal ? cells.refusal : "no cells");
        goto done;
    }
    if (cells.refused)
        fprintf(stderr, "recallmodel-bench: %zu combinations cannot be run (the first: %s)\n",
                cells.refused, cells.refusal);
    if (o->list) {
        puts(CELL_COLUMNS);
        for (size_t i = 0; i < cells.length; i++) {
            char key[CELL_KEY_MAX];
            cell_key(&cells.items[i], key);
            puts(key);
        }
        goto done;
    }
    enum rcm_gpu_status opened = runner_open(&runner, o->seed);
    if (opened != RCM_GPU_OK) {
        fprintf(stderr, "recallmodel-bench: %s\n", rcm_gpu_message(opened));
        status = opened == RCM_GPU_NO_DEVICE ? STATUS_NO_DEVICE : STATUS_FAILED;
        goto done;
    }
    if (o->device_only) {
        puts(runner_facts(runner)->name);
        goto done;
    }
    if (o->once) {
        status = run_once(runner, &cells);
        goto done;
    }
    runner_predict_for(runner, o->device ? o->device : device_of(runner_facts(runner)->name));
    format_remark(remark, sizeof remark, runner, o);
    if (results_open(&results, o->output, o->roof ? ROOF_COLUMNS : ROW_COLUMNS,
                     o->roof ? ROOF_KEY_COLUMNS : CELL_KEY_COLUMNS, remark, error,
                     sizeof error) != 0) {
        fprintf(stderr, "recallmodel-bench: %s\n", error);
        status = STATUS_FAILED;
        goto done;
    }
    if (results.other_git)
        fprintf(stderr,
                "recallmodel-bench: %s has rows of other sources (git=..), which are kept; delete "
                "it to measure all anew\n",
                o->output);
    status = o->roof ? run_roofs(runner, &results, o) : measure_cells(runner, &cells, &results, o);
    if (results_close(&results) != 0 && status == STATUS_OK)
        status = output_failed();
done:
    runner_close(runner);
    cells_free(&cells);
    return status;
}

int main(int count, char **arguments)
{
    struct options o;
    signal(SIGPIPE, SIG_IGN);
    int status = parse(&o, count, arguments);
    if (status == -1)
        status = work(&o);
    free(o.axes.n.items);
    free(o.axes.k.items);
    free(o.axes.b.items);
    free(o.axes.k_b.items);
    free(o.axes.m.items);
    free(o.axes.d.items);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_OK)
        status = output_failed();
    return status;
}
