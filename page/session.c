/* session.c - what main.c needs of programs/bench/session.h. The page takes no benchmark.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/bench/session.h>

void set_sources_git(const char *state)
{
    (void)state;
}
