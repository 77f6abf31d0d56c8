/* fuzz_runs.c - libFuzzer on CSV files of runs: any bytes give rows or a reason that names the
 * file. make check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <calibrate/runs/runs.h>
#include <calibrate/runs/timings.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char error[CSV_ERROR] = "";
    struct csv csv;
    if (csv_parse("f.csv", (const char *)bytes, length, &csv, MESSAGE(error)) != 0) {
        if (strncmp(error, "f.csv", 5) != 0)
            abort();
        return 0;
    }
    char notes[TIMINGS_NOTES];
    if (timings_rename(&csv, &(struct timings_options){0}, MESSAGE(notes), MESSAGE(error)) != 0) {
        if (strncmp(error, "f.csv", 5) != 0)
            abort();
        csv_free(&csv);
        return 0;
    }
    for (int times = 0; times < 2; times++)
        for (int dtype = -1; dtype < 3; dtype++) {
            struct run_list runs;
            const struct run_filter filter = {.has_dtype = dtype >= 0,
                                              .dtype = dtype >= 0 ? (enum rcm_dtype)dtype : RCM_F32,
                                              .times = times};
            strcpy(error, "");
            if (runs_from_csv(&csv, filter, &runs, MESSAGE(error)) != 0) {
                if (strncmp(error, "f.csv", 5) != 0 || runs.items)
                    abort();
                continue;
            }
            if (runs.length + runs.left_out != csv.rows)
                abort();
            for (size_t i = 0; i < runs.length; i++)
                if (rcm_check(runs.items[i].p) != RCM_OK ||
                    (times && !(runs.items[i].time_us > 0.0)))
                    abort();
            runs_free(&runs);
        }
    FILE *sink = fopen("/dev/null", "w");
    for (size_t row = 0; sink && row < csv.rows; row++)
        for (size_t column = 0; column < csv.columns; column++)
            csv_write(sink, csv_field(&csv, row, column));
    if (sink)
        fclose(sink);
    csv_free(&csv);
    return 0;
}
