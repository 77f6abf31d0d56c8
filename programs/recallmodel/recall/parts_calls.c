/* parts_calls.c - exact top-k over parts, as it is written for some frameworks. tests/programs/
 * test_parts_calls.sh runs what is printed here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parts_command.h"

/* @K, @SEND and @PARTS are replaced. */
static const struct {
    const char *name, *text;
} calls[] = {
    {"torch", "# torchrun --nproc-per-node @PARTS; x: (rows, columns) on each rank, of which it "
              "has columns\n"
              "# rank, rank + @PARTS, ..; the same on all ranks: the exact top-k of each row\n"
              "import torch.distributed as dist\n"
              "\n"
              "def top_k(x, k=@K, send=@SEND):\n"
              "    parts, rank = dist.get_world_size(), dist.get_rank()\n"
              "\n"
              "    def gathered(part):  # (rows, parts, count)\n"
              "        out = part.new_empty((parts, *part.shape))\n"
              "        dist.all_gather_into_tensor(out, part.contiguous())\n"
              "        return out.transpose(0, 1)\n"
              "\n"
              "    def merged(x, count):\n"
              "        values, at = x.topk(count, dim=1)\n"
              "        values, at = gathered(values), gathered(at * parts + rank)\n"
              "        best, place = values.flatten(1).topk(k, dim=1)\n"
              "        return best, at.flatten(1).gather(1, place), values[:, :, -1]\n"
              "\n"
              "    values, indices, lasts = merged(x, send)\n"
              "    again = (lasts >= values[:, -1:]).any(dim=1)  # not proved\n"
              "    if again.any():\n"
              "        values[again], indices[again], _ = merged(x[again], min(k, x.shape[1]))\n"
              "    return values, indices\n"},
    {"mpi4py",
     "# mpirun -n @PARTS; x: (rows, columns) on each rank, of which it has columns rank,\n"
     "# rank + @PARTS, ..; the same on all ranks: the exact top-k of each row\n"
     "import numpy\n"
     "from mpi4py import MPI\n"
     "\n"
     "def top_k(x, k=@K, send=@SEND, comm=MPI.COMM_WORLD):\n"
     "    def gathered(part):  # (rows, parts, count)\n"
     "        out = numpy.empty((comm.size, *part.shape), part.dtype)\n"
     "        comm.Allgather(numpy.ascontiguousarray(part), out)\n"
     "        return out.swapaxes(0, 1)\n"
     "\n"
     "    def best(values, at, count):\n"
     "        place = numpy.argpartition(-values, count - 1, axis=1)[:, :count]\n"
     "        return (numpy.take_along_axis(values, place, 1),\n"
     "                numpy.take_along_axis(at, place, 1))\n"
     "\n"
     "    def merged(x, count):\n"
     "        at = numpy.broadcast_to(numpy.arange(x.shape[1]) * comm.size + comm.rank, x.shape)\n"
     "        values, at = map(gathered, best(x, at, count))\n"
     "        flat = (len(x), comm.size * count)\n"
     "        return *best(values.reshape(flat), at.reshape(flat), k), values.min(axis=2)\n"
     "\n"
     "    values, indices, lasts = merged(x, send)\n"
     "    again = (lasts >= values.min(axis=1)[:, None]).any(axis=1)  # not proved\n"
     "    if again.any():\n"
     "        values[again], indices[again], _ = merged(x[again], min(k, x.shape[1]))\n"
     "    return values, indices\n"},
    {"jax",
     "# x: (rows, columns, @PARTS), its last axis over the axis \"parts\" of the mesh: element i "
     "of a\n"
     "# row is x[row, i // @PARTS, i % @PARTS]; on all devices: the exact top-k of each row\n"
     "import functools\n"
     "import jax\n"
     "import jax.numpy as jnp\n"
     "from jax.sharding import PartitionSpec as P\n"
     "\n"
     "def top_k(x, mesh, k=@K, send=@SEND):\n"
     "    def of_part(x):\n"
     "        x, parts, rank = x[..., 0], mesh.shape[\"parts\"], jax.lax.axis_index(\"parts\")\n"
     "\n"
     "        def merged(count):\n"
     "            values, at = jax.lax.top_k(x, count)\n"
     "            gather = functools.partial(jax.lax.all_gather, axis_name=\"parts\", axis=1)\n"
     "            values, at = gather(values), gather(at * parts + rank)\n"
     "            best, place = jax.lax.top_k(values.reshape(len(x), -1), k)\n"
     "            at = jnp.take_along_axis(at.reshape(len(x), -1), place, 1)\n"
     "            return best, at, values[..., -1]\n"
     "\n"
     "        values, indices, lasts = merged(send)\n"
     "        unproved = (lasts >= values[:, -1:]).any()\n"
     "        full = min(k, x.shape[1])\n"
     "        return jax.lax.cond(unproved, lambda: merged(full)[:2], lambda: (values, indices))\n"
     "\n"
     "    return jax.shard_map(of_part, mesh=mesh, in_specs=P(None, None, \"parts\"),\n"
     "                         out_specs=(P(), P()), check_vma=False)(x)\n"},
    {"faiss",
     "# shards: @PARTS indexes of inner products; shard r has the vectors r, r + @PARTS, ..: the "
     "k\n"
     "# best of what the shards find, as if each had been asked for k\n"
     "import numpy\n"
     "\n"
     "def search(shards, queries, k=@K, send=@SEND):\n"
     "    def asked(queries, count):  # (queries, shards, count)\n"
     "        found = [shard.search(queries, min(count, shard.ntotal)) for shard in shards]\n"
     "        fill = [count - len(values[0]) for values, _ in found]\n"
     "        values = [numpy.pad(v, ((0, 0), (0, f)), constant_values=-numpy.inf)\n"
     "                  for (v, _), f in zip(found, fill)]\n"
     "        at = [numpy.pad(numpy.where(i < 0, -1, i * len(shards) + r), ((0, 0), (0, f)),\n"
     "                        constant_values=-1)\n"
     "              for r, ((_, i), f) in enumerate(zip(found, fill))]\n"
     "        return numpy.stack(values, 1), numpy.stack(at, 1)\n"
     "\n"
     "    def merged(queries, count):\n"
     "        values, at = asked(queries, count)\n"
     "        flat = values.reshape(len(queries), -1)\n"
     "        place = numpy.argpartition(-flat, k - 1, axis=1)[:, :k]\n"
     "        place = numpy.take_along_axis(\n"
     "            place, numpy.argsort(-numpy.take_along_axis(flat, place, 1), axis=1), 1)\n"
     "        return (numpy.take_along_axis(flat, place, 1),\n"
     "                numpy.take_along_axis(at.reshape(flat.shape), place, 1), values[:, :, -1])\n"
     "\n"
     "    values, ids, lasts = merged(queries, send)\n"
     "    again = (lasts >= values[:, -1:]).any(axis=1)  # not proved\n"
     "    if again.any():\n"
     "        values[again], ids[again], _ = merged(queries[again], k)\n"
     "    return values, ids\n"},
};

const char *parts_call_name(unsigned i)
{
    return i < sizeof calls / sizeof *calls ? calls[i].name : NULL;
}

/* The text with the numbers of the answer. */
void parts_call(char text[PARTS_CALL_LENGTH], unsigned which, const struct parts_row *row)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"@K", row->query.k}, {"@SEND", row->k_part}, {"@PARTS", row->parts}};
    size_t length = 0;
    for (const char *at = calls[which].text; *at && length + 30 < PARTS_CALL_LENGTH;) {
        bool replaced = false;
        for (size_t i = 0; i < 3 && *at == '@' && !replaced; i++) {
            const size_t name = strlen(numbers[i].name);
            replaced = strncmp(at, numbers[i].name, name) == 0;
            if (!replaced)
                continue;
            length += (size_t)snprintf(text + length, PARTS_CALL_LENGTH - length, "%" PRIu64,
                                       numbers[i].value);
            at += name;
        }
        if (!replaced)
            text[length++] = *at++;
    }
    text[length] = '\0';
}
