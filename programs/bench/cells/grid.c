/* grid.c - see grid.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

uint64_t grid_b_for(const struct cell *c, double recall, bool power)
{
    const struct rcm_topk p = {.n = c->n, .k = c->k, .k_b = c->k_b};
    uint64_t b = rcm_smallest_b(p, (struct rcm_target){.loss = 1.0 - recall}), above = 1;
    while (power && above < b)
        above *= 2;
    b = power && b ? above : b;
    return b <= c->n / 2 && b <= c->n / c->k_b ? b : 0;
}

void grid_samaga_2(struct cell_list *list, struct cell c, const char *exact)
{
    static const uint64_t choices[][2] = {
        {1, 131072}, {1, 65536}, {1, 32768}, {1, 16384}, {1, 8192}, {2, 4096}, {2, 2048},
        {3, 2048},   {3, 1024},  {4, 1024},  {4, 512},   {5, 512},  {6, 512},  {6, 256},
        {8, 512},    {8, 256},   {10, 256},  {12, 128},  {16, 128}};
    const size_t count = sizeof choices / sizeof *choices;
    c.n = 1 << 18, c.k = 1024, c.m = 8;
    for (unsigned part = 0; part < 2; part++)
        for (size_t i = 0; i < count; i++) {
            c.k_b = choices[i][0];
            c.b = choices[i][1];
            c.kernel = kernel_by_name(part ? TASK_STAGE1 : TASK_TWO_STAGE, "auto");
            cell_list_add(list, &c);
        }
    c.kernel = kernel_by_name(TASK_EXACT, exact);
    c.b = 1;
    c.k_b = c.k;
    cell_list_add(list, &c);
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= choices[j][0] * choices[j][1] == choices[i][0] * choices[i][1];
        c.n = choices[i][0] * choices[i][1];
        if (!seen)
            cell_list_add(list, &c);
    }
}
