/* machine.c - see machine.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_FOLDER "/sys/devices/system/cpu/cpu0/"

/* The first line of a file without its end. Returns whether there is one. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    const bool found = file && fgets(line, (int)size, file);
    if (found)
        line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    return found;
}

/* A field of /proc/cpuinfo, of the first core. */
static void read_field(const char *line, const char *name, char *value, size_t size)
{
    const char *colon = strchr(line, ':');
    const size_t length = strlen(name);
    if (*value == '\0' && colon && strncmp(line, name, length) == 0 &&
        strspn(line + length, "\t ") == (size_t)(colon - line) - length)
        snprintf(value, size, "%.*s", (int)strcspn(colon + 2, "\n\""), colon + 2);
}

static void read_cpuinfo(struct machine *m)
{
    char line[2000], family[20] = "", model[20] = "", mhz[20] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        read_field(line, "model name", m->name, sizeof m->name);
        read_field(line, "cpu family", family, sizeof family);
        read_field(line, "model", model, sizeof model);
        read_field(line, "cpu MHz", mhz, sizeof mhz);
    }
    if (file)
        fclose(file);
    if (*m->name == '\0')
        strcpy(m->name, "unknown");
    m->family = (unsigned)strtoul(family, NULL, 10);
    m->model = (unsigned)strtoul(model, NULL, 10);
    m->clock_mhz = (unsigned)strtoul(mhz, NULL, 10);
}

static void read_caches(struct machine *m)
{
    for (unsigned i = 0; i < 8; i++) {
        char path[100], level[20], kind[20], size[20];
        snprintf(path, sizeof path, CPU_FOLDER "cache/index%u/level", i);
        if (!read_line(path, level, sizeof level))
            return;
        snprintf(path, sizeof path, CPU_FOLDER "cache/index%u/type", i);
        if (!read_line(path, kind, sizeof kind) || strcmp(kind, "Instruction") == 0)
            continue;
        snprintf(path, sizeof path, CPU_FOLDER "cache/index%u/size", i);
        if (!read_line(path, size, sizeof size))
            continue;
        char *unit;
        size_t bytes = strtoul(size, &unit, 10);
        bytes *= *unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1;
        size_t *const to[] = {&m->l1_bytes, &m->l2_bytes, &m->l3_bytes};
        const unsigned long at = strtoul(level, NULL, 10);
        if (at >= 1 && at <= 3)
            *to[at - 1] = bytes;
    }
}

/* What is between [ and ] of a line, such as "always [madvise] never". */
static void read_chosen(const char *path, char *to, size_t size)
{
    char line[100];
    const char *open = read_line(path, line, sizeof line) ? strchr(line, '[') : NULL;
    if (open)
        snprintf(to, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

static struct machine read_machine(void)
{
    struct machine m = {.governor = "unknown", .huge_pages = "unknown"};
    char khz[20];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    m.cores = cores > 0 ? (unsigned)cores : 0;
    read_cpuinfo(&m);
    read_caches(&m);
    if (!read_line(CPU_FOLDER "cpufreq/scaling_governor", m.governor, sizeof m.governor))
        strcpy(m.governor, "unknown");
    if (read_line(CPU_FOLDER "cpufreq/cpuinfo_max_freq", khz, sizeof khz))
        m.clock_most_mhz = (unsigned)(strtoul(khz, NULL, 10) / 1000);
    read_chosen("/sys/kernel/mm/transparent_hugepage/enabled", m.huge_pages, sizeof m.huge_pages);
    return m;
}

const struct machine *machine(void)
{
    static struct machine m;
    if (m.cores == 0 && *m.name == '\0')
        m = read_machine();
    return &m;
}

unsigned machine_cores(uint64_t threads)
{
    const unsigned cores = machine()->cores ? machine()->cores : 1;
    return threads < cores ? (unsigned)threads : cores;
}

const char *machine_level(double bytes, unsigned threads)
{
    const struct machine *m = machine();
    const unsigned cores = machine_cores(threads);
    if (m->l1_bytes == 0)
        return "";
    return bytes <= (double)m->l1_bytes * cores   ? "L1"
           : bytes <= (double)m->l2_bytes * cores ? "L2"
           : bytes <= (double)m->l3_bytes         ? "L3"
                                                  : "memory";
}
