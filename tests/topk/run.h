/* run.h - one call of topk/ in memory that is watched.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_H
#define RUN_H

#include "cases.h"
#include "oracle.h"

/* ck_assert_msg writes to a file each time, also where the condition holds. */
#define REQUIRE(truth, ...) \
    do { \
        if (!(truth)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* Where a block lies. PAGE_END and PAGE_BEGIN: against a page that may not be touched, and with a
 * pattern of bytes on its other side. HEAP: a malloc of its own, with no pattern in it, for
 * valgrind and AddressSanitizer. */
enum place { PAGE_END, PAGE_BEGIN, HEAP, PLACES };

/* What a call wrote. */
struct outcome {
    size_t value_bytes, index_bytes;
    unsigned char *values, *indices;
    bool right;
    char why[ORACLE_WHY];
};

/* Draws the rows of the case in watched memory and sets x. They stay until the next call in this
 * thread. */
void place_rows(struct topk_case *c, enum place place, uint64_t *state);

/* Asks for the workspace and calls. The outputs and the workspace are full of `poison` before (not
 * on the heap); the input cannot be written (not on the heap). Right: both statuses are OK, the
 * oracle agrees if `check`, and nothing was written beside the outputs and the workspace. */
struct outcome run_case(const struct topk_case *c, enum place place, uint8_t poison, bool check);

bool same_bits(const struct outcome *a, const struct outcome *b);
void free_outcome(struct outcome *o);

/* Frees the memory of this thread. */
void release_blocks(void);

#endif
