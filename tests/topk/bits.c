/* bits.c - random calls, checked by the oracle; prints a line with a checksum of all outputs for
 * each type and method. Every machine, instruction set and compiler must print the same.
 *
 *   bits CALLS
 *   bits isas     the instruction sets, best first
 *   bits isa      the one in use
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

static uint64_t checksum(uint64_t sum, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "isas") == 0) {
        for (size_t i = 0; rcm_top_k_isa(i); i++)
            puts(rcm_top_k_isa(i));
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "isa") == 0) {
        puts(rcm_top_k_isa_in_use());
        return 0;
    }
    const unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    uint64_t state = 18, sums[RCM_TOP_K_TYPES][3] = {{0}};
    for (unsigned long i = 0; i < calls; i++) {
        struct topk_case c = draw_case(&state, i % 50 == 7 ? 20000 : 800);
        const enum place place = (enum place)(i % PLACES);
        place_rows(&c, place, &state);
        struct outcome o = run_case(&c, place, 0xee, true);
        if (!o.right) {
            fprintf(stderr, CASE_FMT ": %s\n", CASE_ARG(&c), o.why);
            return 1;
        }
        uint64_t *sum = &sums[c.call.rows.type][c.stage1 ? 2 : c.call.method];
        *sum = checksum(checksum(*sum, o.values, o.value_bytes), o.indices, o.index_bytes);
        free_outcome(&o);
    }
    release_blocks();
    for (unsigned type = 0; type < RCM_TOP_K_TYPES; type++)
        printf("%s: %016" PRIx64 " exact, %016" PRIx64 " bucketed, %016" PRIx64 " stage 1\n",
               type_names[type], sums[type][0], sums[type][1], sums[type][2]);
    return 0;
}
