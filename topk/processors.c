/* processors.c - how many processors a call may use: those of its thread's affinity mask, as many
 * as the quota of its control groups pays for, and OMP_NUM_THREADS.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* CPU_COUNT */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "team.h"

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* cpu.max: "200000 100000", microseconds of processors in each period, or "max 100000". */
static unsigned quota_of_file(const char *path)
{
    double quota, period;
    FILE *file = fopen(path, "r");
    if (!file)
        return UINT_MAX;
    const int read = fscanf(file, "%lf %lf", &quota, &period);
    fclose(file);
    if (read != 2 || !(quota > 0.0) || !(period > 0.0) || quota / period >= UINT_MAX)
        return UINT_MAX;
    return quota < 2.0 * period ? 1 : (unsigned)(quota / period);
}

unsigned topk_quota(const char *groups, const char *root)
{
    char line[PATH_MAX], path[2 * PATH_MAX];
    unsigned quota = UINT_MAX;
    FILE *file = fopen(groups, "r");
    if (!file)
        return quota;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        char *group = line + 3;
        group[strcspn(group, "\n")] = 0;
        for (char *end = group; end; *end = 0) { /* from the group to the root */
            snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
            quota = least(quota, quota_of_file(path));
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
