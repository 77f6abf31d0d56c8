/* clock.h - seconds that only grow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

/* Seconds since some moment in the past. Never goes back. */
double clock_seconds(void);

/* Seconds for which the calling thread has run: what other programs take is not counted. */
double clock_thread_seconds(void);

#endif
