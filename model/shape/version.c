/* version.c - which version of the library this is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel.h>

const char *rcm_version(void)
{
    return RCM_VERSION;
}
