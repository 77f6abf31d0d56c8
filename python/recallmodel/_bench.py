#!/usr/bin/env python3
"""Runs a benchmark with peers that are written in Python.

    python3 -m recallmodel._bench cells --file cells.csv -o runs.csv
    python3 -m recallmodel._bench --on gpu exact --n 2^16 --k 512 --m 64 --kernel radix,peers
    python3 recallmodel/_bench.py --on gpu --peers torch,my_peers peers

What follows is a command of `recallmodel bench`, or with --on gpu of recallmodel-bench, which makes
the rows, times the calls and proves the results of all kernels by the same rules. A name of --peers
(default: numpy,torch on a CPU, torch on a GPU) is numpy, torch, compiled, or a module with a
function peers() that returns a list of Peer. A package that a peer needs is imported when a cell
asks for it. RECALLMODEL_BENCH names the library; by default it is beside this file, in the package
recallmodel_cuda, or in the build folder.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import sys
import traceback
from typing import Any, ClassVar

HERE = pathlib.Path(__file__).resolve().parent
F32, F16, BF16, F64, I8, I32 = range(6)  # a GPU has the first three
BUILTIN = ("numpy", "torch", "compiled")
LIBRARY = {"cpu": "librecallmodel-bench-cpu.so", "gpu": "librecallmodel-bench.so"}
device = "cpu"  # or "gpu"


class Call(ctypes.Structure):
    """struct rcm_peer_call of gpu/peers/peer.h: addresses in device memory."""

    _fields_: ClassVar[Any] = [("x", ctypes.c_void_p)] + [
        (name, ctypes.c_uint64) for name in ("m", "n", "k")] + [
        ("dtype", ctypes.c_int), ("values", ctypes.c_void_p), ("indices", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t),
        ("threads", ctypes.c_uint)]


TAKES_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Call), ctypes.c_void_p)


class Peer(ctypes.Structure):
    """struct rcm_peer of gpu/peers/peer.h. run, prepare and collect are functions (call, stream) of
    Python; an exception in them is printed, and the cell fails."""

    _fields_: ClassVar[Any] = [
        (name, ctypes.c_char_p) for name in ("name", "package", "source")] + [
        ("dtypes", ctypes.c_uint), ("index_bytes", ctypes.c_uint)] + [
        (name, ctypes.c_bool) for name in ("no_values", "sorted", "no_graph")] + [
        ("refusal", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Call))),
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


def version(package):
    """Its name and version, without an import."""
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return package


def import_fails(module):
    """Why a module cannot be imported, in a line; None: it is imported now."""
    try:
        importlib.import_module(module)
        return None
    except Exception as error:  # a broken package may raise anything
        return f"{module} cannot be imported: {(str(error) or repr(error)).splitlines()[0]}"


def peer(name, package, source, run, dtypes=(F32, F16, BF16), index_bytes=8, refusal=None,
         needs=None, **options):
    """A Peer. `refusal` is a function (call) that returns a sentence or None; `needs` is a module
    that is imported before the first of its cells."""
    for hook in ("prepare", "collect"):
        if hook in options:
            options[hook] = callback(options[hook])
    if refusal or needs:
        sentences = {}  # C keeps the pointer

        def refuses(call):
            said = refusal(call.contents) if refusal else None
            said = said or (import_fails(needs) if needs else None)
            if not said:
                return None
            text = sentences.setdefault(said, ctypes.create_string_buffer(said.encode()))
            return ctypes.addressof(text)
        options["refusal"] = dict(Peer._fields_)["refusal"](refuses)
    return Peer(name=name.encode(), package=package.encode(), source=source.encode(),
                dtypes=sum(1 << dtype for dtype in dtypes), index_bytes=index_bytes,
                run=callback(run), launch_us=1000, **options)


def folders():
    """Where the libraries may be: the package, a bundle, recallmodel_cuda, the build folder."""
    yield from (HERE, HERE.parent)
    cuda = importlib.util.find_spec("recallmodel_cuda")
    yield from map(pathlib.Path, cuda.submodule_search_locations or [] if cuda else [])
    yield from (HERE.parents[1] / "build", HERE.parents[1] / "build/gpu")


def newest(folder, name):
    """The newest file of a library in a folder, whatever version its name ends with, or None."""
    return max(folder.glob(name + "*"), key=lambda place: place.stat().st_mtime, default=None)


def library():
    name = LIBRARY[device]
    path = os.environ.get("RECALLMODEL_BENCH") or next(
        filter(None, (newest(folder, name) for folder in folders())), None)
    if not path:
        build = {"cpu": "make", "gpu": "pip install recallmodel[cuda], or make gpu"}[device]
        sys.exit(f"recallmodel._bench: there is no {name}: {build}")
    path = pathlib.Path(path)
    model = newest(path.parent, "librecallmodel.so")
    if device == "cpu" and model:  # top-k is beside that
        os.environ.setdefault("RECALLMODEL_LIBRARY", str(model))
    if device == "gpu" and "emulated" not in path.name:  # nothing for the emulation
        os.environ.setdefault("RECALLMODEL_PEERS", str(path.parent / "peers"))
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        sys.exit(f"recallmodel._bench: {error}")


def found_peers(modules, asked):
    """The peers of all modules; one that is not here is said if it was asked for."""
    for module in modules:
        try:
            yield from importlib.import_module(
                f"_bench_{module}" if module in BUILTIN else module).peers()
        except ImportError as error:
            if asked:
                print(f"recallmodel._bench: {module} was left out: {error}", file=sys.stderr)


def main(arguments):
    global device
    options = {"--on": "cpu", "--peers": None}
    while arguments[:1] and arguments[0] in options and len(arguments) > 1:
        options[arguments[0]], arguments = arguments[1], arguments[2:]
    device, modules = options["--on"], options["--peers"]
    if device not in LIBRARY:
        sys.exit(f"recallmodel._bench: --on '{device}' is not known; give cpu or gpu")
    bench = library()
    usual = ("numpy", "torch") if device == "cpu" else ("torch",)
    found = list(found_peers(modules.split(",") if modules else usual, modules))
    listed = (Peer * (len(found) + 1))(*found)  # a last one without a name
    bench.add_peers(ctypes.byref(listed))
    line = [b"recallmodel-bench", *map(os.fsencode, arguments)]
    return bench.recallmodel_bench(len(line), (ctypes.c_char_p * (len(line) + 1))(*line))


if __name__ == "__main__":
    sys.modules["_bench"] = sys.modules["recallmodel._bench"] = sys.modules["__main__"]
    sys.path[:0] = [os.getcwd()]
    sys.path += [str(HERE), str(HERE.parent)]
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # torch and the benchmark may free the same device at exit
