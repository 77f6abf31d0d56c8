#!/usr/bin/env python3
"""declarations.py - what the public headers declare, for the Python module.

    deliver/packaging/declarations.py FILE

Writes FILE, python/recallmodel/_ffi.py, a module of cffi: every structure, enumeration, function
and whole number of the headers below, as the compiler CC sees them. The libraries are loaded when
it is used, so no Python but the one that runs this is needed, and no header of Python.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import cffi

HEADERS = ("model/recallmodel.h", "topk/topk.h", "sim/simulate.h",
           "sim/sampler/rank_weights.h", "attention/evaluation/outputs.h", "gpu/topk_gpu.h")


def preprocessed():
    """The lines that come from the headers themselves, and not from those of the system."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-E", "-dD", "-I.", "-D__attribute__(x)=",
               "-x", "c", "-"]
    text = "".join(f"#include <{header}>\n" for header in HEADERS)
    done = subprocess.run(command, input=text, check=True, text=True, stdout=subprocess.PIPE)
    lines, is_ours = [], False
    for line in done.stdout.splitlines():
        place = re.match(r'# \d+ "(.*?)"', line)
        if place:
            is_ours = place.group(1).startswith("./")
        elif is_ours:
            lines.append(line)
    return lines


def declarations():
    """What cffi reads: without the bodies of functions, and of the macros those that are whole
    numbers."""
    kept = (line for line in preprocessed()
            if not line.startswith("#") or re.match(r"#define \w+ \d+$", line))
    return re.sub(r"^static .*?^}", "", "\n".join(kept), flags=re.DOTALL | re.MULTILINE)


def main():
    path = pathlib.Path(sys.argv[1])
    builder = cffi.FFI()
    builder.cdef(declarations())
    builder.set_source("recallmodel._ffi", None)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    builder.emit_python_code(str(new))
    new.replace(path)


if __name__ == "__main__":
    main()
