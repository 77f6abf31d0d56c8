/* monitor.c - see monitor.h. The library is opened at run time, so that the program can start
 * without it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "monitor.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"

/* The types and numbers of NVML's interface that are used here. The interface is stable. */
typedef struct nvml_device *nvml_device;
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
enum {
    POWER_CAP = 0x4,
    HARDWARE_SLOWDOWN = 0x8,
    SOFTWARE_THERMAL = 0x20,
    HARDWARE_THERMAL = 0x40,
    POWER_BRAKE = 0x80
};

struct monitor {
    void *library; /* stays open: unloaded, it would leave memory that nobody can free */
    nvml_device device;
    int (*shut_down)(void);
    int (*clock)(nvml_device, int, unsigned *);
    int (*most_clock)(nvml_device, int, unsigned *);
    int (*throttle_reasons)(nvml_device, unsigned long long *);
    int (*power_limit)(nvml_device, unsigned *);
    char driver[80];
};

struct monitor *monitor_open(const char *bus)
{
    struct monitor *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    int (*start)(void) = NULL, (*device_at)(const char *, nvml_device *) = NULL,
        (*driver)(char *, unsigned) = NULL;
    m->library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!m->library) {
        free(m);
        return NULL;
    }
    library_find(m->library, "nvmlInit_v2", &start);
    library_find(m->library, "nvmlDeviceGetHandleByPciBusId_v2", &device_at);
    library_find(m->library, "nvmlSystemGetDriverVersion", &driver);
    library_find(m->library, "nvmlShutdown", &m->shut_down);
    library_find(m->library, "nvmlDeviceGetClockInfo", &m->clock);
    library_find(m->library, "nvmlDeviceGetMaxClockInfo", &m->most_clock);
    library_find(m->library, "nvmlDeviceGetCurrentClocksThrottleReasons", &m->throttle_reasons);
    library_find(m->library, "nvmlDeviceGetEnforcedPowerLimit", &m->power_limit);
    if (!start || !device_at || !m->shut_down || start() != 0) {
        free(m);
        return NULL;
    }
    if (device_at(bus, &m->device) != 0) {
        monitor_close(m);
        return NULL;
    }
    if (!driver || driver(m->driver, sizeof m->driver) != 0)
        strcpy(m->driver, "unknown");
    return m;
}

void monitor_close(struct monitor *m)
{
    if (!m)
        return;
    m->shut_down();
    free(m);
}

static unsigned long long reasons(struct monitor *m)
{
    unsigned long long bits = 0;
    return m && m->throttle_reasons && m->throttle_reasons(m->device, &bits) == 0 ? bits : 0;
}

bool monitor_throttled(struct monitor *m)
{
    return (reasons(m) & (HARDWARE_SLOWDOWN | SOFTWARE_THERMAL | HARDWARE_THERMAL | POWER_BRAKE)) !=
           0;
}

bool monitor_power_capped(struct monitor *m)
{
    return (reasons(m) & POWER_CAP) != 0;
}

unsigned monitor_sm_clock_mhz(struct monitor *m)
{
    unsigned clock = 0;
    return m && m->clock && m->clock(m->device, CLOCK_SM, &clock) == 0 ? clock : 0;
}

unsigned monitor_memory_clock_mhz(struct monitor *m)
{
    unsigned clock = 0;
    return m && m->clock && m->clock(m->device, CLOCK_MEMORY, &clock) == 0 ? clock : 0;
}

unsigned monitor_most_sm_clock_mhz(struct monitor *m)
{
    unsigned clock = 0;
    return m && m->most_clock && m->most_clock(m->device, CLOCK_SM, &clock) == 0 ? clock : 0;
}

unsigned monitor_power_limit_watts(struct monitor *m)
{
    unsigned milliwatts = 0;
    return m && m->power_limit && m->power_limit(m->device, &milliwatts) == 0 ? milliwatts / 1000
                                                                              : 0;
}

const char *monitor_driver(const struct monitor *m)
{
    return m ? m->driver : "unknown";
}
