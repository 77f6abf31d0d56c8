/* single.c - a team of one: see team.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sim/team.h>

void team_start(int *count, char ***arguments)
{
    (void)count, (void)arguments;
}

void team_end(void)
{
}

void team_abort(void)
{
}

unsigned team_rank(void)
{
    return 0;
}

unsigned team_size(void)
{
    return 1;
}

int team_has_terminal(void)
{
    return 1;
}

uint64_t team_max(uint64_t value)
{
    return value;
}

int team_gather(const char *bytes, size_t length,
                int (*take)(void *context, const char *bytes, size_t length), void *context)
{
    (void)bytes, (void)length, (void)take, (void)context;
    return 0;
}

void team_broadcast(void *bytes, size_t length)
{
    (void)bytes, (void)length;
}

void team_share_error(struct message error)
{
    (void)error;
}
