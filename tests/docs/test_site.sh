#!/usr/bin/env bash
# What the documentation site is made of, without its generator: every public name of the libraries
# has an entry in the C reference, every name of the module one in the Python reference, every
# subcommand and every figure its place, every page stands in the navigation, and links between
# pages lead to pages. make check-site checks the built site.
#
# Against: the symbols of the libraries, the header of the kernels, the module's names,
# `recallmodel help`, a contract by hand.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || python=python3
command -v "$python" >/dev/null || { echo "SKIPPED: there is no python3"; exit 0; }
[ ! "${SANITIZE:-}" ] || { echo "SKIPPED: Python under the sanitizers"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${BUILD:-build}
for library in librecallmodel librecallmodel-topk; do
    nm -D --defined-only "$build/$library".so.* | sed -n 's/.* T \(rcm_\w*\)$/\1/p'
done >"$work/symbols"
mkdir "$work/reference"
"$build/describe" markdown "$work/reference"
RECALLMODEL=${RECALLMODEL:-build/recallmodel} BUILD=$build PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPATH=deliver/site:tests/docs \
    RECALLMODEL_LIBRARY=$(realpath "$build"/librecallmodel.so.*) \
    "$python" tests/docs/check_site.py "$work"
