/* recallmodel/measured.h - what was timed on the machine at hand: `recallmodel tune` keeps it, and
 * a choice takes it before any prediction.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_MEASURED_H
#define RECALLMODEL_MEASURED_H

#include "profile_text.h"
#include "time.h"

RCM_BEGIN

/* What this machine is, where it changes times: "AMD EPYC; family 25; model 17; 2 processors" or,
 * with gpu, the first card and its driver, "NVIDIA H200; driver 580.65.06". It has no comma. Reads
 * /proc; the folder in the environment variable RECALLMODEL_PROC stands in for it, for tests.
 * Returns whether it is known; *text is "" if not. */
#define RCM_MACHINE_TEXT 120
bool rcm_this_machine(bool gpu, char text[RCM_MACHINE_TEXT]);

/* A call that was timed. Times are microseconds of a call for all m rows: the median, and an
 * interval that holds it. */
struct rcm_measured {
    char name[32];     /* whose: "recallmodel", "torch.topk" */
    struct rcm_topk p; /* n, k, m, and of buckets b, k_b, assignment; exact top-k: b = k_b = 0 */
    enum rcm_dtype dtype;
    uint64_t threads; /* of a CPU; 0: a GPU */
    double time_us, low_us, high_us;
    char machine[RCM_MACHINE_TEXT], version[24]; /* of this library */
    char package[48], date[24];                  /* "torch 2.9.1"; "2026-11-29" */
};

/* The columns of the file that keeps them, CSV; and a line of it, without its end. Reading returns
 * 0, or -1 where the line is no such row; writing returns the length, or 0 where it does not fit.
 */
#define RCM_MEASURED_COLUMNS \
    "kernel,n,k,b,k_b,m,dtype,assignment,threads,time_us_median,time_us_low,time_us_high,machine," \
    "version,package,date"
#define RCM_MEASURED_LINE 600
int rcm_measured_read(const char *line, struct rcm_measured *out);
size_t rcm_measured_write(const struct rcm_measured *row, char line[RCM_MEASURED_LINE]);

/* Was it measured on the GPU, or on the CPU, of this machine, by this version? `machine` is what
 * rcm_this_machine() says of it. */
bool rcm_measured_here(const struct rcm_measured *row, bool gpu, const char *machine);

/* This machine as a device: its card, with the profile of an H200 in its place if it is not in the
 * list; or a CPU's profile (rcm_profile_of_cpu). False: what it is is not known. */
bool rcm_device_here(bool gpu, struct rcm_device_text *out);

/* Is it the same call on the same machine, so that the newer of the two replaces the other? */
bool rcm_same_measured(const struct rcm_measured *a, const struct rcm_measured *b);

RCM_END

#endif
