/* roofs.h - measures what the roofline needs: bandwidth by mix of reads and writes, the launch, the
 * vector rate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOFS_H
#define ROOFS_H

#include "gpu/roof.h"
#include "results.h"
#include "sampler.h"

#define ROOF_COLUMNS \
    "what,variant,timing,bytes_read,bytes_written,operations,elements,samples,stop,dropped,time_" \
    "us_median,time_us_low,time_us_high,noise," \
    "rate_per_s,sm_clock_mhz,power_capped"
#define ROOF_KEY_COLUMNS 7

struct roof_sizes {
    uint64_t bytes;    /* that a bandwidth is measured with */
    uint64_t elements; /* that the vector programs run on: 4096 x 4096 in [Samaga2025] A.1 */
};

/* The best of what was measured; 0: not measured. */
struct roof_rates {
    double read_bytes_per_s, mixed_bytes_per_s,
        copied_bytes_per_s; /* reads alone; 4 reads to a write; 1 to 1 */
    double launch_us;       /* in a graph */
    double operations_per_s[RCM_GPU_VECTOR_PROGRAMS];
};

/* Adds the rows that are not there yet. stop is asked between rows (progress.h). Returns a status
 * of the program. */
int measure_roofs(struct rcm_gpu_timer *timer, struct monitor *monitor,
                  const struct sampling *rules, struct roof_sizes sizes, struct results *results,
                  struct roof_rates *rates,
                  bool (*stop)(void *context, uint64_t done, uint64_t total), void *context);

#endif
