/* no_wisdom.c - a browser measures nothing, and keeps nothing of a machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/common/error.h>
#include <programs/common/wisdom.h>

const char *wisdom_path(const char *given)
{
    usage_error("%s: the page measures nothing; the recallmodel command does",
                given ? given : "this machine");
    return NULL;
}

int wisdom_read(const char *path, struct wisdom *wisdom)
{
    *wisdom = (struct wisdom){0};
    return usage_error("%s: the page reads no measurements", path);
}
