/* command_attention.c - the most that sparse attention can gain in a step of decoding, whatever selects the keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "commands.h"

static const struct rcm_device *device_of(const struct options *options)
{
    return options->has_device ? &options->device.device : rcm_device_by_name("H100-PCIe");
}

static uint64_t components_of(const struct options *options, const struct rcm_decoder *decoder)
{
    return options->components ? options->components : decoder->head / 8;
}

static struct table *rows(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    const struct rcm_decoder *decoder;
    const struct rcm_topk p = query->base;
    for (size_t i = 0; (decoder = rcm_decoder(i)); i++) {
        const struct rcm_attention a = rcm_attention(decoder, device_of(options), p.n, p.k, components_of(options, decoder));
        table_row(table, false);
        table_count(table, column("n", STYLE_PLAIN), p.n);
        table_count(table, column("k", STYLE_PLAIN), p.k);
        table_text(table, column("decoder", STYLE_PLAIN), decoder->name);
        table_text(table, column("device", STYLE_PLAIN), device_of(options)->name);
        table_count(table, column("components", STYLE_PLAIN), components_of(options, decoder));
        table_real(table, (struct column){"step_us", "step_us", "step\nus", STYLE_TIME, 0}, a.step_us);
        table_real(table, (struct column){"attention_us", "attention_us", NULL, STYLE_TIME, 0}, a.attention_us);
        table_real(table, (struct column){"attention_share", "attention_share", "atten-\ntion", STYLE_PERCENT, 0}, a.attention_us / a.step_us);
        table_real(table, (struct column){"transfers", "transfers", "trans-\nfers", STYLE_SPEEDUP, 0}, a.transfers);
        table_real(table, (struct column){"speedup", "speedup", "speed-\nup", STYLE_PLAIN, 0}, a.speedup);
    }
    return table;
}

static void text(const struct query *query, const struct table *table, const struct options *options, bool colour)
{
    (void)query, (void)options;
    table_print(table, stdout, colour);
    puts("speed-up: of one token, one sequence, 2-byte values, if choosing the keys took no time. docs/models.md 15.");
}

int command_attention(const struct options *options)
{
    const struct rcm_decoder *decoder;
    if (!(device_of(options)->matrix_rate_per_s > 0.0))
        return usage_error("--device %s has no matrix_rate_per_s; add the line, or give one of recallmodel devices", device_of(options)->name);
    for (size_t i = 0; (decoder = rcm_decoder(i)); i++)
        if (options->components > decoder->head)
            return usage_error("--components %" PRIu64 " is more than the %" PRIu64 " elements of a head of %s; give at most that", options->components, decoder->head, decoder->name);
    return answer_queries(options, &(struct answer){SHAPES_NONE, rows, text, NULL, "steps", NULL});
}
