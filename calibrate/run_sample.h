/* run_sample.h - internal to calibrate/: a fixed selection of many runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_SAMPLE_H
#define RUN_SAMPLE_H

#include <calibrate/runs/runs.h>

/* Copies at most `most` of the runs to `sample`: all runs of the small groups, and equally many of
 * each large one. A group has one kind of run and one k_b. The same runs in the same order give the
 * same sample. Returns how many, or 0 if memory runs out. 1 <= most. */
size_t sample_runs(const struct run *runs, size_t length, size_t most, struct run *sample);

#endif
