/* mpi.c - a team of MPI ranks: see team.h. An error of MPI itself ends the program, which is MPI's
 * default.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <sim/team.h>

void team_start(int *count, char ***arguments)
{
    int provided;
    /* Only the main thread calls MPI. */
    MPI_Init_thread(count, arguments, MPI_THREAD_FUNNELED, &provided);
}

void team_end(void)
{
    MPI_Finalize();
}

void team_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
}

unsigned team_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (unsigned)rank;
}

unsigned team_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (unsigned)size;
}

int team_has_terminal(void)
{
    return 0;
}

uint64_t team_max(uint64_t value)
{
    uint64_t largest;
    MPI_Allreduce(&value, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

/* Messages are sent in pieces, because MPI counts in int. */
#define PIECE ((size_t)1 << 30)

int team_gather(const char *bytes, size_t length,
                int (*take)(void *context, const char *bytes, size_t length), void *context)
{
    uint64_t announced = length;
    if (team_rank() != 0) {
        MPI_Send(&announced, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        for (size_t at = 0; at < length; at += PIECE)
            MPI_Send(bytes + at, (int)(length - at < PIECE ? length - at : PIECE), MPI_CHAR, 0, 0,
                     MPI_COMM_WORLD);
        return 0;
    }
    int failed = 0;
    for (int rank = 1; rank < (int)team_size(); rank++) {
        MPI_Recv(&announced, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        char *received = require_memory(malloc((size_t)announced + 1));
        for (size_t at = 0; at < announced; at += PIECE)
            MPI_Recv(received + at, (int)(announced - at < PIECE ? announced - at : PIECE),
                     MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        received[announced] = '\0';
        failed |= take(context, received, (size_t)announced) != 0;
        free(received);
    }
    return failed ? -1 : 0;
}

void team_broadcast(void *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += PIECE)
        MPI_Bcast((char *)bytes + at, (int)(length - at < PIECE ? length - at : PIECE), MPI_CHAR, 0,
                  MPI_COMM_WORLD);
}

void team_share_error(struct message error)
{
    int rank = (int)team_rank(), none = (int)team_size(), mine = *error.text ? rank : none, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == none)
        return;
    if (first == rank && rank > 0) {
        char *own = malloc(error.size);
        if (own) {
            memcpy(own, error.text, error.size);
            message_set(error, "rank %d: %.*s", rank, (int)error.size - 20, own);
            free(own);
        }
    }
    MPI_Bcast(error.text, (int)error.size, MPI_CHAR, first, MPI_COMM_WORLD);
}
