/* monitor.h - the state of the card while something is timed, from NVIDIA's management library
 * where there is one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>

struct monitor; /* NULL: no library; everything is then unknown */

/* bus: the PCI address of the device. */
struct monitor *monitor_open(const char *bus);
void monitor_close(struct monitor *monitor);

/* Is it slowed down by heat or by its hardware now, so that what was timed just before does not
 * count? By its power limit? */
bool monitor_throttled(struct monitor *monitor);
bool monitor_power_capped(struct monitor *monitor);

/* 0: unknown. */
unsigned monitor_sm_clock_mhz(struct monitor *monitor);
unsigned monitor_memory_clock_mhz(struct monitor *monitor);
unsigned monitor_most_sm_clock_mhz(struct monitor *monitor);
unsigned monitor_power_limit_watts(struct monitor *monitor);

/* "580.159.03", or "unknown". */
const char *monitor_driver(const struct monitor *monitor);

#endif
