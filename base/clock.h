/* clock.h - seconds that only grow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

/* Seconds since some moment in the past. Never goes back. */
double clock_seconds(void);

#endif
