/* sparse_device.h - `recallmodel sparse --device`: how long a step would take on a device, by its
 * bytes, its largest bucket and its launches (docs/models.md 15).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPARSE_DEVICE_H
#define SPARSE_DEVICE_H

/* What a step reads, and what the device can do. */
struct device_step {
    double bytes;           /* of all heads */
    double bucket_bytes;    /* keys and values of the largest bucket; 0: no buckets */
    double bandwidth;       /* bytes a second, of the device */
    double multiprocessors; /* that share it evenly; 0: not known, and buckets do not count */
    double launches, launch_us;
};

#define STEP_LAUNCHES 3      /* choose, attend, merge */
#define FULL_STEP_LAUNCHES 2 /* attend, merge */
#define STEP_LAUNCH_US 2.2   /* launch_us of the profile of the H100 PCIe, measured */

/* launches launch_us + max(bytes / bandwidth, bucket_bytes / (bandwidth / multiprocessors)), in
 * microseconds. */
double device_step_us(struct device_step step);

#endif
