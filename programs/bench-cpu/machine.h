/* machine.h - what this machine is, as far as Linux says it. 0 or "unknown": it does not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine {
    char name[100];      /* of the CPU, such as "AMD EPYC 9654 96-Core Processor" */
    char governor[40];   /* of the frequency, such as "performance" */
    char huge_pages[40]; /* transparent ones: "always", "madvise" or "never" */
    unsigned family, model, cores;
    unsigned clock_mhz, clock_most_mhz;
    size_t l1_bytes, l2_bytes, l3_bytes; /* of the caches of one core for data; l3 is shared */
};

/* Reads it once. */
const struct machine *machine(void);

/* How many cores so many threads run on. */
unsigned machine_cores(uint64_t threads);

/* Where rows of so many bytes stay that so many threads share: "L1", "L2", "L3" or "memory"; "" if
 * the caches are unknown. */
const char *machine_level(double bytes, unsigned threads);

#endif
