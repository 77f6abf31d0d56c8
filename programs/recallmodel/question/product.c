/* product.c - see product.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "product.h"

#include <inttypes.h>

#include <programs/common/error.h>
#include <programs/common/wrap.h>

int product_check(const struct rcm_device *device, uint64_t d, bool fused)
{
    const struct {
        const char *name;
        double rate;
    } needed[] = {{"bandwidth_bytes_per_s", device->bandwidth_bytes_per_s},
                  {"matrix_rate_per_s", device->matrix_rate_per_s},
                  {"vector_rate_per_s", device->vector_rate_per_s}};
    for (size_t i = 0; d && i < (fused ? 3 : 2); i++)
        if (!(needed[i].rate > 0.0))
            return usage_error("--d needs the rates of the device, but %s lacks %s; give a device "
                               "file that has it",
                               device->name, needed[i].name);
    return STATUS_OK;
}

/* "56.9", "1024" */
static void format_intensity(char text[24], double intensity)
{
    snprintf(text, 24, intensity < 100.0 ? "%.3g" : "%.0f", intensity);
}

unsigned product_print_intensity(const struct rcm_product *product, const struct rcm_device *device,
                                 uint64_t d)
{
    char alone[24], fused[24], ridge[24];
    format_intensity(alone, product->product_intensity);
    format_intensity(fused, product->fused_intensity);
    format_intensity(ridge, product->ridge);
    return print_wrapped("  intensity   d = %" PRIu64
                         ": the product does %s operations for each byte that it moves, fused with "
                         "stage 1 %s; below %s the memory of the %s is the limit",
                         d, alone, fused, ridge, device->name);
}

void product_json(json_t *object, const struct rcm_product *product, uint64_t d)
{
    json_t *values = json_object();
    set_count(values, "d", d);
    set_real(values, "product_us", product->product_us);
    set_real(values, "least_us", product->least_us);
    set_real(values, "fused_us", product->fused_us);
    set_text(values, "fused_bound", product->fused_bound);
    set_real(values, "product_intensity", product->product_intensity);
    set_real(values, "fused_intensity", product->fused_intensity);
    set_real(values, "ridge", product->ridge);
    json_object_set_new(object, "product", values);
}
