#!/usr/bin/env bash
# The Python module with the built library: its own tests, by pytest; and installed by pip into an
# empty folder. With arguments: the tests alone, with these arguments of pytest.
#
# Against: the command, digit for digit; the layout of the C compiler.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
python=${PYTHON:-/usr/bin/python3}
# That of `make check-rest`, if it is there, has what reads a real model.
[ ! -e "$build/real-tensors-env/.readers" ] || python=$build/real-tensors-env/bin/python
command -v "$python" >/dev/null || python=python3
if [ -n "${SANITIZE:-}" ]; then
    echo "SKIPPED: Python with the sanitizers (the interpreter is built without them)"
    exit 0
fi
if ! "$python" -c 'import cffi, numpy, pytest' 2>/dev/null; then
    echo "SKIPPED: $python has no cffi, numpy or pytest (Debian: python3-cffi, -numpy, -pytest)"
    exit 0
fi
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
RECALLMODEL_LIBRARY=$(ls "$build"/librecallmodel.so.* | sed -n 1p)
export RECALLMODEL_LIBRARY
# Without the slowest (CASES=few): a third of the time.
[ "${CASES:-}" != few ] || [ $# -gt 0 ] ||
    set -- -k "not interrupt and not too_close and not resonance and not comma and not fused"
"$python" -c 'import gguf, tokenizers' 2>/dev/null ||
    echo "SKIPPED: the tests of tools/real_tensors: there is no gguf (make check-rest installs it)"
PYTHONPATH=python timeout -k 10 300 "$python" -m pytest -q -p no:cacheprovider tests/python \
    "$@"
if [ "${CASES:-}" = few ] || [ $# -gt 0 ]; then exit; fi
if ! "$python" - 2>/dev/null <<'END'; then
import setuptools  # before pip, which imports a distutils that setuptools replaces
import pip

assert int(setuptools.__version__.split(".")[0]) >= 61
END
    echo "SKIPPED: pip install: $python has no pip or no setuptools of 61 or newer"
    exit 0
fi
git archive HEAD 2>/dev/null | tar -x -C "$folder" || cp -r . "$folder"
# -O0: half the time; the wheel is built with -O2.
CFLAGS=-O0 "$python" -m pip install --quiet --no-build-isolation --no-deps \
    --target "$folder/place" "$folder" 2>"$folder/err" || fail "pip install: $(cat "$folder/err")"
env -u RECALLMODEL_LIBRARY PYTHONPATH="$folder/place" "$python" - "$folder" <<'END'
import sys

import recallmodel

assert recallmodel.__file__.startswith(sys.argv[1])
assert abs(recallmodel.recall(262144, 1024, 512, 4) - 0.962957) < 1e-6
assert recallmodel.topk([2.5, 4.5, 3.5], 2).indices.tolist() == [1, 2]
assert len(recallmodel.read_runs("keyetal/two-stage")["n"]) == 1932
print("pip install .: recallmodel", recallmodel.__version__)
END
