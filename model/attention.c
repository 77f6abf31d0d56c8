/* attention.c - what sparse attention can gain end to end. Derivation: docs/models.md 15.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "recallmodel.h"

static const struct rcm_decoder decoders[] = {
    {"Llama-2-7B", 32, 4096, 32000, 128, "Key et al.'s code; 12 width^2 parameters a layer"},
};

const struct rcm_decoder *rcm_decoder(size_t index)
{
    return index < sizeof decoders / sizeof *decoders ? &decoders[index] : NULL;
}

static double time_us(const struct rcm_device *device, double operations, double bytes)
{
    return (operations / device->matrix_rate_per_s + bytes / device->bandwidth_bytes_per_s) * 1e6;
}

struct rcm_attention rcm_attention(const struct rcm_decoder *decoder, const struct rcm_device *device, uint64_t n, uint64_t k, uint64_t components)
{
    if (n < 1 || n > RCM_N_MAX || k < 1 || k > n || components < 1 || components > decoder->head || !(device->matrix_rate_per_s > 0.0) ||
        !(device->bandwidth_bytes_per_s > 0.0))
        return (struct rcm_attention){NAN, NAN, NAN, NAN};
    const double width = (double)decoder->width, layers = (double)decoder->layers, d = (double)decoder->head, wanted = (double)k, keys = (double)n;
    const double cached = 2.0 * layers * (keys + 1.0) * width; /* keys and values, with the new token's */
    const double parameters = 12.0 * layers * width * width, embedding = width * (double)decoder->vocabulary;
    const double attention = time_us(device, 2.0 * cached, 2.0 * cached);
    const double rest = time_us(device, 2.0 * (parameters + embedding), 2.0 * (parameters + 2.0 * embedding));
    const double dense = 2.0 * keys * d + 2.0 * d, sparse = keys * (double)components + 2.0 * wanted * d + 4.0 * d;
    return (struct rcm_attention){.step_us = rest + attention, .attention_us = attention, .transfers = dense / sparse,
                                  .speedup = (rest + attention) / (rest + attention * sparse / dense)};
}
