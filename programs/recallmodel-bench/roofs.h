/* roofs.h - measures what a roofline needs: bandwidth by the mix of reads and writes, the launch,
 * and vector rates.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOFS_H
#define ROOFS_H

#include <gpu/host/roof.h>
#include <programs/bench/results.h>
#include <programs/bench/sampler.h>

#define ROOF_COLUMNS \
    "what,variant,timing,bytes_read,bytes_written,operations,elements,samples,stop,dropped," \
    "time_us_median,time_us_low,time_us_high,noise,rate_per_s,sm_clock_mhz,power_capped"
#define ROOF_KEY_COLUMNS 7

struct roof_sizes {
    uint64_t bytes;    /* that a bandwidth is measured with */
    uint64_t elements; /* that the vector programs run on: 4096 x 4096 in [Samaga2025] A.1 */
};

/* The best rates that were measured; 0: not measured. */
struct roof_rates {
    double read_bytes_per_s;   /* reads alone */
    double mixed_bytes_per_s;  /* 4 reads to a write */
    double copied_bytes_per_s; /* 1 read to a write */
    double launch_us;          /* in a graph */
    double operations_per_s[RCM_GPU_VECTOR_PROGRAMS];
};

/* Measures the rows that the results do not have, and adds each at once. Shows the progress, and
 * stops between rows after Ctrl-C. Returns a status, after one line on stderr if that is
 * STATUS_FAILED. */
int measure_roofs(struct device *device, const struct sampling *rules, struct roof_sizes sizes,
                  struct results *results, struct roof_rates *rates);

#endif
