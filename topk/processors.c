/* processors.c - how many processors a call may use: those of its thread's affinity mask, as many
 * as the quota of its control groups pays for, and OMP_NUM_THREADS.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* CPU_COUNT */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "team.h"

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The first or second number in a file of a group; -1 where there is none, as in "max 100000". */
static double number_in(const char *group, const char *name, bool second)
{
    char path[2 * PATH_MAX];
    double numbers[2];
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *file = fopen(path, "r");
    const bool read = file && fscanf(file, "%lf %lf", &numbers[0], &numbers[1]) > second;
    if (file)
        fclose(file);
    return read ? numbers[second] : -1.0;
}

/* Microseconds of processors in each period. Version 1 has -1 for no limit. */
static unsigned quota_of_group(const char *group, bool version_1)
{
    const double quota = number_in(group, version_1 ? "cpu.cfs_quota_us" : "cpu.max", false),
                 period = version_1 ? number_in(group, "cpu.cfs_period_us", false)
                                    : number_in(group, "cpu.max", true);
    if (!(quota > 0.0) || !(period > 0.0) || quota / period >= UINT_MAX)
        return UINT_MAX;
    return quota < 2.0 * period ? 1 : (unsigned)(quota / period);
}

/* Does a list such as "cpu,cpuacct" name cpu? */
static bool names_cpu(const char *list)
{
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        if (length == 3 && strncmp(list, "cpu", 3) == 0)
            return true;
        list += length;
        if (!*list)
            return false;
    }
}

unsigned topk_quota(const char *groups, const char *root)
{
    char line[PATH_MAX], path[2 * PATH_MAX];
    unsigned quota = UINT_MAX;
    FILE *file = fopen(groups, "r");
    if (!file)
        return quota;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(++controllers, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        const bool version_1 = names_cpu(controllers);
        if (*controllers && !version_1)
            continue;
        for (char *end = group; end; *end = 0) { /* from the group to the root */
            snprintf(path, sizeof path, "%s%s%s", root, version_1 ? "/cpu" : "", group);
            quota = least(quota, quota_of_group(path, version_1));
            end = strrchr(group, '/');
            if (!end)
                break;
        }
    }
    fclose(file);
    return quota;
}

/* The lists "4,2" of nested regions begin with that of the first. */
static unsigned omp_num_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long count = text ? strtol(text, NULL, 10) : 0;
    return count > 0 && count < UINT_MAX ? (unsigned)count : UINT_MAX;
}

/* What holds for the whole process is read once. */
static unsigned limit(void)
{
    static _Atomic unsigned known;
    if (known == 0)
        known = least(omp_num_threads(), topk_quota("/proc/self/cgroup", "/sys/fs/cgroup"));
    return known;
}

void topk_affinity_of_process(void)
{
#ifdef __linux__
    cpu_set_t all;
    if (sched_getaffinity(getpid(), sizeof all, &all) == 0)
        sched_setaffinity(0, sizeof all, &all);
#endif
}

unsigned topk_processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned processors = online > 0 ? (unsigned)online : 1;
#ifdef __linux__
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        processors = least(processors, (unsigned)CPU_COUNT(&mine));
#endif
    return least(processors, limit());
}
