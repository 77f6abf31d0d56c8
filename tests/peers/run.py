"""Runs a peer's own test file with our top-k in the place of theirs.

    python tests/peers/run.py FILE [argument of pytest ..]

FILE is, in a checkout of its project:
    PyTorch    test/test_sort_and_select.py        torch.topk, Tensor.topk
    JAX        tests/ann_test.py                   jax.lax.approx_max_k, approx_min_k
    Graphcore  tests/test_priority_queue.py        approx_topk.priority_queue.topk
It needs pytest and that package (JAX's: absl-py too). Without a GPU, tests of "cuda" run on "cpu".
The checkouts are not part of this project; test_drop_in.py has their rules, written anew.
"""
import functools
import pathlib
import sys
import types

import pytest

import recallmodel as rcm


def in_place_of_pytorch():
    import torch

    ours = functools.partial(rcm.topk, nan="largest")
    torch.topk = ours
    torch.Tensor.topk = lambda self, *more, **named: ours(self, *more, **named)
    return "topk"


def in_place_of_jax():
    """Their tests want the recall of a batch, so it gets that with P = .999."""
    import jax

    def best(largest):
        def ours(operand, k, reduction_dimension=-1, recall_target=.95, **_):
            return rcm.topk(operand, k, reduction_dimension, largest, recall=recall_target,
                            confidence=.999)
        return ours

    jax.lax.approx_max_k, jax.lax.approx_min_k = best(True), best(False)
    return "test_approx_max_k or test_approx_min_k"


def in_place_of_graphcore():
    """Their k_mult k candidates, j of each bucket. opcheck and compile ask for their operator."""

    def ours(xs, k, dim, j=1, k_mult=1, interleaved=True, multithread_buckets=None):
        n = xs.shape[dim]
        if k == 0 or j == k:
            return rcm.topk(xs, k, dim)
        return rcm.topk(xs, k, dim, b=min(k_mult * k // j, n), k_b=min(j, k),
                        assignment="interleaved" if interleaved else "contiguous")

    module = types.ModuleType("approx_topk.priority_queue")
    module.topk = ours
    sys.modules[module.__name__] = module
    return "not op_check and not torch_compile"


PEERS = {"test_sort_and_select.py": in_place_of_pytorch, "ann_test.py": in_place_of_jax,
         "test_priority_queue.py": in_place_of_graphcore}


def without_gpu(file):
    """The file, or a copy beside it that asks for the CPU."""
    import torch

    if torch.cuda.is_available():
        return file
    copy = file.with_name(file.stem + "_on_cpu.py")
    copy.write_text(file.read_text().replace('"cuda"', '"cpu"'))
    return copy


def main(arguments):
    if not arguments or pathlib.Path(arguments[0]).name not in PEERS:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    file = pathlib.Path(arguments[0]).resolve()
    which = PEERS[file.name]()
    if file.name == "test_priority_queue.py":
        file = without_gpu(file)
        sys.path.insert(0, str(file.parent.parent))
    return pytest.main([str(file), "-q", "-p", "no:cacheprovider", "-k", which, *arguments[1:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
