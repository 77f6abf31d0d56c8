/* buffers.c - memory on the device that grows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

void *reserve(struct buffer *b, size_t bytes)
{
    if (bytes == 0)
        bytes = 256;
    if (b->bytes < bytes) {
        rcm_gpu_free(b->at);
        b->at = rcm_gpu_allocate(bytes);
        b->bytes = b->at ? bytes : 0;
    }
    return b->at;
}

static void free_buffer(struct buffer *b)
{
    rcm_gpu_free(b->at);
    *b = (struct buffer){NULL, 0};
}

void free_buffers(struct device *r)
{
    struct buffer *all[] = {&r->true_values,    &r->values,          &r->indices,
                            &r->workspace,      &r->products,        &r->roof,
                            &r->plain,          &r->check_workspace, &r->verdict,
                            &r->scratch_values, &r->scratch_indices, &r->scratch_workspace,
                            &r->exact_values,   &r->exact_indices,   &r->hits,
                            &r->reread,         &r->narrow};
    for (size_t i = 0; i < INPUT_SETS_MAX; i++)
        free_buffer(&r->x[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_buffer(all[i]);
    r->input_cell.kernel = NULL;
    r->true_k = 0;
    r->plain_products = r->multiplier_proved = false;
}
