/* parts.h - rows whose elements are dealt out to parts: what is lost if each part sends its best.
 *
 * As simulate.h, it uses nothing of model/. NaN and -inf rank below all other values and are never
 * missed; equal values rank by index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_PARTS_H
#define SIM_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <base/watch.h>
#include <sim/rows/row.h>
#include <sim/rows/row_file.h>

/* 1 <= k <= n < 2^32. The caller keeps what the pointers point to. */
struct sim_parts_spec {
    uint64_t n, k, rows;
    const struct row_file *file; /* with rows of n, at least `rows` of them; NULL: generated */
    enum sim_input input;        /* of generated rows: neither SIM_PLACEMENT nor SIM_FILE */
    double rho;
    uint64_t seed;
    const uint64_t *size, *send; /* of each part: sizes from 1 on, n in all */
    size_t parts;
    const uint64_t *deal; /* ways to deal, each of 1 .. n elements at a time; 0: runs, in order */
    size_t deals;
    unsigned threads; /* 0: all */
};

/* Deals n elements out: owner[i] is the part of element i. Blocks of `deal` neighbours go to the
 * part of which the largest share is still missing, to the first of equal ones: equal parts take
 * turns. The last block of a part may be shorter. deal = 0: the parts are runs. Returns 0; -1 if
 * memory runs out. */
int sim_deal(const uint64_t *size, size_t parts, uint64_t deal, uint32_t *owner);

/* A row, dealt out in one way. */
struct sim_parts_row {
    uint32_t lost; /* of the top k: the sum over parts of (X - send)+ */
    double grow;   /* the largest X / send, over parts that keep something back and send less than
                      k. Above 1: something is lost; 1 and above: the merge is not proved. Of a
                      part that sends nothing it is infinite, or 1 without an X */
    float scatter; /* the mean over parts of (X - mean)^2 over the variance of X, where the top k
                      lie anywhere with equal probability; NaN for k = n and for one part */
};

/* Row r by way d is out[d * rows + r]. Rows are done in order, without a gap; stop() is called
 * between blocks of them (NULL: nobody watches).
 * Returns   how many rows are done; fewer than `rows` where stop() asked for it, or with one line
 *           in `error`. */
uint64_t sim_parts_run(const struct sim_parts_spec *spec, struct sim_parts_row *out,
                       watch_stop *stop, void *context, struct message error);

#endif
