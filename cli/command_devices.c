/* command_devices.c - the devices that the roofline knows, with their ridge points.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "answer.h"
#include "commands.h"

static double known(double rate)
{
    return rate > 0.0 ? rate : NAN;
}

static void put_device(struct table *table, const struct rcm_device *d)
{
    double printed = rcm_ridge_memory(d->fma_rate_per_s, d->bandwidth_bytes_per_s);
    double ours = rcm_ridge_memory(d->vector_rate_per_s, d->bandwidth_bytes_per_s);
    double printed_matrix = rcm_ridge_matrix(d->fma_rate_per_s, d->matrix_rate_printed_per_s);
    double ours_matrix = rcm_ridge_matrix(d->vector_rate_per_s, d->matrix_rate_per_s);
    table_row(table, false);
    table_text(table, column("device", STYLE_PLAIN), d->name);
    table_real(table, (struct column){"bandwidth_bytes_per_s", "bandwidth_bytes_per_s", "TB/s", STYLE_TERA, 0},
               d->bandwidth_bytes_per_s);
    table_real(table, (struct column){"vector_rate_per_s", "vector_rate_per_s", "vector\nT/s", STYLE_TERA, 0}, d->vector_rate_per_s);
    table_real(table, (struct column){"fma_rate_per_s", "fma_rate_per_s", "fma\nT/s", STYLE_TERA, 0}, known(d->fma_rate_per_s));
    table_real(table, (struct column){"matrix_rate_per_s", "matrix_rate_per_s", "matrix\nT/s", STYLE_TERA, 0},
               known(d->matrix_rate_per_s));
    table_real(table, (struct column){"matrix_rate_printed_per_s", "matrix_rate_printed_per_s", NULL, STYLE_TERA, 0},
               known(d->matrix_rate_printed_per_s));
    table_real(table, (struct column){"ridge_memory", "ridge_memory", "ops per\n4 bytes", STYLE_TIME, 0}, ours);
    table_real(table, (struct column){"ridge_matrix", "ridge_matrix", "ops per\n128-dot", STYLE_TIME, 0}, ours_matrix);
    table_count(table, (struct column){"k_b_max", "k_b_max", "k_b\nmax", STYLE_PLAIN, 0}, rcm_ridge_k_b(ours));
    table_real(table, (struct column){"paper_ridge_memory", "paper_ridge_memory", "paper:\n4 bytes", STYLE_TIME, 0}, printed);
    table_real(table, (struct column){"paper_ridge_matrix", "paper_ridge_matrix", "paper:\n128-dot", STYLE_TIME, 0}, printed_matrix);
    struct column paper_k_b = {"paper_k_b_max", "paper_k_b_max", "paper:\nk_b max", STYLE_PLAIN, 0};
    if (isnan(printed))
        table_null(table, paper_k_b);
    else
        table_count(table, paper_k_b, rcm_ridge_k_b(printed));
    table_text(table, (struct column){"source", "source", NULL, STYLE_PLAIN, 0}, d->source);
}

int command_devices(const struct options *options)
{
    struct table *table = table_new();
    int status = STATUS_OK;
    if (options->has_device)
        put_device(table, &options->device.device);
    for (size_t i = 0; !options->has_device && rcm_device(i); i++)
        put_device(table, rcm_device(i));
    switch (options->output) {
    case OUTPUT_TABLE:
        table_print(table, stdout, false);
        puts("\nVector operations that stage 1 has per 4 bytes read, or per dot product of 128 elements, before they\n"
             "become the bottleneck, and the largest k_b (5 k_b - 2 operations an element) that stays memory-bound,\n"
             "float32. paper: Table 1 of Samaga et al., whose GPU rates count a fused multiply-add as two (fma) and\n"
             "whose 1,979 Tflop/s for the H100 SXM is with sparsity (its 312 for the A100 is dense); ours count\n"
             "compares (vector) and dense rates. All are datasheet peaks, none was measured here.\n"
             "Sources of the rates: --csv or --json. A device of your own: --device FILE, with lines such as\n"
             "  name = My GPU\n  bandwidth_bytes_per_s = 3.35e12\n  vector_rate_per_s = 16.7e12");
        break;
    case OUTPUT_CSV:
        table_print_csv(table, stdout, true);
        break;
    case OUTPUT_JSON:
        status = print_json(json_pack("{s:s, s:o}", "version", rcm_version(), "devices", table_json(table)));
        break;
    }
    table_free(table);
    return status;
}
