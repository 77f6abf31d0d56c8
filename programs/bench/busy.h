/* busy.h - processes that do nothing but use processors, beside what is measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUSY_H
#define BUSY_H

/* Starts so many. They end at busy_end(), or when this process does. Returns a status, after one
 * line on stderr if that is not STATUS_OK. */
int busy_begin(unsigned count);
void busy_end(void);

#endif
