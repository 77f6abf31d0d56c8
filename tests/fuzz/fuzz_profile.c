/* fuzz_profile.c - libFuzzer on device files and profiles: any bytes give one that can be used, or a reason. make check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/device_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct device_entry entry, again;
    char error[800] = "";
    if (device_file_parse("f", (const char *)bytes, length, &entry, error, sizeof error) != 0) {
        if (strncmp(error, "f:", 2) != 0)
            abort();
        return 0;
    }
    if (*error || !*entry.name)
        abort();
    const struct rcm_topk p = {.n = 262144, .k = 1024, .b = 1024, .k_b = 2, .m = 16};
    if (!entry.has_profile)
        return 0;
    const double time = rcm_predict(&entry.profile, p).time_us;
    if (time < 0.0)
        abort();
    (void)rcm_predict_exact(&entry.profile, p);
    /* What is written is read again, and says the same. */
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    device_file_write(file, &entry.profile, &entry.device, NULL);
    fclose(file);
    if (device_file_parse("f", text, size, &again, error, sizeof error) != 0 || again.profile.kernel != entry.profile.kernel || strcmp(again.runs, entry.runs) != 0)
        abort();
    free(text);
    return 0;
}
