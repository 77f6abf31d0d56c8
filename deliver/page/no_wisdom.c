/* no_wisdom.c - a browser measures nothing, and keeps nothing of a machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/common/error.h>
#include <programs/common/wisdom.h>

const char *wisdom_path(const char *given)
{
    if (!given)
        usage_error("--device this: the page measures nothing; the recallmodel command does");
    return given;
}

int wisdom_read(const char *path, struct wisdom *wisdom)
{
    *wisdom = (struct wisdom){0};
    return usage_error("--device %.150s: a CSV is for the recallmodel command, which measures; "
                       "the page takes the files of profiles and of devices",
                       path);
}
