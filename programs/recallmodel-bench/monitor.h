/* monitor.h - the state of the card while something is timed, from NVIDIA's management library if
 * it is installed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>

struct monitor; /* NULL: the library is not found, and everything is unknown */

/* bus: the PCI address of the device, such as 0000:1a:00.0. */
struct monitor *monitor_open(const char *bus);
void monitor_close(struct monitor *monitor);

/* Do heat or the hardware slow the card down now? Then what was timed just before does not count.
 * Does the power limit slow it down? */
bool monitor_throttled(struct monitor *monitor);
bool monitor_power_capped(struct monitor *monitor);

/* The clocks, their maximum, and the power limit. 0: unknown. */
unsigned monitor_sm_clock_mhz(struct monitor *monitor);
unsigned monitor_memory_clock_mhz(struct monitor *monitor);
unsigned monitor_most_sm_clock_mhz(struct monitor *monitor);
unsigned monitor_power_limit_watts(struct monitor *monitor);

/* "580.159.03", or "unknown". */
const char *monitor_driver(const struct monitor *monitor);

#endif
