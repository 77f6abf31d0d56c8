#!/usr/bin/env python3
"""Runs recallmodel-bench with peers that are written in Python.

    python3 bench.py exact --n 2^16 --k 512 --m 64 --kernel radix,peers -o runs.csv
    python3 bench.py --peers torch_peers,my_peers peers

A module of --peers (default: torch_peers) has a function peers() that returns a list of Peer. What
follows is a command of recallmodel-bench, which makes the rows, times the calls and proves the
results of all kernels by the same rules. RECALLMODEL_BENCH names its library; by default
librecallmodel-bench.so beside this file, or in build/gpu.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import importlib
import os
import pathlib
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
F32, F16, BF16 = range(3)


class Call(ctypes.Structure):
    """struct rcm_peer_call of gpu/peers/peer.h: addresses in device memory."""

    _fields_ = [("x", ctypes.c_void_p)] + [(name, ctypes.c_uint64) for name in ("m", "n", "k")] + [
        ("dtype", ctypes.c_int), ("values", ctypes.c_void_p), ("indices", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t)]


TAKES_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Call), ctypes.c_void_p)


class Peer(ctypes.Structure):
    """struct rcm_peer of gpu/peers/peer.h. run, prepare and collect are functions (call, stream) of
    Python; an exception in them is printed, and the cell fails."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "package", "source")] + [
        ("dtypes", ctypes.c_uint), ("index_bytes", ctypes.c_uint)] + [
        (name, ctypes.c_bool) for name in ("no_values", "sorted", "no_graph")] + [
        ("refusal", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Call))),
        ("workspace", ctypes.c_void_p), ("prepare", TAKES_CALL), ("run", TAKES_CALL),
        ("collect", TAKES_CALL), ("launch_us", ctypes.c_uint)]


def callback(function):
    def guarded(call, stream):
        try:
            function(call.contents, stream)
            return 0
        except Exception:
            print(traceback.format_exc(limit=-1).splitlines()[-1], file=sys.stderr)
            return 1
    return TAKES_CALL(guarded)


def peer(name, package, source, run, dtypes=(F32, F16, BF16), index_bytes=8, refusal=None,
         **options):
    """A Peer. `refusal` is a function (call) that returns a sentence or None."""
    for hook in ("prepare", "collect"):
        if hook in options:
            options[hook] = callback(options[hook])
    if refusal:
        sentences = {}  # C keeps the pointer

        def refuses(call):
            said = refusal(call.contents)
            return sentences.setdefault(said, said.encode()) if said else None
        options["refusal"] = dict(Peer._fields_)["refusal"](refuses)
    return Peer(name=name.encode(), package=package.encode(), source=source.encode(),
                dtypes=sum(1 << dtype for dtype in dtypes), index_bytes=index_bytes,
                run=callback(run), launch_us=1000, **options)


def library():
    near = [HERE / "librecallmodel-bench.so",
            HERE.parent.parent / "build/gpu/librecallmodel-bench.so"]
    path = os.environ.get("RECALLMODEL_BENCH") or next((p for p in near if p.exists()), near[-1])
    if "emulated" not in pathlib.Path(path).name:  # what runs on a GPU is nothing for that
        os.environ.setdefault("RECALLMODEL_PEERS", str(pathlib.Path(path).parent / "peers"))
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        sys.exit(f"bench.py: {error}; make gpu builds it")


def main(arguments):
    modules = ["torch_peers"]
    if arguments[:1] == ["--peers"]:
        modules, arguments = arguments[1].split(","), arguments[2:]
    bench = library()
    found = []
    for module in modules:
        try:
            found += importlib.import_module(module).peers()
        except ImportError as error:
            print(f"bench.py: {module} was left out: {error}", file=sys.stderr)
    listed = (Peer * (len(found) + 1))(*found)  # a last one without a name
    bench.add_peers(ctypes.byref(listed))
    line = [b"recallmodel-bench", *map(os.fsencode, arguments)]
    return bench.recallmodel_bench(len(line), (ctypes.c_char_p * (len(line) + 1))(*line))


if __name__ == "__main__":
    sys.modules["bench"] = sys.modules["__main__"]
    sys.path[:0] = [os.getcwd(), str(HERE)]
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # torch and the benchmark may free the same device at exit
