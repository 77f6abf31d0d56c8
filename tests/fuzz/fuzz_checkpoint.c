/* fuzz_checkpoint.c - libFuzzer on the sums of a checkpoint, after its checksum: any text is
 * either read back as itself or rejected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <sim/tally/tally.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* Half of the texts are read with groups. */
    const struct tally_lengths lengths = {2, length % 2 ? 3 : 0};
    uint64_t survived[2] = {0, 0};
    struct group_tally groups[3] = {0};
    struct tally tally = {.survived = survived, .by_group = groups};
    struct row_tally rows = {0};
    char *text = malloc(length + 1);
    if (!text)
        abort();
    memcpy(text, bytes, length);
    text[length] = '\0';
    const char *at = text;
    if (row_tally_parse(&at, &rows) && tally_parse(&at, &tally, lengths, 1000)) {
        struct spread spread = histogram_spread(&tally.lost);
        (void)reaching_sd(&tally.reaching);
        if (spread.largest > 1000)
            abort();
    }
    free(tally.lost.count);
    free(text);
    return 0;
}
