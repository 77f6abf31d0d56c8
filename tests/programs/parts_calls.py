"""Runs the calls that `recallmodel parts --call` prints: see test_parts_calls.sh.

parts_calls.py torch|jax|faiss: with the package where it is there (faiss), else with a stand-in:
threads that meet as ranks do. parts_calls.py mpi4py: as a rank of mpirun.
"""
import json
import os
import subprocess
import sys
import threading
import types

import numpy

N, K, PARTS, ROWS = 4000, 200, 4, 40


def printed(name):
    done = subprocess.run(
        [os.environ["RECALLMODEL"], "parts", "--n", str(N), "--k", str(K), "--parts", str(PARTS),
         "--call", name, "--json"], check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert f"k={K}, send={answer['k_part']}" in answer["usage"], answer["usage"]
    return answer["usage"]


def rows_of(kind):
    """Rows that are dealt out, or whose top k are in one part, or have few values."""
    rng = numpy.random.default_rng(8)
    x = rng.standard_normal((ROWS, N)).astype(numpy.float32)
    if kind == "one part":
        x[::2, 1::PARTS] += 50
    if kind == "ties":
        x = numpy.round(x)
    return x


KINDS = ["normal", "one part", "ties"]


def check(x, values, indices, what):
    """The values are those of the top k, and the indices are distinct elements of these values."""
    values, indices = numpy.asarray(values), numpy.asarray(indices)
    want = -numpy.sort(-x, axis=1)[:, :K]
    assert (-numpy.sort(-values, axis=1) == want).all(), what
    assert (numpy.take_along_axis(x, indices, 1) == values).all(), what
    assert all(len(set(row)) == K for row in indices), what


# ---- ranks that are threads


class Team:
    """What the threads exchange."""

    def __init__(self):
        self.barrier = threading.Barrier(PARTS, timeout=60)
        self.slots = [None] * PARTS
        self.local = threading.local()

    def gather(self, part):
        self.slots[self.local.rank] = part
        self.barrier.wait()
        parts = list(self.slots)
        self.barrier.wait()
        return numpy.stack(parts)

    def run(self, of_rank):
        """of_rank(rank) in each thread; what they return."""
        results, errors = [None] * PARTS, []

        def one(rank):
            self.local.rank = rank
            try:
                results[rank] = of_rank(rank)
            except BaseException as error:
                errors.append(error)
                self.barrier.abort()
        threads = [threading.Thread(target=one, args=(rank,)) for rank in range(PARTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for error in errors:
            if not isinstance(error, threading.BrokenBarrierError):
                raise error
        assert not errors, errors
        return results


class Tensor(numpy.ndarray):
    """What the call uses of a tensor of PyTorch."""

    def new_empty(self, shape):
        return numpy.empty(shape, self.dtype).view(Tensor)

    def contiguous(self):
        return numpy.ascontiguousarray(self).view(Tensor)

    def topk(self, k, dim):
        assert 1 <= k <= self.shape[dim]
        place = numpy.argsort(-self, axis=dim, kind="stable").take(range(k), axis=dim).view(Tensor)
        return numpy.take_along_axis(self, place, dim), place

    def transpose(self, a, b):
        return numpy.swapaxes(self, a, b)

    def flatten(self, start):
        return self.reshape(*self.shape[:start], -1)

    def gather(self, dim, index):
        return numpy.take_along_axis(self, index, dim)

    def any(self, dim=None):
        return numpy.ndarray.any(self, axis=dim)


def torch():
    team = Team()
    dist = types.ModuleType("torch.distributed")
    dist.get_world_size = lambda: PARTS
    dist.get_rank = lambda: team.local.rank

    def all_gather_into_tensor(out, part):
        out[...] = team.gather(numpy.asarray(part))
    dist.all_gather_into_tensor = all_gather_into_tensor
    package = types.ModuleType("torch")
    package.distributed = dist
    sys.modules["torch"], sys.modules["torch.distributed"] = package, dist
    scope = {}
    exec(printed("torch"), scope)
    for kind in KINDS:
        x = rows_of(kind)
        answers = team.run(lambda rank: scope["top_k"](x[:, rank::PARTS].copy().view(Tensor)))
        for values, indices in answers:
            check(x, values, indices, f"torch, {kind}")


def jax():
    team = Team()
    lax = types.SimpleNamespace(
        axis_index=lambda name: team.local.rank,
        top_k=lambda x, k: tuple(map(numpy.asarray, x.view(Tensor).topk(k, 1))),
        all_gather=lambda part, axis_name, axis: numpy.moveaxis(team.gather(part), 0, axis),
        cond=lambda truth, yes, no: yes() if truth else no())

    def shard_map(of_part, mesh, in_specs, out_specs, check_vma):
        assert in_specs == (None, None, "parts") and out_specs == ((), ())

        def run(x):
            assert x.shape[2] == PARTS
            answers = team.run(lambda rank: of_part(x[:, :, rank:rank + 1]))
            for answer in answers[1:]:
                assert all((a == b).all() for a, b in zip(answer, answers[0]))
            return answers[0]
        return run
    package = types.ModuleType("jax")
    package.lax, package.shard_map = lax, shard_map
    package.numpy = types.ModuleType("jax.numpy")
    package.numpy.take_along_axis = numpy.take_along_axis
    package.sharding = types.ModuleType("jax.sharding")
    package.sharding.PartitionSpec = lambda *axes: axes
    sys.modules.update({"jax": package, "jax.numpy": package.numpy,
                        "jax.sharding": package.sharding})
    scope = {}
    exec(printed("jax"), scope)
    mesh = types.SimpleNamespace(shape={"parts": PARTS})
    for kind in KINDS:
        x = rows_of(kind)
        values, indices = scope["top_k"](x.reshape(ROWS, N // PARTS, PARTS), mesh)
        check(x, values, indices, f"jax, {kind}")


class FlatIndex:
    """An index of inner products: what the call uses of faiss's."""

    def __init__(self, vectors):
        self.vectors, self.ntotal = vectors, len(vectors)

    def search(self, queries, k):
        products = (queries @ self.vectors.T).view(Tensor)
        return tuple(map(numpy.asarray, products.topk(k, 1)))


def faiss():
    rng = numpy.random.default_rng(9)
    vectors = rng.integers(-9, 9, (N, 8)).astype(numpy.float32)  # exact products, with ties
    queries = rng.integers(-9, 9, (ROWS, 8)).astype(numpy.float32)
    scope = {}
    exec(printed("faiss"), scope)
    for kind in ["dealt out", "one shard"]:
        if kind == "one shard":
            vectors[2::PARTS] *= 30
        shards = [FlatIndex(vectors[r::PARTS]) for r in range(PARTS)]
        values, ids = scope["search"](shards, queries)
        check(queries @ vectors.T, values, ids, f"faiss, {kind}")
        assert (numpy.diff(values) <= 0).all()


def mpi4py():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    assert comm.size == PARTS
    scope = {}
    exec(comm.bcast(printed("mpi4py") if comm.rank == 0 else None), scope)
    for kind in KINDS:
        x = rows_of(kind)
        values, indices = scope["top_k"](x[:, comm.rank::PARTS])
        check(x, values, indices, f"mpi4py, {kind}")
    comm.Barrier()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    # One write a rank: mpirun mixes what its ranks write, print() may write text and end apart.
    sys.stdout.write(f"{sys.argv[1]} is right\n")
