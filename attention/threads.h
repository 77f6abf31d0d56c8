/* threads.h - the number of threads of OpenMP. A program that is built without it has one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef THREADS_H
#define THREADS_H

/* How many threads a parallel loop of this folder has at most. */
unsigned threads_most(void);

/* Sets that number for the calling thread and its loops; 0: those of now. Where so many cannot be
 * started, it is 1. */
void threads_use(unsigned threads);

#endif
