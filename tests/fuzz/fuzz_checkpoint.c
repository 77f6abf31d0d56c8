/* fuzz_checkpoint.c - libFuzzer on the sums of a checkpoint, after its checksum: any text is
 * either read back as itself or rejected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <sim/tally.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint64_t survived[2] = {0, 0};
    struct tally tally = {.survived = survived};
    struct row_tally rows = {0};
    char *text = malloc(length + 1);
    if (!text)
        abort();
    memcpy(text, bytes, length);
    text[length] = '\0';
    const char *at = text;
    if (row_tally_parse(&at, &rows) && tally_parse(&at, &tally, 2, 1000)) {
        struct spread spread = histogram_spread(&tally.lost);
        (void)reaching_sd(&tally.reaching);
        if (spread.largest > 1000)
            abort();
    }
    free(tally.lost.count);
    free(text);
    return 0;
}
