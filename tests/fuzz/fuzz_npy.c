/* fuzz_npy.c - libFuzzer on the header of .npy files: any bytes give rows or a reason. make
 * check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <sim/rows/npy.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char error[200];
    for (enum sim_dtype dtype = SIM_DTYPE_UNKNOWN; dtype <= SIM_F64; dtype++) {
        struct row_file file = {.descriptor = -1};
        strcpy(error, "");
        if (npy_format.parse(&file, bytes, length, dtype, MESSAGE(error)) == 0) {
            if (file.rows == 0 || file.row == 0 || file.dtype == SIM_DTYPE_UNKNOWN ||
                file.offset > length || *error)
                abort();
        } else if (*error == '\0') {
            abort();
        }
    }
    return 0;
}
