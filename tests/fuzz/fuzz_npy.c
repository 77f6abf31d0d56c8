/* fuzz_npy.c - libFuzzer on the headers of .npy and .safetensors files: any bytes give rows or a
 * reason. make check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <sim/rows/formats.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const unsigned count = SIM_DTYPES;
    char error[400];
    for (size_t i = 0; row_format(i); i++)
        for (unsigned dtype = 0; dtype < count; dtype++) {
            struct row_file file = {.descriptor = -1};
            strcpy(error, "");
            if (row_format(i)->parse(&file, bytes, length, (enum sim_dtype)dtype, MESSAGE(error)) ==
                0) {
                if (file.rows == 0 || file.row == 0 || file.dtype == SIM_DTYPE_UNKNOWN ||
                    file.offset > length || *error)
                    abort();
            } else if (*error == '\0') {
                abort();
            }
        }
    struct row_file file = {.descriptor = -1};
    strcpy(error, "");
    if ((row_file_foreign(&file, bytes, length, MESSAGE(error)) == 0) != (*error == '\0'))
        abort();
    return 0;
}
